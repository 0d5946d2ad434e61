"""Settings as Blender properties: the same names, the same numbers, metres and degrees."""

from __future__ import annotations

import math
from typing import Any

import pytest


@pytest.fixture
def setups(bpy: Any, addon: Any) -> Any:  # noqa: ARG001 - an empty file
    return addon("stored.setups")


def test_every_setting_is_a_property_of_setups_and_operator(bpy: Any, addon: Any, setups: Any) -> None:
    names = set(addon("stored.setting_properties").NAMES)
    assert names <= set(setups.NavmeshSetup.bl_rna.properties.keys())
    assert names <= set(bpy.ops.navmesh.build.get_rna_type().properties.keys())
    assert len(names) == 23


def test_defaults_come_back_as_typed(bpy: Any, addon: Any, setups: Any) -> None:
    """float32 and radians leave no trace."""
    default = addon("settings", "navcore").Settings()
    assert setups.setup_settings(setups.add_setup(bpy.context.scene)) == default


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
        if about.type in ("INT", "FLOAT"):
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


def test_setups_are_saved_and_migrated(bpy: Any, setups: Any, tmp_path: Any, monkeypatch: Any) -> None:
    setup = setups.add_setup(bpy.context.scene, "Old")
    setup.agent_radius = 0.5
    assert setup.version == setups.VERSION
    path = str(tmp_path / "old.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)

    def rename(setup: Any) -> None:
        setup.agent_height = 3.0

    monkeypatch.setattr(setups, "VERSION", setups.VERSION + 1)
    monkeypatch.setitem(setups.MIGRATIONS, setups.VERSION - 1, rename)
    bpy.ops.wm.open_mainfile(filepath=path)
    loaded = bpy.context.scene.navmesh.setups[0]
    assert (loaded.name, loaded.version, loaded.agent_height) == ("Old", setups.VERSION, 3.0)
    assert loaded.agent_radius == 0.5


# ---------------------------------------------------------------------- presets


def test_shipped_presets_can_be_built_with(bpy: Any, addon: Any, setups: Any) -> None:
    presets = addon("stored.agent_presets")
    files = sorted((presets.FOLDER / "presets/navmesh").glob("*.py"))
    assert len(files) >= 10
    for path in files:
        bpy.ops.script.execute_preset(filepath=str(path), menu_idname="NAVMESH_MT_presets")
        settings = setups.setup_settings(setups.active_setup(bpy.context.scene))
        assert settings.in_voxels().height_vx > 2, path.name
    assert len(bpy.context.scene.navmesh.setups) == 1
    bpy.ops.script.execute_preset(
        filepath=str(files[0].with_name("recast_default.py")), menu_idname="NAVMESH_MT_presets"
    )
    assert setups.setup_settings(setups.active_setup(bpy.context.scene)) == addon("settings", "navcore").Settings()


def test_presets_are_found_by_blender(bpy: Any, setups: Any) -> None:  # noqa: ARG001
    folders = bpy.utils.preset_paths("navmesh")
    assert any(
        folder.endswith("navmesh_addon/presets/navmesh".replace("/", __import__("os").sep)) for folder in folders
    )


def test_own_presets_are_kept(bpy: Any, addon: Any, setups: Any) -> None:
    setup = setups.add_setup(bpy.context.scene)
    setup.set_metres(agent_radius=0.77, agent_max_slope=12.5)
    wanted = setups.setup_settings(setup)
    assert bpy.ops.navmesh.preset_add(name="Test Preset") == {"FINISHED"}
    setup.set_metres(**addon("settings", "navcore").Settings().to_mapping())
    path = bpy.utils.preset_find("Test Preset", "navmesh", display_name=True)
    bpy.ops.script.execute_preset(filepath=path, menu_idname="NAVMESH_MT_presets")
    assert setups.setup_settings(setup) == wanted
    bpy.ops.navmesh.preset_add(name="Test Preset", remove_name=True)
    assert not bpy.utils.preset_find("Test Preset", "navmesh", display_name=True)
