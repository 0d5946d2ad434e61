"""Batches of neighboring tiles, for one worker each: threads share the level, processes get the part that they need."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager
from math import ceil
from threading import Event, Thread
from typing import NamedTuple

import numpy as np

from ...errors import Cancelled
from ...geometry.level_parts import LevelParts
from ...geometry.tile_grid import Selection, TileGrid, grid_of_tile
from ...geometry.tile_key import TileKey, rectangle_around
from ...scene import Volume
from ...stages.areas import touching
from ...threads import Workers
from ...types import U8
from .sent_back import BuiltBatch
from .tile_jobs import BuiltTile, LevelJobs, SharedInput, build_tile, triangles_around

# --- Work on a Dask worker that nobody waits for any more: noticed there, and stopped.

_LOOKS = 0.1  # seconds between looks


class Unwanted(BrokenExecutor):
    """The cluster has taken a job back from its worker; who waits for it nevertheless has lost it."""


@contextmanager
def noticing(cancelled: U8) -> Iterator[None]:
    """Set the cancel flag as soon as the task that runs on this thread is dropped; elsewhere do nothing."""
    dropped = task_dropped()
    if dropped is None:
        yield
        return
    ended = Event()

    def look() -> None:
        while not ended.wait(_LOOKS):
            if dropped():
                cancelled[0] = 1

    watch = Thread(target=look, name="navmesh-unwanted", daemon=True)
    watch.start()
    try:
        yield
    finally:
        ended.set()
        watch.join()


def task_dropped() -> Callable[[], bool] | None:
    """Whether the Dask task of this thread has been dropped, as a question that any thread may ask; None: it is none.

    A cluster lets running tasks run on when their futures are cancelled. Their worker is told all the same.
    """
    if "distributed.worker" not in sys.modules:
        return None
    from distributed import get_worker

    try:
        worker = get_worker()
        key = worker.get_current_task()
    except (ValueError, KeyError):  # a process that knows Dask, but a thread that is no worker's
        return None

    def dropped() -> bool:
        task = worker.state.tasks.get(key)
        return task is None or task.state == "cancelled"

    return dropped


_SECONDS = 1.2  # of work in a batch: handing one to a cluster costs some milliseconds, and what it shares with the next
_MIN_SECONDS = 0.1  # also of the last ones, which are smaller so that all workers end together
_GROWTH = 8  # times the batch before, at most, as its tiles may have been easy ones
_FIRST_COLUMNS = 1 << 17  # of all tiles of a batch, before any time is known: some hundredths of a second
_BATCHES_EACH = 2  # for every worker there are still that many, so that none is idle at the end
_MAX_TRIANGLES = 1 << 18  # in a batch of several tiles: what is sent has some megabytes at most
_MAX_STORED = 64  # tiles that were taken out of a store and wait with a batch


class TileBatch:
    """Some places in a row. Pickled, it takes along the triangles and volumes that these see, and nothing else."""

    def __init__(
        self,
        places: Sequence[TileKey],
        shared: SharedInput,
        selection: Selection | None = None,
        parts: LevelParts | None = None,
    ) -> None:
        self.places, self._shared, self._selection, self._parts = places, shared, selection, parts

    def alone(self) -> list[TileBatch]:
        """The same tiles, each in a batch of its own."""
        return [TileBatch([place], self._shared, self._selection, self._parts) for place in self.places]

    def build(self) -> list[BuiltTile]:
        """All tiles of the batch, on whatever thread or machine this is called."""
        if self._selection is not None:
            return self._built_from(self._selection)
        with noticing(self._shared.cancelled), Workers(1) as workers:
            try:
                return self._built_from(
                    triangles_around(self.places, self._shared.tile_grid, self._shared.geometry, workers)
                )
            except Cancelled:
                raise Unwanted("the batch was given up where it was made") from None

    def _built_from(self, selection: Selection) -> list[BuiltTile]:
        return [build_tile(place, selection.of(place), self._shared) for place in self.places]

    def __reduce__(self) -> tuple[Callable[..., TileBatch], tuple[Sequence[TileKey], SharedInput]]:
        return _arrived, (self.places, self._packed())

    def _packed(self) -> SharedInput:
        shared = self._shared
        if self._selection is None or self._parts is None:
            return shared  # it has been sent before
        part = self._parts.cut([self._selection.of(place) for place in self.places])
        if len(part.vertices) <= 1 << 16:
            part = part._replace(triangles=part.triangles.astype(np.uint16))
        volumes = volumes_around(self.places, shared.tile_grid, shared.volumes)
        return shared._replace(geometry=part, volumes=volumes, cancelled=np.zeros(1, np.uint8))


def _arrived(places: Sequence[TileKey], shared: SharedInput) -> TileBatch:
    part = shared.geometry
    whole = part._replace(triangles=part.triangles.astype(np.int32, copy=False))
    return TileBatch(places, shared._replace(geometry=whole))


def build_batch(batch: TileBatch) -> list[BuiltTile]:
    """Build the tiles of a batch: what executors are asked to do."""
    return BuiltBatch(batch.build())


def volumes_around(places: Sequence[TileKey], tile_grid: TileGrid, volumes: Sequence[Volume]) -> Sequence[Volume]:
    """All that touch one of the places, and some of those near them."""
    (left, near), (right, far) = rectangle_around(places)
    tile_grid = tile_grid.plain
    low, high = (grid_of_tile(tile_grid, TileKey(*corner)) for corner in ((left - 1, near - 1), (right, far)))
    width, depth = ((last - first + 1) * tile_grid.size for first, last in ((left - 1, right), (near - 1, far)))
    border = 2 * low.border
    # A tile more on every side: where a volume ends is rounded tile by tile.
    return touching(low._replace(width=width + border, depth=depth + border, bounds_max=high.bounds_max), volumes)


class BatchSizes:
    """How many tiles the next batch gets: work of some fraction of a second, but several batches for every worker."""

    def __init__(self, tiles: int, first: int, workers: Callable[[], int]) -> None:
        """`first`: how many the first ones get at most, before any time is known."""
        self._left, self._workers = tiles, workers
        self._seconds_per_tile = 0.0  # lately
        self._largest = first

    def next(self) -> int:
        """The most tiles of the next batch."""
        shared_out = self._left // (_BATCHES_EACH * max(self._workers(), 1))
        wanted, least = self._largest, 1
        if self._seconds_per_tile > 0:
            wanted = min(wanted, int(_SECONDS / self._seconds_per_tile))
            least = ceil(_MIN_SECONDS / self._seconds_per_tile)
        return max(1, min(wanted, max(shared_out, least)))

    def handed_over(self) -> None:
        """One more tile is."""
        self._left -= 1

    def learn(self, built: Sequence[BuiltTile]) -> None:
        """A batch is done: the next ones are sized by how long it took."""
        self.learn_seconds([sum(tile.seconds.values()) for tile in built])

    def learn_seconds(self, taken: Sequence[float]) -> None:
        """The same, of how long each took."""
        if not taken:
            return
        seconds = sum(taken) / len(taken)
        known = self._seconds_per_tile or seconds
        self._seconds_per_tile = max((known + seconds) / 2, 1e-6)
        self._largest = max(self._largest, _GROWTH * len(taken))


def first_tiles(tile_grid: TileGrid) -> int:
    """How many tiles are some milliseconds of work."""
    return _FIRST_COLUMNS // max((grid.size + 2 * grid.border) ** 2 for grid in tile_grid.kinds)


class SameSize:
    """Batches of as many tiles each, for threads: they share everything, and taking one costs little."""

    def __init__(self, size: int) -> None:
        self._size = size

    def next(self) -> int:
        return self._size

    def handed_over(self) -> None:
        """Nothing changes."""

    def learn(self, built: Sequence[BuiltTile]) -> None:
        """Nothing changes."""


class TileRow(NamedTuple):
    """Tiles in their order: those that are built by one batch, and between them what was there already."""

    items: list[TileKey | BuiltTile]
    places: list[TileKey]

    def filled(self, built: Sequence[BuiltTile]) -> Iterator[BuiltTile]:
        """All tiles, in their order."""
        anew = iter(built)
        for item in self.items:
            yield item if isinstance(item, BuiltTile) else next(anew)


def rows(items: Iterable[TileKey | BuiltTile], jobs: LevelJobs, sizes: BatchSizes | SameSize) -> Iterator[TileRow]:
    """Cut the items into rows; each is made when it is asked for."""
    row = TileRow([], [])
    size = triangles = 0
    for item in items:
        if isinstance(item, BuiltTile):
            full = len(row.items) - len(row.places) >= _MAX_STORED
        else:
            seen = len(jobs.selection.of(item))
            full = bool(row.places) and (len(row.places) >= size or triangles + seen > _MAX_TRIANGLES)
        if full:
            yield row
            row, triangles = TileRow([], []), 0
        row.items.append(item)
        if not isinstance(item, BuiltTile):
            size = size if row.places else sizes.next()
            row.places.append(item)
            triangles += seen
            sizes.handed_over()
    if row.items:
        yield row
