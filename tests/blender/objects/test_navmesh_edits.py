"""Edits are input: builds make them again, whatever they are called, in each setup, after undo and in saved files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.blender.drawn_panels import draw_panels
from tests.blender.scenes import add_cube, add_empty, add_mesh, add_plane, link

SQUARE = "[[-2, 0], [2, 0], [2, 4], [-2, 4]]"


@pytest.fixture
def level(bpy: Any) -> Any:
    add_plane(bpy)
    bpy.context.scene.navmesh.draft.scope = "VISIBLE"
    return bpy


def add(bpy: Any, kind: str = "BLOCK", outline: str = SQUARE, low: float = -1.0, high: float = 2.0, **more: Any) -> Any:
    before = set(bpy.data.objects)
    assert bpy.ops.navmesh.add_edit(kind=kind, outline=outline, min_height=low, max_height=high, **more) == {"FINISHED"}
    (object_,) = set(bpy.data.objects) - before
    return object_


def ground(navmesh: Any, area: int | None = None) -> float:
    """Square units, seen from above."""
    areas = [value.value for value in navmesh.data.attributes["navmesh_area"].data]
    faces = [face.area for face, own in zip(navmesh.data.polygons, areas, strict=True) if area in (None, own)]
    return float(sum(faces))


def built(bpy: Any, name: str = "Navmesh", **more: Any) -> Any:
    assert bpy.ops.navmesh.build(**more) == {"FINISHED"}
    return bpy.data.objects[name]


def report(navmesh: Any) -> Any:
    return json.loads(navmesh["navmesh_report"])


def points_of(navmesh: Any) -> list[tuple[float, ...]]:
    return [tuple(vertex.co) for vertex in navmesh.data.vertices]


def test_each_kind_does_what_it_says(level: Any) -> None:
    whole = ground(built(level))
    block = add(level)
    assert ground(built(level)) == pytest.approx(whole - 16, abs=1.5)
    block.navmesh.use = "AREA"
    block.navmesh.area = 2
    assert ground(built(level), 2) == pytest.approx(16, abs=1.5) and ground(built(level)) == pytest.approx(whole, abs=1)
    level.data.objects.remove(block)
    add(level, "AREA", area=3)
    assert ground(built(level), 3) == pytest.approx(16, abs=1.5)
    add(level, "BLOCK")
    assert ground(built(level), 3) == 0, "blocks win"
    add_plane(level, "Away", 8.0, (20, 0, 0))
    bridge = add(level, "PATCH", "[[9, -0.2], [17, -0.2], [17, 0.2], [9, 0.2]]", 0.0, 0.0, area=4)
    navmesh = built(level)
    assert ground(navmesh, 4) == pytest.approx(8 * 4 / 6, abs=0.6), "four cells, where there is no ground"
    assert bridge.navmesh.use == "PATCH" and not report(navmesh)["warnings"]


def test_a_place_that_is_kept_stays_and_is_a_seed(level: Any) -> None:
    small = add_plane(level, "Small", 2.0, (0, 30, 0))
    assert max(y for _, y, _ in points_of(built(level))) < 20
    keep = add(level, "KEEP", "[[0, 30]]", 0.0, 0.0)
    assert max(y for _, y, _ in points_of(built(level))) > 29
    level.context.scene.navmesh.setups[0].prune = True
    assert min(y for _, y, _ in points_of(built(level))) > 28, "pruning takes it for the only seed"
    level.context.scene.navmesh.setups[0].prune = False
    level.data.objects.remove(small)
    assert [(row["code"], row["object"]) for row in report(built(level))["warnings"]] == [("EDIT_UNUSED", keep.name)]


def test_edits_are_never_level_geometry(level: Any) -> None:
    whole = points_of(built(level))
    add(level, "AREA", "[[30, 30], [34, 30], [34, 34], [30, 34]]", area=2)
    navmesh = built(level)
    assert points_of(navmesh) == whole
    (row,) = report(navmesh)["warnings"]
    assert row["code"] == "EDIT_UNUSED" and report(navmesh)["used"] == ["Ground"]


def test_a_second_build_changes_nothing_and_an_undo_takes_it_back(level: Any) -> None:
    before = points_of(built(level))
    level.ops.ed.undo_push(message="before")
    level.ops.navmesh.add_edit("EXEC_DEFAULT", True, kind="BLOCK", outline=SQUARE, min_height=-1, max_height=1)
    edited = points_of(built(level))
    assert edited != before and points_of(built(level)) == edited
    level.ops.ed.undo_push(message="built")
    level.ops.ed.undo()
    import bpy

    if "Block" in bpy.data.objects:
        bpy.ops.ed.undo()
    assert "Block" not in bpy.data.objects and points_of(built(bpy)) == before


def test_names_decide_nothing(level: Any) -> None:
    """Edits called as the navmesh, as the level, as each other in another scene; a collection of that name."""
    taken = level.data.collections.new("Navmesh Edits")
    level.context.scene.collection.children.link(taken)
    plain = ground(built(level))
    first, second = add(level), add(level, outline="[[4, -6], [8, -6], [8, -2], [4, -2]]")
    assert first.users_collection == second.users_collection != (taken,)
    first.name, second.name = "Navmesh.007", "Ground.001"
    navmesh = built(level)
    assert ground(navmesh) == pytest.approx(plain - 32, abs=3)
    assert [row["name"] for row in report(navmesh)["edits"]] == ["Navmesh.007", "Ground.001"]
    first.users_collection[0].name = "Something else"
    assert add(level, outline="[[-8, -8], [-6, -8], [-6, -6]]").users_collection == first.users_collection


def test_an_edit_is_for_all_setups_or_for_one(level: Any, addon: Any) -> None:
    built(level)
    level.ops.navmesh.setup_add()
    one, two = level.context.scene.navmesh.setups
    edit = add(level, setup=one.name)
    level.ops.navmesh.build(all_setups=True)
    objects = addon("objects.navmesh_objects")
    first, second = (objects.navmesh_of_setup(level.context.scene, setup) for setup in (one, two))
    assert ground(second) - ground(first) == pytest.approx(16, abs=1.5)
    edit.location.x += 3
    level.context.view_layer.update()
    stale = addon("watch.out_of_date").out_of_date
    assert stale(first, one) and not stale(second, two)
    level.context.scene.navmesh.active = 0
    level.ops.navmesh.edit_for_setup(uid=edit.session_uid)
    level.ops.navmesh.build(all_setups=True)
    assert ground(second) == pytest.approx(ground(first), abs=0.01)


def test_a_saved_file_has_them(level: Any, tmp_path: Path) -> None:
    add(level)
    add(level, "KEEP", "[[6, 6]]", 0, 0)
    add(level, "PATCH", "[[5, 5], [7, 5], [7, 7], [5, 7]]", 0, 0)
    before = points_of(built(level))
    level.ops.wm.save_as_mainfile(filepath=str(tmp_path / "level.blend"))
    level.ops.wm.open_mainfile(filepath=str(tmp_path / "level.blend"))
    assert points_of(level.data.objects["Navmesh"]) == before == points_of(built(level))


def test_edits_of_a_linked_library(level: Any, tmp_path: Path) -> None:
    """They work, may be called as a local one, and are changed where they are."""
    add(level)
    level.ops.wm.save_as_mainfile(filepath=str(tmp_path / "kit.blend"), copy=True)
    level.ops.wm.read_homefile(use_empty=True)
    add_plane(level)
    level.context.scene.navmesh.draft.scope = "VISIBLE"
    plain = ground(built(level))
    with level.data.libraries.load(str(tmp_path / "kit.blend"), link=True) as (source, target):
        target.objects = [name for name in source.objects if name == "Block"]
    (linked,) = target.objects
    link(level, linked)
    add(level, outline="[[4, -6], [8, -6], [8, -2], [4, -2]]")
    assert ground(built(level)) == pytest.approx(plain - 32, abs=3)
    with pytest.raises(RuntimeError, match="of another file"):
        level.ops.navmesh.remove_edit(uid=linked.session_uid)
    local = next(object_ for object_ in level.data.objects if object_.navmesh.use == "BLOCK" and object_ != linked)
    level.ops.navmesh.remove_edit(uid=local.session_uid)
    assert linked.name == "Block" and ground(built(level)) == pytest.approx(plain - 16, abs=1.5)


def test_units_scale_and_a_turned_outline(bpy: Any) -> None:
    bpy.context.scene.unit_settings.scale_length = 0.01
    add_plane(bpy, size=2000)
    whole = ground(built(bpy, scope="VISIBLE"))
    edit = add(bpy, outline="[[-200, 0], [200, 0], [200, 400], [-200, 400]]", low=-100, high=100)
    edit.rotation_euler.z, edit.scale.x = 0.5, 2.0
    assert whole - ground(built(bpy, scope="VISIBLE")) == pytest.approx(32e4, rel=0.05)


def test_outlines_of_any_faces(level: Any) -> None:
    """Concave, with a hole, of several parts, without faces, a box: each as it lies."""
    whole = ground(built(level))
    shapes = {
        "hole": (
            [(0, 0, 0), (6, 0, 0), (6, 6, 0), (0, 6, 0), (2, 2, 0), (4, 2, 0), (4, 4, 0), (2, 4, 0)],
            [(0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)], 32,
        ),
        "concave": ([(0, 0, 0), (6, 0, 0), (6, 6, 0), (4, 6, 0), (4, 2, 0), (0, 2, 0)], [(0, 1, 2, 3, 4, 5)], 20),
        "parts": (
            [(0, 0, 0), (3, 0, 0), (3, 3, 0), (0, 3, 0), (5, 5, 0), (8, 5, 0), (8, 8, 0), (5, 8, 0)],
            [(0, 1, 2, 3), (4, 5, 6, 7)], 18,
        ),
    }  # fmt: skip
    for name, (vertices, faces, metres) in shapes.items():
        object_ = add_mesh(level, name, vertices, faces)
        object_.navmesh.use = "BLOCK"
        assert whole - ground(built(level)) == pytest.approx(metres, abs=2.5), name
        level.data.objects.remove(object_)
    ring = add_mesh(level, "Ring", [(0, 0, 0), (4, 0, 0), (4, 4, 0), (0, 4, 0)], [])
    ring.data.edges.add(4)
    ring.data.edges.foreach_set("vertices", [0, 1, 1, 2, 2, 3, 3, 0])
    ring.navmesh.use = "BLOCK"
    assert whole - ground(built(level)) == pytest.approx(16, abs=1.5)
    level.data.objects.remove(ring)
    box = add_cube(level, at=(3, 3, 0))
    box.navmesh.use = "BLOCK"
    assert whole - ground(built(level)) == pytest.approx(4, abs=1), "what is closed marks what lies within it"
    box.location.z = 9
    assert ground(built(level)) == whole


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"outline": "[[0, 0], [1, 1]]"}, "at least 3 points"), ({"outline": "nonsense"}, "is no JSON"),
        ({"outline": '[[0, 0], [1, 1], ["x", 2]]'}, "is no point"), ({"low": 3.0}, "max_height must be at least"),
        ({"setup": "Nobody"}, "There is no setup named"),
    ],
)  # fmt: skip
def test_what_is_no_edit_is_refused(level: Any, given: dict[str, Any], words: str) -> None:
    before = len(level.data.objects), len(level.data.collections)
    with pytest.raises(RuntimeError, match=words):
        add(level, **given)
    assert (len(level.data.objects), len(level.data.collections)) == before


def test_an_edit_without_ground_of_its_own_is_told_by_name(level: Any) -> None:
    bad = add_mesh(level, "Wall", [(0, 0, 0), (4, 0, 0), (4, 0, 3), (0, 0, 3)], [(0, 1, 2, 3)])
    bad.navmesh.use = "BLOCK"
    add_empty(level, "Kept").navmesh.use = "KEEP"
    navmesh = built(level)
    assert [(row["code"], row["object"]) for row in report(navmesh)["warnings"]] == [("BAD_MARKER", "Wall")]


@pytest.mark.parametrize(
    "damaged", ["[[[0, 0", "7", "[[[0, 0], [1, 1], [1, 0]]]", "[[[0, 0, NaN], [1, 0, 0], [1, 1, 0]]]"]
)
def test_a_damaged_edit_is_kept_and_told_and_the_rest_is_built(level: Any, damaged: str) -> None:
    block, patch = add(level), add(level, "PATCH", "[[5, 5], [7, 5], [7, 7], [5, 7]]")
    patch.navmesh.edit_footprint = damaged
    navmesh = built(level)
    (row,) = report(navmesh)["warnings"]
    assert (row["code"], row["object"]) == ("BAD_MARKER", patch.name) and "Make a new patch" in row["message"]
    assert [edit["name"] for edit in report(navmesh)["edits"]] == [block.name]
    assert level.data.objects[patch.name].navmesh.edit_footprint == damaged


def test_an_object_that_is_several_outlines_is_told_as_the_list_tells_it(level: Any, addon: Any) -> None:
    """One of them lies beside the ground: the object does what it does all the same."""
    block, results = add(level), addon("objects.edit_results").edit_results
    points = [(x + a, b, 0) for x in (0, 60) for a, b in ((0, 0), (2, 0), (2, 2), (0, 2))]
    block.data = level.data.meshes.new("Two")
    block.data.from_pydata(points, [], [(0, 1, 2, 3), (4, 5, 6, 7)])
    for place, told in ((0, []), (100, ["EDIT_UNUSED"])):
        block.location.x = place
        navmesh = built(level)
        assert [row["code"] for row in report(navmesh)["warnings"]] == told
        (row,) = results(level.context.scene, level.context.scene.navmesh.setups[0].name, navmesh)
        assert [row.code] == (told or [""]) and row.square_metres == pytest.approx(0 if told else 4, abs=0.2)


def test_a_patch_in_place_of_several_outlines_counts_its_faces_once(level: Any, addon: Any) -> None:
    add_plane(level, "Away", 8.0, (30, 0, 0))
    navmesh = built(level)
    west = [face.index for face in navmesh.data.polygons if face.center.x < 20]
    east = [face.index for face in navmesh.data.polygons if face.center.x > 20]
    level.ops.navmesh.edit_polygons(kind="PATCH", faces=json.dumps([west[0], east[0]]))
    level.ops.object.mode_set(mode="OBJECT")
    faces = sum(navmesh.data.polygons[face].area for face in (west[0], east[0]))
    patched = built(level)
    assert len(report(patched)["edits"]) == 2
    results = addon("objects.edit_results").edit_results
    (row,) = results(level.context.scene, level.context.scene.navmesh.setups[0].name, patched)
    assert row.square_metres == pytest.approx(faces, rel=0.1)


def test_moved_off_its_ground_it_is_told_and_moved_by_hand_it_is_new(level: Any) -> None:
    anchor, edit = add_empty(level, "Anchor"), add(level)
    edit.parent = anchor
    built(level)
    anchor.location.x = 10
    (row,) = report(built(level))["warnings"]
    assert row["code"] == "EDIT_SHIFTED" and row["object"] == edit.name
    anchor.location.x = 60
    assert [row["code"] for row in report(built(level))["warnings"]] == ["EDIT_UNUSED"]
    anchor.location.x = 0
    assert not report(built(level))["warnings"]
    edit.parent = None
    edit.location.x = 9
    assert not report(built(level))["warnings"], "who moves it himself sees what it does"


def listed(bpy: Any, addon: Any) -> list[str]:
    """The lines of the panel on edits."""
    return [text for text in draw_panels(bpy, addon).texts if " “" in text and "”: " in text]


def test_the_panel_says_what_each_does_now(level: Any, addon: Any, tmp_path: Path) -> None:
    level.context.scene.navmesh.tab = "MARK"
    edit, away = add(level, name="Sill"), add(level, "KEEP", "[[60, 60]]", 0, 0)
    assert listed(level, addon) == ["Block “Sill”: not built yet", "Keep “Keep”: not built yet"]
    built(level)
    shown = listed(level, addon)
    assert shown[0].startswith("Block “Sill”: 16.") and shown[1] == "Keep “Keep”: does nothing here"
    edit.location.x += 60
    warnings = report(built(level))["warnings"]
    assert [row["message"].partition(":")[0] for row in warnings] == [
        f"“{name}” does nothing here" for name in ("Keep", "Sill")
    ]
    edit.location.x -= 60
    away.hide_set(True)
    built(level)
    assert listed(level, addon)[1] == "Keep “Keep”: hidden"
    away.hide_set(False)
    built(level)
    edit.name = "Renamed"
    assert listed(level, addon)[0].startswith("Block “Renamed”: 16."), "names are no identity"
    edit.name = "Sill"
    level.ops.wm.save_as_mainfile(filepath=str(tmp_path / "level.blend"))
    level.ops.wm.open_mainfile(filepath=str(tmp_path / "level.blend"))
    assert listed(level, addon) == shown, "in a file that was opened again, too"
    edit, away = level.data.objects["Sill"], level.data.objects["Keep"]
    level.ops.navmesh.select_edit(uid=edit.session_uid)
    assert level.context.view_layer.objects.active == edit and edit.select_get()
    level.ops.navmesh.remove_edit(uid=away.session_uid)
    assert listed(level, addon) == shown[:1] and "Keep" not in level.data.objects


def test_a_hidden_edit_is_none(level: Any) -> None:
    whole, edit = points_of(built(level)), add(level)
    assert points_of(built(level)) != whole
    edit.hide_viewport = True
    assert points_of(built(level)) == whole
    assert np.isfinite(edit.matrix_world).all()


def test_edits_of_a_removed_setup_are_listed_as_that(level: Any, addon: Any) -> None:
    """They stayed in the scene, and nothing told of them."""
    level.context.scene.navmesh.tab = "MARK"
    built(level)
    edit = add(level, name="Sill")
    level.ops.navmesh.edit_for_setup(uid=edit.session_uid)
    level.ops.navmesh.setup_add(name="Giant")
    assert listed(level, addon) == [], "it is of the other setup"
    level.context.scene.navmesh.active = 0
    level.ops.navmesh.setup_remove()
    assert listed(level, addon) == ["Block “Sill”: for a setup that is gone"]
    level.ops.navmesh.edit_for_setup(uid=edit.session_uid)
    assert listed(level, addon) == ["Block “Sill”: not built yet"], "it is the other one's now"
