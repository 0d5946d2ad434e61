"""A hall with a gate, and what tests of doors ask of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.blender.scenes import add_cube, add_plane


def add_box(bpy: Any, name: str, low: Any, high: Any, use: str, collection: Any = None) -> Any:
    box = add_cube(bpy, name, [(a + b) / 2 for a, b in zip(low, high, strict=True)], collection)
    box.scale = [(b - a) / 2 for a, b in zip(low, high, strict=True)]
    box.navmesh.use = use
    return box


def add_hall(bpy: Any) -> None:
    """A floor with a wall across and a gap in it, and a gate in the gap."""
    add_plane(bpy)
    for name, low, high in (("South", -10, -2), ("North", 2, 10)):
        add_box(bpy, name, (-0.5, low, -1), (0.5, high, 3), "VOLUME").navmesh.area = -1
    add_box(bpy, "Gate", (-0.5, -2, -1), (0.5, 2, 3), "DOOR")


def gate(bpy: Any) -> Any:
    return bpy.data.objects["Gate"].navmesh


def flags(bpy: Any) -> list[int]:
    """All that occur in the navmesh."""
    values = bpy.data.objects["Navmesh"].data.attributes["navmesh_flags"].data
    found = np.empty(len(values), np.int32)
    values.foreach_get("value", found)
    return sorted(set(found.tolist()))
