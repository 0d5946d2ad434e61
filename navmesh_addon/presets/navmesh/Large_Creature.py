"""A troll, a horse with its rider."""

import bpy

bpy.context.scene.navmesh.apply(
    cell_size=0.4,
    cell_height=0.2,
    agent_height=3.0,
    agent_radius=1.2,
    agent_max_climb=0.8,
    agent_max_slope=40.0,
    tile_size=0,
    region_min_size=8.0,
    region_merge_size=20.0,
    edge_max_length=12.0,
    edge_max_error=1.3,
    vertices_per_polygon=6,
    detail_sample_distance=6.0,
    detail_sample_max_error=1.0,
    link_jump_distance=3.0,
    link_jump_height=0.8,
    link_drop_height=4.0,
    link_climb_height=0.0,
)
