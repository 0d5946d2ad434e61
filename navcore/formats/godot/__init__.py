"""Godot 4: meshes and scenes written, read and checked."""
