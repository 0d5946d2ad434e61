"""A child, a dog: three cells to a radius."""

import bpy

bpy.context.scene.navmesh.apply(
    cell_size=0.084,
    cell_height=0.05,
    agent_height=1.0,
    agent_radius=0.25,
    agent_max_climb=0.2,
    agent_max_slope=45.0,
    tile_size=0,
    region_min_size=8.0,
    region_merge_size=20.0,
    edge_max_length=12.0,
    edge_max_error=1.3,
    vertices_per_polygon=6,
    detail_sample_distance=6.0,
    detail_sample_max_error=1.0,
    link_jump_distance=1.0,
    link_jump_height=0.4,
    link_drop_height=1.5,
    link_climb_height=0.0,
)
