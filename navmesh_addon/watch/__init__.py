"""What Blender tells while people work, and whether a navmesh is still that of its level."""
