"""Worlds section by section: what has changed is built, what has not is kept; one is in memory at a time."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Generator, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from ..build_warning import BuildWarning
from ..builder.checked_input import NO_EDITS, check_kinds
from ..builder.edit_marks import edit_key, edit_warnings
from ..builder.local_resolution import unused_resolutions
from ..builder.odd_input import unused_warning
from ..builder.running_build import Watch
from ..detour.limits import check_inputs
from ..errors import NothingWalkable
from ..files.atomic_write import check_no_file, make_folder, write_whole
from ..level_source import NavmeshEdits
from ..progress import Progress
from ..scene import Scene, marks_ground
from .on_workers import facts_on_workers, is_worth_it, sections_on_workers
from .section_files import MANIFEST, Stamp, file_fits, manifest_of, read_manifest, read_stamp, remove_gone
from .section_grid import SectionGrid
from .section_inputs import SectionInputs
from .section_meshes import KNOWN_MESHES, WorldMeshes
from .section_work import (
    AS_IT_WAS,
    HowToBuild,
    SectionDone,
    SectionPlan,
    SectionResult,
    SectionWork,
    bring_up_to_date,
    end_key,
    look_at,
)
from .world_file import World, of_section

__all__ = ["AS_IT_WAS", "SectionPlan", "SectionResult", "WorldReport", "build_world", "plan_world"]


class SectionWarning(NamedTuple):
    """What was said when a section was built."""

    section: str
    warning: BuildWarning

    @property
    def with_section(self) -> BuildWarning:
        """The same, with the section in the message."""
        return self.warning._replace(message=f"Section “{self.section}”: {self.warning.message}")

    @property
    def sentence(self) -> str:
        """With the section and the place."""
        return self.with_section.sentence

    def to_mapping(self) -> dict[str, Any]:
        """As the report has it."""
        code, message, place, _ = self.warning
        return {
            "code": code, "section": self.section, "message": message,
            "place": None if place is None else list(place),
        }  # fmt: skip


class WorldReport(NamedTuple):
    """How a world was built. What was said of sections that are kept is told again."""

    sections: tuple[SectionResult, ...]
    told: tuple[SectionWarning, ...]
    seconds: float

    @property
    def warnings(self) -> tuple[BuildWarning, ...]:
        """All of them, each with its section in the message."""
        return tuple(told.with_section for told in self.told)


class _WorldBuild:
    """A world and its folder while something is planned or built. All that can be refused before is refused here."""

    def __init__(
        self, world: World, folder: Path, progress: Progress, reference_bits: int, executor: Executor | None = None
    ) -> None:
        self.world, self.folder, self.progress = world, folder, progress
        check_no_file(folder)
        read_manifest(folder)  # another's is refused
        for section in world.sections:
            with of_section(section.name):
                check_inputs(world.settings, section.scene.links)
        self.grid = SectionGrid(world, reference_bits)
        look = None if executor is None else partial(facts_on_workers, executor, folder, progress)
        self.meshes = WorldMeshes(world, folder, progress, look)
        self.meshes.check_owners(self.grid)
        self.inputs = SectionInputs(world, folder, self.grid, self.meshes)
        self.done: dict[str, SectionDone] = {}

    def write_manifest(self) -> None:
        """Of all sections that are there as their stamps say, built for this grid."""
        stamps = [self._stamp(number) for number in range(len(self.world.sections))]
        write_anew(self.folder / MANIFEST, manifest_of(self.world, self.grid, stamps))

    def _stamp(self, number: int) -> Stamp | None:
        name = self.world.sections[number].name
        if name in self.done:
            return self.done[name].stamp
        stamp = read_stamp(self.folder, name)
        fits = stamp is not None and stamp.keys.setup == self.inputs.setup(number)
        return stamp if stamp is not None and fits and file_fits(self.folder, name, stamp) else None


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
    return [look_at(running.inputs.work(number), watch).plan for number in numbers]


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
    sections that are built at most; `store`, `threads` and `progress` are those of `build_navmesh`, `reference_bits` is
    that of `write_navmesh`. On an `executor` each section is read, built and written by one worker, who has to see the
    same files; of one section alone, or a few large ones, tiles are handed over. Raises `NavmeshError` that names the
    section. No Recast ancestor.
    """
    check_kinds(threads=threads, executor=executor, progress=progress, store=store)
    began, folder = time.perf_counter(), Path(folder)
    chosen = world.named(list(only))
    watch = progress if isinstance(progress, Progress) else Progress(progress)
    running, how = _WorldBuild(world, folder, watch, reference_bits, executor), HowToBuild(store, executor, threads)
    make_folder(folder)
    write_anew(folder / KNOWN_MESHES, running.meshes.to_json())
    works = [running.inputs.work(number) for number, section in enumerate(world.sections) if section.name in chosen]
    try:
        with closing(_each(works, how, watch)) as sections:
            for done in sections:
                running.done[done.result.name] = done
    finally:
        running.write_manifest()  # of what is there by now, also where a section was refused
    if chosen == {section.name for section in world.sections}:
        remove_gone(folder, world)
        _check_ground(running)
    rows = [running.done[work.name] for work in works]
    marks = _marks(running)
    told = [
        SectionWarning(section.name, warning)
        for section in world.sections
        if section.name in chosen
        for warning in [*_unused(section.scene, running, marks), *running.done[section.name].stamp.warnings]
    ]
    return WorldReport(tuple(done.result for done in rows), tuple(told), time.perf_counter() - began)


def _check_ground(running: _WorldBuild) -> None:
    """Refuse a world of which nothing came, whatever it was built from; one section without ground is no fault."""
    if running.meshes.all and not any(done.stamp.tiles for done in running.done.values()):
        raise NothingWalkable(
            "No section of the world has ground that an agent can walk on, so that no navmesh was written. Check the "
            "up axis and the scale of the meshes, agent_radius and agent_height."
        )


def _marks(running: _WorldBuild) -> Mapping[str, int] | None:
    """By key, what edits, volumes and ends of links mark in the whole world; None where not all of it was looked at."""
    if len(running.done) < len(running.world.sections):
        return None
    marks = Counter[str]()
    for done in running.done.values():
        marks.update(done.stamp.marks)
    return marks


def _unused(scene: Scene, running: _WorldBuild, marks: Mapping[str, int] | None) -> list[BuildWarning]:
    """What a scene says of places where no section has a tile, or none has ground: no file holds it."""
    told = unused_resolutions(running.grid.tiles, scene.volumes)
    if marks is not None:
        used = [not marks_ground(volume) or edit_key(volume) in marks for volume in scene.volumes]
        edits = NavmeshEdits.of(scene.edits) or NO_EDITS
        told += [*unused_warning(scene.volumes, used), *edit_warnings(edits.checked().marks(), marks)]
    for number, link in enumerate(scene.links, 1):
        for end, place in (("start", link.start), ("end", link.end)):
            if not running.grid.is_owned(place[0], place[2]):
                why = f"{end}s on the tile of no section"
            elif marks is not None and end_key(link, end) not in marks:
                why = f"is not attached at its {end}: no ground lies within its radius and agent_max_climb of it"
            else:
                continue
            text = f"Link {number} {why}, so no agent takes it. Move it or delete it."
            told.append(BuildWarning("LINK_UNATTACHED", text, place, link.name))
            break
    return told


def _each(works: Sequence[SectionWork], how: HowToBuild, progress: Progress) -> Generator[SectionDone, None, None]:
    """All sections, brought up to date; those that workers build come last."""
    away = [work for work in works if how.executor is not None and not work.is_as_it_was]
    if how.executor is None or not is_worth_it(away, how.executor):
        away = []
    names = {work.name for work in away}
    for work in works:
        if work.name not in names:
            yield bring_up_to_date(work, how, progress)
    if away and how.executor is not None:
        yield from sections_on_workers(how.executor, away, how.store, progress)
