"""Detour files of any origin as plain arrays, to look at and to write in other formats."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ..area_types import AREA_TYPES, with_usual_flags
from ..by_hand.sound_faces import weld_corners
from ..detour.byte_layout import AREA_MASK, EXTERNAL
from ..detour.file_contents import cell_sizes
from ..detour.limits import MOST_CORNERS
from ..detour.reader import NavmeshFile
from ..errors import BadSettings
from ..geometry.connected_parts import joined_parts
from ..geometry.polygon_rings import first_of_each, next_corners
from ..result.navmesh import NavMesh
from ..result.stitch.stitched_mesh import connected
from ..scene import Link
from ..settings import Settings
from ..types import F32, F64, I32, I64, AnyArray, Bools
from .mesh_checks import crowded_edge
from .plain_navmesh import FINEST_CELL, PlainDetail, PlainNavmesh, plain_navmesh

_ROUNDINGS = 6  # of the farthest coordinate: what corners at one place may be apart in two tiles
_ASIDE = 0.01  # metres: so far apart may edges lie that Detour joins; in height the agent's climb
_NEAR = 1e-4  # metres: corners as near are one


def plain_of(navmesh: NavMesh | NavmeshFile | PlainNavmesh) -> PlainNavmesh:
    """Any navmesh, built or read."""
    return plain_of_file(navmesh) if isinstance(navmesh, NavmeshFile) else plain_navmesh(navmesh)


def plain_of_file(file: NavmeshFile) -> PlainNavmesh:
    """The ground of a checked Detour file, its tiles welded where they have corners in common."""
    sections = [tile.sections for tile in file.tiles]
    counts = [int(s.header[0]["first_connection"]) for s in sections]
    polygons = [s.polygons[:count] for s, count in zip(sections, counts, strict=True)]
    before = np.cumsum([0] + [len(s.vertices) for s in sections])
    sizes = np.concatenate([p["corners"] for p in polygons] or [np.zeros(0, np.int64)]).astype(np.int64)
    first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
    corners = [
        (p["vertices"].astype(np.int64) + base)[np.arange(MOST_CORNERS) < p["corners"][:, None]]
        for p, base in zip(polygons, before, strict=False)
    ]
    chosen = np.concatenate(corners or [np.zeros(0, np.int64)])
    vertices, ids = _welded(np.concatenate([s.vertices for s in sections] or [np.zeros((0, 3), np.float32)]), chosen)
    kinds = np.concatenate([p["area_and_kind"] for p in polygons] or [np.zeros(0)]).astype(np.uint8)
    flags = np.concatenate([p["flags"] for p in polygons] or [np.zeros(0)]).astype(np.uint16)
    area = kinds & np.uint8(AREA_MASK)
    types, _ = with_usual_flags(AREA_TYPES, area, flags)
    plain = PlainNavmesh(
        vertices, first, ids, connected(first, ids, len(vertices)), area, flags,
        np.zeros(len(sizes), np.uint16), _detail_of(file, counts), _links_of(file), types, _settings_of(file),
        1 / max(float(s.header[0]["cells_per_metre"]) for s in sections) if sections else None, file,
    )  # fmt: skip
    if len(file.tiles) < 2:
        return plain
    beyond = [p["neighbors"][np.arange(MOST_CORNERS) < p["corners"][:, None]] for p in polygons]
    climb = max(float(s.header[0]["agent_max_climb"]) for s in sections)
    return _joined(plain, (np.concatenate(beyond) & EXTERNAL) != 0, climb)


def _joined(plain: PlainNavmesh, borders: Bools, climb: float) -> PlainNavmesh:
    """The same with whole edges in common where tiles meet (`borders`, of each edge), as Detour joins them there.

    Each tile reckons its corners from its own origin, so that those at one place are some roundings apart, and in
    height up to a climb; and a corner on the edge across is a corner there, too. What would give an edge to three
    polygons is left.
    """
    points = plain.vertices.astype(np.float64)
    apart = _ROUNDINGS * float(np.finfo(np.float32).eps * np.abs(points).max(initial=1.0))
    plain, limits = _as_one(plain, weld_corners(points, apart).of), (climb, max(apart, _NEAR))
    lines = list(_border_lines(plain, borders, limits[1]))
    above = [_above_each_other(plain.vertices.astype(np.float64), line, limits) for line in lines]
    pairs = np.concatenate([np.zeros((0, 2), np.int64), *above])
    plain = _as_one(plain, joined_parts(len(plain.vertices), *pairs.T).astype(np.int64))
    missing: dict[int, list[int]] = {}
    points, following = plain.vertices.astype(np.float64), next_corners(plain.first)
    for line in _border_lines(plain, borders, limits[1]):
        for row in line.rows.tolist():
            ends = int(plain.corners[row]), int(plain.corners[following[row]])
            missing[row] = _between(points, *ends, line, limits)
    whole = [[corner, *missing.get(row, ())] for row, corner in enumerate(plain.corners.tolist())]
    first = np.concatenate([[0], np.cumsum([len(corners) for corners in whole])])[plain.first].astype(np.int32)
    return _with_corners(plain, first, np.array([corner for corners in whole for corner in corners], np.int64)) or plain


class _BorderLine(NamedTuple):
    """Edges without a polygon across that lie on one line along an axis, where tiles meet."""

    axis: int
    rows: I64  # the corner at which each edge begins
    there: I64  # the vertices at their ends, along the axis, those at one place from below


def _border_lines(plain: PlainNavmesh, borders: Bools, near: float) -> Iterator[_BorderLine]:
    points, following = plain.vertices.astype(np.float64), next_corners(plain.first)
    rows = np.flatnonzero(borders & (plain.neighbors < 0))
    start, end = plain.corners[rows], plain.corners[following[rows]]
    extent = np.abs(points[end] - points[start])
    for axis in (0, 2):
        mine = np.flatnonzero((extent[:, axis] > near) & (extent[:, 2 - axis] <= _ASIDE))
        across = points[start[mine], 2 - axis]
        mine = mine[np.argsort(across, kind="stable")]
        for line in np.split(mine, np.flatnonzero(np.diff(np.sort(across)) > _ASIDE) + 1):
            ends = np.unique(np.concatenate([start[line], end[line]])).astype(np.int64)
            order = np.lexsort((points[ends, 1], np.round(points[ends, axis] / near)))
            yield _BorderLine(axis, rows[line], ends[order])


def _above_each_other(points: F64, line: _BorderLine, limits: tuple[float, float]) -> I64:
    """(., 2) vertices of a line at one place as seen from above, no higher above each other than agents climb."""
    climb, near = limits
    along, height = points[line.there, line.axis], points[line.there, 1]
    same = np.flatnonzero((np.abs(np.diff(along)) <= near) & (np.abs(np.diff(height)) <= climb + near))
    return np.stack([line.there[same], line.there[same + 1]], axis=1)


def _as_one(plain: PlainNavmesh, of: I64) -> PlainNavmesh:
    """The same where vertices with one number are one, the first of them; as it was where polygons break of it."""
    _, kept, number = np.unique(of, return_index=True, return_inverse=True)
    welded = _with_corners(plain, plain.first, number.ravel()[plain.corners])
    return plain if welded is None else welded._replace(vertices=plain.vertices[kept])


def _between(points: F64, start: int, end: int, line: _BorderLine, limits: tuple[float, float]) -> list[int]:
    """The corners of a line that lie on one of its edges, from its start on; of those above each other the nearest."""
    (climb, near), axis = limits, line.axis
    a, b = points[start], points[end]
    along = points[line.there, axis]
    low, high = np.searchsorted(along, (min(a[axis], b[axis]) + near, max(a[axis], b[axis]) - near))
    corners = line.there[low:high]
    part = (points[corners, axis] - a[axis]) / (b[axis] - a[axis])
    off = np.abs(points[corners, 1] - a[1] - part * (b[1] - a[1]))
    found: list[int] = []
    for k in np.lexsort((off, np.round(part * abs(b[axis] - a[axis]) / near))).tolist():
        if off[k] <= climb + near and (not found or abs(points[found[-1], axis] - points[corners[k], axis]) > near):
            found.append(int(corners[k]))
    return found


def _with_corners(plain: PlainNavmesh, first: I32, corners: I64) -> PlainNavmesh | None:
    """The same with other corners; None where these are no polygons any more, or three meet at an edge."""
    ids = corners.astype(np.int32)
    if (ids == ids[next_corners(first)]).any() or crowded_edge(first, ids) is not None:
        return None
    return plain._replace(first=first, corners=ids, neighbors=connected(first, ids, int(ids.max(initial=-1)) + 1))


def _welded(vertices: AnyArray, chosen: I64) -> tuple[F32, I32]:
    """The vertices in use, those at one place once, in order of use; and the number of each chosen one."""
    places = (vertices[chosen] + np.float32(0)).astype(np.float32)  # -0.0 and 0.0 are one place
    kept, number = first_of_each(places)
    return vertices[chosen[kept]].astype(np.float32).reshape(-1, 3), number


def _detail_of(file: NavmeshFile, counts: list[int]) -> PlainDetail | None:
    vertices: list[F32] = []
    triangles: list[I32] = []
    owners: list[I32] = []
    known = before = 0
    for tile, count in zip(file.tiles, counts, strict=True):
        s = tile.sections
        for p in range(count):
            corners, mesh = int(s.polygons["corners"][p]), s.detail_meshes[p]
            own = s.detail_vertices[int(mesh["first_vertex"]) : int(mesh["first_vertex"]) + int(mesh["vertices"])]
            vertices += [s.vertices[s.polygons["vertices"][p, :corners]], own]
            begin = int(mesh["first_triangle"])
            local = s.detail_triangles[begin : begin + int(mesh["triangles"]), :3].astype(np.int32)
            triangles.append(local + np.int32(known))
            owners.append(np.full(len(local), before + p, np.int32))
            known += corners + len(own)
        before += count
    if not triangles:
        return None
    return PlainDetail(np.concatenate(vertices).astype(np.float32), np.concatenate(triangles), np.concatenate(owners))


def _links_of(file: NavmeshFile) -> tuple[Link, ...]:
    links = []
    for tile in file.tiles:
        for record in tile.sections.connections:
            polygon = tile.sections.polygons[int(record["polygon"])]
            ends: list[Any] = [tuple(float(str(v)) for v in record["points"][k : k + 3]) for k in (0, 3)]
            radius = max(float(str(record["radius"])), float(np.finfo(np.float32).tiny))
            links.append(
                Link(
                    start=ends[0], end=ends[1], radius=radius, bidirectional=bool(record["flags"] & 1),
                    area=int(polygon["area_and_kind"]) & AREA_MASK, flags=int(polygon["flags"]),
                    id=int(record["user_id"]),
                )
            )  # fmt: skip
    return tuple(links)


def _settings_of(file: NavmeshFile) -> Settings | None:
    """What a file holds of its settings: the agent and the cell size of most tiles; the rest are defaults."""
    if not file.tiles:
        return None
    header = file.tiles[0].sections.header[0]
    agent: dict[str, Any] = {
        f"agent_{name}": float(f"{header[f'agent_{name}']:.7g}") for name in ("height", "radius", "max_climb")
    }
    cell = cell_sizes(file)[0].size
    if cell >= FINEST_CELL:  # else it is the grid of a mesh that somebody has modelled, and says nothing of builds
        agent["cell_size"] = cell
    try:
        return Settings(**agent)
    except BadSettings:
        return None
