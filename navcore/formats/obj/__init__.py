"""Wavefront OBJ: levels in, navmeshes out.

A level is read block by block (`mesh_reader.py`): lines that are as nearly all lines are by a kernel
(`line_kernel.py`, `decimal_numbers.py`), the others, and small files as a whole, by Python (`line_reader.py`). Faces
are fans first; `polygons.py` finds those whose fan would fill a pit, and `ear_cutting.py` cuts them.
"""
