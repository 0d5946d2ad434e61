"""From the scene to plain arrays: which objects are used, their triangles, areas, volumes, links and seeds.

gather_scene            the evaluated scene → everything below, in steps
gathered_level          what comes of it: plain arrays and values, with a fingerprint
object_filter           which objects are used, and why others are not;
                        cutters, wires and the like: no part of the level
triangle_collector      triangles of all objects with their areas (AreaLookup: of objects and materials)
mesh_arrays             triangles of one evaluated mesh
placed_level            meshes put where their instances are
volumes_links_and_seeds objects that mark something: area volumes, links, bounds, seeds;
                        the convex hull of a volume, seen from above
obstacle_shapes         obstacles as the boxes and cylinders that engines know
own_meshes              meshes that are the navmesh themselves
edit_outlines           what somebody changed by hand, from faces to outlines
scene_intent            path tests and places that must be walkable
missing_sources         libraries, linked data and files that are not there; modifiers that fail
before_build/           the forecast, hints, and what their buttons do
"""
