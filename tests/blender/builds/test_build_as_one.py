"""Build as One: several setups in one navmesh, each a size of agents with a flag that its filter excludes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ..scenes import add_plane


def values(object_: Any, name: str) -> list[int]:
    found = np.zeros(len(object_.data.polygons), np.int32)
    object_.data.attributes[name].data.foreach_get("value", found)
    return list(found.tolist())


@pytest.fixture
def as_one(bpy: Any) -> Any:
    """A plane, and a navmesh on it for two setups."""
    add_plane(bpy)
    stored = bpy.context.scene.navmesh
    for name, radius in (("Human", 0.4), ("Ogre", 1.5)):
        bpy.ops.navmesh.setup_add(name=name)
        stored.setups[-1].agent_radius = radius
    stored.active = 0
    stored.setups[0].as_one = True
    assert bpy.ops.navmesh.build(scope="VISIBLE") == {"FINISHED"}
    return next(o for o in bpy.data.objects if "navmesh_sizes" in o and "navmesh_size" in o.data.attributes)


def test_polygons_know_whom_they_keep_out(as_one: Any) -> None:
    assert set(values(as_one, "navmesh_size")) == {0, 1}
    flags = values(as_one, "navmesh_flags")
    assert {flag & 0xFF00 for flag in flags} == {0, 0x4000}  # the ogre's; nothing is too small for a human


def test_colors_tell_sizes_apart(bpy: Any, as_one: Any) -> None:
    bpy.context.scene.navmesh.color_by = "SIZE"
    assert len({polygon.material_index for polygon in as_one.data.polygons}) == 2
    bpy.context.scene.navmesh.color_by = "AREA"
    assert len({polygon.material_index for polygon in as_one.data.polygons}) == 1


def test_another_setups_radius_makes_it_out_of_date(bpy: Any, addon: Any, as_one: Any) -> None:
    out_of_date = addon("watch.out_of_date").out_of_date
    stored = bpy.context.scene.navmesh
    assert out_of_date(as_one, stored.setups[0]) == ""
    stored.setups[1].agent_radius = 1.2
    assert "setting" in out_of_date(as_one, stored.setups[0])
    stored.setups[1].agent_radius = 1.5
    assert out_of_date(as_one, stored.setups[0]) == ""
    stored.setups[0].as_one = False
    assert "setting" in out_of_date(as_one, stored.setups[0])
    assert bpy.ops.navmesh.build(scope="VISIBLE") == {"FINISHED"}
    assert "navmesh_sizes" not in as_one
