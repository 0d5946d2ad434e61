"""The truly shortest path, seen from above: any-angle search over polygons on a lattice of whole numbers (Polyanya)."""
