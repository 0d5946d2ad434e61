"""The line on a terminal: stages as they come, kernels that are compiled, the time that is left; nothing in a log."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from navcore import Settings
from navcore.commands.progress_line import ProgressLine, line_on_terminal
from navcore.compile_ahead import starter
from navcore.compile_ahead.usual_kernels import about_how_many
from navcore.kernels.kernel_store import STORE
from navcore.kernels.plain_python import Way, standing_in
from tests import scenes

ROOT = Path(__file__).resolve().parents[3]


class Terminal:
    """A line, its clock, and what it shows now."""

    def __init__(self, capsys: pytest.CaptureFixture[str], kernels: int | None = None) -> None:
        self.now, self._capsys = 0.0, capsys
        self.line = ProgressLine(kernels, lambda: self.now)

    def shown(self) -> str:
        return self._capsys.readouterr().err.split("\r\x1b[K")[-1]

    def at(self, seconds: float, stage: str, fraction: float) -> str:
        self.now = seconds
        self.line(stage, fraction)
        return self.shown()


def test_stages_are_shown_as_they_come(capsys: pytest.CaptureFixture[str]) -> None:
    terminal = Terminal(capsys)
    assert terminal.at(1, "reading", 0.25) == "reading  25%"
    assert terminal.at(1.01, "contours", 0.5) == "contours  50%", "a new stage is shown at once"
    assert terminal.at(1.02, "contours", 0.6) == "", "and not more often than people can read"
    assert terminal.at(1.2, "contours", 0.7) == "contours  70%"
    assert terminal.at(1.21, "done", 1.0) == "", "the line is wiped"


def test_the_time_left_is_told_once_it_can_be_known(capsys: pytest.CaptureFixture[str]) -> None:
    terminal = Terminal(capsys)
    told = [terminal.at(10 + tile, "tiles", tile / 40) for tile in range(41)]
    assert "left" not in told[1] and told[10] == "tiles  25%, 30 s left" and told[30] == "tiles  75%, 10 s left"
    assert [terminal.at(1000 + 30 * k, "reading", k / 100) for k in range(11)][10] == "reading  10%, 45 min left"
    assert [terminal.at(9000 + 3600 * k, "tiles", k / 10) for k in range(6)][5] == "tiles  50%, 5.0 h left"


def test_of_stages_that_take_any_time_they_like_nothing_is_foretold(capsys: pytest.CaptureFixture[str]) -> None:
    terminal = Terminal(capsys)
    stages = ("walkable", "rasterize", "filters", "compact", "areas", "distance", "regions", "contours")
    assert not any("left" in terminal.at(10 * n, stage, n / 12) for n, stage in enumerate(stages))


def test_kernels_that_are_compiled_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    terminal = Terminal(capsys, kernels=31)
    terminal.line.compiling(1)
    assert terminal.shown() == "compiling 1 of about 31 kernels"
    terminal.at(1, "contours", 0.5)
    terminal.line.compiling(12)
    assert terminal.shown() == "contours  50%, compiling 12 of about 31 kernels"
    assert terminal.at(1.01, "contours", 0.5) == "contours  50%"
    terminal.line.compiling(32)
    assert terminal.shown() == "contours  50%, compiling kernel 32", "more than was foreseen"


def test_the_first_build_of_a_machine_says_so_and_how_long_its_kernels_take(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other processes compile, too: those that were loaded after all are counted along."""
    monkeypatch.setattr(starter, "current", lambda: "somebody")
    terminal = Terminal(capsys, kernels=31)
    terminal.line.compiling(3)
    assert terminal.shown() == "compiling 3 of about 31 kernels (first build on this machine)"
    terminal.now = 9.0
    terminal.line.compiling(12)
    assert terminal.shown() == "compiling 12 of about 31 kernels (first build on this machine; about 20 s left)"
    with standing_in(Way.STAND_IN_LATE):
        terminal.line.compiling(12)
    assert "compiling 12 of about 15 kernels (first build on this machine; about 4 s left)" in terminal.shown()


def test_what_other_processes_have_compiled_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    terminal = Terminal(capsys)
    told = []
    for second, count in ((0, 0), (10, 5), (20, 10), (30, 20), (40, 21)):
        terminal.now = second
        terminal.line.compiled(count, about=20)
        told.append(terminal.shown())
    assert told == [
        "compiling 1 of about 20 kernels",
        "compiling 6 of about 20 kernels (about 30 s left)",
        "compiling 11 of about 20 kernels (about 20 s left)",
        "compiling kernel 21",
        "compiling kernel 22",
    ]


def test_without_a_terminal_there_is_no_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: False, raising=False)
    assert line_on_terminal(quiet=False) is None
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert line_on_terminal(quiet=False) is not None and line_on_terminal(quiet=True) is None


COUNTING = """
import sys
from navcore.__main__ import main
from navcore.kernels.kept_kernels import kernel_counts
assert main(sys.argv[1:]) == 0
print(kernel_counts().compiled + kernel_counts().loaded)
"""


def test_about_as_many_kernels_are_called_as_are_told(tmp_path: Path) -> None:
    mesh = scenes.plaza(3)
    np.savez(tmp_path / "plaza.npz", verts=mesh[0], tris=mesh[1])
    words = ["build", str(tmp_path / "plaza.npz"), "-o", str(tmp_path / "n.bin"), "--threads", "2"]
    said = subprocess.run(
        [sys.executable, "-c", COUNTING, *words], cwd=ROOT, capture_output=True, text=True, check=True,
        env={**os.environ, "NAVMESH_KERNEL_PROCESSES": "0"},
    )  # fmt: skip
    called, told = int(said.stdout.split()[-1]), about_how_many(mesh[0], Settings(), None)
    assert told is not None and abs(called - told) <= 3
    assert about_how_many(mesh[0], Settings(tile_size=32), None) is None
    assert (about_how_many(mesh[0], Settings(cell_size=0.01), None) or 0) > told


TOY = """
from pathlib import Path
import sys
from navcore.kernels.kept_kernels import keep_kernels_in, tell_compiling
from navcore.geometry.grid import bounds_of
from navcore.geometry.arrays import order_of
import numpy as np
keep_kernels_in(Path(sys.argv[1]))
said = []
tell_compiling(said.append)
bounds_of(np.zeros((2, 3), np.float32))
bounds_of(np.zeros((2, 3), np.float32))
order_of(np.zeros(2, np.int64))
tell_compiling(None)
bounds_of(np.zeros((2, 3), np.float32)[:, ::-1])
print(said)
"""


def test_who_listens_is_told_of_each_kernel_before_it_is_compiled(tmp_path: Path) -> None:
    """And counts those that are loaded along, so that the numbers go as far as all that are called."""

    def run() -> str:
        command = [sys.executable, "-c", TOY, str(tmp_path / "kernels")]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout

    assert run() == "[1, 2]\n"
    assert run() == "[]\n", "they are loaded"
    (part,) = (path for path in (tmp_path / "kernels").iterdir() if "bounds" in _sources(path))
    for path in part.iterdir():
        path.unlink()
    assert run() == "[1]\n"


def _sources(folder: Path) -> str:
    return "".join(path.read_bytes()[:4096].decode("latin-1") for path in folder.iterdir())


# --- kernels that cannot be kept


def build(tmp_path: Path, home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    mesh = scenes.flat(6.0)
    np.savez(tmp_path / "flat.npz", verts=mesh[0], tris=mesh[1])
    argv = [sys.executable, "-m", "navcore", "build", str(tmp_path / "flat.npz"), "--no-detail-mesh", *words]
    env = {**os.environ, "XDG_CACHE_HOME": str(home)}
    return subprocess.run(argv, cwd=ROOT, env=env, capture_output=True, text=True)


@pytest.mark.skipif(sys.platform != "linux", reason="XDG_CACHE_HOME is Linux's")
def test_a_cache_that_cannot_be_written_is_told_once_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "navmesh-kernels").write_text("in the way")
    done = build(tmp_path, tmp_path, "--dry-run", "--cell-size", "0.0001")  # is refused: a build would compile a minute
    assert done.returncode == 1 and "TOO_LARGE" in done.stderr
    lines = [line for line in done.stderr.splitlines() if "KERNELS_NOT_KEPT" in line]
    assert len(lines) == 1 and f"{tmp_path}/navmesh-kernels: file exists" in lines[0]
    assert "every run compiles them again" in lines[0] and "XDG_CACHE_HOME" in lines[0]


def test_where_nothing_was_compiled_nothing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    from navcore.kernels.kept_kernels import why_kernels_are_not_kept

    monkeypatch.setattr(STORE, "why_not_kept", "/nowhere: it cannot be written to")
    monkeypatch.setattr(STORE.tally, "compiled", [])
    assert why_kernels_are_not_kept() == ""
    STORE.tally.compiled.append("a kernel")
    assert why_kernels_are_not_kept() == "/nowhere: it cannot be written to"
