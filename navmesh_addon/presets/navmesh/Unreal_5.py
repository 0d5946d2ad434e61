"""Unreal 5's agent, in metres.

Unreal's own cells, 0.19 m wide and 0.1 m high, would make 0.38 m of its radius and 0.3 m of its climb.
"""

import bpy

bpy.context.scene.navmesh.apply(
    cell_size=0.17,
    cell_height=0.07,
    agent_height=1.44,
    agent_radius=0.34,
    agent_max_climb=0.35,
    agent_max_slope=44.0,
    tile_size=0,
    region_min_size=0.0,
    region_merge_size=20.0,
    edge_max_length=12.0,
    edge_max_error=1.3,
    vertices_per_polygon=6,
    detail_sample_distance=6.0,
    detail_sample_max_error=1.0,
    link_jump_distance=1.5,
    link_jump_height=0.5,
    link_drop_height=1.5,
    link_climb_height=0.0,
)
