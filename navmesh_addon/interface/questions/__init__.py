"""Operators that ask something of finished navmeshes and change none.

test_tool           the tool Navmesh Test: start and end by clicks; asks for a path
ground_handles      handles that are dragged along the ground
why_operator        asks why there is no navmesh somewhere;
                    tries the change that this answer offers, or puts it away
walk_operators      lets agents walk, or bakes their walk
compare_operators   compares two navmeshes
"""
