"""How much memory this Blender uses, for scenarios that ask whether it grows."""

import ctypes
import os
import sys
from pathlib import Path

_SMALL = 512  # bytes: what Python keeps itself is at most so large, and only counted


def in_use() -> int:
    """Bytes that are in use where the allocator tells it, as Blender 4.3's does, else those of the process in memory.

    What an allocator keeps for later comes and goes by tens of megabytes, whatever Blender does.
    """
    allocated = _allocated()
    return resident() if allocated is None else allocated + _SMALL * sys.getallocatedblocks()


def resident() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def check_that_it_counts() -> None:
    """Or memory that grows would be told as none."""
    size = 32 << 20
    before = in_use()
    held = b"\1" * size
    assert in_use() - before > size / 2, (before, in_use(), len(held))


def _allocated() -> int | None:
    """What jemalloc has given away and not got back; None with another allocator."""
    control = getattr(ctypes.CDLL(None), "mallctl", None)
    if control is None:
        return None
    epoch, value, size = ctypes.c_uint64(1), ctypes.c_size_t(), ctypes.c_size_t(ctypes.sizeof(ctypes.c_size_t))
    control(b"epoch", None, None, ctypes.byref(epoch), ctypes.c_size_t(ctypes.sizeof(epoch)))
    status = control(b"stats.allocated", ctypes.byref(value), ctypes.byref(size), None, ctypes.c_size_t(0))
    assert status == 0, status
    return value.value
