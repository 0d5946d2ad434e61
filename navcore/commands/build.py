"""`navcore build`: mesh file in, navmesh files, stage dump and report out."""

from __future__ import annotations

import argparse
import statistics
import sys
from concurrent.futures import Executor, ThreadPoolExecutor
from concurrent.futures import TimeoutError as StillRunning
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from ..build_warning import BuildWarning
from ..builder.build_level import OnTile, build_navmesh
from ..builder.tiles.dask_cluster import dask_executor
from ..detour.queries.measure import bare_ground, doubled_cells, measure_ground
from ..detour.queries.prune import prune_navmesh
from ..detour.queries.seeds import checked_seeds
from ..errors import BadInput, BadSettings, NavmeshError
from ..files.atomic_write import check_folder, staged, write_whole
from ..files.json_text import json_text
from ..files.npz import npz_bytes
from ..formats import check_output, holds_detour_data, target_for, write_navmesh
from ..formats.catalog import ExportOptions
from ..formats.level_mesh import LevelMesh
from ..formats.mesh_files import read_mesh
from ..formats.mset import MsetWriter, mset_file
from ..formats.recastdemo import SourceLevel
from ..formats.stage_dump import dumped
from ..geometry.tile_grid import TileGrid
from ..progress import Progress
from ..report import Report
from ..result.navmesh import NavMesh, Tile
from ..scene import Scene
from ..settings import Settings
from ..types import Geometry
from .acceptance_gates import Gates, LastReport, Verdict, check_gates, gates_in_report, given_gates, refuse_failed
from .settings_flags import given_settings
from .unchanged_stamps import fingerprint, unchanged, write_stamps


class BuildCommand:
    """One run of the command; holds what the report needs, however far the run came."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.arguments = arguments
        self.report = Report(Settings())
        self.repeat: dict[str, float] | None = None
        self.executor: Executor | None = None
        self.gates = Gates()
        self.verdicts: list[Verdict] = []
        self.last = self._last_report().remembered()  # ground of the last build that passed
        self.made_from = ""
        self.of_level: tuple[BuildWarning, ...] = ()  # what reading the level had to say
        self.skipped: dict[str, Any] | None = None  # the report of the last build, where it still holds
        self.progress = Progress(_ProgressLine() if sys.stderr.isatty() else None)

    def run(self) -> None:
        """Everything but the report. Raises NavmeshError."""
        arguments = self.arguments
        for output in [*arguments.outputs, *filter(None, [arguments.dump_stages, arguments.report])]:
            check_folder(output)
        if arguments.repeat is not None and arguments.repeat < 1:
            raise BadInput(f"--repeat must be at least 1, not {arguments.repeat}.")
        settings = Settings.from_mapping(given_settings(arguments))
        self.report = Report(settings)
        self.gates = given_gates(arguments)
        self.last = self._last_report().area(self.gates)
        for output in arguments.outputs:
            # What a format cannot hold is said before the build.
            check_output(output, settings, target_for(output, arguments.target))
        scene = Scene.from_file(arguments.scene) if arguments.scene else Scene()
        if arguments.prune:
            checked_seeds(scene.seeds)
        level = _read_mesh(arguments.input, scene, self.progress)
        mesh, self.of_level = level[:3], level.warnings
        self.report.warnings += self.of_level
        if arguments.dask is not None and settings.tile_size == 0:
            raise BadSettings("A cluster builds tiles, and tile_size is 0. Set it, to 64 say, or leave --dask out.")
        if arguments.skip_unchanged:
            self.made_from = self._fingerprint(mesh, settings, scene)
            if self._is_unchanged():
                return
        with ExitStack() as cluster:
            if arguments.dask is not None:
                self.executor = cluster.enter_context(dask_executor(arguments.dask, progress=self.progress))
            self._build_and_write(mesh, settings, scene)
        if arguments.skip_unchanged:
            write_stamps(arguments.outputs, self.made_from, self.report.to_mapping())

    def _build_and_write(self, mesh: tuple[Any, Any, Any], settings: Settings, scene: Scene) -> None:
        arguments = self.arguments
        only_detour = bool(arguments.outputs) and all(map(holds_detour_data, arguments.outputs))
        if settings.tile_size and only_detour and not self._needs_all():
            self._stream(mesh, settings, scene)
            return
        navmesh = built = self._build(mesh, settings, scene)
        if arguments.prune:
            navmesh = prune_navmesh(navmesh, scene.seeds, _geometry(mesh))
        self.report = navmesh.report
        self.report.warnings[:0] = self.of_level
        if arguments.report or self.gates != Gates():
            self.report.ground = measure_ground(navmesh, scene.seeds)
        options = ExportOptions(level=SourceLevel(*mesh[:2], scene.volumes, scene.bounds))
        with staged(arguments.outputs) as outputs:
            for output in outputs:
                write_navmesh(navmesh, output, target_for(output, arguments.target), options)
            self._pass_gates()  # after writing, which may warn; files appear when all gates are passed
        if arguments.dump_stages:
            write_whole(arguments.dump_stages, npz_bytes(dumped(built)))

    def _last_report(self) -> LastReport:
        return LastReport(self.arguments.report, self.arguments.last_report)

    def _needs_all(self) -> bool:
        """Whether something besides the outputs wants the finished navmesh."""
        arguments = self.arguments
        if arguments.dump_stages is not None or arguments.repeat is not None:
            return True
        return arguments.prune or self.gates.need_islands_or_seeds

    def _within_detour(self) -> bool:
        """Whether what Detour files cannot hold is refused before the build; pruning may still make it fit."""
        return any(map(holds_detour_data, self.arguments.outputs)) and not self.arguments.prune

    def _pass_gates(self) -> None:
        self.verdicts = check_gates(self.gates, self.report.to_mapping(), self.last)
        refuse_failed(self.verdicts)

    def _fingerprint(self, mesh: tuple[Any, Any, Any], settings: Settings, scene: Scene) -> str:
        """Everything that decides what the outputs hold and whether they may be written; not where the input lies."""
        arguments = self.arguments
        if not arguments.outputs:
            raise BadSettings("--skip-unchanged looks at the outputs of the last build: give one with -o.")
        options = [settings.to_mapping(), scene.to_mapping(), arguments.prune, arguments.target, self.gates._asdict()]
        return fingerprint([*(np.asarray(part) for part in mesh if part is not None), *options])

    def _is_unchanged(self) -> bool:
        """Whether the outputs are there as this build would make them; then the report is the one of their build."""
        report = None if self._wants_build() else unchanged(self.arguments.outputs, self.made_from)
        if report is None:
            return False
        self.skipped, self.verdicts = report, check_gates(self.gates, report, self.last)
        refuse_failed(self.verdicts)
        return True

    def _wants_build(self) -> bool:
        return self.arguments.dump_stages is not None or self.arguments.repeat is not None

    def _stream(self, mesh: tuple[Any, Any, Any], settings: Settings, scene: Scene) -> None:
        """Write each tile as soon as it is built; files appear when all are complete."""
        writers: list[MsetWriter] = []
        doubled = 0
        with ExitStack() as files:

            def write(tile_grid: TileGrid, tile: Tile) -> None:
                nonlocal doubled
                if not writers:
                    for path in self.arguments.outputs:
                        first = not writers
                        file = mset_file(path, settings, tile_grid, scene.links, scene.area_types, check_links=first)
                        writers.append(files.enter_context(file))
                doubled += doubled_cells(tile.polygon_mesh)
                for writer in writers:
                    writer.add(tile)

            self.report = _interruptible(lambda: self._build_once(mesh, settings, scene, write), self.progress).report
            self.report.warnings[:0] = self.of_level
            writers[0].end_tiles()
            self.report.warnings += writers[0].warnings
            self.report.ground = bare_ground(doubled, settings)
            self._pass_gates()

    def _build(self, mesh: tuple[Any, Any, Any], settings: Settings, scene: Scene) -> NavMesh:
        """One build, or `--repeat` of them after a warm-up; the last one's result."""
        runs = 1 if self.arguments.repeat is None else 1 + self.arguments.repeat
        seconds = []
        for _ in range(runs):
            navmesh = _interruptible(lambda: self._build_once(mesh, settings, scene), self.progress)
            seconds.append(navmesh.report.total_seconds)
        if self.arguments.repeat is not None:
            self.repeat = {"best": min(seconds[1:]), "median": statistics.median(seconds[1:])}
        return navmesh

    def _build_once(
        self, mesh: tuple[Any, Any, Any], settings: Settings, scene: Scene, on_tile: OnTile | None = None
    ) -> NavMesh:
        vertices, triangles, areas = mesh
        return build_navmesh(
            vertices, triangles, settings, areas=areas, volumes=scene.volumes, links=scene.links,
            area_types=scene.area_types, bounds=scene.bounds,
            threads=self.arguments.threads, progress=self.progress, keep_stages=self.arguments.dump_stages is not None,
            failures=self.arguments.failures, on_tile=on_tile, executor=self.executor,
            detour_data=self._within_detour(),
        )  # fmt: skip

    def write_report(self, error: NavmeshError | None) -> None:
        if not self.arguments.report:
            return
        report = self.report.to_mapping(error, self.repeat)
        if self.skipped is not None:
            report = {**self.skipped, "ok": report["ok"], "error": report["error"], "unchanged": True}
        report |= gates_in_report(report, self.verdicts, self.last)
        write_whole(self.arguments.report, json_text(report))


def _read_mesh(path: Path, scene: Scene, progress: Progress) -> LevelMesh:
    level: LevelMesh = _interruptible(lambda: read_mesh(path, scene, progress=progress), progress)
    return level


def _geometry(mesh: tuple[Any, Any, Any]) -> Geometry:
    vertices, triangles, areas = mesh
    return Geometry(vertices, triangles, np.empty(0, np.uint8) if areas is None else areas)


def _interruptible(work: Any, progress: Progress) -> Any:
    """Run `work` on a thread of its own, so that Ctrl-C is heard while a kernel runs and becomes an orderly cancel."""
    with ThreadPoolExecutor(1, "navmesh-build") as pool:
        future = pool.submit(work)
        while True:
            try:
                return future.result(timeout=0.2)
            except StillRunning:
                if future.done():
                    raise
            except KeyboardInterrupt:
                progress.cancel()


class _ProgressLine:
    """One line on the terminal that says where the build is."""

    def __call__(self, stage: str, fraction: float) -> None:
        text = "" if stage == "done" else f"{stage} {fraction:4.0%}"
        sys.stderr.write(f"\r\x1b[K{text}")
        sys.stderr.flush()
