"""Questions to a finished navmesh: who can get where, what seeds reach, how much ground there is.

`walk_graph.py` is the graph of all of them. `islands.py`: ground that hangs together; `seeds.py`: where agents set
out, and `why_off_navmesh.py` why one stands on no navmesh; `prune.py` leaves out ground that no seed reaches, and
`left_out.py` tells which islands were left out; `measure.py` counts. `checked_links.py` looks which links are attached,
and takes over what an edit has not changed; `landed_ends.py` needs no tiles for it.
"""
