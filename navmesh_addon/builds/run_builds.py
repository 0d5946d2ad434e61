"""Build what was requested, on whatever thread this is called. Nothing here may touch bpy."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from ...navcore.compile_ahead import starter, waiting
from ..background import Job
from ..errors import BuilderMissing
from ..gather.gathered_level import fingerprint, flipped_floors, geometry_of
from ..package_names import builder_is_loaded
from .intent_check import check_request
from .own_navmesh import own_navmesh
from .request_and_result import BuiltNavmesh, Checked, Means, Request

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ...navcore.formats.mesh_measures import LastClearances, PolygonValues
    from ...navcore.progress import Progress
    from ...navcore.result.navmesh import NavMesh


class Onlooker(waiting.Waiter, Protocol):
    """Who sees how far builds are, and can cancel the one that runs."""

    def watch(self, progress: Progress) -> None:
        """Called once there is something to cancel."""


class BuildJob(Job[list[BuiltNavmesh]]):
    """One or several builds on a thread of their own. Its result is there when it has ended."""

    def __init__(self, requests: list[Request], means: Means) -> None:
        super().__init__("navmesh-build", partial(build_all, requests, means))
        self.requests, self.stage = requests, "preparing"

    def show_progress(self, number: int, stage: str, fraction: float) -> None:
        """Called on the thread, as often as the builder likes."""
        self.stage, self.fraction = stage, (number + fraction) / len(self.requests)


def build_all(requests: list[Request], means: Means, onlooker: Onlooker | None = None) -> list[BuiltNavmesh]:
    """Build every request; all or none. Raises NavmeshError, also where Numba cannot be loaded."""
    load(means.kernels)
    if onlooker is None:
        compile_together(means.kernels)
    from ...navcore.compile_ahead.usual_kernels import is_small
    from ...navcore.detour.queries.seeds import checked_seeds

    for request in requests:
        if request.prune:
            checked_seeds(request.seeds)  # said before anything is built
    built = []
    for number, request in enumerate(requests):
        gathered, begin = request.gathered, partial(progress_of, onlooker, number)
        small = bool(gathered.own) or is_small(gathered.vertices, request.settings, gathered.bounds)
        built.append(_built(request, *waiting.build(partial(_with_values, request, means), begin, small, onlooker)))
    return built


def finish_tiles(
    request: Request, navmesh: NavMesh, means: Means, onlooker: Onlooker, last: LastClearances
) -> BuiltNavmesh:
    """What `build_all` makes of a request whose tiles are built. Raises NavmeshError."""
    progress = progress_of(onlooker, 0)
    navmesh = _with_seeds(request, navmesh)
    _ = _merged(navmesh)
    progress.check()
    islands = islands_of(navmesh)
    progress.check()
    values = values_of(navmesh, means.threads, progress, last)
    return _built(request, navmesh, islands, values, check_request(request, navmesh, means.threads, progress=progress))


def _built(
    request: Request, navmesh: NavMesh, islands: npt.NDArray[np.int32], values: PolygonValues, checked: Checked
) -> BuiltNavmesh:
    gathered = request.gathered
    notes = (*gathered.notes, *flipped_floors(gathered))
    print_ = fingerprint(gathered, request.prune)
    return BuiltNavmesh(request, navmesh, islands, values, notes, print_, checked)


def progress_of(onlooker: Onlooker | None, number: int) -> Progress:
    """Of one of several builds, which the onlooker can cancel."""
    from ...navcore.progress import Progress

    progress = Progress(None if onlooker is None else partial(onlooker.show_progress, number))
    if onlooker is not None:
        onlooker.watch(progress)
    return progress


def _with_values(
    request: Request, means: Means, progress: Progress
) -> tuple[NavMesh, npt.NDArray[np.int32], PolygonValues, Checked]:
    navmesh = _navmesh(request, means, progress)
    islands = islands_of(navmesh)
    progress.check()
    values = values_of(navmesh, means.threads, progress)
    return navmesh, islands, values, check_request(request, navmesh, means.threads, progress=progress)


def islands_of(navmesh: NavMesh) -> npt.NDArray[np.int32]:
    """The island of each polygon; where tiles are too large for runtime data, as far as edges tell."""
    from ...navcore.detour.queries.islands import find_islands
    from ...navcore.errors import TooLarge
    from ...navcore.formats.mesh_measures import plain_islands
    from ...navcore.formats.plain_navmesh import plain_navmesh

    try:
        return find_islands(navmesh).of_polygon
    except TooLarge:
        return plain_islands(plain_navmesh(navmesh))[0]


def values_of(
    navmesh: NavMesh, threads: int | None = None, progress: Progress | None = None, last: LastClearances | None = None
) -> PolygonValues:
    """What colors and geometry nodes want to know of each polygon."""
    from ...navcore.formats.mesh_measures import polygon_values
    from ...navcore.formats.plain_navmesh import plain_navmesh

    return polygon_values(plain_navmesh(navmesh), threads, progress, last)


def _navmesh(request: Request, means: Means, progress: Progress) -> NavMesh:
    """All that takes a while."""
    from ...navcore.builder.build_level import build_navmesh

    if request.gathered.own:
        navmesh = _with_seeds(request, own_navmesh(request, progress))
        _ = _merged(navmesh)
        progress.check()
        return navmesh
    navmesh = build_navmesh(
        request.level, settings=request.settings, threads=means.threads, progress=progress,
        keep_stages=request.keep_stages or (means.stage_bytes > 0 and not request.settings.tile_size),
        detour_data=request.detour_data and not request.prune and not request.gathered.drops,  # less may fit
    )  # fmt: skip
    navmesh = _with_seeds(request, navmesh)
    if not request.keep_stages:
        navmesh = _within_budget(navmesh, means.stage_bytes)
    _ = _merged(navmesh)
    progress.check()
    return navmesh


def _with_seeds(request: Request, navmesh: NavMesh) -> NavMesh:
    """Without what no seed reaches, where that is asked for; seeds that stand on no ground are told in any case."""
    from ...navcore.detour.queries.prune import prune_navmesh
    from ...navcore.detour.queries.seeds import tell_lost_seeds
    from ...navcore.scene import as_seeds

    level = None if request.gathered.own else geometry_of(request.gathered)
    if request.prune:
        return prune_navmesh(navmesh, request.seeds, level)
    tell_lost_seeds(navmesh, as_seeds(request.gathered.seeds), level)
    return navmesh


def _within_budget(navmesh: NavMesh, max_bytes: int) -> NavMesh:
    """Stages that nobody asked to keep: they are there anyway, and cost nothing but memory."""
    from ...navcore.builder.rebuilt_stages import bytes_of

    return navmesh if bytes_of(navmesh.stages) <= max_bytes else replace(navmesh, stages={})


def _merged(navmesh: NavMesh) -> bool:
    """Compute what writing back will ask for."""
    from ...navcore.errors import TooLarge

    try:
        return navmesh.polygon_mesh is not None and navmesh.detail_mesh is not None
    except TooLarge:  # one mesh cannot hold it: tiles are written one by one
        return False


def load(kernels: Path | None) -> None:
    """Load the builder and tell it where compiled kernels are kept. Raises BuilderMissing."""
    try:
        from ...navcore.kernels import kept_kernels
    except (ImportError, OSError) as reason:
        raise BuilderMissing(why_missing(reason)) from None
    if kernels is not None and not builder_is_loaded():
        kept_kernels.keep_kernels_in(kernels)


def compile_together(kernels: Path | None) -> None:
    """Where kernels have to be compiled and all wait for the build: several processes are faster than this one."""
    from ...navcore.kernels import kept_kernels

    if kernels is not None and not kept_kernels.has_shipped_kernels() and starter.current() is None:
        begin_for_script(kernels)


def begin_for_script(kernels: Path) -> starter.CompilerProcesses | None:
    """Where nothing goes on but the build, which waits for what it needs.

    A script's Blender waits for them before it ends: the next must not begin anew.
    """
    return starter.begin(kernels, whole=False, manner=starter.Manner(to_the_end=True))


_ZIPS = {"3.11": "Blender 4.2 to 5.0", "3.13": "Blender 5.1 and newer"}  # by Python


def _zip_for(python: str) -> str:
    """What would work: another zip, or another Blender."""
    if python in _ZIPS:
        return f"Install the Navmesh zip for {_ZIPS[python]} and your system: that one brings it."
    served = " and ".join(f"{blender} (Python {version})" for version, blender in _ZIPS.items())
    return f"There are Navmesh zips for {served}: install Blender from blender.org, and its zip for your system."


def why_missing(reason: BaseException) -> str:
    """One sentence for people whose Blender can't load Numba."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    if isinstance(reason, ModuleNotFoundError):
        return f"Navmesh builds with Numba, and this installation has none for Python {version}. {_zip_for(version)}"
    return f"Numba could not be loaded on this Python {version}: {str(reason).strip().splitlines()[0]}"
