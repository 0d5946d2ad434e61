"""Navmeshes to and from files: export, import, the level's own glTF."""
