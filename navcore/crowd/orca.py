"""ORCA, optimal reciprocal collision avoidance: the velocities that an agent may choose, and the best one of them.

Each agent beside another (their reciprocal velocity obstacle) and each wall leave half-planes of velocities; a linear
program finds the velocity nearest to a wish that all of them and a largest speed allow, or the least bad one where none
is left. A half-plane is a row (x, z, least) of a unit vector and a number: it allows the velocities whose product with
the vector is not smaller than the number. Walls come first and always allow standing still.

Van den Berg, Guy, Lin and Manocha, "Reciprocal n-body collision avoidance", ISRR 2009: section 4 for agents, 5.1 to 5.3
for the linear program, 5.4 for walls.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..detour.byte_layout import CONNECTION
from ..geometry.segments import part_along
from ..jit import borrowing, kernel
from ..navquery.batches import in_pieces, joined, offsets_of, row_counts
from ..navquery.kernels.points import corner, passes, row_of, to_segment
from ..navquery.kernels.wall_segments import segment_rows
from ..navquery.query_filter import QueryFilter
from ..navquery.query_mesh import QueryMesh
from ..types import F64, I32, I64, AnyBool, AnyInt
from .agents import Agents, CrowdRules

MAX_WALLS = 16
MAX_POLYGONS = 16
_UNLIMITED = 2**62
_TINY = 1e-9
_PARALLEL = 1e-9
_SLACK = 1e-12  # metres a second: a velocity that is short of a half-plane by less is in it


# --- walls, looked up once for each filter


class WallsByFilter(NamedTuple):
    """The walls of each polygon for each filter: row f of `first` cuts `ends` for filter f."""

    first: I64  # (F, P + 1)
    ends: F64  # (W, 6) x and z of both ends, and of the unit vector from the wall onto the polygon


def no_walls(mesh: QueryMesh) -> WallsByFilter:
    """As long as there is no filter."""
    return WallsByFilter(np.zeros((0, len(mesh.polygons) + 1), np.int64), np.zeros((0, 6)))


def with_filter(walls: WallsByFilter, mesh: QueryMesh, chosen: QueryFilter) -> WallsByFilter:
    """The same and after them the walls of one more filter."""
    offsets, ends = _walls_of(mesh, chosen)
    first = offsets + len(walls.ends)
    return WallsByFilter(np.concatenate([walls.first, first[None]]), np.concatenate([walls.ends, ends]))


def _walls_of(mesh: QueryMesh, chosen: QueryFilter) -> tuple[I64, F64]:
    count = len(mesh.polygons)
    rows, polygons = row_counts(count), np.arange(count, dtype=np.int32)
    pieces = in_pieces(segment_rows, count, (mesh, polygons, chosen.rule(), False, _UNLIMITED), (rows,), 1, None)
    segments = joined([piece[0] for piece in pieces])[:, :, ::2].astype(np.float64)
    corners = np.arange(6)[None, :, None] < mesh.polygons["corners"][:, None, None]
    middles = (
        np.where(corners, mesh.outline[:, :, ::2], 0).sum(axis=1) / np.maximum(mesh.polygons["corners"], 1)[:, None]
    )
    start, end = segments[:, 0], segments[:, 1]
    along = end - start
    normals = np.stack([-along[:, 1], along[:, 0]], axis=1)
    normals /= np.maximum(np.sqrt((normals**2).sum(axis=1)), 1e-12)[:, None]
    inward = ((middles[np.repeat(np.arange(count), rows.counts)] - start) * normals).sum(axis=1)
    normals[inward < 0] *= -1
    return offsets_of(rows.counts), np.concatenate([start, end, normals], axis=1)


# --- half-planes


class Meeting(NamedTuple):
    """An agent, and one near it as it is seen from there: metres, metres a second."""

    x: float
    z: float
    mine_x: float  # its velocity
    mine_z: float
    its_x: float  # the other's
    its_z: float
    together: float  # both radii
    share: float  # its part of giving way
    first: AnyBool  # breaks the tie of who stands in the very same place


class WallsNear(NamedTuple):
    """What walls matter to an agent."""

    clear: float  # metres to keep from them
    reach: float  # metres within which they matter to a step
    tick: float  # seconds


@kernel
def beside_agent(planes: F64, row: AnyInt, met: Meeting, horizon: float, soon: float) -> None:
    """For an agent that meets another: which velocities keep them apart; who are too close part within `soon` seconds.

    The velocity obstacle is a cone that begins with a disc. The half-plane touches it where it is nearest to the
    relative velocity, moved by the share of what is missing, or is to spare.
    """
    x, z, together = met.x, met.z, met.together
    rel_x, rel_z = met.mine_x - met.its_x, met.mine_z - met.its_z
    away2 = x * x + z * z
    collides = away2 <= together * together
    span = soon if collides else horizon
    w_x, w_z = rel_x - x / span, rel_z - z / span
    w2, along = w_x * w_x + w_z * w_z, w_x * x + w_z * z
    if collides or (along < 0 and along * along > together * together * w2):
        w = np.sqrt(w2)
        if w > _TINY:
            n_x, n_z = w_x / w, w_z / w
        else:
            n_x, n_z = (1.0, 0.0) if met.first else (-1.0, 0.0)
        missing = together / span - w
    else:
        leg = np.sqrt(away2 - together * together)
        if x * w_z - z * w_x > 0:
            n_x, n_z = -(x * together + z * leg) / away2, (x * leg - z * together) / away2
        else:
            n_x, n_z = (z * leg - x * together) / away2, -(x * leg + z * together) / away2
        missing = -(rel_x * n_x + rel_z * n_z)
    planes[row, 0], planes[row, 1] = n_x, n_z
    planes[row, 2] = met.mine_x * n_x + met.mine_z * n_z + met.share * missing


@borrowing
def beside_walls(
    mesh: QueryMesh, agents: Agents, walls: WallsByFilter, rules: CrowdRules, agent: AnyInt, polygons: I32, planes: F64
) -> int:
    """Write a half-plane for each wall near an agent: it does not come closer to it than it should within a step.

    Standing still is always allowed. `polygons` is room for those that are looked at: its own, and what is entered from
    them within reach of a step. Returns how many half-planes there are.
    """
    facts, links, rule, clear = mesh.polygons, mesh.links, agents.rule[agent], agents.clear[agent]
    reach = clear + 2 * agents.top[agent] * rules.tick
    near = WallsNear(clear, reach, rules.tick)
    here, include, exclude = row_of(agents.position, agent), agents.include[agent], agents.exclude[agent]
    polygons[0], known, count, k = agents.paths[agent, agents.size[agent] - 1], 1, 0, 0
    while k < known:
        own = polygons[k]
        k += 1
        for wall in range(walls.first[rule, own], walls.first[rule, own + 1]):
            if count < MAX_WALLS:
                count += _beside_wall(walls.ends, wall, float(here[0]), float(here[2]), near, planes, count)
        for link in range(facts[own].first_link, facts[own].end_link):
            target = links[link].target
            if known == MAX_POLYGONS or facts[target].kind == CONNECTION or _is_in(polygons, known, target):
                continue
            left, right = corner(mesh.portals, link, 0), corner(mesh.portals, link, 1)
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
def _beside_wall(ends: F64, wall: AnyInt, x: float, z: float, near: WallsNear, planes: F64, row: AnyInt) -> int:
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
        if near.clear <= 0 or away < _TINY:
            return 0
        n_x, n_z = d_x / away, d_z / away
    if away > near.reach:
        return 0
    planes[row, 0], planes[row, 1], planes[row, 2] = n_x, n_z, min((near.clear - away) / near.tick, 0.0)
    return 1


# --- the linear program


@kernel
def best_velocity(
    planes: F64, between: F64, walls: AnyInt, count: AnyInt, max_speed: float, wish: tuple[float, float, float]
) -> tuple[float, float]:
    """What an agent does that wishes to move like this. `between` is room for as many rows as `planes` has.

    Where no velocity is allowed, agents' half-planes give way by the least that leaves one, and by the third number of
    the wish, in metres a second, beyond it: of what that allows, again the velocity nearest to the wish.
    """
    failed, x, z = _nearest(planes, count, max_speed, wish[0], wish[1])
    if failed == count:
        return x, z
    x, z = _least_bad(planes, between, walls, count, max(failed, walls), max_speed, x, z)
    if wish[2] <= 0:
        return x, z
    worst = 0.0
    for i in range(walls, count):
        worst = max(worst, planes[i, 2] - planes[i, 0] * x - planes[i, 1] * z)
    for i in range(walls, count):
        planes[i, 2] -= worst + wish[2]
    failed, wished_x, wished_z = _nearest(planes, count, max_speed, wish[0], wish[1])
    return (wished_x, wished_z) if failed == count else (x, z)


@kernel
def _nearest(planes: F64, count: AnyInt, max_speed: float, wish_x: float, wish_z: float) -> tuple[int, float, float]:
    """The allowed velocity nearest to the wish; and the first half-plane that leaves none, `count` if all do."""
    x, z = wish_x, wish_z
    speed = np.sqrt(x * x + z * z)
    if speed > max_speed:
        x, z = x / speed * max_speed, z / speed * max_speed
    for i in range(count):
        if planes[i, 0] * x + planes[i, 1] * z < planes[i, 2] - _SLACK:
            allowed, line_x, line_z = _on_line(planes, i, max_speed, wish_x, wish_z, False)
            if not allowed:
                return i, x, z
            x, z = line_x, line_z
    return int(count), x, z


@kernel
def _on_line(
    planes: F64, i: AnyInt, max_speed: float, toward_x: float, toward_z: float, farthest: AnyBool
) -> tuple[bool, float, float]:
    """On the border of half-plane i and in all before it: what is nearest to a velocity, or farthest along it."""
    x, z, least = planes[i, 0], planes[i, 1], planes[i, 2]
    room = max_speed * max_speed - least * least
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
    planes: F64, between: F64, walls: AnyInt, count: AnyInt, first: AnyInt, max_speed: float, x: float, z: float
) -> tuple[float, float]:
    """Within the walls, the velocity that is least far outside of any agent's half-plane.

    How far it is outside is the height over a plane of velocities: half-plane by half-plane, the lowest point above
    all of them moves on to the new one, where it is as high as another, which is again a half-plane.
    """
    worst = 0.0
    for i in range(first, count):
        if planes[i, 2] - planes[i, 0] * x - planes[i, 1] * z <= worst:
            continue
        for j in range(walls):
            between[j, 0], between[j, 1], between[j, 2] = planes[j, 0], planes[j, 1], planes[j, 2]
        rows = walls
        for j in range(walls, i):
            dx, dz = planes[j, 0] - planes[i, 0], planes[j, 1] - planes[i, 1]
            length = np.sqrt(dx * dx + dz * dz)
            if length <= _PARALLEL:
                continue  # the same direction: the one before is never worse, or it would have been met already
            between[rows, 0], between[rows, 1] = dx / length, dz / length
            between[rows, 2] = (planes[j, 2] - planes[i, 2]) / length
            rows += 1
        found, best_x, best_z = _farthest(between, rows, max_speed, planes[i, 0], planes[i, 1])
        if found:  # only rounding can say otherwise: the velocity so far is one of these
            x, z = best_x, best_z
        worst = planes[i, 2] - planes[i, 0] * x - planes[i, 1] * z
    return x, z


@kernel
def _farthest(planes: F64, count: AnyInt, max_speed: float, x: float, z: float) -> tuple[bool, float, float]:
    """The allowed velocity that is farthest in a direction, a unit vector."""
    best_x, best_z = max_speed * x, max_speed * z
    for i in range(count):
        if planes[i, 0] * best_x + planes[i, 1] * best_z < planes[i, 2] - _SLACK:
            found, best_x, best_z = _on_line(planes, i, max_speed, x, z, True)
            if not found:
                return False, 0.0, 0.0
    return True, best_x, best_z
