"""The line that lies ahead of an agent, pulled tight through its polygons (a funnel), as far as it sees."""

from __future__ import annotations

import numpy as np

from ..detour.byte_layout import CONNECTION
from ..jit import borrowing, kernel
from ..navquery.kernels.move import WalkRoom
from ..navquery.kernels.points import portal, to_segment
from ..navquery.query_mesh import QueryMesh
from ..types import F64, I32, AnyInt
from .agents import LOST, ONWARD, TO_END, TO_LINK, Agents

_TOUCHES = np.float32(1e-6)  # square metres
_SAME = 1e-10  # square metres
_STRAYED = 8  # polygons off its path, after which an agent looks for a new one
_LOOKED_THROUGH = 32  # polygons of its path among which an agent looks for the one it is in


@borrowing
def look_ahead(
    mesh: QueryMesh, agents: Agents, agent: AnyInt, strides: tuple[float, float], sight: float, aim: F64
) -> tuple[float, int]:
    """Write the points of the line that are so many metres ahead. How long it is, and what it leads to.

    It is followed for `sight` metres. Where neither its end nor a link comes within these, it leads onward.
    """
    x, z = float(agents.position[agent, 0]), float(agents.position[agent, 2])
    aim[0], aim[1], aim[2], aim[3], aim[4], aim[5] = x, z, x, z, x, z
    length, gate = 0.0, 0
    for _ in range(2 * agents.size[agent] + 2):
        corner_x, corner_z, gate, kind = _next_corner(mesh, agents, agent, x, z, gate)
        if kind == LOST:
            return 0.0, LOST
        step = np.sqrt((corner_x - x) ** 2 + (corner_z - z) ** 2)
        if length == 0:
            aim[4], aim[5] = corner_x, corner_z
        for k in range(2):
            if length <= strides[k] and step > 0:
                part = min(1.0, (strides[k] - length) / step)
                aim[2 * k], aim[2 * k + 1] = x + (corner_x - x) * part, z + (corner_z - z) * part
        length += step
        if kind != ONWARD:
            return length, kind
        if length >= sight and length > strides[0]:
            return length, ONWARD
        x, z = corner_x, corner_z
    return length, ONWARD


@borrowing
def _next_corner(
    mesh: QueryMesh, agents: Agents, agent: AnyInt, x: float, z: float, first: AnyInt
) -> tuple[float, float, int, int]:
    """Where a line from (x, z), before gate `first`, turns first; the gate behind that, and what it leads to.

    The funnel of Lee and Preparata: a gate that lies outside of it on one side is the line's turn on that side.
    """
    polygons, paths, goal, last = mesh.polygons, agents.paths, agents.goal, agents.size[agent] - 1
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
            here, there = paths[agent, last - gate], paths[agent, last - gate - 1]
            found, left, right = portal(polygons, mesh.links, mesh.portals, here, there)
            if not found:
                return x, z, int(gate), LOST
            if polygons[there].kind == CONNECTION:
                kind = TO_LINK
            elif gate == first and to_segment((np.float32(x), left[1], np.float32(z)), left, right)[0] < _TOUCHES:
                continue  # it is being crossed
            l_x, l_z, r_x, r_z = float(left[0]), float(left[2]), float(right[0]), float(right[2])
        if _turn(x, z, right_x, right_z, r_x, r_z) <= 0:
            if _is_same(x, z, right_x, right_z) or _turn(x, z, left_x, left_z, r_x, r_z) > 0:
                right_x, right_z, at_right = r_x, r_z, gate
            else:
                return left_x, left_z, int(at_left + 1), ONWARD
        if _turn(x, z, left_x, left_z, l_x, l_z) >= 0:
            if _is_same(x, z, left_x, left_z) or _turn(x, z, right_x, right_z, l_x, l_z) < 0:
                left_x, left_z, at_left = l_x, l_z, gate
            elif kind != ONWARD and at_right == gate:
                return l_x, l_z, int(gate), kind  # seen from a turn to the right: it is right's end already
            else:
                return right_x, right_z, int(at_right + 1), ONWARD
        if kind != ONWARD:
            return l_x, l_z, int(gate), kind
    return x, z, int(last), LOST


@kernel
def _turn(ax: float, az: float, bx: float, bz: float, cx: float, cz: float) -> float:
    return (cx - ax) * (bz - az) - (bx - ax) * (cz - az)


@kernel
def _is_same(ax: float, az: float, bx: float, bz: float) -> bool:
    return (bx - ax) * (bx - ax) + (bz - az) * (bz - az) < _SAME


@borrowing
def enter(agents: Agents, i: AnyInt, room: WalkRoom, best: AnyInt) -> None:
    """A path begins where its agent is: what lies behind is forgotten, what it strayed into comes before the rest."""
    paths, size, polygons, parents = agents.paths, agents.size, room.polygons, room.parents
    if parents[best] < 0:
        return
    crossed, count, node = room.queue, 0, best  # what waited is no longer needed
    while parents[node] >= 0:
        crossed[count] = polygons[node]
        count, node = count + 1, parents[node]
    for k in range(count - 1, -1, -1):
        at = _on_path(paths, i, size[i], crossed[k])
        if at >= 0:
            size[i] = at + 1
        elif size[i] < paths.shape[1]:
            paths[i, size[i]] = crossed[k]
            size[i] += 1
            agents.strays[i] += 1
        else:
            paths[i, 0], size[i] = crossed[k], 1
            agents.strays[i] = _STRAYED
    if agents.strays[i] >= _STRAYED:
        agents.lost[i], agents.strays[i] = 1, 0


@kernel
def _on_path(paths: I32, i: AnyInt, size: AnyInt, polygon: AnyInt) -> int:
    """Where on its path a polygon is; -1: it is not among the next ones."""
    for k in range(size - 1, max(size - _LOOKED_THROUGH, 0) - 1, -1):
        if paths[i, k] == polygon:
            return k
    return -1
