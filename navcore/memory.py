"""What the system says of memory: how much a program can still get, and the most that this one has held.

And memory that is kept while something is built.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock


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


# --- Memory that a process was told to give back at once.
#
# Dask starts its workers so, by a variable of the C library. Every larger array of a tile then comes from the system
# anew, page by page.

_TOLD = "MALLOC_TRIM_THRESHOLD_"
_TRIM, _APART = -1, -3  # what the C library calls its thresholds: free memory it keeps, and what it asks for apart
_MUCH, _LARGE = 1 << 28, 1 << 25
_LARGE_AT_FIRST = 1 << 17


class _Keeping:
    """How many keep memory now, on all threads."""

    count = 0
    lock = Lock()


@contextmanager
def kept_memory() -> Iterator[None]:
    """While this lasts, what is freed stays with this process even where it was told to give it back at once.

    At its end all of it is given back. Does nothing elsewhere.
    """
    library = _library_that_gives_back()
    if library is None:
        yield
        return
    told, set_threshold, give_back = library
    with _Keeping.lock:
        _Keeping.count += 1
        if _Keeping.count == 1:
            set_threshold(_TRIM, _MUCH)
            set_threshold(_APART, _LARGE)
    try:
        yield
    finally:
        with _Keeping.lock:
            _Keeping.count -= 1
            if _Keeping.count == 0:
                set_threshold(_TRIM, told)
                set_threshold(_APART, _LARGE_AT_FIRST)
                give_back(0)


def _library_that_gives_back() -> tuple[int, Callable[[int, int], int], Callable[[int], int]] | None:
    """What it was told to keep at most, and its functions; None where nobody has told, or by another library."""
    told = os.environ.get(_TOLD, "")
    if sys.platform != "linux" or not told.isdecimal() or int(told) >= _MUCH:
        return None
    import ctypes

    try:
        library = ctypes.CDLL(None)
        return int(told), library.mallopt, library.malloc_trim
    except (OSError, AttributeError):  # not GNU's
        return None
