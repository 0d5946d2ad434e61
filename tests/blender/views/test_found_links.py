"""Found links as the viewport shows them: ribbons in the colors of their kinds."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from tests.blender.found_links import Finder, quad
from tests.blender.scenes import add_plane


@pytest.fixture
def rows(addon: Any) -> Any:
    """A drop, a jump and a climb."""
    found = addon("stored.link_rows")
    corners = np.array([quad(0, 10 * k) for k in range(3)], np.float32)
    return found.LinkRows(
        np.arange(3, dtype=np.uint32), np.arange(3, dtype=np.uint8), corners[..., [0, 2, 1]], np.array([0, 1, 1], bool),
        np.full(3, 5, np.int32), np.full(3, 8, np.int32), np.array([0, 1, 0], np.uint8),
    )  # fmt: skip


@pytest.fixture
def ribbons(addon: Any) -> Any:
    return addon("views.link_ribbons")


def test_colors_by_kind_and_red_where_blocked(rows: Any, ribbons: Any) -> None:
    picture = ribbons.links_picture(rows, np.array([False, False, True]), 0.5)
    for values in (picture.corners, picture.lines):
        assert values.dtype == np.float32 and np.isfinite(values).all()
    assert picture.face_colors.shape == (len(picture.corners), 4) and picture.line_colors.dtype == np.uint8
    assert len(picture.lines) == len(picture.line_colors)
    colors = {tuple(one[:3]) for one in picture.face_colors.tolist()}
    assert colors == {(241, 155, 65), (90, 200, 90), (255, 13, 13)}
    assert {tuple(one[:3]) for one in picture.line_colors.tolist()} == colors
    opacity = {tuple(one[:3]): one[3] for one in picture.face_colors.tolist()}
    assert opacity[90, 200, 90] > opacity[241, 155, 65], "what was decided about stands out"


def test_a_ribbon_leads_from_edge_to_edge(rows: Any, ribbons: Any) -> None:
    one = rows.of(np.array([0]))
    picture = ribbons.links_picture(one, np.zeros(1, bool), 0.5)
    lifted = one.corners[0] + (0, 0.5, 0)
    assert np.allclose(picture.corners[0, :2], lifted[:2]) and np.allclose(picture.corners[-1, 2:], lifted[[3, 2]])
    assert picture.corners[..., 1].max() > 0.75, "it rises"
    both = ribbons.links_picture(one._replace(two_way=np.array([True])), np.zeros(1, bool), 0.5)
    assert len(both.lines) == len(picture.lines) + 2, "an arrowhead at each end"


def test_rejected_are_faint_lines(rows: Any, ribbons: Any) -> None:
    picture = ribbons.rejected_picture(rows, 0.5)
    assert len(picture.corners) == 0 and picture.line_colors[:, 3].max() < 200


def test_many_links_have_fewer_pieces(rows: Any, ribbons: Any, addon: Any) -> None:
    joined = addon("stored.link_rows").joined
    many = joined([rows] * 3_334)
    picture = ribbons.links_picture(many, np.zeros(len(many.ids), bool), 0.5)
    assert len(picture.corners) == 4 * len(many.ids)
    nothing = ribbons.links_picture(rows.of(np.zeros(0, np.int64)), np.zeros(0, bool), 0.5)
    assert len(nothing.lines) == 0 and len(nothing.corners) == 0


def test_blocked_ones_are_those_that_warnings_tell_of(bpy: Any, addon: Any, monkeypatch: Any) -> None:
    finder = Finder(addon, monkeypatch)
    finder.links = {7: quad(9, 0), 8: quad(9, 5)}
    add_plane(bpy)
    add_plane(bpy, "Other", at=(22, 0, 0))
    bpy.context.scene.navmesh.draft.scope = "VISIBLE"
    bpy.context.scene.navmesh.draft.generate_links = True
    bpy.ops.navmesh.build()
    polygons = bpy.data.objects["Navmesh"]
    blocked = addon("views.drawn_links").blocked_rows
    shown = addon("stored.links_mesh").decisions_of(polygons).shown
    assert not blocked(polygons, shown).any()
    report = json.loads(polygons["navmesh_report"])
    bpy.ops.navmesh.pin_link(link=1)
    shown = addon("stored.links_mesh").decisions_of(polygons).shown
    warning = {"code": "LINK_BLOCKED", "message": "No.", "place": [9.0, 0.0, -5.7], "object": ""}
    far = {**warning, "place": [90.0, 0.0, -5.0]}
    report["warnings"] += [warning, far, {**warning, "code": "DETAIL", "place": [9.0, 0.0, 0.0]}]
    polygons["navmesh_report"] = json.dumps(report)
    assert blocked(polygons, shown).tolist() == [False, True]
    polygons["navmesh_report"] = "nonsense"
    assert not blocked(polygons, shown).any()


def test_a_kept_link_that_the_build_left_out_is_red(bpy: Any, addon: Any, monkeypatch: Any) -> None:
    """Its ends are attached to nothing."""
    import dataclasses

    finder = Finder(addon, monkeypatch)
    finder.links = {7: quad(9, 0), 8: quad(9, 5)}
    add_plane(bpy)
    add_plane(bpy, "Other", at=(22, 0, 0))
    bpy.context.scene.navmesh.draft.scope = "VISIBLE"
    bpy.context.scene.navmesh.draft.generate_links = True
    bpy.ops.navmesh.build()
    bpy.ops.navmesh.pin_link(link=0)
    level = addon("build_level", "navcore.builder")
    real = level.build_navmesh

    def build(*arguments: Any, **more: Any) -> Any:
        navmesh = real(*arguments, **more)
        return dataclasses.replace(navmesh, wide_links=navmesh.wide_links[:1], links=navmesh.links[:1])

    monkeypatch.setattr(level, "build_navmesh", build)
    bpy.ops.navmesh.build()
    polygons = bpy.data.objects["Navmesh"]
    shown = addon("stored.links_mesh").decisions_of(polygons).shown
    blocked = addon("views.drawn_links").blocked_rows(polygons, shown)
    assert (shown.ids.tolist(), shown.states.tolist(), blocked.tolist()) == ([8, 7], [0, 1], [False, True])


def test_arcs_of_given_links_leave_found_ones_out(bpy: Any, addon: Any, monkeypatch: Any) -> None:
    """They would be drawn twice."""
    finder = Finder(addon, monkeypatch)
    finder.links = {7: quad(9, 0)}
    add_plane(bpy)
    add_plane(bpy, "Other", at=(22, 0, 0))
    bpy.ops.navmesh.build(scope="VISIBLE", generate_links=True)
    navmesh = addon("builds.finished_navmeshes").find(bpy.data.objects["Navmesh"]["navmesh_build"]).navmesh
    assert len(navmesh.links) == 1 and len(navmesh.wide_links) == 1
    attached, unattached = addon("views.navmesh_pictures").link_lines(navmesh)
    assert len(attached.lines) == 0 and len(unattached.lines) == 0
