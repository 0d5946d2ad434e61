"""The line that lies ahead of an agent: pulled tight through its polygons as far as it sees, anew in each step."""

from __future__ import annotations

import numpy as np

from ..detour.byte_layout import CONNECTION
from ..jit import kernel
from ..navquery.kernels.points import portal, to_segment
from ..navquery.query_mesh import LinkRows, PolygonRows
from ..types import F32, I32, AnyInt
from .agents import LOST, ONWARD, TO_END, TO_LINK

_TOUCHES = np.float32(1e-6)  # square metres
_SAME = 1e-10  # square metres


@kernel
def look_ahead(
    polygons: PolygonRows, links: LinkRows, portals: F32, position: F32, goal: F32, ways: I32, size: I32, agent: AnyInt,
    stride: float, sight: float,
) -> tuple[float, float, float, int]:  # fmt: skip
    """The point of the line that is `stride` metres ahead; how long the line is, and what it leads to.

    It is followed for `sight` metres. Where neither its end nor a link comes within these, it leads onward.
    """
    x, z = float(position[agent, 0]), float(position[agent, 2])
    aim_x, aim_z, length, aimed, gate = x, z, 0.0, False, 0
    for _ in range(2 * size[agent] + 2):
        corner_x, corner_z, gate, kind = _next_corner(polygons, links, portals, goal, ways, size, agent, x, z, gate)
        if kind == LOST:
            return x, z, 0.0, LOST
        step = np.sqrt((corner_x - x) ** 2 + (corner_z - z) ** 2)
        if not aimed:
            part = 1.0
            if length + step > stride:
                part, aimed = (stride - length) / step, True
            aim_x, aim_z = x + (corner_x - x) * part, z + (corner_z - z) * part
        length += step
        if kind != ONWARD:
            return aim_x, aim_z, length, kind
        if aimed and length >= sight:
            return aim_x, aim_z, length, ONWARD
        x, z = corner_x, corner_z
    return aim_x, aim_z, length, ONWARD


@kernel
def _next_corner(
    polygons: PolygonRows, links: LinkRows, portals: F32, goal: F32, ways: I32, size: I32, agent: AnyInt, x: float,
    z: float, first: AnyInt,
) -> tuple[float, float, int, int]:  # fmt: skip
    """Where a line from (x, z), before gate `first`, turns first; the gate behind that, and what it leads to.

    The funnel of Lee and Preparata: a gate that lies outside of it on one side is the line's turn on that side.
    """
    last = size[agent] - 1
    left_x = right_x = x
    left_z = right_z = z
    at_left = at_right = first
    for gate in range(first, last + 1):
        kind = ONWARD
        if gate == last:
            kind = TO_END
            l_x = r_x = float(goal[agent, 0])
            l_z = r_z = float(goal[agent, 2])
        else:
            here, there = ways[agent, last - gate], ways[agent, last - gate - 1]
            found, left, right = portal(polygons, links, portals, here, there)
            if not found:
                return x, z, int(gate), LOST
            if polygons[there].kind == CONNECTION:
                kind = TO_LINK
            elif gate == first and to_segment((np.float32(x), left[1], np.float32(z)), left, right)[0] < _TOUCHES:
                continue  # it is being crossed
            l_x, l_z, r_x, r_z = float(left[0]), float(left[2]), float(right[0]), float(right[2])
        if _turn(x, z, right_x, right_z, r_x, r_z) <= 0:
            if _same(x, z, right_x, right_z) or _turn(x, z, left_x, left_z, r_x, r_z) > 0:
                right_x, right_z, at_right = r_x, r_z, gate
            else:
                return left_x, left_z, int(at_left + 1), ONWARD
        if _turn(x, z, left_x, left_z, l_x, l_z) >= 0:
            if _same(x, z, left_x, left_z) or _turn(x, z, right_x, right_z, l_x, l_z) < 0:
                left_x, left_z, at_left = l_x, l_z, gate
            else:
                return right_x, right_z, int(at_right + 1), ONWARD
        if kind != ONWARD:
            return l_x, l_z, int(gate), kind
    return x, z, int(last), LOST


@kernel
def _turn(ax: float, az: float, bx: float, bz: float, cx: float, cz: float) -> float:
    return (cx - ax) * (bz - az) - (bx - ax) * (cz - az)


@kernel
def _same(ax: float, az: float, bx: float, bz: float) -> bool:
    return (bx - ax) * (bx - ax) + (bz - az) * (bz - az) < _SAME
