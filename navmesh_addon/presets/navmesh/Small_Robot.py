"""A vacuum cleaner: low, and hardly a threshold."""

import bpy

bpy.context.scene.navmesh.apply(
    cell_size=0.05,
    cell_height=0.02,
    agent_height=0.32,
    agent_radius=0.2,
    agent_max_climb=0.02,
    agent_max_slope=10.0,
    tile_size=0,
    region_min_size=8.0,
    region_merge_size=20.0,
    edge_max_length=12.0,
    edge_max_error=1.3,
    vertices_per_polygon=6,
    detail_sample_distance=6.0,
    detail_sample_max_error=1.0,
    link_jump_distance=0.0,
    link_jump_height=0.0,
    link_drop_height=0.0,
    link_climb_height=0.0,
)
