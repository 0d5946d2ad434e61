"""Which color a navmesh's faces show: a material slot for each color of what Color By is, and of areas.

A build makes those, Color By those that are missing when somebody chooses it, which is a step of Blender's undo; after
that only indices change. What follows its level creates nothing: Live has all colors of the choice made beforehand.
What an older version built, or a file, may lack values for some choice: it shows its areas then, and the panel says so.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import bpy

from .. import events
from ..blender_types import mesh_of
from ..mesh_attributes import read_attribute, write_attribute
from ..stored.area_types import area_rows
from ..stored.object_properties import DETAIL_MESH, PLAIN, POLYGON_MESH
from ..stored.setups import find_setup, scene_properties
from .materials import (
    AREA,
    COLOR,
    HEAT,
    PALETTE,
    STEPS,
    LegendRow,
    color_keys,
    kind_of,
    legend_rows,
    material_for,
    tint_object,
)
from .navmesh_objects import SETUP, SLOTS, navmesh_objects

if TYPE_CHECKING:
    import numpy.typing as npt

    from .navmesh_to_arrays import I32, Values


def add_slots(scene: bpy.types.Scene, object_: bpy.types.Object, attributes: Mapping[str, Values]) -> None:
    """A material slot for each color that the polygons show, and for their areas; those that are there keep what
    somebody put there."""
    import numpy as np

    tags = []
    for color_by in dict.fromkeys((AREA, str(scene_properties(scene).color_by))):
        keys = color_keys(attributes, color_by)
        if keys is not None:
            tags += [_tag(kind_of(color_by), key) for key in np.unique(keys).tolist()]
    _add(scene, object_, tags)


def add_all_slots(scene: bpy.types.Scene, object_: bpy.types.Object) -> None:
    """A material slot for each color that any navmesh may show by Color By: what follows its level adds none."""
    kind = kind_of(scene_properties(scene).color_by)
    tags = [_tag(AREA, area) for area in (PLAIN, *sorted(row.area for row in area_rows(scene)))]
    tags += [_tag(kind, key) for key in range({COLOR: PALETTE, HEAT: STEPS}.get(kind, 0))]
    _add(scene, object_, tags)


def _add(scene: bpy.types.Scene, object_: bpy.types.Object, tags: list[str]) -> None:
    slots = _slots(object_)
    if not slots:
        mesh_of(object_).materials.clear()
    for tag in dict.fromkeys(tags):
        if tag not in slots:
            kind, key = tag.split()
            slots.append(tag)
            mesh_of(object_).materials.append(material_for(scene, area_rows(scene), kind, int(key)))
    object_[SLOTS] = json.dumps(slots)


def show_colors(polygons: bpy.types.Object, detail: bpy.types.Object | None, color_by: str) -> None:
    """Give each face the slot of its color, in place; that of its area where it has none for its value.

    What is being edited stays as it is.
    """
    import numpy as np

    if polygons.mode == "EDIT" or not len(mesh_of(polygons).polygons):
        return
    for choice in (color_by, AREA):
        keys = color_keys(_attributes(polygons, choice), choice)
        if keys is None:
            continue
        colors, number = np.unique(keys, return_inverse=True)
        shown = [one for one in (polygons, detail) if one is not None and one.mode != "EDIT"]
        slots = [_slots_for(one, colors, kind_of(choice)) for one in shown]
        if choice != AREA and any((of_one < 0).any() for of_one in slots):
            continue
        for one, of_one in zip(shown, slots, strict=True):
            owner: I32 | slice = slice(None)
            if one is detail:
                owner = np.clip(_face_values(detail, "navmesh_polygon"), 0, len(keys) - 1).astype(np.int32)
            _write_slots(one, np.maximum(of_one, 0)[number[owner]])
        return


def _attributes(polygons: bpy.types.Object, color_by: str) -> dict[str, Values]:
    """The values that a choice asks for, as far as the mesh has them."""
    name = "navmesh_area" if color_by == "POLYGON" else f"navmesh_{color_by.lower()}"
    return {name: _face_values(polygons, name)} if name in mesh_of(polygons).attributes else {}


def _slots_for(object_: bpy.types.Object, colors: npt.NDArray[Any], kind: str) -> I32:
    """The number of the slot for each color; -1 for a color that has none."""
    import numpy as np

    number_of = {tag: number for number, tag in enumerate(_slots(object_))}
    return np.array([number_of.get(_tag(kind, key), -1) for key in colors.tolist()], np.int32)


def _write_slots(object_: bpy.types.Object, slots: I32) -> None:
    mesh = mesh_of(object_)
    write_attribute(mesh, "material_index", slots)
    mesh.update()


def _face_values(object_: bpy.types.Object, name: str) -> Values:
    values: Values = read_attribute(mesh_of(object_), name)
    return values


def _tag(kind: str, key: int) -> str:
    return f"{kind} {key}"


def _slots(object_: bpy.types.Object) -> list[str]:
    """Which color each material slot of an object is for, as far as it has them. Older files name regions, islands."""
    listed = [str(tag).split() for tag in json.loads(str(object_.get(SLOTS, "[]")))]
    tags = [_tag(kind if kind in (AREA, HEAT) else COLOR, int(key)) for kind, key in listed]
    return tags[: len(mesh_of(object_).materials)]


def _shown(object_: bpy.types.Object) -> dict[str, int]:
    """How many faces show each color."""
    import numpy as np

    slots = _slots(object_)
    if object_.mode == "EDIT" or "material_index" not in mesh_of(object_).attributes:
        return {}
    counts = np.bincount(np.clip(_face_values(object_, "material_index"), 0, None), minlength=len(slots))
    return {tag: int(count) for tag, count in zip(slots, counts.tolist(), strict=False) if count}


class Legend(NamedTuple):
    """What the panel says below Color By."""

    rows: list[LegendRow]  # of a heat map
    materials: dict[int, bpy.types.Material]  # by the number of a row's color
    without: list[str]  # navmeshes that show their areas instead


def legend(scene: bpy.types.Scene) -> Legend:
    """What the colors of the chosen heat map mean, read from what faces show."""
    color_by = scene_properties(scene).color_by
    counts, materials, without = dict[int, int](), dict[int, bpy.types.Material](), []
    if kind_of(color_by) == AREA:  # all navmeshes can show it, and their list of area types says what it means
        return Legend([], {}, [])
    for object_ in _polygon_meshes(scene):
        shown = _shown(object_)
        if shown and not any(tag.startswith(kind_of(color_by)) for tag in shown):
            without.append(object_.name)
        for tag, material in zip(_slots(object_), mesh_of(object_).materials, strict=False):
            kind, key = tag.split()
            if kind == HEAT and material is not None:
                materials.setdefault(int(key), material)
                counts[int(key)] = counts.get(int(key), 0) + shown.get(tag, 0)
    return Legend(legend_rows(color_by, counts) if kind_of(color_by) == HEAT else [], materials, without)


def _polygon_meshes(scene: bpy.types.Scene) -> Iterator[bpy.types.Object]:
    return (object_ for (_, role), object_ in navmesh_objects(scene).items() if role == POLYGON_MESH)


def color_again(scene_uid: int, color_by: str) -> None:
    """A scene shows its navmeshes in other colors."""
    scene = next((s for s in bpy.data.scenes if s.session_uid == scene_uid), None)
    if scene is None:
        return
    found = navmesh_objects(scene)
    for (uid, role), object_ in found.items():
        if role == POLYGON_MESH:
            for one in filter(None, (object_, found.get((uid, DETAIL_MESH)))):
                _make_slots(scene, one, object_)
            show_colors(object_, found.get((uid, DETAIL_MESH)), color_by)


def _make_slots(scene: bpy.types.Scene, object_: bpy.types.Object, polygons: bpy.types.Object) -> None:
    """Those of the choice that are missing on an object, in the tint of its setup."""
    if object_.mode == "EDIT" or polygons.mode == "EDIT":
        return
    before = len(_slots(object_))
    if scene_properties(scene).live:
        add_all_slots(scene, object_)
    else:
        names = ("navmesh_area", f"navmesh_{scene_properties(scene).color_by.lower()}")
        there = [name for name in names if name in mesh_of(polygons).attributes]
        add_slots(scene, object_, {name: _face_values(polygons, name) for name in there})
    setup = find_setup(scene, str(object_.get(SETUP, "")))
    if setup is not None and len(_slots(object_)) > before:
        tint_object(object_, setup)


SUBSCRIBERS = ((events.color_by_changed, color_again),)
