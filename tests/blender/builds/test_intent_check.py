"""Paths and places that must be there, asked for after every build: where rows come from, and what is lost is said."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.blender.scenes import CUBE, CUBE_FACES, add_empty, add_mesh, add_plane, new_collection


@pytest.fixture
def level(bpy: Any) -> Any:
    """A floor of 20 m with a wall across that ends two metres before one side, and two tests."""
    add_plane(bpy)
    wall = add_mesh(bpy, "Wall", [(x * 8, y * 0.5, z) for x, y, z in CUBE], CUBE_FACES)
    wall.location = (-2, 0, 1)
    add_test(bpy, "around", (-5, -5, 0), (-5, 5, 0))
    add_test(bpy, "along", (-5, -5, 0), (5, -5, 0))
    return bpy


def add_test(bpy: Any, name: str, start: Any, end: Any) -> None:
    row = bpy.context.scene.navmesh.tests.add()
    row.name, row.start, row.end = name, start, end


def add_place(bpy: Any, name: str, at: Any) -> Any:
    stored = bpy.context.scene.navmesh
    if stored.must_reach is None:
        stored.must_reach = new_collection(bpy, "Places")
    empty = add_empty(bpy, name, at)
    bpy.context.scene.collection.objects.unlink(empty)
    stored.must_reach.objects.link(empty)
    return empty


def build(bpy: Any) -> dict[str, Any]:
    """The report of the build."""
    assert bpy.ops.navmesh.build(scope="VISIBLE") == {"FINISHED"}
    report: dict[str, Any] = json.loads(bpy.data.objects["Navmesh"]["navmesh_report"])
    return report


def close_the_way(bpy: Any) -> None:
    bpy.data.objects["Wall"].scale.x = 1.5


def test_every_build_has_them_in_its_report(level: Any) -> None:
    add_place(level, "Flag", (0, 5, 0.2))
    add_place(level, "Roof", (-2, 0, 9))
    report = build(level)
    around, along = report["tests"]
    assert (around["name"], around["ok"], around["origin"]) == ("around", True, "scene") and 24 < around["length"] < 30
    assert along["ok"] and along["from"] == [-5, 0, 5] and along["to"] == [5, 0, 5], "metres, y up"
    assert [(row["name"], row["ok"], row["code"]) for row in report["must_reach"]] == [
        ("Flag", True, ""), ("Roof", False, "NOTHING_HERE"),
    ]  # fmt: skip
    assert not {"PATH_LOST", "PLACE_LOST"} & {warning["code"] for warning in report["warnings"]}, "nothing was before"


def test_what_was_there_before_is_a_warning_once(level: Any) -> None:
    build(level)
    close_the_way(level)
    add_test(level, "new", (-5, -5, 0), (-4, 5, 0))
    report = build(level)
    assert [row["ok"] for row in report["tests"]] == [False, True, False]
    (lost,) = (warning for warning in report["warnings"] if warning["code"] == "PATH_LOST")
    assert lost["message"].startswith("The path “around” was there before this build. The end cannot be reached, ")
    assert not [warning for warning in build(level)["warnings"] if warning["code"] == "PATH_LOST"], "it failed before"


def test_a_seed_is_a_place_and_others_are_reached_from_it(level: Any) -> None:
    seed = add_empty(level, "Spawn", (-5, -5, 0))
    seed.navmesh.use = "SEED"
    add_place(level, "Flag", (-5, 5, 0))
    assert [(row["name"], row["ok"]) for row in build(level)["must_reach"]] == [("Flag", True), ("Spawn", True)]
    close_the_way(level)
    report = build(level)
    assert [(row["name"], row["code"]) for row in report["must_reach"]] == [("Flag", "UNREACHABLE"), ("Spawn", "")]
    (lost,) = (warning for warning in report["warnings"] if warning["code"] == "PLACE_LOST")
    assert lost["object"] == "Flag" and "from the seed that stands" in lost["message"]
    seed.location = (0, 0, 50)
    lost = [warning for warning in build(level)["warnings"] if warning["code"] == "PLACE_LOST"]
    assert [warning["object"] for warning in lost] == ["Spawn"]


def test_units_of_the_scene(bpy: Any) -> None:
    bpy.context.scene.unit_settings.scale_length = 0.01
    add_plane(bpy, size=2000)
    add_test(bpy, "a", (-500, -500, 0), (-500, 500, 0))
    add_place(bpy, "Flag", (0, 500, 0))
    report = build(bpy)
    assert report["tests"][0]["from"] == pytest.approx([-5, 0, 5]) and report["tests"][0]["length"] == pytest.approx(10)
    assert report["must_reach"][0]["point"] == pytest.approx([0, 0, -5])


def test_costs_are_those_of_the_scene(level: Any) -> None:
    """As the tool answers."""
    pond = add_mesh(level, "Pond", [(x * 2, y * 3, z) for x, y, z in CUBE], CUBE_FACES)
    pond.navmesh.use, pond.navmesh.area, pond.location = "VOLUME", 1, (0, -5, 0)
    length = build(level)["tests"][1]["length"]
    level.ops.navmesh.find_path(start=(-5, -5, 0), end=(5, -5, 0))
    assert json.loads(level.context.scene.navmesh.path_answer)["length"] == pytest.approx(length, abs=1e-6)
    assert length > 10.5


def test_rebuild_and_prune_ask_again(level: Any) -> None:
    build(level)
    seed = add_empty(level, "Spawn", (-5, -5, 0))
    seed.navmesh.use = "SEED"
    close_the_way(level)
    assert level.ops.navmesh.rebuild() == {"FINISHED"}
    outcome = json.loads(level.context.scene.navmesh.setups[0].outcome)
    assert [row["ok"] for row in outcome["tests"]] == [False, True]
    assert level.ops.navmesh.prune() == {"FINISHED"}
    outcome = json.loads(level.context.scene.navmesh.setups[0].outcome)
    assert [row["status"] for row in outcome["tests"]] == ["no_end", "complete"]
    assert outcome["tests"][0]["code"] == "UNREACHABLE"


def test_an_export_that_builds_again_asks_nothing(level: Any, addon: Any, monkeypatch: Any, tmp_path: Any) -> None:
    build(level)
    addon("builds.finished_navmeshes").clear()
    monkeypatch.setattr(addon("reasons.intent_outcome", "navcore"), "check_intent", None)
    assert level.ops.navmesh.export(filepath=str(tmp_path / "n.bin")) == {"FINISHED"}


def test_a_thread_gets_plain_values(level: Any, addon: Any) -> None:
    """Nothing of Blender's: the scene may be gone when it asks."""
    add_place(level, "Flag", (0, 5, 0))
    requests = addon("builds.make_requests")
    overrides = requests.Overrides(sources=requests.without_selection)
    (wanted,) = (request.wanted for request in requests.make_requests(level.context, overrides))
    values = [*wanted.intent.paths[0], *wanted.intent.points[0], *wanted.passed]
    assert all(isinstance(value, str | tuple | float | None) for value in values)
    assert wanted.intent.points[0][:2] == ("Flag", (0.0, 0.0, -5.0))
