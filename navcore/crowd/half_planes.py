"""What an agent may do beside another, and beside walls, as half-planes of velocities.

Van den Berg, Guy, Lin and Manocha, "Reciprocal n-body collision avoidance", ISRR 2009: section 4 for agents, 5.4 for
walls. A half-plane is a row of `linear_program.py`.
"""

from __future__ import annotations

import numpy as np

from ..detour.byte_layout import CONNECTION
from ..geometry.segments import part_along
from ..jit import kernel
from ..navquery.kernels.points import corner, passes, row_of, to_segment
from ..navquery.query_mesh import LinkRows, PolygonRows
from ..types import F32, F64, I32, I64, AnyBool, AnyInt

MOST_WALLS = 16
MOST_POLYGONS = 16
_TINY = 1e-9


@kernel
def beside_agent(
    planes: F64, row: AnyInt, x: float, z: float, mine_x: float, mine_z: float, its_x: float, its_z: float,
    together: float, horizon: float, tick: float, share: float, first: AnyBool,
) -> None:  # fmt: skip
    """For an agent whose neighbor is at (x, z) from it; `together` is both radii, `share` its part of giving way.

    The velocity obstacle is a cone that begins with a disc. The half-plane touches it where it is nearest to the
    relative velocity, moved by the share of what is missing, or is to spare. `first` breaks the tie of who stands in
    the very same place.
    """
    rel_x, rel_z = mine_x - its_x, mine_z - its_z
    away2 = x * x + z * z
    collides = away2 <= together * together
    span = tick if collides else horizon
    w_x, w_z = rel_x - x / span, rel_z - z / span
    w2, along = w_x * w_x + w_z * w_z, w_x * x + w_z * z
    if collides or (along < 0 and along * along > together * together * w2):
        w = np.sqrt(w2)
        if w > _TINY:
            n_x, n_z = w_x / w, w_z / w
        else:
            n_x, n_z = (1.0, 0.0) if first else (-1.0, 0.0)
        missing = together / span - w
    else:
        leg = np.sqrt(away2 - together * together)
        if x * w_z - z * w_x > 0:
            n_x, n_z = -(x * together + z * leg) / away2, (x * leg - z * together) / away2
        else:
            n_x, n_z = (z * leg - x * together) / away2, -(x * leg + z * together) / away2
        missing = -(rel_x * n_x + rel_z * n_z)
    planes[row, 0], planes[row, 1] = n_x, n_z
    planes[row, 2] = mine_x * n_x + mine_z * n_z + share * missing


@kernel
def beside_walls(
    facts: PolygonRows, links: LinkRows, portals: F32, first: I64, ends: F64, position: F32, agent: AnyInt,
    polygon: AnyInt, include: AnyInt, exclude: AnyInt, clear: float, reach: float, tick: float, polygons: I32,
    planes: F64,
) -> int:  # fmt: skip
    """Write a half-plane for each wall near an agent: it does not come closer to it than `clear` within a step.

    Standing still is always allowed. `first` and `ends` are the walls of its filter, `polygons` is room for those that
    are looked at: its own, and what is entered from them within `reach`. Returns how many half-planes there are.
    """
    here = row_of(position, agent)
    x, z = float(here[0]), float(here[2])
    polygons[0], known, count, k = polygon, 1, 0, 0
    while k < known:
        own = polygons[k]
        k += 1
        for wall in range(first[own], first[own + 1]):
            if count < MOST_WALLS:
                count += _beside_wall(ends, wall, x, z, clear, reach, tick, planes, count)
        for link in range(facts[own].first_link, facts[own].end_link):
            target = links[link].target
            if known == MOST_POLYGONS or facts[target].kind == CONNECTION or _is_in(polygons, known, target):
                continue
            left, right = corner(portals, link, 0), corner(portals, link, 1)
            if np.isnan(left[0]) or not passes(facts, target, include, exclude):
                continue
            if float(to_segment(here, left, right)[0]) <= reach * reach:
                polygons[known] = target
                known += 1
    return count


@kernel
def _is_in(polygons: I32, count: AnyInt, polygon: AnyInt) -> bool:
    seen = False
    for k in range(count):
        seen |= bool(polygons[k] == polygon)
    return seen


@kernel
def _beside_wall(
    ends: F64, wall: AnyInt, x: float, z: float, clear: float, reach: float, tick: float, planes: F64, row: AnyInt
) -> int:
    """1 if there is a half-plane for this wall. Its end is one for who keeps clear of it: a point passes by."""
    a_x, a_z, n_x, n_z = ends[wall, 0], ends[wall, 1], ends[wall, 4], ends[wall, 5]
    u_x, u_z = ends[wall, 2] - a_x, ends[wall, 3] - a_z
    before = (x - a_x) * n_x + (z - a_z) * n_z
    if before < -1e-3:
        return 0  # it is seen from behind
    part = part_along(u_x * (x - a_x) + u_z * (z - a_z), u_x * u_x + u_z * u_z)
    away = max(before, 0.0)
    if part == 0.0 or part == 1.0:
        d_x, d_z = x - (a_x + part * u_x), z - (a_z + part * u_z)
        away = np.sqrt(d_x * d_x + d_z * d_z)
        if clear <= 0 or away < _TINY:
            return 0
        n_x, n_z = d_x / away, d_z / away
    if away > reach:
        return 0
    planes[row, 0], planes[row, 1], planes[row, 2] = n_x, n_z, min((clear - away) / tick, 0.0)
    return 1
