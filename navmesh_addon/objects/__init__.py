"""Navmeshes as Blender objects: arrays, meshes, materials, what they remember, all or nothing."""
