"""Settings as Blender properties: the same names, the same numbers, metres and degrees."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from tests.blender.scenes import add_plane


@pytest.fixture
def setups(bpy: Any, addon: Any) -> Any:  # noqa: ARG001 - an empty file
    return addon("stored.setups")


def test_every_setting_is_a_property_of_setups_and_operator(bpy: Any, addon: Any, setups: Any) -> None:
    names = set(addon("stored.setting_properties").NAMES)
    assert names <= set(setups.NavmeshSetup.bl_rna.properties.keys())
    assert names <= set(bpy.ops.navmesh.build.get_rna_type().properties.keys())
    assert len(names) == 36


def test_defaults_come_back_as_typed(bpy: Any, setups: Any) -> None:
    """float32 and radians leave no trace."""
    assert setups.setup_settings(setups.add_setup(bpy.context.scene)).to_mapping() == setups.usual_values()


def test_the_agent_of_a_new_scene_is_a_human(bpy: Any, addon: Any, setups: Any) -> None:
    """It does not climb 0.9 m. navcore's settings and the operator's own properties still say that."""
    stored, settings = bpy.context.scene.navmesh, addon("settings", "navcore").Settings()
    human = addon("stored.preset_files").SHIPPED / "Human.py"
    assert stored.draft.agent_max_climb == pytest.approx(0.4) and stored.draft.agent_radius == pytest.approx(0.5)
    made = setups.setup_settings(setups.add_setup(bpy.context.scene)).to_mapping()
    bpy.ops.navmesh.preset_apply(filepath=str(human))
    assert setups.setup_settings(stored.setups[0]).to_mapping() == made
    assert settings.agent_max_climb == 0.9
    properties = bpy.ops.navmesh.build.get_rna_type().properties
    assert properties["agent_max_climb"].default == pytest.approx(0.9)


@pytest.mark.parametrize(("given", "climb"), [({}, 0.4), ({"agent_radius": 0.6}, 0.9), ({"agent_max_climb": 0.7}, 0.7)])
def test_a_script_that_gives_settings_in_a_new_scene_gets_what_it_always_got(
    bpy: Any, setups: Any, given: Any, climb: float
) -> None:
    """navcore's own for the rest; where it gives none, or somebody has set one, the scene's."""
    add_plane(bpy)
    bpy.ops.navmesh.build(scope="VISIBLE", **given)
    (setup,) = bpy.context.scene.navmesh.setups
    assert setups.setup_settings(setup).agent_max_climb == climb
    bpy.ops.wm.read_homefile(use_empty=True)
    add_plane(bpy)
    bpy.context.scene.navmesh.draft.agent_height = 1.8
    bpy.ops.navmesh.build(scope="VISIBLE", **given)
    settings = setups.setup_settings(bpy.context.scene.navmesh.setups[0])
    assert (settings.agent_height, settings.agent_max_climb) == (1.8, given.get("agent_max_climb", 0.4))


def test_setups_of_the_first_version_keep_what_they_did_not_say(bpy: Any, setups: Any, tmp_path: Any) -> None:
    """It was as Recast has it."""
    row = bpy.context.scene.navmesh.setups.add()
    row.name, row.uid, row.version, row.agent_radius = "Old", "1", 1, 0.7
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "old.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "old.blend"))
    settings = setups.setup_settings(bpy.context.scene.navmesh.setups[0])
    assert (settings.agent_radius, settings.agent_max_climb, settings.cell_size) == (0.7, 0.9, 0.3)


@pytest.mark.parametrize("scale", [1.0, 0.01, 1000.0])
def test_values_survive_blenders_units(bpy: Any, addon: Any, setups: Any, scale: float) -> None:
    bpy.context.scene.unit_settings.scale_length = scale
    wanted = addon("settings", "navcore").Settings(
        cell_size=0.01, agent_max_slope=33.3, agent_radius=0.123456, edge_max_error=1.15, tile_size=48,
        partition="layers", median_filter=True, region_min_size=7.5,
    )  # fmt: skip
    setup = setups.add_setup(bpy.context.scene)
    setup.set_metres(**wanted.to_mapping())
    assert setups.setup_settings(setup) == wanted
    assert setup.agent_max_slope == pytest.approx(math.radians(33.3))
    assert setup.agent_radius == pytest.approx(0.123456 / scale)


def test_nothing_is_clamped_in_silence(bpy: Any, addon: Any, setups: Any) -> None:
    setup = setups.add_setup(bpy.context.scene)
    setup.cell_size, setup.vertices_per_polygon = -1.0, 99
    assert setup.cell_size == -1.0
    with pytest.raises(addon("errors", "navcore").BadSettings, match="cell_size"):
        setups.setup_settings(setup)


def test_tooltips_say_what_happens(addon: Any, setups: Any) -> None:
    """When a number is raised; what Recast calls it stands beside."""
    for name in addon("stored.setting_properties").NAMES:
        about = setups.NavmeshSetup.bl_rna.properties[name]
        if name.startswith("link_"):  # Recast finds no links
            assert about.description[0].isupper() and len(about.description) > 30, name
        elif about.type in ("INT", "FLOAT"):
            assert "Raise it" in about.description and "Recast" in about.description, name


def test_degrees_from_a_script_are_understood(addon: Any) -> None:
    read = addon("stored.setting_properties").from_blender
    assert read("agent_max_slope", math.radians(45), 1.0) == 45
    assert read("agent_max_slope", 45.0, 1.0) == 45
    assert read("agent_max_slope", math.pi / 2, 1.0) == 90


def test_setups_get_names_of_their_own(bpy: Any, setups: Any) -> None:
    scene = bpy.context.scene
    names = [setups.add_setup(scene, name).name for name in ("", "", "", "Human", "Human")]
    assert names == ["Navmesh", "Agent", "Agent 2", "Human", "Human 2"]
    assert len({setup.uid for setup in scene.navmesh.setups}) == 5
    bpy.ops.navmesh.setup_remove()
    assert [s.name for s in scene.navmesh.setups] == names[:4] and scene.navmesh.active == 3


def test_a_new_setup_is_a_copy_of_the_one_that_is_chosen(bpy: Any, setups: Any) -> None:
    scene = bpy.context.scene
    first = setups.add_setup(scene, "Giant")
    first.set_metres(agent_radius=1.25, agent_max_slope=33.0, partition="monotone")
    first.scope, first.skip_names, first.kinds = "VISIBLE", "*-x", {"MESH"}
    bpy.ops.navmesh.setup_add()
    first, second = scene.navmesh.setups
    assert (second.name, scene.navmesh.active) == ("Giant 2", 1) and second.uid != first.uid
    assert setups.setup_settings(second) == setups.setup_settings(first)
    assert setups.setup_sources(second) == setups.setup_sources(first)
    scene.navmesh.active = 0
    bpy.ops.navmesh.setup_add()
    assert scene.navmesh.setups[2].name == "Giant 3"


def test_setups_are_saved_and_migrated(bpy: Any, addon: Any, setups: Any, tmp_path: Any, monkeypatch: Any) -> None:
    setup = setups.add_setup(bpy.context.scene, "Old")
    setup.agent_radius = 0.5
    assert setup.version == setups.VERSION
    path = str(tmp_path / "old.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)

    def rename(setup: Any) -> None:
        setup.agent_height = 3.0

    monkeypatch.setattr(setups, "VERSION", setups.VERSION + 1)
    monkeypatch.setitem(addon("stored.setups").MIGRATIONS, setups.VERSION - 1, rename)
    bpy.ops.wm.open_mainfile(filepath=path)
    loaded = bpy.context.scene.navmesh.setups[0]
    assert (loaded.name, loaded.version, loaded.agent_height) == ("Old", setups.VERSION, 3.0)
    assert loaded.agent_radius == 0.5


def test_colors_of_older_files_are_those_of_the_setup_that_was_chosen(bpy: Any, setups: Any, tmp_path: Any) -> None:
    for name, color_by in (("Old", "REGION"), ("Chosen", "ISLAND"), ("Other", "AREA")):
        setup = setups.add_setup(bpy.context.scene, name)
        setup.color_by, setup.version = color_by, 2
    stored = bpy.context.scene.navmesh
    stored.active, stored.color_by = 1, "AREA"
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "old.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "old.blend"))
    stored = bpy.context.scene.navmesh
    assert stored.color_by == "ISLAND"
    assert {setup.version for setup in stored.setups} == {setups.VERSION}


@pytest.mark.parametrize("scale", [0.3048, 0.0254, 0.9144, 2.54, 1609.344, 1e-6])
def test_feet_and_inches_keep_settings_as_metres_have_them(bpy: Any, addon: Any, scale: float) -> None:
    """A human's climb was 0.400001 m after the first build of a scene in feet, which was out of date at once."""
    scene = bpy.context.scene
    scene.unit_settings.scale_length = scale
    add_plane(bpy, size=20 / scale)
    bpy.ops.navmesh.build(scope="VISIBLE")
    navmesh, setup = bpy.data.objects["Navmesh"], scene.navmesh.setups[0]
    settings = json.loads(navmesh["navmesh_settings"])
    assert addon("stored.setups").setup_settings(setup).to_mapping() == settings
    assert addon("watch.out_of_date").out_of_date(navmesh, setup) == ""
    assert addon("stored.agent_presets").preset_of(setup).name == "Human"
    setup.set_metres(agent_radius=0.35, edge_max_length=11.7)
    assert (setup_values := addon("stored.setups").setup_settings(setup)).agent_radius == 0.35
    assert setup_values.edge_max_length == 11.7


def test_setups_of_one_name_are_told_apart_or_refused(bpy: Any, tmp_path: Path) -> None:
    """Buttons mean the setup that they are beside; a script that says the name was given the first one's navmesh."""
    add_plane(bpy)
    stored = bpy.context.scene.navmesh
    for radius in (0.5, 1.5):
        bpy.ops.navmesh.setup_add()
        stored.setups[-1].name, stored.setups[-1].agent_radius = "Ork", radius
    with pytest.raises(RuntimeError, match="no setup named “Nobody”"):
        bpy.ops.navmesh.build(all_setups=True, setup="Nobody", scope="VISIBLE")
    bpy.ops.navmesh.build(all_setups=True, scope="VISIBLE")
    for name in ("export", "rebuild", "build"):
        with pytest.raises(RuntimeError, match="2 setups are named “Ork”"):
            getattr(bpy.ops.navmesh, name)(
                setup="Ork", **({"filepath": str(tmp_path / "a.json")} if name == "export" else {})
            )
    bpy.ops.navmesh.compare(a=stored.setups[0].uid, b=stored.setups[1].uid)
    assert json.loads(stored.compare_answer)["removed"] > 50
    bpy.ops.navmesh.build(agent_radius=2.0)
    assert stored.setups[1].agent_radius == 1.5
    bpy.ops.navmesh.setup_keep(setup=stored.setups[1].uid)
    assert [row.agent_radius for row in stored.setups] == [0.5, 2.0]


def test_a_setup_without_a_name_is_not_taken_for_the_active_one(bpy: Any) -> None:
    add_plane(bpy)
    stored = bpy.context.scene.navmesh
    bpy.ops.navmesh.setup_add(name="Human")
    bpy.ops.navmesh.setup_add()
    stored.setups[1].name, stored.active = "", 0
    bpy.ops.navmesh.build(scope="VISIBLE")
    assert bpy.data.objects["Navmesh Human"]["navmesh_setup"] == stored.setups[0].uid


def test_an_edit_for_a_setup_that_is_gone_is_not_said_to_be_for_all(bpy: Any, draw: Any) -> None:
    add_plane(bpy)
    bpy.ops.navmesh.setup_add(name="Human")
    bpy.ops.navmesh.setup_add(name="Giant")
    bpy.ops.navmesh.add_edit(kind="KEEP", outline="[[0, 0]]", setup="Giant")
    bpy.context.view_layer.objects.active = edit = bpy.data.objects["Keep"]
    assert "For “Giant” Alone" in draw("MARK").texts
    bpy.ops.navmesh.setup_remove()
    assert "For a Setup That Is Gone" in draw("MARK").texts
    bpy.ops.navmesh.edit_for_setup(uid=edit.session_uid)
    bpy.ops.navmesh.edit_for_setup(uid=edit.session_uid)
    assert "For All Setups" in draw("MARK").texts and not edit.navmesh.edit_setup
