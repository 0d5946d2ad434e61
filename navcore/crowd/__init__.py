"""Agents that walk a navmesh together: each to its end, around the others, over links."""
