"""Several files and setups built one after the other without a window; what goes wrong with one stops no other."""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import bpy

from ...navcore.commands.acceptance_gates import Gates, given_gates
from ...navcore.commands.console import interruptible, write_error, write_out
from ...navcore.commands.one_build import Said, check_placeholders, not_kept, result_line, warning_lines, where_all_are
from ...navcore.commands.settings_flags import given_axes, given_settings
from ...navcore.errors import BadInput, Cancelled, NavmeshError
from ...navcore.formats import files_of, holds_detour_data, is_tile_cache
from ...navcore.formats.file_axes import AS_READ, FileAxes
from ...navcore.scene import as_seeds
from ..blender_types import scene_of
from ..builds import threads_and_kernel_folder
from ..builds.intent_check import rows_of_file
from ..builds.make_requests import Overrides, make_requests, without_selection
from ..builds.request_and_result import BuiltNavmesh, Request
from ..builds.run_builds import build_all, compile_together
from ..builds.tile_caches import cache_with
from ..errors import sentence
from ..files.export_operator import with_level
from ..gather.gathered_level import MISSING
from ..objects.build_report import JsonReport, cache_rows, report_of
from ..objects.edits_from_mesh import keep_edited
from ..objects.hand_edits import refuse_edited
from ..objects.write_navmeshes import write_back
from ..stored.setting_properties import SettingValue
from ..stored.setup_properties import COLLECTION, Sources
from ..stored.setups import active_setup, scene_properties
from .build_watcher import BuildWatcher
from .level_import import import_level, is_imported
from .outcome import FILE, NAMELESS, SETUP, Names, Outcome, has_names

if TYPE_CHECKING:
    from ...navcore.tile_cache.tile_cache import TileCache

_EDITED = (
    "The build would leave that out. Undo the edits, or give --edited keep to make edits of them that all builds heed, "
    "--edited take-over to build of that mesh from now on, or --edited throw-away to lose them."
)


class _Task(NamedTuple):
    """One setup that is going to be built."""

    request: Request
    outcome: Outcome
    made_from: str  # a fingerprint


class Batch:
    """One run of the command."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self._arguments = arguments
        self.outcomes: list[Outcome] = []
        self.errors: list[NavmeshError] = []
        self._gates = Gates()
        self._now: Outcome | None = None  # what is being built
        self._written: dict[Path, Outcome] = {}  # which build wrote a file

    def run(self) -> None:
        """Build everything; errors are printed, collected, and written into the reports."""
        arguments = self._arguments
        try:
            threads_and_kernel_folder.load_builder()
            self._check()
            values = given_settings(arguments)
            for path in arguments.inputs:
                self._build_file(path, values)
        except (NavmeshError, MemoryError, KeyboardInterrupt) as error:
            self._failed(error, self._now or self._begin(Names(arguments.inputs[0].stem, NAMELESS)))
        try:
            self._write_reports()
        except NavmeshError as error:
            self._add_error(error)
        from ...navcore.kernels.kept_kernels import why_kernels_are_not_kept

        for line in not_kept(why_kernels_are_not_kept(), "BLENDER_USER_RESOURCES"):
            self._print_line(line)

    def _check(self) -> None:
        """Refuse what can be refused before a file is opened."""
        from ...navcore.files.atomic_write import check_folder
        from ...navcore.formats import check_output, target_for

        arguments = self._arguments
        self._gates = given_gates(arguments)
        if arguments.skip_unchanged and not arguments.outputs:
            raise BadInput("--skip-unchanged looks at the outputs of the last build: give one with -o.")
        check_placeholders([*arguments.outputs, arguments.report, arguments.last_report], (FILE, SETUP))
        for output in [*arguments.outputs, *filter(None, [arguments.report])]:
            if not has_names(output.parent):
                check_folder(output)
        for output in arguments.outputs:
            self._check_names(output, whole_file=_is_blend(output))
            if not (_is_blend(output) or has_names(output) or is_tile_cache(output)):
                check_output(output, target=target_for(output, arguments.target))
        if arguments.report is not None and has_names(arguments.report):
            self._check_names(arguments.report, whole_file=False)
        self._check_apart()

    def _check_apart(self) -> None:
        """Refuse what would be written twice, or over a file that is read; the level itself may be saved."""
        from ...navcore.files.atomic_write import check_apart

        arguments = self._arguments
        report = [] if arguments.report is None else [arguments.report]
        try:
            check_apart(
                [path for path in (*arguments.outputs, *report) if path in report or not _is_blend(path)], self._read()
            )
            check_apart([*arguments.outputs, *report], ())
        except BadInput:
            arguments.report = None  # nor is it told there
            raise

    def _read(self) -> list[Path | None]:
        """All files that are read, but for the last report, whose place a new one takes."""
        arguments = self._arguments
        return [*arguments.inputs, arguments.settings, arguments.test, arguments.must_reach]

    def _check_names(self, path: Path, whole_file: bool) -> None:
        """Refuse a name that several builds would write."""
        files = len(self._arguments.inputs)
        if files > 1 and FILE not in str(path):
            raise BadInput(f"{path} would be written for each of {files} files. Put {FILE} into its name.", "SAME_NAME")
        if self._several_setups() and not whole_file and SETUP not in str(path):
            raise BadInput(f"{path} would be written for each setup. Put {SETUP} into its name.", "SAME_NAME")

    def _several_setups(self) -> bool:
        return self._arguments.all_setups or len(self._arguments.setups) > 1

    # --- one file

    def _build_file(self, path: Path, values: Mapping[str, SettingValue]) -> None:
        """Open it and build its setups. Only what ends the whole run is raised."""
        here = self._begin(Names(path.stem, NAMELESS))
        try:
            open_level(path, given_axes(self._arguments), self._arguments.up is not None)
            names = self._setups()
            self._answer_edits(names)
        except NavmeshError as error:
            self._failed(error, here)
            return
        self.outcomes.pop()
        tasks = []
        for name in names:
            outcome = self._begin(Names(path.stem, name or NAMELESS))
            try:
                request = self._request(name, values)
                outcome.named(request.name)
                if not values:
                    self._say_whose(request, outcome)
                tasks.append(_Task(request, outcome, self._fingerprint(request)))
            except NavmeshError as error:
                self._failed(error, outcome)
        self._build_tasks(path, tasks, complete=len(tasks) == len(names))

    def _say_whose(self, request: Request, outcome: Outcome) -> None:
        """Whom the navmesh is for, where neither the file nor the command says it."""
        if len(scene_properties(scene_of(bpy.context)).setups) == 0:
            agent = request.settings
            self._print_line(
                f"{outcome}: the file has no setup. Its agent is {agent.agent_height:g} m high, its radius "
                f"{agent.agent_radius:g} m, its climb {agent.agent_max_climb:g} m; --settings or flags give another."
            )

    def _begin(self, names: Names) -> Outcome:
        self._now = Outcome(names, self._arguments)
        self.outcomes.append(self._now)
        return self._now

    def _setups(self) -> list[str]:
        stored = [setup.name or setup.uid for setup in scene_properties(scene_of(bpy.context)).setups]
        return (stored if self._arguments.all_setups else self._arguments.setups) or [""]

    def _answer_edits(self, names: list[str]) -> None:
        """What was edited by hand on the navmeshes of these setups, as the command says. Raises NavmeshError."""
        scene, answer = scene_of(bpy.context), self._arguments.edited
        active = active_setup(scene)
        named = {active.name if active is not None and not name else name for name in names}
        setups = {row.uid for row in scene_properties(scene).setups if row.name in named}
        if answer == "ask":
            refuse_edited(scene, setups, _EDITED)
        elif answer != "throw-away":
            keep_edited(bpy.context, setups, answer == "take-over")

    def _request(self, name: str, values: Mapping[str, SettingValue]) -> Request:
        arguments = self._arguments
        overrides = Overrides(
            name,
            sources=lambda stored: _sources(stored, arguments.collection),
            values=values,
            prune=arguments.prune,
            by_script=bool(values),
        )
        for_detour = any(map(holds_detour_data, arguments.outputs)) and arguments.references == 32
        request = make_requests(bpy.context, overrides)[0]._replace(detour_data=for_detour)
        if not arguments.allow_missing:
            refuse_missing(request)
        return request

    def _build_tasks(self, path: Path, tasks: list[_Task], complete: bool) -> None:
        """Build and write; a level with its navmeshes is saved where all of them were built."""
        levels = [Names(path.stem, NAMELESS).fill(output) for output in self._arguments.outputs if _is_blend(output)]
        whole = self._whole(path, tasks) if levels else ""
        last = tasks[0].outcome.still_holds(levels, whole) if tasks else None
        built = []
        for task in tasks:
            try:
                one = self._build_one(task, last, bool(levels))
                built += [one] if one is not None else []
            except Cancelled:  # of all
                raise
            except (NavmeshError, MemoryError) as error:
                self._failed(error, task.outcome)
        if levels and built and complete and len(built) == len(tasks) and not self._arguments.dry_run:
            try:
                self._save(levels, built, tasks, whole)
            except NavmeshError as error:
                self._failed(error, tasks[-1].outcome)

    # --- one setup

    def _build_one(self, task: _Task, level: Mapping[str, JsonReport] | None, saved: bool) -> BuiltNavmesh | None:
        """Build, pass the gates, write; None where nothing had to be built."""
        from ...navcore.detour.queries.measure import measure_ground
        from ...navcore.formats.target_catalog import ExportOptions

        request, self._now = task.request, task.outcome
        outcome = task.outcome
        outputs = [self._claimed(output, outcome) for output in self._arguments.outputs if not _is_blend(output)]
        outcome.check_outputs(outputs, request.settings, request.sizes, request.prune)
        outcome.ask_gates(self._gates)
        last = outcome.still_holds(outputs, task.made_from) if outputs else (level or {}).get(outcome.names.setup)
        if last is not None and (level is not None or not saved):
            outcome.pass_gates(self._known(outcome, {**last, "unchanged": True}))
            self._print_result(outcome)
            return None
        built = self._built(request)
        report = built.navmesh.report
        report.ground = measure_ground(built.navmesh, as_seeds(request.gathered.seeds))
        report.tests, report.must_reach = rows_of_file(request, built.navmesh, self._gates.intent)
        options = with_level(ExportOptions(), request)
        of_caches: list[JsonReport] = []
        outcome.make_cache = partial(self._cache_of, built, of_caches)
        outcome.write(built.navmesh, outputs, options, lambda: self._known(outcome, _with_warnings(built, of_caches)))
        self._print_result(outcome)
        outcome.stamp(outputs, task.made_from, outcome.report or {})
        return built

    def _built(self, request: Request) -> BuiltNavmesh:
        """Build on another thread, so that signals are heard; nothing of it touches Blender."""
        means, threads = threads_and_kernel_folder.usual_means(), self._arguments.threads
        means = means if threads is None else means._replace(threads=threads)
        compile_together(means.kernels)
        with BuildWatcher(self._arguments.quiet) as watcher:
            return interruptible(lambda: build_all([request], means, watcher), watcher.cancel)[0]

    def _cache_of(self, built: BuiltNavmesh, said: list[JsonReport]) -> TileCache:
        """The tile cache of a level; `said` gets what it has to say."""
        obstacles = built.request.gathered.obstacles
        cache = cache_with(built.request, obstacles, self._arguments.threads)
        said += cache_rows(cache, obstacles, built)
        return cache

    def _claimed(self, output: Path, outcome: Outcome) -> Path:
        """Where an output of one build goes. Raises BadInput where its name is impossible or taken."""
        from ...navcore.files.atomic_write import check_apart

        path = outcome.names.fill(output)
        if not _is_blend(path):  # such a level may be saved with its navmeshes
            check_apart(files_of(path), self._read())
        first = self._written.setdefault(path.resolve(), outcome)
        if first is not outcome:
            raise BadInput(
                f"{path} was already written for {first}, and {outcome} would replace it. Give files and setups "
                "different names.",
                "SAME_NAME",
            )
        return path

    def _known(self, outcome: Outcome, report: JsonReport) -> JsonReport:
        """The report of a build, whose warnings are told before its gates."""
        outcome.report, where = report, self._where(outcome)
        said = [Said(warning["code"], warning["message"]) for warning in report["warnings"]]
        for line in warning_lines(said, where_all_are(self._arguments.report)):
            self._print_line(where + line)
        return report

    def _save(self, levels: list[Path], built: list[BuiltNavmesh], tasks: list[_Task], made_from: str) -> None:
        """The level with its navmeshes."""
        from ...navcore.files.atomic_write import CannotWrite

        write_back(scene_of(bpy.context), built, over_edits=self._arguments.edited != "ask")
        for path in levels:
            self._claimed(path, tasks[0].outcome)
            try:
                bpy.ops.wm.save_as_mainfile(filepath=str(path.resolve()), copy=True)
            except RuntimeError as reason:
                raise CannotWrite(f"Could not write {path}: {str(reason).strip()}.") from None
        last = tasks[-1].outcome
        last.stamp(levels, made_from, {task.outcome.names.setup: task.outcome.report for task in tasks})

    # --- unchanged

    def _fingerprint(self, request: Request) -> str:
        """Everything that decides what is written for a setup, and whether it may be."""
        if not self._arguments.skip_unchanged:
            return ""
        from ...navcore.commands.unchanged_stamps import fingerprint

        gathered = request.gathered
        arrays = [part for part in (gathered.vertices, gathered.triangles, gathered.areas) if part is not None]
        beside_triangles = [
            gathered.volumes,
            gathered.links,
            gathered.bounds,
            gathered.seeds,
            [edit.item for edit in gathered.edits],
            gathered.notes,
            request.area_types,
            [one.items for one in gathered.obstacles if any(map(is_tile_cache, self._arguments.outputs))],
        ]
        wanted = None if request.wanted is None else request.wanted.intent
        conditions = [
            request.settings.to_mapping(), request.prune, self._arguments.target, self._gates._asdict(), wanted,
            request.sizes, self._arguments.references,
        ]  # fmt: skip
        return fingerprint([*arrays, *beside_triangles, *conditions])

    def _whole(self, path: Path, tasks: list[_Task]) -> str:
        """The same for a .blend file, which holds more than navmeshes."""
        if not self._arguments.skip_unchanged:
            return ""
        from ...navcore.commands.unchanged_stamps import fingerprint

        sources = [hashlib.sha256(path.read_bytes()).hexdigest(), *(task.made_from for task in tasks)]
        return fingerprint([*sources, bpy.app.version_string])

    # --- errors and reports

    def _failed(self, reason: BaseException, outcome: Outcome) -> None:
        if isinstance(reason, NavmeshError):
            outcome.error = reason
        elif isinstance(reason, KeyboardInterrupt):
            outcome.error = Cancelled()
        else:
            outcome.error = NavmeshError(sentence(reason), "OUT_OF_MEMORY")
        self._add_error(outcome.error, self._where(outcome))

    def _where(self, outcome: Outcome) -> str:
        """Which of several builds a line is about."""
        several = len(self._arguments.inputs) > 1 or self._several_setups()
        return f"{outcome}: " if several else ""

    def _print_line(self, line: str) -> None:
        write_error(f"navmesh: {line}")

    def _print_result(self, outcome: Outcome) -> None:
        if not self._arguments.quiet:
            line = result_line(str(outcome), outcome.report or {}, dry_run=self._arguments.dry_run)
            write_out(f"navmesh: {line}\n")

    def _add_error(self, error: NavmeshError, where: str = "") -> None:
        self.errors.append(error)
        self._print_line(f"{error.code}: {where}{error}")

    def _write_reports(self) -> None:
        from ...navcore.files.atomic_write import check_apart, write_whole
        from ...navcore.files.strict_json import json_text

        path = self._arguments.report
        if path is None or self._arguments.dry_run:
            return
        if has_names(path):
            for outcome in self.outcomes:
                check_apart([outcome.report_path(path)], [*self._read(), *self._written])
                write_whole(outcome.report_path(path), json_text(outcome.mapping()))
        elif len(self._arguments.inputs) > 1 or self._several_setups():
            builds = [outcome.mapping() for outcome in self.outcomes]
            write_whole(path, json_text({"ok": not self.errors, "builds": builds}))
        else:
            write_whole(path, json_text(self.outcomes[-1].mapping()))


def open_level(path: Path, axes: FileAxes = AS_READ, up_is_told: bool = False) -> None:
    """Open a scene of Blender's, or import a level into an empty one. Raises BadInput."""
    if not path.is_file():
        raise BadInput(f"{path}: there is no such file.", "CANNOT_READ")
    if is_imported(path):
        import_level(path, axes, up_is_told)
        return
    if axes != AS_READ or up_is_told:
        raise BadInput(
            f"{path}: --up, --unit and --scale are for levels that are imported, and this is a scene of Blender's, "
            "which knows its axes. Leave them out; the unit scale of a scene is set in its properties.",
            "BAD_AXES",
        )
    try:
        bpy.ops.wm.open_mainfile(filepath=str(path.resolve()), load_ui=False)
    except RuntimeError as reason:
        raise BadInput(f"{path} could not be opened: {reason}".strip(), "CANNOT_READ") from None


def _sources(stored: Sources, collection: str) -> Sources:
    """As the setup says, unless a collection was given."""
    return stored._replace(scope=COLLECTION, collection=collection) if collection else without_selection(stored)


def refuse_missing(request: Request) -> None:
    """A level without its libraries builds, and is another level."""
    missing = [f"{note.code}: “{note.name}” {note.message}" for note in request.gathered.notes if note.code in MISSING]
    if missing:
        raise BadInput(
            f"Something of the level is missing. {'. '.join(missing)}. Bring it back, leave the objects out "
            "(Use: Never), or build without it: --allow-missing.",
            "MISSING_SOURCES",
        )


def _with_warnings(built: BuiltNavmesh, more: list[JsonReport]) -> JsonReport:
    """The report of a build with more to say."""
    report = report_of(built)
    report["warnings"] += more
    return report


def _is_blend(path: Path) -> bool:
    return path.suffix.lower() == ".blend"
