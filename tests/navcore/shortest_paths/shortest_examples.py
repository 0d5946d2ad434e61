"""Small levels with pillars, and lengths of paths as seen from above."""

from __future__ import annotations

from functools import cache

import numpy as np

from navcore import NavMesh, NavQuery, Settings, build_navmesh
from navcore.navquery.answers import Paths
from navcore.types import F32, F64
from tests import scenes


@cache
def pillars(seed: int, tile_size: int = 0, size: float = 12.0, count: int = 3) -> NavMesh:
    """A floor with a few pillars at random."""
    rng = np.random.default_rng(seed)
    boxes = [
        scenes.box(*rng.uniform(1, size - 4, 1), 0, *rng.uniform(1, size - 4, 1), *[2.5, 3.0, 2.0])
        for _ in range(count)
    ]
    return build_navmesh(*scenes.join([scenes.flat(size), *boxes]), Settings(tile_size=tile_size))


def length_from_above(paths: Paths) -> F64:
    """Metres on the ground; links count with their true length."""
    points = paths.points.astype(np.float64)
    steps = np.diff(points, axis=0, append=points[-1:])
    steps[:, 1] *= paths.flags & 4 != 0
    lengths = np.sqrt((steps**2).sum(axis=1))
    used = np.diff(paths.offsets) > 0
    lengths[paths.offsets[1:][used] - 1] = 0
    rows = np.repeat(np.arange(len(paths.status)), np.diff(paths.offsets))
    return np.bincount(rows, lengths, minlength=len(paths.status))


def pairs_in(mesh: scenes.Mesh, count: int, seed: int) -> tuple[F32, F32]:
    low, high = mesh[0].min(0), mesh[0].max(0)
    points: F32 = np.random.default_rng(seed).uniform([*low] * 2, [*high] * 2, (count, 6)).astype(np.float32)
    return points[:, :3], points[:, 3:]


def line_of(paths: Paths, row: int) -> F32:
    return paths.points[paths.offsets[row] : paths.offsets[row + 1]]


def on_corners_and_edges(query: NavQuery, count: int, seed: int) -> F32:
    """Points that lie exactly on corners of polygons, and in the middles of edges."""
    mesh, rng = query._mesh, np.random.default_rng(seed)
    polygons = rng.integers(len(mesh.polygons), size=count)
    first = rng.integers(mesh.polygons["corners"][polygons])
    a = mesh.outline[polygons, first]
    b = mesh.outline[polygons, (first + 1) % mesh.polygons["corners"][polygons]]
    return np.where(rng.random((count, 1)) < 0.5, a, (a + b) / 2).astype(np.float32)


def rounding_of(paths: Paths) -> float:
    """Metres by which a line may be off: its points are float32, and this is what two of them may lose."""
    return 4 * float(np.spacing(np.abs(paths.points).max()))


def longest_gain(query: NavQuery, funnel: Paths, exact: Paths) -> F64:
    """How much shorter than possible a funnel's line may be, for two reasons.

    Detour keeps what tiles share in 255ths of an edge. So a line may bend beside a corner, up to half a 255th of the
    edge inside the wall, and save twice that; where it bends at corners alone, it saves nothing. And it passes over
    what lies within a millimetre of the start: where the exact path bends there, the funnel may not.
    """
    mesh = query._mesh
    corners = mesh.outline[:, :, ::2].reshape(-1, 2).astype(np.float64)
    gaps = np.array([np.abs(corners - point).max(axis=1).min() for point in funnel.points[:, ::2]])
    edges = np.sqrt((np.diff(mesh.portals[:, :, ::2].astype(np.float64), axis=1) ** 2).sum(axis=2)).max()
    beside = (funnel.flags & 3 == 0) & (gaps > rounding_of(funnel)) & (gaps < edges / 255)
    rows = np.repeat(np.arange(len(funnel.status)), np.diff(funnel.offsets))
    gain = np.bincount(rows, beside * 2 * edges / 255, minlength=len(funnel.status))
    bent = np.flatnonzero(np.diff(exact.offsets) > 2)
    first, second = exact.points[exact.offsets[bent]], exact.points[exact.offsets[bent] + 1]
    gain[bent[np.abs(second - first)[:, ::2].max(axis=1) < 1e-3]] += 2e-3
    return gain
