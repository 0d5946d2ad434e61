"""What can be said before a build: effective sizes, grid, memory, time, and what looks wrong. Boxes, not triangles."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

import bpy

from ...navcore.builder.limits.memory_and_time_forecast import Forecast
from ...navcore.errors import NavmeshError
from ...navcore.geometry.grid_limits import MOST_COLUMNS
from ...navcore.settings import Settings
from ..blender_types import scene_of, view_layer_of
from ..stored.setting_properties import read_settings
from ..stored.setups import NavmeshSetup, setup_sources
from ..stored.source_objects import Sources
from .gathered_level import Gathered, flipped_floors

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from .object_filter import ObjectFilter

    Box = npt.NDArray[np.float64]  # (2, 3) low and high corner, y up

_MOST_TILES = 16_384  # that Detour data can number
_LONG = 600.0  # seconds: whoever presses Build wants to know before that it takes longer


class Hint(NamedTuple):
    """One line for people; `name` is the object that it is about."""

    code: str
    message: str
    name: str = ""


class LevelForecast(NamedTuple):
    """What the panel shows before a build."""

    effective: tuple[str, ...] = ()
    size: str = ""
    hints: tuple[Hint, ...] = ()


def forecast_level(context: bpy.types.Context, setup: NavmeshSetup) -> LevelForecast:
    """Look at the boxes of what would be built."""
    from .object_filter import ObjectFilter, why_nothing
    from .source_hints import source_hints

    metres = scene_of(context).unit_settings.scale_length
    sources = setup_sources(setup)
    try:
        settings = read_settings(setup, metres)
        effective = effective_sizes(settings)
        used = ObjectFilter(context, sources)
        boxes = dict(_boxes(context, used, sources, metres))
    except NavmeshError as error:
        return LevelForecast(hints=(Hint(error.code, str(error)),))
    hints = [*_unrepresentable(settings), *_scales(context, boxes)]
    hints += [Hint(*row) for row in source_hints(context, used)]
    if not boxes:
        empty = Hint("NO_TRIANGLES", why_nothing(sources, used.explain(context, set()), used.helpers))
        return LevelForecast(effective, "", (empty, *hints))
    whole = _around(boxes.values())
    size, too_large = _grid(settings, whole, sum(map(_ground, boxes.values())))
    return LevelForecast(effective, size, (*too_large, *_outliers(boxes, whole), *hints))


def forecast_of_triangles(forecast: LevelForecast, gathered: Gathered) -> LevelForecast:
    """The same, and what only the triangles can tell."""
    said = {(hint.code, hint.name) for hint in forecast.hints}
    more = [Hint(*note) for note in gathered.notes if (note.code, note.name) not in said]
    more += [Hint(*note) for note in flipped_floors(gathered)]
    used, triangles, skipped = (len(part) for part in (gathered.used, gathered.triangles, gathered.skipped))
    counts = f"{used:,} objects, {triangles:,} triangles; {skipped:,} not used"
    return forecast._replace(size=f"{forecast.size}\n{counts}".strip(), hints=(*forecast.hints, *more))


def effective_sizes(settings: Settings) -> tuple[str, ...]:
    """What voxels make of the agent. Raises BadSettings."""
    vx = settings.in_voxels()
    rows = (
        ("Height", settings.agent_height, vx.height_vx, settings.cell_height),
        ("Radius", settings.agent_radius, vx.radius_vx, settings.cell_size),
        ("Climb", settings.agent_max_climb, vx.climb_vx, settings.cell_height),
    )
    return tuple(
        f"{name} {asked:g} m → {count * cell:.4g} m effective ({count} cells)" for name, asked, count, cell in rows
    )


def _unrepresentable(settings: Settings) -> Iterator[Hint]:
    """Sizes that voxels change by more than a tenth, a climb by a quarter: Recast's own 0.9 m become 0.8 m."""
    vx = settings.in_voxels()
    for name, asked, count, cell, finer, most in (
        ("Radius", settings.agent_radius, vx.radius_vx, settings.cell_size, "Cell Size", 0.1),
        ("Height", settings.agent_height, vx.height_vx, settings.cell_height, "Cell Height", 0.1),
        ("Climb", settings.agent_max_climb, vx.climb_vx, settings.cell_height, "Cell Height", 0.25),
    ):
        if asked > 0 and abs(count * cell - asked) > most * asked:
            yield Hint(
                "UNREPRESENTABLE",
                f"{name} {asked:g} m becomes {count * cell:.4g} m. Lower {finer} to {_fitting(asked, cell):.3g} m",
            )


def _fitting(asked: float, cell: float) -> float:
    """A smaller cell that divides a length."""
    return asked / math.ceil(asked / cell) if asked >= cell else asked


def _grid(settings: Settings, whole: Box, covered: float) -> tuple[str, list[Hint]]:
    """The grid around the whole; `covered` is the ground of all boxes in square metres."""
    width, depth = (max(1, math.floor((whole[1, a] - whole[0, a]) / settings.cell_size + 0.5)) for a in (0, 2))
    cells = width * depth
    # As if each box were one floor. (The build itself counts triangles.)
    floors = covered / settings.cell_size**2
    expected = Forecast(cells, floors, floors, 0)
    cells_text = f"{width:,} × {depth:,} cells"
    slow = list(_takes_long(expected.seconds, settings))
    if settings.tile_size:
        size = f"{cells_text} in tiles of {settings.tile_size}, about {_time(expected.seconds)}"
        return size, [*_tiles(settings, width, depth), *slow]
    if cells > MOST_COLUMNS:
        larger = settings.cell_size * math.sqrt(cells / MOST_COLUMNS) * 1.01
        way_out = f"Raise Cell Size to {larger:.2g} m, set Tile Size to 256, or select less"
        message = f"The grid would be {cells_text} (limit {MOST_COLUMNS // 10**6} million). {way_out}"
        return cells_text, [Hint("TOO_LARGE", message)]
    memory = expected.bytes(settings.partition) / 1e6
    return f"{cells_text}, about {memory:,.0f} MB and {_time(expected.seconds)}", slow


def _takes_long(seconds: float, settings: Settings) -> Iterator[Hint]:
    if seconds > _LONG:
        larger = settings.cell_size * math.sqrt(seconds / _LONG) * 1.01
        way_out = f"Raise Cell Size to {larger:.2g} m for {_LONG / 60:.0f} minutes, or select less"
        yield Hint("TAKES_LONG", f"The build would take about {_time(seconds)} of one core. {way_out}")


def _tiles(settings: Settings, width: int, depth: int) -> Iterator[Hint]:
    """More tiles than game files can number."""
    count = -(-width // settings.tile_size) * -(-depth // settings.tile_size)
    if count > _MOST_TILES:
        larger = math.ceil(settings.tile_size * math.sqrt(count / _MOST_TILES) * 1.01)
        way_out = f"For a .bin file raise Tile Size to {larger}, or Cell Size"
        yield Hint(
            "TOO_MANY_TILES", f"{count:,} tiles; a Detour file (.bin) holds {_MOST_TILES:,} with ground. {way_out}"
        )


def _time(seconds: float) -> str:
    return "less than a second" if seconds < 1 else f"{seconds:,.0f} s" if seconds < 90 else _long_time(seconds)


def _long_time(seconds: float) -> str:
    return f"{seconds / 60:,.0f} min" if seconds < 5400 else f"{seconds / 3600:,.0f} hours"


def _scales(context: bpy.types.Context, boxes: dict[str, Box]) -> Iterator[Hint]:
    for name in boxes:
        object_ = view_layer_of(context).objects[name]
        scale = object_.matrix_world.to_scale().to_tuple()
        if 0 in scale:
            yield Hint("ZERO_SCALE", "is scaled to nothing along an axis. Scale it anew, or leave it out", name)
        elif object_.type != "EMPTY" and max(abs(abs(s) - 1) for s in scale) > 1e-3:
            yield Hint(
                "SCALE",
                f"has a scale of {' × '.join(f'{s:.3g}' for s in scale)}, not applied. It is built as seen",
                name,
            )


def _outliers(boxes: dict[str, Box], whole: Box) -> Iterator[Hint]:
    """Objects without which the ground that the grid covers would be a quarter or less."""
    if len(boxes) < 3:
        return
    edges = {min(boxes, key=lambda n: boxes[n][0, a]) for a in (0, 2)} | {
        max(boxes, key=lambda n: boxes[n][1, a]) for a in (0, 2)
    }
    for name in sorted(edges):
        rest = _around(box for other, box in boxes.items() if other != name)
        own = boxes[name][1] - boxes[name][0]
        span = whole[1] - whole[0]
        if _ground(rest) < 0.25 * _ground(whole) and own[0] * own[2] < 0.25 * span[0] * span[2]:
            yield Hint("OUTLIER", "lies far away from the rest and makes the grid large", name)


def _ground(box: Box) -> float:
    size = box[1] - box[0]
    return float(max(size[0], 1e-6) * max(size[2], 1e-6))


def _around(boxes: Iterable[Box]) -> Box:
    import numpy as np

    corners = np.array(list(boxes))
    return np.stack([corners[:, 0].min(0), corners[:, 1].max(0)])


def _boxes(
    context: bpy.types.Context, used: ObjectFilter, sources: Sources, metres: float
) -> Iterator[tuple[str, Box]]:
    """The box of every object that would be used."""
    import numpy as np

    from ..axes import to_navcore
    from .volumes_links_and_seeds import marker_of

    for object_ in view_layer_of(context).objects:
        if marker_of(object_) or not object_.visible_get() or not used.takes(object_, object_):
            continue
        inner = (
            object_.instance_collection.all_objects
            if object_.instance_type == "COLLECTION" and object_.instance_collection
            else ()
        )
        corners = [
            to_navcore(object_.matrix_world @ i.matrix_world, metres).points(i.bound_box)
            for i in inner
            if i.type == "MESH"
        ]
        if object_.type in sources.kinds:
            corners.append(to_navcore(object_.matrix_world, metres).points(object_.bound_box))
        if corners:
            points = np.concatenate(corners).astype(np.float64)
            if np.isfinite(points).all() and (points.max(0) > points.min(0)).any():
                yield object_.name, np.stack([points.min(0), points.max(0)])
