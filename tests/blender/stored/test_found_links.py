"""What is decided about found links, read from the faces of their mesh."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from tests.blender.found_links import Finder, quad
from tests.blender.scenes import add_plane


@pytest.fixture
def rows(addon: Any) -> Any:
    return addon("stored.link_rows")


def made(rows: Any, *ids: int) -> Any:
    """Jumps of two metres, ten apart."""
    count = len(ids)
    corners = np.array([quad(0, 10 * k) for k in range(count)], np.float32).reshape(count, 4, 3)
    return rows.LinkRows(
        np.array(ids, np.uint32), np.ones(count, np.uint8), corners, np.ones(count, bool),
        np.full(count, 5, np.int32), np.full(count, 8, np.int32), np.zeros(count, np.uint8),
    )  # fmt: skip


def with_corners(one: Any, row: int, shift: float) -> Any:
    corners = one.corners.copy()
    corners[row] += shift
    return one._replace(corners=corners)


def test_what_was_not_touched_is_found(rows: Any) -> None:
    built = made(rows, 5, 0xF0000000, 7)
    decisions = rows.decided(built, built)
    assert decisions.shown.ids.tolist() == [5, 0xF0000000, 7] and not decisions.shown.states.any()
    assert not len(decisions.rejected.ids)
    edits = decisions.edits()
    assert edits.rejected == () == edits.kept


def test_a_face_that_is_gone_was_rejected(rows: Any) -> None:
    built = made(rows, 5, 6, 7)
    decisions = rows.decided(built.of(np.array([2, 0])), built)
    assert decisions.rejected.ids.tolist() == [6]
    (gone,) = decisions.edits().rejected
    assert gone.id == 6 and gone.corners[0][1] == 11.0


def test_moved_pinned_and_drawn_by_hand(rows: Any) -> None:
    built = made(rows, 5, 6, 7, 8)
    faces = with_corners(built, 0, 0.5)
    faces = faces._replace(states=np.array([0, 1, 0, 0], np.uint8))
    faces = rows.joined([faces, made(rows, 6, 99)])  # a copy of 6, and one with an id that nobody gave
    decisions = rows.decided(with_corners(faces, 4, 1.0), built)
    assert decisions.shown.states.tolist() == [
        rows.MOVED,
        rows.PINNED,
        rows.FOUND,
        rows.FOUND,
        rows.PINNED,
        rows.PINNED,
    ]
    ids = decisions.shown.ids.tolist()
    assert ids[:4] == [5, 6, 7, 8] and len(set(ids)) == 6
    edits = decisions.edits()
    assert [one.id for one in edits.kept] == [5, 6, *ids[4:]]
    assert [one.id for one in edits.rejected] == [5], "where it was found none is wanted any more"
    assert edits.kept[0].corners != edits.rejected[0].corners


def test_the_copy_gets_the_new_id_and_not_the_link(rows: Any) -> None:
    """Whichever comes first among the faces."""
    built = made(rows, 5)
    copy = with_corners(built, 0, 3.0)
    for faces, states in ((rows.joined([copy, built]), [1, 0]), (rows.joined([built, copy]), [0, 1])):
        decisions = rows.decided(faces, built)
        assert decisions.shown.states.tolist() == states
        assert (decisions.shown.ids == 5).tolist() == [not state for state in states]


@pytest.mark.parametrize("column", ["areas", "flags", "two_way", "kinds"])
def test_what_else_was_changed_is_kept_too(rows: Any, column: str) -> None:
    built = made(rows, 5, 6)
    values = getattr(built, column).copy()
    values[1] = not values[1] if column == "two_way" else 2
    decisions = rows.decided(built._replace(**{column: values}), built)
    assert decisions.shown.states.tolist() == [rows.FOUND, rows.MOVED]


def test_a_hair_is_no_move(rows: Any) -> None:
    built = made(rows, 5)
    assert rows.decided(with_corners(built, 0, 5e-4), built).shown.states.tolist() == [rows.FOUND]
    assert rows.decided(with_corners(built, 0, 5e-3), built).shown.states.tolist() == [rows.MOVED]


def test_columns_of_json(rows: Any) -> None:
    built = made(rows, 5, 0xFFFFFFFF)
    again = rows.from_columns(json.loads(json.dumps(rows.to_columns(built))))
    assert all(np.array_equal(a, b) for a, b in zip(again, built, strict=True))
    for damage in ({"ids": [1]}, {"kinds": [0, 9]}, {"corners": [[1, 2], [3, 4]]}):
        with pytest.raises(ValueError):  # noqa: PT011 - NumPy's own words
            rows.from_columns({**rows.to_columns(built), **damage})


def test_points_for_wide_links(rows: Any) -> None:
    one = made(rows, 5)._replace(corners=np.array([quad(0, 0, width=6.5)], np.float32))
    assert len(rows.points_along(one, 0, 2.0)) == 3
    assert len(rows.points_along(one, 0, 7.0)) == 1
    start, end = rows.points_along(one, 0, 7.0)[0]
    assert np.allclose(start, [0, 0, 0]) and np.allclose(end, [2, 0, 0])


# --- in a mesh


@pytest.fixture
def built(bpy: Any, addon: Any, monkeypatch: Any) -> Any:
    """Two floors with a gap between them, three links, and their object."""
    finder = Finder(addon, monkeypatch)
    finder.links = {7: quad(9, 0), 8: quad(9, 5), 0xF0000000: quad(9, -5)}
    add_plane(bpy)
    add_plane(bpy, "Other", at=(22, 0, 0))
    bpy.context.scene.navmesh.draft.scope = "VISIBLE"
    bpy.context.scene.navmesh.draft.generate_links = True
    bpy.ops.navmesh.build()
    return bpy.data.objects["Navmesh Links"]


def test_faces_turned_over_are_the_same_links(addon: Any, built: Any) -> None:
    """*Recalculate Outside* would else let every link lead back."""
    mesh = addon("stored.links_mesh")
    before = mesh.read_links(built)
    built.data.flip_normals()
    assert np.array_equal(mesh.read_links(built).shown.corners, before.shown.corners)
    assert not mesh.read_links(built).shown.states.any()


def test_moving_the_object_moves_no_link(bpy: Any, addon: Any, built: Any) -> None:
    built.location = (5, 6, 7)
    bpy.context.view_layer.update()
    mesh = addon("stored.links_mesh")
    assert not mesh.read_links(built).shown.states.any()
    bpy.ops.navmesh.rebuild()
    assert not mesh.read_links(built).shown.states.any()
    world = np.array([built.matrix_world @ vertex.co for vertex in built.data.vertices])
    assert np.allclose(world[:4], quad(9, 0), atol=1e-4), "they lie on the level again"


@pytest.mark.parametrize("damage", ["attribute", "two", "ledger", "nonsense", "triangle", "kind"])
def test_a_mesh_that_lost_something_is_told_in_a_sentence(bpy: Any, built: Any, draw: Any, damage: str) -> None:
    mesh = built.data
    if damage in ("attribute", "two"):
        mesh.attributes.remove(mesh.attributes["link_id"])
        if damage == "two":
            mesh.attributes.remove(mesh.attributes["link_kind"])
    elif damage == "ledger":
        del mesh["navmesh_link_ledger"]
    elif damage == "nonsense":
        mesh["navmesh_link_ledger"], mesh["navmesh_link_stamp"] = "[1, 2", "another"
    elif damage == "kind":
        mesh.attributes["link_kind"].data[0].value = 7
    else:
        import bmesh

        whole = bmesh.new()
        whole.from_mesh(mesh)
        bmesh.ops.triangulate(whole, faces=whole.faces[:1])
        whole.to_mesh(mesh)
        whole.free()
    said = {
        "attribute": "has lost its face attribute link_id, so", "two": "face attributes link_id, link_kind",
        "ledger": "has lost its ledger", "nonsense": "a ledger that cannot be read", "kind": "no link can have",
        "triangle": "2 faces without four corners",
    }[damage]  # fmt: skip
    before = len(mesh.polygons)
    with pytest.raises(RuntimeError, match=said):
        bpy.ops.navmesh.build()
    assert len(mesh.polygons) == before
    assert said in " ".join(draw().text.split("\n")) or "“Navmesh Links”" in draw().text
    bpy.data.objects.remove(built)
    assert bpy.ops.navmesh.build() == {"FINISHED"}, "the way out that the sentence tells"
    assert len(bpy.data.objects["Navmesh Links"].data.polygons) == 3
