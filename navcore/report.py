"""What a build tells afterwards: counts, warnings, seconds per stage, memory. One form for Python and JSON."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from .errors import NavmeshError
from .settings import Settings, Voxels

# Every code that a warning can have; gates and scripts rely on them. A test holds both packages to this list.
WARNING_CODES = frozenset({
    "BAD_MARKER", "FLIPPED", "NOT_CONVEX", "NOT_FINITE", "ODD_ATTRIBUTE", "ZERO_SCALE",  # of what Blender gathered
    "BROKEN", "DETAIL", "GROUND_LEFT_OUT", "OUTLINES", "POLYGONS", "REGIONS_OVERLAP", "REPAIRED",  # of the build
    "SEED_OFF_NAVMESH", "TAKES_LONG",
    "BORDER_LINKS", "CYLINDER_AS_PRISM", "GODOT_CELLS", "LINK_TOO_FAR", "LOST_IN_EXPORT",  # of files
    "NOT_IN_GSET", "YUKA_ISLANDS",
})  # fmt: skip


class BuildWarning(NamedTuple):
    """Something a person should know about a build that went through."""

    code: str  # one of WARNING_CODES
    message: str
    place: tuple[float, float, float] | None = None  # metres, y up


@dataclass
class Report:
    """The record of one build, or of the attempt."""

    settings: Settings
    voxels: Voxels | None = None
    threads: int = 1
    warnings: list[BuildWarning] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)  # per stage
    total_seconds: float = 0.0
    kernels: dict[str, Any] = field(default_factory=dict)  # how many were compiled and loaded for this build, and why
    ground: dict[str, Any] | None = None  # see `measure_ground`; not part of a build, commands add it

    def warn(self, code: str, message: str) -> None:
        self.warnings.append(BuildWarning(code, message))

    def to_mapping(self, error: NavmeshError | None = None, repeat: dict[str, float] | None = None) -> dict[str, Any]:
        """The JSON form of `--report`."""
        seconds: dict[str, Any] = {"total": self.total_seconds, "stages": self.seconds}
        if repeat is not None:
            seconds["repeat"] = repeat
        return {
            "ok": error is None,
            "error": None if error is None else {"code": error.code, "message": str(error)},
            "warnings": [w._asdict() for w in self.warnings],
            "settings": self.settings.to_mapping(),
            "voxels": None if self.voxels is None else {k: _plain(v) for k, v in self.voxels._asdict().items()},
            "counts": self.counts,
            "kernels": self.kernels,
            "ground": self.ground,
            "seconds": seconds,
            "threads": self.threads,
            "peak_memory_mb": round(peak_memory_mb(), 1),
        }


def _plain(value: Any) -> int | float:
    """A NumPy or Python number as JSON has it."""
    return value if isinstance(value, int) else float(value)


def peak_memory_mb() -> float:
    """The most memory this process has held so far, in MB."""
    if sys.platform == "win32":
        return _windows_peak_bytes() / 1e6
    import resource  # not there on Windows

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    if sys.platform == "darwin":
        return peak / 1e6
    return (_linux_peak_kib(Path("/proc/self/status")) or peak) * 1024 / 1e6


def _linux_peak_kib(status: Path) -> int:
    """What the system tells of this program alone; the other figure begins with that of the program that started it."""
    try:
        lines = status.read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("VmHWM:")), 0)


def _windows_peak_bytes() -> int:
    import ctypes
    from ctypes import wintypes

    class Counters(ctypes.Structure):
        _fields_ = [("size", wintypes.DWORD), ("faults", wintypes.DWORD), ("peak", ctypes.c_size_t)] + [
            (f"other{i}", ctypes.c_size_t) for i in range(7)
        ]

    counters = Counters(size=ctypes.sizeof(Counters))
    kernel32 = ctypes.WinDLL("kernel32")  # type: ignore[attr-defined,unused-ignore]
    kernel32.K32GetProcessMemoryInfo(ctypes.c_void_p(-1), ctypes.byref(counters), counters.size)
    return int(counters.peak)
