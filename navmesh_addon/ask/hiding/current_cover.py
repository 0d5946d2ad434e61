"""The cover that was found last: on a thread in a window, at once in background. Kept for the session alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import bpy

from ....navcore.build_warning import counted
from ...blender_types import scene_of
from ...errors import sentence
from ...kept_value import KeptValue
from ...objects.built_from import finished_navmesh
from ...objects.navmesh_objects import shown_build
from ...redraw import redraw, redraw_all, start_timer, stop_timer
from ...views.overlay import Overlay, Viewport
from .cover_job import CoverJob

if TYPE_CHECKING:
    from ....navcore.cover.find_cover import Cover
    from ....navcore.views.picture import Picture

_LOOKS = 0.1  # seconds between two looks at the thread
_WIDTH = 2.5  # pixels
_AT_THE_END = 20.0  # seconds to wait for a kernel that cannot be interrupted


class FoundCover(NamedTuple):
    """Of one navmesh."""

    scene: int  # its session_uid
    build: str
    cover: Cover
    picture: Picture


class _Seeking(NamedTuple):
    scene: int
    build: str
    job: CoverJob


_found: KeptValue[FoundCover | None] = KeptValue(None)
_seeking: KeptValue[_Seeking | None] = KeptValue(None)
_said = KeptValue("")


def shown_in(scene: bpy.types.Scene) -> FoundCover | None:
    """What was found of the navmesh as it is now."""
    found = _found.value
    is_of = found is not None and found.scene == scene.session_uid and found.build == shown_build(scene)
    return found if is_of else None


def is_coming() -> bool:
    return _seeking.value is not None


def find(context: bpy.types.Context, spacing: float) -> None:
    """Look for it: in a window on a thread, which draws it as soon as it is there. Raises NavmeshError."""
    built, scene = finished_navmesh(context), scene_of(context)
    hide()
    job = CoverJob(built, spacing)
    _seeking.value = _Seeking(scene.session_uid, shown_build(scene), job.start())
    if bpy.app.background:
        job.wait()
        _take()
        if job.error is not None:
            raise job.error
        return
    start_timer(_look, _LOOKS)
    redraw()


def _look() -> float | None:
    seeking = _seeking.value
    if seeking is not None and seeking.job.running:
        return _LOOKS
    _take()
    redraw_all()
    return None


def _take() -> None:
    """What the thread has found, if it has ended."""
    seeking, _seeking.value = _seeking.value, None
    if seeking is None:
        return
    if seeking.job.error is not None:
        _said.value = sentence(seeking.job.error)
    elif seeking.job.result is not None:
        cover, picture = seeking.job.result
        _found.value, _said.value = FoundCover(seeking.scene, seeking.build, cover, picture), ""


def hide(*_: object) -> None:
    """Draw none, and look for none."""
    stop_timer(_look)
    if _seeking.value is not None:
        _seeking.value.job.cancel()
    for kept in (_found, _seeking, _said):
        kept.forget()


def said(scene: bpy.types.Scene) -> str:
    """What there is, or what becomes of it; "" where nobody has asked."""
    if is_coming():
        return "Looking for cover …"
    found = shown_in(scene)
    if found is None:
        return _said.value
    return in_words(found.cover)


def in_words(cover: Cover) -> str:
    """How much there is."""
    low, count = int((cover.kind == "low").sum()), len(cover.at)
    return f"{counted(count, 'place')} of cover: {low:,} low, {count - low:,} high"


HANDLERS = (("load_pre", hide),)


def unregister() -> None:
    seeking = _seeking.value
    hide()
    if seeking is not None:
        seeking.job.wait(_AT_THE_END)


def _draw(view: Viewport) -> None:
    found = shown_in(view.scene)
    if found is None or not view.properties.show_navmesh or not view.shows_overlays:
        OVERLAY.keep_only()
        return
    upload = OVERLAY.upload("cover", found.picture, view.metres, _WIDTH)
    OVERLAY.show(view, upload, x_ray=view.properties.draw_x_ray)


OVERLAY = Overlay(_draw)
