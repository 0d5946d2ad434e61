"""Locks between processes: held until they are let go of, however the process that holds them ends."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from navcore.files import locks

ROOT = Path(__file__).resolve().parents[3]
HOLDS = """
import sys
from pathlib import Path
from navcore.files import locks
assert locks.lock(Path(sys.argv[1])) is not None
print("held", flush=True)
sys.stdin.read()
"""


@contextmanager
def held_elsewhere(path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the lock."""
    pipe = subprocess.PIPE
    process = subprocess.Popen([sys.executable, "-c", HOLDS, str(path)], cwd=ROOT, stdin=pipe, stdout=pipe, text=True)
    assert process.stdin is not None and process.stdout is not None
    assert process.stdout.readline() == "held\n"
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def test_one_process_holds_a_lock_and_the_system_frees_it_when_that_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "locks" / "one"
    with held_elsewhere(path) as process:
        with pytest.raises(locks.Held):
            locks.lock(path)
        with pytest.raises(locks.Held):
            locks.wait_for(path, patience=0.0)
        other = locks.lock(tmp_path / "locks" / "another")
        assert other is not None
        locks.unlock(other)
        process.kill()
        process.wait()
        taken = locks.wait_for(path, patience=600.0)
        assert taken is not None
        locks.unlock(taken)


def test_what_is_let_go_of_can_be_held_again(tmp_path: Path) -> None:
    for _ in range(2):
        held = locks.lock(tmp_path / "one")
        assert held is not None
        with pytest.raises(locks.Held):
            locks.lock(tmp_path / "one")
        locks.unlock(held)


def test_where_there_are_no_locks_nobody_waits(tmp_path: Path) -> None:
    (tmp_path / "in the way").write_text("")
    assert locks.lock(tmp_path / "in the way" / "one") is None
    locks.unlock(None)


@pytest.mark.skipif(sys.platform == "win32", reason="there a lock is of another kind")
def test_a_file_system_without_locks_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise OSError(95, "not supported")

    monkeypatch.setattr(locks.fcntl, "flock", refused)
    assert locks.lock(tmp_path / "one") is None
