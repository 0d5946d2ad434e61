"""Outliers: a few triangles far from all others, a sky around the level, vertices that no triangle uses.

The box around a level is cut into cubes. What cubes touch hangs together; what is left for itself and far away, or all
around, is what somebody did not want to build.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...build_warning import BuildWarning, Point, in_words
from ...jit import kernel
from ...types import F32, F64, I32, U8, Geometry
from .survey import CUBES, Survey

_FAR = 3.0  # times the longest side of the rest
_FAR_GROUND = 10.0  # the same for what agents could stand on: islands are not outliers
_FAR_IN_HEIGHTS = 25.0  # of the agent
_FEW = 0.1  # the share of all vertices, or of all ground, that something far away has at most
_STANDING = 4.0  # m² that agents could stand on
_SKY_IN_HEIGHTS, _SKY_IN_METRES = 20.0, 40.0  # a hall is lower
_SKY_WIDER = 2.0  # times what it surrounds
_SKY_TALL = 0.3  # of its width
_SKY_COVERS = 0.6  # of the ground below it


class Outlier(NamedTuple):
    """Triangles that are probably not meant."""

    triangles: I32
    metres: float  # to the rest; of a sky, how wide it is
    is_sky: bool
    place: Point  # the middle of one of them


class _Part(NamedTuple):
    """Cubes that touch."""

    cubes: I32  # (n, 3)
    share: float  # of all vertices
    ground: float  # of all ground
    metres: float  # m² of ground

    @property
    def low(self) -> I32:
        low: I32 = self.cubes.min(axis=0)
        return low

    @property
    def high(self) -> I32:
        high: I32 = self.cubes.max(axis=0) + 1
        return high


def outlier_in(geometry: Geometry, found: Survey, agent_height: float) -> Outlier | None:
    """The first outlier that a survey shows."""
    parts = _parts(found)
    if not parts:
        return None
    side = found.side
    for part in parts:
        rest = [other for other in parts if other is not part]
        if _is_sky(part, _around(rest), side, agent_height):
            chosen = _triangles_in(geometry, found, part)
            if not len(chosen):  # vertices that nobody uses
                continue
            return Outlier(chosen, float(max(found.size[0], found.size[2])), True, _middle(geometry, chosen))
    core, others = _core(parts, side)
    far = _FAR_IN_HEIGHTS * agent_height
    for part in sorted(others, key=lambda part: part.share):
        times = _FAR_GROUND if part.metres > _STANDING else _FAR
        gap = _gap(part, core, side)
        if part.share <= _FEW and part.ground <= _FEW and gap.max() > max(times * _widest(core, side), far):
            chosen = _triangles_in(geometry, found, part)
            if not len(chosen):
                continue
            return Outlier(chosen, _distance(geometry, chosen), False, _middle(geometry, chosen))
    return None


_Box = tuple[I32, I32]


def _around(parts: list[_Part]) -> _Box:
    return np.min([part.low for part in parts], axis=0), np.max([part.high for part in parts], axis=0)


def _gap(part: _Part, box: _Box, side: F64) -> F64:
    """(3,) metres between a part and a box along each axis."""
    gap: F64 = np.maximum(np.maximum(box[0] - part.high, part.low - box[1]), 0) * side
    return gap


def _widest(box: _Box, side: F64) -> float:
    return float(((box[1] - box[0]) * side).max())


def _core(parts: list[_Part], side: F64) -> tuple[_Box, list[_Part]]:
    """The box around the part that holds most and all that are not far from it, and the other parts."""
    first = max(parts, key=lambda part: part.share + part.ground)
    box, others = (first.low, first.high), [part for part in parts if part is not first]
    while True:
        near = [part for part in others if _gap(part, box, side).max() <= _FAR * _widest(box, side)]
        if not near:
            return box, others
        box = np.minimum(box[0], _around(near)[0]), np.maximum(box[1], _around(near)[1])
        others = [part for part in others if all(part is not other for other in near)]


def _is_sky(part: _Part, rest: _Box, side: F64, agent_height: float) -> bool:
    """Whether a part lies around and above all others with much room between."""
    size, inner = (part.high - part.low) * side, (rest[1] - rest[0]) * side
    around = (part.low[[0, 2]] < rest[0][[0, 2]]).all() and (part.high > rest[1]).all()
    wide = size[[0, 2]].max()
    tall = max(_SKY_IN_HEIGHTS * agent_height, _SKY_IN_METRES, _SKY_TALL * wide)
    if not around or size[1] <= tall or wide < _SKY_WIDER * inner[[0, 2]].max():
        return False
    upper = part.cubes[part.cubes[:, 1] * 2 + 1 >= part.low[1] + part.high[1]]
    covered = len(np.unique(upper[:, [0, 2]], axis=0))
    return bool(covered >= _SKY_COVERS * np.prod((part.high - part.low)[[0, 2]]))


def _parts(found: Survey) -> list[_Part]:
    label = np.zeros(CUBES**3, np.int32)
    count = int(_parts_kernel(found.touched, label))
    if count < 2:
        return []
    corners, ground = max(int(found.corners.sum()), 1), max(float(found.walkable.sum()), 1e-30)
    parts = []
    for number in range(1, count + 1):
        own = np.flatnonzero(label == number)
        cubes = np.stack([own // CUBES**2, own // CUBES % CUBES, own % CUBES], axis=1).astype(np.int32)
        own_ground = float(found.walkable[own].sum())
        parts.append(_Part(cubes, found.corners[own].sum() / corners, own_ground / ground, own_ground))
    return parts


@kernel
def _parts_kernel(touched: U8, label: I32) -> int:
    """Number the cubes that touch each other, also at corners; returns how many parts there are."""
    waiting = np.empty(touched.shape[0], np.int32)
    count = 0
    for start in range(touched.shape[0]):
        if touched[start] == 0 or label[start] != 0:
            continue
        count += 1
        label[start], waiting[0], left = count, start, 1
        while left > 0:
            left -= 1
            cube = waiting[left]
            x, y, z = cube // (CUBES * CUBES), cube // CUBES % CUBES, cube % CUBES
            for i in range(max(x - 1, 0), min(x + 2, CUBES)):
                for j in range(max(y - 1, 0), min(y + 2, CUBES)):
                    for k in range(max(z - 1, 0), min(z + 2, CUBES)):
                        near = (i * CUBES + j) * CUBES + k
                        if touched[near] != 0 and label[near] == 0:
                            label[near] = count
                            waiting[left] = near
                            left += 1
    return count


def _triangles_in(geometry: Geometry, found: Survey, part: _Part) -> I32:
    """Those with their first corners in the cubes of a part."""
    inside = np.zeros((CUBES, CUBES, CUBES), bool)
    inside[tuple(part.cubes.T)] = True
    corners = geometry.vertices[geometry.triangles[:, 0]].astype(np.float64)
    cubes = np.clip(((corners - found.cubes[0]) * found.cubes[1]).astype(np.int64), 0, CUBES - 1)
    return np.flatnonzero(inside[tuple(cubes.T)]).astype(np.int32)


def _distance(geometry: Geometry, chosen: I32) -> float:
    """Metres between the boxes around some triangles and around all others."""
    away = np.zeros(len(geometry.triangles), bool)
    away[chosen] = True
    some, others = (geometry.vertices[geometry.triangles[rows].ravel()].astype(np.float64) for rows in (away, ~away))
    gap = np.maximum(np.maximum(others.min(axis=0) - some.max(axis=0), some.min(axis=0) - others.max(axis=0)), 0.0)
    return float(np.linalg.norm(gap))


def _middle(geometry: Geometry, chosen: I32) -> Point:
    x, y, z = geometry.vertices[geometry.triangles[chosen[0]]].astype(np.float64).mean(axis=0).tolist()
    return round(x, 3), round(y, 3), round(z, 3)


def outlier_warning(outlier: Outlier, found: Survey) -> BuildWarning:
    """What is said of an outlier."""
    count = len(outlier.triangles)
    what = f"{count:,} triangle{'s' if count > 1 else ''}"
    size = " × ".join(in_words(float(side), 1) for side in found.size)
    if outlier.is_sky:
        return BuildWarning(
            "OUTLIER",
            f"{what} lie all around the level with much room between, as a sky does: it is {size} m large with "
            f"{'them' if count > 1 else 'it'}. Leave the sky out, or give bounds around the level.",
            outlier.place,
        )  # fmt: skip
    lie, them = ("lie", "them") if count > 1 else ("lies", "it")
    return BuildWarning(
        "OUTLIER",
        f"{what} {lie} {in_words(outlier.metres, 0)} m away from all others: with {them} the level is {size} m large. "
        f"Move {them}, leave {them} out, or give bounds around the level.",
        outlier.place,
    )  # fmt: skip


def spare_vertices(geometry: Geometry, box: tuple[F32, F32], found: Survey, agent_height: float) -> BuildWarning | None:
    """Vertices that no triangle uses, far from those that triangles use: the `box` of the level is around them, too."""
    low, high = (corner.astype(np.float64) for corner in box)
    beyond = np.maximum(found.low - low, high - found.high)
    limit = max(_FAR * float(found.size.max()), _FAR_IN_HEIGHTS * agent_height)
    if not beyond.max() > limit:
        return None
    axis = int(np.argmax(beyond))
    column = geometry.vertices[:, axis]
    number = int(column.argmin() if found.low[axis] - low[axis] >= high[axis] - found.high[axis] else column.argmax())
    x, y, z = geometry.vertices[number].tolist()
    return BuildWarning(
        "OUTLIER",
        f"Vertex {number} is used by no triangle and lies {in_words(float(beyond.max()), 0)} m away from all that are: "
        "the level is as large as if there were something. Leave it out, or give bounds around the level.",
        (round(x, 3), round(y, 3), round(z, 3)),
    )  # fmt: skip
