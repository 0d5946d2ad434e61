"""Two navmeshes compared: which two, on a thread, and what changed drawn over the viewport."""
