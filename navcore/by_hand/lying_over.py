"""Faces that no agent can tell apart: edges of three faces, and faces over each other with too little room between."""

from __future__ import annotations

import numpy as np

from ..build_warning import in_words
from ..jit import kernel
from ..types import F64, I32, I64
from .face_triangles import Triangle
from .given_faces import FaceFault
from .sound_faces import OwnFaces, middle_of, sides

_MOST = 1 << 12  # pairs of triangles that are told
_MOST_CORNERS = 12  # of what two triangles have in common, with room


def crowded_edges(faces: OwnFaces, points: F64) -> list[FaceFault]:
    """Edges with three faces or more, and those that two faces lie on the same side of."""
    owners: dict[tuple[int, int], list[int]] = {}
    for ring, face in zip(faces.rings, faces.face, strict=True):
        for a, b in sides(ring):
            owners.setdefault((min(a, b), max(a, b)), []).append(face)
    crowded = [
        FaceFault("THREE_FACES_AT_EDGE", middle_of(points, edge), tuple(sorted(set(own))), f"{len(own)} faces")
        for edge, own in owners.items()
        if len(set(own)) > 2
    ]
    folded = [
        FaceFault("SHEETS_OVERLAP", middle_of(points, edge), own, "0 m between")
        for edge, rows in _doubly_walked(faces).items()
        if len(own := tuple(sorted(faces.face[row] for row in rows))) == 2
    ]
    return crowded + folded


def _doubly_walked(faces: OwnFaces) -> dict[tuple[int, int], set[int]]:
    """The edges along which several faces run in one direction, and their rows."""
    walked: dict[tuple[int, int], set[int]] = {}
    for row, ring in enumerate(faces.rings):
        for side in sides(ring):
            walked.setdefault(side, set()).add(row)
    return {side: rows for side, rows in walked.items() if len(rows) > 1}


def folded_slivers(faces: OwnFaces, metres: F64, width: float) -> list[int]:
    """Of faces on the same side of one edge the row of the narrowest, where it is no wider than `width` metres: too
    narrow to lie over anything."""
    flat = metres[:, [0, 2]]
    found: set[int] = set()
    for rows in _doubly_walked(faces).values():
        across, row = min((_width_of(flat[faces.rings[row]]), row) for row in rows)
        if across <= width:
            found.add(row)
    return sorted(found)


def _width_of(ring: F64) -> float:
    """Twice a ring's area over the way around it: half as wide as a long one is, and the radius of what fits in."""
    aside = ring - ring[0]
    following = np.roll(aside, -1, axis=0)
    doubled = abs(float((aside[:, 0] * following[:, 1] - aside[:, 1] * following[:, 0]).sum()))
    return doubled / float(np.linalg.norm(following - aside, axis=1).sum())


def overlapping_sheets(
    triangles: list[Triangle], face: list[int], points: F64, room: float, tolerance: float
) -> list[FaceFault]:
    """Pairs of faces of which one lies over the other with less than `room` metres between, or that cross.

    `face` has the number of each triangle's face. What is no wider than `tolerance` metres does not count.
    """
    corners = points[np.array(triangles, np.int64).reshape(-1, 3)]
    pairs, places, apart = np.empty((_MOST, 2), np.int32), np.empty((_MOST, 3)), np.empty(_MOST)
    low = corners[:, :, 0].min(axis=1)
    order = np.argsort(low, kind="stable").astype(np.int64)
    count = _overlaps_kernel(corners, order, room, tolerance, pairs, places, apart)
    faults: dict[tuple[int, ...], tuple[float, FaceFault]] = {}
    for k in range(min(count, _MOST)):
        own = tuple(sorted({face[int(pairs[k, 0])], face[int(pairs[k, 1])]}))
        x, y, z = places[k].round(3).tolist()
        between = float(apart[k])
        if own not in faults or between < faults[own][0]:
            faults[own] = between, FaceFault("SHEETS_OVERLAP", (x, y, z), own, f"{in_words(between)} m between")
    return [faults[own][1] for own in sorted(faults)]


@kernel
def _overlaps_kernel(
    corners: F64, order: I64, room: float, tolerance: float, pairs: I32, places: F64, apart: F64
) -> int:
    """Write the pairs of triangles (T, 3, 3) that overlap; `order` has them by their least x. Returns how many."""
    total = len(order)
    boxes = np.empty((total, 6), np.float64)
    for t in range(total):
        for axis in range(3):
            a, b, c = corners[t, 0, axis], corners[t, 1, axis], corners[t, 2, axis]
            boxes[t, axis], boxes[t, axis + 3] = min(a, b, c), max(a, b, c)
    shape, spare = np.empty((_MOST_CORNERS, 2), np.float64), np.empty((_MOST_CORNERS, 2), np.float64)
    place, count = np.empty(3, np.float64), 0
    for i in range(total):
        one = order[i]
        for j in range(i + 1, total):
            other = order[j]
            if boxes[other, 0] >= boxes[one, 3]:
                break
            if boxes[other, 2] >= boxes[one, 5] or boxes[other, 5] <= boxes[one, 2]:
                continue
            if boxes[other, 1] >= boxes[one, 4] + room or boxes[other, 4] + room <= boxes[one, 1]:
                continue
            between = _between(corners[one], corners[other], tolerance, shape, spare, place)
            if between < 0 or between >= room:
                continue
            if count < len(pairs):
                pairs[count, 0], pairs[count, 1], apart[count] = one, other, between
                for axis in range(3):
                    places[count, axis] = place[axis]
            count += 1
    return count


@kernel
def _between(one: F64, other: F64, tolerance: float, shape: F64, spare: F64, place: F64) -> float:
    """The least height between two triangles where both are, 0 where they cross; -1 where they do not overlap."""
    count = 3
    for k in range(3):
        shape[k, 0], shape[k, 1] = one[k, 0], one[k, 2]
    for k in range(3):
        ax, az = other[k, 0], other[k, 2]
        bx, bz = other[(k + 1) % 3, 0], other[(k + 1) % 3, 2]
        count = _cut(shape, count, spare, ax, az, bx, bz)
        if count < 3:
            return -1.0
        for c in range(count):
            shape[c, 0], shape[c, 1] = spare[c, 0], spare[c, 1]
    doubled, around, x, z = 0.0, 0.0, 0.0, 0.0
    for k in range(count):
        px, pz = shape[k, 0], shape[k, 1]
        qx, qz = shape[(k + 1) % count, 0], shape[(k + 1) % count, 1]
        doubled += (pz - shape[0, 1]) * (qx - shape[0, 0]) - (px - shape[0, 0]) * (qz - shape[0, 1])
        around += np.sqrt((qx - px) ** 2 + (qz - pz) ** 2)
        x += px / count
        z += pz / count
    if doubled <= tolerance * around:  # twice the area over half the way around is how wide it is
        return -1.0
    least, above, below = np.inf, False, False
    for k in range(count):
        rise = _height(one, shape[k, 0], shape[k, 1]) - _height(other, shape[k, 0], shape[k, 1])
        above |= rise > 0
        below |= rise < 0
        least = min(least, abs(rise))
    place[0], place[1], place[2] = x, _height(one, x, z), z
    return 0.0 if above and below else least


@kernel
def _cut(shape: F64, count: int, cut: F64, ax: float, az: float, bx: float, bz: float) -> int:
    """Write what of a convex shape lies on the inner side of an edge; returns how many corners that has."""
    written = 0
    for k in range(count):
        px, pz = shape[k, 0], shape[k, 1]
        qx, qz = shape[(k + 1) % count, 0], shape[(k + 1) % count, 1]
        here = (px - ax) * (bz - az) - (bx - ax) * (pz - az)
        there = (qx - ax) * (bz - az) - (bx - ax) * (qz - az)
        if here >= 0 and written < len(cut):
            cut[written, 0], cut[written, 1] = px, pz
            written += 1
        if (here > 0 and there < 0) or (here < 0 and there > 0):
            part = here / (here - there)
            if written < len(cut):
                cut[written, 0], cut[written, 1] = px + part * (qx - px), pz + part * (qz - pz)
                written += 1
    return written


@kernel
def _height(triangle: F64, x: float, z: float) -> float:
    """The height of a triangle's plane at a place."""
    ax, ay, az = triangle[0, 0], triangle[0, 1], triangle[0, 2]
    ux, uy, uz = triangle[1, 0] - ax, triangle[1, 1] - ay, triangle[1, 2] - az
    vx, vy, vz = triangle[2, 0] - ax, triangle[2, 1] - ay, triangle[2, 2] - az
    over = ux * vz - vx * uz
    s = ((x - ax) * vz - vx * (z - az)) / over
    t = (ux * (z - az) - (x - ax) * uz) / over
    return ay + s * uy + t * vy
