"""The README's pictures of the extension at work: `screenshots.py [VERSION]` makes docs/blender.jpg and docs/panel.jpg.

Runs in an environment with bpy, and on what `dev.py gui` needs: a Blender with a window, without a screen. The zip is
made, installed and used as a person would; then look at the pictures, nothing else does.
"""

import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests/gui"), str(ROOT / "examples")]
DOCS = ROOT / "docs"
PANEL = 450  # pixels that the panel is high before the first build


def main(argv: list[str]) -> int:
    """Outside of Blender: install the extension and start this file again, inside."""
    import run

    from tools import window

    version = argv[0] if argv else "4.3"
    window.make_house(version)
    home = run.fresh_home(version, keep=True)
    status = window.run(version, ["bash", "-euc", run.INSTALL.format(archive=run.make_zip(version))], home)
    return status or window.run(version, ["blender", *run.FLAGS, "--python", str(Path(__file__))], home)


def scenario() -> Generator[float, None, None]:
    """In Blender: the example level, the panel before the build, and the result of a click on Build."""
    import bpy
    import demo
    import driver
    import level

    for thing in list(bpy.data.objects):
        bpy.data.objects.remove(thing)
    demo.add_level(level.level())
    bpy.data.collections["Area Volumes"].hide_viewport = False
    bpy.context.scene.navmesh.draft.scope = "VISIBLE"
    look_at_level(driver.viewport())
    hands = driver.Hands()
    yield 1
    yield from driver.open_sidebar(hands, "Navmesh")
    yield 3  # the forecast comes by itself
    sidebar = driver.region("UI")
    top = driver.window().height - sidebar.y - sidebar.height
    shoot("panel", (sidebar.x, top, sidebar.width, min(sidebar.height, PANEL)))
    for button in ("navmesh.build", "navmesh.rebuild"):  # the first may compile: its time is not what people will see
        before = last_build()
        place = yield from hands.find_button(button)
        yield from hands.click(place)
        yield from driver.wait(lambda before=before: last_build() != before, "the build", 800)
        yield 1
    yield from hands.move((driver.region().x + 300, driver.region().y + 60))
    yield 2
    shoot("blender")


def last_build() -> str:
    import bpy

    thing = bpy.data.objects.get("Navmesh")
    return "" if thing is None else str(thing["navmesh_build"])


def look_at_level(area: Any) -> None:
    """From above and aside, in the colors of its materials."""
    from mathutils import Euler

    space = area.spaces.active
    space.shading.color_type = "MATERIAL"
    space.shading.show_cavity = True
    space.overlay.show_floor = space.overlay.show_cursor = False
    space.overlay.show_axis_x = space.overlay.show_axis_y = False
    view = space.region_3d
    view.view_location, view.view_distance = (30, -34, 0), 62
    view.view_rotation = Euler((0.9, 0, 0.6)).to_quaternion()


def shoot(name: str, crop: tuple[int, int, int, int] | None = None) -> None:
    """What the virtual screen shows; only x, y, width and height of it where told."""
    import subprocess

    part = [] if crop is None else ["-crop", f"{crop[2]}x{crop[3]}+{crop[0]}+{crop[1]}", "+repage"]
    subprocess.run(["import", "-window", "root", *part, "-quality", "85", str(DOCS / f"{name}.jpg")], check=True)


if __name__ == "__main__":
    if "bpy" in sys.modules:
        import driver

        driver.run(scenario)
    else:
        raise SystemExit(main(sys.argv[1:]))
