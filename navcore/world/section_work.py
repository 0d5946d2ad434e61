"""One section with all that decides what it becomes: small enough to travel to whoever looks at it and builds it."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..agent_sizes import AgentSize
from ..build_warning import BuildWarning
from ..builder.build_level import running_with_store
from ..builder.build_limits import check_tile_memory, forecast
from ..builder.checked_input import NO_EDITS, CheckedLevel
from ..builder.edit_marks import content_of, edit_key, is_edit
from ..builder.failure_files import Case
from ..builder.odd_input import InputLook, used_volumes
from ..builder.parts.part import joined
from ..builder.running_build import RunningBuild
from ..builder.tile_store import level_key
from ..builder.tiles.build_tiles import build_tiles
from ..detour.link_ends import LinkEnds
from ..detour.reader import open_set
from ..formats.mset import MsetWriter, mset_file
from ..geometry.tile_grid import TileGrid, grid_of_tile
from ..geometry.tile_key import TileKey
from ..level_source import AreaTypes
from ..progress import Progress
from ..scene import Link, Volume
from ..settings import Settings, Voxels
from ..stages.areas import boxes_around
from ..types import Grid
from ..version import code_fingerprint
from .section_files import SectionKeys, Stamp, remove_section, sha256_of, write_stamp
from .section_grid import OwnTiles, SeenGround, touching_ground
from .section_meshes import MeshSource, geometry_on, triangles_of
from .world_file import of_section

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


class HowToBuild(NamedTuple):
    """With what sections are built, none of which decides what comes out."""

    store: Path | None = None
    executor: Executor | None = None
    threads: int | None = None


class SharedByAll(NamedTuple):
    """What all sections of a world have in common."""

    folder: Path
    settings: Settings
    sizes: tuple[AgentSize, ...]  # each with its flag
    tiles: TileGrid
    grid: Mapping[str, Any]  # as the manifest has it
    reference_bits: int
    area_types: AreaTypes
    has_areas: bool  # whether any mesh says areas


class SectionWork(NamedTuple):
    """One section: what it is built from, and what is there of it."""

    shared: SharedByAll
    name: str
    own: OwnTiles
    tiles: TileGrid  # with those of the section, and near it, that have other cells
    ground: SeenGround
    plain_ground: SeenGround  # what it would see in the world's own cells
    beside: tuple[tuple[str, SeenGround], ...]  # its neighbors, and what they would see in these
    meshes: tuple[MeshSource, ...]  # that reach into it, in the order of the world
    volumes: tuple[Volume, ...]
    links: tuple[Link, ...]
    keys: SectionKeys
    stamp: Stamp | None  # of what is there
    why: str  # why it has to be built whatever it holds; "" where that has to be seen

    @property
    def file(self) -> str:
        """The name of its navmesh."""
        return f"{self.name}.bin"

    @property
    def is_as_it_was(self) -> bool:
        """Whether that is known without reading anything."""
        return not self.why and self.stamp is not None and self.keys == self.stamp.keys

    def with_whole_paths(self) -> SectionWork:
        """The same for somebody who stands elsewhere."""
        meshes = tuple(mesh._replace(path=mesh.path.resolve()) for mesh in self.meshes)
        return self._replace(shared=self.shared._replace(folder=self.shared.folder.resolve()), meshes=meshes)


class LookedAt(NamedTuple):
    """A section after a look at all that decides what it is."""

    plan: SectionPlan
    stamp: Stamp | None  # that of what is there and stays
    level: CheckedLevel | None  # what is to be built, where it is


class SectionDone(NamedTuple):
    """What came of a section."""

    result: SectionResult
    stamp: Stamp


def look_at(work: SectionWork, progress: Progress) -> LookedAt:
    """At one section: its geometry is read where its files, or those of its neighbors, are others."""
    stamp, why = work.stamp, work.why
    if stamp is not None and work.is_as_it_was:
        return LookedAt(SectionPlan(work.name, False, AS_IT_WAS), stamp, None)
    level = level_of(work, progress)
    if not why and stamp is not None:
        if content_of_section(work, level, progress) == stamp.content:
            # Neighbors may be called otherwise now, and what both see may be said otherwise.
            stamp = stamp._replace(keys=work.keys, borders=borders_of(work, level))
            return LookedAt(SectionPlan(work.name, False, "what changed does not reach it"), stamp, None)
        own = work.keys.own != stamp.keys.own
        why = "its meshes or its scene changed" if own else "what reaches into it from other sections changed"
    return LookedAt(SectionPlan(work.name, True, why), None, level)


def bring_up_to_date(work: SectionWork, how: HowToBuild, progress: Progress) -> SectionDone:
    """One section, built where it has to be: its file, then its stamp."""
    began, folder = time.perf_counter(), work.shared.folder
    with of_section(work.name):
        plan, stamp, level = look_at(work, progress)
        if stamp is None:
            assert level is not None
            stamp = _built(work, level, how, progress)
            write_stamp(folder, work.name, stamp)
        elif stamp != work.stamp:  # other files, and the same in them
            write_stamp(folder, work.name, stamp)
    seconds = time.perf_counter() - began
    return SectionDone(SectionResult(work.name, plan.build, plan.why, len(stamp.tiles), stamp.polygons, seconds), stamp)


# --- what a section is built from


def level_of(work: SectionWork, progress: Progress) -> CheckedLevel:
    """Everything that the tiles of a section see, in the order of the world, and perhaps a little more."""
    shared, pieces = work.shared, []
    for mesh in work.meshes:
        progress.check()
        pieces.append(geometry_on(triangles_of(mesh), work.ground))
    bounds = work.tiles.bounds_min, work.tiles.bounds_max
    return CheckedLevel(
        joined(pieces, shared.has_areas), work.volumes, work.links, bounds, shared.area_types, NO_EDITS, shared.sizes
    )


def content_of_section(work: SectionWork, level: CheckedLevel, progress: Progress) -> str:
    """A hash of what a section's tiles see: equal where their navmesh is."""
    shared = work.shared
    tiles = level_key(work.own.keys, work.tiles, level, shared.settings, progress)
    links = [link.to_mapping() for link in level.links]
    types = [(area, kind.to_mapping()) for area, kind in sorted(shared.area_types.items())]
    more = [[size.to_mapping() for size in shared.sizes]] if shared.sizes else []
    return hash_of([tiles.hex(), said_of(level.volumes), links, types, dict(shared.grid), *more])


def borders_of(work: SectionWork, level: CheckedLevel) -> dict[str, str]:
    """For each neighbor a hash of what the tiles of both see: equal in both, if they were built from the same."""
    found = {}
    for name, ground in work.beside:
        strip = work.plain_ground.common(ground)
        common = geometry_on(level.geometry, strip)
        marks = said_of(those_on(strip, level.volumes, 0.0))
        whole = hashlib.sha256(json.dumps([code_fingerprint(), marks], sort_keys=True).encode())
        whole.update(np.ascontiguousarray(common.vertices).tobytes())
        whole.update(np.ascontiguousarray(common.area).tobytes())
        found[name] = whole.hexdigest()
    return found


def said_of(volumes: Sequence[Volume]) -> list[dict[str, Any]]:
    """What decides about a file: of edits what they do to the ground, of volumes the states of doors as well."""
    return [content_of(volume) if is_edit(volume) else volume.to_mapping() for volume in volumes]


def those_on(ground: SeenGround, volumes: Sequence[Volume], margin: float) -> tuple[Volume, ...]:
    """The volumes that come within a margin of a rectangle."""
    if not volumes:
        return ()
    low, high = boxes_around(volumes)
    inside = touching_ground(low - np.float32(margin), high + np.float32(margin), ground)
    return tuple(volume for volume, is_inside in zip(volumes, inside.tolist(), strict=True) if is_inside)


def hash_of(content: Any) -> str:
    """Of anything that JSON can say."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


# --- what becomes of it


def _built(work: SectionWork, level: CheckedLevel, how: HowToBuild, progress: Progress) -> Stamp:
    """Build a section and write its file; the stamp of it."""
    shared, path = work.shared, work.shared.folder / work.file
    places, tiles, polygons = work.own.keys, list[tuple[int, int, int]](), 0
    told, marks = list[BuildWarning](), dict[str, int]()
    if len(level.geometry.triangles):
        started = running_with_store(
            shared.settings, how.threads, progress, None, how.store, True, False, shared.sizes
        )  # fmt: skip
        with started as (build, store), ExitStack() as files:
            build.sizes = shared.sizes  # whose flags are those of the whole world
            marked = _marked(work, level, build, how.executor is None)
            writer: MsetWriter | None = None
            for tile in build_tiles(places, work.tiles, marked, build, how.executor, None, store):
                if writer is None:  # a section without ground has no file
                    file = mset_file(
                        path, shared.settings, work.tiles, level.links, shared.area_types,
                        reference_bits=shared.reference_bits, most_tiles=len(places),
                    )  # fmt: skip
                    writer = files.enter_context(file)
                writer.add(tile)
                tiles.append((tile.x, tile.y, 0))
                polygons += len(tile.polygon_mesh.polygons)
            if writer is not None:
                writer.end_tiles()
                told += writer.warnings
            told = [*build.report.warnings, *told]
            marks = {**build.cells_of_edits(), **_used(marked, build.recipe.voxels)}
    if not tiles:
        remove_section(shared.folder, work.name)
    elif level.links:
        marks |= _landed(path, level.links)
    content, borders = content_of_section(work, level, progress), borders_of(work, level)
    return Stamp(work.keys, content, borders, sha256_of(path), tuple(tiles), polygons, tuple(told), marks)


def _used(marked: CheckedLevel, voxels: Voxels) -> dict[str, int]:
    """The keys of the volumes that ground reaches into."""
    volumes = marked.given_volumes
    used = used_volumes(marked.geometry, volumes, voxels) if volumes else []
    return {edit_key(volume): 1 for volume, is_used in zip(volumes, used, strict=True) if is_used}


def _landed(path: Path, links: Sequence[Link]) -> dict[str, int]:
    """The keys of the ends of links that have ground in a file which was written."""
    ends = LinkEnds(links)
    with path.open("rb") as file:
        for tile in open_set(file)[1]:
            ends.look(tile.data, around=False)
    keys = [end_key(link, end) for link in links for end in ("start", "end")]
    return {key: 1 for key, lands in zip(keys, ends.lands.ravel().tolist(), strict=True) if lands}


def end_key(link: Link, end: str) -> str:
    """What an end of a link is known by, whoever built its section."""
    place = link.start if end == "start" else link.end
    return hash_of([end, list(place), link.radius])[:16]


def _marked(work: SectionWork, level: CheckedLevel, build: RunningBuild, here: bool) -> CheckedLevel:
    """The level with its ground marked, after a look at it; refused where it takes more memory than there is."""
    grid, ground, own, settings = work.tiles, work.ground, work.own, build.settings
    build.case = Case(level.geometry, settings, level.volumes, (grid.bounds_min, grid.bounds_max))
    build.look = InputLook(level, settings)
    build.report.warnings += build.look.warnings
    marked = build.marked(level)
    low, high = grid.bounds_min.copy(), grid.bounds_max.copy()
    (low[0], low[2]), (high[0], high[2]) = (ground.x0, ground.z0), (ground.x1, ground.z1)
    largest, there = 0, set(own.keys)
    counts = [len(there), *(len(there & some.tiles) for some in grid.scaled)]
    for kind, count in zip(grid.kinds, counts, strict=True):
        if not count:  # of neighbors alone
            continue
        tile = grid_of_tile(kind, TileKey(own.columns[-1], own.rows[-1]))
        largest = max(largest, tile.width * tile.depth)
        cells = [max(1, int((high[axis] - low[axis]) / kind.cell_size)) for axis in (0, 2)]
        whole = Grid(cells[0], cells[1], 0, low, high, kind.cell_size, kind.cell_height)
        at_a_time = min(build.workers.count, count) if here else 1
        check_tile_memory(tile, forecast(whole, marked.geometry), settings.partition, at_a_time)
    build.guard.allow(largest)
    return marked
