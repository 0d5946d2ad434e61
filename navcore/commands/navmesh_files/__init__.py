"""Commands about navmesh files.

convert_command makes them of other files, info_command tells what they hold, obstacles_command makes them of caches,
cover_command finds where somebody hides on them, world_command builds worlds of many of them.
"""
