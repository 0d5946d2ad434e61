"""The truly shortest path, seen from above: any-angle search over polygons on a lattice of whole numbers (Polyanya).

`shortest_lattice` makes whole numbers of places. `shortest_mesh` is what is walked on: tiles joined edge by edge,
jumps, dead ends. `any_angle_search` searches it, `shortest_rows` does so for many rows and draws the lines, and
`exact_paths` answers as `navquery/paths.py` does.
"""
