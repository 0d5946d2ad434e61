"""What a build tells afterwards: counts, warnings, seconds per stage, memory. One form for Python and JSON."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from .build_warning import NOTE_CODES, WARNING_CODES, BuildWarning, Point
from .errors import NavmeshError
from .memory import peak_memory_mb
from .settings import Settings, Voxels

__all__ = ["WARNING_CODES", "BuildWarning", "Report", "peak_memory_mb"]  # scripts take all of them from here


class LeftOut(NamedTuple):
    """Ground that a build found and left out: one island, or the small ones of many together."""

    by: Literal["drop", "seeds"]  # a mark that drops it, or that no seed reaches it
    square_metres: float  # seen from above
    place: Point  # on its largest polygon
    name: str = ""  # of the mark
    islands: int = 1

    def to_mapping(self) -> dict[str, Any]:
        """As reports have it."""
        return {"by": self.by, "name": self.name, "m2": self.square_metres, "at": self.place, "islands": self.islands}


class ResolutionCost(NamedTuple):
    """What the tiles of one cell size took that a build has made itself."""

    scale: float  # times the cell size of the level
    cell_size: float  # metres
    tiles: int = 0  # those on which nothing is walkable included
    polygons: int = 0
    seconds: float = 0.0  # of all of them
    tile_mb: float = 0.0  # of memory, while the one is built that takes most; by its spans, within a quarter

    def with_tile(self, polygons: int, seconds: float, bytes_: float) -> ResolutionCost:
        """And of one more."""
        return self._replace(
            tiles=self.tiles + 1, polygons=self.polygons + polygons, seconds=self.seconds + seconds,
            tile_mb=max(self.tile_mb, bytes_ / 1e6),
        )  # fmt: skip


@dataclass
class Report:
    """The record of one build, or of the attempt."""

    settings: Settings
    voxels: Voxels | None = None
    threads: int = 1
    warnings: list[BuildWarning] = field(default_factory=list)
    notes: list[BuildWarning] = field(default_factory=list)  # of what was mended or left rough: nobody has to act
    counts: dict[str, int] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)  # per stage
    total_seconds: float = 0.0
    tile_seconds: dict[tuple[int, int], float] = field(default_factory=dict)  # by (x, y); 0 for those out of a store
    kernels: dict[str, Any] = field(default_factory=dict)  # how many were compiled and loaded for this build, and why
    store: dict[str, int] | None = None  # how many tiles were "reused" from a tile store, and how many were "built"
    conversion: dict[str, Any] | None = None  # of a mesh whose faces are the polygons: what became of each
    ground: dict[str, Any] | None = None  # see `measure_ground`; not part of a build, commands add it
    left_out: list[LeftOut] = field(default_factory=list)
    sizes: list[dict[str, Any]] = field(default_factory=list)  # of agents, with the flag that each excludes
    resolutions: dict[float, ResolutionCost] = field(default_factory=dict)  # by scale, where there are several
    edits: list[dict[str, Any]] = field(default_factory=list)  # what each edit of the level has marked, in order
    # What became of paths and of places that must be there; not part of a build either.
    tests: list[dict[str, Any]] = field(default_factory=list)
    must_reach: list[dict[str, Any]] = field(default_factory=list)

    def warn(self, code: str, message: str) -> None:
        self.warnings.append(BuildWarning(code, message))

    def take(self, told: Iterable[BuildWarning]) -> None:
        """Warnings as warnings, and as notes what nobody has to act upon."""
        for one in told:
            (self.notes if one.code in NOTE_CODES else self.warnings).append(one)

    def to_mapping(self, error: NavmeshError | None = None, repeat: dict[str, float] | None = None) -> dict[str, Any]:
        """The JSON form of `--report`."""
        seconds: dict[str, Any] = {"total": self.total_seconds, "stages": self.seconds}
        if repeat is not None:
            seconds["repeat"] = repeat
        return {
            "ok": error is None,
            "error": None if error is None else {"code": error.code, "message": str(error)},
            "warnings": [w._asdict() for w in self.warnings],
            "notes": [note._asdict() for note in self.notes],
            "settings": self.settings.to_mapping(),
            "voxels": None if self.voxels is None else {k: _plain(v) for k, v in self.voxels._asdict().items()},
            "counts": self.counts,
            "kernels": self.kernels,
            "store": self.store,
            "ground": self.ground,
            "left_out": [one.to_mapping() for one in self.left_out],
            "sizes": list(self.sizes),
            "resolutions": [self.resolutions[scale]._asdict() for scale in sorted(self.resolutions)],
            "edits": list(self.edits),
            "tests": list(self.tests),
            "must_reach": list(self.must_reach),
            "seconds": seconds,
            "threads": self.threads,
            "peak_memory_mb": round(peak_memory_mb(), 1),
        }


def _plain(value: Any) -> int | float:
    """A NumPy or Python number as JSON has it."""
    return value if isinstance(value, int) else float(value)
