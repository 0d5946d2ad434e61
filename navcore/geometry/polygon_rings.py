"""Polygons as rings of corners that lie one after the other: which corner is next, what lies at one place, what hangs
together. NumPy alone."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from ..types import I32, I64, AnyArray
from .connected_parts import joined_parts

_Firsts = TypeVar("_Firsts", bound=AnyArray)


def next_corners(first: _Firsts) -> _Firsts:
    """For each corner, the number of the one after it in its polygon; polygon p has corners first[p]:first[p + 1]."""
    following = np.arange(1, int(first[-1]) + 1, dtype=first.dtype)
    sized = np.diff(first) > 0
    following[first[1:][sized] - 1] = first[:-1][sized]
    return following  # type: ignore[return-value]


def first_of_each(rows: AnyArray) -> tuple[I64, I32]:
    """Of rows of which some are alike, the first of each in their order, and for every row which of these it is."""
    _, at, same = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(at, kind="stable")
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return at[order], rank[same.ravel()]


def parts_by_edges(first: I32, neighbors: I32) -> I32:
    """For each polygon which part it belongs to, of those that hang together over shared edges; from 0."""
    count = len(first) - 1
    owner, joined = np.repeat(np.arange(count), np.diff(first)), neighbors >= 0
    return joined_parts(count, owner[joined], neighbors[joined])
