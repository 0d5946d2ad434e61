"""Which two navmeshes are compared, and whether they still are what the scene shows."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import bpy

from ...navcore.errors import BadInput
from ..blender_types import scene_of
from ..builds import finished_navmeshes
from ..objects.built_from import remembered, request_again
from ..objects.navmesh_objects import BUILD, SETUP, navmesh_of, polygon_mesh_of
from ..stored.setups import find_setup, scene_properties
from ..stored.view_properties import BEFORE, FILE, LAST
from .latest_comparison import Compared, Side

_CELL_HEIGHT = 0.2  # metres, of files


class NamedSide(NamedTuple):
    """One side, as the panel or a script names it."""

    what: str  # LAST, BEFORE, FILE, or a setup by its name or identity
    file: str = ""  # for FILE


def find_sides(context: bpy.types.Context, first: NamedSide, second: NamedSide) -> tuple[Side, Side]:
    """The two navmeshes. LAST is of the active setup, BEFORE of the one that the other side names, if it does.

    Raises NavmeshError.
    """
    names = [_setup_name(asked) for asked in (first, second)]
    sides = _side(context, first, names[0], names[1]), _side(context, second, names[1], names[0])
    if sides[0].build == sides[1].build and sides[0].path == sides[1].path:
        raise BadInput(
            f"Both are {sides[0].name}. Choose another navmesh for one of them: another setup, the build before, or a "
            "file.",
            "SAME_NAVMESH",
        )
    return sides


def _setup_name(asked: NamedSide) -> str:
    """The setup that is asked for, "" where it is none."""
    return "" if asked.what in (LAST, BEFORE, FILE) else asked.what


def _side(context: bpy.types.Context, asked: NamedSide, name: str, others: str) -> Side:
    if asked.what == FILE:
        return _file_side(asked.file)
    if not asked.what:
        raise BadInput("What was to be compared is no longer there. Choose another navmesh.", "NOTHING_TO_COMPARE")
    object_ = navmesh_of(scene_of(context), others if asked.what == BEFORE else name)
    build, uid = str(object_.get(BUILD, "")), str(object_.get(SETUP, ""))
    setup = find_setup(scene_of(context), uid)
    title = object_.name if setup is None else setup.name
    if asked.what == BEFORE:
        return _side_before(build, title)
    built = finished_navmeshes.find(build)
    if built is None:
        return Side(f"“{title}”", uid, build, request=request_again(context, object_))
    return Side(f"“{title}”", uid, build, built.navmesh)


def _side_before(build: str, title: str) -> Side:
    before = finished_navmeshes.before(build)
    built = finished_navmeshes.find(before)
    if built is None:
        raise BadInput(
            f"There is no build of “{title}” before the last one: it was built once since the file was opened. Change "
            "the level and build again, or compare with another setup or a file.",
            "NOTHING_TO_COMPARE",
        )
    return Side(f"“{title}” before its last build", "", before, built.navmesh)


def _file_side(file: str) -> Side:
    if not file:
        raise BadInput("No file was chosen. Choose the navmesh file to compare with.", "NOTHING_TO_COMPARE")
    path = Path(bpy.path.abspath(file)).resolve()
    return Side(path.name, path=path)


def lift_of(scene: bpy.types.Scene, sides: tuple[Side, Side]) -> float:
    """Metres by which the picture is drawn higher than it is, so that it lies above all navmeshes that are shown."""
    heights = [_CELL_HEIGHT]
    for side in sides:
        if side.setup and (object_ := polygon_mesh_of(scene, side.setup)) is not None:
            heights.append(remembered(object_)[0].cell_height)
    return max(heights) * (1 + 0.5 * len(scene_properties(scene).setups))


class ComparisonState(NamedTuple):
    """Whether a comparison still is one of what the scene shows."""

    is_shown: bool
    why_not: str = ""  # what whoever looks has to know, "" for nothing


def state_of(scene: bpy.types.Scene, compared: Compared) -> ComparisonState:
    """Of navmeshes that are gone or were built again, no picture is shown."""
    for side in compared.sides:
        object_ = polygon_mesh_of(scene, side.setup) if side.setup else None
        if side.setup and object_ is None:
            return ComparisonState(False, f"The navmesh of {side.name} is gone: compare another one")
        if object_ is not None and str(object_.get(BUILD, "")) != side.build:
            return ComparisonState(False, f"{side.name} is another build by now: compare again")
        if side.build in finished_navmeshes.stale(scene.session_uid) and side.setup:
            return ComparisonState(
                True, f"{side.name} is out of date, as the level changed: build it and compare again"
            )
    return ComparisonState(True)
