"""Navmeshes that somebody has modelled: their faces are the polygons, exactly where they lie. No Recast ancestor.

from_polygons      `navmesh_from_polygons`: all of it in order, and what became of each face
given_faces        what came in, checked; faces that are refused, with their places
whole_steps        the finest grid that 16 bits hold, and corners on it: from there on all arithmetic is exact
sound_faces        corners welded, doubles and faces without area dropped, faces turned up
loose_corners      corners on edges of other faces split them; edges that run beside each other are told
face_triangles     each face as triangles, cut by ears where it is not convex
lying_over         faces that fold back, cross, or lie over each other too low for the agent
tile_lines         triangles cut along the borders of tiles
convex_pieces      triangles and faces merged into convex polygons
own_tiles          where tiles lie, what is in each, and their polygon and detail meshes, connected by their edges
"""
