"""What sees what in a level, and where somebody is hidden by it: rays through its triangles, and places of cover.

`sight.py` is `Sight`, what is asked; `triangle_tree.py` puts the triangles of a level into a bounding tree, and
`rays.py` follows lines through it. `find_cover.py` finds the places of cover of a navmesh: along its walls, as
`walls_to_hide_at.py` has them, it looks at what stands behind (`hiding_places.py`), puts places into rows and
asks who sees them (`exposure.py`).
"""
