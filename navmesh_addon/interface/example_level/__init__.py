"""A level to try things on: made by code, nothing is downloaded.

ruined_fort, solids   its parts as triangles and the areas in it; `examples/level.py` writes the same as files
example_operator      the button that makes it
"""
