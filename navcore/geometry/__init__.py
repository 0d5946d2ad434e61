"""What several stages share: grids, tiles, columns, distances to edges, predicates, arrays that grow or are sorted.

`grid` and `tile_grid` cut the level into columns and tiles, within `grid_limits`; `level_parts` cuts triangles out of
it, and `tile_spans` what is solid in one tile. `inside_solid` says which places lie inside of closed bodies.
`columns` has directions and bands of rows, `edge_distance` the chamfer distance. `segments` and `predicates` are
geometry on the ground plane. `arrays` has growing, sorting, hash table sizes and union-find, `connected_parts` the
components of graphs; `polygon_rings` walks around polygons that lie one after the other.
"""
