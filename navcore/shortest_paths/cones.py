"""What is seen from a corner through an edge: on which side points lie, exactly, and how far it is at least."""

from __future__ import annotations

import numpy as np

from ..jit import inlined
from ..types import AnyBool, AnyInt


@inlined
def cross(ax: AnyInt, az: AnyInt, bx: AnyInt, bz: AnyInt, cx: AnyInt, cz: AnyInt) -> np.int64:
    """Above 0: c lies to the left of the line from a to b; below 0 to its right; exactly."""
    ux, uz = np.int64(bx) - np.int64(ax), np.int64(bz) - np.int64(az)
    vx, vz = np.int64(cx) - np.int64(ax), np.int64(cz) - np.int64(az)
    return ux * vz - uz * vx


@inlined
def is_ahead(ax: AnyInt, az: AnyInt, bx: AnyInt, bz: AnyInt, cx: AnyInt, cz: AnyInt) -> AnyBool:
    """Whether going on from b to c leads forward for who came from a."""
    ux, uz = np.int64(bx) - np.int64(ax), np.int64(bz) - np.int64(az)
    vx, vz = np.int64(cx) - np.int64(bx), np.int64(cz) - np.int64(bz)
    return ux * vx + uz * vz > 0


@inlined
def steps_between(ax: AnyInt, az: AnyInt, bx: AnyInt, bz: AnyInt) -> float:
    dx, dz = np.float64(np.int64(bx) - np.int64(ax)), np.float64(np.int64(bz) - np.int64(az))
    return np.sqrt(dx * dx + dz * dz)


@inlined
def least_way(
    root_x: AnyInt, root_z: AnyInt, left_x: AnyInt, left_z: AnyInt, right_x: AnyInt, right_z: AnyInt, ax: AnyInt,
    az: AnyInt, bx: AnyInt, bz: AnyInt, on_edge: AnyBool, goal_x: AnyInt, goal_z: AnyInt,
) -> float:  # fmt: skip
    """The shortest way from a root to a goal over what of the edge from a to b a cone sees, were there no walls beyond.

    A goal on the root's side of the edge is reached as if it were its mirror image. Polyanya's h-value.
    """
    rx, rz = np.float64(root_x), np.float64(root_z)
    tx, tz = np.float64(goal_x) - rx, np.float64(goal_z) - rz
    if on_edge:
        return np.sqrt(tx * tx + tz * tz)
    px, pz = np.float64(ax) - rx, np.float64(az) - rz
    ex, ez = np.float64(bx) - np.float64(ax), np.float64(bz) - np.float64(az)
    aside = ex * (tz - pz) - ez * (tx - px)
    if aside < 0:
        part = 2.0 * aside / (ex * ex + ez * ez)
        tx, tz = tx + part * ez, tz - part * ex
    lx, lz = np.float64(left_x) - rx, np.float64(left_z) - rz
    qx, qz = np.float64(right_x) - rx, np.float64(right_z) - rz
    if qx * tz - qz * tx >= 0 and lx * tz - lz * tx <= 0:
        return np.sqrt(tx * tx + tz * tz)
    ux, uz = (qx, qz) if qx * tz - qz * tx < 0 else (lx, lz)
    below = ux * ez - uz * ex
    part = (px * ez - pz * ex) / below if below != 0 else np.float64(1)
    ix, iz = ux * part, uz * part
    wx, wz = tx - ix, tz - iz
    return np.sqrt(ix * ix + iz * iz) + np.sqrt(wx * wx + wz * wz)
