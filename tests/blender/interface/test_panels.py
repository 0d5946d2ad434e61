"""What the panels show and offer: drawn into a layout that writes down what it is asked for."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.blender.drawn_panels import Drawn, Layout
from tests.blender.scenes import add_cube, add_empty, add_plane, new_collection


def test_an_imported_navmesh(bpy: Any, draw: Any, tmp_path: Path) -> None:
    add_plane(bpy)
    bpy.ops.navmesh.build(scope="VISIBLE")
    bpy.ops.navmesh.export(filepath=str(tmp_path / "level.bin"))
    bpy.ops.wm.read_homefile(use_empty=True)
    assert "navmesh.import_file" in draw().operator_names()
    bpy.ops.navmesh.import_file(filepath=str(tmp_path / "level.bin"))
    text = draw().text
    assert "level.bin" in text and "Walkable (0): " in text and "radius 0.5 m" in text


def test_an_empty_file(draw: Any) -> None:
    assert "navmesh.build" in draw().operator_names()


def test_every_setting_is_shown_once(bpy: Any, addon: Any, draw: Any) -> None:
    bpy.ops.navmesh.setup_add()
    texts = draw().texts
    assert [name for name in addon("stored.setting_properties").NAMES if texts.count(name) != 1] == []


def test_one_button_builds_and_then_builds_again(bpy: Any, addon: Any) -> None:
    """What it does and what is said under it changes; what stands above it doesn't: it is the first."""

    def first() -> tuple[str, str]:
        drawn = Drawn()
        panel = addon("interface.panels.build_panel").NAVMESH_PT_build
        panel.draw(SimpleNamespace(layout=Layout(drawn.texts, drawn.operators)), bpy.context)
        return drawn.operators[0][0], next(text for text in drawn.texts if text and "NAVMESH" not in text)

    ground = add_plane(bpy)
    assert first() == ("navmesh.build", "Not built yet")
    bpy.ops.navmesh.build(scope="VISIBLE")
    assert first() == ("navmesh.rebuild", "Up to date · 348 m² · 1 island")
    bird = add_empty(bpy, "Bird", (0, 0, 9))
    bird.navmesh.use = "SEED"
    bpy.ops.navmesh.build(scope="VISIBLE", prune=True)
    bpy.context.scene.navmesh.setups[0].prune = True
    assert first() == ("navmesh.rebuild", "Up to date. 2 warnings: see Last Build")
    ground.location.x = 1
    bpy.context.view_layer.update()
    assert first() == ("navmesh.rebuild", "Out of date: the level changed")
    bpy.ops.navmesh.setup_add()
    assert first() == ("navmesh.build", "Not built yet")


def test_what_a_navmesh_was_built_from_is_said(bpy: Any, draw: Any) -> None:
    ground = add_plane(bpy)
    assert draw().texts.count("scope") == 1
    bpy.ops.navmesh.build(scope="VISIBLE")
    assert "Everything visible" in draw().texts and draw().texts.count("scope") == 1, "beside the rules"
    ground.select_set(True)
    bpy.ops.navmesh.build(scope="SELECTED")
    assert "1 chosen object" in draw().texts
    level = new_collection(bpy, "Level")
    add_plane(bpy, collection=level)
    bpy.ops.navmesh.build(scope="COLLECTION", collection="Level")
    assert "The collection “Level”" in draw().texts


def test_other_objects_are_in_the_menu_beside_the_button(bpy: Any, addon: Any) -> None:
    def entries() -> list[tuple[str, dict[str, Any]]]:
        drawn = Drawn()
        menu = addon("interface.panels.build_panel").NAVMESH_MT_build
        menu.draw(SimpleNamespace(layout=Layout(drawn.texts, drawn.operators)), bpy.context)
        return [(name, vars(properties)) for name, properties in drawn.operators]

    scopes = [("navmesh.build", {"scope": "SELECTED"}), ("navmesh.build", {"scope": "VISIBLE"})]
    assert entries() == scopes
    new_collection(bpy, "Level")
    bpy.context.view_layer.active_layer_collection = bpy.context.view_layer.layer_collection.children["Level"]
    by_collection = ("navmesh.build", {"scope": "COLLECTION", "collection": "Level"})
    assert entries() == [*scopes, by_collection]
    add_plane(bpy)
    bpy.ops.navmesh.build(scope="VISIBLE")
    bpy.ops.navmesh.setup_add()
    everything = ("navmesh.build", {"all_setups": True})
    assert entries() == [*scopes, by_collection, everything]
    bpy.context.scene.navmesh.active = 0
    assert entries() == [("navmesh.rebuild", {}), *scopes, by_collection, everything]


def in_menu(bpy: Any, name: str) -> list[str]:
    """What we add to a menu of Blender's."""
    drawn = Drawn()
    for function in getattr(bpy.types, name)._dyn_ui_initialize():
        if function.__module__.startswith("bl_ext.navdev"):
            menu = SimpleNamespace(layout=Layout(drawn.texts, drawn.operators), bl_idname=name)
            function(menu, bpy.context)
    return [*drawn.operator_names(), *filter(None, drawn.texts)]


@pytest.mark.parametrize("name", ["VIEW3D_MT_object", "VIEW3D_MT_edit_mesh", "VIEW3D_MT_edit_curve"])
def test_the_build_is_offered_in_the_menus_of_edit_mode_too(bpy: Any, name: str) -> None:
    more = ["NAVMESH_MT_navmesh"] if name == "VIEW3D_MT_object" else []  # all of it, also what lets F3 find it
    assert in_menu(bpy, name) == ["navmesh.build", *more]


def test_areas_of_faces_are_offered_where_faces_are_selected(bpy: Any, draw: Any) -> None:
    cube = add_cube(bpy)
    bpy.context.view_layer.objects.active = cube
    cube.select_set(True)
    assert "Assign Area" not in draw().texts and not bpy.ops.navmesh.assign_area.poll()
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_mode(type="FACE")
    assert "Assign Area" in draw().texts
    both = ("VIEW3D_MT_edit_mesh_faces", "VIEW3D_MT_edit_mesh_context_menu")
    assert [in_menu(bpy, name) for name in both] == [["NAVMESH_MT_area_of_faces"]] * 2
    bpy.ops.mesh.select_mode(type="VERT")
    assert [in_menu(bpy, name) for name in both] == [["NAVMESH_MT_area_of_faces"], []]
    bpy.ops.object.mode_set(mode="OBJECT")


def test_the_object_panel_is_in_the_properties_too(bpy: Any, addon: Any) -> None:
    shown = addon("registration").classes_of(addon("interface.panels.object_panel"))
    panels = [cls for cls in shown if "PT_object" in cls.__name__]
    bpy.context.view_layer.objects.active = add_cube(bpy)
    said = []
    for cls in panels:
        drawn = Drawn()
        cls.draw(SimpleNamespace(layout=Layout(drawn.texts, drawn.operators)), bpy.context)
        said.append(drawn.texts)
    assert [cls.bl_space_type for cls in panels] == ["VIEW_3D", "PROPERTIES"] and panels[1].bl_context == "object"
    assert said[0][: len(said[1])] == said[1] and "Object Area" in said[1], "in the sidebar, buttons that add follow"


def test_after_a_build(bpy: Any, draw: Any) -> None:
    add_plane(bpy)
    add_cube(bpy, "Rock-noimp")
    bpy.ops.navmesh.setup_add()
    bpy.context.scene.navmesh.setups[0].scope = "VISIBLE"
    bpy.ops.navmesh.build()
    drawn = draw()
    assert {"navmesh.rebuild", "navmesh.prune"} <= set(drawn.operator_names()) and "Export" in drawn.texts
    assert "polygons" in drawn.text and "Rock-noimp: its name fits" in drawn.text
    assert "Out of date" not in drawn.text
    bpy.context.scene.navmesh.setups[0].agent_radius = 1.0
    assert "Out of date: a setting changed" in draw().text


def test_marks_of_objects(bpy: Any, draw: Any) -> None:
    object_ = add_cube(bpy)
    bpy.context.view_layer.objects.active = object_
    object_.data.materials.append(bpy.data.materials.new("Wet"))
    assert "Not Set" in draw().text
    assert bpy.ops.navmesh.set_area(target="OBJECT", area=1) == {"FINISHED"}
    assert bpy.ops.navmesh.set_area(target="MATERIAL", area=-1) == {"FINISHED"}
    assert object_.navmesh.area == 1 and object_.active_material.navmesh.area == -1
    assert "Water" in draw().texts and "Area of material “Wet”: Not Walkable" in draw().texts
    for use in ("LINK", "BOUNDS", "VOLUME", "EXCLUDE"):
        object_.navmesh.use = use
        draw()


def test_area_types(bpy: Any, addon: Any, draw: Any) -> None:
    usual = bpy.context.scene.navmesh.bl_rna.properties["usual_area"].enum_items
    rows = drawn_rows(bpy, addon, usual)
    rows_before = rows
    assert rows["Water"] == "cost 10 · swim" and rows["Door"] == "cost 1 · walk, doors" and len(rows) == 7
    bpy.ops.navmesh.area_type_add()
    rows = addon("stored.area_types").area_rows(bpy.context.scene)
    assert len(rows) == 8 and rows[-1].area == 7
    bpy.ops.navmesh.area_type_remove()
    own = bpy.context.scene.navmesh.area_types
    assert len(own) == 7 and list(drawn_rows(bpy, addon, own).values()) == list(rows_before.values())
    own[1].flags = 2 | 64
    assert own[1].abilities == {"SWIM", "A7"} and drawn_rows(bpy, addon, own)["1"] == "cost 10 · swim, ability 7"
    own[1].abilities = set()
    assert own[1].flags == 0 and drawn_rows(bpy, addon, own)["1"] == "cost 10 · nobody"
    draw()


def drawn_rows(bpy: Any, addon: Any, items: Any) -> dict[str, str]:
    """What the list of areas says of each, by its name; of the scene's own ones, whose names are fields, by number."""
    said = {}
    for number, item in enumerate(items):
        drawn, list_ = Drawn(), addon("interface.panels.object_panel").NAVMESH_UL_area_types
        list_.draw_row(None, bpy.context, Layout(drawn.texts, drawn.operators), item)
        said[drawn.texts[0] if len(drawn.texts) == 2 else str(number)] = drawn.texts[-1]
    return said


def test_area_menus(bpy: Any, addon: Any) -> None:
    module = addon("interface.area_operators")
    for cls in addon("registration").classes_of(module):
        if issubclass(cls, bpy.types.Menu):
            drawn = Drawn()
            menu = SimpleNamespace(layout=Layout(drawn.texts, drawn.operators), target=cls.target, unset=cls.unset)
            cls.draw(menu, bpy.context)
            assert ("Walkable" in drawn.texts) == (cls.target != "LINK") and "Water" in drawn.texts


def test_links_are_drawn(bpy: Any, draw: Any) -> None:
    start = add_empty(bpy, "Start")
    start.navmesh.use, start.navmesh.link_end = "LINK", add_empty(bpy, "End")
    bpy.context.view_layer.objects.active = start
    assert {"link_end", "link_radius", "Jump"} <= set(draw().texts)


def test_a_line_that_is_too_long_loses_whole_parts(addon: Any) -> None:
    """“13 isla…” was all that a sidebar of the usual width showed of a fort's islands."""
    panel, lines = addon("interface.panels.build_panel"), addon("interface.panels.sidebar_panel")
    whole, warned = "Up to date · 2,908 m² · 13 islands", "Up to date. 2 warnings: see Last Build"
    for text, room, shown in (
        (whole, 400, whole), (whole, 180, "Up to date · 2,908 m²"), (whole, 120, "Up to date"),
        (warned, 400, warned), (warned, 200, "Up to date. 2 warnings"), ("Out of date: the level changed", 90, None),
    ):  # fmt: skip
        found = lines.whole_parts(text, room, panel._LAST_PART)
        assert found == (text if shown is None else shown), (text, room, found)


def test_of_a_long_name_only_a_part_is_shown_and_all_that_stands_around_it(addon: Any) -> None:
    lines = addon("interface.panels.sidebar_panel")
    forms = [("Area of collection “", "”: Not Set"), ("Collection “", "”: Not Set")]
    assert lines.with_name(forms, "Rocks", 400) == "Area of collection “Rocks”: Not Set"
    shorter = lines._length("Collection “Rocks”: Not Set")
    assert lines.with_name(forms, "Rocks", shorter) == "Collection “Rocks”: Not Set"
    cut = lines.with_name(forms, "Rocks of the northern shore", shorter)
    assert cut.startswith("Collection “R") and cut.endswith("…”: Not Set") and lines._length(cut) <= shorter
    assert lines.with_name(forms, "Rocks", 1) == "Collection “R…”: Not Set"
    assert lines.with_name(forms, "", 1) == "Collection “…”: Not Set", "of nothing there is nothing to cut"
