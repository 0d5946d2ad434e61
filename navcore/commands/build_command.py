"""`navcore build`: mesh file in, navmesh files, stage dump and report out."""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..agent_sizes import as_sizes, joint_settings
from ..build_warning import BuildWarning
from ..builder.build_level import OnTile, build_navmesh
from ..builder.tiles.dask_cluster import dask_executor
from ..compile_ahead.cold_start import watch_builds, work_on_little, writes_later
from ..compile_ahead.usual_kernels import about_how_many, is_small
from ..detour.queries.measure import bare_ground, doubled_cells, measure_ground
from ..detour.queries.prune import prune_navmesh
from ..detour.queries.seeds import checked_seeds, near_a_seed, tell_lost_seeds
from ..errors import BadInput, BadSettings, Cancelled, NavmeshError
from ..files.atomic_write import check_folder, write_whole
from ..files.npz import npz_bytes
from ..files.strict_json import json_text
from ..formats import holds_detour_data, is_tile_cache
from ..formats.mset import MsetWriter, mset_file
from ..formats.stage_dump import dumped
from ..formats.target_catalog import ExportOptions
from ..geometry.tile_grid import TileGrid, grid_of_tile
from ..kernels.kept_kernels import tell_compiling, why_kernels_are_not_kept
from ..level_source import LevelSource
from ..progress import Progress
from ..reasons.intent import OF_FILE, Intent
from ..report import Report
from ..result.navmesh import NavMesh, Tile
from ..scene import Scene
from ..settings import Settings
from ..types import Geometry
from .acceptance_gates import Gates, LastReport, given_gates
from .command_flags import given_scene, read_level, source_of
from .console import interruptible, write_error, write_out
from .exit_status import WRONG_USAGE, exit_status
from .navmesh_files.several_inputs import one_by_one, shares_report, summary, write_shared_report
from .one_build import JsonReport, OneBuild, Said, at_once, not_kept, result_line, warning_lines, where_all_are
from .progress_line import line_on_terminal
from .settings_flags import given_settings, nothing_to_write
from .unchanged_stamps import fingerprint

if TYPE_CHECKING:
    from ..reasons.intent_outcome import IntentOutcome
    from ..tile_cache.tile_cache import TileCache


def run(arguments: argparse.Namespace) -> int:
    """Build, write the outputs, and say how it went: to the shell and in the report. Returns the exit status."""
    if said := nothing_to_write(arguments):
        write_error(f"navcore: NOTHING_TO_WRITE: {said}")
        return WRONG_USAGE
    began, errors, reports, firsts = time.perf_counter(), list[NavmeshError | None](), list[JsonReport](), []
    several, shared = len(arguments.inputs) > 1, shares_report(arguments)
    for one in one_by_one(arguments):
        command = BuildCommand(one, {"file": one.input.stem} if shared else {})
        told = _run_one(command, f"{one.input.name}: " if several else "", shared)
        errors += told
        firsts.append(next(filter(None, told), None))
        reports.append(command.told(told[0]))
        if any(isinstance(error, Cancelled) for error in told):
            break
    if shared and not arguments.dry_run:
        errors += _said(_refusal_of(lambda: write_shared_report(arguments.report, reports)))
    if several and not arguments.quiet:
        said = summary(len(arguments.inputs), firsts, reports, time.perf_counter() - began)
        errors.append(_refusal_of(lambda: write_out(f"{said}\n")))
    return exit_status(*errors)


def _run_one(command: BuildCommand, name: str, shared: bool) -> list[NavmeshError | None]:
    """One build, and all that is said of it, behind its name where there are several."""
    error = _refusal_of(command.make)
    command.end_progress()
    command.take_warnings_of(error)
    for line in command.warning_lines():
        write_error(f"navcore: {name}{line}")
    errors = [error, None if shared else _refusal_of(lambda: command.write_report(error))]
    if errors == [None, None] and not command.arguments.quiet:
        errors.append(_refusal_of(lambda: write_out(f"{command.line()}\n")))
    for refused in errors:
        _said(refused, name)
    return errors


def _said(refused: NavmeshError | None, name: str = "") -> list[NavmeshError | None]:
    if refused is not None:
        write_error(f"navcore: {name}{refused.code}: {refused}")
    return [refused]


def _refusal_of(work: Callable[[], object]) -> NavmeshError | None:
    """What `work` raises; None where all went well."""
    try:
        work()
    except NavmeshError as refused:
        return refused
    except KeyboardInterrupt:  # outside of the build, which makes the same of it
        return Cancelled()
    return None


class BuildCommand(OneBuild):
    """One run of the command; holds what the report needs, however far the run came."""

    def __init__(self, arguments: argparse.Namespace, build: Mapping[str, str]) -> None:
        """`build`: which one it is of a report on several."""
        super().__init__(arguments, LastReport(arguments.report, arguments.last_report, {"file": arguments.input.stem}))
        self._which = build
        self.report = Report(Settings())
        self.repeat: dict[str, float] | None = None
        self.executor: Executor | None = None
        self.made_from = ""
        self.of_level: tuple[BuildWarning, ...] = ()  # what reading the level had to say
        self.level: tuple[Any, Settings, Scene] | None = None  # what is built
        self.cache: TileCache | None = None  # where one is wanted, and made
        self.skipped: JsonReport | None = None  # the report of the last build, where it still holds
        self.has_edits = False  # whether the scene has something that was changed by hand
        self.progress_line = line_on_terminal(arguments.quiet)
        self.progress = Progress(self.progress_line)

    def make(self) -> None:
        """Everything but the report. Raises NavmeshError."""
        arguments = self.arguments
        tell_compiling(None if self.progress_line is None else self.progress_line.compiling)
        watch_builds()
        for output in [*arguments.outputs, *filter(None, [arguments.dump_stages, arguments.report])]:
            check_folder(output)
        if arguments.page is not None:
            from ..page.write_page import check_page

            check_page(arguments.page)
        if arguments.repeat is not None and arguments.repeat < 1:
            raise BadInput(f"--repeat must be at least 1, not {arguments.repeat}.")
        if arguments.repeat is not None and arguments.store is not None:
            raise BadInput("--repeat times builds, and --store leaves them out. Leave one of the two out.")
        self._refuse_tiles_of_builds()
        settings = joint_settings(Settings.from_mapping(given_settings(arguments)), as_sizes(arguments.sizes))
        self.report = Report(settings)
        self.ask_gates(given_gates(arguments))
        self.check_outputs(arguments.outputs, settings, arguments.sizes, arguments.prune)
        scene = given_scene(arguments)
        self.has_edits = bool(scene.edits)
        if arguments.prune:
            checked_seeds(scene.seeds)
        level = read_level(arguments.input, scene, arguments, self.progress)
        mesh, self.of_level = level[:3], level.warnings
        self.report.warnings += self.of_level
        if arguments.dask is not None and settings.tile_size == 0:
            raise BadSettings("A cluster builds tiles, and tile_size is 0. Set it, to 64 say, or leave --dask out.")
        if arguments.skip_unchanged:
            self.made_from = self._fingerprint(mesh, settings, scene)
            if self._is_unchanged():
                return
        if self.progress_line is not None:
            self.progress_line.kernels = about_how_many(mesh[0], settings, scene.bounds)
        with ExitStack() as cluster:
            if arguments.dask is not None:
                self.executor = cluster.enter_context(dask_executor(arguments.dask, progress=self.progress))
            self._build_and_write(mesh, settings, scene)
        self.stamp(arguments.outputs, self.made_from, self.report.to_mapping())

    def _source(self, mesh: tuple[Any, Any, Any], scene: Scene) -> LevelSource:
        return source_of(self.arguments, mesh, scene)

    def _build_and_write(self, mesh: tuple[Any, Any, Any], settings: Settings, scene: Scene) -> None:
        arguments = self.arguments
        self.level = mesh, settings, scene
        only_detour = bool(arguments.outputs) and all(map(holds_detour_data, arguments.outputs))
        by_tiles = bool(settings.tile_size) and only_detour and not settings.generate_links and not self._needs_all()
        if by_tiles and not writes_later(mesh[0], settings, scene.bounds):
            self._stream(mesh, settings, scene)
            return
        source = self._source(mesh, scene)
        navmesh = built = self._build(mesh, settings, scene)
        work = work_on_little if is_small(mesh[0], settings, scene.bounds, tiled=True) else at_once
        kept = [] if source.edits is None else source.edits.kept_places()
        if arguments.prune:
            navmesh = work(lambda: prune_navmesh(built, [*scene.seeds, *kept], _geometry(mesh)))
        self._take(navmesh.report)
        if not by_tiles and (arguments.report or self.gates != Gates() or navmesh.tile_grid is None):
            self.report.ground = work(lambda: measure_ground(navmesh, scene.seeds))
        else:  # links between thousands of tiles would take a fifth of the time that building them does
            cell = settings.cell_size
            doubled = sum(doubled_cells(tile.polygon_mesh, cell) for tile in navmesh.tiles)
            self.report.ground = bare_ground(doubled, cell)
        if self.gates.intent != Intent():
            from ..reasons.intent_outcome import BuiltFrom, check_intent  # here: it needs all that answers questions

            level = BuiltFrom.of(self._source(mesh, scene), arguments.threads)
            self._add_outcome(work(lambda: check_intent(navmesh, self.gates.intent, seeds=scene.seeds, level=level)))
        if arguments.page and not arguments.dry_run:
            self._write_page(navmesh, mesh, scene)
        options = ExportOptions(level=self._source(mesh, scene))
        self.write(navmesh, arguments.outputs, options, self.report.to_mapping, work)
        if arguments.dump_stages and not arguments.dry_run:
            write_whole(arguments.dump_stages, npz_bytes(dumped(built)))

    def _write_page(self, navmesh: NavMesh, mesh: tuple[Any, Any, Any], scene: Scene) -> None:
        """What people look at where a gate fails: so it is written before they are asked."""
        from ..page.page_arrays import Beside  # here, so that only those who want a page wait for it
        from ..page.write_page import PageContent, write_page

        report = self.report
        beside = Beside(report.warnings, scene.seeds, report.tests, report.must_reach)
        write_page(PageContent(self.arguments.input.name, navmesh, mesh[:2], None, beside), self.arguments.page)

    def _add_outcome(self, outcome: IntentOutcome) -> None:
        self.report.tests = [{**row.to_mapping(), "origin": OF_FILE} for row in outcome.paths]
        self.report.must_reach = [{**row.to_mapping(), "origin": OF_FILE} for row in outcome.points]

    def _take(self, report: Report) -> None:
        """The report of the build, with what reading the level had to say before it."""
        report.warnings[:0] = self.of_level
        self.report = report

    def take_warnings_of(self, error: NavmeshError | None) -> None:
        """What had to be said before a build was refused."""
        known = self.report.warnings
        known += [] if error is None else [warning for warning in error.warnings if warning not in known]

    def _needs_all(self) -> bool:
        """Whether something besides the outputs wants the finished navmesh."""
        arguments = self.arguments
        if arguments.dump_stages is not None or arguments.repeat is not None or arguments.page is not None:
            return True
        return arguments.prune or self.has_edits or self.gates.need_the_navmesh

    def _is_of_caches(self) -> bool:
        """Whether a tile cache is all that is wanted: no navmesh is built then."""
        outputs = self.arguments.outputs
        return bool(outputs) and all(map(is_tile_cache, outputs)) and not self.arguments.dump_stages

    def _refuse_tiles_of_builds(self) -> None:
        """Raises BadInput for what is done with the tiles of a navmesh, where none is built."""
        asked = {"--store": self.arguments.store, "--dask": self.arguments.dask}
        flag = next((flag for flag, value in asked.items() if value is not None), None)
        if flag is not None and self._is_of_caches():
            raise BadInput(
                f"{flag} is for the tiles of a navmesh, and a tile cache is made of layers. Leave it out, or give "
                "another output with -o."
            )

    def _within_detour(self) -> bool:
        """Whether what Detour files cannot hold is refused before the build; what is left out may make it fit."""
        arguments, leaves_out = self.arguments, self.arguments.prune or self.has_edits
        return any(map(holds_detour_data, arguments.outputs)) and not leaves_out and arguments.references == 32

    def _fingerprint(self, mesh: tuple[Any, Any, Any], settings: Settings, scene: Scene) -> str:
        """Everything that decides what the outputs hold and whether they may be written; not where the input lies."""
        arguments = self.arguments
        if not arguments.outputs:
            raise BadSettings("--skip-unchanged looks at the outputs of the last build: give one with -o.")
        options = [settings.to_mapping(), scene.to_mapping(), arguments.prune, arguments.target, self.gates._asdict()]
        options += [] if arguments.references == 32 else [arguments.references]
        options += [arguments.sizes] if arguments.sizes else []
        options += [[volume.to_mapping() for volume in arguments.resolutions]] if arguments.resolutions else []
        return fingerprint([*(np.asarray(part) for part in mesh if part is not None), *options])

    def _is_unchanged(self) -> bool:
        """Whether the outputs are there as this build would make them; then the report is the one of their build."""
        arguments = self.arguments
        wanted = any(asked is not None for asked in (arguments.dump_stages, arguments.repeat, arguments.page))
        report = None if wanted else self.still_holds(arguments.outputs, self.made_from)
        if report is None:
            return False
        self.skipped = report
        self.pass_gates(report)
        return True

    def _stream(self, mesh: tuple[Any, Any, Any], settings: Settings, scene: Scene) -> None:
        """Write each tile as soon as it is built; files appear when all are complete."""
        writers: list[MsetWriter] = []
        arguments, doubled = self.arguments, 0
        near_seeds: list[Tile] = []  # those alone are kept in memory
        with ExitStack() as files:
            outputs = self.arguments.outputs
            if self.arguments.dry_run:
                outputs = files.enter_context(self.places(outputs))

            def write(tile_grid: TileGrid, tile: Tile) -> None:
                nonlocal doubled
                if not writers:
                    for path in outputs:
                        first = not writers
                        file = mset_file(
                            path, settings, tile_grid, scene.links, scene.area_types, check_links=first,
                            reference_bits=arguments.references,
                        )  # fmt: skip
                        writers.append(files.enter_context(file))
                doubled += doubled_cells(tile.polygon_mesh, settings.cell_size)
                grid = grid_of_tile(tile_grid, tile.key)  # with its border
                if near_a_seed(grid.bounds_min.tolist(), grid.bounds_max.tolist(), scene.seeds, settings):
                    near_seeds.append(tile)
                for writer in writers:
                    writer.add(tile)

            built = interruptible(lambda: self._build_once(mesh, settings, scene, write), self.progress.cancel)
            tell_lost_seeds(replace(built, tiles=tuple(near_seeds)), scene.seeds, _geometry(mesh))
            self._take(built.report)
            writers[0].end_tiles()
            self.report.warnings += writers[0].warnings
            self.report.ground = bare_ground(doubled, settings.cell_size)
            self.pass_gates(self.report.to_mapping())

    def _cache_of(self, mesh: tuple[Any, Any, Any], settings: Settings, scene: Scene) -> TileCache:
        """The tile cache of the level, and how long it took."""
        from ..tile_cache.tile_cache import TileCache  # here, so that only those who want a cache wait for it

        began = time.perf_counter()
        source, threads = self._source(mesh, scene), self.arguments.threads
        self.cache = TileCache(source, settings=settings, threads=threads, progress=self.progress)
        self.cache.navmesh.report.total_seconds = time.perf_counter() - began
        return self.cache

    def write_cache(self, place: Path) -> None:
        """Write the level's tile cache, built where that was not done yet."""
        from ..tile_cache.cache_files import write_files

        if self.cache is None:
            assert self.level is not None
            mesh, settings, scene = self.level
            cache = interruptible(lambda: self._cache_of(mesh, settings, scene), self.progress.cancel)
            known = self.report.warnings
            known += [warning for warning in cache.warnings if warning not in known]
        assert self.cache is not None
        write_files(place, self.cache.files())

    def _build(self, mesh: tuple[Any, Any, Any], settings: Settings, scene: Scene) -> NavMesh:
        """One build, or `--repeat` of them after a warm-up; the last one's result."""
        runs = 1 if self.arguments.repeat is None else 1 + self.arguments.repeat
        seconds = []
        for _ in range(runs):
            navmesh = interruptible(lambda: self._build_once(mesh, settings, scene), self.progress.cancel)
            seconds.append(navmesh.report.total_seconds)
        if self.arguments.repeat is not None:
            self.repeat = {"best": min(seconds[1:]), "median": statistics.median(seconds[1:])}
        return navmesh

    def _build_once(
        self, mesh: tuple[Any, Any, Any], settings: Settings, scene: Scene, on_tile: OnTile | None = None
    ) -> NavMesh:
        if self._is_of_caches():
            return self._cache_of(mesh, settings, scene).navmesh
        return build_navmesh(
            self._source(mesh, scene), settings=settings,
            threads=self.arguments.threads, progress=self.progress, keep_stages=self.arguments.dump_stages is not None,
            failures=self.arguments.failures, on_tile=on_tile, executor=self.executor,
            detour_data=self._within_detour(), store=None if self.arguments.dry_run else self.arguments.store,
        )  # fmt: skip

    # --- what is said

    def write_report(self, error: NavmeshError | None) -> None:
        if not self.arguments.report or self.arguments.dry_run:
            return
        write_whole(self.arguments.report, json_text(self.told(error)))

    def told(self, error: NavmeshError | None) -> JsonReport:
        """What its report says."""
        return {**self.with_gates(self._report(error)), **self._which}

    def _report(self, error: NavmeshError | None) -> dict[str, Any]:
        report = self.report.to_mapping(error, self.repeat)
        if self.skipped is None:
            return report
        return {**self.skipped, "ok": report["ok"], "error": report["error"], "unchanged": True}

    def end_progress(self) -> None:
        """Nothing runs any more."""
        tell_compiling(None)
        self.progress.done()

    def warning_lines(self) -> list[str]:
        """What is to be said beside errors; of a build that was left out, what its report says."""
        said = [Said(warning.code, warning.sentence) for warning in self.report.warnings]
        if self.skipped is not None:
            told = self.skipped.get("warnings", [])
            said = [Said(w["code"], BuildWarning(w["code"], w["message"], w.get("place")).sentence) for w in told]
        lines = warning_lines(said, where_all_are(self.arguments.report))
        return [*lines, *not_kept(why_kernels_are_not_kept(), "XDG_CACHE_HOME")]

    def line(self) -> str:
        """What was built, on one line."""
        return result_line(self.arguments.input.name, self._report(None), dry_run=self.arguments.dry_run)


def _geometry(mesh: tuple[Any, Any, Any]) -> Geometry:
    vertices, triangles, areas = mesh
    return Geometry(vertices, triangles, np.empty(0, np.uint8) if areas is None else areas)
