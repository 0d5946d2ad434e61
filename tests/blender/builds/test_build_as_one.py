"""Build as One: several setups in one navmesh, each a size of agents with a flag that its filter excludes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ..scenes import add_plane


def values(object_: Any, name: str) -> list[int]:
    found = np.zeros(len(object_.data.polygons), np.int32)
    object_.data.attributes[name].data.foreach_get("value", found)
    return list(found.tolist())


def build_for_both(bpy: Any) -> None:
    """One navmesh for a human and an ogre, of everything that is visible."""
    stored = bpy.context.scene.navmesh
    for name, radius in (("Human", 0.4), ("Ogre", 1.5)):
        bpy.ops.navmesh.setup_add(name=name)
        stored.setups[-1].agent_radius = radius
    stored.active = 0
    stored.setups[0].as_one = True
    assert bpy.ops.navmesh.build(scope="VISIBLE") == {"FINISHED"}


@pytest.fixture
def as_one(bpy: Any) -> Any:
    """A plane, and a navmesh on it for two setups."""
    add_plane(bpy)
    build_for_both(bpy)
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


def test_questions_are_those_of_a_size(bpy: Any, draw: Any) -> None:
    """A gap that a human walks through, and an ogre does not; of another setup's navmesh no size is asked."""
    add_plane(bpy)
    for y in (-3.0, 3.0):  # walls with two metres between them
        bpy.ops.mesh.primitive_cube_add(size=1, location=(0, y, 1))
        bpy.context.object.scale = (1, 4, 2)
    build_for_both(bpy)
    stored = bpy.context.scene.navmesh
    ends = {"start": (-3.2, 0, 0), "end": (3.2, 0, 0)}
    lengths = {}
    for size in ("Human", "Ogre"):
        bpy.ops.navmesh.find_path(**ends, size=size)
        assert stored.test_size == size
        answer = json.loads(stored.path_answer)
        lengths[size] = answer["length"] if answer["status"] == "complete" else None
    assert lengths["Human"] == pytest.approx(6.4, abs=0.3)
    assert lengths["Ogre"] is None or lengths["Ogre"] > 8
    stored.tab = "TEST"
    draw()
    with pytest.raises(RuntimeError, match="no size “Troll”"):
        bpy.ops.navmesh.find_path(**ends, size="Troll")
    stored.setups[0].as_one = False
    assert bpy.ops.navmesh.build(scope="VISIBLE") == {"FINISHED"}
    assert bpy.ops.navmesh.find_path(**ends) == {"FINISHED"}


@pytest.mark.parametrize("again", ["rebuild", "opened", "export opened"])
def test_it_is_for_all_of_them_when_it_is_built_again(bpy: Any, as_one: Any, tmp_path: Path, again: str) -> None:
    """Rebuild and files that were opened again had it for the setup's own agent alone."""
    assert as_one["navmesh_sizes"] == '[["Human", 0.4, 2.0], ["Ogre", 1.5, 2.0]]'
    bpy.ops.navmesh.export(filepath=str(tmp_path / "before.json"))
    if "opened" in again:
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "level.blend"))
        bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "level.blend"))
    if again != "export opened":
        bpy.ops.navmesh.rebuild()
        found = next(o for o in bpy.data.objects if "navmesh_sizes" in o and "navmesh_size" in o.data.attributes)
        assert set(values(found, "navmesh_size")) == {0, 1}
    bpy.ops.navmesh.export(filepath=str(tmp_path / "after.json"))
    assert (tmp_path / "after.json").read_bytes() == (tmp_path / "before.json").read_bytes()


def test_live_follows_all_of_them(bpy: Any, addon: Any) -> None:
    add_plane(bpy)
    bpy.ops.navmesh.live()
    build_for_both(bpy)
    scene = bpy.context.scene
    setups = scene.navmesh.setups
    followed = addon("live.followed_navmesh").FollowedNavmesh(scene, setups[0].uid)
    followed.settle(bpy.context)
    before = followed.asked_for(bpy.context)
    setups[1].agent_radius = 1.0
    assert followed.asked_for(bpy.context) != before
    followed.look_again(0.0)
    followed.settle(bpy.context)
    (found,) = (o for o in scene.objects if "navmesh_sizes" in o and "navmesh_size" in o.data.attributes)
    assert found["navmesh_sizes"] == '[["Human", 0.4, 2.0], ["Ogre", 1.0, 2.0]]'
