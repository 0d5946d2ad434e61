"""Redirected output, closed pipes, full disks and signals."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from navcore.__main__ import main
from navcore.commands.console import interruptible, ready_console, write_error, write_out
from navcore.errors import NavmeshError
from tests import scenes
from tests.navcore.commands.test_command_line import TELLING

ROOT = Path(__file__).resolve().parents[3]
on_posix = pytest.mark.skipif(os.name != "posix", reason="signals and pipes as POSIX has them")
LISTINGS = (["settings"], ["settings", "--json"], ["info", "{folder}/n.bin"], ["build", "--help"])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A level with a name in other scripts, and its navmesh."""
    folder = tmp_path_factory.mktemp("console")
    mesh = scenes.spiral()
    np.savez(folder / "лестница → 階段.npz", verts=mesh[0], tris=mesh[1])
    assert main(["build", str(folder / "лестница → 階段.npz"), "-o", str(folder / "n.bin"), "--quiet"]) == 0
    return folder


def navcore(words: list[str], folder: Path, **options: object) -> subprocess.Popen[bytes]:
    argv = [sys.executable, "-m", "navcore", *(word.format(folder=folder) for word in words)]
    return subprocess.Popen(argv, cwd=ROOT, **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options})  # type: ignore[call-overload, no-any-return]


@pytest.mark.parametrize("encoding", ["ascii", "cp932", "cp1251", "utf-8"])
@pytest.mark.parametrize("words", [*LISTINGS, ["build", "{folder}/лестница → 階段.npz", "--dry-run"]], ids=" ".join)
def test_any_text_goes_into_a_file_of_any_encoding(folder: Path, words: list[str], encoding: str) -> None:
    env = {**os.environ, "PYTHONIOENCODING": encoding}
    with (folder / "out").open("wb") as out, (folder / "err").open("wb") as err:
        assert navcore(words, folder, env=env, stdout=out, stderr=err).wait(60) == 0
    said = (folder / "out").read_bytes().decode(encoding)
    told = (folder / "err").read_bytes().decode(encoding)
    assert len(said) > 20 and "Traceback" not in told and "Error" not in told
    if words[0] == "build" and "--dry-run" in words:
        assert "202.9 m" + ("²" if encoding == "utf-8" else "2") in said
        assert ("лестница" in said) == (encoding != "ascii") and ("階段" in said) == (encoding in ("cp932", "utf-8"))
        assert ("->" in said) == (encoding in ("ascii", "cp1251")) and said.count("REPAIRED") == 1


@on_posix
@pytest.mark.parametrize("words", LISTINGS, ids=" ".join)
def test_a_listing_whose_reader_is_gone_ends_quietly(folder: Path, words: list[str]) -> None:
    listing = navcore(words, folder)
    assert listing.stdout is not None and listing.stderr is not None
    listing.stdout.close()
    assert listing.wait(60) == 0 and listing.stderr.read() == b""


@on_posix
@pytest.mark.parametrize("closed", ["stdout", "stderr"])
def test_a_build_that_nobody_listens_to_writes_its_files(folder: Path, tmp_path: Path, closed: str) -> None:
    words = [
        "build",
        "{folder}/лестница → 階段.npz",
        "-o",
        str(tmp_path / "n.json"),
        "--report",
        str(tmp_path / "r.json"),
    ]
    build = navcore(words, folder)
    getattr(build, closed).close()
    assert build.wait(60) == 0
    assert json.loads((tmp_path / "r.json").read_text())["ok"] and (tmp_path / "n.json").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="/dev/full is Linux's")
def test_a_listing_that_finds_no_room_says_so(folder: Path) -> None:
    with open("/dev/full", "wb") as full:  # noqa: PTH123 - a device
        listing = navcore(["info", "{folder}/n.bin"], folder, stdout=full)
        assert listing.wait(60) == 1 and listing.stderr is not None
    said = listing.stderr.read().decode()
    assert (
        said.startswith("navcore: CANNOT_WRITE: Could not write to standard output: No space left") and len(said) < 200
    )


def test_the_console_is_as_it_was_afterwards() -> None:
    """`main` is called in process, too."""
    before = sys.stdout.errors, signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)
    with ready_console():
        assert signal.getsignal(signal.SIGTERM) is not before[1]
    assert (sys.stdout.errors, signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)) == before


def test_a_program_without_a_console_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    write_out("text")
    write_error("text")
    assert main(["settings"]) == 0


# --- signals


@on_posix
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
@pytest.mark.parametrize("tiles", ["0", "64"], ids=["in one piece", "written tile by tile"])
def test_a_signal_ends_a_build_in_an_orderly_way(tmp_path: Path, name: str, tiles: str) -> None:
    mesh = scenes.flat(900)
    np.savez(tmp_path / "big.npz", verts=mesh[0], tris=mesh[1])
    words = ["build", "{folder}/big.npz", "-o", "{folder}/n.bin", "--tile-size", tiles, "--report", "{folder}/r.json"]
    hears = f"import signal\nsignal.signal(signal.{name}, signal.SIG_DFL)\n"  # also where `nohup` runs this
    argv = [
        sys.executable,
        "-c",
        hears + TELLING,
        *(word.format(folder=tmp_path) for word in words),
        "--cell-size",
        "0.2",
    ]
    running = subprocess.Popen(argv, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert running.stdout is not None and running.stdout.readline() == "building\n"
    time.sleep(0.3)
    running.send_signal(getattr(signal, name))
    try:
        _, said = running.communicate(timeout=60)
    finally:
        running.kill()
    assert running.returncode == 130 and said.startswith("navcore: CANCELLED: ")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["big.npz", "r.json"], "no parts of files are left"
    assert json.loads((tmp_path / "r.json").read_text())["error"]["code"] == "CANCELLED"


@on_posix
def test_a_signal_that_is_to_be_ignored_stays_ignored() -> None:
    """As `nohup` has it."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with ready_console():
            os.kill(os.getpid(), signal.SIGHUP)
        assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


@on_posix
def test_what_is_interrupted_too_late_is_cancelled_all_the_same() -> None:
    asked: list[bool] = []

    def work() -> int:
        time.sleep(0.3)
        os.kill(os.getpid(), signal.SIGTERM)
        while not asked:
            time.sleep(0.01)
        return 1

    with ready_console(), pytest.raises(KeyboardInterrupt):
        interruptible(work, lambda: asked.append(True))


def test_what_work_raises_comes_out() -> None:
    def work() -> None:
        raise NavmeshError("No.")

    with pytest.raises(NavmeshError, match="No"):
        interruptible(work, lambda: None)
    assert interruptible(lambda: 5, lambda: None) == 5
