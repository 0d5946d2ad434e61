"""Where a crowd loses time: a map of the ground that it walked on, and the narrow places that held it up.

`heat_recorder.py` notes a walk bit by bit, also one that goes on, or all of one that was recorded (`walk_heat`), and
`heat.py` is its answer.
`ground_columns.py` adds up what happens where, `held_up.py` follows who is held up until it is free again, and
`narrow_places.py` finds what was narrow there. All of it looks at recorded places alone, whoever moved the agents.
"""
