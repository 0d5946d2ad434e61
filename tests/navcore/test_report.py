"""What a report tells of the process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from navcore.report import _linux_peak_kib, peak_memory_mb

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
