"""Rows of questions, checked, cut into pieces for threads, and put together again in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..errors import BadInput
from ..progress import Progress
from ..threads import Workers
from ..types import F32, I32, I64, AnyArray, ArrayLike, Bools
from .kernels.nearest_polygon import NearestRows
from .kernels.points import FARTHEST, RowCounts
from .query_mesh import handed

_PIECE = 1024  # rows; cancelling is looked at between pieces
_WORTH_THREADS = 64
TREE_PIECE = 8  # likewise, of rows that search the whole navmesh


def in_pieces(
    kernel: Callable[..., Any], rows: int, before: tuple[Any, ...], after: tuple[Any, ...], threads: int | None,
    progress: Progress | None, piece: int = _PIECE,
) -> list[Any]:  # fmt: skip
    """Call `kernel(*before, begin, end, *after)` for pieces of the rows; what they return, in order.

    Two pieces of fewer rows than usual are worth a second thread. Bundles go as plain tuples, of which kernels make
    bundles again: a NamedTuple costs a microsecond or two more to hand over, a fifth of a question of one row.
    """
    before, after = _handed(before), _handed(after)
    least = min(_WORTH_THREADS, piece)
    if rows < 2 * least and (threads is None or threads > 0):  # one piece however many threads
        if progress is not None:
            progress.check()
        return [kernel(*before, 0, rows, *after)]
    with Workers(1 if rows < least and threads is None else threads, progress) as workers:
        jobs = [(*before, begin, end, *after) for begin, end in workers.bands(rows, least, piece)]
        return workers.run(kernel, jobs)


def _handed(given: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple([handed(each) if isinstance(each, tuple) else each for each in given])


def nearest_room(count: int) -> NearestRows:
    """Where the nearest polygons of so many points are written."""
    return NearestRows(np.empty(count, np.int32), np.empty((count, 3), np.float32), np.empty(count, np.uint8))


def row_counts(count: int) -> RowCounts:
    return RowCounts(np.empty(count, np.uint32), np.empty(count, np.int32))


def joined(pieces: Sequence[AnyArray]) -> AnyArray:
    return pieces[0] if len(pieces) == 1 else np.concatenate(pieces)


def offsets_of(counts: I32 | I64) -> I64:
    offsets = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=offsets[1:])
    return offsets


def check_offsets(offsets: I64, count: int) -> None:
    """Refuse offsets that do not cut `count` items into rows."""
    if offsets[0] != 0 or (np.diff(offsets) < 0).any() or offsets[-1] != count:
        raise BadInput(
            "offsets do not cut the references into rows: they begin at 0, never fall, and end at their number.",
            "WRONG_QUESTION",
        )


def as_points(name: str, given: ArrayLike, rows: int | None = None) -> F32:
    """(N, 3) float32 of our own; one point is one row. Raises BadInput for another shape or number of rows."""
    try:
        with np.errstate(over="ignore"):  # what float32 cannot hold is infinite, and its row says so
            points = np.array(given, np.float32, order="C", ndmin=2)
    except (TypeError, ValueError):
        raise BadInput(f"{name} are not numbers. Give (N, 3) coordinates.", "WRONG_QUESTION") from None
    if points.ndim != 2 or points.shape[1] != 3:
        raise BadInput(f"{name} have the shape {points.shape}. Give (N, 3) coordinates.", "WRONG_QUESTION")
    _check_rows(name, len(points), rows)
    return points


def usable(points: F32) -> Bools:
    """(N,) which points can be computed with."""
    each = np.abs(points) <= FARTHEST
    near: Bools = each[:, 0] & each[:, 1] & each[:, 2]  # several times as fast as all(axis=1)
    return near


def as_references(name: str, given: ArrayLike, rows: int | None = None) -> I64:
    """(N,) whole numbers; one number is one row."""
    references = np.array(given, ndmin=1)
    if references.ndim != 1 or (references.dtype.kind not in "iu" and references.size > 0):
        raise BadInput(
            f"{name} are not whole numbers in one row. Give references as queries return them.", "WRONG_QUESTION"
        )
    _check_rows(name, len(references), rows)
    return references.astype(np.int64)


def _check_rows(name: str, count: int, rows: int | None) -> None:
    if rows is not None and count != rows:
        raise BadInput(
            f"{name} have {count:,} rows, and there are {rows:,} questions. Give one for each.", "WRONG_QUESTION"
        )


def as_extents(given: ArrayLike) -> F32:
    """(3,) half the size of the box that is looked into."""
    extents = np.array(given, np.float32, order="C")
    if extents.shape != (3,) or not (np.isfinite(extents).all() and (extents > 0).all()):
        raise BadInput(
            f"extents are {np.asarray(given).tolist()}. Give three finite numbers above 0: half a box.",
            "WRONG_QUESTION",
        )
    return extents


def as_radius(radius: float) -> np.float32:
    if not (np.isfinite(radius) and radius >= 0):
        raise BadInput(f"The radius is {radius}. Give a finite number of metres, 0 or more.", "WRONG_QUESTION")
    return np.float32(radius)


def as_room(name: str, most: int | None, without: int) -> int:
    """A largest number of something, at least 1; `without` where there is no limit."""
    if most is None:
        return without
    if most < 1:
        raise BadInput(f"{name} is {most}. Give 1 or more, or None for no limit.", "WRONG_QUESTION")
    return int(most)
