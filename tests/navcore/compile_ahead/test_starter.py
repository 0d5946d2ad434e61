"""How many processes are started, what they tell, and that of one folder only so many are at work."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from navcore.compile_ahead import processes, starter
from navcore.errors import BadSettings
from navcore.files import locks


@pytest.mark.parametrize(("given", "cores", "count"), [("", 1, 1), ("", 3, 3), ("", 64, 4), ("0", 8, 0), (" 6 ", 2, 6)])
def test_as_many_as_cores_or_as_the_environment_says(
    monkeypatch: pytest.MonkeyPatch, given: str, cores: int, count: int
) -> None:
    monkeypatch.setenv(starter.VARIABLE, given)
    monkeypatch.setattr(starter, "cores", lambda: cores)
    assert starter.how_many() == count


def test_never_more_than_may_be_at_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(starter.VARIABLE, "1000")
    assert starter.how_many() == processes.MOST


@pytest.mark.parametrize("given", ["many", "-1", "1.5", "²"])
def test_what_is_no_number_is_refused_with_a_way_out(monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    monkeypatch.setenv(starter.VARIABLE, given)
    with pytest.raises(BadSettings, match=r"NAVMESH_KERNEL_PROCESSES .* number .* unset it"):
        starter.how_many()


def test_with_none_nothing_is_started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(starter.VARIABLE, "0")
    assert starter.begin(tmp_path) is None


def test_who_starts_them_may_be_one_of_them(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(starter, "_SCRIPT", "import sys; sys.stdin.read()")
    monkeypatch.setenv(starter.VARIABLE, "3")
    for spared, helpers in ((0, 2), (1, 1), (3, 0)):
        started = starter.begin(tmp_path, manner=starter.Manner(spared=spared))
        assert started is not None and len(started._helpers) == helpers
    starter.stop()


@pytest.mark.parametrize(
    ("nice", "line", "begins_anew"),
    [(15, "0.1 0.20 compiling", True), (15, "0.1 0.90 compiling", False), (0, "0.1 0.20 compiling", False),
     (15, "0.1 0.00 ready", True), (15, "", False), (15, "0.1 1.00 loading silent", True),
     (0, "0.1 1.00 loading silent", False)],
)  # fmt: skip
def test_processes_that_get_no_turn_are_hurried_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, nice: int, line: str, begins_anew: bool
) -> None:
    """Somebody waits, and other programs leave them hardly any time."""
    monkeypatch.setattr(starter, "_SCRIPT", "import sys; sys.stdin.read()")
    monkeypatch.setenv(starter.VARIABLE, "2")
    first = starter.begin(tmp_path, manner=starter.Manner(nice=nice))
    assert first is not None
    first._output.write_text(f"{line}\n")
    if "silent" in line:
        long_ago = first._output.stat().st_mtime - 2 * starter._LOADS
        os.utime(first._output, (long_ago, long_ago))
    starter.hurry()
    second = starter.current()
    assert second is not None and (second is not first) == begins_anew
    assert not begins_anew or (second.manner.nice == 0 and second.is_whole and not first.running)
    second._output.write_text(f"{line}\n")
    starter.hurry()
    assert starter.current() is second
    starter.stop()
    starter.hurry()


def test_who_hurries_does_not_wait_for_what_stands_back(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Also where it should compile to its end before who started it ends: the next one does that."""
    monkeypatch.setattr(starter, "_SCRIPT", "import sys; sys.stdin.read()")
    monkeypatch.setattr(starter, "wanted", lambda *_: 5)
    monkeypatch.setenv(starter.VARIABLE, "1")
    first = starter.begin(tmp_path, manner=starter.Manner(nice=15, to_the_end=True))
    assert first is not None
    first._output.write_text("0.1 0.20 compiling\n")
    began = time.monotonic()
    starter.hurry()
    second = starter.current()
    assert second is not None and second is not first and not first.running
    assert time.monotonic() - began < starter._PATIENCE / 2
    assert second.manner == starter.Manner(nice=0, to_the_end=True)
    second.manner = starter.USUALLY
    starter.stop()


def test_a_small_build_waits_for_the_ground_alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Also where all of that was compiled before Blender was restarted."""
    monkeypatch.setattr(starter, "_SCRIPT", "import sys; sys.stdin.read()")
    monkeypatch.setattr("navcore.kernels.kept_kernels.has_shipped_kernels", lambda: False)
    monkeypatch.setenv(starter.VARIABLE, "1")
    compiler = starter.begin(tmp_path)
    assert compiler is not None
    waits = {}
    for state in ("loading", "loaded-ground", "compiling", "ground", "loaded", "ready"):
        compiler._output.write_text(f"0.1 1.00 {state}\n")
        waits[state] = compiler.holds_up(small=True), compiler.holds_up()
    assert waits == {
        "loading": (True, True), "loaded-ground": (False, True), "compiling": (True, True), "ground": (False, True),
        "loaded": (False, False), "ready": (False, False),
    }  # fmt: skip
    starter.stop()


def test_one_that_hardly_gets_a_turn_is_not_taken_for_gone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Its work would be done twice, on a machine that has too much of it. One that never said anything is gone."""
    monkeypatch.setattr(starter, "_SCRIPT", "import sys; sys.stdin.read()")
    monkeypatch.setattr("navcore.kernels.kept_kernels.has_shipped_kernels", lambda: False)
    monkeypatch.setenv(starter.VARIABLE, "1")
    compiler = starter.begin(tmp_path, whole=False)
    assert compiler is not None
    waits = {}
    for line in ("", "0.0 1.00 loading\n"):
        compiler._output.write_text(line)
        for silent in (0.0, 2 * starter._PATIENCE, 2 * starter._PATIENCE_AT_WORK):
            written = time.time() - silent
            os.utime(compiler._output, (written, written))
            waits[line[:3], silent] = compiler.holds_up()
    assert list(waits.values()) == [True, False, False, True, True, False], waits
    starter.stop()


def test_kernels_that_all_have_compiled_are_counted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(starter, "_SCRIPT", "import sys; sys.stdin.read()")
    monkeypatch.setenv(starter.VARIABLE, "1")
    started = starter.begin(tmp_path)
    assert started is not None and started.compiled == 0
    for process, count in (("17", "4"), ("18", "3")):
        Path(started._aside, f"{process}{processes.COMPILED}").write_text(count)
    assert started.compiled == 7
    Path(started._aside, f"17{processes.COMPILED}").write_text("")  # while it is being written
    assert started.compiled == 7
    starter.stop()


def test_where_enough_are_at_work_one_more_ends_at_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    held = [locks.lock(tmp_path / "locks" / f"process {number}") for number in range(processes.MOST)]
    monkeypatch.setattr(processes, "_end_with_starter", lambda: None)
    claims = tmp_path / "claims"
    claims.mkdir()
    assert processes.main(processes.USUAL, tmp_path, claims, nice=0) == 0
    assert capsys.readouterr().out == "" and processes.wanted(tmp_path, processes.NEEDED)
    locks.unlock(held.pop())
    assert processes._one_of_few(tmp_path) and not processes._one_of_few(tmp_path)
    for lock in held:
        locks.unlock(lock)


@pytest.mark.parametrize(
    ("stamped", "still_wanted"),
    [("needed", {"usual", "everything"}), ("usual", {"everything"}), ("everything", set())],
)
def test_more_stands_for_less(tmp_path: Path, stamped: str, still_wanted: set[str]) -> None:
    processes.stamp_of(tmp_path, stamped).write_text(processes.stamp())
    tasks = (processes.NEEDED, processes.USUAL, processes.EVERYTHING)
    assert {task for task in tasks if processes.wanted(tmp_path, task)} == still_wanted


def test_who_tells_of_them_may_ask_while_another_thread_stops_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """The line about compiling is said by a thread of its own; it died where they ended in the middle of its look."""

    class Stopping:
        """Stopped by the very question whether it runs, as late as another thread can do it."""

        @property
        def running(self) -> bool:
            starter._running.clear()
            return True

    class Emptied(list[Stopping]):
        """Emptied between the look whether there is one and the look at it."""

        def __bool__(self) -> bool:
            there = len(self) > 0
            self.clear()
            return there

    monkeypatch.setattr(starter, "_running", Emptied([Stopping()]))
    starter.current()
    assert starter.current() is None
