"""Compiling kernels ahead of the first build that needs them, and which ones those are.

Four words, each for one part. `every_kernel` compiles every kernel there is, by building small levels in every way:
`tools/bake.py` records what it asks for and ships that. `usual_kernels` names those of a usual build, in pieces that
several processes can compile side by side. `processes` runs both in processes of their own, with a stamp in the user's
folder when they are through; the extension starts them after it was installed
(`navmesh_addon/builds/compile_after_install.py`). Until they are through, a build waits for them
(`navmesh_addon/builds/waiting_for_kernels.py`), or, where the level is small, plain Python stands in for what is not
compiled yet (`navcore/kernels/plain_python.py`).
"""
