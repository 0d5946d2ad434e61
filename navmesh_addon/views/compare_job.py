"""Comparing, apart from Blender: on a thread of its own, or at once. Nothing here may touch bpy; a test sees to it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from ...navcore.compile_ahead import waiting
from ...navcore.errors import NavmeshError
from ..background import Job
from ..builds.run_builds import build_all, load
from .latest_comparison import Compared, Side

if TYPE_CHECKING:
    from ...navcore.formats.plain_navmesh import PlainNavmesh
    from ..builds.request_and_result import Means

_Made = TypeVar("_Made")
_FEW_CELLS = 30_000.0  # a second or two of plain Python
_USUAL_CELL = 0.3  # metres, of files that do not say it


class CompareJob(Job[Compared]):
    """One comparison."""

    def __init__(self, scene: int, sides: tuple[Side, Side], lift: float, means: Means) -> None:
        super().__init__("navmesh-compare", lambda _: self._compare())
        self._scene, self._sides, self._lift, self._means = scene, sides, lift, means
        self._progress = self.new_progress()

    def _compare(self) -> Compared:
        """Raises NavmeshError."""
        load(self._means.kernels)
        from ...navcore.difference.compare import navmesh_difference
        from ...navcore.difference.difference_picture import difference_picture

        before, after = map(self._navmesh_of, self._sides)
        self._progress.check()
        small = max(map(_cells, (before, after))) < _FEW_CELLS
        found = self._computed(lambda: navmesh_difference(before, after, progress=self._progress), small)
        picture = self._computed(lambda: difference_picture(found), small)
        picture.corners[:, :, 1] += self._lift
        sides = tuple(side._replace(navmesh=None, request=None) for side in self._sides)  # their arrays are not needed
        cells = {name: getattr(found, name)[:0].copy() for name in ("columns", "heights", "kinds")}  # likewise
        return Compared(self._scene, (sides[0], sides[1]), found._replace(**cells), picture)

    def _computed(self, work: Callable[[], _Made], small: bool) -> _Made:
        """Where kernels are still being compiled, Python does what is little. Raises Cancelled."""
        if small:
            return waiting.read_or_write(work)
        waiting.wait(self)
        return work()

    def _navmesh_of(self, side: Side) -> PlainNavmesh:
        from ...navcore.formats.plain_navmesh import plain_navmesh

        self._progress.check()
        if side.path is not None:
            return _read(side.path)
        if side.request is not None:
            return plain_navmesh(build_all([side.request], self._means, self)[0].navmesh)
        navmesh = side.navmesh
        assert navmesh is not None
        return waiting.read_or_write(lambda: plain_navmesh(navmesh))


def _cells(navmesh: PlainNavmesh) -> float:
    """How many the box around it has, seen from above."""
    if not len(navmesh.vertices):
        return 0.0
    size = (navmesh.vertices.max(axis=0) - navmesh.vertices.min(axis=0)) / (navmesh.seen_cell or _USUAL_CELL)
    return float(size[0] * size[2])


def _read(path: Path) -> PlainNavmesh:
    """Raises NavmeshError, with the name of the file in it."""
    from ...navcore.formats import read_navmesh_file

    try:
        return waiting.read_or_write(lambda: read_navmesh_file(path))
    except NavmeshError as reason:
        code = reason.code
        raise NavmeshError(f"{path.name} cannot be compared: {reason} Choose another file.", code) from None
