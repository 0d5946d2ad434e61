"""Detour's runtime data: meshes as the tiles that Detour loads, the links between them, and a reader of .bin files.

`byte_layout.py` declares the headers and records of a file; `reader.py` reads one of any origin, `file_checks.py`
says whether it is sound, `file_contents.py` what is in it, `limits.py` what fits, `polygon_references.py` how
references are made. `tile_data.py` writes a tile, with the tree of `bounding_tree.py`, the connections of
`off_mesh_links.py` and what every tile has (`tile_parts.py`); `tile_links.py` links tiles as Detour does, along borders
and to the ground that `nearest.py` finds, and takes them out again, `link_order.py` brings what is left into the order
of a fresh build. `link_ends.py` looks which links Detour attaches, and says so. `queries/` asks finished navmeshes.
"""
