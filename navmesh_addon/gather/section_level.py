"""A scene as a section of a world: what navcore keeps of a .blend file. Settings and bounds are those of the world."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...navcore.errors import BadInput
from .gathered_level import geometry_of

if TYPE_CHECKING:
    from ...navcore.area_types import AreaType
    from ...navcore.types import Geometry
    from .gathered_level import Gathered

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
