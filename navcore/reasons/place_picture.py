"""A place that was asked about, as a picture: its column of matter, what removed it, and where the ground drops."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from ..builder.build_level import build_navmesh
from ..difference.compare import Difference, navmesh_difference
from ..errors import BadInput, NothingWalkable
from ..formats.plain_navmesh import PlainNavmesh, plain_navmesh
from ..scene import GivenVolume, marks_ground
from ..settings import Settings
from ..types import F32, F64
from ..views.outline_picture import box_edges
from ..views.picture import Color, Picture
from .asked_level import AskedLevel
from .reason import Reason
from .surface import Surface

# --- What a changed setting would do around a place: a window of the level is built with and without it, and
# compared.

_HALF = 32  # cells, or more where the agent is large
_AGENTS = 6  # times its radius
_LOOKED_AT = 1e-4  # metres: what lies on the window's border belongs to it


def preview(level: AskedLevel, at: tuple[float, float, float], settings: Settings) -> Difference:
    """Ground that comes and goes around a point with these settings. Raises NavmeshError for what can't be built."""
    bounds = _window_around(level, at)
    before, after = (_ground(level, one, bounds) for one in (level.settings, settings))
    if before is None and after is None:
        raise BadInput(
            "With or without the change, nothing here is walkable. Ask again after making it.", "NOTHING_HERE"
        )
    return navmesh_difference(before or _nothing_of(after), after or _nothing_of(before))


def _window_around(level: AskedLevel, at: tuple[float, float, float]) -> tuple[float, ...]:
    """On the cells of the build itself."""
    cell = float(level.recipe.voxels.cell_size)
    half = max(_HALF, math.ceil(_AGENTS * level.settings.agent_radius / cell))
    sides = []
    for axis in (0, 2):
        low, high = float(level.low[axis]), float(level.high[axis])
        middle = math.floor((at[axis] - low) / cell)
        begin = max(middle - half, 0)
        sides.append((low + begin * cell, min(low + (middle + half + 1) * cell, high)))
    (x0, x1), (z0, z1) = sides
    return x0, float(level.low[1]), z0, x1, float(level.high[1]), z1


def _ground(level: AskedLevel, settings: Settings, bounds: tuple[float, ...]) -> PlainNavmesh | None:
    """None where nothing is walkable."""
    margin = settings.cell_size
    chosen = level.boxes.touching(
        bounds[0] - margin - _LOOKED_AT, bounds[3] + margin, bounds[2] - margin - _LOOKED_AT, bounds[5] + margin
    )
    geometry = level.geometry
    given = [
        replace(mark, resolution=None) for mark in level.volumes if isinstance(mark, GivenVolume) and marks_ground(mark)
    ]
    try:
        navmesh = build_navmesh(
            geometry.vertices, geometry.triangles[chosen], replace(settings, tile_size=0, detail_mesh=True),
            areas=geometry.area[chosen] if len(geometry.area) else None, volumes=given, bounds=bounds,
            threads=1,
        )  # fmt: skip
    except NothingWalkable:
        return None
    return plain_navmesh(navmesh)


def _nothing_of(plain: PlainNavmesh | None) -> PlainNavmesh:
    """A navmesh like this one, without any ground."""
    assert plain is not None, "one of both was built"
    return plain._replace(
        vertices=plain.vertices[:0], first=np.zeros(1, np.int32), corners=plain.corners[:0],
        neighbors=plain.neighbors[:0], area=plain.area[:0], flags=plain.flags[:0], region=plain.region[:0], detail=None,
        links=(), wide_links=(),
    )  # fmt: skip


COLUMN, BESIDE, WINDOW = (235, 235, 235, 255), (150, 150, 150, 130), (255, 255, 255, 70)
CULPRIT, GONE, THERE = (235, 50, 40, 255), (255, 140, 0, 170), (60, 200, 90, 170)
DROPS = ("LEDGE", "UNEVEN")
_SIDES = ((-1, 0), (0, 1), (1, 0), (0, -1))  # in (x, z)
_ABOVE = 0.02  # metres, so that the ground does not hide it
_HEAD = 0.2  # of an arrow's length
_FACES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))


def place_picture(surface: Surface, reason: Reason) -> Picture:
    """The spans of its column and, fainter, of those beside it; the span in question filled, the culprit in red."""
    drawn: list[tuple[F32, Color]] = [(_window(surface), WINDOW)]
    x, z = surface.column
    for dx, dz in _SIDES:
        drawn.append((_edges(surface, x + dx, z + dz), BESIDE))
    drawn.append((_edges(surface, x, z), COLUMN))
    if reason.triangle is not None:
        geometry = surface.level.geometry
        corners = geometry.vertices[geometry.triangles[reason.triangle]] + np.array([0, _ABOVE, 0], np.float32)
        drawn.append((np.stack([corners, np.roll(corners, -1, axis=0)], axis=1), CULPRIT))
    if reason.code in DROPS and surface.span >= 0:
        drawn.append((_arrow(surface), CULPRIT))
    faces = _filled(surface)
    color = THERE if reason.walkable else GONE
    return Picture(
        faces, np.tile(np.array(color, np.uint8), (len(faces), 1)),
        np.concatenate([lines for lines, _ in drawn]).astype(np.float32),
        np.concatenate([np.tile(np.array(one, np.uint8), (len(lines), 1)) for lines, one in drawn]),
    )  # fmt: skip


def _metres(surface: Surface, x: float, height_vx: float, z: float) -> tuple[float, float, float]:
    """A place in columns of the window, in the world."""
    grid, window = surface.spot.grid, surface.window
    low, cell = grid.bounds_min.tolist(), float(grid.cell_size)
    return (
        low[0] + (window.x0 + x) * cell,
        low[1] + height_vx * float(grid.cell_height),
        low[2] + (window.z0 + z) * cell,
    )


def _boxes(surface: Surface, x: int, z: int) -> tuple[F64, F64]:
    """Low and high corners of the spans of a column."""
    number, solid = surface.number_of(x, z), surface.solid("rasterized")
    spans = surface.spans_of(number) if number is not None else ()
    low = [_metres(surface, x, float(solid.bottom[span]), z) for span in spans]
    high = [_metres(surface, x + 1, float(solid.top[span]), z + 1) for span in spans]
    return np.array(low, np.float64).reshape(-1, 3), np.array(high, np.float64).reshape(-1, 3)


def _edges(surface: Surface, x: int, z: int) -> F32:
    return box_edges(*_boxes(surface, x, z))


def _filled(surface: Surface) -> F32:
    """The sides of the span in question."""
    if surface.span < 0:
        return np.zeros((0, 4, 3), np.float32)
    (x, z), solid = surface.column, surface.solid("rasterized")
    low = _metres(surface, x, float(solid.bottom[surface.span]), z)
    high = _metres(surface, x + 1, float(solid.top[surface.span]), z + 1)
    corners = np.array([(a, b, c) for a in (low[0], high[0]) for b in (low[1], high[1]) for c in (low[2], high[2])])
    return np.asarray(corners[np.array(_FACES)], np.float32)


def _window(surface: Surface) -> F32:
    """Its outline at the height of the place."""
    window, height = surface.window, surface.point[1] + _ABOVE
    width, depth = window.x1 - window.x0, window.z1 - window.z0
    corners = [_metres(surface, x, 0, z) for x, z in ((0, 0), (width, 0), (width, depth), (0, depth))]
    ring = np.array([(x, height, z) for x, _, z in corners], np.float32)
    return np.stack([ring, np.roll(ring, -1, axis=0)], axis=1)


def _arrow(surface: Surface) -> F32:
    """From the surface over to the side where the ground lies lowest, and down."""
    x, z = surface.column
    solid, top = surface.solid("rasterized"), surface.top
    lowest, way = top, _SIDES[0]
    for dx, dz in _SIDES:
        number = surface.number_of(x + dx, z + dz)
        floors = [] if number is None else [int(solid.top[span]) for span in surface.spans_of(number)]
        floor = max((floor for floor in floors if floor <= top), default=0)
        if floor < lowest:
            lowest, way = floor, (dx, dz)
    start = np.array(_metres(surface, x + 0.5, top, z + 0.5))
    over = np.array(_metres(surface, x + 0.5 + way[0], top, z + 0.5 + way[1]))
    down = np.array(_metres(surface, x + 0.5 + way[0], lowest, z + 0.5 + way[1]))
    size = _HEAD * float(np.linalg.norm(down - over))
    head = [down + np.array([side, size, 0.0]) for side in (size, -size)]
    return np.array([(start, over), (over, down), (down, head[0]), (down, head[1])], np.float32)
