"""Stages that nobody kept, built once more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from navcore import BoxVolume, LevelSource, Settings, build_navmesh
from navcore.builder.rebuilt_stages import bytes_of, rebuilt_stages
from navcore.errors import Cancelled
from navcore.geometry.tile_key import TileKey
from navcore.progress import Progress

SIDE = 24
HEIGHTS = np.random.default_rng(5).uniform(0, 0.8, (SIDE, SIDE)).astype(np.float32)
X, Z = (axis.ravel().astype(np.float32) for axis in np.meshgrid(np.arange(SIDE), np.arange(SIDE)))
VERTICES = np.stack([X, HEIGHTS.ravel(), Z], axis=1)
FIRST = (np.arange(SIDE - 1)[:, None] * SIDE + np.arange(SIDE - 1)).ravel()
TRIANGLES = np.concatenate(
    [np.stack([FIRST, FIRST + SIDE, FIRST + 1], 1), np.stack([FIRST + 1, FIRST + SIDE, FIRST + SIDE + 1], 1)]
).astype(np.int32)
LEVEL = LevelSource(VERTICES, TRIANGLES)
POND = BoxVolume(min=(4, -1, 4), max=(9, 3, 9), area=5)


def flat(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Everything inside, by where it stands."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from flat(inner, f"{name}/{key}")
    elif isinstance(value, tuple):
        yield f"{name} is", type(value).__name__
        for number, inner in enumerate(value):
            yield from flat(inner, f"{name}/{number}")
    else:
        yield name, (value.dtype, value.shape, value.tobytes()) if isinstance(value, np.ndarray) else value


@pytest.mark.parametrize("settings", [Settings(), Settings(tile_size=32), Settings(tile_size=20, partition="layers")])
@pytest.mark.parametrize("volumes", [(), (POND,)])
def test_the_same_as_a_build_that_keeps_them(settings: Settings, volumes: Any) -> None:
    kept = build_navmesh(VERTICES, TRIANGLES, settings, volumes=volumes, keep_stages=True)
    navmesh = build_navmesh(VERTICES, TRIANGLES, settings, volumes=volumes)
    again = rebuilt_stages(navmesh, LevelSource(VERTICES, TRIANGLES, volumes=volumes))
    assert dict(flat(again)) == dict(flat(kept.stages)) and len(dict(flat(again))) > 40


def test_some_tiles_alone() -> None:
    settings = Settings(tile_size=32)
    kept = build_navmesh(VERTICES, TRIANGLES, settings, keep_stages=True)
    again = rebuilt_stages(build_navmesh(VERTICES, TRIANGLES, settings), LEVEL, tiles=[TileKey(1, 0), TileKey(1, 2)])
    assert list(again) == ["t1_0", "t1_2"]
    assert dict(flat(again)) == dict(flat({name: kept.stages[name] for name in again}))


def test_bounds_are_those_of_the_build() -> None:
    bounds = (2.0, -1.0, 2.0, 15.0, 3.0, 20.0)
    kept = build_navmesh(VERTICES, TRIANGLES, bounds=bounds, keep_stages=True)
    again = rebuilt_stages(build_navmesh(VERTICES, TRIANGLES, bounds=bounds), replace(LEVEL, bounds=bounds))
    assert dict(flat(again)) == dict(flat(kept.stages))


@pytest.mark.parametrize("tile_size", [0, 32])
def test_it_can_be_cancelled(tile_size: int) -> None:
    navmesh, progress = build_navmesh(VERTICES, TRIANGLES, Settings(tile_size=tile_size)), Progress()
    progress.cancel()
    with pytest.raises(Cancelled):
        rebuilt_stages(navmesh, LEVEL, progress=progress)


def test_an_array_that_several_share_counts_once() -> None:
    shared = np.zeros(100, np.float32)
    assert bytes_of({"a": (shared, 3), "b": {"c": (shared, np.zeros(5, np.uint8))}}) == 405
