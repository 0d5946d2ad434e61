"""Runtime data: meshes as the tiles that Detour loads, the links between them, and a reader for files of any origin."""

from __future__ import annotations

from .file_checks import BadFile
from .limits import check_settings, check_tile_count
from .off_mesh_links import link_table
from .polygon_references import SetParameters
from .reader import NavmeshFile, read_navmesh
from .tile_data import Agent, tile_data
from .tile_links import Linker, linked_tiles

__all__ = [
    "Agent", "BadFile", "Linker", "NavmeshFile", "SetParameters", "check_settings", "check_tile_count", "link_table",
    "linked_tiles", "read_navmesh", "tile_data",
]  # fmt: skip
