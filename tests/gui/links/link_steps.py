"""What scenarios about found links share. Not a scenario itself."""

import subprocess
from collections import Counter
from pathlib import Path

import bpy
import driver
import label_room
from bpy_extras.view3d_utils import location_3d_to_region_2d
from driver import Hands, Steps
from mathutils import Vector

KINDS = ("drop", "jump", "climb")


def build() -> Steps:
    with driver.in_viewport():
        assert bpy.ops.navmesh.build("INVOKE_DEFAULT", scope="VISIBLE") == {"RUNNING_MODAL"}
    yield from driver.wait(lambda: not driver.running("NAVMESH_OT_build"), "the build", 900)
    yield 1


def rows() -> object:
    """Read anew each time: undo makes what was found before useless."""
    polygons = bpy.data.objects["Navmesh"]
    return driver.ours("stored.links_mesh").decisions_of(polygons).shown


def ends(row: int) -> tuple[Vector, Vector]:
    """The middles of both edges, in Blender's coordinates."""
    start, end = rows().starts[row], rows().ends[row]
    return Vector((start[0], -start[2], start[1])), Vector((end[0], -end[2], end[1]))


def drag(hands: Hands, start: tuple[int, int], end: tuple[int, int]) -> Steps:
    yield from hands.move(start)
    yield 0.5
    hands.event("LEFTMOUSE", "PRESS")
    yield 0.1
    for part in range(1, 11):
        yield from hands.move(tuple(round(a + (b - a) * part / 10) for a, b in zip(start, end, strict=True)))
    hands.event("LEFTMOUSE", "RELEASE")
    yield 0.7


def on_screen(point: Vector) -> tuple[int, int]:
    place = driver.region()
    at = location_3d_to_region_2d(place, driver.viewport().spaces.active.region_3d, point)
    return round(place.x + at.x), round(place.y + at.y)


def open_the_list() -> None:
    """As a click on its header leaves it: scripts can't open panels."""
    label_room.unfold("NAVMESH_PT_links")


def reset_view() -> None:
    """All of it, beside the sidebar."""
    view = driver.viewport().spaces.active.region_3d
    view.view_distance, view.view_location = 28, (5, -3, 0)
    driver.viewport().tag_redraw()


def colors_of(picture: Path) -> Counter[str]:
    """Pixels of the viewport, beside the sidebar, in the colors of ribbons."""
    pixels = subprocess.run(["convert", str(picture), "rgb:-"], check=True, capture_output=True).stdout
    width, place = driver.window().width, driver.region()
    right = driver.region("UI").x
    rows_of_picture = range(driver.window().height - place.y - place.height, driver.window().height - place.y)
    counts: Counter[str] = Counter()
    for row in rows_of_picture:
        line = pixels[3 * (width * row + place.x) : 3 * (width * row + right)]
        for r, g, b in zip(line[::3], line[1::3], line[2::3], strict=True):
            counts["orange"] += r > 190 and 110 < g < 190 and b < 110
            counts["green"] += g > 150 and r < 130 and b < 130
            counts["red"] += r > 150 and g < 80 and b < 80
    return counts
