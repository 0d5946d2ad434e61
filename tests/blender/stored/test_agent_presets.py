"""Agent presets: what ours say, how they are chosen, and that the menu's label never says what the values are not."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

SHIPPED = Path(__file__).resolve().parents[3] / "navmesh_addon/presets/navmesh"
NAMES = [
    "Godot 4", "Human", "Large Creature", "Open World", "Recast Default", "Small Creature", "Small Robot", "Unreal 5",
    "VR Avatar", "Vehicle",
]  # fmt: skip


@pytest.fixture
def setups(bpy: Any, addon: Any) -> Any:  # noqa: ARG001 - an empty file
    return addon("stored.setups")


@pytest.fixture
def label(bpy: Any, draw: Any) -> Any:
    """label(): what stands on the menu of presets."""
    known = {*NAMES, "Custom", "Test Preset", "Mine", "Other"}

    def read() -> str:
        (found,) = [text for text in draw().texts if text in known and text != bpy.context.scene.navmesh.draft.name]
        return str(found)

    return read


@pytest.fixture
def folder(bpy: Any, addon: Any, tmp_path: Path, monkeypatch: Any) -> Path:
    """A user's folder of presets; our own are there besides."""
    monkeypatch.setattr(bpy.utils, "user_resource", lambda *_, **__: str(tmp_path))
    monkeypatch.setattr(bpy.utils, "preset_paths", lambda _: [str(tmp_path), str(SHIPPED)])
    addon("stored.preset_files").forget()
    return tmp_path


def choose(bpy: Any, path: Path) -> None:
    assert bpy.ops.navmesh.preset_apply(filepath=str(path)) == {"FINISHED"}


def shipped() -> list[Path]:
    return sorted(SHIPPED.glob("*.py"))


# ---------------------------------------------------------------------- ours


def test_blender_shows_their_names_in_title_case(bpy: Any) -> None:
    assert [bpy.path.display_name(path.name, title_case=False) for path in shipped()] == sorted(NAMES)


@pytest.mark.parametrize("path", shipped(), ids=lambda path: path.stem)
def test_every_shipped_preset_is_what_it_says(bpy: Any, addon: Any, setups: Any, path: Path) -> None:
    """Cells change height, radius and climb by less than a twentieth, and no check warns of them."""
    bpy.ops.script.execute_preset(filepath=str(path), menu_idname="NAVMESH_MT_presets")
    (setup,) = bpy.context.scene.navmesh.setups
    settings = setups.setup_settings(setup)
    vx = settings.in_voxels()
    for said, effective in (
        (settings.agent_height, vx.height_vx * settings.cell_height),
        (settings.agent_radius, vx.radius_vx * settings.cell_size),
        (settings.agent_max_climb, vx.climb_vx * settings.cell_height),
    ):
        assert abs(effective - said) < 0.05 * said, f"{said} m becomes {effective} m"
    hints = addon("gather.before_build.level_forecast").forecast_level(bpy.context, setup).hints
    assert [hint.code for hint in hints] == ["NO_TRIANGLES"]


def test_presets_are_found_by_blender(bpy: Any, setups: Any) -> None:  # noqa: ARG001
    assert any(Path(folder).resolve() == SHIPPED for folder in bpy.utils.preset_paths("navmesh"))


def test_a_preset_makes_one_setup(bpy: Any, setups: Any) -> None:
    for path in shipped():
        choose(bpy, path)
    (setup,) = bpy.context.scene.navmesh.setups
    assert setups.setup_settings(setup).agent_height == 2.0


# ------------------------------------------------------------------ choosing


def test_choosing_one_is_a_step_that_undo_takes_back(bpy: Any, addon: Any) -> None:
    """Blender's own operator for presets leaves none; the menu offers ours."""
    menu = addon("stored.agent_presets").NAVMESH_MT_presets
    operator = bpy.ops.navmesh.preset_apply.get_rna_type()
    assert menu.preset_operator == "navmesh.preset_apply" and operator.identifier == "NAVMESH_OT_preset_apply"
    assert "UNDO" in addon("stored.agent_presets").NAVMESH_OT_preset_apply.bl_options
    offered: list[Any] = []

    class Layout:
        def column(self, **_: Any) -> Layout:
            return self

        row = column

        def operator(self, name: str, text: str = "", **_: Any) -> Any:
            offered.append((name, text, SimpleNamespace()))
            return offered[-1][2]

    drawn = SimpleNamespace(layout=Layout(), preset_subdir=menu.preset_subdir, preset_operator=menu.preset_operator)
    drawn.path_menu = lambda *given, **named: bpy.types.Menu.path_menu(drawn, *given, **named)
    menu.draw(drawn, bpy.context)
    ours = [(text, given.filepath) for name, text, given in offered if name == "navmesh.preset_apply"]
    assert {text for text, _ in ours} >= set(NAMES)
    assert all(Path(path).exists() for _, path in ours)


def test_a_preset_that_breaks_changes_nothing(bpy: Any, folder: Path) -> None:
    (folder / "Mine.py").write_text("import bpy\nbpy.context.scene.navmesh.apply(agent_radius=3.0)\n1 / 0\n")
    with pytest.raises(RuntimeError, match=r"“Mine” fails: ZeroDivisionError.*Nothing was changed\. Mend or remove"):
        bpy.ops.navmesh.preset_apply(filepath=str(folder / "Mine.py"))
    with pytest.raises(RuntimeError, match=r"There is no preset '.*gone\.py' any more"):
        bpy.ops.navmesh.preset_apply(filepath=str(folder / "gone.py"))
    assert len(bpy.context.scene.navmesh.setups) == 0
    bpy.ops.navmesh.setup_add()
    with pytest.raises(RuntimeError, match="Nothing was changed"):
        bpy.ops.navmesh.preset_apply(filepath=str(folder / "Mine.py"))
    assert bpy.context.scene.navmesh.setups[0].agent_radius == pytest.approx(0.5)


# -------------------------------------------------------------------- the label


def test_the_label_is_the_name_of_the_preset_whose_values_these_are(bpy: Any, setups: Any, label: Any) -> None:
    """Whoever set them, and however they went away again."""
    assert label() == "Human", "a new scene's"
    for path in shipped():
        choose(bpy, path)
        assert label() == bpy.path.display_name(path.name, title_case=False)
    setup = bpy.context.scene.navmesh.setups[0]
    choose(bpy, SHIPPED / "Godot_4.py")
    before = setups.setup_settings(setup).to_mapping()
    setup.agent_radius = 0.51
    assert label() == "Custom"
    setup.set_metres(**before)
    assert label() == "Godot 4"
    bpy.ops.script.execute_preset(filepath=str(SHIPPED / "Vehicle.py"), menu_idname="NAVMESH_MT_presets")
    assert label() == "Vehicle", "a script's choice"


@pytest.mark.parametrize("scale", [0.01, 1.0])
def test_own_presets_of_any_form_are_told_by_their_values(
    bpy: Any, label: Any, folder: Path, scale: float, addon: Any
) -> None:
    """Those that Blender wrote for us earlier say what Blender keeps, in the units of a scene."""
    bpy.context.scene.unit_settings.scale_length = scale
    (folder / "Mine.py").write_text(
        "import bpy\nsetup = bpy.context.scene.navmesh.active_setup()\n\n"
        f"setup.agent_radius = {0.7 / scale}\nsetup.agent_max_slope = 0.5235987901687622\nsetup.partition = 'layers'\n"
    )
    (folder / "Other.py").write_text("import bpy\nfor n in 1, 2:\n    bpy.context.scene.navmesh.apply(cell_size=n)\n")
    choose(bpy, folder / "Mine.py")
    assert label() == "Mine"
    settings = addon("stored.setups").setup_settings(bpy.context.scene.navmesh.setups[0])
    assert (settings.agent_radius, settings.agent_max_slope, settings.partition) == (0.7, 30.0, "layers")
    choose(bpy, folder / "Other.py")
    assert label() == "Mine", "what that one sets is not known before it has run, and it set nothing that Mine says"


def test_the_preset_that_says_most_gives_its_name(bpy: Any, label: Any, folder: Path) -> None:
    (folder / "Mine.py").write_text("import bpy\nbpy.context.scene.navmesh.apply(agent_radius=0.5)\n")
    assert label() == "Human"
    bpy.context.scene.navmesh.draft.agent_height = 3.0
    assert label() == "Mine"


def test_drawing_reads_a_folder_only_when_something_came_or_went(
    bpy: Any, addon: Any, draw: Any, folder: Path, monkeypatch: Any
) -> None:
    files, read = addon("stored.preset_files"), []
    real = files._read
    monkeypatch.setattr(files, "_read", lambda path: read.append(path.name) or real(path))
    draw()
    assert len(read) == len(shipped())
    for _ in range(3):
        draw()
    assert len(read) == len(shipped())
    (folder / "Mine.py").write_text("import bpy\nbpy.context.scene.navmesh.apply(agent_radius=0.5)\n")
    draw()
    assert read[len(shipped()) :] == ["Mine.py"]
    assert bpy.context.scene is not None


# ------------------------------------------------------------------------- own


def test_own_presets_are_kept(bpy: Any, addon: Any, setups: Any, label: Any, folder: Path) -> None:
    """In metres, so that they fit a scene of any unit; the minus takes away the one whose values these are."""
    setup = setups.add_setup(bpy.context.scene)
    setup.set_metres(agent_radius=0.77, agent_max_slope=12.5)
    wanted = setups.setup_settings(setup)
    assert bpy.ops.navmesh.preset_add(name="Test Preset") == {"FINISHED"}
    assert label() == "Test Preset"
    bpy.context.scene.unit_settings.scale_length = 0.01
    setup.set_metres(**addon("settings", "navcore").Settings().to_mapping())
    assert label() == "Custom"
    path = bpy.utils.preset_find("Test Preset", "navmesh", display_name=True)
    assert Path(path).parent == folder
    bpy.ops.script.execute_preset(filepath=path, menu_idname="NAVMESH_MT_presets")
    assert setups.setup_settings(setup) == wanted and label() == "Test Preset"
    assert bpy.ops.navmesh.preset_add(remove_active=True) == {"FINISHED"}
    assert list(folder.iterdir()) == [] and label() == "Custom"


def test_what_is_shipped_is_never_removed(bpy: Any, addon: Any, folder: Path, monkeypatch: Any) -> None:
    """A script took ours away, in a folder that is no extension's for Blender: nothing could be enabled after that."""
    for module in ("stored.preset_files", "stored.agent_presets"):
        monkeypatch.setattr(addon(module), "SHIPPED", folder)
    (folder / "Ours.py").write_text("import bpy\nbpy.context.scene.navmesh.apply(agent_radius=0.77)\n")
    bpy.context.scene.navmesh.apply(agent_radius=0.77)
    for given in ({"remove_active": True}, {"remove_name": True, "name": "Ours"}):
        with pytest.raises(RuntimeError, match="“Ours” comes with Navmesh, and stays"):
            bpy.ops.navmesh.preset_add(**given)
    assert [path.name for path in folder.iterdir()] == ["Ours.py"]


def test_settings_that_cannot_be_are_no_preset(bpy: Any, folder: Path) -> None:
    bpy.context.scene.navmesh.draft.cell_size = -1.0
    with pytest.raises(RuntimeError, match="cell_size"):
        bpy.ops.navmesh.preset_add(name="Test Preset")
    assert list(folder.iterdir()) == []
