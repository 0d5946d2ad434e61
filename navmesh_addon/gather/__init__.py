"""From the scene to plain arrays: which objects are used, their triangles, areas, volumes, links and seeds."""
