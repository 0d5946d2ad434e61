"""Questions of agents to a navmesh, in batches: what is near, which way leads there, where walls are."""
