"""Building a navmesh: the one place that knows the order of the stages, for a level, a tile, a cluster.

build_level           `build_navmesh`, `rebuild_tiles`, `build_uneroded`: whole levels, in one piece or in tiles
pipeline, fused_tile  the stages over one grid, one by one, or in one kernel call where it is small
recipe                every number that stages are given, derived from the settings
checked_input         what came in, checked once
running_build         settings, threads, progress and report of a build that runs
build_limits          memory and time: refusals, warnings, hangs; memory_and_time_forecast for panels
edit_marks            what somebody changed by hand, in the stages of a tile
local_resolution      which tiles have finer or coarser cells
found_links           links found on a finished navmesh, on level_spans: what is solid in its tiles
dropped_islands       islands that somebody dropped, left out
ground_window         stages 2 to 5 around one place
rebuilt_stages        stages that nobody kept; sample_stages: each by itself, to compile it
nothing_walkable      why there is no ground
loops_by_arrays       what stands in for the longest loops of stages while kernels are compiled
failure_files         what shows a fault of ours again
odd_input/            what is accepted and hardly meant: other units, faces that look down, what lies far away
parts/                a level of parts that come, go and move, and its dirty tiles
tiles/                tiles as jobs: threads, processes, a cluster
tile_store/           built tiles on disk
validate/, repair/    what must hold of every mesh, and how it is mended
"""
