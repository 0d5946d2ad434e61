"""The answer to what the scene asks now: computed where something changed since it was asked last.

It is computed on a thread, and waited for as long as a drag can bear. What takes longer is drawn when it is there; the
older answer to the same navmesh stands meanwhile.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import bpy

from ...navcore.errors import NavmeshError
from ..blender_types import not_none
from ..kept_value import KeptValue
from ..objects.navmesh_objects import metres_of, shown_build
from ..redraw import redraw_views, start_timer, stop_timer
from ..stored.area_types import area_rows
from ..stored.object_properties import PLAIN
from ..stored.setups import scene_properties
from . import asked_navmesh, link_saving, why_here

if TYPE_CHECKING:
    from ...navcore.views.picture import Picture
    from .path_questions import Answered
    from .question_thread import AnswerSoon


class QuestionKey(NamedTuple):
    """Of what something is the answer."""

    scene: int
    build: str
    newer: int  # the number of what follows the level and is not written yet
    question: tuple[object, ...]


class Current(NamedTuple):
    """What is known now."""

    key: QuestionKey | None
    answered: Answered | None  # None where nothing could be asked
    picture: Picture | None
    sentence: str


_AT_ONCE = 0.008  # seconds that a drawing waits for an answer
_LOOKS = 0.02  # seconds between two looks at the thread
_NOT_SET = Current(None, None, None, "Click to set the start, Ctrl-click to set the end")
_PREPARING = Current(None, None, None, "Preparing the navmesh for questions …")
_COMPILING = Current(None, None, None, "Compiling the kernels for this computer, once …")
_ANSWERING = Current(None, None, None, "Looking for the answer …")
_known: KeptValue[Current | None] = KeptValue(None)
_running: KeptValue[tuple[QuestionKey, AnswerSoon] | None] = KeptValue(None)
_said: KeptValue[str] = KeptValue("")  # of those who wait, at the last look


def is_set(scene: bpy.types.Scene) -> bool:
    """Whether somebody has set a start and an end."""
    stored = scene_properties(scene)
    return stored.is_property_set("test_start") and stored.is_property_set("test_end")


def current(scene: bpy.types.Scene) -> Current:
    """The answer to what the scene asks, or the last one while that is computed. Waits some milliseconds at most, but
    in background mode, and never raises NavmeshError."""
    if not is_set(scene):
        return _NOT_SET if _is_ready(scene) else _waiting()
    key = _key_of(scene)
    if _running.value is not None and _running.value[1].done():
        _take()
    if _running.value is None and (_known.value is None or _known.value.key != key):
        _ask(scene, key)
    now = _known.value
    if now is not None and now.key is not None and (now.key == key or now.key[:2] == key[:2]):
        return now
    return _waiting()


def forget() -> None:
    """Another file, or the extension is disabled."""
    _known.forget()
    _running.forget()
    _said.forget()
    stop_timer(_look)
    asked_navmesh.forget()
    why_here.forget()
    link_saving.forget()


def _waiting() -> Current:
    """What there is to wait for."""
    from ...navcore.kernels.kept_kernels import is_compiling  # here: Blender's start does not wait for it

    if is_compiling():
        return _COMPILING
    return _ANSWERING if asked_navmesh.all_ready() else _PREPARING


def _key_of(scene: bpy.types.Scene) -> QuestionKey:
    stored = scene_properties(scene)
    question = (
        stored.test_mode, tuple(stored.test_start), tuple(stored.test_end), metres_of(scene),
        area_rows(scene), asked_navmesh.doors_now(scene), asked_navmesh.asked_size(scene),
    )  # fmt: skip
    newer = asked_navmesh.newer_than_build(scene)
    return QuestionKey(scene.session_uid, shown_build(scene), newer, question)


def _is_ready(scene: bpy.types.Scene) -> bool:
    """Whether a question could be asked now; where it could soon, that is begun. True where none can be asked."""
    try:
        ready = asked_navmesh.soon_ready(scene).done()
    except NavmeshError:
        return True
    if not ready:
        start_timer(_look, _LOOKS)
    return ready


def _ask(scene: bpy.types.Scene, key: QuestionKey) -> None:
    from .in_blender import question_in_scene  # here: Blender's start does not wait for NumPy
    from .question_thread import ask, is_there

    stored = scene_properties(scene)
    try:
        query = asked_navmesh.soon_ready(scene)
    except NavmeshError as error:
        _known.value = Current(key, None, None, str(error))
        return
    colors = {0 if row.area == PLAIN else row.area: row.color for row in area_rows(scene)}
    question = question_in_scene(scene, stored.test_mode, stored.test_start, stored.test_end)
    soon = ask(query, question, colors)
    _running.value = key, soon
    if is_there(soon, None if bpy.app.background else _AT_ONCE):
        _take()
    else:
        start_timer(_look, _LOOKS)


def _take() -> None:
    """What the thread has answered."""
    key, future = not_none(_running.value)
    _running.forget()
    try:
        answered, picture = future.result()
    except NavmeshError as error:
        _known.value = Current(key, None, None, str(error))
    else:
        _known.value = Current(key, answered, picture, answered.sentence)


def _look() -> float | None:
    """Draws again as soon as there is something new to draw."""
    if (_running.value is not None and not _running.value[1].done()) or not asked_navmesh.all_ready():
        now = _waiting().sentence
        if now != _said.value:
            _said.value = now
            redraw_views("STATUSBAR")
        return _LOOKS
    _said.forget()
    redraw_views("STATUSBAR")
    return None
