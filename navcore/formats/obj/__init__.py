"""Wavefront OBJ: levels in, navmeshes out.

A level is read block by block (`obj_reader.py`): lines that are as nearly all lines are by a kernel
(`line_kernel.py`), the others, and small files as a whole, by Python (`line_reader.py`). Faces are fans first;
`obj_polygons.py` finds those whose fan would fill a pit, and cuts them by ear clipping. `obj_writer.py` writes a
navmesh, and reads it back.
"""
