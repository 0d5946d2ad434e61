"""Comparing, apart from Blender: on a thread of its own, or at once. Nothing here may touch bpy; a test sees to it."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ....navcore.compile_ahead import waiting
from ....navcore.errors import NavmeshError
from ....navcore.progress import Progress
from ...builds.builder import build_all, load

if TYPE_CHECKING:
    from ....navcore.difference.compare import Difference
    from ....navcore.formats.plain_navmesh import PlainNavmesh
    from ....navcore.result.navmesh import NavMesh
    from ....navcore.views.picture import Picture
    from ...builds.request_and_result import Means, Request

_AT_THE_END = 60.0  # seconds that Blender's end waits for a thread whose kernel cannot be interrupted


class Side(NamedTuple):
    """One of the two. It is in memory, or it is read from a file or built again while they are compared."""

    name: str  # for people
    setup: str = ""  # whose navmesh it is now; "" for files, and for what another build took the place of
    build: str = ""  # "" for files
    navmesh: NavMesh | None = None
    request: Request | None = None
    path: Path | None = None


class Compared(NamedTuple):
    """What came of it."""

    scene: int  # its session_uid
    sides: tuple[Side, Side]
    found: Difference
    picture: Picture


class CompareThread:
    """One comparison. The main thread reads its fields and calls `cancel()`."""

    def __init__(self, scene: int, sides: tuple[Side, Side], lift: float, means: Means) -> None:
        self._scene, self._sides, self._lift, self._means = scene, sides, lift, means
        self.compared: Compared | None = None
        self.error: Exception | None = None
        self._progress = Progress()
        self._building: Progress | None = None
        self._thread = threading.Thread(target=self._run, name="navmesh-compare", daemon=True)

    def start(self) -> None:
        self._thread.start()

    @property
    def running(self) -> bool:
        return self._thread.is_alive()

    @property
    def cancelled(self) -> bool:
        return bool(self._progress.cancelled[0])

    def cancel(self) -> None:
        """Ask the thread to stop; returns at once."""
        self._progress.cancel()
        if self._building is not None:
            self._building.cancel()

    def join(self) -> None:
        """Wait until it has ended."""
        if self.running:
            self._thread.join(_AT_THE_END)

    def _run(self) -> None:
        try:
            self.compared = self.compare()
        except Exception as error:  # noqa: BLE001 - an error that ends a thread would be seen by nobody
            self.error = error

    def compare(self) -> Compared:
        """Do it here and now. Raises NavmeshError."""
        load(self._means.kernels)
        from ....navcore.difference.compare import navmesh_difference
        from ....navcore.difference.difference_picture import difference_picture

        before, after = map(self._navmesh_of, self._sides)
        self._progress.check()
        found = waiting.read_or_write(lambda: navmesh_difference(before, after, progress=self._progress))
        picture = waiting.read_or_write(lambda: difference_picture(found))
        picture.corners[:, :, 1] += self._lift
        sides = tuple(side._replace(navmesh=None, request=None) for side in self._sides)  # their arrays are not needed
        return Compared(self._scene, (sides[0], sides[1]), found, picture)

    def _navmesh_of(self, side: Side) -> NavMesh | PlainNavmesh:
        self._progress.check()
        if side.path is not None:
            return _read(side.path)
        if side.request is not None:
            return build_all([side.request], self._means, self)[0].navmesh
        assert side.navmesh is not None
        return side.navmesh

    def watch(self, progress: Progress) -> None:
        """Called once there is a build to cancel."""
        self._building = progress
        if self.cancelled:
            progress.cancel()

    def show_progress(self, number: int, stage: str, fraction: float) -> None:
        """Builds say it; a comparison shows none."""


def _read(path: Path) -> PlainNavmesh:
    """Raises NavmeshError, with the name of the file in it."""
    from ....navcore.formats import read_navmesh_file

    try:
        return waiting.read_or_write(lambda: read_navmesh_file(path))
    except NavmeshError as reason:
        code = reason.code
        raise NavmeshError(f"{path.name} cannot be compared: {reason} Choose another file.", code) from None
