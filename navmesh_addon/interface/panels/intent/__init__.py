"""Panels below Ask: path tests, and places that must be walkable."""
