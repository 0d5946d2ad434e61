"""The build, apart from Blender: on a thread of its own, or at once. Nothing here may touch bpy; a test sees to it.

The thread gets arrays and plain values, and gives back finished navmeshes. Cancelling asks it to stop and does not
wait: a kernel that is being compiled cannot be interrupted, so it ends unseen, and its result is thrown away.
"""

from __future__ import annotations

import sys
import threading
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ...navcore.errors import NavmeshError
from ..errors import BuilderMissing
from ..gather.gathered import Gathered, Note, fingerprint, flipped_floors
from ..package import builder_is_loaded
from . import compile_after_install as preparation
from . import waiting_for_kernels as meanwhile

if TYPE_CHECKING:
    from ...navcore.progress import Progress
    from ...navcore.result.navmesh import NavMesh
    from ...navcore.settings import Settings

_unfinished: list[threading.Thread] = []  # threads whose build was cancelled, until they end


class Means(NamedTuple):
    """What to build with."""

    kernels: Path | None = None  # where compiled kernels are kept; None leaves it to navcore
    threads: int | None = None  # None for all cores


class Request(NamedTuple):
    """One navmesh to build."""

    setup: str  # the identity of its setup
    name: str
    settings: Settings
    gathered: Gathered
    area_types: tuple[tuple[int, str, int, float], ...] = ()  # area id as runtime data has it, name, flags, cost
    keep_stages: bool = False
    detour_data: bool = False  # refuse, before the build, what a .bin file cannot hold
    prune: bool = False  # leave out what no seed can reach


class Built(NamedTuple):
    """One navmesh that was built."""

    request: Request
    navmesh: NavMesh
    notes: tuple[Note, ...] = ()  # what is odd about the level
    fingerprint: str = ""  # of the level, to see later whether it has changed


class Job:
    """One or several builds on a thread. The main thread reads its fields and calls `cancel()`."""

    def __init__(self, requests: list[Request], means: Means) -> None:
        self.requests, self._means = requests, means
        self.stage, self.fraction = "preparing", 0.0
        self.built: list[Built] = []
        self.error: Exception | None = None
        self.cancelled = False
        self.began = time.monotonic()
        self._progress: Progress | None = None
        self._thread = threading.Thread(target=self._run, name="navmesh-build", daemon=True)

    def start(self) -> None:
        self._thread.start()

    @property
    def running(self) -> bool:
        return self._thread.is_alive()

    @property
    def seconds(self) -> float:
        """Since the job was made."""
        return time.monotonic() - self.began

    def cancel(self) -> None:
        """Ask the thread to stop; returns at once."""
        self.cancelled = True
        if self._progress is not None:
            self._progress.cancel()
        if self.running and self._thread not in _unfinished:
            _unfinished.append(self._thread)

    def _run(self) -> None:
        try:
            self.built = build_all(self.requests, self._means, self)
        except NavmeshError as error:
            self.error = error
        except Exception as error:  # noqa: BLE001 - an error that ends a thread would be seen by nobody
            self.error = error

    def watch(self, progress: Progress) -> None:
        """Called on the thread once there is something to cancel."""
        self._progress = progress
        if self.cancelled:
            progress.cancel()

    def show_progress(self, number: int, stage: str, fraction: float) -> None:
        """Called on the thread, as often as the builder likes."""
        self.stage = stage
        self.fraction = (number + fraction) / len(self.requests)


def build_all(requests: list[Request], means: Means, job: Job | None = None) -> list[Built]:
    """Build every request; all or none. Raises NavmeshError, also where Numba cannot be loaded."""
    load(means.kernels)
    if job is None:
        _compile_together(means.kernels)
    from ...navcore.compile_ahead.usual_kernels import is_small
    from ...navcore.detour.queries.prune import checked_seeds

    for request in requests:
        if request.prune:
            checked_seeds(request.gathered.seeds)  # said before anything is built
    built = []
    for number, request in enumerate(requests):
        given, begin = request.gathered, partial(_progress, job, number)
        small = is_small(given.vertices, request.settings, given.bounds)
        navmesh = meanwhile.build(partial(_navmesh, request, means), begin, small, job)
        built.append(Built(request, navmesh, (*given.notes, *flipped_floors(given)), fingerprint(given, request.prune)))
    return built


def _progress(job: Job | None, number: int) -> Progress:
    """Of one of the job's builds, which it can cancel."""
    from ...navcore.progress import Progress

    progress = Progress(None if job is None else partial(job.show_progress, number))
    if job is not None:
        job.watch(progress)
    return progress


def _navmesh(request: Request, means: Means, progress: Progress) -> NavMesh:
    """All that takes a while."""
    from ...navcore.area_types import AreaType
    from ...navcore.build.level import build_navmesh
    from ...navcore.detour.queries.prune import prune_navmesh

    given = request.gathered
    types = {area: AreaType(name, flags) for area, name, flags, _ in request.area_types}
    navmesh = build_navmesh(
        given.vertices, given.triangles, request.settings,
        areas=given.areas, volumes=given.volumes, links=given.links, bounds=given.bounds, area_types=types,
        threads=means.threads, progress=progress, keep_stages=request.keep_stages,
        detour_data=request.detour_data and not request.prune,  # pruning may make a level fit
    )  # fmt: skip
    if request.prune:
        navmesh = prune_navmesh(navmesh, given.seeds)
    _ = _merged(navmesh)
    progress.check()
    return navmesh


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
        from ...navcore import jit
    except (ImportError, OSError) as reason:
        raise BuilderMissing(why_missing(reason)) from None
    if kernels is not None and not builder_is_loaded():
        jit.keep_kernels_in(kernels)


def _compile_together(kernels: Path | None) -> None:
    """Where kernels have to be compiled and all wait for the build: several processes are faster than this one."""
    from ...navcore import jit

    if kernels is not None and not jit.has_shipped_kernels() and preparation.current() is None:
        preparation.begin(kernels, whole=False)


def why_missing(reason: BaseException) -> str:
    """One sentence for people whose Blender can't load Numba."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    if isinstance(reason, ModuleNotFoundError):
        return (
            f"Navmesh builds with Numba, and this installation has none for Python {version}. Install the Navmesh zip "
            "for your system into a Blender from blender.org, whose Python it is made for."
        )
    return f"Numba could not be loaded on this Python {version}: {str(reason).strip().splitlines()[0]}"


def wait_for_threads(seconds: float = 60.0) -> bool:
    """Wait until cancelled builds have ended. Returns whether all have."""
    until = time.monotonic() + seconds
    for thread in list(_unfinished):
        thread.join(max(0.0, until - time.monotonic()))
        if not thread.is_alive():
            _unfinished.remove(thread)
    return not _unfinished
