"""Columns through a level, a few cells apart: what surfaces lie above each other there, and which of them look down.

In each, from above: what looks up is where one enters matter, what looks down is where one leaves it. A floor that was
turned over is left without ever having been entered, and there is nothing below it that it could be the ceiling of.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...geometry.arrays import flatten, join
from ...jit import borrowing, kernel
from ...types import F32, F64, I32, NOT_WALKABLE, U8, Geometry

# What lies at one height of a column. BOTH: two faces that look up and down, as planes seen from both sides have them.
STEEP_UP, UP, STEEP_DOWN, DOWN, BOTH = 1, 2, 3, 4, 5
# What a surface that looks down and has room above it may be.
UNDERSIDE, CEILING, THIN, BARE = 1, 2, 3, 4
WHAT = 7
UNDER_AIR = 8  # beside these: what lies next above it looks down, too
BESIDE_SKY = 16  # … open ground lies beside it
CONTINUED = 32  # … what looks up goes on beside it at its height
SLAB = 64  # … what is below it is so close that nobody has a room there
_LOW = 0.6  # of the agent's height
_WALL = 0.5  # the y of a normal up to which it is a wall's
_WALLS = 64  # that a ray meets
_FAR = 1e9  # columns: beyond it nothing lies in any lattice, and all is one


class ColumnLattice(NamedTuple):
    """Where columns stand."""

    x: float  # of the first
    z: float
    step: float  # metres from one to the next
    width: int  # columns along x
    depth: int

    @property
    def square(self) -> float:
        """The m² that a column stands for."""
        return self.step * self.step

    def place(self, column: int) -> tuple[float, float]:
        """x and z of a column."""
        return self.x + column % self.width * self.step, self.z + column // self.width * self.step


class Standing(NamedTuple):
    """Whom a floor is for, and what counts as the same height."""

    least_normal_y: float
    height: float
    alike: float


class Column(NamedTuple):
    """Surfaces of all columns: those of column c are first[c]:first[c + 1], from above."""

    first: I32
    height: F64
    kind: U8


class Looking(NamedTuple):
    """Surfaces that look down and could be ground, and the free heights over floors."""

    column: I32
    height: F64
    what: U8  # UNDERSIDE … BARE, with UNDER_AIR and the others
    free: F64  # metres from floors up to the next surface above them that looks down
    without_room: int  # floors that look up and have no room for the agent
    odd: int  # of the surfaces: so many may be ground
    undersides: int


def columns_of(geometry: Geometry, lattice: ColumnLattice, agent: Standing) -> Looking:
    """What looks down in the columns of a lattice."""
    return Looking(*_looking_kernel(_columns_kernel(geometry, lattice, agent), lattice, agent))


@kernel
def _columns_kernel(geometry: Geometry, lattice: ColumnLattice, agent: Standing) -> Column:
    """The surfaces in all columns."""
    heads = np.full(lattice.width * lattice.depth, -1, np.int32)
    most = 4 * heads.shape[0] + 64
    below, heights, kinds, count = np.empty(most, np.int32), np.empty(most), np.empty(most, np.uint8), 0
    triangles, around = geometry.triangles, _around(geometry.vertices, lattice)
    for t in range(triangles.shape[0]):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        x0 = max(min(around[a, 1], min(around[b, 1], around[c, 1])), 0)
        x1 = min(max(around[a, 0], max(around[b, 0], around[c, 0])) + 1, lattice.width)
        if x0 >= x1:
            continue
        z0 = max(min(around[a, 3], min(around[b, 3], around[c, 3])), 0)
        z1 = min(max(around[a, 2], max(around[b, 2], around[c, 2])) + 1, lattice.depth)
        if z0 >= z1:
            continue
        kind = _kind(geometry, t, agent.least_normal_y)
        for k in range(z0, z1):
            for i in range(x0, x1):
                height = _height_at(geometry, t, lattice.x + i * lattice.step, lattice.z + k * lattice.step)
                if np.isnan(height):
                    continue
                if count == most:
                    below, heights, kinds = (
                        np.append(below, below),
                        np.append(heights, heights),
                        np.append(kinds, kinds),
                    )
                    most = below.shape[0]
                column = i + k * lattice.width
                below[count], heights[count], kinds[count] = heads[column], height, kind
                heads[column] = count
                count += 1
    return _sorted(heads, below, heights, kinds, agent.alike, count)


@kernel
def _around(vertices: F32, lattice: ColumnLattice) -> I32:
    """(V, 4) the columns to both sides of each vertex, along x and z: the last before it and the first after it."""
    around, scale = np.empty((vertices.shape[0], 4), np.int32), 1.0 / lattice.step
    for v in range(vertices.shape[0]):
        x = (float(vertices[v, 0]) - lattice.x) * scale
        z = (float(vertices[v, 2]) - lattice.z) * scale
        x, z = max(min(x, _FAR), -_FAR), max(min(z, _FAR), -_FAR)
        around[v, 0], around[v, 1] = int(np.floor(x)), int(np.ceil(x))
        around[v, 2], around[v, 3] = int(np.floor(z)), int(np.ceil(z))
    return around


@borrowing
def _kind(geometry: Geometry, t: int, least_normal_y: float) -> int:
    """Which of STEEP_UP, UP, STEEP_DOWN and DOWN a triangle is."""
    vertices, triangles, area = geometry
    a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
    ex, ey, ez = (
        float(vertices[b, 0]) - float(vertices[a, 0]), float(vertices[b, 1]) - float(vertices[a, 1]),
        float(vertices[b, 2]) - float(vertices[a, 2]),
    )  # fmt: skip
    fx, fy, fz = (
        float(vertices[c, 0]) - float(vertices[a, 0]), float(vertices[c, 1]) - float(vertices[a, 1]),
        float(vertices[c, 2]) - float(vertices[a, 2]),
    )  # fmt: skip
    x, y, z = ey * fz - ez * fy, ez * fx - ex * fz, ex * fy - ey * fx
    flat = abs(y) > least_normal_y * np.sqrt(x * x + y * y + z * z)
    if area.shape[0] != 0 and area[t] == NOT_WALKABLE:
        flat = False
    if y > 0:
        return UP if flat else STEEP_UP
    return DOWN if flat else STEEP_DOWN


@borrowing
def _height_at(geometry: Geometry, t: int, x: float, z: float) -> float:
    """How high a triangle is at a place; NaN beside it, and where it is upright."""
    vertices, triangles = geometry.vertices, geometry.triangles
    a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
    ax, az = float(vertices[a, 0]) - x, float(vertices[a, 2]) - z
    bx, bz = float(vertices[b, 0]) - x, float(vertices[b, 2]) - z
    cx, cz = float(vertices[c, 0]) - x, float(vertices[c, 2]) - z
    p, q, r = bx * cz - bz * cx, cx * az - cz * ax, ax * bz - az * bx
    whole = p + q + r
    if whole == 0 or (min(p, min(q, r)) < 0 and max(p, max(q, r)) > 0):
        return np.nan
    return (p * float(vertices[a, 1]) + q * float(vertices[b, 1]) + r * float(vertices[c, 1])) / whole


@kernel
def _sorted(heads: I32, below: I32, heights: F64, kinds: U8, alike: float, hits: int) -> Column:
    """Columns from above; faces at one height are one surface, and BOTH where they look both ways.

    heads[c] is the first hit of column c, and below[i] the one after hit i; −1: there is none.
    """
    first = np.zeros(heads.shape[0] + 1, np.int32)
    height, kind = np.empty(hits), np.empty(hits, np.uint8)
    count = 0
    for column in range(heads.shape[0]):
        begin, hit = count, heads[column]
        while hit >= 0:
            j = count
            while j > begin and height[j - 1] < heights[hit]:
                height[j], kind[j] = height[j - 1], kind[j - 1]
                j -= 1
            height[j], kind[j] = heights[hit], kinds[hit]
            count += 1
            hit = below[hit]
        end, count = count, begin
        for i in range(begin, end):
            if count > begin and height[count - 1] - height[i] <= alike:
                if _looks_down(kind[count - 1]) != _looks_down(kind[i]):
                    kind[count - 1] = BOTH
                elif kind[i] == UP or kind[i] == DOWN:
                    kind[count - 1] = max(kind[count - 1], kind[i])
            else:
                height[count], kind[count] = height[i], kind[i]
                count += 1
        first[column + 1] = count
    return Column(first, height[:count], kind[:count])


@borrowing
def _looks_down(kind: int) -> bool:
    return kind >= STEEP_DOWN and kind != BOTH


@kernel
def _looking_kernel(column: Column, lattice: ColumnLattice, agent: Standing) -> tuple[I32, F64, U8, F64, int, int, int]:
    """The fields of Looking."""
    first, height, kind = column
    most, without_room = kind.shape[0], 0
    owner, level, what, free = np.empty(most, np.int32), np.empty(most), np.empty(most, np.uint8), np.empty(most)
    count, frees, odd, undersides = 0, 0, 0, 0
    for c in range(first.shape[0] - 1):
        deep = 0
        for i in range(first[c], first[c + 1]):
            above = height[i - 1] - height[i] if i > first[c] else np.inf
            under = i > first[c] and kind[i - 1] >= STEEP_DOWN
            if kind[i] == UP and under:
                free[frees] = above
                frees += 1
            if (kind[i] == UP or kind[i] == BOTH) and above < agent.height:
                without_room += 1
            if kind[i] == DOWN and above >= agent.height:
                found = _what(column, c, i, deep, agent.height)
                if under:
                    found |= UNDER_AIR
                if i == first[c] or under:
                    found |= _beside(column, lattice, c, i)
                sort = found & WHAT
                if sort == UNDERSIDE:
                    undersides += 1
                elif sort == BARE or found & CONTINUED or (sort == THIN and found != THIN):
                    odd += 1
                owner[count], level[count], what[count] = c, height[i], found
                count += 1
            if kind[i] == UP or kind[i] == STEEP_UP:
                deep += 1
            elif kind[i] != BOTH and deep > 0:
                deep -= 1
    return owner[:count], level[:count], what[:count], free[:frees], without_room, odd, undersides


@borrowing
def _what(column: Column, c: int, i: int, deep: int, tall: float) -> int:
    """UNDERSIDE, CEILING, THIN (perhaps with SLAB) or BARE, of a surface that looks down."""
    first, height, kind = column
    for floor in range(i + 1, first[c + 1]):
        if kind[floor] == UP or kind[floor] == STEEP_UP or kind[floor] == BOTH:
            if height[i] - height[floor] >= tall:
                return CEILING
            if deep > 0:
                return UNDERSIDE
            return THIN | (SLAB if height[i] - height[floor] < _LOW * tall else 0)
    return UNDERSIDE if deep > 0 else BARE


@borrowing
def _beside(column: Column, lattice: ColumnLattice, c: int, i: int) -> int:
    """BESIDE_SKY and CONTINUED, as far as they are so."""
    first, height, kind = column
    said = 0
    x, z = c % lattice.width, c // lattice.width
    for k in range(max(z - 1, 0), min(z + 2, lattice.depth)):
        for j in range(max(x - 1, 0), min(x + 2, lattice.width)):
            other = j + k * lattice.width
            for s in range(first[other], first[other + 1]):
                top = s == first[other]
                if kind[s] != UP and kind[s] != BOTH:
                    continue
                if top and height[s] < height[i] + lattice.step:
                    said |= BESIDE_SKY
                same = top == (i == first[c]) and (top or kind[s - 1] >= STEEP_DOWN)
                if same and abs(height[s] - height[i]) <= lattice.step / 2:
                    said |= CONTINUED
    return said


def patches_of(looking: Looking, lattice: ColumnLattice) -> I32:
    """Which patch each surface that looks down belongs to: those beside each other at about one height are one."""
    label = np.arange(len(looking.column), dtype=np.int32)
    _patches_kernel(looking.column, looking.height, lattice, label)
    return label


@kernel
def _patches_kernel(column: I32, height: F64, lattice: ColumnLattice, label: I32) -> None:
    begins = np.searchsorted(column, np.arange(lattice.width * lattice.depth + 1))
    for i in range(column.shape[0]):
        c = column[i]
        for side in range(2):
            if side == 0 and c % lattice.width == lattice.width - 1:
                continue
            other = c + (1 if side == 0 else lattice.width)
            if other >= lattice.width * lattice.depth:
                continue
            for j in range(begins[other], begins[other + 1]):
                if abs(height[i] - height[j]) <= lattice.step:
                    join(label, np.int32(i), np.int32(j))
    flatten(label)


@kernel
def leaves_matter(geometry: Geometry, x: float, y: float, z: float, axis: int, sign: float) -> bool:
    """Whether a ray along an axis leaves more bodies through their walls than it enters: it has begun inside of one."""
    vertices, triangles = geometry.vertices, geometry.triangles
    start = (x, y, z)
    one, other = (axis + 1) % 3, (axis + 2) % 3
    far, ways, count = np.empty(_WALLS), np.empty(_WALLS, np.int8), 0
    for t in range(triangles.shape[0]):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        ax, az = float(vertices[a, one]) - start[one], float(vertices[a, other]) - start[other]
        bx, bz = float(vertices[b, one]) - start[one], float(vertices[b, other]) - start[other]
        cx, cz = float(vertices[c, one]) - start[one], float(vertices[c, other]) - start[other]
        if min(ax, min(bx, cx)) > 0 or max(ax, max(bx, cx)) < 0 or min(az, min(bz, cz)) > 0 or max(az, max(bz, cz)) < 0:
            continue
        p, q, r = bx * cz - bz * cx, cx * az - cz * ax, ax * bz - az * bx
        whole = p + q + r
        if whole == 0 or (min(p, min(q, r)) < 0 and max(p, max(q, r)) > 0):
            continue
        there = (p * float(vertices[a, axis]) + q * float(vertices[b, axis]) + r * float(vertices[c, axis])) / whole
        kind = _kind(geometry, t, _WALL)
        if sign * (there - start[axis]) > 0 and count < _WALLS and kind != UP and kind != DOWN:
            far[count], ways[count] = sign * (there - start[axis]), 1 if sign * whole > 0 else -1
            count += 1
    passed, order = 0, np.argsort(far[:count])
    for i in range(count):
        passed += ways[order[i]]
        if passed > 0:
            return True
    return False
