"""Changing a navmesh with the mouse: polygons are picked and painted, and become edits.

edit_tool             the tool Navmesh Edit: what each key does, and its settings
pick_operators        picks polygons: by clicks, a box, whole islands
polygon_operators     what is picked becomes a block, an area, a place to keep, a patch
brush_operator        paints blocks and areas along the ground, and takes blocks away
"""
