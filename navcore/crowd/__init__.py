"""Agents that walk a navmesh together: each to its end, around the others, over links.

`crowd.py` is the way in and finds paths, `track.py` bakes a crowd as frames. A step is: `steering.py` (what each
agent wants, and the velocity that it chooses), with the others from `neighbor_grid.py` and what ORCA allows from
`orca.py`; then `movement.py` (walking, moving apart, jumping). `agents.py` has the arrays of all that is known of
agents, `states.py` what they may be doing.
"""
