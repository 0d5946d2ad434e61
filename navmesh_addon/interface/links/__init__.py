"""Operators on links: what is decided about found ones, and moving ends onto the navmesh."""
