"""What is picked or painted becomes an edit that every build heeds, is undone in one step, and is refused by name."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.blender.scenes import add_cube, add_mesh, add_plane


@pytest.fixture
def navmesh(bpy: Any) -> Any:
    """Ground with pillars, so that it has several polygons, and an island."""
    add_plane(bpy)
    add_plane(bpy, "Away", 8.0, (30, 0, 0))
    for k in range(4):
        add_cube(bpy, f"Pillar {k}", (-6 + 4 * k, 3 - 2 * k, 1)).scale = (0.5, 0.5, 1)
    bpy.context.scene.navmesh.draft.scope = "VISIBLE"
    bpy.ops.navmesh.build()
    return bpy.data.objects["Navmesh"]


def ground(navmesh: Any, area: int | None = None) -> float:
    areas = [value.value for value in navmesh.data.attributes["navmesh_area"].data]
    faces = [face.area for face, own in zip(navmesh.data.polygons, areas, strict=True) if area in (None, own)]
    return float(sum(faces))


def of_island(navmesh: Any) -> list[int]:
    return [face.index for face in navmesh.data.polygons if face.center.x > 15]


def made_by(bpy: Any, act: Any) -> list[Any]:
    before = set(bpy.data.objects)
    assert act() == {"FINISHED"}
    return sorted(set(bpy.data.objects) - before, key=lambda one: one.name)


def test_picked_polygons_are_blocked(bpy: Any, navmesh: Any) -> None:
    whole, chosen = ground(navmesh), of_island(navmesh)
    assert bpy.ops.navmesh.pick_polygons(faces=json.dumps(chosen[:1])) == {"FINISHED"}
    bpy.ops.navmesh.pick_island()
    (block,) = made_by(bpy, lambda: bpy.ops.navmesh.edit_polygons(kind="BLOCK"))
    assert block.navmesh.use == "BLOCK" and block.users_collection[0].name == "Navmesh Edits" and block.select_get()
    with pytest.raises(RuntimeError, match="No polygon of the navmesh is picked"):
        bpy.ops.navmesh.edit_polygons(kind="BLOCK")
    lost = sum(navmesh.data.polygons[face].area for face in chosen)
    bpy.ops.navmesh.build()
    assert ground(navmesh) == pytest.approx(whole - lost, abs=0.5) and not of_island(navmesh)


def test_they_get_an_area_and_stay_what_they_are(bpy: Any, navmesh: Any) -> None:
    whole, chosen = ground(navmesh), of_island(navmesh)
    (area,) = made_by(bpy, lambda: bpy.ops.navmesh.edit_polygons(kind="AREA", area=2, faces=json.dumps(chosen)))
    assert area.name == "Road" and area.navmesh.area == 2
    lost = sum(navmesh.data.polygons[face].area for face in chosen)
    for _ in range(2):
        bpy.ops.navmesh.build()
        assert ground(navmesh, 2) == pytest.approx(lost, abs=0.5) and ground(navmesh) == pytest.approx(whole, abs=0.5)


def test_islands_are_kept_each_by_one_place(bpy: Any, navmesh: Any) -> None:
    chosen = [0 if navmesh.data.polygons[0].center.x < 15 else 1, *of_island(navmesh)]
    places = made_by(bpy, lambda: bpy.ops.navmesh.edit_polygons(kind="KEEP", faces=json.dumps(chosen)))
    assert [place.navmesh.use for place in places] == ["KEEP", "KEEP"]
    setup = bpy.context.scene.navmesh.setups[0]
    setup.region_min_size = 40.0
    bpy.ops.navmesh.build()
    assert of_island(navmesh)


def test_their_shape_is_edited_in_place(bpy: Any, navmesh: Any) -> None:
    whole, chosen = ground(navmesh), of_island(navmesh)
    (patch,) = made_by(bpy, lambda: bpy.ops.navmesh.edit_polygons(kind="PATCH", faces=json.dumps(chosen)))
    assert bpy.context.mode == "EDIT_MESH" and bpy.context.object == patch
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.navmesh.build()
    assert ground(navmesh) == pytest.approx(whole, abs=3), "cells that its faces touch are its own"
    for vertex in patch.data.vertices:
        vertex.co.x *= 0.5
    patch.data.update()
    bpy.ops.navmesh.build()
    lost = sum(face.area for face in navmesh.data.polygons if face.center.x > 15)
    assert lost == pytest.approx(sum(face.area for face in patch.data.polygons), abs=3)


STROKE = [[28.0, 0.0, 0.0], [32.0, 0.0, 0.0]]


def paint(bpy: Any, brush: str, points: Any = STROKE, radius: float = 1.0, **more: Any) -> Any:
    return bpy.ops.navmesh.paint(brush=brush, points=json.dumps(points), radius=radius, **more)


def test_a_stroke_paints_an_area(bpy: Any, navmesh: Any) -> None:
    (area,) = made_by(bpy, lambda: paint(bpy, "AREA", area=2))
    assert area.navmesh.use == "AREA"
    bpy.ops.navmesh.build()
    assert ground(navmesh, 2) == pytest.approx(8 + 3.1, abs=1.5)
    assert not json.loads(navmesh["navmesh_report"])["warnings"]


def test_a_stroke_blocks_and_another_takes_that_away(bpy: Any, navmesh: Any) -> None:
    whole = ground(navmesh)
    made_by(bpy, lambda: paint(bpy, "BLOCK"))
    bpy.ops.navmesh.build()
    blocked = ground(navmesh)
    assert whole - blocked == pytest.approx(8 + 3.1, abs=1.5)
    assert paint(bpy, "UNBLOCK", [[30.0, 0.0, 0.0]]) == {"FINISHED"}
    bpy.ops.navmesh.build()
    assert ground(navmesh) - blocked == pytest.approx(3.1, abs=1.2), "a disc of it"
    assert paint(bpy, "UNBLOCK", radius=3.0) == {"FINISHED"}
    assert "Block" not in bpy.data.objects
    bpy.ops.navmesh.build()
    assert ground(navmesh) == pytest.approx(whole, abs=0.01)


def test_unblocking_finds_blocks_wherever_they_stand(bpy: Any, navmesh: Any) -> None:  # noqa: ARG001 - built
    """Moved, turned, mirrored, of a shared mesh, concave; blocks on another floor, and areas, stay."""
    corners = [(0, 0, 0), (2, 0, 0), (2, 2, 0), (1, 0.5, 0), (0, 2, 0)]
    block = add_mesh(bpy, "Arrow", corners, [(0, 1, 2, 3, 4)])
    twin = block.copy()
    bpy.context.scene.collection.objects.link(twin)
    for one, y, z in ((block, -1, 0.2), (twin, -1, 9)):
        one.navmesh.use, one.location = "BLOCK", (29, y, z)
    block.scale.x = -1
    block.rotation_euler.z = 0.4
    bpy.context.view_layer.update()
    before = len(twin.data.polygons)
    assert paint(bpy, "UNBLOCK", radius=0.4) == {"FINISHED"}
    assert block.data != twin.data and len(twin.data.polygons) == before and len(block.data.polygons) > 1
    assert all(face.area > 0 for face in block.data.polygons)


def test_nothing_painted_away_is_said(bpy: Any, navmesh: Any, capfd: Any) -> None:  # noqa: ARG001 - built
    assert paint(bpy, "UNBLOCK") == {"FINISHED"}
    assert "There is no block to take away" in capfd.readouterr().out


def test_another_build_unpicks(bpy: Any, navmesh: Any, addon: Any) -> None:
    picks, scene = addon("picking.picked_polygons"), bpy.context.scene
    bpy.ops.navmesh.pick_polygons(faces="[0, 1]")
    assert picks.picked(scene).faces == {0, 1}
    bpy.ops.navmesh.pick_polygons(faces="[2]", how="ADD")
    bpy.ops.navmesh.pick_polygons(faces="[0]", how="TAKE")
    assert picks.picked(scene).faces == {1, 2}
    bpy.ops.navmesh.build()
    assert picks.picked(scene) is None
    bpy.ops.navmesh.pick_polygons(faces="[0]")
    navmesh.location.z += 1
    bpy.context.view_layer.update()
    assert picks.picked(scene) is None, "it lies elsewhere"


def test_one_undo_takes_an_edit_back(bpy: Any, navmesh: Any) -> None:  # noqa: ARG001 - built
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.navmesh.edit_polygons("EXEC_DEFAULT", True, kind="BLOCK", faces="[0]")
    bpy.ops.ed.undo_push(message="after")
    assert "Block" in bpy.data.objects
    bpy.ops.ed.undo()
    import bpy as again

    if "Block" in again.data.objects:
        again.ops.ed.undo()
    assert "Block" not in again.data.objects


@pytest.mark.parametrize("faces", ["[99999]", "[-1]", "[0.5]", "no", "{}"])
def test_wrong_polygons_are_refused(bpy: Any, navmesh: Any, faces: str) -> None:  # noqa: ARG001 - built
    with pytest.raises(RuntimeError, match="polygons"):
        bpy.ops.navmesh.edit_polygons(kind="BLOCK", faces=faces)
    assert "Block" not in bpy.data.objects


@pytest.mark.parametrize("points", ["", "[]", "[[0, 0]]", '[["a", 0, 0]]', "[[0, 0, 1e999]]"])
def test_wrong_strokes_are_refused(bpy: Any, navmesh: Any, points: str) -> None:  # noqa: ARG001 - built
    with pytest.raises(RuntimeError, match="are no places"):
        bpy.ops.navmesh.paint(brush="BLOCK", points=points)


def test_without_a_level_it_is_refused(bpy: Any) -> None:
    with pytest.raises(RuntimeError, match="There is no navmesh yet"):
        bpy.ops.navmesh.pick_polygons(faces="[0]")
    add_plane(bpy)
    bpy.context.scene.navmesh.draft.scope = "VISIBLE"
    bpy.ops.navmesh.build()
    bpy.ops.navmesh.take_over()
    bpy.ops.navmesh.build()
    with pytest.raises(RuntimeError, match="edits are of levels"):
        bpy.ops.navmesh.edit_polygons(kind="BLOCK", faces="[0]")
    with pytest.raises(RuntimeError, match="edits are of levels"):
        paint(bpy, "BLOCK", [[0, 0, 0]])
