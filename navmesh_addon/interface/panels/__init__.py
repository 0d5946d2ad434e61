"""The panels in the sidebar of the 3D view, tab “Navmesh”, and in which lines their sentences stand."""
