"""Prune: leave out the ground that no seed reaches: inside closed props, on roofs, behind walls without a door."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...geometry.arrays import numbers_in_ranges
from ...level_source import Seeds
from ...result.navmesh import NavMesh, Tile, TileDoor, check_built
from ...types import (
    FIRST_TRIANGLE,
    FIRST_VERTEX,
    I32,
    NO_INDEX,
    TRIANGLE_COUNT,
    VERTEX_COUNT,
    Bools,
    DetailMesh,
    Geometry,
    PolygonMesh,
)
from .checked_links import with_attached_links
from .left_out import unreached_islands
from .seeds import checked_seeds, place_seeds, seed_warnings
from .walk_graph import WalkGraph, reached_from, walk_graph


def prune_navmesh(navmesh: NavMesh, seeds: Seeds, level: Geometry | None = None) -> NavMesh:
    """The navmesh with only what agents can reach that set out from `seeds`; links count, one-way ones one way.

    Seeds are points, each for the ground nearest to it. A seed that stands on no navmesh is a warning, with a better
    reason where `level` is given, the triangles that the navmesh was built from; where none stands on it, all is left
    as it was. Raises BadInput where there is no seed. `rebuild_tiles` needs the navmesh as it was before. Recast: the
    Prune tool of RecastDemo, which disables polygons instead.
    """
    check_built("prune_navmesh", navmesh)
    points = checked_seeds(seeds)
    graph = walk_graph(navmesh)
    placed = place_seeds(graph, points, navmesh.settings)
    tiles, left_out = navmesh.tiles, list(navmesh.report.left_out)
    if placed.named:
        reached = reached_from(graph, placed.nodes)
        tiles = tiles_of_nodes(navmesh, graph, reached)
        left_out += unreached_islands(graph, reached)
    pruned_polygons = {"pruned_polygons": polygons_of(navmesh.tiles) - polygons_of(tiles)}
    counts = {**navmesh.report.counts, **counts_of(tiles), **pruned_polygons}
    report = replace(navmesh.report, counts=counts, left_out=left_out)
    pruned = replace(
        navmesh, tiles=tiles, report=report, stages={}, found_rows=None, known_ends=None, before_drops=None
    )  # fmt: skip
    told_before = [warning for warning in navmesh.report.warnings if warning.code != "SEED_OFF_NAVMESH"]  # by the build
    pruned.report.warnings = [*told_before, *seed_warnings(placed, navmesh, level, prunes=True)]
    return with_attached_links(pruned, graph)


def tiles_of_nodes(navmesh: NavMesh, graph: WalkGraph, stays: Bools) -> tuple[Tile, ...]:
    """The tiles with only the polygons of which any node of the graph stays; those that lose nothing are the same."""
    kept = [_kept_polygons(graph, stays, number, tile) for number, tile in enumerate(navmesh.tiles)]
    return tuple(
        tile if keep.all() else tile_with(tile, keep)
        for tile, keep in zip(navmesh.tiles, kept, strict=True)
        if keep.any()
    )


def polygons_of(tiles: Sequence[Tile]) -> int:
    """How many polygons tiles have."""
    return sum(len(tile.polygon_mesh.polygons) for tile in tiles)


def counts_of(tiles: Sequence[Tile]) -> dict[str, int]:
    """The counts of a report once ground was left out; in tiles they are sums, as those of a build are."""
    details = [tile.detail_mesh for tile in tiles if tile.detail_mesh is not None]
    return {
        "polygons": polygons_of(tiles),
        "vertices": sum(len(tile.polygon_mesh.vertices) for tile in tiles),
        "detail_vertices": sum(len(detail.vertices) for detail in details),
        "detail_triangles": sum(len(detail.triangles) for detail in details),
        "tiles": len(tiles),
    }


# --- one tile


def _kept_polygons(graph: WalkGraph, reached: Bools, number: int, tile: Tile) -> Bools:
    """(P,) the polygons of a tile of which any piece is reached."""
    nodes = slice(int(graph.first[number]), int(graph.first[number + 1]))
    polygon = graph.polygon[nodes]
    keep = np.zeros(len(tile.polygon_mesh.polygons), bool)
    keep[polygon[(polygon >= 0) & reached[nodes]]] = True
    return keep


def tile_with(tile: Tile, keep: Bools) -> Tile:
    """The tile with only some of its polygons."""
    detail = tile.detail_mesh
    return tile._replace(
        polygon_mesh=_pruned_mesh(tile.polygon_mesh, keep),
        detail_mesh=None if detail is None else _pruned_detail(detail, keep),
        doors=_pruned_doors(tile.doors, keep),
        too_small=None if tile.too_small is None else tile.too_small[keep],
    )


def _pruned_mesh(mesh: PolygonMesh, keep: Bools) -> PolygonMesh:
    """Polygons and vertices keep their order."""
    polygons, neighbors = mesh.polygons[keep], mesh.neighbors[keep]
    used = np.zeros(len(mesh.vertices), bool)
    used[polygons[polygons != NO_INDEX]] = True
    return mesh._replace(
        vertices=mesh.vertices[used],
        polygons=_numbers(used)[polygons].astype(np.uint16),
        neighbors=np.where(neighbors < len(keep), _numbers(keep)[neighbors], neighbors).astype(np.uint16),
        region=mesh.region[keep],
        area=mesh.area[keep],
    )


def _pruned_doors(doors: Sequence[TileDoor], keep: Bools) -> tuple[TileDoor, ...]:
    """Those of which any polygon is left."""
    number = _numbers(keep)
    left = [door._replace(polygons=tuple(int(number[p]) for p in door.polygons if keep[p])) for door in doors]
    return tuple(door for door in left if door.polygons)


def _numbers(keep: Bools) -> I32:
    """(0x10000,) the new number of each vertex or polygon, NO_INDEX for what is gone."""
    numbers = np.full(NO_INDEX + 1, NO_INDEX, np.int32)
    numbers[np.flatnonzero(keep)] = np.arange(np.count_nonzero(keep))
    return numbers


def _pruned_detail(detail: DetailMesh, keep: Bools) -> DetailMesh:
    meshes = detail.meshes[keep].astype(np.int64)
    vertices = numbers_in_ranges(meshes[:, FIRST_VERTEX], meshes[:, VERTEX_COUNT])
    triangles = numbers_in_ranges(meshes[:, FIRST_TRIANGLE], meshes[:, TRIANGLE_COUNT])
    meshes[:, FIRST_VERTEX] = np.cumsum(meshes[:, VERTEX_COUNT]) - meshes[:, VERTEX_COUNT]
    meshes[:, FIRST_TRIANGLE] = np.cumsum(meshes[:, TRIANGLE_COUNT]) - meshes[:, TRIANGLE_COUNT]
    return DetailMesh(meshes.astype(np.uint32), detail.vertices[vertices], detail.triangles[triangles])
