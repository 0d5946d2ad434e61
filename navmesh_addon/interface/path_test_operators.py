"""Operators on the list of path tests, on places that must be walkable, and on files of both. One verb each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatVectorProperty, StringProperty

from ...navcore.build_warning import counted
from ...navcore.errors import BadInput, NavmeshError
from ..ask.asked_navmesh import asked_navmesh, built_navmesh
from ..ask.current_answer import is_set
from ..blender_types import not_none, scene_of, view_layer_of
from ..gather.scene_intent import in_units, scene_intent
from ..objects.kept_outcome import failures_in_words, none_fails, recheck
from ..objects.navmesh_objects import metres_of
from ..operator_types import Acting, Answer, ForFile, OfPanel, absolute_path, file_property
from ..stored.object_properties import marks_of
from ..stored.path_tests import DOOR_STATES, FIRST_TEST, NavmeshPathTest, chosen_test, set_door
from ..stored.setups import active_setup, scene_properties

# --- Operators on places that must be walkable: add one, and look at one.

_FIRST_PLACE, _COLLECTION = "Place", "Places"  # names of an empty, and of the collection that it is put into
_EMPTY = 0.5  # metres wide
_FAR = 8.0  # metres from a place that is looked at


class NAVMESH_OT_place_add(Acting, bpy.types.Operator):
    """Add an empty at the 3D cursor to the collection of places that must be walkable; the first one makes it"""

    bl_idname = "navmesh.place_add"
    bl_label = "Add Place at 3D Cursor"

    if TYPE_CHECKING:
        name: str
    __annotations__ = {"name": StringProperty(name="Name", options={"SKIP_SAVE"})}

    def act(self, context: bpy.types.Context) -> None:
        scene = scene_of(context)
        place = add_place(scene, self.name or _FIRST_PLACE, scene.cursor.location[:])
        view_layer_of(context).update()
        self.report({"INFO"}, f"Added “{place.name}” to “{not_none(scene_properties(scene).must_reach).name}”.")


def add_place(scene: bpy.types.Scene, name: str, at: Sequence[float]) -> bpy.types.Object:
    """An empty in the collection of places, which is made where there is none. For operators with undo."""
    stored = scene_properties(scene)
    home = stored.must_reach
    if home is None or home.library is not None:
        home = stored.must_reach = bpy.data.collections.new(_COLLECTION)
    if home not in scene.collection.children_recursive:
        not_none(scene.collection).children.link(home)
    place = bpy.data.objects.new(name, None)
    place.empty_display_type, place.empty_display_size = "CIRCLE", _EMPTY / metres_of(scene)
    place.location = at
    marks_of(place).use = "EXCLUDE"
    home.objects.link(place)
    return place


class InView(Acting):
    """An operator on the viewport whose panel was clicked."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return context.area is not None and context.area.type == "VIEW_3D"


class NAVMESH_OT_look_at(InView, bpy.types.Operator):
    """Look at this place"""

    bl_idname = "navmesh.look_at"
    bl_label = "Look at the Place"
    bl_options = {"INTERNAL"}

    if TYPE_CHECKING:
        location: Sequence[float]
    __annotations__ = {
        "location": FloatVectorProperty(name="Location", subtype="TRANSLATION", size=3, options={"SKIP_SAVE"})
    }

    def act(self, context: bpy.types.Context) -> None:
        look_at(context, self.location, _FAR / metres_of(scene_of(context)))


def look_at(context: bpy.types.Context, place: Sequence[float], distance: float) -> None:
    """Turn the viewport to a place, from so far away."""
    view = not_none(cast("bpy.types.SpaceView3D", context.space_data).region_3d)
    if view.view_perspective == "CAMERA":  # it would stay where the camera is
        view.view_perspective = "PERSP"
    view.view_location, view.view_distance = place, distance


UP, DOWN = "UP", "DOWN"


def chosen(context: bpy.types.Context) -> NavmeshPathTest | None:
    """The test that is chosen in the scene's list."""
    stored = scene_properties(scene_of(context))
    return chosen_test(stored.tests, stored.active_test)


class NAVMESH_OT_test_add(Acting, bpy.types.Operator):
    """Keep the path between the tool's start and end as a test: every build is asked for it"""

    bl_idname = "navmesh.test_add"
    bl_label = "Add Path Test"

    if TYPE_CHECKING:
        name: str
    __annotations__ = {"name": StringProperty(name="Name", options={"SKIP_SAVE"})}

    def act(self, context: bpy.types.Context) -> None:
        scene = scene_of(context)
        if not is_set(scene):
            said = "The tool Navmesh Test has no start and end yet. Click to set the start, Ctrl-click to set the end."
            raise BadInput(said, "NO_ENDS")
        stored = scene_properties(scene)
        taken = {test.name for test in stored.tests}
        wanted = self.name or FIRST_TEST
        test = stored.tests.add()
        test.name = next(n for n in (wanted, *(f"{wanted} {i}" for i in range(2, len(taken) + 3))) if n not in taken)
        test.start, test.end = stored.test_start, stored.test_end
        stored.active_test = len(stored.tests) - 1
        _ask_at_once(context)


def _ask_at_once(context: bpy.types.Context) -> None:
    """What is known of the navmesh that is there; where there is none, the next build says it."""
    scene = scene_of(context)
    setup = active_setup(scene)
    if setup is not None:
        try:
            built_navmesh(scene, setup)
            recheck(context, scene, setup, query=asked_navmesh(scene))
        except NavmeshError:  # nobody can ask: the list shows that nobody has
            return


class _OfChosenTest(OfPanel):
    """An operator on the test that is chosen."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return context.scene is not None and chosen(context) is not None


class NAVMESH_OT_test_remove(_OfChosenTest, bpy.types.Operator):
    """Remove the path test that is chosen"""

    bl_idname = "navmesh.test_remove"
    bl_label = "Remove Path Test"

    def act(self, context: bpy.types.Context) -> None:
        stored = scene_properties(scene_of(context))
        number = min(stored.active_test, len(stored.tests) - 1)
        stored.tests.remove(number)
        stored.active_test = max(0, min(number, len(stored.tests) - 1))


class NAVMESH_OT_test_move(OfPanel, bpy.types.Operator):
    """Move the path test that is chosen up or down in the list"""

    bl_idname = "navmesh.test_move"
    bl_label = "Move Path Test"

    if TYPE_CHECKING:
        direction: str
    __annotations__ = {
        "direction": EnumProperty(
            name="Direction", items=((UP, "Up", "Before the one above"), (DOWN, "Down", "Behind the one below"))
        )
    }

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return context.scene is not None and len(scene_properties(scene_of(context)).tests) > 1

    def act(self, context: bpy.types.Context) -> Answer | None:
        stored = scene_properties(scene_of(context))
        number = min(stored.active_test, len(stored.tests) - 1)
        other = number + (-1 if self.direction == UP else 1)
        if not 0 <= other < len(stored.tests):
            return {"CANCELLED"}
        stored.tests.move(number, other)
        stored.active_test = other
        return None


class NAVMESH_OT_test_set_ends(_OfChosenTest, bpy.types.Operator):
    """Give the path test that is chosen the start and the end of the tool"""

    bl_idname = "navmesh.test_set_ends"
    bl_label = "Take the Tool's Ends"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return super().poll(context) and is_set(scene_of(context))

    def act(self, context: bpy.types.Context) -> None:
        stored, test = scene_properties(scene_of(context)), not_none(chosen(context))
        test.start, test.end = stored.test_start, stored.test_end
        _ask_at_once(context)


class NAVMESH_OT_test_door(_OfChosenTest, bpy.types.Operator):
    """Test the chosen path with this door open, closed, or as it is in the scene"""

    bl_idname = "navmesh.test_door"
    bl_label = "Door While Testing"

    if TYPE_CHECKING:
        name: str
        state: str
    __annotations__ = {
        "name": StringProperty(name="Door", options={"SKIP_SAVE"}),
        "state": EnumProperty(name="State", items=DOOR_STATES),
    }

    def act(self, context: bpy.types.Context) -> None:
        set_door(not_none(chosen(context)), self.name, self.state)
        _ask_at_once(context)


class NAVMESH_OT_check_tests(Acting, bpy.types.Operator):
    """Ask the navmesh of the active setup for all path tests and places, without building it again"""

    bl_idname = "navmesh.check_tests"
    bl_label = "Check Now"

    def act(self, context: bpy.types.Context) -> None:
        scene = scene_of(context)
        setup = active_setup(scene)
        if setup is None:
            raise NavmeshError("There is no navmesh to ask yet. Press Build Navmesh first.", "NOTHING_TO_ASK")
        built_navmesh(scene, setup)
        checked = recheck(context, scene, setup, query=asked_navmesh(scene), reasons=True)
        failures = failures_in_words([checked]).removeprefix(" But ")
        self.say(not failures, failures or none_fails(checked))


# --- Path tests and places as files of the command line, `--test` and `--must-reach`: written and read.

TESTS, PLACES = "TESTS", "PLACES"
_WHAT = EnumProperty(
    name="What",
    description="Which of the two files it is",
    items=(
        (TESTS, "Path Tests", "What --test of the command takes"),
        (PLACES, "Places", "What --must-reach takes"),
    ),
    options={"SKIP_SAVE"},
)
_FILE = file_property("File", "A JSON file")
_JSON_FILES = StringProperty(default="*.json", options={"HIDDEN"})


class _WithFile(ForFile):
    """What both operators have in common."""

    if TYPE_CHECKING:
        what: str
    refusal = "CANNOT_WRITE"

    def suggested(self, home: Path) -> Path:
        return home if self.filepath else home.with_name(f"{home.stem}-{self.what.lower()}.json")

    def act(self, context: bpy.types.Context) -> None:
        self.report({"INFO"}, self.act_on(context, absolute_path(self.filepath, self.refusal)))

    def act_on(self, context: bpy.types.Context, path: Path) -> str:
        """Do it, and say what was done. Raises NavmeshError."""
        raise NotImplementedError


class NAVMESH_OT_tests_export(_WithFile, bpy.types.Operator):
    """Write the scene's path tests, or its places, into a file that --test or --must-reach takes: metres, y up"""

    bl_idname = "navmesh.tests_export"
    bl_label = "Export Path Tests"
    bl_options = {"REGISTER"}
    __annotations__ = {
        "what": _WHAT,
        "filepath": _FILE,
        "filter_glob": _JSON_FILES,
        "check_existing": BoolProperty(default=True, options={"HIDDEN"}),
    }

    def act_on(self, context: bpy.types.Context, path: Path) -> str:
        from ...navcore.commands.intent_files import must_reach_json, path_tests_json
        from ...navcore.files.atomic_write import write_whole
        from ...navcore.files.strict_json import json_text

        scene = scene_of(context)
        intent = scene_intent(scene, metres_of(scene))
        rows = intent.paths if self.what == TESTS else intent.points
        if not rows:
            missing = "path test" if self.what == TESTS else "place"
            raise BadInput(f"The scene has no {missing} to write. Add one in the tab Test first.", "NO_TESTS")
        write_whole(
            path, json_text(path_tests_json(intent.paths) if self.what == TESTS else must_reach_json(intent.points))
        )
        return f"Wrote {len(rows):,} into {path}"


class NAVMESH_OT_tests_import(_WithFile, bpy.types.Operator):
    """Add the path tests of a file to the scene's list, or empties for its places to their collection"""

    bl_idname = "navmesh.tests_import"
    bl_label = "Import Path Tests"
    __annotations__ = {"what": _WHAT, "filepath": _FILE, "filter_glob": _JSON_FILES}
    refusal = "CANNOT_READ"

    def act_on(self, context: bpy.types.Context, path: Path) -> str:
        from ...navcore.commands.intent_files import read_must_reach, read_path_tests

        scene = scene_of(context)
        metres = metres_of(scene)
        if self.what == PLACES:
            places = read_must_reach(path)
            for place in places:
                add_place(scene, place.name or _FIRST_PLACE, in_units(place.point, metres))
            view_layer_of(context).update()
            return f"Added {counted(len(places), 'place')} from {path.name}"
        stored, tests = scene_properties(scene), read_path_tests(path)
        for test in tests:
            row = stored.tests.add()
            row.name, row.start, row.end = test.name, in_units(test.start, metres), in_units(test.end, metres)
            row.expect = test.expect.upper()
            for name, state in test.doors:
                set_door(row, name, state.upper())
        stored.active_test = len(stored.tests) - 1
        return f"Added {counted(len(tests), 'path test')} from {path.name}"
