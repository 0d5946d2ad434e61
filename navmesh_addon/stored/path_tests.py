"""What is asked of a scene's navmesh: a start, an end and the kind of question; paths and places that must be there."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

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

# --- What became of paths and places that must be there in the last build of a setup, as its `outcome` keeps it.
#
# Rows are those of a report: metres, y up. A row is that of a path while its ends are the same, and
# that of a place while its name is.

ResultRow = Mapping[str, Any]
Ends = tuple[tuple[float, ...], tuple[float, ...]]


class Results(NamedTuple):
    """Of one build."""

    build: str = ""
    tests: tuple[ResultRow, ...] = ()
    must_reach: tuple[ResultRow, ...] = ()

    def of_path(self, ends: Ends) -> ResultRow | None:
        """What became of a path; None where it was not asked for like that."""
        return next((row for row in self.tests if _ends_of(row) == ends), None)

    def passed(self) -> frozenset[str]:
        """What was there, by keys: to see later what is there no longer."""
        rows = [(path_key(_ends_of(row)), row) for row in self.tests]
        rows += [(place_key(str(row["name"])), row) for row in self.must_reach]
        return frozenset(key for key, row in rows if row["ok"])


def path_key(ends: Ends) -> str:
    """The same for the same question, whatever it is called."""
    return f"path {json.dumps(ends)}"


def place_key(name: str) -> str:
    """The same for the same object, wherever it stands."""
    return f"place {name}"


def results_json(build: str, tests: Sequence[ResultRow], must_reach: Sequence[ResultRow]) -> str:
    """What is stored."""
    return json.dumps({"build": build, "tests": list(tests), "must_reach": list(must_reach)})


@lru_cache(maxsize=16)  # panels ask for it whenever they are drawn
def read_results(text: str) -> Results:
    """What was stored; nothing where there is nothing, or where something else wrote it."""
    try:
        stored = json.loads(text)
        return Results(str(stored["build"]), tuple(stored["tests"]), tuple(stored["must_reach"]))
    except (KeyError, TypeError, ValueError):
        return Results()


def _ends_of(row: ResultRow) -> Ends:
    return tuple(row["from"]), tuple(row["to"])


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


class NavmeshPathTest(bpy.types.PropertyGroup):
    """One row of `Scene.navmesh.tests`"""

    if TYPE_CHECKING:
        start: Sequence[float]
        end: Sequence[float]
    __annotations__ = {
        "name": StringProperty(name="Name", description="What the path is for", default=FIRST_TEST),
        "start": FloatVectorProperty(name="Start", subtype="TRANSLATION", size=3),
        "end": FloatVectorProperty(name="End", subtype="TRANSLATION", size=3),
    }


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


CLASSES = (NavmeshPathTest,)
