"""One part of a level: its triangles where they are, and which tiles see which of them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence

import numpy as np

from ...build_warning import BuildWarning
from ...errors import BadInput
from ...geometry.tile_grid import Selection, TileGrid, changed_tiles, select_triangles
from ...geometry.tile_key import TileKey, rectangle_around
from ...jit import kernel
from ...threads import Workers
from ...types import F32, F64, I32, U8, WALKABLE, ArrayLike, Geometry
from ..checked_input import checked_geometry

_SINGULAR = 1e-7  # the smallest scale in the largest: less is lost in float32
_FEW = 64  # triangles: which tile sees which of them is not worth finding out
NOTHING = Geometry(np.zeros((0, 3), np.float32), np.zeros((0, 3), np.int32), np.zeros(0, np.uint8))
NO_BOX = np.array([np.inf] * 3 + [-np.inf] * 3, np.float32)  # inside out: around nothing


class Part:
    """Triangles of a level that come, go and move together."""

    def __init__(self, geometry: Geometry) -> None:
        self.geometry = geometry  # `area` is empty where none was given
        self.box = _box_around(geometry.vertices)
        self.number = 0  # in the order in which their triangles are built from
        self.is_flat = False  # its matrix left it no volume
        self.arrival = 0  # another one where it went and came again, or was put elsewhere among the others
        self._tile_grid: TileGrid | None = None  # that of what follows
        self._places: set[TileKey] = set()
        self._selection: Selection | None = None

    def places(self, tile_grid: TileGrid) -> set[TileKey]:
        """The tiles that may see it."""
        if self._tile_grid is not tile_grid:
            self._tile_grid, self._selection = tile_grid, None
            self._places = set(changed_tiles(tile_grid, self.box[:3], self.box[3:]))
        return self._places

    def seen_from(self, place: TileKey, tile_grid: TileGrid, workers: Workers) -> I32:
        """The triangles that a tile sees, in their order."""
        places = self.places(tile_grid)
        if place not in places:
            return np.zeros(0, np.int32)
        if self._selection is None:
            corners = rectangle_around(places)
            self._selection = select_triangles(
                tile_grid, self.geometry.vertices, self.geometry.triangles, *corners, workers
            )
        return self._selection.of(place)

    def around(self, places: set[TileKey], tile_grid: TileGrid, workers: Workers) -> Geometry:
        """Its triangles that these tiles see, and perhaps others, in their order."""
        mine = self.places(tile_grid)
        if len(self.geometry.triangles) <= _FEW or mine <= places:
            return self.geometry
        seen = [self.seen_from(place, tile_grid, workers) for place in mine & places]
        chosen = np.unique(np.concatenate([np.zeros(0, np.int32), *seen]))
        corners = self.geometry.vertices[self.geometry.triangles[chosen].ravel()]
        triangles = np.arange(len(corners), dtype=np.int32).reshape(-1, 3)
        area = self.geometry.area
        return Geometry(corners, triangles, area[chosen] if len(area) else area)


def part_of(
    name: str,
    vertices: ArrayLike,
    triangles: ArrayLike,
    matrix: ArrayLike | None,
    areas: ArrayLike | None,
) -> Part:
    """A part of what came in, checked as a whole level is; arrays of its own. Raises BadInput that names the part."""
    try:
        if np.size(triangles) == 0:  # a level may have such parts, though it can't consist of them
            points = (
                checked_geometry(vertices, np.zeros((1, 3), np.int32), None).vertices if np.size(vertices) else None
            )
            geometry = NOTHING if points is None else NOTHING._replace(vertices=points)
        else:
            geometry = checked_geometry(vertices, triangles, areas)
        points, indices = geometry.vertices, geometry.triangles
        if matrix is not None:
            points, indices = _placed(points, indices, matrix)
            _ = checked_geometry(points, indices, None) if len(indices) else None
    except BadInput as reason:
        raise BadInput(f"Part “{name}”: {reason}", reason.code) from None
    part = Part(Geometry(points.copy(), indices.copy(), geometry.area.copy()))  # which nobody else can write to
    part.is_flat = matrix is not None and _is_singular(np.asarray(matrix, np.float64)[:3, :3])
    return part


def part_warning(name: str, part: Part) -> BuildWarning:
    """What is said of a part that its matrix leaves no volume."""
    place = part.box[:3].tolist() if len(part.geometry.vertices) else None
    return BuildWarning(
        "ZERO_SCALE",
        f"Part “{name}” is scaled to nothing along an axis: its matrix has no inverse, and what had a volume has none. "
        "Set another matrix, or remove the part.",
        None if place is None else (round(place[0], 3), round(place[1], 3), round(place[2], 3)),
        name,
    )  # fmt: skip


def _is_singular(linear: F64) -> bool:
    """Whether it makes all that it turns flat, as far as float32 tells."""
    sizes = np.linalg.svd(linear, compute_uv=False)
    return bool(sizes[-1] <= _SINGULAR * sizes[0])


def _placed(points: F32, triangles: I32, matrix: ArrayLike) -> tuple[F32, I32]:
    """Computed in float64 and rounded once. Mirrored triangles are turned around, so that they keep facing outward."""
    try:
        way = np.asarray(matrix, np.float64)
    except (TypeError, ValueError):
        way = np.zeros(0)
    if way.shape != (4, 4) or not np.isfinite(way).all():
        raise BadInput("matrix must be 4 × 4 finite numbers, those of a column multiplied from the left.")
    linear = way[:3, :3]
    with np.errstate(over="ignore"):  # what becomes infinite is found by the check that follows
        placed = (points.astype(np.float64) @ linear.T + way[:3, 3]).astype(np.float32)
    return placed, np.ascontiguousarray(triangles[:, [0, 2, 1]]) if np.linalg.det(linear) < 0 else triangles


def staying(numbers: Sequence[int]) -> set[int]:
    """Positions of numbers of which each is larger than the one before, as many as there are: the others moved."""
    last: list[int] = []  # the smallest number that so many in a row can end with
    ends: list[int] = []  # and its position
    before: list[int] = []
    for position, number in enumerate(numbers):
        place = bisect_left(last, number)
        last[place : place + 1] = [number]
        ends[place : place + 1] = [position]
        before.append(ends[place - 1] if place else -1)
    found, position = set(), ends[-1] if ends else -1
    while position >= 0:
        found.add(position)
        position = before[position]
    return found


def _box_around(vertices: F32) -> F32:
    """(6,) minimum and maximum; inside out around nothing."""
    if len(vertices) == 0:
        return NO_BOX
    return np.concatenate([vertices.min(axis=0), vertices.max(axis=0)])


def joined(parts: Iterable[Geometry], with_areas: bool | None = None) -> Geometry:
    """All triangles one after the other; what says no area is plain walkable ground where others say one.

    `with_areas`: whether any says one, where these are some of many; None to see.
    """
    pieces = [NOTHING, *parts]
    counts = [len(piece.vertices) for piece in pieces]
    starts = (np.cumsum(counts) - counts).astype(np.int32)
    triangles = np.concatenate([piece.triangles + start for piece, start in zip(pieces, starts, strict=True)])
    area = NOTHING.area
    if any(len(piece.area) for piece in pieces) if with_areas is None else with_areas:
        plain = (np.full(len(piece.triangles), WALKABLE, np.uint8) for piece in pieces)
        area = np.concatenate(
            [piece.area if len(piece.area) else one for piece, one in zip(pieces, plain, strict=True)]
        )
    return Geometry(np.concatenate([piece.vertices for piece in pieces]), triangles, area)


def places_that_differ(old: Part, new: Part, tile_grid: TileGrid, workers: Workers) -> set[TileKey]:
    """The tiles that see something else of a part than before."""
    if _same(old.geometry, new.geometry):
        return set()
    both = old.places(tile_grid) | new.places(tile_grid)
    if len(old.geometry.triangles) <= _FEW or len(new.geometry.triangles) <= _FEW:
        return both
    before, after = (*old.geometry[:2], _areas(old)), (*new.geometry[:2], _areas(new))
    differing = set()
    for place in both:
        seen, seen_now = (part.seen_from(place, tile_grid, workers) for part in (old, new))
        if not _same_seen_kernel(*before, seen, *after, seen_now):
            differing.add(place)
    return differing


def _same(old: Geometry, new: Geometry) -> bool:
    pairs = ((old.vertices, new.vertices), (old.triangles, new.triangles), (old.area, new.area))
    return all(np.array_equal(one, other) for one, other in pairs)


def _areas(part: Part) -> U8:
    """One area for each triangle; 255, which is none, where the part says nothing."""
    area = part.geometry.area
    return area if len(area) else np.full(len(part.geometry.triangles), 255, np.uint8)


@kernel
def _same_seen_kernel(
    vertices: F32, triangles: I32, area: U8, seen: I32,
    other_vertices: F32, other_triangles: I32, other_area: U8, other_seen: I32,
) -> bool:  # fmt: skip
    """Whether two lists of triangles have the same corners and areas, one after the other."""
    if len(seen) != len(other_seen):
        return False
    for i in range(len(seen)):
        if area[seen[i]] != other_area[other_seen[i]]:
            return False
        for corner in range(3):
            a = triangles[seen[i], corner]
            b = other_triangles[other_seen[i], corner]
            for axis in range(3):
                if vertices[a, axis] != other_vertices[b, axis]:
                    return False
    return True
