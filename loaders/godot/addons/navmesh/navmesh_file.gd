@tool
extends RefCounted
## What a .json of Navmesh holds. After `read` either `error` says what is wrong and the way out, or all else is there.

const VERSION := 1
const WAY_OUT := "Export it again with Navmesh, as .json."
# Metres, Godot's own default first: a navigation map takes two vertices in one cell for one.
const STEPS: Array[float] = [0.25, 0.2, 0.15, 0.1, 0.05, 0.025, 0.02, 0.01, 0.005, 0.002, 0.001]
const DOOR: Array[String] = ["name", "polygons", "open", "closed"]
const ROUNDING := 1.00001  # of cells that are float32

var error := ""
var vertices := PackedVector3Array()
var polygons: Array[PackedInt32Array] = []  # counter-clockwise from above
var areas := PackedInt32Array()
var flags := PackedInt32Array()
var area_types := {}  # by number: name, flags, cost
var links: Array[Dictionary] = []  # each with its kind
var doors: Array = []
var settings := {}


## Reads a file by its path in the project.
func read(path: String) -> void:
	if not FileAccess.file_exists(path):
		error = "There is no file %s." % path
		return
	read_text(FileAccess.get_file_as_string(path))
	if error:
		error = "%s: %s" % [path, error]


func read_text(text: String) -> void:
	var json := JSON.new()
	if json.parse(text) != OK:
		error = "It is no JSON, or was cut off (line %d). %s" % [json.get_error_line(), WAY_OUT]
		return
	error = _problem(json.data)
	if error:
		return
	var file: Dictionary = json.data
	var mesh: Dictionary = file.polygon_mesh
	for vertex: Array in mesh.vertices:
		vertices.append(point(vertex))
	for ring: Array in mesh.polygons:
		polygons.append(PackedInt32Array(ring))
	areas = PackedInt32Array(mesh.areas)
	flags = PackedInt32Array(mesh.flags)
	for area: String in file.get("area_types", {}):
		area_types[int(area)] = file.area_types[area]
	doors = file.get("doors", [])
	settings = file.settings if file.get("settings") is Dictionary else {}
	_read_links(file.get("links", []), file.get("wide_links", []))


static func point(numbers: Array) -> Vector3:
	return Vector3(numbers[0], numbers[1], numbers[2])


## The polygon that a door names by its number, or, in a file that has none, by a reference into the only tile; -1 where
## it can't be told.
func polygon_of(reference: int) -> int:
	if reference < polygons.size():
		return reference
	if settings.get("tile_size", 0) > 0:
		return -1
	var salt := 1
	while salt * 2 <= reference:
		salt *= 2
	return reference - salt if reference - salt < polygons.size() else -1


func name_of(area: int) -> String:
	return area_types[area].name if area_types.has(area) else "area %d" % area


func cost_of(area: int) -> float:
	return area_types[area].get("cost", 1.0) if area_types.has(area) else 1.0


## The cells of a navigation map, width and height, in which no two vertices are one.
func cells() -> Vector2:
	var widest: float = settings.get("cell_size", INF)
	for size in STEPS:
		if size > maxf(widest, STEPS[-1]) * ROUNDING:
			continue
		for height in STEPS:
			if _apart(size, height):
				return Vector2(size, height)
	return Vector2(STEPS[-1], STEPS[-1])


func _apart(size: float, height: float) -> bool:
	var seen := {}
	for vertex in vertices:
		var cell := Vector3i((vertex / Vector3(size, height, size)).floor())
		if seen.has(cell):
			return false
		seen[cell] = true
	return true


# Those that were given, then the points of each wide one.
func _read_links(listed: Array, wide_links: Array) -> void:
	var owners: Array[int] = []
	for number in wide_links.size():
		for _point in int(wide_links[number].points):
			owners.append(number)
	var given := listed.size() - owners.size()
	for number in listed.size():
		var link: Dictionary = listed[number].duplicate()
		link["kind"] = "given"
		if number >= given:
			var wide: Dictionary = wide_links[owners[number - given]]
			link["kind"] = wide.kind
			link["wide_link"] = owners[number - given] + 1
			link["corners"] = wide.corners
		links.append(link)


func _problem(file: Variant) -> String:
	if not file is Dictionary or file.get("format") != "navmesh":
		return "It is no navmesh. " + WAY_OUT
	if file.get("version") != VERSION:
		return "It has version %s; %d is read. Take the add-on that came with the Navmesh which wrote it." % [str(file.get("version")).trim_suffix(".0"), VERSION]
	if file.get("up") != "y" or file.get("unit") != "metre":
		return "It must be in metres with y up. " + WAY_OUT
	var mesh: Variant = file.get("polygon_mesh")
	if not mesh is Dictionary:
		return "It has no polygon_mesh. " + WAY_OUT
	for list: String in ["vertices", "polygons", "areas", "flags"]:
		if not mesh.get(list) is Array:
			return "%s must be a list. %s" % [list, WAY_OUT]
	if mesh.areas.size() != mesh.polygons.size() or mesh.flags.size() != mesh.polygons.size():
		return "It has not one area and one set of flags for each polygon. " + WAY_OUT
	for vertex: Variant in mesh.vertices:
		if not _is_point(vertex):
			return "A vertex is no point [x, y, z]. " + WAY_OUT
	var count: int = mesh.vertices.size()
	for ring: Variant in mesh.polygons:
		if not ring is Array or ring.size() < 3 or not ring.all(func(v: Variant) -> bool: return v is float and v >= 0 and v < count):
			return "A polygon has a corner that is not there, or fewer than three. " + WAY_OUT
	var listed: Variant = file.get("doors", [])
	if not listed is Array or not listed.all(func(door: Variant) -> bool: return door is Dictionary and door.has_all(DOOR)):
		return "A door has no name, no polygons or no flags. " + WAY_OUT
	return _problem_of_links(file.get("links", []), file.get("wide_links", []))


func _problem_of_links(listed: Variant, wide_links: Variant) -> String:
	if not listed is Array or not wide_links is Array:
		return "links and wide_links must be lists. " + WAY_OUT
	for link: Variant in listed:
		if not link is Dictionary or not _is_point(link.get("start")) or not _is_point(link.get("end")):
			return "A link has no start or no end. " + WAY_OUT
	var points := 0
	for wide: Variant in wide_links:
		if not wide is Dictionary or not wide.has_all(["kind", "corners", "points"]):
			return "A wide link has no kind, no corners or no points. " + WAY_OUT
		points += int(wide.points)
	return "It has fewer links than its wide links have points. " + WAY_OUT if points > listed.size() else ""


static func _is_point(value: Variant) -> bool:
	return value is Array and value.size() == 3 and value.all(func(v: Variant) -> bool: return v is float)
