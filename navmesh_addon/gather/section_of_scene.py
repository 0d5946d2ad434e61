"""Which section of a world the scene shows: the file itself is one, or links some. Reads, changes nothing."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import bpy

from ...navcore.errors import BadInput
from ..blender_types import scene_of, view_layer_of
from ..stored.object_properties import names_in_lists
from ..stored.setup_properties import LISTED, Sources
from ..stored.setups import scene_properties
from .gathered_level import Gathered, SceneItem, geometry_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ...navcore.area_types import AreaType
    from ...navcore.types import Geometry
    from ...navcore.world.world_file import World, WorldSection


class NamedWorld(NamedTuple):
    """What the scene says of its world."""

    file: Path
    folder: Path


def named_world(scene: bpy.types.Scene) -> NamedWorld | None:
    """None where the scene names none."""
    stored = scene_properties(scene)
    if not stored.world_file:
        return None
    file = Path(_absolute(stored.world_file))
    return NamedWorld(file, Path(_absolute(stored.world_folder)) if stored.world_folder else file.parent)


def section_at_hand(context: bpy.types.Context, world: World) -> WorldSection | None:
    """The section that this file is; else that of the active object's library, or the one at the 3D cursor."""
    if (own := _section_of(world, bpy.data.filepath)) is not None:
        return own
    active = context.active_object
    if active is not None and (linked := _section_of(world, _library_of(active))) is not None:
        return linked
    scene = scene_of(context)
    metres = scene.unit_settings.scale_length
    x, z = scene.cursor.location.x * metres, -scene.cursor.location.y * metres
    return next((section for section in world.sections if holds(section, (x, 0.0, z))), None)


def holds(section: WorldSection, point: Iterable[float]) -> bool:
    """Whether a place of navcore's lies in the section's box."""
    x, _, z = point
    x0, z0, x1, z1 = section.box
    return x0 <= x < x1 and z0 <= z < z1


def is_this_file(path: Path) -> bool:
    """Whether a mesh of a section is the file that is open."""
    return bool(bpy.data.filepath) and _same(str(path), bpy.data.filepath)


def linked_sources(context: bpy.types.Context, path: Path, stored: Sources) -> Sources | None:
    """What is linked here from a file; None where nothing is."""
    listed_as = names_in_lists()
    names = tuple(listed_as(o) for o in view_layer_of(context).objects if _same(_library_of(o), str(path)))
    return stored._replace(scope=LISTED, names=names) if names else None


def within(gathered: Gathered, section: WorldSection) -> Gathered:
    """The same without marks of other sections, which are all in one scene where several sections are linked."""
    return gathered._replace(
        volumes=tuple(item for item in gathered.volumes if holds(section, _middle(item))),
        links=tuple(item for item in gathered.links if holds(section, item["start"])),
        edits=tuple(edit for edit in gathered.edits if holds(section, _middle(edit.item))),
    )


def _middle(item: SceneItem) -> tuple[float, float, float]:
    """Of a volume or an edit as scene files have it."""
    if "at" in item or "base" in item:
        x, y, z = item["at"] if "at" in item else item["base"]
        return x, y, z
    corners = item.get("points") or item.get("outline")
    if corners is None:
        corners = [(corner[0], corner[2]) for corner in item.get("vertices", (item.get("min"), item.get("max")))]
    xs, zs = zip(*corners, strict=True)
    return (min(xs) + max(xs)) / 2, 0.0, (min(zs) + max(zs)) / 2


def _section_of(world: World, file: str) -> WorldSection | None:
    if not file:
        return None
    return next((s for s in world.sections if any(_same(str(path), file) for path in s.meshes)), None)


def _library_of(object_: bpy.types.Object) -> str:
    """The file that an object, or what it instances, is linked from; "" for none."""
    override = object_.override_library
    linked = [object_, override.reference if override is not None else None, object_.instance_collection]
    libraries = (one.library for one in linked if one is not None)
    return next((_absolute(library.filepath) for library in libraries if library is not None), "")


def _absolute(path: str) -> str:
    return os.path.normpath(bpy.path.abspath(path))


def _same(one: str, other: str) -> bool:
    return bool(one and other) and os.path.normcase(os.path.normpath(one)) == os.path.normcase(os.path.normpath(other))


# --- What navcore keeps of a .blend file. Settings and bounds are those of the world.

Level = tuple["Geometry", dict[str, Any]]


def section_level(gathered: Gathered, area_types: Mapping[int, AreaType]) -> Level:
    """Its triangles, and all else as scene files have it. Raises BadInput where it is no level to build from."""
    if gathered.own:
        raise BadInput(
            f"“{gathered.own[0].name}” is a navmesh made by hand, and sections of a world are built. Set its Use to "
            "something else, or leave this file out of the world.",
            "BAD_WORLD",
        )
    scene = {
        "volumes": list(gathered.volumes), "links": list(gathered.links),
        "edits": [dict(edit.item) for edit in gathered.edits],
        "area_types": {str(area): kind.to_mapping() for area, kind in area_types.items()},
    }  # fmt: skip
    return geometry_of(gathered), scene


def empty_level() -> Level:
    """Of a scene without anything to walk on."""
    import numpy as np

    from ...navcore.types import Geometry

    nothing = Geometry(np.zeros((0, 3), np.float32), np.zeros((0, 3), np.int32), np.zeros(0, np.uint8))
    return nothing, {}
