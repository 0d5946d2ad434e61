"""Polygons that are picked on a navmesh, and strokes of a brush along the ground: where edits are.

polygon_faces      the polygons of a navmesh as arrays: under a ray, within a box, as outlines
brush_strokes      what a brush covers, and faces without that
picked_polygons    which polygons are picked now
drawn_picks        draws them, and what is painted
"""
