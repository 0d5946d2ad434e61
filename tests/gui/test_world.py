"""A world in sections in the window: the panel finds which one the open file is, builds it, and draws those around."""

import json
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import bpy
import driver
import label_room
import levels
from driver import Hands, Steps, say

FOLDER, SIDE = Path(tempfile.gettempdir()) / "navmesh-world", 9.6
SECTIONS = "west", "middle"


def scenario() -> Steps:
    hands = Hands()
    label_room.unfold("NAVMESH_PT_advanced", "NAVMESH_PT_world")
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    write_world()
    for number, name in enumerate(SECTIONS):
        yield from build(hands, number, name)
    crate = bpy.data.objects["Crate"]  # moved, and built without being saved
    before = (FOLDER / "middle.bin").read_bytes()
    crate.location.x += 2
    bpy.ops.ed.undo_push(message="Crate")
    yield from press(hands)
    yield from driver.wait(lambda: (FOLDER / "middle.bin").read_bytes() != before, "the moved crate", 600)
    yield from driver.wait(lambda: not driver.running("NAVMESH_OT_build_section"), "its end", 60)
    yield 1
    driver.screenshot("world-3-moved")


def write_world() -> None:
    rows = [
        {"name": name, "meshes": [f"{name}.blend"], "box": [number * SIDE, 0, (number + 1) * SIDE, SIDE]}
        for number, name in enumerate(SECTIONS)
    ]
    content = {
        "format": 1, "settings": {"cell_size": 0.3, "tile_size": 32, "agent_radius": 0.3},
        "bounds": [0, -2, 0, 2 * SIDE, 4, SIDE], "sections": rows,
    }  # fmt: skip
    (FOLDER / "world.json").write_text(json.dumps(content))


def build(hands: Hands, number: int, name: str) -> Steps:
    """Make a section's file, which is then the open one, name the world, and press the button."""
    levels.clear()
    levels.add_box("Ground", (number * SIDE + SIDE / 2, -SIDE / 2, -0.5), (SIDE / 2, SIDE / 2, 0.5))
    levels.add_box("Crate", (number * SIDE + 4, -5, 0.5), (0.5, 0.5, 0.5))
    bpy.ops.wm.save_as_mainfile(filepath=str(FOLDER / f"{name}.blend"))
    bpy.context.scene.navmesh.world_file = str(FOLDER / "world.json")
    yield from driver.open_sidebar(hands, "Navmesh", "BUILD")
    eye = driver.viewport().spaces.active.region_3d
    eye.view_location, eye.view_distance = (SIDE, -SIDE / 2, 0), 26
    yield 1
    yield from press(hands)
    yield from driver.wait(lambda: (FOLDER / f"{name}.bin").is_file(), f"the section {name}", 900)
    yield from driver.wait(lambda: not driver.running("NAVMESH_OT_build_section"), "its end", 60)
    yield 2
    driver.screenshot(f"world-{1 + SECTIONS.index(name)}-{name}")
    manifest = json.loads((FOLDER / "world.manifest.json").read_text())
    say(f"built: {[row['name'] for row in manifest['sections']]}")
    assert name in {row["name"] for row in manifest["sections"]}


def press(hands: Hands) -> Steps:
    yield from hands.click((yield from hands.find_button("navmesh.build_section(", across=0.4)))


driver.run(scenario)
