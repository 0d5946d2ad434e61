"""What runs in this Blender right now: the one build, and the scene that its result belongs to.

Its level is gathered first, a slice at a time where that takes long; then a thread builds.

Nothing of Blender's data is held: a scene is known by its session_uid and looked up when the result is there.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import TYPE_CHECKING

import bpy

from ...navcore.compile_ahead import starter
from ...navcore.errors import NavmeshError
from ..background import wait_for_cancelled
from ..blender_types import not_none
from ..kept_value import KeptValue
from ..redraw import redraw

if TYPE_CHECKING:
    from .level_gathering import LevelGathering, Plan
    from .request_and_result import Request
    from .run_builds import BuildJob


class Running:
    """A build, and the scene it was started from."""

    def __init__(self, scene: bpy.types.Scene) -> None:
        self.scene = scene.session_uid
        self.gathering: LevelGathering | None = None
        self.thread: BuildJob | None = None
        self.changes: list[str] = []  # what has changed of its level since that was gathered


_running: KeptValue[Running | None] = KeptValue(None)


def running() -> Running | None:
    """The build that runs, None when idle."""
    return _running.value


def current() -> LevelGathering | BuildJob | None:
    """What of it is at work: what gathers its level, or the thread that builds; None when idle."""
    now = _running.value
    return None if now is None else now.thread or now.gathering


def check_idle() -> None:
    """Refuse to begin a second build."""
    if _running.value is not None:
        raise NavmeshError("A navmesh is being built already. Cancel it first, or wait.", "BUSY")


def gather(plans: list[Plan], scene: bpy.types.Scene) -> Running:
    """Begin a build, with its level. Who does calls `go_on` of what gathers, and `build` in the end."""
    from .level_gathering import LevelGathering  # here: Blender's start does not wait for it

    check_idle()
    now = _running.value = Running(scene)
    now.gathering = LevelGathering(plans)
    return now


def start(requests: list[Request], scene: bpy.types.Scene) -> BuildJob:
    """Build what is gathered already."""
    check_idle()
    _running.value = Running(scene)
    return build(requests)


def build(requests: list[Request]) -> BuildJob:
    """The level is there: build on a thread."""
    from .run_builds import BuildJob  # here: Blender's start does not wait for it
    from .threads_and_kernel_folder import usual_means

    now = not_none(_running.value)
    now.gathering, now.changes, now.thread = None, [], BuildJob(requests, usual_means())
    now.thread.start()
    return now.thread


def cancel() -> None:
    """Forget the build; its thread ends by itself."""
    ended = _running.value
    _running.forget()
    if ended is not None and ended.thread is not None:
        ended.thread.cancel()
    redraw()


def building_from() -> Iterator[int]:
    """The session_uids of what the running build was gathered from."""
    for request in _requests():
        yield from request.gathered.watched


def is_building_from(uids: Set[int]) -> bool:
    """Whether the running build was gathered from one of these."""
    return any(not request.gathered.watched.isdisjoint(uids) for request in _requests())


def _requests() -> list[Request]:
    now = _running.value
    return [] if now is None or now.thread is None else now.thread.requests


def level_changed(why: str) -> None:
    """Its result, when it comes, may be that of a level which no longer is."""
    if _running.value is not None:
        _running.value.changes.append(why)
    scene_updated()


def scene_updated() -> None:
    """Blender updated something, whatever it was: a level that is being gathered has to be gathered anew."""
    now = _running.value
    if now is not None and now.gathering is not None:
        now.gathering.level_changed()


def finish() -> tuple[bpy.types.Scene, bool]:
    """The build is done: forget it. Returns the scene of its result, and whether the level has changed since it began.

    Raises NavmeshError where that scene is gone.
    """
    done = not_none(_running.value)
    _running.forget()
    scene = next((s for s in bpy.data.scenes if s.session_uid == done.scene), None)
    if scene is None:
        raise NavmeshError(
            "The scene that the navmesh was built for is gone. The result was thrown away.", "SCENE_GONE"
        )
    return scene, bool(done.changes)


def shut_down() -> bool:
    """Stop everything and wait until no thread is left. Returns whether none is."""
    starter.stop()
    cancel()
    return wait_for_cancelled()
