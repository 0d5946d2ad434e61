"""What can be done about found links, by clicks and by scripts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.blender.found_links import Finder, quad


def test_pin_and_unpin(bpy: Any, finder: Finder, decisions: Any) -> None:  # noqa: ARG001
    bpy.context.scene.navmesh.active_link = 2
    assert bpy.ops.navmesh.pin_link() == {"FINISHED"}
    assert decisions().shown.states.tolist() == [0, 0, 1, 0]
    values = [one.value for one in bpy.data.objects["Navmesh Links"].data.attributes["link_state"].data]
    assert values == [0, 0, 1, 0], "geometry nodes see it, too"
    bpy.ops.navmesh.pin_link(link=2)
    assert not decisions().shown.states.any()


def test_reject_and_restore(bpy: Any, finder: Finder, decisions: Any) -> None:  # noqa: ARG001
    bpy.ops.navmesh.reject_link(link=0)
    bpy.ops.navmesh.reject_link(link=0)
    assert decisions().shown.ids.tolist() == [9, 10] and decisions().rejected.ids.tolist() == [7, 8]
    bpy.ops.navmesh.restore_links(rejected=1)
    assert decisions().shown.ids.tolist() == [9, 10, 8] and decisions().rejected.ids.tolist() == [7]
    bpy.ops.navmesh.restore_links()
    assert sorted(decisions().shown.ids.tolist()) == [7, 8, 9, 10] and not decisions().shown.states.any()
    assert bpy.ops.navmesh.restore_links() == {"CANCELLED"}


def test_a_pinned_one_that_is_rejected_is_not_kept(bpy: Any, finder: Finder, decisions: Any) -> None:
    bpy.ops.navmesh.pin_link(link=0)
    bpy.ops.navmesh.reject_link(link=0)
    bpy.ops.navmesh.build()
    assert [one.id for one in finder.asked[-1].rejected] == [7] and finder.asked[-1].kept == ()
    bpy.ops.navmesh.restore_links()
    assert decisions().shown.states.tolist() == [0, 0, 0, 0], "it is as it was found"


def test_move_an_end_and_put_it_back(bpy: Any, finder: Finder, decisions: Any) -> None:  # noqa: ARG001
    before = decisions().shown
    bpy.ops.navmesh.set_link_end(link=0, which="START", place=(8.5, 1.0, 0.25))
    after = decisions().shown
    assert after.states.tolist() == [2, 0, 0, 0]
    assert np.allclose(after.starts[0], (8.5, 0.25, -1.0)) and np.allclose(after.ends[0], before.ends[0])
    assert after.widths[0] == pytest.approx(before.widths[0])
    bpy.ops.navmesh.put_link_back(link=0)
    assert np.allclose(decisions().shown.corners, before.corners) and not decisions().shown.states.any()


@pytest.mark.parametrize("metres", [1.0, 0.01])
def test_to_object(bpy: Any, finder: Finder, decisions: Any, metres: float) -> None:
    """A curve in its place, which the next build takes as a link; the found one is not found again."""
    bpy.context.scene.unit_settings.scale_length = bpy.data.objects["Navmesh"]["navmesh_metres"] = metres
    bpy.ops.navmesh.link_to_object(link=1)
    curve = bpy.data.objects["Jump Link"]
    assert decisions().rejected.ids.tolist() == [8]
    assert (curve.navmesh.use, curve.navmesh.link_bidirectional, curve.navmesh.link_flags) == ("LINK", True, 8)
    assert len(curve.data.splines) == 2, "4 m wide, a link every 2 m"
    assert curve.navmesh.link_radius * metres == pytest.approx(1.0)
    ends = [[tuple(point.co)[:3] for point in spline.points] for spline in curve.data.splines]
    assert np.allclose(np.array(ends) * metres, [[(9, 6, 0), (11, 6, 0)], [(9, 4, 0), (11, 4, 0)]])
    if metres == 1:
        bpy.ops.navmesh.build()
        assert [one.id for one in finder.asked[-1].rejected] == [8]


def test_snap_ends(bpy: Any, finder: Finder, decisions: Any) -> None:  # noqa: ARG001
    """A curve's and an empty's; what is out of reach is told."""
    bpy.ops.navmesh.link_to_object(link=0)
    curve = bpy.data.objects["Jump Link"]
    curve.location, curve.rotation_euler = (0.0, 0.0, 1.0), (0, 0, 0.01)
    for object_ in bpy.context.scene.objects:
        object_.select_set(object_ == curve)
    bpy.context.view_layer.update()
    assert bpy.ops.navmesh.snap_link_ends() == {"FINISHED"}
    ends = [curve.matrix_world @ point.co.to_3d() for point in curve.data.splines[0].points]
    assert all(abs(end.z) < 0.3 for end in ends) and ends[0].x < 10 < 11 < ends[1].x
    start, end = (bpy.data.objects.new(name, None) for name in ("From", "To"))
    for empty, place in ((start, (0, 0, 1.5)), (end, (0, 0, 900))):
        bpy.context.scene.collection.objects.link(empty)
        empty.location = place
    start.navmesh.use, start.navmesh.link_end = "LINK", end
    bpy.context.view_layer.update()
    assert bpy.ops.navmesh.snap_link_ends(all_links=True) == {"FINISHED"}
    assert abs(start.location.z) < 0.3 and end.location.z == 900
    bpy.data.objects.remove(start)
    bpy.data.objects.remove(curve)
    assert bpy.ops.navmesh.snap_link_ends(all_links=True) == {"CANCELLED"}


def test_edit_as_mesh(bpy: Any, finder: Finder, decisions: Any, draw: Any) -> None:
    assert bpy.ops.navmesh.edit_links() == {"FINISHED"}
    assert bpy.context.mode == "EDIT_MESH" and bpy.context.object.name == "Navmesh Links"
    assert "leave Edit Mode, then build" in draw().text.replace("\n", " ")
    with pytest.raises(RuntimeError, match="“Navmesh Links” is being edited"):
        bpy.ops.navmesh.build()
    with pytest.raises(RuntimeError, match="is being edited"):
        bpy.ops.navmesh.reject_link(link=0)
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.mesh.delete(type="FACE")
    bpy.ops.object.mode_set(mode="OBJECT")
    assert len(decisions().rejected.ids) == 4
    bpy.ops.navmesh.build()
    assert len(finder.asked[-1].rejected) == 4 and len(decisions().shown.ids) == 0


@pytest.mark.parametrize("name", ["pin_link", "reject_link", "frame_link", "link_to_object", "set_link_end"])
def test_what_is_not_there_is_told(bpy: Any, finder: Finder, name: str) -> None:  # noqa: ARG001
    with pytest.raises(RuntimeError, match=r"There is no found link 4\. There are 4, counted from 0"):
        getattr(bpy.ops.navmesh, name)(link=4)
    bpy.data.objects.remove(bpy.data.objects["Navmesh Links"])
    with pytest.raises(RuntimeError, match=r"“Navmesh” has no found links\. Switch on Find Links"):
        getattr(bpy.ops.navmesh, name)(link=0)


def test_deleted_from_the_scene_is_deleted(bpy: Any, finder: Finder) -> None:
    """Blender keeps what others mention: it is no links' mesh any more."""
    bpy.ops.navmesh.reject_link(link=0)
    object_ = bpy.data.objects["Navmesh Links"]
    bpy.data.collections["Navmesh"].objects.unlink(object_)
    with pytest.raises(RuntimeError, match="has no found links"):
        bpy.ops.navmesh.reject_link(link=0)
    bpy.ops.navmesh.build()
    assert finder.asked[-1].rejected == () and finder.asked[-1].kept == ()
    home = bpy.data.collections["Navmesh"]
    (new,) = [one for one in home.objects if one.get("navmesh_role") == "links_mesh"]
    assert len(new.data.polygons) == 4


def test_moving_is_switched_on_for_a_link(bpy: Any, finder: Finder) -> None:  # noqa: ARG001
    stored = bpy.context.scene.navmesh
    bpy.ops.navmesh.move_link(link=2)
    assert stored.move_links and stored.active_link == 2
    bpy.ops.navmesh.move_link(link=1)
    assert stored.move_links and stored.active_link == 1
    bpy.ops.navmesh.move_link()
    assert not stored.move_links


def test_dragged_ends_stay_on_the_navmesh(bpy: Any, addon: Any, finder: Finder) -> None:  # noqa: ARG001
    snapped = addon("interface.links.move_link").on_navmesh
    x, y, z = snapped(bpy.context.scene, (9.9, 0.0, 1.0))
    assert x < 9.6 and abs(y) < 0.1 and abs(z) < 0.3
    assert snapped(bpy.context.scene, (500.0, 0.0, 0.0)) == (500.0, 0.0, 0.0)
    addon("builds.finished_navmeshes").clear()
    addon("ask.asked_navmesh").forget()
    assert snapped(bpy.context.scene, (9.9, 0.0, 1.0)) == (x, y, z), "also that of another session"
    addon("builds.finished_navmeshes").clear()
    addon("ask.asked_navmesh").forget()
    bpy.data.objects["Ground"].location.z = 1
    bpy.context.view_layer.update()
    assert snapped(bpy.context.scene, (9.9, 0.0, 1.0)) == (9.9, 0.0, 1.0), "nobody can ask"


def test_ids_beyond_what_a_signed_number_holds(bpy: Any, finder: Finder, decisions: Any) -> None:
    finder.links = {0xFFFFFFFE: quad(9, 0)}
    bpy.ops.navmesh.build()
    bpy.ops.navmesh.pin_link(link=0)
    assert decisions().shown.ids.tolist() == [0xFFFFFFFE] and decisions().rejected.ids.tolist() == []


@pytest.mark.parametrize("kind", ["POLY", "BEZIER", "empties"])
def test_ends_of_links_made_by_hand_are_dragged(bpy: Any, addon: Any, finder: Finder, kind: str) -> None:  # noqa: ARG001
    """Along the ground: what is between them stays, and where the object stands does not matter."""
    made, handles = addon("interface.links.hand_made_links"), addon("interface.links.move_link")
    if kind == "empties":
        link, end = (bpy.data.objects.new(name, None) for name in ("From", "To"))
        bpy.context.scene.collection.objects.link(end)
        link.navmesh.link_end = end
    else:
        data = bpy.data.curves.new("Curve", "CURVE")
        data.dimensions = "3D"
        spline = data.splines.new(kind)
        points = spline.bezier_points if kind == "BEZIER" else spline.points
        points.add(2)
        points[1].co.x = 1.0
        link = bpy.data.objects.new("Curve", data)
        link.location, link.scale = (3, 2, 1), (2, 2, 2)
    bpy.context.scene.collection.objects.link(link)
    link.navmesh.use = "LINK"
    bpy.context.view_layer.objects.active = link
    bpy.context.view_layer.update()
    assert handles.link_with_handles(bpy.context) is None, "nobody asked for handles"
    bpy.context.scene.navmesh.move_links = True
    assert handles.link_with_handles(bpy.context) == link
    places = {"START": (1.0, 2.0, 0.5), "END": (-3.0, 4.0, 0.25)}
    for which, place in places.items():
        made.put_end(link, which, place)
        bpy.context.view_layer.update()
    [ends] = addon("views.drawn_marks").ends_of(link)
    assert np.allclose([tuple(one) for one in ends], list(places.values()), atol=1e-5)
    if kind != "empties":
        assert points[1].co.x == 1.0
    link.navmesh.use = "EXCLUDE"
    assert handles.link_with_handles(bpy.context) is None
