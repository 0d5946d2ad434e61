"""What a link saves its agents, for panels: they are drawn often, and wait for nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import bpy

from ...navcore.errors import NavmeshError
from ..builds import finished_navmeshes
from ..objects.navmesh_objects import metres_of, shown_build
from ..redraw import redraw, start_timer, stop_timer
from ..stored.setups import active_setup
from .asked_navmesh import doors_now, usual_filter

_AGAIN = 0.2  # seconds until an answer may be there
_MOST = 64  # answers that are kept
_said: dict[tuple[object, ...], Any] = {}  # futures


def saved_by_link(scene: bpy.types.Scene, start: Sequence[float], end: Sequence[float], reach: float = 0.0) -> str:
    """A sentence on the way that a link saves, doors as they are drawn; "" where the navmesh is not in memory.

    Ends in Blender's coordinates; `reach`: how far aside of them the ground may lie, in metres.
    """
    build, setup = shown_build(scene), active_setup(scene)
    built = finished_navmeshes.find(build) if build else None
    if built is None or setup is None:
        return ""
    fresh, doors, metres = finished_navmeshes.fresh(setup.uid), doors_now(scene), metres_of(scene)
    navmesh = built.navmesh if fresh is None else fresh.navmesh
    key = (build, 0 if fresh is None else fresh.number, doors, tuple(start), tuple(end), reach, metres)
    if key not in _said:
        from ..gather.scene_intent import in_metres
        from . import walk_without_link  # here: Blender's start does not wait for threads, nor for NumPy

        ends = in_metres(start, metres), in_metres(end, metres)
        asked = walk_without_link.AskedWalk(navmesh, *ends, usual_filter(scene), reach, doors)
        if bpy.app.background:  # where no timer ever fires, it is waited for
            return _answered(lambda: walk_without_link.answer(asked))
        while len(_said) >= _MOST:
            _said.pop(next(iter(_said))).cancel()
        _said[key] = walk_without_link.ask(asked)
    if not _said[key].done():
        start_timer(redraw, _AGAIN)
        return "Looking for another way…"
    return _answered(_said[key].result)


def _answered(ask: Callable[[], str]) -> str:
    """The answer, or why there can be none."""
    try:
        return ask()
    except NavmeshError as reason:
        return str(reason)


def forget() -> None:
    """Another file, or the extension is disabled."""
    if _said:
        from . import walk_without_link

        _said.clear()
        walk_without_link.forget()  # a thread is not to outlive the extension
    stop_timer(redraw)
