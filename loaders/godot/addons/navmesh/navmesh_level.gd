@tool
extends Node3D
## The navmesh in a .json of Navmesh as nodes: a NavigationRegion3D for each area, a NavigationLink3D for each link.
##
## An area costs what its region's travel_cost says; what it asks of an agent are navigation layers, the first of which is
## always set. Each link has the metadata `navmesh`, a JSON text with its kind and all else that Godot has no property for.

const NavmeshFile := preload("navmesh_file.gd")

## The file as Navmesh exported it. Nodes are made anew when it is set; they are not saved with the scene.
@export_file("*.json") var file := "":
	set(path):
		file = path
		if is_inside_tree():
			load_file(file)
## Gives the navigation map cells so small that no two vertices of the navmesh become one.
@export var fit_map := true

## What is wrong with the file and the way out; empty where nothing is.
var error := ""
var _doors := {}  # by name: regions with the flags of their states


func _ready() -> void:
	if file and get_child_count() == 0:
		load_file(file)


## Takes the place of what was loaded before. Where that fails `error` says why, and nothing is left.
func load_file(path: String) -> Error:
	for child in get_children():
		remove_child(child)
		child.queue_free()
	_doors.clear()
	var navmesh := NavmeshFile.new()
	navmesh.read(path)
	error = navmesh.error
	if error:
		push_error("Navmesh: " + error)
		return ERR_FILE_CORRUPT
	var cells := navmesh.cells()
	if fit_map and is_inside_tree():
		_fit(get_world_3d().navigation_map, cells)
	_add_regions(navmesh, cells)
	for number in navmesh.links.size():
		_add_link(navmesh, navmesh.links[number], number + 1)
	return OK


## Opens or closes a door by its name: nobody enters a closed one.
func set_door(door: String, is_open: bool) -> void:
	if not _doors.has(door):
		push_error("Navmesh: there is no door %s; there are %s." % [door, ", ".join(_doors.keys())])
		return
	for part: Dictionary in _doors[door]:
		part.region.navigation_layers = _layers(part.open if is_open else part.closed)


## The names of all doors.
func doors() -> Array:
	return _doors.keys()


func _fit(map: RID, cells: Vector2) -> void:
	if NavigationServer3D.map_get_cell_size(map) > cells.x:
		NavigationServer3D.map_set_cell_size(map, cells.x)
	if NavigationServer3D.map_get_cell_height(map) > cells.y:
		NavigationServer3D.map_set_cell_height(map, cells.y)


# One for each area, and for each door in it: polygons of the same area, flags and door.
func _add_regions(navmesh: NavmeshFile, cells: Vector2) -> void:
	var door_of := {}
	for number in navmesh.doors.size():
		var door: Dictionary = navmesh.doors[number]
		for told: float in door.get("numbers", door.polygons):
			var polygon := navmesh.polygon_of(int(told))
			if polygon < 0:
				push_warning("Navmesh: the file does not say which polygons %s has as it counts them: export it again." % door.name)
				break
			door_of[polygon] = number
	var parts := {}
	for polygon in navmesh.polygons.size():
		var key := [navmesh.areas[polygon], navmesh.flags[polygon], door_of.get(polygon, -1)]
		if not parts.has(key):
			parts[key] = PackedInt32Array()
		parts[key].append(polygon)
	var keys := parts.keys()
	keys.sort()
	for key: Array in keys:
		var region := NavigationRegion3D.new()
		var door: Dictionary = navmesh.doors[key[2]] if key[2] >= 0 else {}
		region.name = door.name if door else navmesh.name_of(key[0])
		region.navigation_mesh = _mesh(navmesh, parts[key], cells)
		region.navigation_layers = _layers(key[1])
		region.travel_cost = navmesh.cost_of(key[0])
		region.set_meta("navmesh", JSON.stringify({"area": key[0], "flags": key[1], "door": door.get("name")}))
		add_child(region, true)
		if door:
			var part := {"region": region, "open": int(door.open), "closed": int(door.closed)}
			_doors.get_or_add(door.name, []).append(part)


# Some polygons alone, with the vertices that they use.
func _mesh(navmesh: NavmeshFile, chosen: PackedInt32Array, cells: Vector2) -> NavigationMesh:
	var mesh := NavigationMesh.new()
	mesh.cell_size = cells.x
	mesh.cell_height = cells.y
	for property: String in ["agent_height", "agent_radius", "agent_max_climb", "agent_max_slope"]:
		if navmesh.settings.has(property):
			mesh.set(property, navmesh.settings[property])
	var numbers := {}
	var vertices := PackedVector3Array()
	var rings: Array[PackedInt32Array] = []
	for polygon in chosen:
		var ring := PackedInt32Array()
		for corner in navmesh.polygons[polygon]:
			if not numbers.has(corner):
				numbers[corner] = vertices.size()
				vertices.append(navmesh.vertices[corner])
			ring.append(numbers[corner])
		ring.reverse()  # Godot's are clockwise from above
		rings.append(ring)
	mesh.vertices = vertices
	for ring in rings:
		mesh.add_polygon(ring)
	return mesh


func _add_link(navmesh: NavmeshFile, link: Dictionary, number: int) -> void:
	var node := NavigationLink3D.new()
	node.name = "Link %d" % number
	node.start_position = NavmeshFile.point(link.start)
	node.end_position = NavmeshFile.point(link.end)
	node.bidirectional = link.get("bidirectional", true)
	node.navigation_layers = _layers(int(link.get("flags", 1)))
	node.travel_cost = navmesh.cost_of(int(link.get("area", 0)))
	var kept := {}
	for key: String in link:
		if key not in ["start", "end", "bidirectional"]:
			kept[key] = link[key]
	node.set_meta("navmesh", JSON.stringify(kept))
	add_child(node, true)


static func _layers(flags: int) -> int:
	return flags | 1 if flags else 0
