"""Seeds: empties from which agents set out. What they can't reach is left out of a build, or removed from a navmesh."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.blender.scenes import add_cube, add_empty, add_plane, new_collection


@pytest.fixture
def house(bpy: Any) -> Any:
    """A floor, and on it a closed block of 6 × 6 × 3 m; a seed beside it."""
    add_plane(bpy)
    block = add_cube(bpy, "Block", (0, 0, 1.5))
    block.scale = (3, 3, 1.5)
    seed = add_empty(bpy, "Spawn", (8, 8, 1))
    seed.navmesh.use = "SEED"
    return seed


def storeys(bpy: Any) -> set[str]:
    """Where the polygons of the navmesh lie."""
    found = set()
    for polygon in bpy.data.objects["Navmesh"].data.polygons:
        x, y, z = polygon.center
        found.add("roof" if z > 2 else "inside" if max(abs(x), abs(y)) < 3 else "ground")
    return found


@pytest.mark.usefixtures("house")
def test_seeds_stand_where_they_are_drawn_where_the_unit_is_another_since_the_build(bpy: Any) -> None:
    bpy.ops.navmesh.build(scope="VISIBLE")
    bpy.context.scene.unit_settings.scale_length = 0.01
    assert bpy.ops.navmesh.prune() == {"FINISHED"}
    assert storeys(bpy) == {"ground"}


@pytest.mark.usefixtures("house")
def test_a_build_without_pruning_has_everything(bpy: Any) -> None:
    bpy.ops.navmesh.build(scope="VISIBLE")
    assert storeys(bpy) == {"ground", "inside", "roof"}
    assert not bpy.data.objects["Navmesh"]["navmesh_pruned"]


def test_a_build_by_option_and_its_rebuild(bpy: Any, house: Any) -> None:
    bpy.ops.navmesh.build(scope="VISIBLE", prune=True)
    assert storeys(bpy) == {"ground"}
    assert bpy.context.scene.navmesh.setups[0].prune
    detail = bpy.data.objects["Navmesh Detail"].data
    assert max(v.co.z for v in detail.vertices) < 1
    house.location = (0, 0, 3.5)
    bpy.ops.navmesh.rebuild()
    assert storeys(bpy) == {"roof"}


@pytest.mark.usefixtures("house")
def test_the_setup_says_it(bpy: Any) -> None:
    bpy.ops.navmesh.setup_add()
    setup = bpy.context.scene.navmesh.setups[0]
    setup.scope, setup.prune = "VISIBLE", True
    bpy.ops.navmesh.build()
    assert storeys(bpy) == {"ground"}
    bpy.ops.navmesh.build(prune=False)
    assert storeys(bpy) == {"ground", "inside", "roof"}


@pytest.mark.usefixtures("house")
def test_removing_from_a_navmesh(bpy: Any, tmp_path: Path) -> None:
    bpy.ops.navmesh.build(scope="VISIBLE", prune=True)
    bpy.ops.navmesh.export(filepath=str(tmp_path / "built.bin"))
    bpy.ops.navmesh.build(scope="VISIBLE", prune=False)
    object_ = bpy.data.objects["Navmesh"]
    whole = len(object_.data.polygons)
    assert bpy.ops.navmesh.prune() == {"FINISHED"}
    assert bpy.data.objects["Navmesh"] == object_ and storeys(bpy) == {"ground"}
    report = json.loads(object_["navmesh_report"])
    assert report["counts"]["pruned_polygons"] == whole - len(object_.data.polygons) > 0
    bpy.ops.navmesh.export(filepath=str(tmp_path / "pruned.bin"))
    assert (tmp_path / "pruned.bin").read_bytes() == (tmp_path / "built.bin").read_bytes()


def test_a_link_keeps_the_roof(bpy: Any, house: Any) -> None:
    start, end = add_empty(bpy, "Start", (5, 0, 0)), add_empty(bpy, "End", (1.5, 0, 3))
    start.navmesh.use, start.navmesh.link_end = "LINK", end
    bpy.ops.navmesh.build(scope="VISIBLE", prune=True)
    assert storeys(bpy) == {"ground", "roof"}
    start.navmesh.link_bidirectional = False
    house.location = (0, 0, 3)
    bpy.ops.navmesh.build(scope="VISIBLE", prune=True)
    assert storeys(bpy) == {"roof"}


def test_a_seed_inside_an_instanced_collection(bpy: Any) -> None:
    """A spawn point that is part of a prefab."""
    add_plane(bpy)
    block = add_cube(bpy, "Block", (0, 0, 1.5))
    block.scale = (3, 3, 1.5)
    prefab = new_collection(bpy, "Prefab")
    bpy.context.scene.collection.children.unlink(prefab)
    seed = bpy.data.objects.new("Spawn", None)
    prefab.objects.link(seed)
    seed.navmesh.use = "SEED"
    instance = add_empty(bpy, "Instance", (8, 8, 0))
    instance.instance_type, instance.instance_collection = "COLLECTION", prefab
    bpy.ops.navmesh.build(scope="VISIBLE", prune=True)
    assert storeys(bpy) == {"ground"}


def test_without_a_seed_nothing_is_changed(bpy: Any, house: Any) -> None:
    house.navmesh.use = "AUTO"
    with pytest.raises(RuntimeError, match="there is no seed"):
        bpy.ops.navmesh.build(scope="VISIBLE", prune=True)
    assert "Navmesh" not in bpy.data.objects
    bpy.ops.navmesh.build(scope="VISIBLE")
    with pytest.raises(RuntimeError, match="there is no seed"):
        bpy.ops.navmesh.prune()
    assert storeys(bpy) == {"ground", "inside", "roof"}


def test_a_seed_is_not_built_from(bpy: Any) -> None:
    add_plane(bpy)
    add_cube(bpy, "Marker", (5, 5, 1)).navmesh.use = "SEED"
    bpy.ops.navmesh.build(scope="VISIBLE", prune=True)
    report = json.loads(bpy.data.objects["Navmesh"]["navmesh_report"])
    assert report["used"] == ["Ground"] and "roof" not in storeys(bpy)


def test_a_moved_seed_makes_a_pruned_navmesh_out_of_date(bpy: Any, addon: Any, house: Any) -> None:
    def why() -> str:
        bpy.context.view_layer.update()
        found: str = addon("watch.out_of_date").out_of_date(
            bpy.data.objects["Navmesh"], bpy.context.scene.navmesh.setups[0]
        )
        return found

    bpy.ops.navmesh.build(scope="VISIBLE", prune=False)
    house.location.x = 7
    assert why() == ""
    bpy.ops.navmesh.build(scope="VISIBLE", prune=True)
    setup = bpy.context.scene.navmesh.setups[0]
    setup.prune = True
    assert why() == ""
    house.location.x = 6
    assert why() == "Out of date: the level changed"
    bpy.ops.navmesh.rebuild()
    assert why() == ""
    setup.prune = False
    assert why() == "Out of date: a setting changed"


def test_removing_by_hand_ticks_no_setting_and_is_up_to_date(bpy: Any, addon: Any, house: Any) -> None:
    def why() -> str:
        bpy.context.view_layer.update()
        navmesh, setup = bpy.data.objects["Navmesh"], bpy.context.scene.navmesh.setups[0]
        return str(addon("watch.out_of_date").out_of_date(navmesh, setup))

    bpy.ops.navmesh.build(scope="VISIBLE")
    setup = bpy.context.scene.navmesh.setups[0]
    assert bpy.ops.navmesh.prune() == {"FINISHED"} and storeys(bpy) == {"ground"}
    assert not setup.prune and why() == ""
    setup.prune = True
    assert why() == "", "it is what the setup asks for, too"
    setup.prune = False
    house.location = (0, 0, 3.5)
    assert why() == "Out of date: the level changed", "it was made by where the seed was"
    bpy.ops.navmesh.rebuild()
    assert storeys(bpy) == {"ground", "inside", "roof"} and why() == "", "later builds are whole"


@pytest.mark.usefixtures("house")
def test_what_was_removed_by_hand_stays_removed_in_files(bpy: Any, addon: Any, tmp_path: Path) -> None:
    """Also when the navmesh is no longer in memory and is built again to be written."""
    bpy.ops.navmesh.build(scope="VISIBLE")
    bpy.ops.navmesh.prune()
    bpy.ops.navmesh.export(filepath=str(tmp_path / "now.bin"))
    addon("builds.finished_navmeshes").clear()
    bpy.ops.navmesh.export(filepath=str(tmp_path / "later.bin"))
    assert (tmp_path / "now.bin").read_bytes() == (tmp_path / "later.bin").read_bytes()


@pytest.mark.usefixtures("house")
def test_a_seed_off_the_navmesh_is_a_warning_with_its_reason(bpy: Any) -> None:
    add_empty(bpy, "Bird", (5, 5, 9)).navmesh.use = "SEED"
    bpy.ops.navmesh.build(scope="VISIBLE", prune=True)
    [warning] = json.loads(bpy.data.objects["Navmesh"]["navmesh_report"])["warnings"]
    assert warning["code"] == "SEED_OFF_NAVMESH" and storeys(bpy) == {"ground"}
    assert "Seed “Bird” stands on no navmesh: it is 9.00 m above the ground" in warning["message"]
    assert warning["message"].endswith("At (5, 5, 9).")


def test_where_every_seed_is_off_the_navmesh_the_build_is_whole(bpy: Any, house: Any) -> None:
    house.location = (0, 0, 40)
    assert bpy.ops.navmesh.build(scope="VISIBLE", prune=True) == {"FINISHED"}
    assert storeys(bpy) == {"ground", "inside", "roof"}
    messages = [w["message"] for w in json.loads(bpy.data.objects["Navmesh"]["navmesh_report"])["warnings"]]
    assert len(messages) == 2 and "37.00 m above the ground" in messages[0] and "nothing was left out" in messages[1]
    before = bpy.data.objects["Navmesh"]["navmesh_build"]
    assert bpy.ops.navmesh.prune() == {"CANCELLED"}
    assert bpy.data.objects["Navmesh"]["navmesh_build"] == before, "nothing was changed"


@pytest.mark.usefixtures("house")
def test_rebuilding_takes_what_the_panel_says_now(bpy: Any) -> None:
    """The same objects with a changed setting: else it would stay out of date for ever."""
    bpy.ops.navmesh.build(scope="VISIBLE")
    whole = len(bpy.data.objects["Navmesh"].data.polygons)
    setup = bpy.context.scene.navmesh.setups[0]
    setup.agent_radius, setup.skip_names = 1.2, "Block"
    bpy.ops.navmesh.rebuild()
    object_ = bpy.data.objects["Navmesh"]
    assert json.loads(object_["navmesh_settings"])["agent_radius"] == 1.2
    assert "roof" not in storeys(bpy) and len(object_.data.polygons) < whole
