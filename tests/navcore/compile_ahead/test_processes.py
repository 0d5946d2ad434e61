"""Compiling ahead in processes: what they write, when they are wanted, and that none outlives its starter."""

from __future__ import annotations

import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from navcore.compile_ahead import processes

ROOT = Path(__file__).resolve().parents[3]
# The process itself, with other work: compiling all kernels takes minutes.
START = """
    import sys, time
    from pathlib import Path
    import navcore.kernels.kept_kernels as kept
    from navcore.compile_ahead import every_kernel, usual_kernels
    from navcore.kernels.kernel_store import STORE
    from navcore.compile_ahead.processes import main

    what, folder, task = sys.argv[1], Path(sys.argv[2]), sys.argv[3]

    def piece(number):
        def work():
            if what == "die" and task == "help":
                sys.exit(3)
            time.sleep(0.3)
            if what != "load":
                STORE.tally.compiled.append("a kernel")
            STORE.tally.seen.add(number)
            with (folder / f"piece {number}").open("a") as file:
                file.write(task + " ")
        return work

    def rest():
        time.sleep(0.6)
        if what == "fail":
            raise OSError("what ends it early")
        if what == "forever":
            time.sleep(600)
        (folder / "rest").touch()

    kept.has_shipped_kernels = lambda: what == "load"
    STORE.tally.known = 10
    usual_kernels.pieces, usual_kernels.LAST = lambda: [*map(piece, range(6))], 2
    every_kernel.steps = lambda: [rest]
    sys.exit(main(task, folder, folder / "claims"))
"""


def started(folder: Path, what: str, task: str = processes.EVERYTHING) -> subprocess.Popen[str]:
    (folder / "claims").mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-c", textwrap.dedent(START), what, str(folder), task]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True)


def states(process: subprocess.Popen[str]) -> list[str]:
    """The states that it wrote, each once, in order; it has ended then."""
    assert process.stdout is not None and process.stdin is not None
    lines = [line.split() for line in process.stdout]
    process.stdin.close()
    process.wait(30)
    assert all(0 <= float(fraction) <= 1 and float(share) >= 0 for fraction, share, _ in lines)
    return list(dict.fromkeys(state for _, _, state in lines))


def test_it_writes_what_it_does_and_leaves_a_stamp(tmp_path: Path) -> None:
    folder = tmp_path / "kernels"
    assert processes.wanted(folder)
    process = started(folder, "compile")
    assert states(process) == ["loading", "compiling", "ground", "ready"]
    assert process.returncode == 0
    assert not processes.wanted(folder)


def test_the_usual_kernels_are_compiled_without_the_rest(tmp_path: Path) -> None:
    folder = tmp_path / "kernels"
    assert states(started(folder, "compile", processes.USUAL))[-1] == "ready"
    assert (folder / "piece 5").exists() and not (folder / "rest").exists()
    assert not processes.wanted(folder, processes.USUAL) and processes.wanted(folder)
    assert states(started(folder, "load")) == ["loaded"]  # nobody has to wait, not even at first
    assert (folder / "rest").exists() and not processes.wanted(folder)


@pytest.mark.parametrize("what", ["compile", "die"])
def test_several_processes_share_the_work(tmp_path: Path, what: str) -> None:
    """Each piece is done by one of them; what one that died has begun is done by the first in the end."""
    folder = tmp_path / "kernels"
    first, *others = [started(folder, what, task) for task in (processes.USUAL, processes.HELP, processes.HELP)]
    assert states(first)[-1] == "ready" and first.returncode == 0
    for process in others:
        states(process)
        assert process.returncode == (0 if what == "compile" else 3)
    done_by = [(folder / f"piece {number}").read_text().split() for number in range(6)]
    assert all(len(names) == 1 for names in done_by)
    assert {names[0] for names in done_by} == ({"usual", "help"} if what == "compile" else {"usual"})


def test_the_last_pieces_come_when_builds_need_not_wait_any_more(tmp_path: Path) -> None:
    """They need what the others compile: begun earlier, they would compile it a second time."""
    folder = tmp_path / "kernels"
    process = started(folder, "compile", processes.USUAL)
    assert process.stdout is not None
    seen = [(line.split()[-1], (folder / "piece 4").exists()) for line in process.stdout]
    assert ("ready", False) in seen and ("ground", True) not in seen and ("compiling", True) not in seen
    assert states(process) == [] and (folder / "piece 5").exists()


def test_nobody_helps_where_nothing_is_compiled(tmp_path: Path) -> None:
    first, other = [started(tmp_path, "load", task) for task in (processes.USUAL, processes.HELP)]
    states(first)
    states(other)
    assert other.returncode == 0
    assert (tmp_path / "piece 0").read_text() == "usual "


def test_nobody_waits_where_nothing_is_compiled(tmp_path: Path) -> None:
    assert states(started(tmp_path / "kernels", "load")) == ["loading", "loaded-ground", "loaded"]


def test_the_bar_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    """As when Blender is restarted while kernels compile: what is compiled is only looked at again."""
    folder = tmp_path / "kernels"
    process = started(folder, "forever")
    assert process.stdout is not None and process.stdin is not None
    reached = 0.0
    for line in process.stdout:
        reached = float(line.split()[0])
        if reached >= 0.6:
            break
    process.stdin.close()
    process.wait(30)
    for path in folder.glob("prepared*"):
        path.unlink()
    shutil.rmtree(folder / "claims")
    again = started(folder, "compile")
    assert again.stdout is not None
    fractions = [float(line.split()[0]) for line in again.stdout]
    assert fractions[0] >= reached and fractions == sorted(fractions), "it never goes back"
    again.wait(30)
    (folder / "reached").write_text("other sources\n0.900")
    for path in folder.glob("prepared*"):
        path.unlink()
    process = started(folder, "load")
    assert process.stdout is not None
    assert float(process.stdout.readline().split()[0]) < 0.9, "of other sources it says nothing"
    process.wait(30)


def test_who_gets_no_turn_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time in which there was nothing to do does not count."""
    now = {"wall": 0.0, "worked": 0.0}
    monkeypatch.setattr(processes.time, "monotonic", lambda: now["wall"])
    monkeypatch.setattr(processes.time, "process_time", lambda: now["worked"])
    monkeypatch.setattr(processes.time, "sleep", lambda seconds: now.update(wall=now["wall"] + seconds))
    turns = processes._Turns()
    for wall, worked, waited, share in (
        (1, 1, 0, 1.0),
        (2, 1, 0, 2 / 3),
        (10, 1, 0, 0.1),
        (4, 4, 600, 1.0),
        (9, 0, 0, 0.0),
    ):
        now["wall"], now["worked"] = now["wall"] + wall, now["worked"] + worked
        turns.wait(waited)
        assert turns.share() == pytest.approx(share)


def test_one_that_failed_is_wanted_again(tmp_path: Path) -> None:
    folder = tmp_path / "kernels"
    process = started(folder, "fail")
    states(process)
    assert process.returncode != 0
    assert processes.wanted(folder)


def test_another_version_is_compiled_anew(tmp_path: Path) -> None:
    stamp = processes.stamp_of(tmp_path, processes.EVERYTHING)
    stamp.write_text("the version before")
    assert processes.wanted(tmp_path)
    stamp.write_bytes(b"\xff\xfe damaged")
    assert processes.wanted(tmp_path)


def test_it_ends_with_its_starter(tmp_path: Path) -> None:
    """As when Blender crashes: nothing closes the pipe but the end of the process that held it."""
    process = started(tmp_path / "kernels", "forever")
    assert process.stdout is not None and process.stdin is not None
    while not process.stdout.readline().endswith("loading\n"):
        pass
    process.stdin.close()
    assert process.wait(30) != 0
    assert processes.wanted(tmp_path / "kernels")
