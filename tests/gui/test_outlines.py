"""Edges of a navmesh around pillars: drawn over the ground in perspective and in flat views."""

import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import bpy
import driver
import levels
from driver import Hands, Steps, say

PIXELS = 1000  # that lines over the whole of the viewport change, at least


def scenario() -> Steps:
    hands = Hands()
    levels.make_rooms()
    view = driver.viewport().spaces.active.region_3d
    view.view_distance = 25
    yield 1
    yield from driver.open_sidebar(hands, "Navmesh")
    with driver.in_viewport():
        assert bpy.ops.navmesh.build("INVOKE_DEFAULT", scope="VISIBLE") == {"RUNNING_MODAL"}
    yield from driver.wait(lambda: not driver.running("NAVMESH_OT_build"), "the build", 900)
    yield 0.5
    for name, projection in (("perspective", "PERSP"), ("flat", "ORTHO")):
        view.view_perspective = projection
        pictures = []
        for overlay in ("NONE", "OUTLINES"):
            bpy.context.scene.navmesh.overlay = overlay
            driver.viewport().tag_redraw()
            yield 1
            pictures.append(pixels_of(driver.screenshot(f"outlines-{name}-{overlay.lower()}")))
        changed = sum(abs(a - b) > 20 for a, b in zip(*(picture[::3] for picture in pictures), strict=True))
        say(f"pixels that outlines change, {name}: {changed}")
        assert changed > PIXELS, changed


def pixels_of(picture: Path) -> bytes:
    """What the viewport shows, without the sidebar, whose panels fill while one looks."""
    pixels = subprocess.run(["convert", str(picture), "rgb:-"], check=True, capture_output=True).stdout
    width, height = driver.window().width, driver.window().height
    rows = range(height // 8, height * 3 // 4)
    return b"".join(pixels[3 * width * row : 3 * (width * row + width * 3 // 5)] for row in rows)


driver.run(scenario)
