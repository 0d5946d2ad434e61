"""Pictures of finished navmeshes, part by part, made on a thread: nothing here may touch bpy.

Surface, edges, walls, portals, vertices and links; volumes, bounds and seeds as it was built with them. Edges lie along
the detail mesh. What is in memory no longer is drawn of the mesh objects' own arrays.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..background import OneWorker
from .overlay_colors import (
    ATTACHED_LINK,
    BOUNDS,
    FORBIDDEN_VOLUME,
    INNER_EDGE,
    PORTAL,
    RESOLUTION,
    SEED,
    UNATTACHED_LINK,
    VERTEX,
    WALL,
    color_of_door,
)  # fmt: skip

if TYPE_CHECKING:
    from concurrent.futures import Future

    from ...navcore.result.navmesh import NavMesh
    from ...navcore.views.picture import Picture
    from ..builds.request_and_result import BuiltNavmesh

F32 = npt.NDArray[np.float32]
F64 = npt.NDArray[np.float64]
I32 = npt.NDArray[np.int32]
U8 = npt.NDArray[np.uint8]
RGBA = tuple[int, int, int, int]
Pictures = dict[str, "Picture"]  # by the name of the part
AreaColors = Mapping[int, tuple[float, float, float]]
worker = OneWorker("navmesh-drawn")
_POST = 0.12  # metres: how high a vertex stands
_SAME = 1e-3  # metres: what lies nearer is one place
_ROUND = 24  # corners of a circle
_EDGES = [(0, 1), (1, 3), (3, 2), (2, 0), (4, 5), (5, 7), (7, 6), (6, 4), (0, 4), (1, 5), (2, 6), (3, 7)]


def ask(arrays: Arrays, built: BuiltNavmesh | None, colors: AreaColors) -> Future[Pictures]:
    """Everything there is to draw of a navmesh, soon; `built` is None where it is in memory no longer."""
    return worker.ask(_pictures, arrays, built, colors)


def _pictures(arrays: Arrays, built: BuiltNavmesh | None, colors: AreaColors) -> Pictures:
    parts: Parts = parts_of_arrays(arrays) if built is None else parts_of_result(built.navmesh)
    pictures = {"surface": surface(arrays), **parts._asdict()}
    if built is not None:
        gathered, settings = built.request.gathered, built.request.settings
        agent = settings.agent_radius, settings.agent_height
        pictures["helpers"] = helper_picture(gathered.volumes, gathered.bounds, gathered.seeds, agent, colors)
    return pictures


class Arrays(NamedTuple):
    """What mesh objects hold, in metres, y up. Without detail the triangles are the polygons' own."""

    vertices: F32  # (V, 3)
    triangles: I32  # (T, 3)
    polygon: I32  # (T,) of each triangle
    colors: U8  # (T, 4)


class Parts(NamedTuple):
    """Pictures that are switched on and off by themselves."""

    edges: Picture
    walls: Picture  # and portals
    vertices: Picture
    links: Picture
    dead_ends: Picture  # links that are attached to nothing, seen through what stands before them


def surface(arrays: Arrays) -> Picture:
    """The triangles, in their colors."""
    from ...navcore.views.picture import EMPTY

    corners = arrays.vertices[arrays.triangles[:, [0, 1, 2, 2]]]
    return EMPTY._replace(corners=np.ascontiguousarray(corners, np.float32), face_colors=arrays.colors)


def parts_of_result(navmesh: NavMesh) -> Parts:
    """Of a navmesh that is in memory."""
    from ...navcore.result.draped_edges import BORDER, INNER, draped_edges
    from ...navcore.result.navmesh import world_vertices

    edges = [draped_edges(tile) for tile in navmesh.tiles]
    lines = np.concatenate([np.zeros((0, 2, 3), np.float32), *(found.points for found in edges)])
    kinds = np.concatenate([np.zeros(0, np.uint8), *(found.kind for found in edges)])
    inner = kinds == INNER
    outer = np.where((kinds[~inner] == BORDER)[:, None], np.array(PORTAL), np.array(WALL)).astype(np.uint8)
    corners = [world_vertices(tile.polygon_mesh) for tile in navmesh.tiles]
    links = link_lines(navmesh)
    return Parts(
        _lines(lines[inner], INNER_EDGE), _lines(lines[~inner], outer),
        _posts(np.concatenate([np.zeros((0, 3), np.float32), *corners])), *(_lines(*one) for one in links),
    )  # fmt: skip


def parts_of_arrays(arrays: Arrays) -> Parts:
    """Of mesh objects: where two polygons have the same edge it lies between them; else it is a wall.

    Borders of tiles are not told apart from other edges, and links are not known.
    """
    from ...navcore.views.picture import EMPTY

    ends, polygon = _outlines(arrays)
    places = np.unique((ends.reshape(-1, 3).astype(np.float64) / _SAME).round().astype(np.int64), axis=0,
                       return_inverse=True)[1].reshape(-1, 2)  # fmt: skip
    _, first, number, count = np.unique(
        np.sort(places, axis=1), axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    shared = count[number.reshape(-1)] > 1
    once = np.zeros(len(ends), bool)
    once[first] = True
    corners = ends[~shared][:, 0] if len(polygon) else np.zeros((0, 3), np.float32)
    return Parts(
        _lines(ends[shared & once], INNER_EDGE), _lines(ends[~shared], WALL), _posts(corners), EMPTY, EMPTY
    )  # fmt: skip


def _outlines(arrays: Arrays) -> tuple[F32, I32]:
    """(E, 2, 3) edges that only one triangle of their polygon has, and that polygon."""
    sides = arrays.triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)
    polygon = np.repeat(arrays.polygon, 3)
    key = np.column_stack([polygon, np.sort(sides, axis=1)])
    _, number, count = np.unique(key, axis=0, return_inverse=True, return_counts=True)
    outer = count[number.reshape(-1)] == 1
    return arrays.vertices[sides[outer]], polygon[outer]


def _lines(lines: F32, colors: U8 | tuple[int, ...]) -> Picture:
    from ...navcore.views.picture import EMPTY

    painted = np.broadcast_to(np.asarray(colors, np.uint8), (len(lines), 4))
    return EMPTY._replace(lines=np.ascontiguousarray(lines, np.float32), line_colors=np.ascontiguousarray(painted))


def _posts(points: F32) -> Picture:
    """Short upright lines: a point that can be seen from everywhere."""
    tops = points + np.array([0, _POST, 0], np.float32)
    return _lines(np.stack([points, tops], axis=1), VERTEX)


# --- volumes, bounds and seeds


_NO_AREA = 63  # of a door on ground that keeps its own


def helper_picture(
    volumes: Iterable[Mapping[str, Any]],
    bounds: Sequence[float] | None,
    seeds: Iterable[Mapping[str, Any]],
    agent: tuple[float, float],
    color_of: Mapping[int, tuple[float, float, float]],
) -> Picture:
    """All as lines in metres, y up; `agent` is its radius and height, `color_of` the color of each area, 0 to 1."""
    from ...navcore.views.picture import EMPTY

    drawn: list[tuple[F64, RGBA]] = []
    for volume in volumes:
        area = volume.get("area", _NO_AREA)
        red, green, blue = (round(255 * part) for part in color_of.get(area, (0.6, 0.1, 0.5)))
        color = color_of_door(volume["closed"]) if "door" in volume else (red, green, blue, 255)
        color = RESOLUTION if "resolution" in volume and "area" not in volume else color
        drawn.append((_volume(volume), color if area else FORBIDDEN_VOLUME))
    if bounds is not None:
        drawn.append((_box(bounds[:3], bounds[3:]), BOUNDS))
    drawn += [(_capsule(seed["point"], *agent), SEED) for seed in seeds]
    lines = np.concatenate([np.zeros((0, 2, 3)), *(one for one, _ in drawn)]).astype(np.float32)
    colors = [np.tile(np.array(color, np.uint8), (len(one), 1)) for one, color in drawn]
    return EMPTY._replace(lines=lines, line_colors=np.concatenate([np.zeros((0, 4), np.uint8), *colors]))


def _volume(volume: Mapping[str, Any]) -> F64:
    if volume["shape"] == "box":
        return _box(volume["min"], volume["max"])
    if volume["shape"] == "cylinder":
        x, y, z = volume["base"]
        return _prism(_circle(x, z, volume["radius"]), y, y + volume["height"])
    return _prism(np.array(volume["points"], np.float64), volume["min_height"], volume["max_height"])


def _box(low: Sequence[float], high: Sequence[float]) -> F64:
    corners = np.array([(x, y, z) for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])
    return np.asarray(corners[_EDGES], np.float64)


def _prism(outline: F64, low: float, high: float) -> F64:
    """Both ends of an upright prism, and its upright edges: of a round one a few."""
    bottom = np.column_stack([outline[:, 0], np.full(len(outline), low), outline[:, 1]])
    top = bottom + np.array([0, high - low, 0])
    upright = np.stack([bottom, top], axis=1)[:: max(1, len(outline) // 6)]
    return np.concatenate([_ring(bottom), _ring(top), upright])


def _ring(corners: F64) -> F64:
    return np.stack([corners, np.roll(corners, -1, axis=0)], axis=1)


def _circle(x: float, z: float, radius: float) -> F64:
    angles = np.arange(_ROUND) * 2 * np.pi / _ROUND
    return np.column_stack([x + radius * np.cos(angles), z + radius * np.sin(angles)])


def _capsule(foot: Sequence[float], radius: float, height: float) -> F64:
    """An agent that stands there: two rings, and two round arches over it that meet above its head."""
    x, y, z = foot
    wide = min(radius, height / 2)
    rings = [_ring(np.insert(_circle(x, z, wide), 1, y + level, axis=1)) for level in (wide, height - wide)]
    angles = np.linspace(0, np.pi, _ROUND // 2 + 1)
    across, up = wide * np.cos(angles), wide * np.sin(angles)
    arch = np.concatenate([
        np.column_stack([across, height - wide + up]), np.column_stack([-across, wide - up]), [(wide, height - wide)]
    ])  # fmt: skip
    arches = []
    for axis in (0, 2):
        points = np.zeros((len(arch), 3))
        points[:, axis], points[:, 1] = arch.T
        points += (x, y, z)
        arches.append(np.stack([points[:-1], points[1:]], axis=1))
    return np.concatenate([*rings, *arches])


# --- links that were given: arcs with arrowheads, red where one is attached to nothing

_ABOVE = 2.5  # cell heights, so that the navmesh, which is shown above the ground, hides no end
_STEPS = 24  # lines in an arc
_RISE = 0.25  # how far an arc rises above the line between its ends, as a part of its length
_MIN_RISE = 0.5  # metres
_HEAD = 0.12  # an arrowhead's length, as a part of its link's
_MAX_HEAD = 0.5  # metres
_MIN_STAR = 0.3  # metres
_STAR = np.concatenate([np.eye(3), np.ones((1, 3)), [[1, -1, 1], [-1, 1, 1], [-1, -1, 1]]])  # the arms of a mark


class LinkLines(NamedTuple):
    """Lines in metres, y up."""

    lines: F32  # (L, 2, 3)
    colors: U8  # (L, 4)


def link_lines(navmesh: NavMesh) -> tuple[LinkLines, LinkLines]:
    """Links that agents can take; and those that are attached to nothing, with a star at each end that fails.

    Where it is not known which are attached, all are drawn alike.
    """
    attached: list[F64] = []
    unattached: list[F64] = []
    above = np.array([0, _ABOVE * navmesh.settings.cell_height, 0])
    given = navmesh.given_links  # those that were found are drawn as wide as they are
    states = navmesh.failing_ends[: len(given)] or ((False, False),) * len(given)
    for link, failing in zip(given, states, strict=True):
        ends = np.array([link.start, link.end])
        arc = _arc(ends if any(failing) else ends + above)
        drawn = unattached if any(failing) else attached
        drawn += [np.repeat(arc, 2, axis=0)[1:-1], _arrowhead(arc)]
        if link.bidirectional:
            drawn.append(_arrowhead(arc[::-1]))
        unattached += [_star(end, link.radius) for end, fails in zip(ends, failing, strict=True) if fails]
    return _link_lines(attached, ATTACHED_LINK), _link_lines(unattached, UNATTACHED_LINK)


def _link_lines(parts: list[F64], color: tuple[int, ...]) -> LinkLines:
    lines = np.concatenate([np.zeros((0, 3)), *parts]).reshape(-1, 2, 3).astype(np.float32)
    return LinkLines(lines, np.tile(np.array(color, np.uint8), (len(lines), 1)))


def _arc(ends: F64) -> F64:
    """(_STEPS + 1, 3) a parabola from the first end to the second, y up."""
    t = np.linspace(0, 1, _STEPS + 1)[:, None]
    rise = max(_MIN_RISE, _RISE * float(np.linalg.norm(ends[1] - ends[0])))
    points: F64 = ends[0] * (1 - t) + ends[1] * t + np.array([0, 4 * rise, 0]) * t * (1 - t)
    return points


def _arrowhead(arc: F64) -> F64:
    """Two lines back from the last point of an arc, in the upright plane that the arc lies in."""
    tip, back = arc[-1], arc[-3] - arc[-1]
    length = min(_MAX_HEAD, _HEAD * float(np.linalg.norm(arc[0] - tip)))
    along = back / max(float(np.linalg.norm(back)), 1e-9)
    aside = np.cross(along, [0.0, 1.0, 0.0])
    aside = aside / max(float(np.linalg.norm(aside)), 1e-9)
    return np.array([tip, tip + length * (along + aside / 2), tip, tip + length * (along - aside / 2)])


def _star(place: F64, radius: float) -> F64:
    """Lines through a point, as long as the link's radius to either side."""
    arms = _STAR / np.linalg.norm(_STAR, axis=1, keepdims=True) * max(radius, _MIN_STAR)
    return np.stack([place - arms, place + arms], axis=1).reshape(-1, 3)
