@tool
extends EditorPlugin
## Adds the node NavmeshLevel to the editor's list of nodes. A game needs the two other scripts only.

const NavmeshLevel := preload("navmesh_level.gd")


func _enter_tree() -> void:
	add_custom_type("NavmeshLevel", "Node3D", NavmeshLevel, null)


func _exit_tree() -> void:
	remove_custom_type("NavmeshLevel")
