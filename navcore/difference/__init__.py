"""What changed between two navmeshes, in square metres and in places."""
