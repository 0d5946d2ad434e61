"""The velocity nearest to a wish that half-planes and a largest speed allow; where none is left, the least bad one.

A half-plane is a row (x, z, least) of a unit vector and a number: it allows the velocities whose product with the
vector is not smaller than the number. Some rows are walls, which come first and always allow standing still; the others
are agents. Van den Berg, Guy, Lin and Manocha, "Reciprocal n-body collision avoidance", ISRR 2009, sections 5.1 to 5.3.
"""

from __future__ import annotations

import numpy as np

from ..jit import kernel
from ..types import F64, AnyBool, AnyInt

_PARALLEL = 1e-9
_SLACK = 1e-12  # metres a second: a velocity that is short of a half-plane by less is in it


@kernel
def best_velocity(
    planes: F64, between: F64, walls: AnyInt, count: AnyInt, most: float, wish_x: float, wish_z: float
) -> tuple[float, float]:
    """What an agent does that wishes to move like this. `between` is room for as many rows as `planes` has."""
    failed, x, z = _nearest(planes, count, most, wish_x, wish_z)
    if failed < count:
        return _least_bad(planes, between, walls, count, max(failed, walls), most, x, z)
    return x, z


@kernel
def _nearest(planes: F64, count: AnyInt, most: float, wish_x: float, wish_z: float) -> tuple[int, float, float]:
    """The allowed velocity nearest to the wish; and the first half-plane that leaves none, `count` if all do."""
    x, z = wish_x, wish_z
    speed = np.sqrt(x * x + z * z)
    if speed > most:
        x, z = x / speed * most, z / speed * most
    for i in range(count):
        if planes[i, 0] * x + planes[i, 1] * z < planes[i, 2] - _SLACK:
            allowed, line_x, line_z = _on_line(planes, i, most, wish_x, wish_z, False)
            if not allowed:
                return i, x, z
            x, z = line_x, line_z
    return int(count), x, z


@kernel
def _on_line(
    planes: F64, i: AnyInt, most: float, toward_x: float, toward_z: float, farthest: AnyBool
) -> tuple[bool, float, float]:
    """On the border of half-plane i and in all before it: what is nearest to a velocity, or farthest along it."""
    x, z, least = planes[i, 0], planes[i, 1], planes[i, 2]
    room = most * most - least * least
    if room < 0:
        return False, 0.0, 0.0
    high = np.sqrt(room)
    low = -high
    for j in range(i):
        steep = planes[j, 1] * x - planes[j, 0] * z
        gap = planes[j, 2] - least * (planes[j, 0] * x + planes[j, 1] * z)
        if abs(steep) <= _PARALLEL:
            if gap > _PARALLEL:
                return False, 0.0, 0.0
        elif steep > 0:
            low = max(low, gap / steep)
        else:
            high = min(high, gap / steep)
        if low > high:
            return False, 0.0, 0.0
    along = toward_z * x - toward_x * z
    if farthest:
        along = high if along > 0 else low
    else:
        along = min(max(along, low), high)
    return True, least * x - along * z, least * z + along * x


@kernel
def _least_bad(
    planes: F64, between: F64, walls: AnyInt, count: AnyInt, first: AnyInt, most: float, x: float, z: float
) -> tuple[float, float]:
    """Within the walls, the velocity that is least far outside of any agent's half-plane.

    How far it is outside is the height over a plane of velocities: half-plane by half-plane, the lowest point above
    all of them moves on to the new one, where it is as high as another, which is again a half-plane.
    """
    worst = 0.0
    for i in range(first, count):
        if planes[i, 2] - planes[i, 0] * x - planes[i, 1] * z <= worst:
            continue
        between[:walls] = planes[:walls]
        rows = walls
        for j in range(walls, i):
            dx, dz = planes[j, 0] - planes[i, 0], planes[j, 1] - planes[i, 1]
            length = np.sqrt(dx * dx + dz * dz)
            if length <= _PARALLEL:
                continue  # the same direction: the one before is never worse, or it would have been met already
            between[rows, 0], between[rows, 1] = dx / length, dz / length
            between[rows, 2] = (planes[j, 2] - planes[i, 2]) / length
            rows += 1
        found, best_x, best_z = _farthest(between, rows, most, planes[i, 0], planes[i, 1])
        if found:  # only rounding can say otherwise: the velocity so far is one of these
            x, z = best_x, best_z
        worst = planes[i, 2] - planes[i, 0] * x - planes[i, 1] * z
    return x, z


@kernel
def _farthest(planes: F64, count: AnyInt, most: float, x: float, z: float) -> tuple[bool, float, float]:
    """The allowed velocity that is farthest in a direction, a unit vector."""
    best_x, best_z = most * x, most * z
    for i in range(count):
        if planes[i, 0] * best_x + planes[i, 1] * best_z < planes[i, 2] - _SLACK:
            found, best_x, best_z = _on_line(planes, i, most, x, z, True)
            if not found:
                return False, 0.0, 0.0
    return True, best_x, best_z
