"""Tiles that come back from other processes: whatever they hold, to the type and the byte."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from navcore import BoxVolume, NothingWalkable, Settings, build_navmesh
from navcore.builder.tiles.build_tiles import build_batch
from navcore.builder.tiles.sent_back import BuiltBatch
from navcore.builder.tiles.tile_jobs import BuiltTile
from tests import scenes

TILED = Settings(tile_size=24, cell_size=0.3)
DOOR = BoxVolume(min=(3, -1, 3), max=(9, 5, 4), door="gate")
KINDS: dict[str, tuple[scenes.Mesh, Settings, dict[str, Any]]] = {
    "plain": (scenes.city(4), TILED, {}),
    "no detail": (scenes.city(3), replace(TILED, detail_mesh=False), {}),
    "spans": (scenes.city(3), replace(TILED, generate_links=True), {}),
    "sizes and doors": (scenes.flat(20), TILED, {"volumes": [DOOR], "sizes": [("a", 0.3, 1.0), ("b", 0.9, 2.5)]}),
    "empty tiles": (scenes.join([scenes.flat(20), scenes.box(30, 0, 30, 0.5, 3, 0.5)]), TILED, {}),
    "resolutions": (scenes.flat(20), TILED, {"volumes": [BoxVolume(min=(1, 0, 1), max=(2, 1, 2), resolution=0.5)]}),
}


class Kept(ThreadPoolExecutor):
    """Keeps what its jobs come to."""

    def __init__(self) -> None:
        super().__init__(1)
        self.batches: list[list[BuiltTile]] = []

    def submit(self, work: Any, /, *args: Any, **_: Any) -> Any:
        def kept(job: Any) -> Any:
            self.batches.append(work(job))
            return self.batches[-1]

        return super().submit(kept, *args)


def are_same(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray):
        sound = other.flags.c_contiguous and other.flags.aligned and other.flags.writeable
        return bool(
            sound and one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()
        )
    if isinstance(one, (tuple, list)):
        return type(one) is type(other) and len(one) == len(other) and all(map(are_same, one, other))
    if isinstance(one, NothingWalkable):
        return type(one) is type(other) and str(one) == str(other) and one.marked == other.marked
    return type(one) is type(other) and bool(one == other)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_sent_back_is_what_was_built(kind: str) -> None:
    mesh, settings, marks = KINDS[kind]
    with Kept() as pool:
        build_navmesh(*mesh, settings, executor=pool, **marks)
    tiles = BuiltBatch(tile for batch in pool.batches for tile in batch)
    there = [tile.piece for tile in tiles if tile.piece is not None]
    assert {  # the scene has what its name says
        "plain": len(there) > 20, "no detail": there[0].detail_mesh is None, "spans": tiles[0].spans is not None,
        "sizes and doors": any(piece.doors for piece in there) and there[0].too_small is not None,
        "empty tiles": len({tile.nothing is None for tile in tiles}) == 2,
        "resolutions": len({float(piece.polygon_mesh.grid.cell_size) for piece in there}) == 2,
    }[kind]  # fmt: skip
    arrived = pickle.loads(pickle.dumps(tiles))
    assert are_same(list(tiles), list(arrived)) and type(arrived) is BuiltBatch
    assert are_same(list(tiles), list(pickle.loads(pickle.dumps(arrived)))), "also on a second way"
    assert len(pickle.dumps(BuiltBatch())) < 2000 and pickle.loads(pickle.dumps(BuiltBatch())) == []


def test_empty_tiles_and_stages_come_as_they_are() -> None:
    nothing = NothingWalkable("no ground")
    empty = BuiltBatch([BuiltTile((1, 2, 0), None, nothing, {"tile": 0.5}, {})])  # type: ignore[arg-type]
    [tile] = pickle.loads(pickle.dumps(empty))
    assert tile.key == (1, 2, 0) and str(tile.nothing) == "no ground" and tile.seconds == {"tile": 0.5}
    [tile] = pickle.loads(pickle.dumps(BuiltBatch([empty[0]._replace(stages={"grid": 1})])))
    assert tile.stages == {"grid": 1}


def test_executors_are_asked_for_batches_that_travel_so() -> None:
    class Batch:
        def build(self) -> list[BuiltTile]:
            return []

    assert type(build_batch(Batch())) is BuiltBatch  # type: ignore[arg-type]
