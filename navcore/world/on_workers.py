"""Worlds on an executor: whole sections for one worker each, who reads, builds and writes where it is.

What travels is where files lie, and back come hashes. So workers have to see the files as they are here: a mark of each
travels along, and whoever sees another refuses.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import NamedTuple

from ..builder.tiles.build_tiles import in_order
from ..builder.tiles.dask_cluster import guarded, jobs_ahead, threads_of
from ..builder.tiles.tile_batches import BatchSizes, Unwanted, noticing
from ..errors import BadInput, Cancelled
from ..progress import Progress
from .section_meshes import KNOWN_MESHES, MeshFacts, MeshSource, known_in, looked_at
from .section_work import HowToBuild, SectionDone, SectionWork, bring_up_to_date

_MANY_TILES = 256  # in a section: more are worth being built by several workers
_LOOKS_EACH, _MOST_MESHES = 4, 64  # jobs for each worker that look at meshes, and meshes in one


class SeenFile(NamedTuple):
    """A file as it is seen here."""

    path: Path
    size: int
    time: int  # nanoseconds

    @classmethod
    def of(cls, path: Path) -> SeenFile:
        """Paths are whole, as workers stand elsewhere."""
        there = path.resolve().stat()
        return cls(path.resolve(), there.st_size, there.st_mtime_ns)

    @property
    def is_seen(self) -> bool:
        """Whether it is the same here."""
        try:
            there = self.path.stat()
        except OSError:
            return False
        return (there.st_size, there.st_mtime_ns) == (self.size, self.time)


def is_worth_it(works: Sequence[SectionWork], executor: Executor) -> bool:
    """Whether workers get whole sections: not one alone, nor a few large ones for which most workers would wait."""
    tiles = sum(len(work.own.columns) * len(work.own.rows) for work in works)
    return len(works) > 1 and (len(works) >= threads_of(executor) or tiles < _MANY_TILES * len(works))


class MeshLooks:
    """Meshes that one worker looks at."""

    def __init__(self, sources: Sequence[MeshSource], folder: Path) -> None:
        self._folder = folder.resolve()
        self._sources = [source._replace(path=source.path.resolve()) for source in sources]
        self._marks = [SeenFile.of(source.path) for source in sources]

    @property
    def places(self) -> list[str]:
        """The sections whose meshes they are."""
        return list(dict.fromkeys(source.section for source in self._sources))

    def alone(self) -> list[MeshLooks]:
        """The same, each by itself."""
        return [MeshLooks([source], self._folder) for source in self._sources]

    def look(self) -> list[MeshFacts | None]:
        """The facts of all; None of those that are not seen here."""
        known, facts = known_in(self._folder), list[MeshFacts | None]()
        for source, mark in zip(self._sources, self._marks, strict=True):
            facts += looked_at([source], known, Progress()) if mark.is_seen else [None]
        return facts


def facts_on_workers(
    executor: Executor, folder: Path, progress: Progress, sources: Sequence[MeshSource]
) -> list[MeshFacts]:
    """The facts of meshes, found by workers; of what they do not see here."""
    found: list[MeshFacts] = []
    with guarded(executor, progress) as watched:
        each = max(1, min(len(sources) // (_LOOKS_EACH * threads_of(watched)), _MOST_MESHES))
        jobs = (MeshLooks(sources[begin : begin + each], folder) for begin in range(0, len(sources), each))
        for facts in in_order(MeshLooks.look, jobs, watched, jobs_ahead, progress):
            own = sources[len(found) : len(found) + len(facts)]
            for source, one in zip(own, facts, strict=True):
                found += looked_at([source], known_in(folder), progress) if one is None else [one]
            progress.report("reading", len(found) / len(sources))
    return found


class SectionJob:
    """Sections that one worker brings up to date."""

    def __init__(self, works: Sequence[SectionWork], store: Path | None) -> None:
        self._works = [work.with_whole_paths() for work in works]
        self._store = None if store is None else store.resolve()
        self._marks = [[SeenFile.of(mesh.path) for mesh in work.meshes] for work in self._works]
        self._folder = SeenFile.of(works[0].shared.folder / KNOWN_MESHES)

    @property
    def places(self) -> list[str]:
        """What the sections are called."""
        return [work.name for work in self._works]

    def alone(self) -> list[SectionJob]:
        """The same, each by itself."""
        return [SectionJob([work], self._store) for work in self._works]

    def build(self) -> list[SectionDone]:
        """What came of each. Raises BadInput where its files are not seen here."""
        progress, how = Progress(), HowToBuild(self._store, None, 1)
        done: list[SectionDone] = []
        with noticing(progress.cancelled):
            try:
                for work, marks in zip(self._works, self._marks, strict=True):
                    for mark in (self._folder, *marks):
                        if not mark.is_seen:
                            raise _not_shared(work.name, mark.path)
                    done.append(bring_up_to_date(work, how, progress))
            except Cancelled:
                raise Unwanted("the sections were given up where they were asked for") from None
        return done


def _not_shared(section: str, path: Path) -> BadInput:
    return BadInput(
        f"Section “{section}”: the worker on {socket.gethostname()} does not see {path} as it is here, and workers "
        "read and write whole sections. Mount the same disk under the same path on every machine, build a few sections "
        "at a time with --only, whose tiles are handed over instead, or build without workers.",
        "WORLD_NOT_SHARED",
    )


def sections_on_workers(
    executor: Executor, works: Sequence[SectionWork], store: Path | None, progress: Progress
) -> Iterator[SectionDone]:
    """Bring sections up to date, each where one worker is."""
    with guarded(executor, progress) as watched:
        sizes = BatchSizes(len(works), 1, lambda: threads_of(watched))

        def jobs() -> Iterator[SectionJob]:
            begin = 0
            while begin < len(works):
                some = works[begin : begin + sizes.next()]
                begin += len(some)
                for _ in some:
                    sizes.handed_over()
                yield SectionJob(some, store)

        count = 0
        for done in in_order(SectionJob.build, jobs(), watched, jobs_ahead, progress):
            yield from done
            count += len(done)
            sizes.learn_seconds([one.result.seconds for one in done])
            progress.report("sections", count / len(works))
