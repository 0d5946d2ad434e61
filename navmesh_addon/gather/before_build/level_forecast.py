"""What can be said before a build: effective sizes, grid, memory, time, and what looks wrong. Boxes, not triangles."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

import bpy

from ....navcore.build_warning import counted
from ....navcore.builder.memory_and_time_forecast import Forecast
from ....navcore.errors import NavmeshError
from ....navcore.geometry.grid_limits import MAX_COLUMNS
from ....navcore.settings import Settings
from ...blender_types import scene_of, view_layer_of
from ...sliced_work import PAUSE, Slices, at_once
from ...stored.object_properties import object_use, setup_of
from ...stored.setting_properties import SettingValue, read_values
from ...stored.setup_properties import VISIBLE, NavmeshSetup, Sources
from ...stored.setups import setup_sources
from ..gathered_level import Gathered, flipped_floors
from .hints_and_fixes import (
    ADD_GROUND,
    BUILD_FROM_VISIBLE,
    WRONG_UNIT,
    Fix,
    Hint,
    fixes_of_note,
    leave_out,
    on_object,
    scale_level,
    set_settings,
    value_of,
)
from .likely_unit import LikelyUnit, likely_unit

if TYPE_CHECKING:
    from .object_boxes import F64, LevelBoxes
    from .other_cells import OtherCells

# --- What looks wrong about settings by themselves: what is refused, and sizes and steps that cells can't represent.

_FINEST = 8  # cells in a climb: finer ones take long


def refused_settings(values: Mapping[str, SettingValue], error: NavmeshError) -> Hint:
    """Settings that nothing can be built with, and the fewest changes after which something can."""
    usual = Settings().to_mapping()
    refused = {name: usual[name] for name, value in values.items() if not _are_accepted({**usual, name: value})}
    both = {name: usual[name] for name in ("cell_size", "cell_height")}
    higher = {"cell_height": math.ceil(float(values["agent_height"]) / 255 * 1000) / 1000}
    for changes in (refused, {**refused, **higher}, {**refused, **both}, usual):
        if changes and _are_accepted({**values, **changes}):
            label = "Reset All Settings" if changes is usual else ""
            return Hint(error.code, str(error), "", (set_settings(changes, label),))
    raise AssertionError("the usual settings are refused") from error


def _are_accepted(values: Mapping[str, SettingValue]) -> bool:
    try:
        Settings.from_mapping(values).in_voxels()
    except NavmeshError:
        return False
    return True


def effective_sizes(settings: Settings) -> tuple[str, ...]:
    """What voxels make of the agent. Raises BadSettings."""
    vx = settings.in_voxels()
    rows = (
        ("Height", settings.agent_height, vx.height_vx, settings.cell_height),
        ("Radius", settings.agent_radius, vx.radius_vx, settings.cell_size),
        ("Climb", settings.agent_max_climb, vx.climb_vx, settings.cell_height),
    )
    return tuple(
        f"{name} {asked:g} m → {count * cell:.4g} m effective ({count} {'cell' if count == 1 else 'cells'})"
        for name, asked, count, cell in rows
    )


def setting_hints(settings: Settings) -> Iterator[Hint]:
    """Everything that looks wrong, whatever the level is."""
    steps = list(_steps_of_few_cells(settings))
    yield from _unrepresentable(settings, climbs=not steps)
    yield from steps


def _unrepresentable(settings: Settings, climbs: bool) -> Iterator[Hint]:
    """Sizes that voxels change by more than an eighth, a climb by a quarter: Recast's own 0.9 m become 0.8 m."""
    vx = settings.in_voxels()
    for name, asked, count, cell, finer, max_part in (
        ("Radius", settings.agent_radius, vx.radius_vx, "cell_size", "Cell Size", 0.125),
        ("Height", settings.agent_height, vx.height_vx, "cell_height", "Cell Height", 0.125),
        ("Climb", settings.agent_max_climb if climbs else 0.0, vx.climb_vx, "cell_height", "Cell Height", 0.25),
    ):
        size = float(getattr(settings, cell))
        if asked > 0 and abs(count * size - asked) > max_part * asked:
            # A climb is rounded down to cells, other sizes up: so must be what divides them.
            fitting = (rounded_down if name == "Climb" else rounded_up)(_fitting(asked, size))
            message = f"{name} {asked:g} m becomes {count * size:.4g} m. Lower {finer} to {fitting:g} m"
            yield Hint("UNREPRESENTABLE", message, "", (set_settings({cell: fitting}),))


def _fitting(asked: float, cell: float) -> float:
    """A smaller cell that divides a length."""
    return asked / math.ceil(asked / cell) if asked >= cell else asked


def _steps_of_few_cells(settings: Settings) -> Iterator[Hint]:
    """A climb of less than two cells: heights are rounded to cells, so a step of one may come out as none or as two.

    Exactly one cell is fine where the steepest slope rises by no more from cell to cell: Godot's own settings.
    """
    climb, cell, count = settings.agent_max_climb, settings.cell_height, settings.in_voxels().climb_vx
    if count >= 2:
        return
    rise = settings.cell_size * math.tan(math.radians(min(settings.agent_max_slope, 89.0)))
    if count == 1 and math.isclose(climb, cell, rel_tol=1e-4) and rise <= cell * 1.0001:
        return
    finer = _finer_cells(settings)
    if finer:
        way_out, changes = f"Lower Cell Height to {finer:g} m", {"cell_height": finer}
    else:
        higher = rounded_up(2 * cell)
        way_out, changes = f"Raise Max Climb to {higher:g} m", {"agent_max_climb": higher}
    cells = f"{climb / cell:.2g} cells" if count else "less than one cell"
    message = f"Max Climb {climb:g} m is {cells} of {cell:g} m: stairs and bumps may become walls. {way_out}"
    yield Hint("STEPS_OF_FEW_CELLS", message, "", (set_settings(changes),))


def _finer_cells(settings: Settings) -> float:
    """The largest cell height of which the climb has two or more, and that fits the agent's height; 0 for none."""
    usable = 0.0
    for count in range(2, _FINEST + 1) if settings.agent_max_climb > 0 else ():
        cell = rounded_down(settings.agent_max_climb / count)
        if not _are_accepted(changed := {**settings.to_mapping(), "cell_height": cell}):
            continue
        finer = Settings.from_mapping(changed)
        if finer.in_voxels().climb_vx < 2 or cell >= settings.cell_height:
            continue
        if not list(_unrepresentable(finer, climbs=True)):
            return cell
        usable = usable or cell
    return usable


def rounded_down(value: float) -> float:
    """To three digits."""
    unit = 10.0 ** (math.floor(math.log10(value)) - 2)
    return float(f"{math.floor(value / unit + 1e-6) * unit:.3g}")


def rounded_up(value: float) -> float:
    """To three digits."""
    unit = 10.0 ** (math.floor(math.log10(value)) - 2)
    return float(f"{math.ceil(value / unit - 1e-6) * unit:.3g}")


# --- Levels so small that nothing of them would be left: the agent keeps away from edges, and small ground is
# removed.

_CELLS = 8  # across what the agent's radius leaves: cells that edges are rounded to take up to five of these
_MIN_REGION = 2  # cells: the side of the smallest ground that a small level keeps
_SHARE = 0.3  # of a level's width that the radius may take from each side


def small_level(settings: Settings, boxes: F64) -> Hint | None:
    """A hint where nothing can be left of a level in these boxes (N, 2, 3); None where something may.

    Only what is certain is said: cells at the edges count as whole, and a box as many floors as agents fit into it.
    """
    low, high = boxes[:, 0].min(0), boxes[:, 1].max(0)
    width, height, depth = (float(size) for size in high - low)
    radius = settings.in_voxels().radius_vx
    across = [math.ceil(size / settings.cell_size) + 1 - 2 * radius for size in (width, depth)]
    size, side = f"The level is {width:.3g} × {depth:.3g} m", settings.region_min_size
    if min(across) <= 0:
        why = f"An agent with a radius of {settings.agent_radius:g} m keeps away from its edges: nothing is left"
        return _hint("LEVEL_TOO_NARROW", f"{size}. {why}", settings, width, depth)
    # Between two floors there is room for the agent, and the upper one is a cell thick.
    floors = 1 + math.floor(height / (settings.in_voxels().height_vx + 1) / settings.cell_height)
    each = boxes[:, 1] - boxes[:, 0]
    cells = ((each[:, 0] / settings.cell_size + 2) * (each[:, 2] / settings.cell_size + 2)).sum()
    largest = min(across[0] * across[1], float(cells)) * floors
    if largest >= settings.in_voxels().region_min_area_vx or _is_cut(settings, across):
        return None
    metres = f"{side * settings.cell_size:.3g} × {side * settings.cell_size:.3g} m"
    away = f"An agent keeps {settings.agent_radius:g} m away from its edges, and ground" if radius else "Ground"
    why = f"{away} smaller than {metres} ({side:g} × {side:g} cells) is removed: nothing is left"
    return _hint("LEVEL_TOO_SMALL", f"{size}. {why}", settings, width, depth)


def _is_cut(settings: Settings, across: list[int]) -> bool:
    """Whether the level is cut into tiles: ground that reaches a tile's side is never removed."""
    return 0 < settings.tile_size < max(across) + 2 * settings.in_voxels().radius_vx


def _hint(code: str, why: str, settings: Settings, width: float, depth: float) -> Hint:
    fitting = fitting_settings(settings, width, depth)
    said = ", ".join(value_of(name, value) for name, value in fitting.items())
    message = f"{why}. Add ground around it, or fit the settings: {said}"
    fit = set_settings(fitting, "Fit Settings to Level")
    level_is_fine = fitting.keys() == {"region_min_size"}
    return Hint(code, message, "", (fit, ADD_GROUND) if level_is_fine else (ADD_GROUND, fit))


def fitting_settings(settings: Settings, width: float, depth: float) -> dict[str, float]:
    """What to change, so that something is left of flat ground of that size."""
    narrow = max(min(width, depth), 1e-3)
    radius = settings.agent_radius
    if radius > _SHARE * narrow:
        radius = rounded_down(_SHARE * narrow)
    left = narrow - 2 * radius
    cell = rounded_down(min(settings.cell_size, left / _CELLS))
    if radius > 0:
        cell = _dividing(radius, cell)
    changes = {
        "agent_radius": radius,
        "cell_size": cell,
        "region_min_size": min(settings.region_min_size, max(_MIN_REGION, left / cell // 2)),
    }
    return {name: value for name, value in changes.items() if value != getattr(settings, name)}


def _dividing(radius: float, max_cell: float) -> float:
    """A cell of which the radius is a whole number, after rounding too: or the agent would grow by one."""
    count = math.ceil(radius / max_cell)
    cell = rounded_up(radius / count)
    return (
        cell
        if Settings(agent_radius=radius, cell_size=cell).in_voxels().radius_vx == count
        else rounded_up(1.005 * cell)
    )


_MAX_TILES = 16_384  # that Detour data can number
_LONG = 600.0  # seconds: whoever presses Build wants to know before that it takes longer
_SCALED = 1e-3  # from 1: less is rounding
_NOT_LOOKED_AT = "Judged by the boxes of objects. Check looks at every triangle"


class LevelForecast(NamedTuple):
    """What the panel shows before a build."""

    effective: tuple[str, ...] = ()
    size: str = ""
    hints: tuple[Hint, ...] = ()
    looked: str = ""  # at what, and what was left out


class Taken(NamedTuple):
    """What a build of a setup would take, where that is not what the setup says: a navmesh that is there is rebuilt."""

    values: Mapping[str, SettingValue]  # beside those of the setup
    sources: Sources


def forecast_level(context: bpy.types.Context, setup: NavmeshSetup, taken: Taken | None = None) -> LevelForecast:
    """Look at the boxes of what would be built, at once."""
    return at_once(forecast_in_steps(context, setup, taken))


def forecast_in_steps(
    context: bpy.types.Context, setup: NavmeshSetup, taken: Taken | None = None
) -> Slices[LevelForecast]:
    """The same, an object at a time. Raises ReferenceError where objects were removed between two steps."""
    from .object_boxes import look_at_boxes

    given, sources = taken or Taken({}, setup_sources(setup))
    values = {**read_values(setup, scene_of(context).unit_settings.scale_length), **given}
    try:
        settings = Settings.from_mapping(values)
        effective = effective_sizes(settings)
    except NavmeshError as error:
        return LevelForecast(hints=(refused_settings(values, error),))
    if _is_own(context, setup.uid):  # whose faces a build is made of: there is nothing to foresee
        return LevelForecast(effective)
    try:
        seen = yield from look_at_boxes(context, sources)
    except NavmeshError as error:
        return LevelForecast(effective, hints=(Hint(error.code, str(error), "", (BUILD_FROM_VISIBLE,)),))
    yield PAUSE
    forecast = yield from _judged(settings, effective, seen, sources)
    if sources.scale != 1.0 or not forecast.size:
        return forecast
    unit = yield from likely_unit(context, seen.boxes, settings.agent_height)
    return forecast if unit is None else _in_unit(forecast, unit)


def _is_own(context: bpy.types.Context, setup: str) -> bool:
    """Whether an object that is seen is the navmesh of a setup."""
    layer = view_layer_of(context)
    return any(
        object_ is not None  # removed just now
        and object_use(object_) == "NAVMESH" and setup_of(object_) in ("", setup)
        and bool(object_.visible_get(view_layer=layer))
        for object_ in layer.objects.values()
    )  # fmt: skip


_OF_SIZE = {"TOO_LARGE", "TAKES_LONG", "TOO_MANY_TILES", "OUTLIER"}  # what is said of a level that is too large


def _in_unit(forecast: LevelForecast, unit: LikelyUnit) -> LevelForecast:
    """What is wrong is the unit: nothing else is said of how large the level is."""
    hint = Hint(WRONG_UNIT, unit.sentence, "", (scale_level(unit.factor),))
    return forecast._replace(hints=(hint, *(one for one in forecast.hints if one.code not in _OF_SIZE)))


def _judged(
    settings: Settings, effective: tuple[str, ...], seen: LevelBoxes, sources: Sources
) -> Slices[LevelForecast]:
    """What the boxes say. With thousands of them every part takes a millisecond or two."""
    hints = [*setting_hints(settings), *_scales(seen)]
    hints += [Hint(code, message, name, fixes_of_note(code, name)) for code, message, name in seen.source_hints]
    yield PAUSE
    if not seen.names:
        empty = Hint("NO_TRIANGLES", seen.why_empty, seen.hidden, ways_out_of_nothing(sources, seen.hidden))
        return LevelForecast(effective, "", (empty, *hints))
    boxes, whole = _within_bounds(seen)
    looked = _looked_at(seen, len(boxes))
    if len(boxes) == 0:
        return LevelForecast(effective, "", (_empty_bounds(seen), *hints), looked)
    yield PAUSE
    spans = [*_outliers(seen)] if seen.bounds is None else []
    yield PAUSE
    small = small_level(settings, boxes)
    from .other_cells import other_cells, without_room

    hints += without_room(settings, seen.resolutions)
    others = other_cells(settings, whole, boxes, seen.resolutions)
    size, too_large = _grid(settings, whole, float(_ground(boxes).sum()), others)
    return LevelForecast(effective, size, (*too_large, *([small] if small else ()), *spans, *hints), looked)


def ways_out_of_nothing(sources: Sources, hidden: str) -> tuple[Fix, ...]:
    """What to do where a setup finds nothing to build from."""
    if sources.scope != VISIBLE:
        return (BUILD_FROM_VISIBLE,)
    return (on_object("Show", "navmesh.show_object", hidden), ADD_GROUND) if hidden else (ADD_GROUND,)


def forecast_of_triangles(forecast: LevelForecast, gathered: Gathered) -> LevelForecast:
    """The same, and what only the triangles can tell."""
    known = {(hint.code, hint.name) for hint in forecast.hints}
    notes = [note for note in (*gathered.notes, *flipped_floors(gathered)) if (note.code, note.name) not in known]
    more = [Hint(n.code, n.message, n.name, fixes_of_note(n.code, n.name)) for n in notes]
    used, triangles, skipped = (len(part) for part in (gathered.used, gathered.triangles, gathered.skipped))
    counts = f"{counted(used, 'object')}, {counted(triangles, 'triangle')}; {skipped:,} not used"
    return forecast._replace(looked=counts, hints=(*forecast.hints, *more))


def _looked_at(seen: LevelBoxes, count: int) -> str:
    """What the forecast is made of, and what it does not know."""
    more = [_NOT_LOOKED_AT]
    if seen.instancers:
        more.append(f"{seen.instancers:,} instance others on their vertices or faces: those are not counted")
    outside = len(seen.names) - count
    return ". ".join([f"{counted(count, 'object')}{f', {outside:,} outside the bounds' if outside else ''}", *more])


def _within_bounds(seen: LevelBoxes) -> tuple[F64, F64]:
    """The parts of all boxes within the bounds, and the box that the grid has."""
    import numpy as np

    if seen.bounds is None:
        return seen.boxes, np.stack([seen.boxes[:, 0].min(0), seen.boxes[:, 1].max(0)])
    low, high = np.maximum(seen.boxes[:, 0], seen.bounds[0]), np.minimum(seen.boxes[:, 1], seen.bounds[1])
    inside = (low <= high).all(axis=1)
    return np.stack([low, high], axis=1)[inside], seen.bounds


def _empty_bounds(seen: LevelBoxes) -> Hint:
    """What is outside of all bounds is not built."""
    several = f" (with {len(seen.bounds_names) - 1} more)" if len(seen.bounds_names) > 1 else ""
    message = f"marks bounds{several} that contain nothing of the level. Move them, or leave them out"
    name = seen.bounds_names[0]
    return Hint("BOUNDS_HOLD_NOTHING", message, name, (leave_out(name),))


def _grid(settings: Settings, whole: F64, covered: float, others: OtherCells) -> tuple[str, list[Hint]]:
    """The grid around the whole; `covered` is the ground of all boxes in square metres."""
    width, depth = (max(1, math.floor((whole[1, a] - whole[0, a]) / settings.cell_size + 0.5)) for a in (0, 2))
    cells = width * depth
    # As if each box were one floor. (The build itself counts triangles.)
    floors = (covered + others.more) / settings.cell_size**2
    expected = Forecast(cells, floors, floors, 0)
    cells_text = f"{width:,} × {depth:,} cells"
    slow = list(_takes_long(expected.seconds, settings))
    if settings.tile_size:
        size = f"{cells_text} in tiles of {settings.tile_size}{others.words}, about {_time(expected.seconds)}"
        return size, [*_tiles(settings, width, depth), *slow]
    if cells > MAX_COLUMNS:
        larger = _larger(settings.cell_size * math.sqrt(cells / MAX_COLUMNS))
        way_out = f"Set Tile Size to 256, raise Cell Size to {larger:g} m, or select less"
        message = f"The grid would be {cells_text} (limit {MAX_COLUMNS // 10**6} million). {way_out}"
        return cells_text, [Hint("TOO_LARGE", message, "", (set_settings({"tile_size": 256}),))]
    memory = expected.bytes(settings.partition) / 1e6
    return f"{cells_text}, about {memory:,.0f} MB and {_time(expected.seconds)}", slow


def _larger(minimum: float) -> float:
    """A little more than that, in three digits."""
    return float(f"{minimum * 1.01:.3g}")


def _takes_long(seconds: float, settings: Settings) -> Iterator[Hint]:
    if seconds > _LONG:
        larger = _larger(settings.cell_size * math.sqrt(seconds / _LONG))
        way_out = f"Raise Cell Size to {larger:g} m for {_LONG / 60:.0f} minutes, or select less"
        message = f"The build would take about {_time(seconds)} of one core. {way_out}"
        yield Hint("TAKES_LONG", message, "", (set_settings({"cell_size": larger}),))


def _tiles(settings: Settings, width: int, depth: int) -> Iterator[Hint]:
    """More tiles than game files can number."""
    count = -(-width // settings.tile_size) * -(-depth // settings.tile_size)
    if count > _MAX_TILES:
        larger = math.ceil(settings.tile_size * math.sqrt(count / _MAX_TILES) * 1.01)
        way_out = f"For a .bin file raise Tile Size to {larger}, or Cell Size"
        message = f"{count:,} tiles; a Detour file (.bin) holds {_MAX_TILES:,} with ground. {way_out}"
        yield Hint("TOO_MANY_TILES", message, "", (set_settings({"tile_size": larger}),))


def _time(seconds: float) -> str:
    return "less than a second" if seconds < 1 else f"{seconds:,.0f} s" if seconds < 90 else _long_time(seconds)


def _long_time(seconds: float) -> str:
    return f"{seconds / 60:,.0f} min" if seconds < 5400 else f"{seconds / 3600:,.0f} hours"


def _scales(seen: LevelBoxes) -> Iterator[Hint]:
    scaled = (abs(seen.scales - 1) > _SCALED).any(axis=1)
    for number in scaled.nonzero()[0].tolist():
        name, scale = seen.names[number], seen.scales[number].tolist()
        if 0 in scale:
            message = "is scaled to nothing along an axis. Scale it anew, or leave it out"
            yield Hint("ZERO_SCALE", message, name, (leave_out(name),))
        else:
            message = f"has a scale of {' × '.join(f'{s:.3g}' for s in scale)}, not applied. It is built as seen"
            fixes = (on_object("Apply Scale", "navmesh.apply_scale", name),) if seen.applicable[number] else ()
            yield Hint("SCALE", message, name, fixes)


def _outliers(seen: LevelBoxes) -> Iterator[Hint]:
    """Objects without which the ground that the grid covers would be a quarter or less."""
    import numpy as np

    boxes = seen.boxes
    if len(boxes) < 3:
        return
    edges = {int(boxes[:, 0, a].argmin()) for a in (0, 2)} | {int(boxes[:, 1, a].argmax()) for a in (0, 2)}
    whole = np.stack([boxes[:, 0].min(0), boxes[:, 1].max(0)])
    for number in sorted(edges, key=seen.names.__getitem__):
        rest = np.delete(boxes, number, axis=0)
        remaining = np.stack([rest[:, 0].min(0), rest[:, 1].max(0)])
        own, span = boxes[number, 1] - boxes[number, 0], whole[1] - whole[0]
        if _ground(remaining) < 0.25 * _ground(whole) and own[0] * own[2] < 0.25 * span[0] * span[2]:
            name = seen.names[number]
            message = "lies far away from the rest and makes the grid large. Move it, or leave it out"
            yield Hint("OUTLIER", message, name, (leave_out(name),))


def _ground(boxes: F64) -> F64:
    """(...) square metres that boxes (..., 2, 3) cover."""
    import numpy as np

    size = np.maximum(boxes[..., 1, :] - boxes[..., 0, :], 1e-6)
    ground: F64 = size[..., 0] * size[..., 2]
    return ground
