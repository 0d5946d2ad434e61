"""What runs in this Blender right now, and from where to where: the one job, and the scene that its result belongs to.

Nothing of Blender's data is held: a scene is known by its session_uid and looked up when the result is there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import bpy

from ...navcore.errors import BadInput, NavmeshError
from ...navcore.settings import Settings
from ..gather.gathered import for_pruning
from ..package import EXTENSION
from ..redraw import redraw
from ..stored import preferences
from ..stored.area_types import runtime_area_types
from ..stored.setting_properties import read_values
from ..stored.setups import new_uid, setup_sources, shown_setup
from ..stored.sources import Sources
from . import build_thread as jobs
from . import compile_after_install as preparation
from .build_thread import Job, Means, Request


class Running(NamedTuple):
    """A job, and the scene it was started from."""

    job: Job
    scene: int  # session_uid
    changes: list[str]  # what has changed of its level since


_running: list[Running] = []


def current() -> Job | None:
    """The job that runs, None when idle."""
    return _running[0].job if _running else None


def check_idle() -> None:
    """Refuse to begin a second build."""
    if _running:
        raise NavmeshError("A navmesh is being built already. Cancel it first, or wait.", "BUSY")


def start(requests: list[Request], scene: Any) -> Job:
    """Build on a thread."""
    check_idle()
    job = Job(requests, means())
    _running.append(Running(job, scene.session_uid, []))
    job.start()
    return job


def cancel() -> None:
    """Forget the job; its thread ends by itself."""
    while _running:
        _running.pop().job.cancel()
    redraw()


def building_from() -> frozenset[str]:
    """Names of what the running job was gathered from."""
    requests = _running[0].job.requests if _running else []
    return frozenset().union(*(request.gathered.watched for request in requests))


def level_changed(why: str) -> None:
    """Its result, when it comes, may be that of a level which no longer is."""
    for running in _running:
        running.changes.append(why)


def finish() -> tuple[Any, bool]:
    """The job is done: forget it. Returns the scene of its result, and whether the level has changed since it began.

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
    preparation.stop()
    cancel()
    return jobs.wait_for_threads()


def means() -> Means:
    """What this Blender builds with."""
    return Means(kernel_folder(), preferences.threads())


def prepare() -> None:
    """To be called before anything of navcore that has kernels is loaded: files are read and written by some as well.

    Raises BuilderMissing.
    """
    jobs.load(kernel_folder())


def kernel_folder() -> Path | None:
    """Where compiled kernels are kept; None leaves it to navcore (we do not run as an extension)."""
    try:
        return Path(bpy.utils.extension_path_user(EXTENSION, path="kernels"))  # made by navcore, for this user alone
    except (ValueError, OSError):
        return None


class Wanted(NamedTuple):
    """What an operator or a script asks for beyond the stored setup."""

    setup: str = ""  # a setup's name; "" for the active one
    all_setups: bool = False
    sources: Callable[[Sources], Sources] = lambda stored: stored
    values: Mapping[str, Any] = {}
    prune: bool | None = None  # None: as the setup says


def make_requests(context: Any, wanted: Wanted) -> list[Request]:
    """Gather for one setup, or for all. Raises NavmeshError; changes nothing."""
    return [_request(context, setup, wanted) for setup in _chosen_setups(context.scene, wanted)]


def _chosen_setups(scene: Any, wanted: Wanted) -> list[Any]:
    if wanted.all_setups and len(scene.navmesh.setups):
        return list(scene.navmesh.setups)
    if not wanted.setup or not len(scene.navmesh.setups):
        return [shown_setup(scene)]
    named = [setup for setup in scene.navmesh.setups if setup.name == wanted.setup]
    if not named:
        known = ", ".join(setup.name for setup in scene.navmesh.setups)
        raise BadInput(f"There is no setup named “{wanted.setup}”. There are: {known}.", "NO_SETUP")
    return named[:1]


def _request(context: Any, setup: Any, wanted: Wanted) -> Request:
    from ..gather.gather_scene import gather

    values = read_values(setup, context.scene.unit_settings.scale_length)
    settings = Settings.from_mapping({**values, **wanted.values})
    settings.in_voxels()  # what cannot be built with is said before gathering
    sources = wanted.sources(setup_sources(setup))
    # A draft has no identity yet: it becomes a setup when its navmesh is there.
    uid, name = (setup.uid, setup.name) if setup.uid else (new_uid(), wanted.setup or setup.name or "Navmesh")
    types = runtime_area_types(context.scene)
    prune = bool(setup.prune) if wanted.prune is None else wanted.prune
    given = gather(context, sources)
    given = for_pruning(given) if prune else given
    return Request(uid, name, settings, given, types, bool(setup.keep_stages), prune=prune)
