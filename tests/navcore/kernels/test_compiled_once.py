"""Several processes on one folder: no kernel is compiled by two of them, and none waits for one that is dead."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from navcore.files import locks
from navcore.kernels.kernel_store import lock_file

from .test_jit import compiled, make_toy, once_compiled, stored, toy  # noqa: F401 - fixtures

TELLS = """
from pathlib import Path
import sys
from toy.kernels.kept_kernels import keep_kernels_in, kernel_counts, tell_compiling
from toy.kernels.kernel_store import STORE
keep_kernels_in(Path(sys.argv[1]))
STORE._patience = float(sys.argv[2])
tell_compiling(lambda number: print("missing", flush=True))
from toy.outer import outer
print(outer(20), *kernel_counts()[:2], len(STORE.tally.waited_for))
"""
LOCKS = [f"kernel {number}" for number in range(256)]


def started(home: Path, patience: float = 600.0) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", TELLS, str(home / "cache"), str(patience)]
    return subprocess.Popen(command, cwd=home, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def said(process: subprocess.Popen[str]) -> str:
    out, error = process.communicate()
    assert process.returncode == 0, error
    return out.splitlines()[-1]


def held(home: Path) -> list[int | None]:
    """All locks, as if another process compiled whatever is asked for."""
    (home / "cache").mkdir(mode=0o700)
    return [locks.lock(lock_file(home / "cache", name)) for name in LOCKS]


def test_what_another_process_compiles_is_waited_for_and_loaded(toy: Path, compiled: Path) -> None:  # noqa: F811
    shutil.rmtree(compiled / "cache" / "locks")
    others = held(toy)
    process = started(toy)
    assert process.stdout is not None and process.stdout.readline() == "missing\n"
    shutil.copytree(compiled / "cache", toy / "cache", dirs_exist_ok=True)  # what the other one makes meanwhile
    for lock in others:
        locks.unlock(lock)
    assert said(process) == "210 0 1 1"


def test_what_nobody_made_in_the_end_is_compiled(toy: Path) -> None:  # noqa: F811
    others = held(toy)
    process = started(toy)
    assert process.stdout is not None and process.stdout.readline() == "missing\n"
    for lock in others:  # as when the one that compiled is killed
        locks.unlock(lock)
    assert said(process) == "210 1 0 0" and stored(toy)


def test_nobody_waits_forever(toy: Path) -> None:  # noqa: F811
    others = held(toy)
    assert said(started(toy, patience=0.0)) == "210 1 0 0"
    for lock in others:
        locks.unlock(lock)


def test_of_several_at_once_one_compiles(toy: Path) -> None:  # noqa: F811
    counts = [said(process).split() for process in [started(toy) for _ in range(4)]]
    assert [value for value, *_ in counts] == ["210"] * 4
    assert sorted(number for _, number, *_ in counts) == ["0", "0", "0", "1"]


@pytest.mark.skipif(sys.platform == "win32", reason="locks do not hide files there")
def test_a_lock_is_let_go_of_when_its_kernel_is_kept(toy: Path) -> None:  # noqa: F811
    assert said(started(toy)) == "210 1 0 0"
    assert all(locks.lock(path) is not None for path in (toy / "cache" / "locks").iterdir())
