"""What the system says of memory: how much a program can still get, and the most that this one has held."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def available_bytes() -> int | None:
    """Memory that a program can still get without others being pushed out; None where the system does not tell."""
    if sys.platform == "win32":
        return _available_on_windows()
    if sys.platform == "linux":
        return _available_on_linux(Path("/proc/meminfo"))
    pages = os.sysconf("SC_PHYS_PAGES") if "SC_PHYS_PAGES" in os.sysconf_names else -1
    return pages * os.sysconf("SC_PAGE_SIZE") if pages > 0 else None


def _available_on_linux(meminfo: Path) -> int | None:
    try:
        lines = meminfo.read_text().splitlines()
    except OSError:
        return None
    fields = [line.split() for line in lines if line.startswith("MemAvailable:")]
    return int(fields[0][1]) * 1024 if fields and len(fields[0]) > 1 else None


def _available_on_windows() -> int | None:
    import ctypes
    from ctypes import wintypes

    class Status(ctypes.Structure):
        _fields_ = [("size", wintypes.DWORD), ("load", wintypes.DWORD)] + [
            (name, ctypes.c_ulonglong) for name in ("total", "free", "pages", "free_pages", "own", "free_own", "more")
        ]

    status = Status(size=ctypes.sizeof(Status))
    kernel32 = ctypes.WinDLL("kernel32")  # type: ignore[attr-defined,unused-ignore]
    return int(status.free) if kernel32.GlobalMemoryStatusEx(ctypes.byref(status)) else None


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
    """What the system says of this program alone; the other figure begins with that of the program that started it."""
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
