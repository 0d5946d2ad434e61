"""Stage 10, the triangulation by itself: brought up to date point by point, against building it anew each time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from navcore.stages.detail import delaunay, deviation
from navcore.stages.detail.delaunay import Triangulation, new_triangulation
from navcore.stages.detail.sampling import DANGLING, TABLE_FULL, TALLY_SLOTS

from . import triangulation_twin as twin
from . import twin_log

Kernel = Callable[..., Any]


def some_points(rng: np.random.Generator, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Scattered; on a coarse grid (ties and doubles); where float32 is coarse; nearly on a line."""
    count, kind = int(rng.integers(5, most)), rng.integers(0, 5)
    x, z = rng.random(count), rng.random(count)
    if kind == 0:
        x, z = x * 30, z * 30
    elif kind == 1:
        x, z = np.round(x * 6), np.round(z * 6)
    elif kind == 2:
        x, z = 1e4 + x * 3, 1e4 + z * 3
    elif kind == 3:
        x, z = 3e3 + np.round(x * 8) / 4 + rng.random(count) / 1e3, 3e3 + np.round(z * 8) / 4 + rng.random(count) / 1e3
    else:
        x, z = x * 100, x * 50 + z / 100
    return x.astype(np.float32), z.astype(np.float32)


def some_ring(rng: np.random.Generator, x: np.ndarray, z: np.ndarray) -> np.ndarray:
    """The first points, wound around their middle or in no order at all."""
    size = int(rng.integers(3, len(x)))
    if rng.random() < 0.5:
        return rng.permutation(size)
    return np.argsort(-np.arctan2(z[:size] - z[:size].mean(), x[:size] - x[:size].mean()))


def compare(mesh: Triangulation, seed: int, most: int, ours: Kernel, theirs: Kernel) -> tuple[np.ndarray, np.ndarray]:
    """Insert one point after the other on both sides; returns what was counted."""
    rng = np.random.default_rng(seed)
    x, z = some_points(rng, most)
    hull = some_ring(rng, x, z)
    ring, points = np.zeros((2, 128), np.int32), np.zeros((3, 128), np.float32)
    vertices = np.zeros((256, 3), np.float32)
    ring[0, : len(hull)] = hull
    points[0, : len(x)], points[2, : len(x)] = x, z
    vertices[: len(x), 0], vertices[: len(x), 2] = x, z
    log, tally = np.zeros(twin_log.LOG_SIZE, np.int64), np.zeros(TALLY_SLOTS, np.int64)
    triangles, faces_there = np.empty((2560, 3), np.int64), set()
    delaunay.clear(mesh)
    for count in range(len(hull) + 1, len(x) + 1):
        expected = triangles[: theirs(vertices, count, hull, len(hull), triangles, log)].tolist()
        went, came = ours(mesh, points, count, ring, len(hull), tally)
        # The faces that came and went are all that others learn about.
        faces_there -= {tuple(row) for row in corners_of(mesh.former)[:went].tolist()}
        faces_there |= {tuple(row) for row in corners_of(mesh.faces)[mesh.fresh[:came]].tolist()}
        assert sorted(faces_there) == sorted(map(tuple, expected)), (seed, count)
        faces = mesh.faces.copy()
        left = deviation._without_dangling(faces, mesh.size["faces"][0])
        assert corners_of(faces)[:left].tolist() == expected, (seed, count)
    return log, tally


def corners_of(faces: np.ndarray) -> np.ndarray:
    return faces.view(np.int32).reshape(-1, 4)[:, :3]


@pytest.fixture(scope="module")
def mesh() -> Triangulation:
    return uncompiled(delaunay.opened)(new_triangulation())


def test_point_by_point_equals_building_anew(mesh: Triangulation) -> None:
    dangling = 0
    for seed in range(120):
        log, tally = compare(mesh, seed, 127, delaunay.triangulate, twin.triangulate)
        assert tally[DANGLING] == log[twin_log.DANGLING], seed
        dangling += log[twin_log.DANGLING]
    assert dangling > 10_000


def test_a_full_table_loses_the_same_edges(mesh: Triangulation, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten rows a point are never filled in practice, so the test makes do with two."""
    monkeypatch.setattr(delaunay, "ROWS_PER_POINT", 2)
    monkeypatch.setattr(twin, "ROWS_PER_POINT", 2)
    monkeypatch.setattr(delaunay, "_make_face", uncompiled(delaunay._make_face))
    lost = 0
    for seed in range(30):
        log, tally = compare(mesh, seed, 16, uncompiled(delaunay.triangulate), uncompiled(twin.triangulate))
        assert tally[TABLE_FULL] > 0 or log[twin_log.TABLE_FULL] == 0, seed
        lost += log[twin_log.TABLE_FULL]
    assert lost > 100


def uncompiled(function: Any) -> Kernel:
    return getattr(function, "py_func", function)
