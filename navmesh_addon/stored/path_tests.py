"""What is asked of a scene's navmesh: a start, an end and the kind of question; and paths that must be there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import CollectionProperty, EnumProperty, FloatVectorProperty, IntProperty, StringProperty

MODES = (
    (
        "PATH",
        "Path",
        "The way that agents take in an engine, as Detour finds it",
    ),
    ("SHORTEST", "Shortest", "The truly shortest way; what areas cost is left aside"),
    ("MIDPOINTS", "Midpoints", "The way over the middles of polygons' edges, as games did it before string pulling"),
    ("STRAIGHT", "Straight", "A walk straight towards the end, along walls in its way, without a plan"),
    ("RAYCAST", "Raycast", "Whether anything stands between start and end"),
    ("WALL", "Wall Distance", "How far it is from the start to the nearest wall"),
    ("CIRCLE", "Circle", "Polygons around the start, as far away as the end"),
    ("REACH", "Reach", "All ground that can be reached from the start"),
)


class NavmeshPathTest(bpy.types.PropertyGroup):
    """One row of `Scene.navmesh.tests`"""

    if TYPE_CHECKING:
        start: Sequence[float]
        end: Sequence[float]
    __annotations__ = {
        "name": StringProperty(name="Name", description="What the path is for", default="Path"),
        "start": FloatVectorProperty(name="Start", subtype="TRANSLATION", size=3),
        "end": FloatVectorProperty(name="End", subtype="TRANSLATION", size=3),
    }


TEST_PROPERTIES: dict[str, Any] = {
    "test_mode": EnumProperty(name="Test", description="What is asked of the navmesh", items=MODES),
    "test_start": FloatVectorProperty(
        name="Start", description="Where the tested path begins", subtype="TRANSLATION", size=3
    ),
    "test_end": FloatVectorProperty(name="End", description="Where it leads", subtype="TRANSLATION", size=3),
    "tests": CollectionProperty(type=NavmeshPathTest),
    "active_test": IntProperty(name="Test", min=0),
    "path_answer": StringProperty(options={"HIDDEN"}),  # the last answer, as JSON
    "why_answer": StringProperty(options={"HIDDEN"}),
}
CLASSES = (NavmeshPathTest,)
