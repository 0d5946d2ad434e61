"""Found links into the scene: one mesh for all of a navmesh, rewritten in its place."""
