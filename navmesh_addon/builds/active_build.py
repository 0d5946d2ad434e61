"""What runs in this Blender right now: the one build, and the scene that its result belongs to.

Nothing of Blender's data is held: a scene is known by its session_uid and looked up when the result is there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import bpy

from ...navcore.errors import NavmeshError
from ..redraw import redraw
from . import compile_after_install

if TYPE_CHECKING:
    from .build_thread import BuildThread
    from .request_and_result import Request


class Running(NamedTuple):
    """A build, and the scene it was started from."""

    thread: BuildThread
    scene: int  # session_uid
    changes: list[str]  # what has changed of its level since


_running: list[Running] = []


def current() -> BuildThread | None:
    """The build that runs, None when idle."""
    return _running[0].thread if _running else None


def check_idle() -> None:
    """Refuse to begin a second build."""
    if _running:
        raise NavmeshError("A navmesh is being built already. Cancel it first, or wait.", "BUSY")


def start(requests: list[Request], scene: bpy.types.Scene) -> BuildThread:
    """Build on a thread."""
    from .build_thread import BuildThread  # here: Blender's start does not wait for it
    from .threads_and_kernel_folder import usual_means

    check_idle()
    thread = BuildThread(requests, usual_means())
    _running.append(Running(thread, scene.session_uid, []))
    thread.start()
    return thread


def cancel() -> None:
    """Forget the build; its thread ends by itself."""
    while _running:
        _running.pop().thread.cancel()
    redraw()


def building_from() -> frozenset[str]:
    """Names of what the running build was gathered from."""
    requests = _running[0].thread.requests if _running else []
    return frozenset().union(*(request.gathered.watched for request in requests))


def level_changed(why: str) -> None:
    """Its result, when it comes, may be that of a level which no longer is."""
    for running in _running:
        running.changes.append(why)


def finish() -> tuple[bpy.types.Scene, bool]:
    """The build is done: forget it. Returns the scene of its result, and whether the level has changed since it began.

    Raises NavmeshError where that scene is gone.
    """
    running = _running.pop()
    scene = next((s for s in bpy.data.scenes if s.session_uid == running.scene), None)
    if scene is None:
        raise NavmeshError(
            "The scene that the navmesh was built for is gone. The result was thrown away.", "SCENE_GONE"
        )
    return scene, bool(running.changes)


def shut_down() -> bool:
    """Stop everything and wait until no thread is left. Returns whether none is."""
    from .build_thread import wait_for_threads

    compile_after_install.stop()
    cancel()
    return wait_for_threads()
