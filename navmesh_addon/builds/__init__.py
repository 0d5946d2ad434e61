"""Builds that run: requests, the thread, waiting for kernels, the navmeshes that are finished.

make_requests              requests from setups, and from what an operator or a script asks for instead
level_gathering            gathers their levels, at once or in slices
request_and_result         what a build is asked for, and what comes of it
active_build               the one build that runs now, and the scene that it is for
run_builds                 builds what was requested, on whatever thread; the job that does so beside Blender
tile_caches                the tile cache of a level, with the obstacles of its scene
own_navmesh                the navmesh of meshes that are one, and which faces can be none
threads_and_kernel_folder  how many threads, and where compiled kernels are kept
intent_check               whether path tests and places that must be walkable hold
finished_navmeshes         navmeshes that are still in memory, and which are known to be out of date
compile_after_install      right after installing or enabling: kernels are compiled in the background;
                           they can be thrown away
"""
