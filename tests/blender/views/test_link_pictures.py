"""Links as the viewport shows them, and as the panel tells of them: those that are attached to nothing."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from tests.blender.scenes import add_cube, add_empty, add_plane


def add_link(bpy: Any, name: str, start: Any, end: Any) -> Any:
    object_ = add_empty(bpy, name, start)
    object_.navmesh.use, object_.navmesh.link_end = "LINK", add_empty(bpy, f"{name} To", end)
    return object_


@pytest.fixture
def level(bpy: Any) -> Any:
    """A floor with a link along it, and a ladder that leads from the floor to nothing."""
    add_plane(bpy)
    add_link(bpy, "Path", (-5, 5, 0), (5, 5, 0))
    add_link(bpy, "Ladder", (2, -2, 0), (2, 2, 50))
    return bpy


def built(addon: Any, bpy: Any) -> Any:
    return addon("builds.finished_navmeshes").find(bpy.data.objects["Navmesh"]["navmesh_build"]).navmesh


@pytest.mark.parametrize("tile_size", [0, 64])
def test_links_are_arcs_and_those_attached_to_nothing_are_red(level: Any, addon: Any, tile_size: int) -> None:
    level.ops.navmesh.build(scope="VISIBLE", tile_size=tile_size)
    pictures = addon("views.navmesh_pictures")
    attached, unattached = pictures.link_lines(built(addon, level))
    for (lines, colors), color in ((attached, pictures.ATTACHED_LINK), (unattached, pictures.UNATTACHED_LINK)):
        assert lines.dtype == np.float32 and lines.shape == (len(lines), 2, 3)
        assert colors.dtype == np.uint8 and (colors == color).all() and len(colors) == len(lines)
    assert attached.lines[0, 0] == pytest.approx((-5, 0.5, -5)) and attached.lines[..., 1].max() == pytest.approx(3)
    assert unattached.lines[0, 0] == pytest.approx((2, 0, 2)) and unattached.lines[..., 1].max() > 50
    middle = unattached.lines.mean(axis=1)
    marks = np.isclose(middle, (2, 50, -2), atol=1e-4).all(axis=1).sum()
    assert marks == 7, "a star at the end that fails"
    assert not np.isclose(middle, (2, 0, 2), atol=1e-4).all(axis=1).any(), "and none at the other"


def test_both_ways_have_two_arrowheads(level: Any, addon: Any) -> None:
    pictures = addon("views.navmesh_pictures")
    level.data.objects["Ladder"].navmesh.use = "AUTO"
    level.ops.navmesh.build(scope="VISIBLE")
    both, none = pictures.link_lines(built(addon, level))
    level.data.objects["Path"].navmesh.link_bidirectional = False
    level.ops.navmesh.build(scope="VISIBLE")
    one, _ = pictures.link_lines(built(addon, level))
    assert len(both.lines) == len(one.lines) + 2 and len(none.lines) == 0


def test_the_panel_names_the_link_and_a_click_selects_it(level: Any, draw: Any) -> None:
    level.ops.navmesh.build(scope="VISIBLE")
    report = json.loads(level.data.objects["Navmesh"]["navmesh_report"])
    [warning] = report["warnings"]
    assert warning["code"] == "LINK_UNATTACHED" and warning["object"] == "Ladder"
    assert "its end is 49." in warning["message"] and warning["message"].endswith(" At (2, 2, 50).")
    drawn = draw()
    assert "Link “Ladder” is not attached at its end" in drawn.text.replace("\n", " ")
    [button] = [properties for name, properties in drawn.operators if name == "navmesh.select_object"]
    assert level.ops.navmesh.select_object(name=button.name) == {"FINISHED"}
    assert level.context.view_layer.objects.active.name == "Ladder"


def test_a_link_that_pruning_takes_the_ground_from(bpy: Any) -> None:
    """From a roof that nobody reaches, down to the floor."""
    add_plane(bpy)
    add_cube(bpy, "House", (0, 0, 3)).scale = (4, 4, 3)
    add_link(bpy, "Down", (0, 0, 6), (6, 6, 0)).navmesh.link_bidirectional = False
    add_empty(bpy, "Spawn", (8, 8, 1)).navmesh.use = "SEED"
    bpy.ops.navmesh.build(scope="VISIBLE")
    assert json.loads(bpy.data.objects["Navmesh"]["navmesh_report"])["warnings"] == []
    bpy.ops.navmesh.prune()
    [warning] = json.loads(bpy.data.objects["Navmesh"]["navmesh_report"])["warnings"]
    assert (warning["code"], warning["object"]) == ("LINK_UNATTACHED", "Down")
    assert "the ground at its start was left out, as no seed reaches it" in warning["message"]


def test_a_link_that_is_only_renamed_is_the_same(level: Any, addon: Any) -> None:
    """Its name is for messages: it makes no navmesh out of date, nor one of an older file."""
    gathered, scene = addon("gather.gathered_level"), addon("gather.gather_scene")
    sources = addon("stored.setup_properties").Sources(scope="VISIBLE")
    before = scene.gather(level.context, sources)
    level.data.objects["Ladder"].name = "Rope"
    after = scene.gather(level.context, sources)
    assert {link["name"] for link in after.links} == {"Path", "Rope"}
    assert gathered.fingerprint(before) == gathered.fingerprint(after)
