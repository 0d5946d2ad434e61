"""Worlds section by section: what has changed is built, what has not is kept; one is in memory at a time."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from concurrent.futures import Executor
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from ..build_warning import BuildWarning
from ..builder.build_level import running_with_store
from ..builder.build_limits import check_tile_memory, forecast
from ..builder.checked_input import CheckedLevel, check_kinds
from ..builder.failure_files import Case
from ..builder.odd_input import InputLook
from ..builder.running_build import RunningBuild, Watch
from ..builder.tiles.build_tiles import build_tiles
from ..detour.limits import check_inputs
from ..files.atomic_write import make_folder, write_whole
from ..formats.mset import MsetWriter, mset_file
from ..geometry.tile_grid import grid_of_tile
from ..geometry.tile_key import TileKey
from ..progress import Progress
from ..types import Grid
from .section_files import (
    MANIFEST,
    Stamp,
    file_fits,
    manifest_of,
    read_manifest,
    read_stamp,
    remove_gone,
    remove_section,
    sha256_of,
    write_stamp,
)
from .section_grid import SectionGrid
from .section_inputs import SectionInputs
from .section_meshes import KNOWN_MESHES, WorldMeshes
from .world_file import World, of_section

AS_IT_WAS = "nothing has changed"


class SectionPlan(NamedTuple):
    """What is to be done with a section, and why."""

    name: str
    build: bool
    why: str


class SectionResult(NamedTuple):
    """What was done with a section."""

    name: str
    built: bool
    why: str
    tiles: int
    polygons: int
    seconds: float


class WorldReport(NamedTuple):
    """How a world was built. Warnings name their section."""

    sections: tuple[SectionResult, ...]
    warnings: tuple[BuildWarning, ...]
    seconds: float


class HowToBuild(NamedTuple):
    """With what sections are built, none of which decides what comes out."""

    store: Path | None = None
    executor: Executor | None = None
    threads: int | None = None


class _Looked(NamedTuple):
    """A section after a look at all that decides what it is."""

    plan: SectionPlan
    stamp: Stamp | None  # that of what is there and stays
    level: CheckedLevel | None  # what is to be built, where it is


class _WorldBuild:
    """A world and its folder while something is planned or built. All that can be refused before is refused here."""

    def __init__(self, world: World, folder: Path, progress: Progress, reference_bits: int) -> None:
        self.world, self.folder, self.progress = world, folder, progress
        self.manifest = read_manifest(folder)
        for section in world.sections:
            with of_section(section.name):
                check_inputs(world.settings, section.scene.links)
        self.grid = SectionGrid(world, reference_bits)
        self.meshes = WorldMeshes(world, folder, progress)
        self.meshes.check_owners(self.grid)
        self.inputs = SectionInputs(world, self.grid, self.meshes, progress)

    def look(self, number: int) -> _Looked:
        """At one section: its geometry is read where its files, or those of its neighbors, are others."""
        section = self.world.sections[number]
        keys, stamp = self.inputs.keys(number), read_stamp(self.folder, section)
        why = self._why(number, stamp)
        if not why and stamp is not None and keys == stamp.keys:
            return _Looked(SectionPlan(section.name, False, AS_IT_WAS), stamp, None)
        level = self.inputs.level(number)
        if not why and stamp is not None:
            if self.inputs.content(number, level) == stamp.content:
                stamp = stamp._replace(keys=keys)
                return _Looked(SectionPlan(section.name, False, "what changed does not reach it"), stamp, None)
            own = keys.own != stamp.keys.own
            why = "its meshes or its scene changed" if own else "what reaches into it from other sections changed"
        return _Looked(SectionPlan(section.name, True, why), None, level)

    def _why(self, number: int, stamp: Stamp | None) -> str:
        """Why a section has to be built whatever it holds; "" where that has to be seen."""
        section, keys = self.world.sections[number], self.inputs.keys(number)
        if stamp is None:
            return "it is not built yet"
        if not file_fits(self.folder, section, stamp):
            return f"{section.file} is not what was built"
        if keys.code != stamp.keys.code:
            return "this navcore is another one"
        if keys.setup != stamp.keys.setup:
            return "the world's settings or bounds changed, or the section's tiles"
        return ""

    def write_manifest(self) -> None:
        """Of all sections that are there as their stamps say, built for this grid."""
        stamps: list[Stamp | None] = []
        for number, section in enumerate(self.world.sections):
            stamp = read_stamp(self.folder, section)
            fits = stamp is not None and stamp.keys.setup == self.inputs.keys(number).setup
            stamps.append(stamp if stamp is not None and fits and file_fits(self.folder, section, stamp) else None)
        write_anew(self.folder / MANIFEST, manifest_of(self.world, self.grid, stamps))


def write_anew(path: Path, content: bytes) -> None:
    """Write a file, unless it says that already."""
    if not path.is_file() or path.read_bytes() != content:
        write_whole(path, content)


def plan_world(
    world: World,
    folder: str | os.PathLike[str],
    only: Iterable[str] = (),
    *,
    reference_bits: int = 32,
    progress: Watch = None,
) -> list[SectionPlan]:
    """What `build_world` would do, section by section, and why. Nothing is built, and nothing written."""
    chosen = world.named(list(only))
    watch = progress if isinstance(progress, Progress) else Progress(progress)
    running = _WorldBuild(world, Path(folder), watch, reference_bits)
    numbers = [number for number, section in enumerate(world.sections) if section.name in chosen]
    return [running.look(number).plan for number in numbers]


def build_world(
    world: World,
    folder: str | os.PathLike[str],
    only: Iterable[str] = (),
    *,
    store: Path | None = None,
    executor: Executor | None = None,
    threads: int | None = None,
    reference_bits: int = 32,
    progress: Watch = None,
) -> WorldReport:
    """Build the sections of a world that have changed: NAME.bin for each, and the manifest of all, in `folder`.

    The tiles of a section are those that one build of everything makes, before they are linked: they are built from
    its meshes and from whatever of others reaches into them or the border around them. Each file replaces the one
    before in one step, with a stamp beside it, so that a build which was killed goes on where it was. `only` names the
    sections that are built at most; `store`, `executor`, `threads` and `progress` are those of `build_navmesh`,
    `reference_bits` is that of `write_navmesh`. Raises `NavmeshError` that names the section. No Recast ancestor.
    """
    check_kinds(threads=threads, executor=executor, progress=progress, store=store)
    began, folder = time.perf_counter(), Path(folder)
    chosen = world.named(list(only))
    watch = progress if isinstance(progress, Progress) else Progress(progress)
    running, how = _WorldBuild(world, folder, watch, reference_bits), HowToBuild(store, executor, threads)
    make_folder(folder)
    write_anew(folder / KNOWN_MESHES, running.meshes.to_json())
    results, warnings = [], list[BuildWarning]()
    try:
        for number, section in enumerate(world.sections):
            if section.name in chosen:
                results.append(_brought_up_to_date(running, number, how, warnings))
    finally:
        running.write_manifest()  # of what is there by now, also where a section was refused
    if chosen == {section.name for section in world.sections}:
        remove_gone(folder, world, running.manifest)
    return WorldReport(tuple(results), tuple(warnings), time.perf_counter() - began)


def _brought_up_to_date(
    running: _WorldBuild, number: int, how: HowToBuild, warnings: list[BuildWarning]
) -> SectionResult:
    """One section, built where it has to be."""
    section, began = running.world.sections[number], time.perf_counter()
    with of_section(section.name):
        plan, stamp, level = running.look(number)
        if stamp is not None:
            if read_stamp(running.folder, section) != stamp:  # other files, and the same in them
                write_stamp(running.folder, section, stamp)
        else:
            assert level is not None
            stamp, told = _built(running, number, level, how)
            write_stamp(running.folder, section, stamp)
            warnings += [one._replace(message=f"Section “{section.name}”: {one.message}") for one in told]
    seconds = time.perf_counter() - began
    return SectionResult(section.name, plan.build, plan.why, len(stamp.tiles), stamp.polygons, seconds)


def _built(running: _WorldBuild, number: int, level: CheckedLevel, how: HowToBuild) -> tuple[Stamp, list[BuildWarning]]:
    """Build a section and write its file; the stamp of it, and what there is to say."""
    world, section, grid = running.world, running.world.sections[number], running.grid.tiles
    path, places, tiles, polygons = running.folder / section.file, running.grid.own[number].keys, [], 0
    told: list[BuildWarning] = []
    if len(level.geometry.triangles):
        with (
            running_with_store(world.settings, how.threads, running.progress, None, how.store, True, False) as started,
            ExitStack() as files,
        ):
            build, store = started
            marked = _marked(running, number, level, build, how.executor is None)
            writer: MsetWriter | None = None
            for tile in build_tiles(places, grid, marked, build, how.executor, None, store):
                if writer is None:  # a section without ground has no file
                    bits = running.grid.reference_bits
                    file = mset_file(
                        path, world.settings, grid, level.links, world.area_types, reference_bits=bits,
                        most_tiles=len(places),
                    )  # fmt: skip
                    writer = files.enter_context(file)
                writer.add(tile)
                tiles.append((tile.x, tile.y, 0))
                polygons += len(tile.polygon_mesh.polygons)
            if writer is not None:
                writer.end_tiles()
                told += writer.warnings
            told = [*build.report.warnings, *told]
    if not tiles:
        remove_section(running.folder, section)
    keys, content = running.inputs.keys(number), running.inputs.content(number, level)
    borders = running.inputs.borders(number, level)
    return Stamp(keys, content, borders, sha256_of(path), tuple(tiles), polygons), told


def _marked(running: _WorldBuild, number: int, level: CheckedLevel, build: RunningBuild, here: bool) -> CheckedLevel:
    """The level with its ground marked, after a look at it; refused where it takes more memory than there is."""
    grid, ground, settings = running.grid.tiles, running.grid.seen_ground(number), running.world.settings
    build.case = Case(level.geometry, settings, level.volumes, (grid.bounds_min, grid.bounds_max))
    build.look = InputLook(level, settings)
    build.report.warnings += build.look.warnings
    marked = build.marked(level)
    own = running.grid.own[number]
    tile = grid_of_tile(grid, TileKey(own.columns[-1], own.rows[-1]))
    build.guard.allow(tile.width * tile.depth)
    low, high = grid.bounds_min.copy(), grid.bounds_max.copy()
    (low[0], low[2]), (high[0], high[2]) = (ground.x0, ground.z0), (ground.x1, ground.z1)
    cells = [max(1, int((high[axis] - low[axis]) / grid.cell_size)) for axis in (0, 2)]
    whole = Grid(cells[0], cells[1], 0, low, high, grid.cell_size, grid.cell_height)
    at_a_time = min(build.workers.count, len(own.keys)) if here else 1
    check_tile_memory(tile, forecast(whole, marked.geometry), settings.partition, at_a_time)
    return marked
