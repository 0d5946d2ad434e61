"""What a changed setting would do around a place: a window of the level is built with and without it, and compared."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..builder.build_level import build_navmesh
from ..difference.compare import Difference, navmesh_difference
from ..errors import BadInput, NothingWalkable
from ..formats.plain_navmesh import PlainNavmesh, plain_navmesh
from ..settings import Settings
from .asked_level import AskedLevel

_HALF = 32  # cells, or more where the agent is large
_AGENTS = 6  # times its radius
_LOOKED_AT = 1e-4  # metres: what lies on the window's border belongs to it


def preview(level: AskedLevel, at: tuple[float, float, float], changes: Mapping[str, Any]) -> Difference:
    """Ground that comes and goes around a point when settings change. Raises NavmeshError for what can't be built."""
    settings = Settings.from_mapping({**level.settings.to_mapping(), **changes})
    bounds = _window(level, at)
    before, after = (_ground(level, one, bounds) for one in (level.settings, settings))
    if before is None and after is None:
        raise BadInput(
            "With or without the change, nothing here is walkable. Ask again after making it.", "NOTHING_HERE"
        )
    return navmesh_difference(before or _nothing_of(after), after or _nothing_of(before))


def _window(level: AskedLevel, at: tuple[float, float, float]) -> tuple[float, ...]:
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
    try:
        navmesh = build_navmesh(
            geometry.vertices, geometry.triangles[chosen], replace(settings, tile_size=0, detail_mesh=True),
            areas=geometry.area[chosen] if len(geometry.area) else None, volumes=level.volumes, bounds=bounds,
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
