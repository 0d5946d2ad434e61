# godot --headless --path FOLDER --script loader.gd: load each JOB.json's navmesh with the add-on, find its paths, and
# write JOB.told.json.
extends SceneTree

const NavmeshLevel := preload("res://addons/navmesh/navmesh_level.gd")


func _initialize() -> void:
	for file in DirAccess.get_files_at("res://"):
		if file.ends_with(".job.json"):
			var job: Dictionary = JSON.parse_string(FileAccess.get_file_as_string("res://" + file))
			var told := await _told(job)
			FileAccess.open("res://" + file.replace(".job.", ".told."), FileAccess.WRITE).store_string(JSON.stringify(told))
	quit(0)


func _told(job: Dictionary) -> Dictionary:
	var level: NavmeshLevel
	if job.get("page"):  # by the script of the documentation
		var page: Node = load("res://page.gd").new()
		page.load_navmesh(root)
		level = root.get_child(-1)
		page.free()
	else:
		level = NavmeshLevel.new()
		level.file = "res://" + job.file
		root.add_child(level)
	var map := root.get_world_3d().navigation_map
	NavigationServer3D.map_set_use_async_iterations(map, false)
	var found := []
	for state: Dictionary in job.get("states", [{}]):
		for door: String in state:
			level.set_door(door, state[door])
		for frame in 30:  # regions, links and the map come in one after the other
			await physics_frame
		found.append(_paths(map, job.get("pairs", [])))
	var nodes := []
	for child in level.get_children():
		var kept: Dictionary = JSON.parse_string(child.get_meta("navmesh"))
		nodes.append([child.name, child.get_class(), child.navigation_layers, child.travel_cost, kept.get("kind")])
	var cell := [NavigationServer3D.map_get_cell_size(map), NavigationServer3D.map_get_cell_height(map)]
	var told := {"nodes": nodes, "paths": found, "error": level.error, "cell": cell, "doors": level.doors()}
	level.free()
	await physics_frame
	return told


func _paths(map: RID, pairs: Array) -> Array:
	var found := []
	for pair: Dictionary in pairs:
		var points := []
		for p in NavigationServer3D.map_get_path(map, _point(pair.from), _point(pair.to), true):
			points.append([p.x, p.y, p.z])
		found.append(points)
	return found


func _point(numbers: Array) -> Vector3:
	return Vector3(numbers[0], numbers[1], numbers[2])
