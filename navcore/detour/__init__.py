"""Runtime data: meshes as the tiles that Detour loads, the links between them, and a reader for files of any origin."""

from __future__ import annotations

from .checks import BadFile
from .limits import check_settings, check_tile_count
from .linking import Linker, linked_tiles
from .off_mesh import LinkTable, link_table
from .reader import NavmeshFile, TileRecord, read_navmesh
from .references import SetParameters, solo_parameters, tiled_parameters
from .tile_data import Agent, tile_data

__all__ = [
    "Agent", "BadFile", "LinkTable", "Linker", "NavmeshFile", "SetParameters", "TileRecord", "check_settings",
    "check_tile_count", "link_table", "linked_tiles", "read_navmesh", "solo_parameters", "tile_data",
    "tiled_parameters",
]  # fmt: skip
