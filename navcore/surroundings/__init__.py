"""What lies around a navmesh: solid voxels, ground that one can stand on, and walls put into chains.

`solid_matter.py` holds solid spans on the columns of a level, and what an agent meets in them; it gets them for
levels in one piece and in tiles. `walkable_ground.py` says which polygon is where, how it leads on, and where the
ground ends, from what `ground_in_tiles.py` reads from runtime data. `wall_chains.py` puts the walls into chains and
places along them.
"""
