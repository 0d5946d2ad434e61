"""The truly shortest path, seen from above: any-angle search over polygons on a lattice of whole numbers (Polyanya).

`shortest_lattice` makes whole numbers of places. `shortest_mesh` is what is walked on: tiles joined edge by edge,
jumps, dead ends. `any_angle_search` searches it, `exact_paths` does so for many rows, draws the lines, and answers as
`navquery/paths.py` does.
"""
