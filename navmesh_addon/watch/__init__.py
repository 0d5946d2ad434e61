"""What Blender reports while people work, and whether a navmesh is still that of its level."""
