"""Who is held up, since when, and what it walked through until it was free again.

A place that holds agents up is found by its head: behind it they walk freely again, however long the queue before it is
(as active bottlenecks of roads are found: Chen, Skabardonis and Varaiya, "Systematic identification of freeway
bottlenecks", Transportation Research Record 1867, 2004).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...types import F64, I64, Bools

_HELD = 0.5  # of its time lost: an agent is held up
_FREE_FOR = 16  # places of its trail behind the one where it was held up last, and it is free
_APART = 0.25  # metres between two places of a trail
_TRAIL = 48  # places
_BEFORE = 8  # places of the trail before the one where it was held up last


class Hold(NamedTuple):
    """H agents that were held up and are free again."""

    agent: I64  # (H,)
    seconds: F64  # (H,) lost
    before: F64  # (H, 3) where it was shortly before it got free
    held: F64  # (H, 3) where it was held up last
    after: F64  # (H, 3) where it walked freely
    left: F64  # (H,) metres that it had still to go where it was held up last


class HeldUp(NamedTuple):
    """Of N agents what is remembered between two looks."""

    is_held: Bools
    lost: F64  # (N,) seconds since it was held up
    trail: F64  # (N, _TRAIL, 3) places, one after the other, around in a ring
    placed: I64  # (N,) places of its trail so far
    mark: I64  # (N,) how many these were when it was held up last
    place: F64  # (N, 3) where it was then
    left: F64  # (N,) metres that it had still to go from there


def nobody(places: F64) -> HeldUp:
    """Agents at their starts, of whom none has been held up."""
    n = len(places)
    trail = np.zeros((n, _TRAIL, 3))
    trail[:, 0] = places
    count, mark = np.ones(n, np.int64), np.ones(n, np.int64)
    return HeldUp(np.zeros(n, bool), np.zeros(n), trail, count, mark, places.copy(), np.zeros(n))


def with_more(before: HeldUp, places: F64) -> HeldUp:
    """Those, and after them agents at these places."""
    return HeldUp(*(np.concatenate(both) for both in zip(before, nobody(places), strict=True)))


class Look(NamedTuple):
    """What is seen of N agents after a short time."""

    places: F64  # (N, 3)
    left: F64  # (N,) metres to their ends
    seconds: F64  # (N,) that passed
    lost: F64  # (N,) of these
    ended: Bools  # (N,) their ways


def looked(held: HeldUp, look: Look) -> Hold:
    """Note where all are now; who got free, or has ended its way."""
    places, lost, ended = look.places, look.lost, look.ended
    rows = np.arange(len(places))
    last = held.trail[rows, (held.placed - 1) % _TRAIL]
    moved = np.flatnonzero(np.hypot(*(places - last)[:, ::2].T) >= _APART)
    held.trail[moved, held.placed[moved] % _TRAIL] = places[moved]
    held.placed[moved] += 1
    holds = (lost > _HELD * look.seconds) & ~ended
    held.is_held[holds] = True
    held.lost[held.is_held] += lost[held.is_held]
    held.mark[holds], held.place[holds], held.left[holds] = held.placed[holds], places[holds], look.left[holds]
    free = np.flatnonzero(held.is_held & ((held.placed - held.mark >= _FREE_FOR) | ended))
    oldest = np.maximum(held.placed[free] - _TRAIL, 0)
    first = np.maximum(held.mark[free] - 1 - _BEFORE, oldest)
    found = Hold(
        free, held.lost[free].copy(), held.trail[free, first % _TRAIL], held.place[free].copy(), places[free].copy(),
        held.left[free].copy(),
    )  # fmt: skip
    held.is_held[free], held.lost[free] = False, 0
    return found
