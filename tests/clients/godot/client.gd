# godot --headless --path FOLDER --script client.gd: for each JOB.json in the folder, load what it names, find its paths,
# and write JOB.told.json.
extends SceneTree


func _initialize() -> void:
	for file in DirAccess.get_files_at("res://"):
		if file.ends_with(".job.json"):
			var job: Dictionary = JSON.parse_string(FileAccess.get_file_as_string("res://" + file))
			var told := {}
			if job.get("walk"):
				told = await _walk(job)
			elif job.file.ends_with(".tscn"):
				told = await _scene(job)
			else:
				told = await _mesh(job)
			FileAccess.open("res://" + file.replace(".job.", ".told."), FileAccess.WRITE).store_string(JSON.stringify(told))
	quit(0)


func _mesh(job: Dictionary) -> Dictionary:
	var navmesh: NavigationMesh = load("res://" + job.file)
	var map := NavigationServer3D.map_create()
	NavigationServer3D.map_set_cell_size(map, navmesh.cell_size)
	NavigationServer3D.map_set_cell_height(map, navmesh.cell_height)
	NavigationServer3D.map_set_use_async_iterations(map, false)
	NavigationServer3D.map_set_active(map, true)
	var region := NavigationServer3D.region_create()
	NavigationServer3D.region_set_use_async_iterations(region, false)
	NavigationServer3D.region_set_map(region, map)
	NavigationServer3D.region_set_navigation_mesh(region, navmesh)
	NavigationServer3D.map_force_update(map)
	await physics_frame
	await physics_frame
	var told := {"polygons": navmesh.get_polygon_count(), "cell_size": navmesh.cell_size, "paths": _paths(map, job.pairs)}
	NavigationServer3D.free_rid(region)
	NavigationServer3D.free_rid(map)
	return told


func _scene(job: Dictionary) -> Dictionary:
	var scene: Node = load("res://" + job.file).instantiate()
	root.add_child(scene)
	var map := root.get_world_3d().navigation_map
	for frame in 30:  # regions, links and the map come in one after the other
		await physics_frame
	var nodes := []
	for child in scene.get_children():
		nodes.append([child.name, child.get_class(), child.navigation_layers, child.travel_cost])
	var told := {"nodes": nodes, "paths": _paths(map, job.pairs)}
	root.remove_child(scene)
	scene.free()
	await physics_frame
	return told


# An agent with the script of the documentation, from its spawn point until it stops.
func _walk(job: Dictionary) -> Dictionary:
	var scene: Node = load("res://" + job.file).instantiate()
	root.add_child(scene)
	var body := CharacterBody3D.new()
	body.motion_mode = CharacterBody3D.MOTION_MODE_FLOATING
	var agent := NavigationAgent3D.new()
	agent.name = "NavigationAgent3D"
	body.add_child(agent)
	body.set_script(load("res://agent.gd"))
	body.position = _point(job.walk)
	Engine.time_scale = 20
	Engine.max_physics_steps_per_frame = 100
	agent.link_reached.connect(body._on_link_reached)
	root.add_child(body)
	for frame in 30:
		await physics_frame
		if job.get("goal"):  # in the place of the one that the script sets
			agent.target_position = _point(job.goal)
	for frame in 6000:
		await physics_frame
		if agent.is_navigation_finished():
			break
	var end := body.global_position
	var told := {"end": [end.x, end.y, end.z], "kinds": body.kinds}
	body.free()
	root.remove_child(scene)
	scene.free()
	await physics_frame
	return told


func _paths(map: RID, pairs: Array) -> Array:
	var found := []
	for pair in pairs:
		var path := NavigationServer3D.map_get_path(map, _point(pair.from), _point(pair.to), true)
		var points := []
		for p in path:
			points.append([p.x, p.y, p.z])
		found.append(points)
	return found


func _point(numbers: Array) -> Vector3:
	return Vector3(numbers[0], numbers[1], numbers[2])
