"""Navigation meshes as Recast makes them: arrays in, arrays out. Never sees Blender."""
