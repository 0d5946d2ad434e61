"""The panels in the sidebar of the 3D view, tab “Navmesh”, and how sentences are divided into lines for them."""
