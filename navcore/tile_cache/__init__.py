"""Tile caches: navmeshes in which obstacles come and go while a game runs.

`tile_cache.py` is the cache that people use; `cache_content.py` what it is opened with, of a level or of its files;
`linked_layers.py` its tiles with their links; `live_navmesh.py` the navmesh that it hands out. `tile_layers.py` makes
layers of a level (`ground_layers.py`), packed by `fastlz.py`. `layer_tiles.py` makes a tile of a layer: `obstacles.py`
cuts it, `layer_regions.py` and `layer_polygons.py` make polygons. `obstacle_queue.py` says what waits,
`touched_layers.py` which tiles an obstacle touches. `cache_doors.py` gives doors areas of their own.
`cache_sets.py` reads and writes TSET files, `cache_files.py` finds them, `obstacle_files.py` reads lists of
obstacles.
"""
