"""A mesh whose faces are the navmesh: where they lie, with their areas; taken over, mended, refused by place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.blender.live.conftest import follow, mesh_content  # noqa: F401 - a fixture
from tests.blender.scenes import add_cube, add_empty, add_mesh, add_plane, link

CORNERS = [(0, 0, 0), (4, 0, 0), (4, 4, 0), (0, 4, 0), (8, 0, 1), (8, 4, 1)]
FACES = [(0, 1, 2, 3), (1, 4, 5, 2)]


def own(bpy: Any, corners: Any = CORNERS, faces: Any = FACES, name: str = "Mine") -> Any:
    object_ = add_mesh(bpy, name, corners, faces)
    object_.navmesh.use = "NAVMESH"
    return object_


def built(bpy: Any, **more: Any) -> Any:
    assert bpy.ops.navmesh.build(scope="VISIBLE", **more) == {"FINISHED"}
    return bpy.data.objects["Navmesh"]


def points_of(navmesh: Any) -> set[tuple[float, ...]]:
    return {tuple(round(part, 3) for part in navmesh.matrix_world @ vertex.co) for vertex in navmesh.data.vertices}


def areas_of(navmesh: Any) -> list[int]:
    return [value.value for value in navmesh.data.attributes["navmesh_area"].data]


def ground(navmesh: Any) -> float:
    return float(sum(face.area for face in navmesh.data.polygons))


def test_faces_are_the_polygons(bpy: Any) -> None:
    """Whatever else is there: level, volumes; at any place of the object."""
    add_plane(bpy)
    add_cube(bpy, at=(2, 2, 0))
    mine = own(bpy)
    mine.location = (3, 1, 0.5)
    navmesh = built(bpy)
    assert points_of(navmesh) == {(x + 3.0, y + 1.0, z + 0.5) for x, y, z in CORNERS}
    assert len(navmesh.data.polygons) == 2
    before = points_of(navmesh)
    assert points_of(built(bpy)) == before, "a second time"
    mine.scale.x = -1
    assert points_of(built(bpy)) == {(3.0 - x, y + 1.0, z + 0.5) for x, y, z in CORNERS}, "mirrored, it looks up still"
    mine.navmesh.use = "AUTO"
    assert len(points_of(built(bpy)) & before) < 6 and ground(navmesh) > 100


def test_what_it_does_not_have_is_told(bpy: Any, addon: Any) -> None:
    """A door stays drawn in its state, a link in the air leads nowhere; the level is not what it was built from."""
    add_plane(bpy)
    link_from, link_to = add_empty(bpy, "Jump", (1, 1, 9)), add_empty(bpy, "Landing", (70, 1, 0))
    link_from.navmesh.use, link_from.navmesh.link_end = "LINK", link_to
    for name in ("Left", "Right"):
        wing = add_cube(bpy, name, (4, 2, 0))
        wing.navmesh.use, wing.navmesh.door_name = "DOOR", "gate"
    own(bpy)
    warnings = json.loads(built(bpy)["navmesh_report"])["warnings"]
    assert [row["code"] for row in warnings] == ["LINK_UNATTACHED", "VOLUME_UNUSED"]
    assert (
        warnings[1]["object"] in ("Left", "Right")
        and "The door “gate” opens and closes nothing" in warnings[1]["message"]
    )
    built_, finished = addon("interface.build_operators"), addon("objects.built_from").finished_navmesh(bpy.context)
    assert built_.summary([finished.request]) == "Built Navmesh from 2 faces of your own."


def test_units_and_a_scene_of_nothing_else(bpy: Any, draw: Any) -> None:
    bpy.context.scene.unit_settings.scale_length = 0.01
    own(bpy, [(100 * x, 100 * y, 100 * z) for x, y, z in CORNERS])
    navmesh = built(bpy)
    assert points_of(navmesh) == {(100.0 * x, 100.0 * y, 100.0 * z) for x, y, z in CORNERS}
    assert {"2 polygons, 6 vertices", "From 2 faces of your own, 2 kept, 0 cut"} <= set(draw().texts)


def test_areas_of_faces_materials_and_objects(bpy: Any) -> None:
    mine = own(bpy)
    mine.navmesh.area = 2
    assert areas_of(built(bpy)) == [2, 2]
    road = bpy.data.materials.new("Road")
    road.navmesh.area = 4
    mine.data.materials.append(bpy.data.materials.new("Plain"))
    mine.data.materials.append(road)
    mine.data.polygons[1].material_index = 1
    assert sorted(areas_of(built(bpy))) == [2, 4]
    mine.data.attributes.new("navmesh_area", "INT", "FACE").data[0].value = -1
    navmesh = built(bpy)
    assert areas_of(navmesh) == [4] and ground(navmesh) == pytest.approx(16.5, abs=0.1)


def test_a_fault_is_told_by_name_and_selected(bpy: Any, addon: Any) -> None:
    other = own(bpy, [(20, 0, 0), (22, 0, 0), (22, 2, 0)], [(0, 1, 2)], "Fine")
    corners = [*CORNERS, (4, 0, 3), (4, 4, 3)]
    mine = own(bpy, corners, [*FACES, (1, 6, 7, 2), (1, 2, 7, 6)], "Walls")
    built(bpy)
    corners[6:] = [(6, 0, 3), (6, 4, 3)]
    bpy.data.objects.remove(mine)
    mine = own(bpy, corners, [*FACES, (1, 6, 7, 2)], "Mine")
    with pytest.raises(RuntimeError, match=r"“Mine”: 1 edge has three faces.*\(4, 2, 0\)"):
        built(bpy)
    hint = addon("interface.refused_build").shown(bpy.context.scene)
    (fix,) = hint.fixes
    assert hint.code == "THREE_FACES_AT_EDGE" and fix.operator == "navmesh.select_faces"
    for wrong in ("null", "[1]", '{"a": [1]}', '{"1": 2}'):
        with pytest.raises(RuntimeError, match=r"Error: .* must name faces as"):
            bpy.ops.navmesh.select_faces(faces=wrong)
    assert bpy.ops.navmesh.select_faces(**dict(fix.arguments)) == {"FINISHED"}
    assert bpy.context.mode == "EDIT_MESH" and bpy.context.view_layer.objects.active == mine
    bpy.ops.object.mode_set(mode="OBJECT")
    assert [face.select for face in mine.data.polygons] == [True, True, True] and not other.select_get()
    mine.data.polygons[0].select = False


def test_taken_over_it_is_no_longer_thrown_away(bpy: Any, addon: Any, tmp_path: Path) -> None:
    add_plane(bpy)
    navmesh = built(bpy)
    setup = bpy.context.scene.navmesh.setups[0]
    navmesh.data.attributes["navmesh_area"].data[0].value = 3
    whole = ground(navmesh)
    assert bpy.ops.navmesh.take_over() == {"FINISHED"}
    assert "Navmesh Detail" not in bpy.data.objects and "Navmesh" not in bpy.data.objects
    mine = bpy.data.objects["Navmesh by Hand"]
    assert mine.navmesh.use == "NAVMESH" and mine.navmesh.edit_setup == setup.uid and mine.select_get()
    assert not [name for name in (*mine.keys(), *mine.data.keys()) if name.startswith("navmesh_")]
    assert {name for name in list(mine.data.attributes.keys()) if name.startswith("navmesh_")} == {
        "navmesh_area",
    }
    mine.data.vertices[0].co.x -= 5
    moved = ground(mine)
    for _ in range(2):
        navmesh = built(bpy)
        assert ground(navmesh) == pytest.approx(moved, abs=0.05) and moved > whole + 1
        assert 3 in areas_of(navmesh) and "Navmesh by Hand" in bpy.data.objects
    assert not addon("watch.out_of_date").out_of_date(navmesh, setup)
    bpy.data.objects["Ground"].scale.x = 0.5
    mine.data.vertices[0].co.x += 5
    mine.data.update()
    bpy.context.view_layer.update()
    assert addon("watch.out_of_date").out_of_date(navmesh, setup)
    assert ground(built(bpy)) == pytest.approx(whole, abs=0.05), "the level counts for nothing"
    bpy.ops.navmesh.export(filepath=str(tmp_path / "level.bin"))
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "level.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "level.blend"))
    before = (tmp_path / "level.bin").read_bytes()
    bpy.ops.navmesh.rebuild()
    bpy.ops.navmesh.export(filepath=str(tmp_path / "level.bin"))
    assert (tmp_path / "level.bin").read_bytes() == before


def test_polygons_of_a_built_navmesh_may_lie_as_close_as_they_do(bpy: Any) -> None:
    """Those of a bridge and of the ground beneath it may be closer than the agent is tall; one's own faces may not."""
    add_plane(bpy)
    add_cube(bpy, at=(0, 0, 3.5)).scale = (3, 3, 1)
    assert max(z for _, _, z in points_of(built(bpy))) > 4
    bpy.ops.navmesh.take_over()
    mine = bpy.context.object
    bpy.context.scene.navmesh.setups[0].agent_height = 5.0  # than which both floors are closer
    assert len(built(bpy).data.polygons) == len(mine.data.polygons)
    roof = max(mine.data.vertices, key=lambda vertex: vertex.co.z)
    roof.co.z += 0.05
    with pytest.raises(RuntimeError, match="over each other with less room"):
        built(bpy)
    roof.co.z -= 0.05
    built(bpy)


def test_two_setups_have_their_own(bpy: Any, addon: Any) -> None:
    add_plane(bpy)
    built(bpy)
    bpy.ops.navmesh.setup_add()
    bpy.context.scene.navmesh.active = 0
    bpy.ops.navmesh.take_over()
    bpy.ops.navmesh.build(all_setups=True)
    objects = addon("objects.navmesh_objects")
    one, two = (objects.navmesh_of_setup(bpy.context.scene, setup) for setup in bpy.context.scene.navmesh.setups)
    reports = [json.loads(navmesh["navmesh_report"]) for navmesh in (one, two)]
    assert reports[0]["conversion"] and not reports[1].get("conversion")


def test_an_imported_navmesh_is_taken_over_too(bpy: Any, tmp_path: Path) -> None:
    own(bpy)
    built(bpy)
    bpy.ops.navmesh.export(filepath=str(tmp_path / "engine.json"))
    bpy.ops.wm.read_homefile(use_empty=True)
    bpy.ops.navmesh.import_file(filepath=str(tmp_path / "engine.json"))
    name = next(one.name for one in bpy.data.objects if one.get("navmesh_role") == "polygon_mesh")
    bpy.ops.navmesh.take_over(navmesh=name)
    assert points_of(built(bpy)) == {tuple(map(float, corner)) for corner in CORNERS}


def test_undo_gives_the_navmesh_back(bpy: Any) -> None:
    add_plane(bpy)
    before = points_of(built(bpy))
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.navmesh.take_over("EXEC_DEFAULT", True)
    bpy.ops.ed.undo_push(message="after")
    bpy.ops.ed.undo()
    import bpy as again

    if "Navmesh" not in again.data.objects:
        again.ops.ed.undo()
    navmesh = again.data.objects["Navmesh"]
    assert points_of(navmesh) == before and navmesh["navmesh_role"] == "polygon_mesh"
    assert navmesh.navmesh.use == "AUTO" and "Navmesh Detail" in again.data.objects


def test_mending_makes_faces_sound(bpy: Any) -> None:
    """Corners apart by less than the weld, a flip, a double, a wall, a T-junction: on the mesh, areas go along."""
    corners = [
        *CORNERS[:4], (4.0005, 0, 0), (8, 0, 1), (8, 4, 1), (4, 4, 0.0004),
        (0, 4, 0), (4, 4, 0), (4, 8, 0), (0, 8, 0), (0, 8, 3), (4, 8, 3), (-2, 0, 0), (0, 2, 0), (-2, 4, 0),
    ]  # fmt: skip
    faces = [(0, 1, 2, 3), (7, 6, 5, 4), (8, 9, 10, 11), (8, 11, 10, 9), (11, 10, 13, 12), (0, 15, 14), (15, 3, 16)]
    mine = own(bpy, corners, faces)
    attribute = mine.data.attributes.new("navmesh_area", "INT", "FACE")
    attribute.data.foreach_set("value", [1, 2, 3, 4, 5, 6, 7])
    bpy.context.view_layer.objects.active = mine
    assert bpy.ops.navmesh.mend() == {"FINISHED"}
    mesh = mine.data
    assert len(mesh.polygons) == 5 and all(face.normal.z > 0.5 for face in mesh.polygons)
    assert [value.value for value in mesh.attributes["navmesh_area"].data] == [1, 2, 3, 6, 7]
    assert len(mesh.polygons[0].vertices) == 5, "the corner on its edge is its own, too"
    edges = [edge for face in mesh.polygons for edge in face.edge_keys]
    assert max(edges.count(edge) for edge in set(edges)) == 2 and len(mesh.vertices) == 11
    before = mesh_content(mesh)
    bpy.ops.navmesh.mend()
    assert mesh_content(mesh) == before, "a second time there is nothing to do"
    assert json.loads(built(bpy)["navmesh_report"])["conversion"]["mended"] == []
    bpy.context.view_layer.objects.active = add_empty(bpy, "Other")
    mine.select_set(False)
    with pytest.raises(RuntimeError, match="No selected object is a navmesh of your own"):
        bpy.ops.navmesh.mend()


def test_of_a_linked_library_it_works_and_is_not_mended(bpy: Any, tmp_path: Path) -> None:
    own(bpy)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "kit.blend"), copy=True)
    bpy.ops.wm.read_homefile(use_empty=True)
    own(bpy, [(20, 0, 0), (22, 0, 0), (22, 2, 0)], [(0, 1, 2)])
    with bpy.data.libraries.load(str(tmp_path / "kit.blend"), link=True) as (_, target):
        target.objects = ["Mine"]
    link(bpy, target.objects[0])
    assert ground(built(bpy)) == pytest.approx(2 + 16 + 16.5, abs=0.1)
    bpy.context.view_layer.objects.active = target.objects[0]
    with pytest.raises(RuntimeError, match="is of another file"):
        bpy.ops.navmesh.mend()


@pytest.mark.parametrize("settings", [{}, {"tile_size": 16}], ids=["one piece", "tiles"])
def test_live_follows_an_own_mesh(bpy: Any, follow: Any, settings: Any) -> None:  # noqa: F811
    add_plane(bpy)
    mine = own(bpy)
    followed = follow(**settings)
    followed.settle()
    first = followed.content()[0]
    mine.data.vertices[0].co.x -= 3
    mine.data.update()
    followed.settle()
    assert followed.content() == followed.rebuilt() and followed.content()[0] != first
    mine.location.y += 2
    followed.settle()
    assert followed.content() == followed.rebuilt()
    mine.navmesh.use = "EXCLUDE"
    followed.following.looking.hints.something = True  # as our events say
    followed.settle()
    assert followed.content() == followed.rebuilt() and ground(bpy.data.objects["Navmesh"]) > 200


def test_what_needs_a_level_says_so(bpy: Any, addon: Any, tmp_path: Path) -> None:
    add_empty(bpy, "Away", (50, 0, 0)).navmesh.use = "SEED"
    own(bpy)
    bpy.context.view_layer.update()
    forecast = addon("gather.before_build.level_forecast").forecast_level
    assert not forecast(bpy.context, bpy.context.scene.navmesh.draft).hints, "though nothing is selected"
    navmesh = built(bpy)
    assert [row["code"] for row in json.loads(navmesh["navmesh_report"])["warnings"]] == ["SEED_OFF_NAVMESH"]
    assert bpy.ops.navmesh.find_path(start=(1, 1, 0), end=(7, 1, 1), mode="PATH") == {"FINISHED"}
    assert '"complete"' in bpy.context.scene.navmesh.path_answer
    assert bpy.ops.navmesh.join_island(island=0) == {"CANCELLED"}
    for level in (False, True):
        if level:
            add_plane(bpy)
            built(bpy)
        with pytest.raises(RuntimeError, match="is a mesh of your own"):
            bpy.ops.navmesh.why(location=(20, 0, 0))
        with pytest.raises(RuntimeError, match="only the navmesh is at hand"):
            bpy.ops.navmesh.export(filepath=str(tmp_path / "level.gset"))
    stages = addon("builder.rebuilt_stages", "navcore")
    finished = addon("builds.finished_navmeshes").find(navmesh["navmesh_build"])
    with pytest.raises(addon("errors", "navcore").BadInput, match="somebody's own mesh"):
        stages.rebuilt_stages(finished.navmesh, finished.request.level)


def test_what_is_built_of_an_own_mesh_is_not_taken_over_beside_it(bpy: Any) -> None:
    """There were two, one over the other, and the navmesh of both was in pieces."""
    add_plane(bpy)
    bpy.ops.navmesh.build(scope="VISIBLE")
    bpy.ops.navmesh.take_over()
    bpy.ops.navmesh.build()
    with pytest.raises(RuntimeError, match="“Navmesh by Hand” is this navmesh by hand already"):
        bpy.ops.navmesh.take_over()
    assert [o.name for o in bpy.data.objects if o.navmesh.use == "NAVMESH"] == ["Navmesh by Hand"]
    bpy.data.objects["Navmesh by Hand"].navmesh.use = "EXCLUDE"
    bpy.ops.navmesh.build()
    assert bpy.ops.navmesh.take_over() == {"FINISHED"}


def test_nothing_is_kept_as_edits_of_what_is_built_of_an_own_mesh(bpy: Any, draw: Any) -> None:
    """No build of it heeds edits: what was changed was gone, and a patch stayed that did nothing."""
    add_plane(bpy)
    bpy.ops.navmesh.build(scope="VISIBLE")
    bpy.ops.navmesh.take_over()
    bpy.ops.navmesh.add_edit(kind="KEEP", outline="[[0, 0]]")
    assert "Keep “Keep”: not built yet" in draw("MARK").texts
    bpy.ops.navmesh.build()
    assert "Keep “Keep”: no edit of a mesh by hand" in draw("MARK").texts
    bpy.data.objects["Navmesh"].data.vertices[0].co.x -= 1
    with pytest.raises(RuntimeError, match="“Navmesh” is built of “Navmesh by Hand”, which is edited itself"):
        bpy.ops.navmesh.rebuild(edited="KEEP")
    assert not [o for o in bpy.data.objects if o.navmesh.use == "PATCH"]
    assert bpy.ops.navmesh.rebuild(edited="THROW_AWAY") == {"FINISHED"}
