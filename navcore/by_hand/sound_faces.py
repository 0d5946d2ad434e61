"""Faces made sound: corners welded, doubles and faces without area dropped, faces turned up. Nothing is guessed."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

import numpy as np

from ..build_warning import Point
from ..geometry.connected_parts import joined_parts
from ..types import F64, I32, I64, NOT_WALKABLE
from .whole_steps import normal_of

Flat: TypeAlias = list[tuple[int, int]]  # x and z of every corner, in steps

_NOTHING = 1e-12  # of a square around a face
_UPRIGHT = math.sin(math.radians(1.0))  # of a normal: steeper than 89° is a wall


class Told(NamedTuple):
    """Something that was done, and where."""

    reason: str
    at: Point


class Dropped(NamedTuple):
    """A face that is no ground, and why."""

    face: int  # its number as given
    reason: str
    at: Point


class OwnFaces(NamedTuple):
    """Faces that are still there."""

    rings: list[list[int]]  # corner numbers, counter-clockwise seen from above
    face: list[int]  # the number of each as given
    area: list[int]


class WeldedCorners(NamedTuple):
    """Which corners are one."""

    of: I64  # (V,) the corner that each has become
    moved: F64  # (V,) metres


def weld_corners(points: F64, weld: float) -> WeldedCorners:
    """Corners within `weld` of an earlier one become that one; of several the earliest. What stays is farther apart."""
    _, at, same = np.unique(points, axis=0, return_index=True, return_inverse=True)
    earliest = at[same.ravel()].astype(np.int64)
    if weld > 0:
        kept = _spread_out(points, np.unique(earliest), weld)
        earliest = kept[earliest]
    return WeldedCorners(earliest, np.linalg.norm(points[earliest] - points, axis=1))


def _spread_out(points: F64, corners: I64, weld: float) -> I64:
    """The corner that each of `corners` becomes, for all corners."""
    become = np.arange(len(points))
    cells = np.floor(points / weld).astype(np.int64)
    standing: dict[tuple[int, int, int], list[int]] = {}
    crowded = _near_others(cells[corners])
    for corner, near in zip(corners.tolist(), crowded.tolist(), strict=True):
        x, y, z = cells[corner].tolist()
        if near:
            around = [
                other
                for dx in (-1, 0, 1) for dy in (-1, 0, 1) for dz in (-1, 0, 1)
                for other in standing.get((x + dx, y + dy, z + dz), ())
            ]  # fmt: skip
            close = [o for o in around if math.dist(points[o].tolist(), points[corner].tolist()) <= weld]
            if close:
                become[corner] = min(close)
                continue
        standing.setdefault((x, y, z), []).append(corner)
    return become


def _near_others(cells: I64) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Whether another corner lies in the same cell or one beside it: most corners have none, and need no looking."""
    near = np.zeros(len(cells), bool)
    for dx in (0, 1):
        for dy in (0, 1):
            for dz in (0, 1):  # two cells beside each other are one of these blocks of eight
                block = (cells + np.array([dx, dy, dz])) >> 1
                _, which, count = np.unique(block, axis=0, return_inverse=True, return_counts=True)
                near |= count[which.ravel()] > 1
    return near


def sound_rings(faces: OwnFaces, points: F64, flat: Flat, tolerance: float, dropped: list[Dropped]) -> OwnFaces:
    """Faces with an area that are there once; the others are told in `dropped`."""
    known: dict[tuple[tuple[int, int], ...], int] = {}
    left = OwnFaces([], [], [])
    places = points.tolist()
    for given, face, area in zip(*faces, strict=True):
        ring = without_spikes(given)
        reason = _why_no_ground(ring, area, places, flat, tolerance)
        if not reason:
            edges = tuple(sorted((min(a, b), max(a, b)) for a, b in sides(ring)))
            if known.setdefault(edges, face) != face:
                reason = "double"
        if reason:
            dropped.append(Dropped(face, reason, middle_of(points, ring or given)))
            continue
        left.rings.append(ring)
        left.face.append(face)
        left.area.append(area)
    return left


def _why_no_ground(ring: list[int], area: int, places: list[list[float]], flat: Flat, tolerance: float) -> str:
    """A word for what is wrong with a face; empty where nothing is."""
    if area == NOT_WALKABLE:
        return "not walkable"
    if len(ring) < 3:
        return "no area"
    corners = [places[corner] for corner in ring]
    x, y, z = _normal_near(corners)
    size = math.hypot(x, y, z)
    across = max(max(values) - min(values) for values in zip(*corners, strict=True))
    flat_on = size <= max(_NOTHING * across, tolerance) * across
    if (flat_on or abs(y) < _UPRIGHT * size) and _is_wide(corners, max(tolerance, 2 * _UPRIGHT * across)):
        return ""  # as much of it looks up as down: it crosses itself
    if size <= _NOTHING * across * across:
        return "no area"
    if abs(y) < _UPRIGHT * size:
        return "vertical"
    # A triangle this thin has each corner within the tolerance of the edge across: its neighbors meet there.
    if size <= tolerance * across:
        return "sliver"
    # On the grid it is a line, or turned over: narrower than a step.
    return "sliver" if doubled_area(flat, ring) * y <= 0 else ""


def _is_wide(corners: list[list[float]], tolerance: float) -> bool:
    """Whether a ring is seen from above as more than a line, whatever its area is."""
    ax, _, az = corners[0]
    bx, _, bz = max(corners, key=lambda place: (place[0] - ax) ** 2 + (place[2] - az) ** 2)
    length = math.hypot(bx - ax, bz - az)
    return length > tolerance and any(
        abs((x - ax) * (bz - az) - (bx - ax) * (z - az)) > 2 * tolerance * length for x, _, z in corners
    )


def _normal_near(corners: list[list[float]]) -> tuple[float, float, float]:
    """The normal of a ring, computed beside it: far from the origin products would swallow thin ones."""
    x, y, z = corners[0]
    return normal_of([(a - x, b - y, c - z) for a, b, c in corners])


def without_spikes(ring: Iterable[int]) -> list[int]:
    """A ring without corners that follow themselves, and without ways there and straight back."""
    left = list(ring)
    changed = True
    while changed and len(left) > 1:
        changed = False
        for at in range(len(left)):
            if left[at] == left[at - 1]:
                del left[at]
                changed = True
                break
            if len(left) > 2 and left[at - 2] == left[at]:
                for gone in sorted({(at - 1) % len(left), at}, reverse=True):
                    del left[gone]
                changed = True
                break
    return left if len(left) > 2 else []


def sides(ring: list[int]) -> Iterable[tuple[int, int]]:
    """The edges of a ring, each from its corner to the next."""
    return zip(ring, [*ring[1:], *ring[:1]], strict=True)


def doubled_area(flat: Flat, ring: list[int]) -> int:
    """Twice the area of a ring seen from above, in steps; above 0 where it looks up."""
    doubled = 0
    ax, az = flat[ring[-1]]
    for corner in ring:
        bx, bz = flat[corner]
        doubled += az * bx - ax * bz
        ax, az = bx, bz
    return doubled


def middle_of(points: F64, ring: Iterable[int]) -> Point:
    """The middle of some corners, to the millimetre."""
    chosen = list(ring)
    if not chosen:
        return (0.0, 0.0, 0.0)
    x, y, z = points[chosen].mean(axis=0).round(3).tolist()
    return (x, y, z)


def parts_of(rings: list[list[int]]) -> I32:
    """The part of each face: faces with an edge in common are of one."""
    owner: dict[tuple[int, int], int] = {}
    one, other = [], []
    for number, ring in enumerate(rings):
        for a, b in sides(ring):
            before = owner.setdefault((min(a, b), max(a, b)), number)
            if before != number:
                one.append(before)
                other.append(number)
    return joined_parts(len(rings), np.array(one, np.int64), np.array(other, np.int64))


def turned_up(faces: OwnFaces, points: F64, flat: Flat, mended: list[Told]) -> OwnFaces:
    """All faces as seen from above. A part that looks down as a whole is told once, other faces one by one."""
    down = np.array([doubled_area(flat, ring) < 0 for ring in faces.rings])
    if not down.any():
        return faces
    part = parts_of(faces.rings)
    whole = np.bincount(part, weights=~down) == 0
    for number in np.flatnonzero(whole).tolist():
        mended.append(Told("part turned", middle_of(points, faces.rings[int(np.argmax(part == number))])))
    alone = down & ~whole[part]
    mended += [Told("turned", middle_of(points, faces.rings[face])) for face in np.flatnonzero(alone).tolist()]
    rings = [[ring[0], *ring[:0:-1]] if turn else ring for ring, turn in zip(faces.rings, down, strict=True)]
    return faces._replace(rings=rings)
