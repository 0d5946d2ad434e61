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

from ..cluster import dask_executor
from ..dump import dumped
from ..errors import BadInput, BadSettings, NavmeshError
from ..formats import check_output, write_navmesh
from ..formats.atomic import check_folder, write_whole
from ..formats.json_text import json_text
from ..formats.mset import MsetWriter, mset_file
from ..formats.npz import npz_bytes, read_npz
from ..formats.obj import read_obj
from ..level import OnTile, build_navmesh
from ..navmesh import NavMesh, Tile
from ..progress import Progress
from ..report import Report
from ..scene import Scene
from ..settings import Settings
from ..settings_flags import given_settings
from ..tiles import TileGrid


class Job:
    """One run of the command; keeps what the report needs, however far the run came."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.arguments = arguments
        self.report = Report(Settings())
        self.repeat: dict[str, float] | None = None
        self.executor: Executor | None = None
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
        for output in arguments.outputs:
            check_output(output, settings)  # what a format cannot hold is said before the build
        scene = Scene.from_file(arguments.scene) if arguments.scene else Scene()
        mesh = _read_mesh(arguments.input)
        if arguments.dask is not None and settings.tile_size == 0:
            raise BadSettings("A cluster builds tiles, and tile_size is 0. Set it, to 64 say, or leave --dask out.")
        with ExitStack() as cluster:
            if arguments.dask is not None:
                self.executor = cluster.enter_context(dask_executor(arguments.dask))
            self._build_and_write(mesh, settings, scene)

    def _build_and_write(self, mesh: tuple[Any, Any, Any], settings: Settings, scene: Scene) -> None:
        arguments = self.arguments
        if (
            settings.tile_size
            and arguments.outputs
            and all(map(_is_detour, arguments.outputs))
            and not self._needs_all()
        ):
            self.report = self._stream(mesh, settings, scene)
            return
        navmesh = self._build(mesh, settings, scene)
        self.report = navmesh.report
        if arguments.dump_stages:
            write_whole(arguments.dump_stages, npz_bytes(dumped(navmesh)))
        for output in arguments.outputs:
            write_navmesh(navmesh, output)

    def _needs_all(self) -> bool:
        """Whether something besides the outputs wants the finished navmesh."""
        return self.arguments.dump_stages is not None or self.arguments.repeat is not None

    def _stream(self, mesh: tuple[Any, Any, Any], settings: Settings, scene: Scene) -> Report:
        """Write each tile as soon as it is built; files appear when all are complete."""
        writers: list[MsetWriter] = []
        with ExitStack() as files:

            def write(cut: TileGrid, tile: Tile) -> None:
                if not writers:
                    made = (
                        mset_file(path, settings, cut, scene.links, scene.area_types) for path in self.arguments.outputs
                    )
                    writers.extend(map(files.enter_context, made))
                for writer in writers:
                    writer.add(tile)

            navmesh = _interruptible(lambda: self._build_once(mesh, settings, scene, write), self.progress)
            navmesh.report.warnings += writers[0].warnings
        return navmesh.report

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
            on_tile=on_tile, executor=self.executor,
        )  # fmt: skip

    def write_report(self, error: NavmeshError | None) -> None:
        if self.arguments.report:
            write_whole(self.arguments.report, json_text(self.report.to_mapping(error, self.repeat)))


def _read_mesh(path: Path) -> tuple[Any, Any, Any]:
    ending = path.suffix.lower()
    if ending not in (".obj", ".npz"):
        raise BadInput(f"{path.name}: unknown ending. Meshes are read from .obj and .npz.", "UNKNOWN_FORMAT")
    try:
        return read_npz(path) if ending == ".npz" else (*read_obj(path), None)
    except OSError as reason:
        raise BadInput(f"Could not read {path}: {reason.strerror or reason}.", "CANNOT_READ") from None


def _is_detour(path: Path) -> bool:
    return path.suffix.lower() == ".bin"


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
