"""Refined paths: of each portal the middle or an end, chosen one after the other or all together."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import BadInput
from ..navquery.batches import in_pieces, joined, offsets_of
from ..navquery.status import INVALID, SUCCESS
from ..progress import Progress
from ..types import F64, I64, U32
from .refine_kernel import CHOICE, GREEDY, MIDDLE, refined_rows

WAYS = {"middle": MIDDLE, "greedy": GREEDY, "choice": CHOICE}


class RefinedPaths(NamedTuple):
    """The line through the portals of each row."""

    offsets: I64
    points: F64  # (., 3) the start, a point for each portal, the end
    length: F64  # (N,) metres
    status: U32


def refine(
    starts: npt.ArrayLike, ends: npt.ArrayLike, offsets: npt.ArrayLike, portals: npt.ArrayLike, *,
    way: str = "choice", shrink: float = 0.0, flat: bool = False, tidy: bool = False, threads: int | None = None,
    progress: Progress | None = None,
) -> RefinedPaths:  # fmt: skip
    """Lines from starts to ends through portals, each a left and a right end: (M, 2, 3).

    Row r goes through portals[offsets[r]] to portals[offsets[r + 1]], in the order of travel. See
    `NavQuery.refined_paths`.
    """
    here, there, given = _numbers("starts", starts, (3,)), _numbers("ends", ends, (3,)), _portals(portals)
    cuts = as_cuts(offsets, len(given), "portals")
    if not len(here) == len(there) == len(cuts) - 1:
        raise BadInput(
            f"There are {len(here):,} starts, {len(there):,} ends and {len(cuts) - 1:,} rows of portals. Give one of "
            "each.", "WRONG_QUESTION",
        )  # fmt: skip
    status = np.full(len(here), SUCCESS, np.uint32)
    return refined(here, there, cuts, given, status, way, shrink, flat, tidy, threads, progress)


def refined(
    starts: F64, ends: F64, cuts: I64, portals: F64, status: U32, way: str, shrink: float, flat: bool, tidy: bool,
    threads: int | None, progress: Progress | None,
) -> RefinedPaths:  # fmt: skip
    """The same for arrays that are in order; rows whose `status` is no success stay without points."""
    check_way(way, shrink)
    n = len(starts)
    lengths, counts = np.empty(n, np.float64), np.empty(n, np.int32)
    before = (starts, ends, cuts, portals, WAYS[way], float(shrink), bool(flat), bool(tidy))
    found = joined(in_pieces(refined_rows, n, before, (status, lengths, counts), threads, progress))
    lengths[status == INVALID] = np.nan
    return RefinedPaths(offsets_of(counts), found, lengths, status)


def as_cuts(given: npt.ArrayLike, count: int, what: str) -> I64:
    cuts = np.array(given, ndmin=1)
    if cuts.ndim != 1 or cuts.dtype.kind not in "iu" or cuts[0] != 0 or (np.diff(cuts) < 0).any() or cuts[-1] != count:
        raise BadInput(
            f"offsets do not cut the {what} into rows: they begin at 0, never fall, and end at their number.",
            "WRONG_QUESTION",
        )
    return cuts.astype(np.int64)


def check_way(way: str, shrink: float) -> None:
    if way not in WAYS:
        raise BadInput(f"way is {way!r}. Choose one of {', '.join(WAYS)}.", "WRONG_QUESTION")
    if not (math.isfinite(shrink) and shrink >= 0):
        raise BadInput(f"shrink is {shrink}. Give a finite number of metres, 0 or more.", "WRONG_QUESTION")


def _numbers(name: str, given: npt.ArrayLike, row: tuple[int, ...]) -> F64:
    try:
        numbers = np.array(given, np.float64, order="C", ndmin=len(row) + 1)
    except (TypeError, ValueError):
        numbers = np.zeros(0)
    if numbers.shape[1:] != row:
        raise BadInput(f"{name} are not (N, {', '.join(map(str, row))}) numbers.", "WRONG_QUESTION")
    return numbers


def _portals(given: npt.ArrayLike) -> F64:
    return np.zeros((0, 2, 3)) if np.size(given) == 0 else _numbers("portals", given, (2, 3))
