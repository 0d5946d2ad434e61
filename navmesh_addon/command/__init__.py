"""`blender --command navmesh`: many files and setups without a window."""
