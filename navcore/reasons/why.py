"""`why`: the first rule that removed a place from the navmesh, with its value, its limit, and what to change.

Rules that look a few cells far are judged in a window of the build's own grid, so an answer takes milliseconds. For the
others the tile, or the whole level where it has no tiles, is built once with its stages and remembered.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from ..agent_sizes import AgentSize, joint_settings
from ..builder.build_level import build_navmesh
from ..builder.checked_input import check_kinds, checked_level, given_source
from ..detour.queries.prune import prune_navmesh
from ..detour.queries.seeds import checked_seeds
from ..difference.compare import Difference
from ..errors import BadInput, TooLarge
from ..level_source import LevelSource, Links, Seeds, Volumes
from ..resolution import in_level_cells, settings_at_resolution
from ..result.navmesh import NavMesh
from ..settings import Settings
from ..types import WALKABLE, ArrayLike, Geometry
from ..views.picture import EMPTY, Picture
from .area_reasons import reason_of_areas, smoothed
from .asked_level import AskedLevel, boxes_of
from .far_reasons import is_covered, reason_of_piece
from .filter_reasons import reason_of_filters
from .odd_places import oddity
from .place_picture import place_picture, preview
from .reason import Reason, is_sensible
from .surface import Surface, surface_at
from .triangle_reasons import reason_of_triangles

_SMALL = 1 << 18  # columns: so much is built again for the obstacle behind the first one
_WALKABLE = Reason("WALKABLE", "navmesh", "This place is part of the navmesh.", walkable=True)


def why(
    vertices: ArrayLike | LevelSource,
    triangles: ArrayLike | None = None,
    settings: Settings | None = None,
    *,
    at: Sequence[float],
    areas: ArrayLike | None = None,
    volumes: Volumes = (),
    links: Links = (),
    bounds: Sequence[float] | None = None,
    seeds: Seeds = (),
    threads: int | None = None,
) -> Reason:
    """Why there is no navmesh at the point `at`, or that there is; all else is as `build_navmesh` takes it.

    The surface is the highest at or below the point, within the agent's height. With `seeds` ground that cannot be
    reached from any of them counts as removed, too. Who asks more than once keeps a `WhyHere`.
    """
    source = given_source(
        vertices, triangles, areas=areas, volumes=volumes, links=links, bounds=bounds, seeds=seeds
    )  # fmt: skip
    return WhyHere(source, settings=settings, threads=threads).ask(at)


class WhyHere:
    """A level prepared once and asked many times. A pickle leaves out what was built for questions."""

    def __init__(
        self,
        vertices: ArrayLike | LevelSource,
        triangles: ArrayLike | None = None,
        settings: Settings | None = None,
        *,
        areas: ArrayLike | None = None,
        volumes: Volumes = (),
        links: Links = (),
        bounds: Sequence[float] | None = None,
        seeds: Seeds = (),
        threads: int | None = None,
    ) -> None:
        check_kinds(settings=settings, threads=threads)
        source = given_source(
            vertices, triangles, areas=areas, volumes=volumes, links=links, bounds=bounds, seeds=seeds
        )  # fmt: skip
        level = checked_level(source)
        settings = joint_settings(settings or Settings(), level.sizes)
        alone = replace(level.as_source(source.bounds), sizes=(), seeds=tuple(source.seeds))
        self._of_size = {size.name: _ForOneSize(alone, settings, size, threads) for size in level.sizes}
        self._source = replace(alone, seeds=())
        listed = tuple(source.seeds)
        self._seeds = checked_seeds(listed) if listed else ()
        self._level = AskedLevel(
            level.geometry, boxes_of(level.geometry), settings, level.volumes, level.bounds, threads
        )

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_whole", "_reached")}

    def prepare(self) -> None:
        """Build now what the first place that needs polygons would wait for: a level in one piece, without detail.

        May run on another thread: who asks meanwhile waits only where the polygons are needed. Tiles are built as they
        are asked about. Raises NavmeshError where the level cannot be built in one piece.
        """
        self._level.prepare()

    def ask(self, at: Sequence[float]) -> Reason:
        """The reason at a point (x, y, z) in metres, y up.

        Where there are several sizes of agents it is that of the first one that cannot stand there.
        """
        for name, reason in self.ask_for_each_size(at).items():
            if not reason.walkable:
                return reason._replace(size=name, sentence=f"For “{name}”: {reason.sentence}")
        point = _checked_point(at)
        level = self._level_at(point)
        reason = self._first(level, point, True)
        behind = self._behind(level, reason, point)
        if not is_sensible(reason.setting, reason.suggested, level.settings):
            return reason._replace(suggested=None, next=None)  # nobody makes it, so nothing is behind it
        if behind is not None and not is_sensible(behind.setting, behind.suggested, level.settings):
            behind = behind._replace(suggested=None)
        return self._for_all_cells(reason._replace(next=behind), level)

    def _level_at(self, point: tuple[float, float, float]) -> AskedLevel:
        """The level with the cells that the tile around a point has."""
        is_inside = self._level.low[0] <= point[0] and self._level.low[2] <= point[2]
        return self._level.at(point[0], point[2]) if is_inside else self._level

    def _for_all_cells(self, reason: Reason, level: AskedLevel) -> Reason:
        """What is suggested in the cells of a tile, in those of the level: its settings are what somebody changes."""
        if level is self._level:
            return reason
        scale = level.settings.cell_size / self._level.settings.cell_size
        behind = None if reason.next is None else self._for_all_cells(reason.next, level)
        suggested = reason.suggested
        if suggested is not None and not isinstance(suggested, bool):
            suggested = in_level_cells(reason.setting, suggested, scale)
        return reason._replace(suggested=suggested, next=behind)

    def ask_for_each_size(self, at: Sequence[float]) -> dict[str, Reason]:
        """The reason of each size of agents, by its name; nothing where there is one size."""
        return {name: one.level.ask(at) for name, one in self._of_size.items()}

    def picture(self, at: Sequence[float], reason: Reason) -> Picture:
        """The column of matter at a point, and what the reason names: the culprit, and the way down."""
        point = _checked_point(at)
        level = self._level_at(point)
        spot = level.spot(point[0], point[2])
        return EMPTY if spot is None else place_picture(surface_at(level, spot, point), reason)

    def preview(self, at: Sequence[float], changes: Mapping[str, Any]) -> Difference:
        """Ground that comes and goes around a point when settings change. Raises NavmeshError."""
        point = _checked_point(at)
        level = self._level_at(point)
        changed = Settings.from_mapping({**self._level.settings.to_mapping(), **changes})
        if level is not self._level:
            changed = settings_at_resolution(changed, level.settings.cell_size / self._level.settings.cell_size)
        return preview(level, point, changed)

    def _first(self, level: AskedLevel, point: tuple[float, float, float], whole: bool) -> Reason:
        """The first reason; without `whole` large pieces are not built for it."""
        spot = level.spot(point[0], point[2])
        if spot is None:
            return _outside(level, point)
        surface = surface_at(level, spot, point)
        if surface.span < 0:
            return _nothing(surface)
        reason = reason_of_triangles(surface) or reason_of_filters(surface) or reason_of_areas(surface)
        if reason is None and (whole or spot.grid.width * spot.grid.depth <= _SMALL):
            reason = reason_of_piece(surface) or self._dropped(surface, level) or self._unreachable(surface, level)
        if reason is not None:
            return reason
        changed = self._smoothed(surface, level) if level.settings.median_filter else None
        odd = oddity(surface) if whole else None
        return _WALKABLE._replace(next=odd if changed is None else changed._replace(next=odd))

    def _smoothed(self, surface: Surface, level: AskedLevel) -> Reason | None:
        """What smoothing made of a place; nothing is suggested where it would be lost without."""
        reason = smoothed(surface)
        without = None if reason is None else _without(level, reason)
        if reason is None or without is None or self._first(without, surface.point, False).walkable:
            return reason
        return reason._replace(setting=None, suggested=None)

    def _behind(self, level: AskedLevel, reason: Reason, point: tuple[float, float, float]) -> Reason | None:
        """What would remove the place once the suggested change is made."""
        try:
            changed = None if reason.walkable else _without(level, reason)
        except (BadInput, TooLarge):  # smaller cells, say, are more than a grid holds: nothing is known behind them
            changed = None
        if changed is None:
            return reason.next
        behind = self._first(changed, point, False)
        return None if behind.walkable else behind._replace(next=None)

    def _dropped(self, surface: Surface, level: AskedLevel) -> Reason | None:
        """Whether somebody dropped its island."""
        if self._source.edits is None or not self._source.edits.drops or not self._is_own(level):
            return None
        before = self._whole.before_drops
        if before is None or _covers(self._whole, surface) or not _covers(before, surface):
            return None
        names = [f"“{row.name}”" for row in self._whole.report.left_out if row.name]
        by = f" ({names[0]})" if len(names) == 1 else ""
        return Reason(
            "DROPPED", "dropped", f"Left out: somebody dropped this island{by}. Delete the mark and build again.",
            triangle=surface.culprit,
        )  # fmt: skip

    def _is_own(self, level: AskedLevel) -> bool:
        """Whether it is the level that was given, with nothing changed in it."""
        return level is self._level or self._level.has_cells_of(level)

    def _unreachable(self, surface: Surface, level: AskedLevel) -> Reason | None:
        if not self._seeds or not self._is_own(level):
            return None
        if _covers(self._reached, surface):
            return None
        count = len(self._seeds)
        whom = "the seed" if count == 1 else f"any of the {count:,} seeds"
        return Reason(
            "UNREACHABLE", "pruned", f"Unreachable: no way leads here from {whom}. Add a link or a seed.",
            0.0, 1.0, triangle=surface.culprit,
        )  # fmt: skip

    @cached_property
    def _whole(self) -> NavMesh:
        """The whole navmesh; built with the first place that is walkable otherwise."""
        return build_navmesh(self._source, settings=self._level.settings, threads=self._level.threads)

    @cached_property
    def _reached(self) -> NavMesh:
        """The same, pruned."""
        return prune_navmesh(self._whole, self._seeds, self._level.geometry)


class _ForOneSize:
    """The level for one size of agents, prepared when somebody first asks."""

    def __init__(self, source: LevelSource, settings: Settings, size: AgentSize, threads: int | None) -> None:
        self._source, self._threads = source, threads
        self._settings = replace(settings, agent_radius=size.radius, agent_height=size.height)

    @cached_property
    def level(self) -> WhyHere:
        return WhyHere(self._source, settings=self._settings, threads=self._threads)


def _covers(navmesh: NavMesh, surface: Surface) -> bool:
    """Whether polygons lie on a surface."""
    key = surface.spot.tile
    return any(tile.key == key and is_covered(tile.polygon_mesh, surface) for tile in navmesh.tiles)


def _checked_point(at: Sequence[float]) -> tuple[float, float, float]:
    try:
        x, y, z = map(float, at)
    except (TypeError, ValueError):
        raise BadInput(f"A point must be three numbers (x, y, z), not {at!r:.60}.", "WRONG_KIND") from None
    if not (math.isfinite(x) and math.isfinite(y) and math.isfinite(z)):
        raise BadInput(f"A point must be finite, not ({x:g}, {y:g}, {z:g}).", "WRONG_KIND")
    return x, y, z


def _outside(level: AskedLevel, point: tuple[float, float, float]) -> Reason:
    """Said without coordinates: whoever asks may have others, as Blender has."""
    low, high = level.low.tolist(), level.high.tolist()
    away = math.hypot(*(max(low[axis] - point[axis], point[axis] - high[axis], 0.0) for axis in (0, 2)))
    return Reason(
        "OUTSIDE_BOUNDS", "grid",
        f"Outside of the bounds: the level, {high[0] - low[0]:.2f} m by {high[2] - low[2]:.2f} m seen from above, ends "
        f"{away:.6g} m from here.",
    )  # fmt: skip


def _nothing(surface: Surface) -> Reason:
    """No span: the surface lies above or below the bounds, or there is none."""
    level = surface.level
    low, high = float(level.low[1]), float(level.high[1])
    if level.bounds is not None and (surface.triangle >= 0 or not low <= surface.point[1] <= high):
        return Reason(
            "OUTSIDE_BOUNDS", "rasterized",
            f"Outside of the bounds, which reach from {low:.2f} to {high:.2f} m in height.",
            surface.point[1], high, triangle=surface.culprit,
        )  # fmt: skip
    return Reason(
        "NOTHING_HERE", "rasterized",
        f"Nothing here: no surface within {level.settings.agent_height:g} m below this point.",
        None, level.settings.agent_height,
    )  # fmt: skip


def _without(level: AskedLevel, reason: Reason) -> AskedLevel | None:
    """The level with the suggested change made; None where there is none to make."""
    if reason.setting is not None and reason.suggested is not None:
        return level.changed(Settings.from_mapping({**level.settings.to_mapping(), reason.setting: reason.suggested}))
    if reason.code == "FACES_DOWN":
        return level.changed(geometry=_flipped(level.geometry, reason.triangle))
    if reason.code == "MARKED" and reason.triangle is not None:
        area = level.geometry.area.copy()
        area[reason.triangle] = WALKABLE
        return level.changed(geometry=level.geometry._replace(area=area))
    if reason.code == "MARKED":
        return level.changed(volumes=[volume for volume in level.volumes if getattr(volume, "area", 1)])
    return None


def _flipped(geometry: Geometry, triangle: int | None) -> Geometry:
    triangles = geometry.triangles.copy()
    triangles[triangle] = triangles[triangle, ::-1]
    return geometry._replace(triangles=triangles)
