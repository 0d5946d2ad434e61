"""Memory that is kept while something is built, in a process that was told to give it back at once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from navcore.memory import kept_memory

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="what GNU's C library does with memory")


def measured() -> dict[str, list[int]]:
    """Pages that arrays come to, and megabytes held: before, while memory is kept (also by two), and after."""
    import resource

    import numpy as np

    def pages() -> int:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        for _ in range(100):
            [np.ones(size, np.uint8) for size in (40_000, 300_000, 1_500_000)]
        return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

    def held() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 20

    pages()
    faults, megabytes = [pages()], [held()]
    with kept_memory():
        pages()
        with kept_memory():
            faults.append(pages())
        faults.append(pages())
        many = [np.ones(1_000_000, np.uint8) for _ in range(60)]
        del many
        megabytes.append(held())
    faults.append(pages())
    megabytes.append(held())
    return {"pages": faults, "megabytes": megabytes}


def in_a_process(told: str) -> dict[str, list[int]]:
    environment = os.environ | {"PYTHONPATH": str(ROOT), "MALLOC_TRIM_THRESHOLD_": told}
    done = subprocess.run([sys.executable, __file__], env=environment, capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout))


def test_memory_stays_while_it_is_kept_and_goes_afterwards() -> None:
    found = in_a_process("65536")
    before, inner, outer, after = found["pages"]
    assert before > 20_000 and after > 20_000, "each array came from the system anew"
    assert inner < before / 20 and outer < before / 20
    at_first, kept, last = found["megabytes"]
    assert kept > at_first + 40 and last < at_first + 10


@pytest.mark.parametrize("told", [None, "", "-1", "many", str(1 << 28)])
def test_nothing_is_done_where_nobody_has_told_to_give_back(told: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("the library was asked")

    monkeypatch.setattr("ctypes.CDLL", refuse)
    monkeypatch.delenv("MALLOC_TRIM_THRESHOLD_", raising=False)
    if told is not None:
        monkeypatch.setenv("MALLOC_TRIM_THRESHOLD_", told)
    with kept_memory():
        pass


def test_another_library_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ctypes.CDLL", lambda _: object())
    monkeypatch.setenv("MALLOC_TRIM_THRESHOLD_", "65536")
    with kept_memory():
        pass


if __name__ == "__main__":
    sys.stdout.write(json.dumps(measured()))
