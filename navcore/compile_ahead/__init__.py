"""Compiling kernels ahead of the first build that needs them, and which ones those are.

Five words, each for one part. `every_kernel` compiles every kernel there is, by building small levels in every way:
`tools/bake.py` records what it asks for and ships that. `usual_kernels` names those of a usual build, in pieces that
several processes can compile side by side. `processes` runs both in processes of their own, with a stamp in the user's
folder when they are through, and `starter` starts these. Who does so: the extension after it was installed
(`navmesh_addon/builds/compile_after_install.py`); `prepare`, for `navcore prepare`; and `cold_start`, where a build of
Python or the shell finds nothing compiled. Until they are through, a build in Blender waits for them (`waiting`), and
one elsewhere compiles beside them; where the level is small, plain Python stands in for what is not compiled yet
(`navcore/kernels/plain_python.py`, the longest loops `navcore/builder/loops_by_arrays.py`). `said_meanwhile` tells
whoever waits. What one process is compiling no other compiles: `navcore/kernels/kernel_store.py` has a lock for each.
"""
