"""How exposed a place of cover is: from how much of the navmesh around it somebody sees who hides there."""

from __future__ import annotations

import numpy as np

from ..detour.byte_layout import GROUND
from ..jit import kernel
from ..navquery.query_mesh import QueryMesh
from ..types import F64, I64, Bools
from .hiding_places import HIGH, LOW
from .rays import is_blocked, new_waiting
from .triangle_tree import WIDE, TriangleTree

FARTHEST = 30.0  # metres that eyes are looked for
DIRECTIONS = 16
EYE = 4.0  # m² of navmesh that each eye stands for
EYE_HEIGHT = 0.8  # of the agent's height
_BODY = 0.5  # of what a kind hides, and at most of the agent's height: the middle of who hides
_EVEN = (0.7548776662466927, 0.5698402909980532)  # steps that spread places evenly over a square


def body_heights(is_low: Bools, agent_height: float) -> F64:
    """Metres above a place at which the middle of who hides there is."""
    heights: F64 = np.minimum(np.where(is_low, LOW, HIGH), agent_height) * _BODY
    return heights


def eyes_on(mesh: QueryMesh, agent_height: float) -> F64:
    """(E, 3) eyes of those who may stand on the navmesh, by x: as many as there are EYE m², strung along its ground."""
    ground = np.flatnonzero(mesh.polygons["kind"] == GROUND)
    first, end = mesh.polygons["first_triangle"][ground], mesh.polygons["end_triangle"][ground]
    used = np.zeros(len(mesh.triangles) + 1, np.int64)
    np.add.at(used, first, 1)
    np.add.at(used, end, -1)
    corners = mesh.triangles[np.cumsum(used)[:-1] > 0].astype(np.float64)
    b, c = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    sums = np.cumsum(np.abs(b[:, 0] * c[:, 2] - b[:, 2] * c[:, 0]) / 2)
    if not len(sums) or not sums[-1] > 0:
        return np.zeros((0, 3))
    count = max(int(sums[-1] / EYE + 0.5), 1)
    number = np.arange(count)
    triangle = np.minimum(np.searchsorted(sums, (number + 0.5) * (sums[-1] / count)), len(sums) - 1)
    u, v = (number * step % 1.0 for step in _EVEN)
    u, v = np.where(u + v > 1, 1 - u, u)[:, None], np.where(u + v > 1, 1 - v, v)[:, None]
    eyes = corners[triangle, 0] + u * b[triangle] + v * c[triangle]
    eyes[:, 1] += EYE_HEIGHT * agent_height
    found: F64 = np.ascontiguousarray(eyes[np.argsort(eyes[:, 0], kind="stable")])
    return found


@kernel
def exposure_rows(
    tree: TriangleTree, bodies: F64, eyes: F64, windows: I64, begin: int, end: int, exposure: F64
) -> None:  # fmt: skip
    """The mean over all directions of what part of the eyes there see each body; `windows`: eyes that are near in x."""
    tree = TriangleTree(*tree)
    waiting, ways = new_waiting(), np.empty(WIDE)
    there, seeing = np.empty(DIRECTIONS, np.int64), np.empty(DIRECTIONS, np.int64)
    for row in range(begin, end):
        x, y, z = bodies[row]
        there[:], seeing[:] = 0, 0
        for k in range(windows[row, 0], windows[row, 1]):
            dx, dy, dz = eyes[k, 0] - x, eyes[k, 1] - y, eyes[k, 2] - z
            if dx * dx + dy * dy + dz * dz > FARTHEST * FARTHEST:
                continue
            turn = (np.arctan2(dz, dx) + np.pi) * (DIRECTIONS / (2 * np.pi))
            direction = min(int(turn), DIRECTIONS - 1)
            there[direction] += 1
            if not is_blocked(tree, waiting, ways, (x, y, z), (eyes[k, 0], eyes[k, 1], eyes[k, 2])):
                seeing[direction] += 1
        total = 0.0
        for direction in range(DIRECTIONS):
            if there[direction] > 0:
                total += seeing[direction] / there[direction]
        exposure[row] = total / DIRECTIONS
