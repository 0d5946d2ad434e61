"""Wavefront OBJ: levels in, navmeshes out.

A level is read block by block (`obj_reader.py`): lines that are as nearly all lines are by a kernel
(`line_kernel.py`), the others, and small files as a whole, by Python. Faces are fans first; those whose fan would
fill a pit are cut by ear clipping. `obj_writer.py` writes a navmesh, and reads it back.
"""
