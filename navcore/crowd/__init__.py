"""Agents that walk a navmesh together: each to its end, around the others, over links.

`crowd.py` is the way in, `ways.py` finds paths, `start_places.py` a place for who would start in another,
`shared_ends.py` one for each of those who share an end, `jams.py` ways around queues; `narrow_ways.py` finds where two
cannot pass each other, `taking_turns.py` says which side goes there and who waits; `track.py` bakes a crowd as frames.
A step is: `steering.py` (what each agent wants, and the velocity that it chooses) along `line_ahead.py`, with the
others from `neighbor_grid.py`, what ORCA allows from `orca.py`, `passages.py` for who meets others, and `making_way.py`
for who rests; then `contacts.py` (aims that leave room for all, and going there without standing in anybody); then
`movement.py` (what has become of each, and jumping). `agents.py` has the arrays of all that is known of agents,
`states.py` what they may be doing, `chances.py` numbers that decide by chance. `heat/` says where a walk loses time.
"""
