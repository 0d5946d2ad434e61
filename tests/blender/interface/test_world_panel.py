"""*Build This Section*, the panel of a world, and what is drawn of the sections around."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.blender.scenes import add_cube, add_instance, save
from tests.blender.sections import SIDE, write_world


@pytest.fixture
def world(bpy: Any, tmp_path: Path) -> Path:
    return write_world(bpy, tmp_path)


@pytest.fixture
def wanted(addon: Any, world: Path) -> dict[str, bytes]:
    """The files that the command builds."""
    out = world.parent / "wanted"
    assert addon("command.blender_command").main(["world", "build", str(world), "-o", str(out), "--quiet"]) == 0
    return files_in(out)


def files_in(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("*.bin")}


def open_in(bpy: Any, world: Path, name: str) -> None:
    bpy.ops.wm.open_mainfile(filepath=str(world.parent / name))
    name_world(bpy, world)


def name_world(bpy: Any, world: Path) -> None:
    bpy.context.scene.navmesh.world_file = str(world)
    bpy.context.scene.navmesh.world_folder = str(world.parent / "out")


def test_each_file_builds_its_section(bpy: Any, addon: Any, world: Path, wanted: dict[str, bytes]) -> None:
    """One after the other; the first once more, as it took the second for empty. All is what the command builds."""
    out = world.parent / "out"
    for name in ("west.blend", "middle.blend", "west.blend"):
        open_in(bpy, world, name)
        assert bpy.ops.navmesh.build_section() == {"FINISHED"}
    assert {name: files_in(out)[name] for name in ("west.bin", "middle.bin")} == {
        name: wanted[name] for name in ("west.bin", "middle.bin")
    }
    assert bpy.ops.navmesh.build_section(section="east") == {"FINISHED"}
    assert files_in(out) == wanted
    main = addon("command.blender_command").main
    assert main(["world", "build", str(world), "-o", str(out), "--quiet"]) == 0
    assert files_in(out) == wanted, "what was read here is what the saved files hold"


def test_what_is_not_saved_counts_until_the_command_reads_the_file(
    bpy: Any, addon: Any, world: Path, wanted: dict[str, bytes]
) -> None:
    out, main = world.parent / "out", addon("command.blender_command").main
    assert main(["world", "build", str(world), "-o", str(out), "--quiet"]) == 0
    open_in(bpy, world, "middle.blend")
    add_cube(bpy, "New", (12, -7, 0.5))
    assert bpy.ops.navmesh.build_section() == {"FINISHED"}
    assert [name for name, content in files_in(out).items() if content != wanted[name]] == ["middle.bin"]
    assert main(["world", "build", str(world), "-o", str(out), "--quiet"]) == 0
    assert files_in(out) == wanted


def test_sections_that_are_linked(bpy: Any, world: Path, wanted: dict[str, bytes]) -> None:
    """A file that links all of them builds that which is asked for, or lies at the cursor, or is selected."""
    bpy.ops.wm.read_homefile(use_empty=True)
    for name in ("west", "middle"):
        with bpy.data.libraries.load(str(world.parent / f"{name}.blend"), link=True) as (_, asked):
            asked.collections = [name]
        add_instance(bpy, f"The {name}", bpy.data.collections[name])
    save_path = world.parent / "master.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(save_path))
    name_world(bpy, world)
    out, scene = world.parent / "out", bpy.context.scene
    bpy.context.view_layer.objects.active = None
    scene.cursor.location = (SIDE + 2, -2, 0)
    assert bpy.ops.navmesh.build_section() == {"FINISHED"}
    assert files_in(out) == {"middle.bin": wanted["middle.bin"]}
    bpy.context.view_layer.objects.active = bpy.data.objects["The west"]
    scene.cursor.location = (2 * SIDE + 2, -2, 0)
    assert bpy.ops.navmesh.build_section() == {"FINISHED"}
    bpy.context.view_layer.objects.active = None
    assert bpy.ops.navmesh.build_section() == {"FINISHED"}
    assert files_in(out) == wanted
    scene.cursor.location = (-50, 0, 0)
    with pytest.raises(RuntimeError, match="no section is at the 3D cursor"):
        bpy.ops.navmesh.build_section()


def test_what_is_refused_is_said(bpy: Any, world: Path) -> None:
    assert not bpy.ops.navmesh.build_section.poll(), "no world is named"
    name_world(bpy, world)
    with pytest.raises(RuntimeError, match="no section “north”"):
        bpy.ops.navmesh.build_section(section="north")
    world.write_text("{")
    with pytest.raises(RuntimeError):
        bpy.ops.navmesh.build_section()
    assert not (world.parent / "out").exists()


def test_the_panel_says_where_it_stands(bpy: Any, addon: Any, world: Path) -> None:
    said = addon("interface.panels.world_panel")._said
    latest = addon("views.drawn_sections").latest_look
    named = addon("gather.section_of_scene").named_world

    def lines() -> tuple[str, str, str]:
        return tuple(said(bpy.context, latest(named(bpy.context.scene), at_once=True)))  # type: ignore[return-value]

    open_in(bpy, world, "middle.blend")
    assert lines() == (
        "“middle” · not built yet", "Beside west (not built), east (not built)", "0 of 3 sections are built",
    )  # fmt: skip
    bpy.ops.navmesh.build_section()
    first, beside, whole = lines()
    assert first.startswith("“middle” · 1 tile, ") and whole == "1 of 3 sections are built"
    assert beside == "Beside west (not built), east (not built)"
    bpy.ops.navmesh.build_section(section="east")
    assert lines()[1] == "Beside west (not built), east"
    world.write_text("{")
    assert "“middle”" in lines()[0], "what was read is kept"
    bpy.ops.navmesh.look_at_world()
    assert "world.json" in lines()[0] and lines()[1:] == ("", "")


def test_the_panel_draws(bpy: Any, draw: Any, world: Path) -> None:
    before = bpy.context.scene.navmesh.tab
    assert before == "BUILD"
    draw()
    open_in(bpy, world, "west.blend")
    draw()
    bpy.ops.navmesh.build_section()
    draw()


def test_outlines_of_the_section_and_of_its_neighbors(bpy: Any, addon: Any, world: Path, wanted: Any) -> None:
    looks = addon("views.world_look")
    open_in(bpy, world, "west.blend")
    folder = world.parent / "wanted"
    seen = looks.look(world, folder, at_once=True)
    files = addon("views.drawn_sections").files_around(seen, "west")
    assert files == ("west.bin", "middle.bin") and set(files) < set(wanted)
    picture = looks.outlines(folder, "west.bin", files, at_once=True)
    colors = {tuple(color) for color in picture.line_colors.tolist()}
    palette = addon("views.overlay_colors")
    assert colors == {palette.OWN_SECTION, palette.NEIGHBOR}
    own = (picture.line_colors == palette.OWN_SECTION).all(axis=1)
    assert picture.lines[own][:, :, 0].max() <= SIDE + 0.01 <= picture.lines[~own][:, :, 0].max()
    (folder / "middle.bin").write_bytes(b"damaged")
    looks.forget()
    assert len(looks.outlines(folder, "west.bin", files, at_once=True).lines) == own.sum()


def test_a_world_of_another_file_is_forgotten(bpy: Any, addon: Any, world: Path) -> None:
    looks = addon("views.world_look")
    open_in(bpy, world, "west.blend")
    looks.look(world, world.parent, at_once=True)
    assert looks._asked
    save(bpy, world.parent / "other.blend")
    assert not looks._asked
