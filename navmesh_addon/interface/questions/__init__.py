"""Operators that ask something of finished navmeshes and change none.

test_tool           the tool Navmesh Test: start and end by clicks
ground_handles      handles that are dragged along the ground
find_path_operator  asks for a path
why_operator        asks why there is no navmesh somewhere
reason_operators    tries the change that this answer offers, or puts it away
walk_operators      lets agents walk, or bakes their walk
compare_operators   compares two navmeshes
"""
