"""A navmesh with found links, for tests of what can be done with them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.blender.found_links import Finder, quad
from tests.blender.scenes import add_plane


@pytest.fixture
def finder(bpy: Any, addon: Any, monkeypatch: Any) -> Finder:
    """Built: two floors with a gap of a metre between them, three jumps over it, and one drop."""
    one = Finder(addon, monkeypatch)
    one.links = {7: quad(9, 0), 8: quad(9, 5, width=4.0), 9: quad(9, -5, length=2.5), 10: quad(9, -8, width=0.5)}
    one.kinds[10] = "drop"
    add_plane(bpy)
    add_plane(bpy, "Other", at=(21, 0, 0))
    bpy.context.scene.navmesh.draft.scope, bpy.context.scene.navmesh.draft.agent_radius = "VISIBLE", 0.3
    bpy.context.scene.navmesh.draft.generate_links = True
    bpy.ops.navmesh.build()
    return one


@pytest.fixture
def decisions(bpy: Any, addon: Any) -> Any:
    """decisions(): as the mesh tells them now."""
    mesh = addon("stored.links_mesh")
    return lambda: mesh.decisions_of(bpy.data.objects["Navmesh"])
