"""Preparing in the background: what the process tells, when it is wanted, and that it never outlives its starter."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

from navcore import prepare

ROOT = Path(__file__).resolve().parents[2]
# The process itself, with another warm-up: calling all kernels takes minutes where none is compiled yet.
START = """
    import sys, time
    from pathlib import Path
    import navcore.warm_up as warm_up
    from navcore.jit import kernel
    from navcore.kernels.store import STORE
    from navcore.prepare import main

    def little(tell):
        tell(0)
        time.sleep(0.6)
        if sys.argv[2] == "compile":
            STORE.tally.compiled.append("a kernel")
        time.sleep(0.6)
        tell(0.5)
        time.sleep(0.6)
        if sys.argv[2] == "fail":
            raise OSError("what ends it early")
        if sys.argv[2] == "forever":
            time.sleep(600)

    warm_up.warm_up = little
    sys.exit(main(Path(sys.argv[1])))
"""


def started(folder: Path, what: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", textwrap.dedent(START), str(folder), what]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True)


def states(process: subprocess.Popen[str]) -> list[str]:
    """What it told, each state once, in order; it has ended then."""
    assert process.stdout is not None and process.stdin is not None
    lines = [line.split() for line in process.stdout]
    process.stdin.close()
    process.wait(30)
    assert all(0 <= float(fraction) <= 1 for fraction, _ in lines)
    return list(dict.fromkeys(state for _, state in lines))


def test_it_tells_what_it_does_and_leaves_a_stamp(tmp_path: Path) -> None:
    folder = tmp_path / "kernels"
    assert prepare.wanted(folder)
    process = started(folder, "compile")
    assert states(process) == ["loading", "compiling", "ready"]
    assert process.returncode == 0
    assert not prepare.wanted(folder)


def test_nobody_waits_where_nothing_is_compiled(tmp_path: Path) -> None:
    assert states(started(tmp_path / "kernels", "load")) == ["loading"]


def test_one_that_failed_is_wanted_again(tmp_path: Path) -> None:
    folder = tmp_path / "kernels"
    process = started(folder, "fail")
    states(process)
    assert process.returncode != 0
    assert prepare.wanted(folder)


def test_another_version_is_prepared_anew(tmp_path: Path) -> None:
    (tmp_path / prepare.STAMP).write_text("the version before")
    assert prepare.wanted(tmp_path)
    (tmp_path / prepare.STAMP).write_bytes(b"\xff\xfe damaged")
    assert prepare.wanted(tmp_path)


def test_it_ends_with_its_starter(tmp_path: Path) -> None:
    """As when Blender crashes: nothing closes the pipe but the end of the process that held it."""
    process = started(tmp_path / "kernels", "forever")
    assert process.stdout is not None and process.stdin is not None
    while not process.stdout.readline().endswith("loading\n"):
        pass
    process.stdin.close()
    assert process.wait(30) != 0
    assert prepare.wanted(tmp_path / "kernels")
