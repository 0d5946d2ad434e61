"""What is asked of a scene's navmesh: a start, an end and the kind of question; paths and places that must be there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import (
    CollectionProperty,
    EnumProperty,
    FloatVectorProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)

from ..redraw import redraw_views

if TYPE_CHECKING:
    from ..blender_types import Rows

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
FIRST_TEST = "Path"  # the name of a test that nobody named


AS_IT_IS, OPEN, CLOSED = "AS_IT_IS", "OPEN", "CLOSED"
DOOR_STATES = (
    (AS_IT_IS, "As It Is", "In the state that it has in the scene"),
    (OPEN, "Open", "Open, whatever the scene says"),
    (CLOSED, "Closed", "Closed, whatever the scene says"),
)
REACHABLE, UNREACHABLE = "REACHABLE", "UNREACHABLE"
_EXPECTED = (
    (REACHABLE, "Reachable", "The test fails where no way leads from start to end"),
    (UNREACHABLE, "Unreachable", "The test fails where a way leads from start to end: behind a closed door, say"),
)


class NavmeshTestDoor(bpy.types.PropertyGroup):
    """The state of a door while a path is tested"""

    if TYPE_CHECKING:
        state: str
    __annotations__ = {
        "name": StringProperty(name="Door", description="What the door is called"),
        "state": EnumProperty(name="State", items=DOOR_STATES),
    }


class NavmeshPathTest(bpy.types.PropertyGroup):
    """One row of `Scene.navmesh.tests`"""

    if TYPE_CHECKING:
        start: Sequence[float]
        end: Sequence[float]
        expect: str
        doors: Rows[NavmeshTestDoor]
    __annotations__ = {
        "name": StringProperty(name="Name", description="What the path is for", default=FIRST_TEST),
        "start": FloatVectorProperty(name="Start", subtype="TRANSLATION", size=3),
        "end": FloatVectorProperty(name="End", subtype="TRANSLATION", size=3),
        "expect": EnumProperty(name="Expect", description="When the test holds", items=_EXPECTED),
        "doors": CollectionProperty(
            name="Doors", description="States of doors while it is tested; others are as they are", type=NavmeshTestDoor
        ),
    }


def set_door(test: NavmeshPathTest, name: str, state: str) -> None:
    """Test a path with a door in a state; AS_IT_IS says nothing of it any more."""
    number = test.doors.find(name)
    if state == AS_IT_IS:
        if number >= 0:
            test.doors.remove(number)
        return
    row = test.doors[number] if number >= 0 else test.doors.add()
    row.name, row.state = name, state


def chosen_test(tests: Rows[NavmeshPathTest], number: int) -> NavmeshPathTest | None:
    """The one that is chosen in the list, None where it is empty."""
    return tests[min(number, len(tests) - 1)] if len(tests) else None


def _ask_chosen_test(stored: Any, _context: bpy.types.Context) -> None:  # the scene's properties
    """The tool asks for the path that is chosen in the list."""
    test = chosen_test(stored.tests, stored.active_test)
    if test is not None:
        stored.test_start, stored.test_end = test.start, test.end
        redraw_views("STATUSBAR")


TEST_PROPERTIES: dict[str, Any] = {
    "test_mode": EnumProperty(name="Test", description="What is asked of the navmesh", items=MODES),
    "test_start": FloatVectorProperty(
        name="Start", description="Where the tested path begins", subtype="TRANSLATION", size=3
    ),
    "test_end": FloatVectorProperty(name="End", description="Where it leads", subtype="TRANSLATION", size=3),
    "test_size": StringProperty(
        name="Size",
        description="Whose ground is kept to, on a navmesh for several sizes of agents: the name of a setup. Empty: "
        "wherever any of them fits",
        update=lambda _self, _context: redraw_views(),
    ),
    "tests": CollectionProperty(
        name="Path Tests",
        description="Paths that must be there after every build",
        type=NavmeshPathTest,
    ),
    "active_test": IntProperty(
        name="Path Test", description="Which path the tool shows", min=0, update=_ask_chosen_test
    ),
    "must_reach": PointerProperty(
        name="Places",
        description="Where the objects of this collection stand, empties say, agents must be able to stand after "
        "every build, and to get there from a seed where there are seeds",
        type=bpy.types.Collection,
    ),
    "path_answer": StringProperty(options={"HIDDEN"}),  # the last answer, as JSON
    "why_answer": StringProperty(options={"HIDDEN"}),
}
