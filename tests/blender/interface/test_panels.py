"""What the panels show and offer: drawn into a layout that writes down what it is asked for."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tests.blender.drawn_panels import Drawn, Layout
from tests.blender.scenes import add_cube, add_empty, add_plane


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
    assert {"Water", "Not Walkable"} <= set(draw().texts)
    for use in ("LINK", "BOUNDS", "VOLUME", "EXCLUDE"):
        object_.navmesh.use = use
        draw()


def test_area_types(bpy: Any, addon: Any, draw: Any) -> None:
    assert "Water: 1, flags 2" in draw().text
    bpy.ops.navmesh.area_type_add()
    rows = addon("stored.area_types").area_rows(bpy.context.scene)
    assert len(rows) == 8 and rows[-1].area == 7
    bpy.ops.navmesh.area_type_remove()
    assert len(addon("stored.area_types").area_rows(bpy.context.scene)) == 7
    draw()


def test_area_menus(bpy: Any, addon: Any) -> None:
    module = addon("interface.area_operators")
    for cls in module.CLASSES:
        if issubclass(cls, bpy.types.Menu):
            drawn = Drawn()
            cls.draw(SimpleNamespace(layout=Layout(drawn.texts, drawn.operators), target=cls.target), bpy.context)
            assert ("Walkable" in drawn.texts) == (cls.target != "LINK") and "Water" in drawn.texts


def test_links_are_drawn(bpy: Any, draw: Any) -> None:
    start = add_empty(bpy, "Start")
    start.navmesh.use, start.navmesh.link_end = "LINK", add_empty(bpy, "End")
    bpy.context.view_layer.objects.active = start
    assert {"link_end", "link_radius", "Jump"} <= set(draw().texts)
