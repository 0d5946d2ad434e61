"""The answer to what the scene asks now: computed where something changed since it was asked last."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import bpy

from ...navcore.errors import NavmeshError
from ..stored.area_types import area_rows
from ..stored.object_properties import PLAIN
from ..stored.setups import scene_properties
from . import asked_navmesh, link_detour, why_here

if TYPE_CHECKING:
    from ...navcore.views.picture import Picture
    from .path_questions import Answered


class Current(NamedTuple):
    """What is known now."""

    key: object  # of what it is the answer to
    answered: Answered | None  # None where nothing could be asked
    picture: Picture | None
    sentence: str


_NOT_SET = Current(None, None, None, "Click to set the start, Ctrl-click to set the end")
_known: list[Current] = []  # at most one


def is_set(scene: bpy.types.Scene) -> bool:
    """Whether somebody has set a start and an end."""
    stored = scene_properties(scene)
    return stored.is_property_set("test_start") and stored.is_property_set("test_end")


def current(scene: bpy.types.Scene) -> Current:
    """The answer to what the scene asks. Computes what is not known, some milliseconds, and never raises."""
    if not is_set(scene):
        return _NOT_SET
    key = _key_of(scene)
    if not _known or _known[0].key != key:
        _known[:] = [_asked(scene, key)]
    return _known[0]


def forget() -> None:
    """Another file, or the extension is disabled."""
    _known.clear()
    asked_navmesh.forget()
    why_here.forget()
    link_detour.forget()


def _key_of(scene: bpy.types.Scene) -> object:
    stored = scene_properties(scene)
    return (
        scene.session_uid, asked_navmesh.build_of(scene), stored.test_mode, tuple(stored.test_start),
        tuple(stored.test_end), scene.unit_settings.scale_length, area_rows(scene),
    )  # fmt: skip


def _asked(scene: bpy.types.Scene, key: object) -> Current:
    from .answer_picture import answer_picture
    from .in_blender import answer_in_scene

    stored = scene_properties(scene)
    try:
        answered = answer_in_scene(scene, stored.test_mode, stored.test_start, stored.test_end)
        colors = {0 if row.area == PLAIN else row.area: row.color for row in area_rows(scene)}
        picture = answer_picture(asked_navmesh.asked_navmesh(scene), answered, colors)
    except NavmeshError as error:
        return Current(key, None, None, str(error))
    return Current(key, answered, picture, answered.sentence)
