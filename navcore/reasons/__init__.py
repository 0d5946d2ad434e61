"""Why there is no navmesh at a place: the first rule that removed it, and what to change."""
