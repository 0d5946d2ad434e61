"""The command while it reads its level: progress, interrupts, and what it was told about the file."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from navcore.__main__ import main
from navcore.commands import progress_line
from navcore.formats.obj import obj_reader
from tests import scenes

ROOT = Path(__file__).resolve().parents[3]
# (A process that was started in the background ignores interrupts, and so is what it starts.)
HEARS_INTERRUPTS = """
import signal
import sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from navcore.__main__ import main
from navcore.commands import progress_line
sys.exit(main(sys.argv[1:]))
"""
VERTICES = b"v 0 0 0\n" * (1 << 19)


def test_a_terminal_sees_how_much_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "m.obj").write_text(scenes.obj_text(scenes.plaza(2)))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(obj_reader, "BLOCK", 256)
    monkeypatch.setattr(progress_line, "_BETWEEN", 0)  # every look is shown
    assert main(["build", str(tmp_path / "m.obj"), "--dry-run"]) == 0
    said = capsys.readouterr().err.split("\r\x1b[K")
    shares = [int(line.split()[1].rstrip("%")) for line in said if line.startswith("reading")]
    assert shares[0] == 0 and shares[-1] == 100 and len(shares) > 5
    assert said.index("reading 100%") < next(i for i, line in enumerate(said) if "rasterize" in line or "tile" in line)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a pipe with the name of a file")
def test_interrupting_while_a_level_is_read_is_exit_130_and_leaves_no_file(tmp_path: Path) -> None:
    level, report = tmp_path / "level.obj", tmp_path / "r.json"
    os.mkfifo(level)
    words = ["build", level, "-o", tmp_path / "n.obj", "--report", report]
    argv = [sys.executable, "-c", HEARS_INTERRUPTS, *map(str, words)]
    running = subprocess.Popen(argv, cwd=ROOT, stderr=subprocess.PIPE, text=True)
    try:
        with contextlib.suppress(BrokenPipeError), level.open("wb") as writer:  # opened when the command begins to read
            writer.write(VERTICES)
            running.send_signal(signal.SIGINT)
            for _ in range(100):  # the file has no end: only the interrupt can stop it
                writer.write(VERTICES)
        _, said = running.communicate(timeout=60)
    finally:
        running.kill()
    assert running.returncode == 130 and said.startswith("navcore: CANCELLED: ")
    assert json.loads(report.read_text())["error"]["code"] == "CANCELLED"
    assert not (tmp_path / "n.obj").exists()


def test_what_is_odd_about_a_level_is_in_the_report_and_a_gate_can_ask_for_it(tmp_path: Path) -> None:
    crossing = "f 1 2 3 4\n"
    (tmp_path / "m.obj").write_text("v 0 0 0\nv 0 0 12\nv 12 0 0\nv 12 0 12\nf 1 2 4 3\n" + crossing)
    words = ["build", tmp_path / "m.obj", "-o", tmp_path / "n.obj", "--report", tmp_path / "r.json"]
    for more, status in (([], 0), (["--fail-on", "FACES_NOT_CUT"], 3), (["--agent-max-slope", "0"], 1)):
        assert main([str(word) for word in [*words, *more]]) == status
        report = json.loads((tmp_path / "r.json").read_text())
        assert [warning["code"] for warning in report["warnings"]] == ["FACES_NOT_CUT"], "also where the build failed"
