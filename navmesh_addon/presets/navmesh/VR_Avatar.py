"""As Mozilla Hubs has it, with cells of a third of the radius."""

import bpy

bpy.context.scene.navmesh.apply(
    cell_size=0.16667,
    cell_height=0.1,
    agent_height=1.7,
    agent_radius=0.5,
    agent_max_climb=0.3,
    agent_max_slope=45.0,
    tile_size=0,
    region_min_size=4.0,
    region_merge_size=20.0,
    edge_max_length=12.0,
    edge_max_error=1.0,
    vertices_per_polygon=3,
    detail_sample_distance=13.0,
    detail_sample_max_error=1.0,
    link_jump_distance=0.0,
    link_jump_height=0.0,
    link_drop_height=0.0,
    link_climb_height=0.0,
)
