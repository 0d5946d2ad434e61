"""What somebody changed by hand, from objects that say so to the edits of scene files: blocks, areas, places, patches.

The faces of an object are its outline, seen from above: those that hang together are one, where that has one border.
What is closed, as a box is, marks what lies within it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import bpy
import numpy as np
import numpy.typing as npt

from ..axes import Transform
from ..mesh_attributes import corners_of, points_of, read_column, starts_of
from ..stored.edit_objects import read_made
from ..stored.object_properties import NOT_WALKABLE, PLAIN, UNSET, NavmeshObject, marks_of, object_use
from ..stored.setup_properties import KINDS
from .gathered_level import SceneItem
from .mesh_arrays import F32, face_areas

Ring = list[int]
_SAME = 3  # digits of metres within which an edit that moves with another object is the one that it was
_NO_GROUND = 1e-9  # square metres
_CUBE = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], np.float64)


class _EditedMesh(NamedTuple):
    """The mesh of an object in navcore's coordinates."""

    points: F32
    rings: list[Ring]  # of its faces
    lines: list[Ring]  # closed chains of edges, where it has no faces
    areas: list[int]  # of each face, 0 for nothing

    @property
    def is_closed(self) -> bool:
        """Whether it has an inside: no face ends where no other begins."""
        return not self.rings or (len(self.points) > 0 and not _border(self.rings))


def items_of(
    object_: bpy.types.Object, evaluated: bpy.types.Object, transform: Transform, metres: float,
    hull: Callable[[npt.ArrayLike], list[list[float]]],
) -> list[SceneItem] | str:  # fmt: skip
    """The edits that an object makes, as scene files have them; or what is wrong with it, as a sentence about it."""
    use, marks = object_use(object_), marks_of(object_)
    if use == "KEEP":
        at = transform.points(np.zeros((1, 3)))[0]
        if not np.isfinite(at).all():
            return "its location is no number: it keeps nothing. Clear its location (Alt G)"
        return [{"kind": "keep", "at": at.tolist(), "name": object_.name}]
    shape = _shape_of(evaluated, transform)
    if not len(shape.points) or not np.isfinite(shape.points).all():
        return "has no size: it changes nothing. Scale it up, or give it faces"
    if use == "PATCH":
        return _patches(object_, shape, transform, metres)
    area = 0 if use == "BLOCK" or marks.area == NOT_WALKABLE else int(marks.area) or PLAIN
    kind: SceneItem = {"kind": "block"} if area == 0 else {"kind": "area", "area": area}
    items = [
        {**kind, "outline": outline, "min_height": low, "max_height": high, "name": object_.name}
        for outline, low, high in _outlines(shape, marks, metres, hull)
    ]
    return items or "covers no ground: it changes nothing. Give it an extent along X and Y"


def digest_of(object_: bpy.types.Object, item: SceneItem) -> str:
    """What an edit is, but for its name. One that moves with another object stays the same wherever that is."""
    content = {name: value for name, value in item.items() if name != "name"}
    if object_.parent is not None:
        marks, place = (
            marks_of(object_),
            [round(part, _SAME) for part in np.array(object_.matrix_local).ravel().tolist()],
        )
        content = {"kind": item["kind"], "in_parent": place, "reach": [marks.edit_below, marks.edit_above]}
        content["corners"] = sum(len(item.get(part) or ()) for part in ("outline", "vertices"))
    return hashlib.blake2b(json.dumps(content, sort_keys=True).encode(), digest_size=6).hexdigest()


def made_of(object_: bpy.types.Object, digest: str) -> tuple[tuple[str, float], ...]:
    """Square metres that an edit marked when it was made, by setup: as long as it is what it was then."""
    found = read_made(object_)
    return tuple((setup, known[digest]) for setup, known in sorted(found.items()) if digest in known)


# --- what an object is


def _shape_of(evaluated: bpy.types.Object, transform: Transform) -> _EditedMesh:
    if evaluated.type == "EMPTY":
        return _EditedMesh(transform.points(_CUBE * evaluated.empty_display_size), [], [], [])
    if evaluated.type not in KINDS:
        return _EditedMesh(transform.points(np.array(evaluated.bound_box, np.float64)), [], [], [])
    mesh = evaluated.to_mesh()
    points = transform.points(points_of(mesh)) if len(mesh.vertices) else np.empty((0, 3), np.float32)
    rings: list[Ring] = []
    lines: list[Ring] = []
    areas: list[int] = []
    if len(mesh.polygons):
        rings = [ring.tolist() for ring in np.split(corners_of(mesh), starts_of(mesh)[1:])]
        given, _ = face_areas(mesh, [])
        areas = [UNSET] * len(rings) if given is None else given.tolist()
    elif len(mesh.edges):
        lines = _closed_chains(read_column(mesh.edges, "vertices", width=2).tolist())
    evaluated.to_mesh_clear()
    return _EditedMesh(points, rings, lines, areas)


def _closed_chains(edges: Iterable[Sequence[int]]) -> list[Ring]:
    """Edges as rings, where each corner has two of them; others are none."""
    beside: dict[int, list[int]] = {}
    for a, b in edges:
        beside.setdefault(a, []).append(b)
        beside.setdefault(b, []).append(a)
    rings: list[Ring] = []
    seen: set[int] = set()
    for first in sorted(beside):
        ring, at = [], first
        while at not in seen:
            seen.add(at)
            ring.append(at)
            at = next((other for other in beside[at] if other not in seen), at)
        closed = len(ring) > 2 and first in beside[ring[-1]] and all(len(beside[k]) == 2 for k in ring)
        rings += [ring] if closed else []
    return rings


def _border(rings: Iterable[Ring]) -> list[tuple[int, int]]:
    """Edges of one face alone, as its ring goes through them."""
    found: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for ring in rings:
        for a, b in zip(ring, ring[1:] + ring[:1], strict=True):
            found.setdefault((min(a, b), max(a, b)), []).append((a, b))
    return [ways[0] for ways in found.values() if len(ways) == 1]


def joined_rings(rings: Sequence[Ring]) -> list[tuple[list[Ring], list[Ring]]]:
    """Faces that hang together by edges, and the outlines that they are: one around them all where they have but one
    border that does not touch itself, else each face by itself."""
    groups = faces_together(rings)
    found = []
    for group in groups:
        faces = [rings[k] for k in group]
        around = _one_loop(_border(faces))
        found.append((faces, faces if around is None else [around]))
    return found


def faces_together(rings: Sequence[Ring]) -> list[list[int]]:
    """The numbers of faces that share edges."""
    of_edge: dict[tuple[int, int], list[int]] = {}
    for number, ring in enumerate(rings):
        for a, b in zip(ring, ring[1:] + ring[:1], strict=True):
            of_edge.setdefault((min(a, b), max(a, b)), []).append(number)
    one = Union(len(rings))
    for first, *others in of_edge.values():
        for number in others:
            one.join(first, number)
    return one.groups()


class Union:
    """Numbers that belong together."""

    def __init__(self, count: int) -> None:
        self._of = list(range(count))

    def _find(self, number: int) -> int:
        while self._of[number] != number:
            self._of[number] = number = self._of[self._of[number]]
        return number

    def join(self, one: int, other: int) -> None:
        """These two do."""
        a, b = self._find(one), self._find(other)
        self._of[max(a, b)] = min(a, b)

    def groups(self) -> list[list[int]]:
        """All of them, each group by its smallest number."""
        found: dict[int, list[int]] = {}
        for number in range(len(self._of)):
            found.setdefault(self._find(number), []).append(number)
        return list(found.values())


def _one_loop(border: list[tuple[int, int]]) -> Ring | None:
    """The edges of a border as one ring that comes by no corner twice; None where they are none."""
    following = dict(border)
    if not border or len(following) < len(border):
        return None
    ring = [border[0][0]]
    while (at := following.get(ring[-1])) is not None and at != ring[0] and len(ring) <= len(border):
        ring.append(at)
    return ring if len(ring) == len(border) and following.get(ring[-1]) == ring[0] else None


# --- edits


def _outlines(
    shape: _EditedMesh, marks: NavmeshObject, metres: float, hull: Callable[[npt.ArrayLike], list[list[float]]]
) -> list[tuple[list[list[float]], float, float]]:
    """Each outline with the heights between which it marks."""
    if shape.is_closed and not shape.lines:
        around, heights = hull(shape.points[:, [0, 2]]), shape.points[:, 1]
        return [(around, float(heights.min()), float(heights.max()))] if len(around) > 2 else []
    found = []
    for faces, rings in joined_rings(shape.rings) if shape.rings else [([line], [line]) for line in shape.lines]:
        heights = shape.points[sorted({corner for face in faces for corner in face}), 1]
        low, high = float(heights.min()) - marks.edit_below * metres, float(heights.max()) + marks.edit_above * metres
        outlines = [shape.points[ring][:, [0, 2]].astype(np.float64) for ring in rings]
        found += [(outline.tolist(), low, high) for outline in outlines if _ground_of(outline) > _NO_GROUND]
    return found


def _ground_of(outline: npt.NDArray[np.float64]) -> float:
    """Square metres within an outline."""
    x, z = outline.T
    return abs(float(x @ np.roll(z, -1) - z @ np.roll(x, -1))) / 2


def _patches(
    object_: bpy.types.Object, shape: _EditedMesh, transform: Transform, metres: float
) -> list[SceneItem] | str:
    """One for each area of its faces; the first also takes the place of what is within the outlines it names."""
    usual, by_area = int(marks_of(object_).area) or PLAIN, dict[int, list[Ring]]()
    for ring, area in zip(shape.rings, shape.areas, strict=True):
        by_area.setdefault(area or usual, []).append(ring)
    by_area.pop(NOT_WALKABLE, None)
    if not by_area:
        return "has no faces that may be walked on: it is no patch. Give it faces, and an area that is walkable"
    footprints = _footprints(object_, transform)
    if footprints is None:
        return "no longer says whose place it takes: it changes nothing. Make a new patch of its faces"
    items: list[SceneItem] = []
    for area, rings in sorted(by_area.items()):
        used = sorted({corner for ring in rings for corner in ring})
        number = {corner: k for k, corner in enumerate(used)}
        items.append({
            "kind": "patch", "vertices": shape.points[used].tolist(),
            "faces": [[number[corner] for corner in ring] for ring in rings], "area": area, "name": object_.name,
        })  # fmt: skip
    marks = marks_of(object_)
    for k, outline in enumerate(footprints):
        if k:  # the same ground again: each takes the place of one outline
            items.insert(0, dict(items[0]))
        heights = np.array(items[0]["vertices"])[:, 1]
        below, above = float(heights.min() - outline[:, 1].min()), float(outline[:, 1].max() - heights.max())
        items[0] |= {
            "outline": outline[:, [0, 2]].tolist(), "below": max(0.0, below) + marks.edit_below * metres,
            "above": max(0.0, above) + marks.edit_above * metres,
        }  # fmt: skip
    return items


def _footprints(object_: bpy.types.Object, transform: Transform) -> list[npt.NDArray[np.float64]] | None:
    """(., 3) outlines on the ground whose place a patch takes; None where what says so is damaged."""
    try:
        given = [np.array(outline, np.float64) for outline in json.loads(marks_of(object_).edit_footprint or "[]")]
    except (TypeError, ValueError):
        return None
    if not all(o.ndim == 2 and o.shape[1] == 3 and len(o) > 2 and np.isfinite(o).all() for o in given):
        return None
    return [transform.points(outline).astype(np.float64) for outline in given]
