"""Places of the scene brought onto the navmesh of the active setup."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import bpy

from ..objects.navmesh_objects import metres_of
from .asked_navmesh import asked_navmesh

if TYPE_CHECKING:
    from ..axes import F32


def snapped(scene: bpy.types.Scene, places: Sequence[Sequence[float]]) -> list[tuple[float, float, float] | None]:
    """The nearest ground of the navmesh for each place, None where there is none within reach of Detour's own search.
    Raises NavmeshError where there is no navmesh to ask."""
    from ..axes import to_blender
    from ..gather.scene_intent import in_metres  # here: Blender's start does not wait for NumPy

    query, metres = asked_navmesh(scene), metres_of(scene)
    found = query.nearest([in_metres(place, metres) for place in places])
    points: F32 = to_blender(found.points, metres)
    return [
        (float(x), float(y), float(z)) if reference else None
        for reference, (x, y, z) in zip(found.references.tolist(), points.tolist(), strict=True)
    ]
