"""The finished navmesh: its tiles, its meshes in metres, and all tiles stitched into one plain mesh."""
