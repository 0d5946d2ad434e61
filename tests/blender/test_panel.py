"""What the panel shows and offers: drawn into a layout that writes down what it is asked for."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.blender.scenes import add_cube, add_empty, add_mesh, add_plane

PANELS = ("build_panel", "settings_panels", "object_panel", "area_types_panel", "report_panel", "imported_panel")


class Layout:
    """Takes part of UILayout's calls and remembers the texts."""

    def __init__(self, texts: list[str], operators: list[tuple[str, Any]]) -> None:
        self.texts, self.operators = texts, operators

    def _inner(self, *_: Any, **__: Any) -> Layout:
        return Layout(self.texts, self.operators)

    row = column = split = box = _inner

    def label(self, text: str = "", **_: Any) -> None:
        self.texts.append(text)

    def prop(self, owner: Any, name: str, **_: Any) -> None:
        assert hasattr(owner, name), f"{owner} has no {name}"
        self.texts.append(name)

    def operator(self, idname: str, text: str = "", **_: Any) -> Any:
        properties = SimpleNamespace()
        self.operators.append((idname, properties))
        self.texts.append(text)
        return properties

    def menu(self, _: str, text: str = "", **__: Any) -> None:
        self.texts.append(text)

    def progress(self, factor: float, text: str = "", **_: Any) -> None:
        assert 0 <= factor <= 1
        self.texts.append(text)

    def template_list(self, *_: Any, **__: Any) -> None: ...

    def separator(self) -> None: ...


class Drawn:
    def __init__(self) -> None:
        self.texts: list[str] = []
        self.operators: list[tuple[str, Any]] = []

    @property
    def text(self) -> str:
        return "\n".join(self.texts)

    def operator_names(self) -> list[str]:
        return [name for name, _ in self.operators]


@pytest.fixture
def draw(bpy: Any, addon: Any) -> Any:
    """draw(): every panel of ours that Blender would show."""

    def run() -> Drawn:
        drawn = Drawn()
        bpy.context.view_layer.update()
        for cls in (cls for name in PANELS for cls in addon(f"interface.panels.{name}").CLASSES):
            if issubclass(cls, bpy.types.Panel) and (not hasattr(cls, "poll") or cls.poll(bpy.context)):
                panel = SimpleNamespace(layout=Layout(drawn.texts, drawn.operators))
                for name in ("group", "_draw_link"):
                    if hasattr(cls, name):
                        value = getattr(cls, name)
                        setattr(panel, name, value.__get__(panel) if callable(value) else value)
                cls.draw(panel, bpy.context)
        return drawn

    return run


def test_an_imported_navmesh(bpy: Any, draw: Any, tmp_path: Path) -> None:
    add_plane(bpy)
    bpy.ops.navmesh.build(scope="VISIBLE")
    bpy.ops.navmesh.export(filepath=str(tmp_path / "level.bin"))
    bpy.ops.wm.read_homefile(use_empty=True)
    assert "navmesh.import_file" in draw().operator_names()
    bpy.ops.navmesh.import_file(filepath=str(tmp_path / "level.bin"))
    text = draw().text
    assert "level.bin" in text and "Walkable (0): " in text and "radius 0.6 m" in text


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
    thing = add_cube(bpy)
    bpy.context.view_layer.objects.active = thing
    thing.data.materials.append(bpy.data.materials.new("Wet"))
    assert "Not Set" in draw().text
    assert bpy.ops.navmesh.set_area(target="OBJECT", area=1) == {"FINISHED"}
    assert bpy.ops.navmesh.set_area(target="MATERIAL", area=-1) == {"FINISHED"}
    assert thing.navmesh.area == 1 and thing.active_material.navmesh.area == -1
    assert {"Water", "Not Walkable"} <= set(draw().texts)
    for use in ("LINK", "BOUNDS", "VOLUME", "EXCLUDE"):
        thing.navmesh.use = use
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


# --------------------------------------------------------------------- warnings


@pytest.fixture
def hints(bpy: Any, addon: Any) -> Any:
    """hints(): code → names, of a forecast of what is visible with these settings."""

    def run(check: bool = False, **values: Any) -> dict[str, list[str]]:
        setups, forecasts = addon("stored.setups"), addon("gather.level_forecast")
        setup = setups.active_setup(bpy.context.scene) or setups.add_setup(bpy.context.scene)
        setup.scope = "VISIBLE"
        setup.set_metres(**values)
        bpy.context.view_layer.update()
        look = addon("interface.checks_before_build").check if check else forecasts.forecast_level
        found = look(bpy.context, setup)
        told: dict[str, list[str]] = {}
        for hint in found.hints:
            told.setdefault(hint.code, []).append(hint.name)
        return told

    return run


def test_effective_sizes(bpy: Any, addon: Any, hints: Any) -> None:
    add_plane(bpy)
    assert hints(agent_max_climb=1.0) == {}
    forecasts, setup = addon("gather.level_forecast"), bpy.context.scene.navmesh.setups[0]
    setup.agent_max_climb = 0.9
    found = forecasts.forecast_level(bpy.context, setup)
    assert "Climb 0.9 m → 0.8 m effective (4 cells)" in found.effective
    assert found.size.startswith("67 × 67 cells, about")


def test_sizes_that_cells_cannot_represent(bpy: Any, hints: Any) -> None:
    add_plane(bpy)
    assert "UNREPRESENTABLE" in hints(agent_radius=0.35)
    assert "UNREPRESENTABLE" not in hints(agent_radius=0.35, cell_size=0.175, agent_max_climb=1.0)


def test_the_way_out_of_a_size_that_does_not_fit_is_right(bpy: Any, hints: Any, addon: Any) -> None:
    add_plane(bpy)
    hints(agent_radius=0.35, agent_max_climb=1.0)
    setup = bpy.context.scene.navmesh.setups[0]
    (hint,) = addon("gather.level_forecast").forecast_level(bpy.context, setup).hints
    smaller = float(hint.message.split("Lower Cell Size to ")[1].split(" m")[0])
    assert "UNREPRESENTABLE" not in hints(cell_size=smaller)


def test_settings_that_cannot_be(bpy: Any, hints: Any) -> None:
    add_plane(bpy)
    assert hints(cell_size=-1.0) == {"BAD_SETTINGS": [""]}


def test_a_grid_too_large(bpy: Any, hints: Any) -> None:
    add_plane(bpy, size=5000.0)
    assert hints(agent_max_climb=1.0) == {"TOO_LARGE": [""]}
    assert hints(tile_size=64) == {"TOO_MANY_TILES": [""]}
    assert hints(tile_size=256) == {}


def test_scales(bpy: Any, hints: Any) -> None:
    add_plane(bpy, "Fine").rotation_euler = (0.1, 0.2, 0.3)
    add_cube(bpy, "Mirrored, as built").scale = (1, -1, 1)
    add_cube(bpy, "Scaled").scale = (2, 2, 2)
    add_cube(bpy, "Nothing").scale = (1, 1, 0)
    assert hints(agent_max_climb=1.0) == {"SCALE": ["Scaled"], "ZERO_SCALE": ["Nothing"]}


def test_an_outlier(bpy: Any, hints: Any) -> None:
    for k in range(4):
        add_cube(bpy, f"House {k}", (5 * k, 3 * k, 0))
    assert hints(agent_max_climb=1.0) == {}
    add_cube(bpy, "Lost", (3000, 2000, 0))
    assert hints()["OUTLIER"] == ["Lost"]
    big = add_plane(bpy, "Ground", 8000.0)
    assert "OUTLIER" not in hints(), "a large ground is no outlier"
    big.navmesh.use = "EXCLUDE"
    assert hints()["OUTLIER"] == ["Lost"]


def test_flipped_floors(bpy: Any, hints: Any) -> None:
    add_plane(bpy, "Fine")
    add_cube(bpy, "Closed")
    add_mesh(bpy, "Flipped", [(0, 0, 0), (9, 0, 0), (9, 9, 0), (0, 9, 0)], [(3, 2, 1, 0)])
    assert hints(check=True, agent_max_climb=1.0) == {"FLIPPED": ["Flipped"]}


def test_a_flipped_floor_is_told_after_the_build_too(bpy: Any, draw: Any) -> None:
    add_plane(bpy)
    add_mesh(bpy, "Flipped", [(0, 0, 5), (9, 0, 5), (9, 9, 5), (0, 9, 5)], [(3, 2, 1, 0)])
    bpy.ops.navmesh.build(scope="VISIBLE")
    drawn = draw()
    assert "floors that look down" in drawn.text
    assert [p.name for name, p in drawn.operators if name == "navmesh.select_object"] == ["Flipped"]


def test_the_check_button_and_a_click_on_a_warning(bpy: Any, draw: Any) -> None:
    add_plane(bpy)
    add_cube(bpy, "Scaled").scale = (2, 2, 2)
    bpy.ops.navmesh.setup_add()
    bpy.context.scene.navmesh.setups[0].scope = "VISIBLE"
    assert bpy.ops.navmesh.check() == {"FINISHED"}
    drawn = draw()
    assert "2 objects, 14 triangles; 0 not used" in drawn.text
    (properties,) = [p for name, p in drawn.operators if name == "navmesh.select_object"]
    assert bpy.ops.navmesh.select_object(name=properties.name) == {"FINISHED"}
    assert bpy.context.view_layer.objects.active.name == "Scaled"
    assert [o.name for o in bpy.context.selected_objects] == ["Scaled"]
    assert bpy.ops.navmesh.select_object(name="gone") == {"CANCELLED"}


# ---------------------------------------------------------------------- overlay


@pytest.mark.parametrize("tile_size", [0, 32])
@pytest.mark.parametrize("view", ["OUTLINES", "WALKABLE", "REGIONS", "CONTOURS"])
def test_overlay_pictures(bpy: Any, addon: Any, view: str, tile_size: int) -> None:
    """Every stage lies on the level."""
    add_plane(bpy)
    bpy.ops.navmesh.setup_add()
    setup = bpy.context.scene.navmesh.setups[0]
    setup.scope, setup.keep_stages, setup.tile_size = "VISIBLE", True, tile_size
    bpy.ops.navmesh.build()
    built = addon("build.finished_navmeshes").find(bpy.data.objects["Navmesh"]["navmesh_build"])
    kind, positions, colors = addon("views.stage_pictures").picture(built.navmesh, view, 1.0)
    assert kind == ("POINTS" if view in ("WALKABLE", "REGIONS") else "LINES")
    assert positions.shape == (len(colors), 3) and colors.shape[1] == 4 and len(positions) > 3
    low, high = positions.min(0), positions.max(0)
    margin = 1.2 if tile_size == 0 else 3.0  # kept stages of tiles have their borders
    assert (low[:2] >= -10.1).all() and (high[:2] <= 10.1).all()
    assert (low[:2] < -10 + margin).all() and (high[:2] > 10 - margin).all()
    assert low[2] >= 0 and high[2] < 0.5
    if kind == "LINES":
        assert len(positions) % 2 == 0
        ends = np.linalg.norm(positions[::2] - positions[1::2], axis=1)
        assert (ends > 0).all()


def test_stages_that_were_not_kept(bpy: Any, addon: Any) -> None:
    add_plane(bpy)
    bpy.ops.navmesh.build(scope="VISIBLE")
    built = addon("build.finished_navmeshes").find(bpy.data.objects["Navmesh"]["navmesh_build"])
    assert addon("views.stage_pictures").picture(built.navmesh, "REGIONS", 1.0) is None


def test_links_are_drawn(bpy: Any, draw: Any) -> None:
    start = add_empty(bpy, "Start")
    start.navmesh.use, start.navmesh.link_end = "LINK", add_empty(bpy, "End")
    bpy.context.view_layer.objects.active = start
    assert {"link_end", "link_radius", "Jump"} <= set(draw().texts)
