"""Views of the stages: what each stage made, as faces, lines and labels with colors and a legend, in metres, y up.

`catalog.py` lists them and draws them, `picture.py` says what a view and a picture are, `region_colors.py` colors
regions. Views of cells (`open_cells.py`, `region_cells.py`, `reason_cells.py`, `voxel_view.py`, `slope_view.py` with
`level_triangles.py`) stand on `cell_frame.py`, `regions_painted.py` and `merged_cells.py`. Views of outlines and meshes
(`contour_view.py`, `polygon_views.py`, `detail_view.py`, `tree_view.py`, `tile_view.py`, `meadow_view.py`) stand on
`contour_rings.py`, `ground_triangles.py` and `outline_picture.py`.
"""
