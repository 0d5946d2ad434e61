"""The two pages of ten minutes: what they tell to paste runs, in their order, and prints what stands below it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from navcore.__main__ import main

GUIDE = Path(__file__).resolve().parents[3] / "docs/guide"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
SECONDS = re.compile(r"in [\d.]+ m?s$", re.MULTILINE)
GATE_FAILED = 3  # the status of lines that begin with $, in the pages' own words


def steps_of(page: str) -> Iterator[tuple[str, str, str]]:
    """The name that a block is to be saved as, its text and what the block below says that it prints."""
    text = (GUIDE / page).read_text(encoding="utf-8")
    blocks = list(BLOCK.finditer(text))
    for block, below in zip(blocks, [*blocks[1:], None], strict=True):
        saved = re.findall(r"Save this as `([\w.]+)`[^`]*\Z", text[: block.start()])
        follows = below is not None and below[1] == "text" and not text[block.end() : below.start()].strip()
        if saved or block[1] != "text":
            yield saved[0] if saved else "", block[2], below[2] if below is not None and follows else ""


def told(text: str) -> str:
    return SECONDS.sub("in … s", text)


def test_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    steps = list(steps_of("ten-minutes-python.md"))
    for _, code, output in steps:
        exec(compile(code, "ten-minutes-python.md", "exec"), names)
        assert capsys.readouterr().out == output, code
    assert len(steps) == 6 and all(output for _, _, output in steps)


def test_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    steps = list(steps_of("ten-minutes-shell.md"))
    for name, text, output in steps:
        if name:
            (tmp_path / name).write_text(text)
            continue
        for line in text.splitlines():
            words = shlex.split(line.removeprefix("$ "))
            assert words[0] == "navcore"
            assert main(words[1:]) == (GATE_FAILED if line.startswith("$ ") else 0), line
        said = capsys.readouterr()
        assert told(said.out + said.err) == told(output), text
    assert [name for name, _, _ in steps if name] == ["room.obj", "scene.json", "tests.json"]
    assert len(steps) == 11
