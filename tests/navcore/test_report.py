"""What a report tells of the process."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from ctypes import wintypes
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from navcore.memory import _linux_peak_kib, peak_memory_mb

ROOT = Path(__file__).resolve().parents[2]
_HELD = 600_000_000  # bytes, far more than an interpreter with NumPy and Numba takes


def test_memory_is_that_of_the_process_alone() -> None:
    """And not of the large one that started it, such as Blender with a level open."""
    child = "from navcore.report import peak_memory_mb; print(peak_memory_mb())"
    parent = (
        "import subprocess, sys\n"
        f"held = bytearray({_HELD})\n"
        f"held[::4096] = b'x' * len(held[::4096])\n"
        f"subprocess.run([sys.executable, '-c', {child!r}], check=True)\n"
    )
    told = subprocess.run([sys.executable, "-c", parent], cwd=ROOT, capture_output=True, text=True, check=True)
    assert 5 < float(told.stdout) < _HELD / 1e6 * 0.9


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
def test_the_peak_is_counted_in_kib_and_may_be_missing(tmp_path: Path) -> None:
    (tmp_path / "status").write_text("Name:\tpython\nVmHWM:\t   1234 kB\nVmRSS:\t 99 kB\n")
    assert _linux_peak_kib(tmp_path / "status") == 1234
    (tmp_path / "status").write_text("Name:\tpython\n")
    assert _linux_peak_kib(tmp_path / "status") == _linux_peak_kib(tmp_path / "none") == 0
    assert peak_memory_mb() >= _linux_peak_kib(Path("/proc/self/status")) * 1024 / 1e6 > 5


@pytest.mark.skipif(sys.platform == "win32", reason="the real one is asked by the test of the process alone")
def test_windows_is_asked_with_its_own_structure(monkeypatch: pytest.MonkeyPatch) -> None:
    """A twin of K32GetProcessMemoryInfo: PROCESS_MEMORY_COUNTERS has 72 bytes, and the peak at the eighth."""

    class Kernel32:
        @staticmethod
        def K32GetProcessMemoryInfo(process: Any, counters: Any, size: int) -> int:  # noqa: N802
            assert process.value == 2**64 - 1, "this process"
            content = (ctypes.c_char * 72).from_buffer(counters._obj)
            assert size == ctypes.sizeof(counters._obj) == 72 == int.from_bytes(content[0:4], "little")
            content[8:16] = (123_000_000).to_bytes(8, "little")
            return 1

    monkeypatch.setattr(ctypes, "WinDLL", lambda _name: Kernel32, raising=False)
    monkeypatch.setattr(wintypes, "DWORD", ctypes.c_uint32)  # as it is there
    monkeypatch.setattr(sys, "platform", "win32")
    assert peak_memory_mb() == 123.0


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such module there")
def test_a_mac_tells_bytes_where_linux_tells_kib(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    import resource  # not there on Windows

    monkeypatch.setattr(resource, "getrusage", lambda _: SimpleNamespace(ru_maxrss=55_000_000))
    assert peak_memory_mb() == 55.0
