"""What can be said before a build: effective sizes, grid, memory, time, and what looks wrong. Boxes, not triangles.

The panel asks for it while drawing and gets the last one; a timer makes a new one when something has changed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import bpy

from ...navcore.build.limits.memory_and_time_forecast import Forecast
from ...navcore.errors import NavmeshError
from ...navcore.geometry.grid_limits import MOST_COLUMNS
from ...navcore.settings import Settings
from ..build import running_build as session
from ..gather.gathered import Sources, flipped_floors
from ..operator_types import Answer
from ..stored.setting_properties import NAMES, read_values
from ..stored.setups import fill_draft, setup_sources, shown_setup

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ..gather.gather_scene import Scope

    Box = npt.NDArray[np.float64]  # (2, 3) low and high corner, y up

MOST_OBJECTS = 4000  # beyond it only on request
_DELAY = 0.3  # seconds after the last change
_MOST_TILES = 16_384  # of Detour data
_LONG = 600.0  # seconds of which a person wants to hear before pressing Build


class Hint(NamedTuple):
    """One line for people; `name` is the object that it is about."""

    code: str
    message: str
    name: str = ""


class Survey(NamedTuple):
    """What the panel shows before a build."""

    effective: tuple[str, ...] = ()
    size: str = ""
    hints: tuple[Hint, ...] = ()


_latest: list[tuple[Any, Survey]] = []  # the one last made, and what it was made for
_changed = [True]


# ------------------------------------------------------------------- the survey


def survey(context: Any, setup: Any) -> Survey:
    """Look at the boxes of what would be built."""
    from ..gather.gather_scene import Scope, why_nothing

    metres = context.scene.unit_settings.scale_length
    sources = setup_sources(setup)
    try:
        settings = Settings(**read_values(setup, metres))
        effective = effective_sizes(settings)
        scope = Scope(context, sources)
        boxes = dict(_boxes(context, scope, sources, metres))
    except NavmeshError as error:
        return Survey(hints=(Hint(error.code, str(error)),))
    hints = [*_unrepresentable(settings), *_scales(context, boxes)]
    if not boxes:
        empty = Hint("NO_TRIANGLES", why_nothing(sources, scope.explain(set())))
        return Survey(effective, "", (empty, *hints))
    whole = _around(boxes.values())
    size, too_large = _grid(settings, whole, sum(map(_ground, boxes.values())))
    return Survey(effective, size, (*too_large, *_outliers(boxes, whole), *hints))


def check(context: Any, setup: Any) -> Survey:
    """The same, and what only the triangles can tell. Raises NavmeshError."""
    from ..gather.gather_scene import gather

    found = survey(context, setup)
    given = gather(context, setup_sources(setup))
    more = [Hint(n.code, n.message, n.name) for n in given.notes] + [Hint(*note) for note in flipped_floors(given)]
    skipped = f"{len(given.used):,} objects, {len(given.triangles):,} triangles; {len(given.skipped):,} not used"
    made = found._replace(size=f"{found.size}\n{skipped}".strip(), hints=(*found.hints, *more))
    _latest[:] = [(_key(context.scene, setup), made)]
    _changed[0] = False
    return made


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
    told = f"{width:,} × {depth:,} cells"
    slow = list(_takes_long(expected.seconds, settings))
    if settings.tile_size:
        size = f"{told} in tiles of {settings.tile_size}, about {_time(expected.seconds)}"
        return size, [*_tiles(settings, width, depth), *slow]
    if cells > MOST_COLUMNS:
        larger = settings.cell_size * math.sqrt(cells / MOST_COLUMNS) * 1.01
        way_out = f"Raise Cell Size to {larger:.2g} m, set Tile Size to 256, or select less"
        return told, [Hint("TOO_LARGE", f"The grid would be {told} (limit {MOST_COLUMNS // 10**6} million). {way_out}")]
    memory = expected.bytes(settings.partition) / 1e6
    return f"{told}, about {memory:,.0f} MB and {_time(expected.seconds)}", slow


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


def _scales(context: Any, boxes: dict[str, Box]) -> Iterator[Hint]:
    for name in boxes:
        thing = context.view_layer.objects.get(name)
        scale = thing.matrix_world.to_scale() if thing is not None else (1, 1, 1)
        if 0 in scale:
            yield Hint("ZERO_SCALE", "is scaled to nothing along an axis", name)
        elif thing.type != "EMPTY" and max(abs(abs(s) - 1) for s in scale) > 1e-3:
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


def _around(boxes: Any) -> Box:
    import numpy as np

    corners = np.array(list(boxes))
    return np.stack([corners[:, 0].min(0), corners[:, 1].max(0)])


def _boxes(context: Any, scope: Scope, sources: Sources, metres: float) -> Iterator[tuple[str, Box]]:
    """The box of every object that would be used."""
    import numpy as np

    from ..axes import to_navcore
    from ..gather.volumes_and_links import marker_of

    for thing in context.view_layer.objects:
        if marker_of(thing) or not thing.visible_get() or not scope.takes(thing, thing):
            continue
        inner = (
            thing.instance_collection.all_objects
            if thing.instance_type == "COLLECTION" and thing.instance_collection
            else ()
        )
        corners = [
            to_navcore(thing.matrix_world @ i.matrix_world, metres).points(i.bound_box)
            for i in inner
            if i.type == "MESH"
        ]
        if thing.type in sources.kinds:
            corners.append(to_navcore(thing.matrix_world, metres).points(thing.bound_box))
        if corners:
            points = np.concatenate(corners).astype(np.float64)
            if np.isfinite(points).all() and (points.max(0) > points.min(0)).any():
                yield thing.name, np.stack([points.min(0), points.max(0)])


# ------------------------------------------------------------- when it is made


def latest(scene: Any) -> Survey | None:
    """The last survey of the setup that is shown; asks for a new one where something has changed since."""
    setup = shown_setup(scene)
    fits = bool(_latest) and _latest[0][0] == _key(scene, setup)
    if (_changed[0] or not fits) and not bpy.app.timers.is_registered(_refresh):
        bpy.app.timers.register(_refresh, first_interval=_DELAY)
    return _latest[0][1] if fits else None


def something_changed() -> None:
    _changed[0] = True


def _key(scene: Any, setup: Any) -> Any:
    return scene.session_uid, setup.uid, setup_sources(setup), *(getattr(setup, name) for name in NAMES)


def _refresh() -> None:
    """Called by a timer, outside of drawing."""
    context = bpy.context
    if context.scene is None or context.view_layer is None or session.current() is not None:
        return
    if context.screen is not None and context.screen.is_animation_playing:
        return
    if len(context.view_layer.objects) > MOST_OBJECTS and _latest:
        return
    fill_draft(context.scene)
    setup = shown_setup(context.scene)
    _latest[:] = [(_key(context.scene, setup), survey(context, setup))]
    _changed[0] = False
    session.redraw()


class NAVMESH_OT_check(bpy.types.Operator):
    """Look at everything that would be built, without building"""

    bl_idname = "navmesh.check"
    bl_label = "Check"
    bl_options = {"INTERNAL"}

    def execute(self, context: Any) -> Answer:
        try:
            found = check(context, shown_setup(context.scene))
        except NavmeshError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        serious = [hint for hint in found.hints if hint.code != "SCALE"]
        self.report(
            {"WARNING"} if serious else {"INFO"}, f"{len(serious)} warnings" if serious else "Nothing looks wrong"
        )
        return {"FINISHED"}


CLASSES = (NAVMESH_OT_check,)


def register() -> None:
    something_changed()


def unregister() -> None:
    if bpy.app.timers.is_registered(_refresh):
        bpy.app.timers.unregister(_refresh)
    _latest.clear()
