"""Views of outlines and meshes: contours, triangles, polygons, detail, trees, tiles and Meadow's islands."""
