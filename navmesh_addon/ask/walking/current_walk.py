"""The one walk that goes on: who starts it, what ends it, and that it is drawn."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

import bpy

from ....navcore.build_warning import counted
from ....navcore.errors import NavmeshError
from ...blender_types import not_none
from ...errors import sentence
from ...kept_value import KeptValue
from ...objects.built_from import heights_of_sizes, remembered
from ...objects.navmesh_objects import metres_of, polygon_mesh_of, shown_build
from ...redraw import redraw, redraw_all, redraw_views, start_timer, stop_timer
from ...stored.setups import active_setup, scene_properties
from ...stored.view_properties import MOST, NO_HEAT
from .. import asked_navmesh, current_answer

if TYPE_CHECKING:
    from ....navcore.crowd.heat.heat import Heat
    from .heat_of_walk import ShownHeat
    from .walk_job import WalkJob, WalkOrder

_DRAWS = 1 / 60  # seconds between two drawings
_AT_THE_END = 20.0  # seconds to wait for a walk whose kernel cannot be interrupted
_SAYS = 0.5  # seconds between two looks at whether the navmesh is still there, and drawings of the panel


class BakedHeat(NamedTuple):
    """Where the walk that was baked last loses time."""

    scene: int
    build: str
    heat: Heat


class Walk(NamedTuple):
    """What goes on."""

    scene: int
    build: str
    height: float  # metres
    job: WalkJob

    @property
    def heat(self) -> ShownHeat | None:
        """Where it loses time, if that is wanted and known."""
        return None if self.job.heat is None else self.job.heat.shown


_walk: KeptValue[Walk | None] = KeptValue(None)
_ended = KeptValue("")  # why the last one did
_looked = KeptValue(0.0)
_heat: KeptValue[ShownHeat | None] = KeptValue(None)  # that was drawn last
_baked: KeptValue[BakedHeat | None] = KeptValue(None)
_baked_shown: KeptValue[ShownHeat | None] = KeptValue(None)


def current() -> Walk | None:
    """The walk that goes on, if any."""
    return _walk.value


def start(scene: bpy.types.Scene, count: int) -> None:
    """Let agents walk from the tested start to the tested end. Raises NavmeshError."""
    stop()
    wanted = wanted_in(scene)
    from .walk_job import WalkJob  # here: Blender's start does not wait for NumPy

    job = WalkJob(asked_navmesh.soon_ready(scene), wanted, count).start()
    _walk.value = Walk(scene.session_uid, shown_build(scene), wanted.height, job)
    start_timer(_tick, _DRAWS)


def wanted_in(scene: bpy.types.Scene) -> WalkOrder:
    """What the scene asks for. Raises NavmeshError."""
    asked_navmesh.soon_ready(scene)
    if not current_answer.is_set(scene):
        raise NavmeshError(
            "There is no way to walk yet. With the tool Navmesh Test, click to set its start, Ctrl-click its end.",
            "NO_WAY_TO_WALK",
        )
    from ...gather.scene_intent import in_metres
    from .walk_job import WalkOrder

    stored, metres = scene_properties(scene), metres_of(scene)
    ends = in_metres(stored.test_start, metres), in_metres(stored.test_end, metres)
    setup = not_none(active_setup(scene))
    object_, size = not_none(polygon_mesh_of(scene, setup.uid)), asked_navmesh.asked_size(scene)
    height = dict(heights_of_sizes(object_)).get(size, remembered(object_)[0].agent_height)
    chosen = asked_navmesh.usual_filter(scene)
    return WalkOrder(*ends, chosen, height, stored.walk_speed, stored.walk_seed, MOST, size)


def more_until(count: int) -> int:
    """How many are added so that `count` walk; where so many do already, so many more."""
    walk = current()
    asked = 0 if walk is None else walk.job.asked
    return count - asked if asked < count else count


def add(scene: bpy.types.Scene, count: int) -> None:
    """More agents; where nobody walks they are the first. Raises NavmeshError."""
    walk = current()
    if walk is None or walk.scene != scene.session_uid:
        start(scene, count)
    else:
        walk.job.add(count)


def follow(scene: bpy.types.Scene) -> None:
    """Let those who walk go where the end is now, which may be on its way with the mouse."""
    from ...gather.scene_intent import in_metres

    walk = current()
    if walk is not None and current_answer.is_set(scene):
        stored, metres = scene_properties(scene), metres_of(scene)
        ends = in_metres(stored.test_start, metres), in_metres(stored.test_end, metres)
        if ends != walk.job.ends:
            walk.job.follow(*ends)


def _show_heat(scene: bpy.types.Scene, walk: Walk) -> None:
    """Let it be what the scene says, and draw it as soon as there is another."""
    wanted = scene_properties(scene).walk_heat
    walk.job.show_heat("" if wanted == NO_HEAT else wanted.lower())
    if walk.heat is not _heat.value:
        _heat.value = walk.heat
        redraw_all()


def keep_heat(scene: bpy.types.Scene, build: str, heat: Heat) -> None:
    """Draw where a baked walk loses time, while nobody walks."""
    _baked.value = BakedHeat(scene.session_uid, build, heat)
    _baked_shown.forget()


def heat_in(scene: bpy.types.Scene) -> ShownHeat | None:
    """Where the walk that goes on in a scene loses time, else the one that was baked there last; if that is wanted."""
    walk, baked, wanted = current(), _baked.value, scene_properties(scene).walk_heat
    if walk is not None:
        return walk.heat if walk.scene == scene.session_uid else None
    if baked is None or wanted == NO_HEAT or (baked.scene, baked.build) != (scene.session_uid, shown_build(scene)):
        return None
    if _baked_shown.value is None or _baked_shown.value.what != wanted.lower():
        from .heat_of_walk import shown_heat  # here: Blender's start does not wait for NumPy

        _baked_shown.value = shown_heat(baked.heat, wanted.lower())
    return _baked_shown.value


def stop(why: str = "") -> None:
    """End it, if it goes on."""
    stop_timer(_tick)
    walk, _walk.value, _ended.value = _walk.value, None, why
    if walk is not None:
        walk.job.cancel()
        redraw_all()


def said() -> str:
    """How far it is, or why it ended; "" where there is nothing to say."""
    if _walk.value is None:
        return _ended.value
    job = _walk.value.job
    frame = job.frame
    if frame is None:
        return "Preparing the walk …"
    # Here: Blender's start does not wait for NumPy.
    from ....navcore.crowd.states import ARRIVED, NEAR, NO_WAY, STUCK, WAITING

    count = len(frame.states)
    words = ((ARRIVED, "arrived"), (NEAR, "near"), (WAITING, "waiting"), (STUCK, "stuck"))
    counts = [(int((frame.states == state).sum()), word) for state, word in words]
    told = ", ".join(f"{number} {word}" for number, word in counts if number or word == "arrived")
    text = f"{counted(count, 'agent')}, {told}: {frame.seconds:.1f} s"
    if (frame.states == NO_WAY).any():
        text += f". No way leads to the end for {int((frame.states == NO_WAY).sum())}"
    if job.refused:
        text += f". For {job.refused} there is no free ground near the start, or they are more than {MOST}"
    return text


def _tick() -> float | None:
    """Looks whether it may go on, and draws it again."""
    walk, now = _walk.value, time.perf_counter()
    if walk is None:
        return None
    if walk.job.error is not None:
        stop(sentence(walk.job.error))
        return None
    scene = next((scene for scene in bpy.data.scenes if scene.session_uid == walk.scene), None)
    if scene is not None:
        follow(scene)
        _show_heat(scene, walk)
    if now - _looked.value > _SAYS:
        _looked.value = now
        if scene is None or shown_build(scene) != walk.build:
            stop("The walk ended: its navmesh is gone or was built again")
            return None
        redraw()
    frame = walk.job.frame
    if frame is None or not frame.rests:
        redraw_views()
    return _DRAWS


def _forget(*_: object) -> None:
    stop()
    _baked.forget()
    _baked_shown.forget()


HANDLERS = (("load_pre", _forget), ("undo_pre", _forget), ("redo_pre", _forget))


def unregister() -> None:
    walk = current()
    _forget()
    if walk is not None:
        walk.job.wait(_AT_THE_END)
