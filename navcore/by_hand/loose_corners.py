"""Where faces do not share what they should: corners on other faces' edges, and edges that run beside each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ..build_warning import BuildWarning, in_words
from ..types import F64, I64, AnyArray
from .sound_faces import OwnFaces, Told, middle_of, sides

_BESIDE = 0.5  # metres: edges farther apart are not taken for one that was missed
_FACING = -0.85  # cosine of the angle between edges that run along each other: less than 32° from opposite
_AT_ONCE = 1 << 20  # pairs that are looked at together
_MOST_TOLD = 50
_MILLIMETRE = 0.001

Splits = dict[tuple[int, int], list[int]]
"""For an edge of a face, from corner to corner, the corners that lie on it, in order."""


class OpenEdges(NamedTuple):
    """Edges with a face on one side alone."""

    start: I64  # (E,) corner numbers, with the face on the left as seen from above
    end: I64
    row: I64  # (E,) the face's place among the faces


def open_edges(rings: list[list[int]]) -> OpenEdges:
    """The edges that no other face has."""
    walked = Counter((min(a, b), max(a, b)) for ring in rings for a, b in sides(ring))
    found = [(a, b, row) for row, ring in enumerate(rings) for a, b in sides(ring) if walked[min(a, b), max(a, b)] == 1]
    start, end, row = np.array(found, np.int64).reshape(-1, 3).T
    return OpenEdges(start, end, row)


def corners_on_edges(faces: OwnFaces, points: F64, within: F64) -> Splits:
    """Corners of open edges that lie on an open edge of another face, each `within` so many metres of it."""
    edges = open_edges(faces.rings)
    if not len(edges.start):
        return {}
    corners = np.unique(edges.start)
    reach = float(within[corners].max())
    a, b = points[edges.start], points[edges.end]
    nearest: dict[tuple[int, int], _OnEdge] = {}  # a corner close to a corner of a face lies on both edges there
    for edge, near in _pairs(np.minimum(a, b) - reach, np.maximum(a, b) + reach, points[corners], points[corners]):
        corner = corners[near]
        own = (corner == edges.start[edge]) | (corner == edges.end[edge])
        edge, corner = edge[~own], corner[~own]
        along = b[edge] - a[edge]
        part = np.einsum("ij,ij->i", points[corner] - a[edge], along) / np.einsum("ij,ij->i", along, along)
        apart = np.linalg.norm(a[edge] + part[:, None] * along - points[corner], axis=1)
        on = (part > 0) & (part < 1) & (apart <= within[corner])
        for row in zip(apart[on].tolist(), edge[on].tolist(), part[on].tolist(), corner[on].tolist(), strict=True):
            one = _OnEdge(*row)
            face = int(edges.row[one.edge])
            if one.corner not in faces.rings[face] and one < nearest.get((face, one.corner), _NOWHERE):
                nearest[face, one.corner] = one
    found: Splits = {}
    for one in sorted(nearest.values(), key=lambda one: one[1:]):
        found.setdefault((int(edges.start[one.edge]), int(edges.end[one.edge])), []).append(one.corner)
    return found


class _OnEdge(NamedTuple):
    """A corner on another face's edge."""

    apart: float  # metres
    edge: int
    part: float  # of the edge, from its start to there
    corner: int


_NOWHERE = _OnEdge(np.inf, 0, 0.0, 0)


def with_splits(faces: OwnFaces, splits: Splits) -> OwnFaces:
    """The faces with the corners that lie on their edges."""
    if not splits:
        return faces
    rings = [[c for a, b in sides(ring) for c in (a, *splits.get((a, b), ()))] for ring in faces.rings]
    return faces._replace(rings=rings)


def told_splits(splits: Splits, points: F64) -> list[Told]:
    """Each corner that lies on edges, once."""
    corners = {corner for on_edge in splits.values() for corner in on_edge}
    return [Told("T-junction", middle_of(points, [corner])) for corner in sorted(corners)]


# --- edges beside each other


class _Beside(NamedTuple):
    apart: float
    place: tuple[float, float, float]
    faces: tuple[int, int]


def edges_apart(faces: OwnFaces, points: F64) -> list[BuildWarning]:
    """A warning for each pair of open edges that run along each other and do not meet, the nearest first.

    However near they are: what could be joined was, so that no agent crosses there.
    """
    edges = open_edges(faces.rings)
    a, b = points[edges.start], points[edges.end]
    low, high = np.minimum(a, b), np.maximum(a, b)
    nearest: dict[int, _Beside] = {}
    for one, other in _pairs(low - _BESIDE, high + _BESIDE, low, high):
        later = one < other
        for found in _running_along(edges, a, b, one[later], other[later], faces):
            if found[1].apart > 0:
                for edge in found[0]:
                    if edge not in nearest or found[1].apart < nearest[edge].apart:
                        nearest[edge] = found[1]
    told = sorted(set(nearest.values()))
    return [
        BuildWarning(
            "EDGES_APART",
            f"Open edges of faces {pair.faces[0]} and {pair.faces[1]} run along each other "
            f"{_distance(pair.apart)} apart and do not meet: agents do not cross there. Weld them, or leave the gap if "
            "it is meant.",
            pair.place,
        )
        for pair in told[:_MOST_TOLD]
    ]


def _distance(metres: float) -> str:
    return f"{in_words(metres)} m" if metres >= _MILLIMETRE else f"{in_words(1000 * metres)} mm"


def _running_along(
    edges: OpenEdges, a: F64, b: F64, one: I64, other: I64, faces: OwnFaces
) -> Iterator[tuple[tuple[int, int], _Beside]]:
    """Those of these pairs of edges that face each other, within half a metre."""
    if not len(one):
        return
    p, q, r, s = a[one], b[one], a[other], b[other]
    u, v = q - p, s - r
    length, width = np.linalg.norm(u, axis=1), np.linalg.norm(v, axis=1)
    facing = np.einsum("ij,ij->i", u, v) <= _FACING * length * width
    onto = [np.einsum("ij,ij->i", end - p, u) / (length * length) for end in (r, s)]
    begin, end = np.maximum(np.minimum(*onto), 0), np.minimum(np.maximum(*onto), 1)
    middle = p + ((begin + end) / 2)[:, None] * u
    there = np.clip(np.einsum("ij,ij->i", middle - r, v) / (width * width), 0, 1)
    across = r + there[:, None] * v - middle
    apart = np.linalg.norm(across, axis=1)
    # Each must lie on the other's open side: right of it as seen from above, where it is aside at all.
    out = u[:, 0] * across[:, 2] - u[:, 2] * across[:, 0]
    back = -(v[:, 0] * across[:, 2] - v[:, 2] * across[:, 0])
    slack = 1e-6 * np.maximum(length, width)
    good = facing & (end > begin) & (apart <= _BESIDE) & (out >= -slack) & (back >= -slack)
    for k in np.flatnonzero(good).tolist():
        x, y, z = (middle[k] + across[k] / 2).round(3).tolist()
        rows = faces.face[int(edges.row[one[k]])], faces.face[int(edges.row[other[k]])]
        yield (int(one[k]), int(other[k])), _Beside(round(float(apart[k]), 6), (x, y, z), rows)


def _pairs(low: F64, high: F64, other_low: F64, other_high: F64) -> Iterator[tuple[I64, I64]]:
    """The pairs of boxes that touch, some at a time."""
    order = np.argsort(other_low[:, 0], kind="stable")
    widest = float(np.max(other_high[:, 0] - other_low[:, 0], initial=0.0))
    starts = other_low[order, 0]
    first = np.searchsorted(starts, low[:, 0] - widest, "left")
    count = np.searchsorted(starts, high[:, 0], "right") - first
    begin = 0
    while begin < len(low):
        end = begin + max(1, int(np.searchsorted(np.cumsum(count[begin:]), _AT_ONCE)))
        which: AnyArray = np.repeat(np.arange(begin, min(end, len(low))), count[begin:end])
        steps = np.arange(len(which)) - np.repeat(np.cumsum(count[begin:end]) - count[begin:end], count[begin:end])
        there = order[first[which] + steps]
        touch = np.all((other_low[there] <= high[which]) & (other_high[there] >= low[which]), axis=1)
        yield which[touch], there[touch]
        begin = end
