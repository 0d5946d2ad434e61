"""Why there is no navmesh somewhere: shown in the viewport, and what a change would do there."""
