"""Path tests and places as files of the command line, `--test` and `--must-reach`: written and read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import bpy
from bpy.props import BoolProperty, EnumProperty, StringProperty

from ...navcore.errors import BadInput, NavmeshError
from ..blender_types import RELATIVE_PATH, not_none, scene_of, view_layer_of
from ..files.export_operator import absolute_path
from ..gather.scene_intent import in_units, scene_intent
from ..operator_types import Answer, report_error
from ..stored.setups import scene_properties
from .path_test_operators import FIRST_PLACE, add_place

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
_FILE = StringProperty(name="File", description="A JSON file", subtype="FILE_PATH", options=RELATIVE_PATH)
_JSON_FILES = StringProperty(default="*.json", options={"HIDDEN"})

if TYPE_CHECKING:
    _Operator = bpy.types.Operator
else:
    _Operator = object  # Blender's own class comes last, in the classes that it registers


class _WithFile(_Operator):
    """What both operators have in common."""

    if TYPE_CHECKING:
        filepath: str
        what: str

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Answer:
        if not self.filepath:
            level = Path(bpy.data.filepath or "level.blend")
            self.filepath = str(level.with_name(f"{level.stem}-{self.what.lower()}.json"))
        not_none(context.window_manager).fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context: bpy.types.Context) -> Answer:
        try:
            said = self.act(context, absolute_path(self.filepath))
        except NavmeshError as error:
            return report_error(self, error)
        self.report({"INFO"}, said)
        return {"FINISHED"}

    def act(self, context: bpy.types.Context, path: Path) -> str:
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

    def act(self, context: bpy.types.Context, path: Path) -> str:
        from ...navcore.commands.intent_files import must_reach_json, path_tests_json
        from ...navcore.files.atomic_write import write_whole
        from ...navcore.files.strict_json import json_text

        intent = scene_intent(scene_of(context))
        rows = intent.paths if self.what == TESTS else intent.points
        if not rows:
            missing = "path test" if self.what == TESTS else "place"
            raise BadInput(f"The scene has no {missing} to write. Add one in the panel Ask first.", "NO_TESTS")
        write_whole(
            path, json_text(path_tests_json(intent.paths) if self.what == TESTS else must_reach_json(intent.points))
        )
        return f"Wrote {len(rows):,} into {path}"


class NAVMESH_OT_tests_import(_WithFile, bpy.types.Operator):
    """Add the path tests of a file to the scene's list, or empties for its places to their collection"""

    bl_idname = "navmesh.tests_import"
    bl_label = "Import Path Tests"
    bl_options = {"REGISTER", "UNDO"}
    __annotations__ = {"what": _WHAT, "filepath": _FILE, "filter_glob": _JSON_FILES}

    def act(self, context: bpy.types.Context, path: Path) -> str:
        from ...navcore.commands.intent_files import read_must_reach, read_path_tests

        scene = scene_of(context)
        metres = scene.unit_settings.scale_length
        if self.what == PLACES:
            places = read_must_reach(path)
            for place in places:
                add_place(scene, place.name or FIRST_PLACE, in_units(place.point, metres))
            view_layer_of(context).update()
            return f"Added {len(places):,} places from {path.name}"
        stored, tests = scene_properties(scene), read_path_tests(path)
        for test in tests:
            row = stored.tests.add()
            row.name, row.start, row.end = test.name, in_units(test.start, metres), in_units(test.end, metres)
        stored.active_test = len(stored.tests) - 1
        return f"Added {len(tests):,} path tests from {path.name}"


CLASSES = (NAVMESH_OT_tests_export, NAVMESH_OT_tests_import)
