"""What came in, checked once: corners as numbers, faces as lists of them; and how faces are refused, with places."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from ..build_warning import Point, place_in_words
from ..errors import BadInput
from ..types import F64, U8, WALKABLE, AnyArray, ArrayLike

FARTHEST = 1e6  # metres from the origin; beyond it float32 tells nothing finer than 6 cm apart
_SHOWN = 60  # characters of what was given instead


class FaceFault(NamedTuple):
    """One place where faces cannot be a navmesh."""

    code: str
    at: Point  # metres, y up
    faces: tuple[int, ...]  # their numbers as given
    detail: str  # a part of a sentence: how far, how high


class BadFaces(BadInput):
    """Faces that nobody but who modelled them can put right; `faults` has every place."""

    code = "BAD_FACES"

    def __init__(self, message: str, code: str, faults: Sequence[FaceFault]) -> None:
        super().__init__(message, code)
        self.faults = tuple(faults)

    @property
    def faces(self) -> tuple[int, ...]:
        """The numbers of all faces that are at fault, ascending."""
        return tuple(sorted({face for fault in self.faults for face in fault.faces}))


_SENTENCES = {
    "FACE_CROSSES_ITSELF": ("face crosses itself", "faces cross themselves", "Move its corners, or split it."),
    "THREE_FACES_AT_EDGE": (
        "edge has three faces or more", "edges have three faces or more",
        "A navmesh goes on from one face to one other: delete the faces that are no ground.",
    ),
    "SHEETS_OVERLAP": (
        "pair of faces lies over each other with less room between than the agent is tall",
        "pairs of faces lie over each other with less room between than the agent is tall",
        "Delete or move one of them, raise weld where they should share an edge, or lower agent_height where both are "
        "right.",
    ),
}  # fmt: skip


def refuse(faults: Sequence[FaceFault]) -> None:
    """Raise BadFaces for what there is, led by the first kind."""
    if not faults:
        return
    code = faults[0].code
    same = [fault for fault in faults if fault.code == code]
    one, many, way_out = _SENTENCES[code]
    what = f"1 {one}" if len(same) == 1 else f"{len(same):,} {many}"
    first, faces = same[0], " and ".join(str(face) for face in same[0].faces[:3])
    more = f" ({first.detail})" if first.detail else ""
    others = len(faults) - len(same)
    rest = f" There are {others:,} other faults." if others else ""
    raise BadFaces(
        f"{what}: the first at {place_in_words(first.at)}, face {faces}{more}. {way_out}{rest}", code, faults
    )


class GivenFaces(NamedTuple):
    """What somebody has modelled."""

    points: F64  # (V, 3) metres, y up
    rings: list[list[int]]  # corner numbers of each face
    area: U8  # (F,) as while building: 0 not walkable, 63 plain ground


def checked_faces(vertices: ArrayLike, faces: Iterable[Sequence[int]], areas: ArrayLike | None) -> GivenFaces:
    """Corners, faces and areas of any kind as plain ones, or BadInput saying what is wrong."""
    points = _points(vertices)
    rings = _rings(faces)
    if not rings:
        raise BadInput("There are no faces to make a navmesh of.", "NO_TRIANGLES")
    flat = np.array([corner for ring in rings for corner in ring], np.int64)
    face_of = np.repeat(np.arange(len(rings)), [len(ring) for ring in rings])
    if len(flat) and (int(flat.min()) < 0 or int(flat.max()) >= len(points)):
        wrong = int(face_of[np.argmax((flat < 0) | (flat >= len(points)))])
        raise BadInput(
            f"Face {wrong} names a corner that does not exist (there are {len(points):,}). Check the file or the "
            "exporter.",
            "INDEX_OUT_OF_RANGE",
        )
    bad = ~np.isfinite(points).all(axis=1)
    if bad[flat].any():
        which = int(face_of[np.argmax(bad[flat])])
        raise BadInput(
            f"{int(bad.sum()):,} of {len(points):,} corners have a coordinate that is not a finite number; face "
            f"{which} is the first that uses one. Remove them (in Blender: Mesh > Clean Up).",
            "NOT_FINITE",
        )
    if len(flat) and np.abs(points[flat]).max() > FARTHEST:
        raise BadInput(
            f"A corner lies {np.abs(points[flat]).max():,.0f} m from the origin (limit {FARTHEST:,.0f} m). Move the "
            "mesh to the origin, or scale it to metres.",
            "TOO_FAR",
        )
    return GivenFaces(np.where(bad[:, None], 0.0, points), rings, _areas(areas, len(rings)))


def _points(vertices: ArrayLike) -> F64:
    try:
        points = np.asarray(vertices, np.float64)
    except (TypeError, ValueError):
        raise BadInput(f"vertices must be points of three numbers, not {repr(vertices)[:_SHOWN]}.") from None
    if points.size and (points.ndim != 2 or points.shape[1] != 3):
        raise BadInput(f"vertices must be numbers of shape (n, 3), not of shape {points.shape}.")
    return points.reshape(-1, 3)


def _rings(faces: Iterable[Sequence[int]]) -> list[list[int]]:
    rings: list[list[int]] = []
    try:
        for face in faces:
            ring = np.asarray(face)
            if ring.ndim != 1 or (ring.size and ring.dtype.kind not in "iu"):
                raise TypeError
            rings.append([int(corner) for corner in ring])
    except (TypeError, ValueError, OverflowError):
        raise BadInput(f"faces must be lists of corner numbers, and face {len(rings)} is none.", "WRONG_KIND") from None
    return rings


def _areas(areas: ArrayLike | None, count: int) -> U8:
    if areas is None:
        return np.full(count, WALKABLE, np.uint8)
    ids: AnyArray = np.asarray(areas)
    if ids.shape != (count,) or (count and ids.dtype.kind not in "iu"):
        raise BadInput(f"areas must be one whole number per face ({count:,}), not {ids.dtype} of shape {ids.shape}.")
    if count and (ids.min() < 0 or ids.max() > WALKABLE):
        raise BadInput(
            f"area ids go from 0 (not walkable) to {WALKABLE}, but the input has {ids.min()} to {ids.max()}."
        )
    return ids.astype(np.uint8)
