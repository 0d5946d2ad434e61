"""Leave out the ground that nobody can reach: inside closed props, on roofs, behind walls without a door."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...errors import BadInput
from ...report import BuildWarning
from ...result.navmesh import NavMesh, Tile
from ...scene import Seed, as_seeds
from ...settings import Settings
from ...types import I32, I64, NO_INDEX, DetailMesh, PolygonMesh
from .graph import Ways, find_ways, reached_from, reaching, standing_on

Seeds = Iterable[Seed | Mapping[str, Any] | Sequence[float]]
_ELSEWHERE = 0x8000  # in a neighbor: none, or in another tile
_MOST_NAMES = 5


def prune_navmesh(navmesh: NavMesh, seeds: Seeds) -> NavMesh:
    """The navmesh with only what agents can reach that set out from `seeds`; links count, one-way ones one way.

    Seeds are points, each for the ground nearest to it. `rebuild_tiles` needs the navmesh as it was before. Raises
    BadInput where no seed stands on the navmesh; of several, one that doesn't is a warning. Recast: the Prune tool of
    RecastDemo, which disables polygons instead.
    """
    points = checked_seeds(seeds)
    ways = find_ways(navmesh)
    placed = place_seeds(ways, points, navmesh.settings)
    if not placed.named:
        raise BadInput(f"{_off_navmesh(placed.lost)} Nothing would be left.", "NO_SEEDS")
    reached = reached_from(ways, [node for _, node in placed.named])
    kept = [_kept(ways, reached, number, tile) for number, tile in enumerate(navmesh.tiles)]
    tiles = tuple(
        tile if keep.all() else _pruned_tile(tile, keep)
        for tile, keep in zip(navmesh.tiles, kept, strict=True)
        if keep.any()
    )
    pruned = replace(navmesh, tiles=tiles, report=replace(navmesh.report, counts=_counts(navmesh, tiles)), stages={})
    pruned.report.warnings = [*navmesh.report.warnings, *_seed_warnings(placed)]
    return pruned


def checked_seeds(seeds: Seeds) -> list[Seed]:
    """The seeds to prune by. Raises BadInput where there is none."""
    points = as_seeds(seeds)
    if not points:
        raise BadInput(
            "Pruning keeps what a seed can reach, and there is no seed. Mark an empty where agents set out as Seed, "
            "or give seeds in the scene file.",
            "NO_SEEDS",
        )
    return points


class PlacedSeeds(NamedTuple):
    """Where seeds stand."""

    named: tuple[tuple[str, int], ...]  # how to call each seed, and its node in the graph
    lost: tuple[str, ...]  # names of those that stand on no ground


def place_seeds(ways: Ways, seeds: Sequence[Seed], settings: Settings) -> PlacedSeeds:
    """The ground below each seed: no farther aside than eroding and simplifying move a wall, or above than an agent."""
    voxels = settings.in_voxels()
    aside = float(voxels.cell_size) * (voxels.radius_vx + settings.edge_max_error + 1)
    above = float(voxels.cell_height) * max(voxels.height_vx, voxels.climb_vx)
    found = [(_name(seed, i), standing_on(ways, seed.point, aside, above)) for i, seed in enumerate(seeds, 1)]
    on_ground = tuple((name, node) for name, node in found if node >= 0)
    return PlacedSeeds(on_ground, tuple(name for name, node in found if node < 0))


def cut_off(ways: Ways, placed: PlacedSeeds) -> list[str]:
    """Names of the seeds that cannot reach the first one and come back: none where all reach each other."""
    if not placed.named:
        return []
    first = placed.named[0][1]
    there, back = reached_from(ways, [first]), reaching(ways, first)
    return [name for name, node in placed.named if not (there[node] and back[node])]


def _name(seed: Seed, number: int) -> str:
    """A name is enough to find a seed, and knows no axes."""
    at = ", ".join(f"{value:.6g}" for value in seed.point)
    return f"“{seed.name}”" if seed.name else f"{number} at ({at})"


def _off_navmesh(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    stands = "stand" if len(names) > 1 else "stands"
    listed = ", ".join(names[:_MOST_NAMES])
    return f"Seed {listed}{more} {stands} on no navmesh. Move it to ground that an agent of this size can walk on."


def _seed_warnings(placed: PlacedSeeds) -> list[BuildWarning]:
    return [BuildWarning("SEED_OFF_NAVMESH", _off_navmesh(placed.lost))] if placed.lost else []


def _counts(navmesh: NavMesh, tiles: Sequence[Tile]) -> dict[str, int]:
    """The counts of what is left; in tiles they are sums, as those of a build are."""
    details = [tile.detail_mesh for tile in tiles if tile.detail_mesh is not None]
    left = {
        "polygons": sum(len(tile.polygon_mesh.polygons) for tile in tiles),
        "vertices": sum(len(tile.polygon_mesh.vertices) for tile in tiles),
        "detail_vertices": sum(len(detail.vertices) for detail in details),
        "detail_triangles": sum(len(detail.triangles) for detail in details),
        "tiles": len(tiles),
    }
    before = sum(len(tile.polygon_mesh.polygons) for tile in navmesh.tiles)
    return {**navmesh.report.counts, **left, "pruned_polygons": before - left["polygons"]}


# --- one tile


def _kept(ways: Ways, reached: npt.NDArray[np.bool_], number: int, tile: Tile) -> npt.NDArray[np.bool_]:
    """(P,) the polygons of a tile of which any piece is reached."""
    nodes = slice(int(ways.first[number]), int(ways.first[number + 1]))
    polygon = ways.polygon[nodes]
    keep = np.zeros(len(tile.polygon_mesh.polygons), bool)
    keep[polygon[(polygon >= 0) & reached[nodes]]] = True
    return keep


def _pruned_tile(tile: Tile, keep: npt.NDArray[np.bool_]) -> Tile:
    detail = tile.detail_mesh
    return tile._replace(
        polygon_mesh=_pruned_mesh(tile.polygon_mesh, keep),
        detail_mesh=None if detail is None else _pruned_detail(detail, keep),
    )


def _pruned_mesh(mesh: PolygonMesh, keep: npt.NDArray[np.bool_]) -> PolygonMesh:
    """Polygons and vertices keep their order."""
    polygons, neighbors = mesh.polygons[keep], mesh.neighbors[keep]
    used = np.zeros(len(mesh.vertices), bool)
    used[polygons[polygons != NO_INDEX]] = True
    return mesh._replace(
        vertices=mesh.vertices[used],
        polygons=_numbers(used)[polygons].astype(np.uint16),
        neighbors=np.where(neighbors & _ELSEWHERE, neighbors, _numbers(keep)[neighbors]).astype(np.uint16),
        region=mesh.region[keep],
        area=mesh.area[keep],
    )


def _numbers(keep: npt.NDArray[np.bool_]) -> I32:
    """(0x10000,) the new number of each thing, NO_INDEX for what is gone."""
    numbers = np.full(NO_INDEX + 1, NO_INDEX, np.int32)
    numbers[np.flatnonzero(keep)] = np.arange(np.count_nonzero(keep))
    return numbers


def _pruned_detail(detail: DetailMesh, keep: npt.NDArray[np.bool_]) -> DetailMesh:
    meshes = detail.meshes[keep].astype(np.int64)
    vertices, triangles = (_ranges(meshes[:, k], meshes[:, k + 1]) for k in (0, 2))
    for k in (0, 2):
        meshes[:, k] = np.cumsum(meshes[:, k + 1]) - meshes[:, k + 1]
    return DetailMesh(meshes.astype(np.uint32), detail.vertices[vertices], detail.triangles[triangles])


def _ranges(first: I64, sizes: I64) -> I64:
    """first[0], first[0] + 1, … sizes[0] of them, and so on."""
    ends = np.cumsum(sizes)
    return np.repeat(first - (ends - sizes), sizes) + np.arange(int(ends[-1]) if len(ends) else 0)
