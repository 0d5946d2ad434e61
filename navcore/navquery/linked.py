"""A navmesh of either origin, built or read from a file, as linked tiles under the references that its file has."""

from __future__ import annotations

import numpy as np

from ..detour.byte_layout import header_of
from ..detour.limits import check_bits, check_settings, check_tile_count
from ..detour.off_mesh_links import link_table
from ..detour.polygon_references import SetParameters, solo_parameters, tiled_parameters
from ..detour.reader import NavmeshFile
from ..detour.tile_data import Agent, tile_data
from ..detour.tile_links import Linker, linked_tiles
from ..errors import BadInput
from ..result.navmesh import NavMesh
from ..types import U8
from .query_mesh import QueryMesh, References, query_mesh


def ready_mesh(navmesh: NavMesh | NavmeshFile) -> tuple[QueryMesh, References]:
    """What kernels ask. Raises BadInput for what is no navmesh, TooLarge for what no `.bin` holds."""
    if isinstance(navmesh, NavmeshFile):
        references = [tile.reference for tile in navmesh.tiles]
        return query_mesh(navmesh.parameters, references, linked_tiles(navmesh))
    if isinstance(navmesh, NavMesh) and navmesh.live is not None:
        tiles = navmesh.live.tiles
        return query_mesh(
            SetParameters(*navmesh.live.parameters), [t.reference for t in tiles], [t.data for t in tiles]
        )
    if isinstance(navmesh, NavMesh):
        return query_mesh(*_linked_build(navmesh))
    raise BadInput(
        f"NavQuery takes a navmesh that was built, or what read_navmesh returns, not {type(navmesh).__name__}.",
        "WRONG_KIND",
    )


def _linked_build(navmesh: NavMesh) -> tuple[SetParameters, list[int], list[U8]]:
    """Tiles as a `.bin` of this navmesh holds them. Recast: dtNavMesh::addTile, tile after tile."""
    check_settings(navmesh.settings)
    check_tile_count(len(navmesh.tiles), navmesh.tile_grid)
    agent, links, types = Agent.of(navmesh.settings), link_table(navmesh.links), navmesh.area_types
    tiles = [tile_data(t.polygon_mesh, t.detail_mesh, agent, links, t.x, t.y, types) for t in navmesh.tiles]
    parameters = _parameters(navmesh, tiles)
    linker, references = Linker(), []
    for slot, (tile, data) in enumerate(zip(navmesh.tiles, tiles, strict=True)):
        check_bits(parameters, slot, int(header_of(data)["polygons"][0]), f"Tile ({tile.x}, {tile.y})")
        references.append(parameters.reference(slot))
        linker.add(data, references[-1])
    return parameters, references, tiles


def _parameters(navmesh: NavMesh, tiles: list[U8]) -> SetParameters:
    if navmesh.tile_grid is not None:
        return tiled_parameters(navmesh.tile_grid)
    if not tiles:
        return SetParameters(np.zeros(3, np.float32), np.float32(1), np.float32(1), 1, 1)
    return solo_parameters(navmesh.tiles[0].polygon_mesh.grid, int(header_of(tiles[0])["polygons"][0]))
