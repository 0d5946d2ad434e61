"""Questions to a finished navmesh: who can get where, what seeds reach, how much ground there is."""
