"""Baking in groups: the pack is the same for every number of processes, and whatever they are through with first."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from navcore.compile_ahead import every_kernel
from navcore.compile_ahead.usual_kernels import LAST, pieces
from navcore.kernels.pack_file import PackedEntry, PackFile, pack_bytes, read_pack
from navcore.kernels.shipped_pack import pack_name
from tools import bake


def a_pack(**entries: bytes) -> PackFile:
    return PackFile("here", "these", "any", (), {name: PackedEntry("source", data) for name, data in entries.items()})


def test_what_several_have_compiled_is_taken_from_the_first(tmp_path: Path) -> None:
    bake.write_joined(tmp_path / "joined", [a_pack(a=b"1", b=b"1"), a_pack(b=b"2", c=b"2"), a_pack(c=b"3")])
    joined = read_pack(tmp_path / "joined" / pack_name())
    assert {name: entry.data for name, entry in joined.entries.items()} == {"a": b"1", "b": b"1", "c": b"2"}
    assert joined.sources == "these"


@pytest.fixture
def groups(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """In the place of processes: the first group of a wave is through last. The words that each was started with."""
    started: list[list[str]] = []

    def run(words: list[str], **_: Any) -> SimpleNamespace:
        started.append(words)
        wave, group, earlier, out = int(words[3]), int(words[4]), Path(words[6]), Path(words[8])
        time.sleep(0.2 if group == 0 else 0)
        known = read_pack(earlier / pack_name()).entries if (earlier / pack_name()).exists() else {}
        out.mkdir()
        mine = a_pack(**{f"wave{wave}": b"%d" % group, f"group{group}": b"%d" % wave})
        (out / pack_name()).write_bytes(pack_bytes(mine._replace(entries={**mine.entries, **known})))
        return SimpleNamespace(returncode=1 if group > 7 else 0)

    monkeypatch.setattr(subprocess, "run", run)
    return started


@pytest.mark.usefixtures("groups")
def test_the_same_bytes_for_every_number_of_processes(tmp_path: Path) -> None:
    made = set()
    for processes in (1, 2, 5):
        folder = tmp_path / str(processes)
        folder.mkdir()
        earlier = bake.in_groups(0, 3, processes, folder / "none", folder)
        earlier = bake.in_groups(1, 5, processes, earlier, folder)
        made.add((bake.in_groups(2, 2, processes, earlier, folder, last=True) / pack_name()).read_bytes())
    assert len(made) == 1
    entries = read_pack(folder / "wave 2" / pack_name()).entries
    assert entries["wave0"].data == b"0" and entries["wave1"].data == b"0" and entries["group4"].data == b"1"


def test_a_process_that_fails_is_told(groups: list[list[str]], tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="status 1"):
        bake.in_groups(0, 9, 2, tmp_path / "none", tmp_path)
    assert len(groups) == 9 and all(words[:2] == [sys.executable, bake.__file__] for words in groups)


def test_every_piece_of_a_usual_build_is_in_one_group() -> None:
    first, then = ([number for group in wave for number in group] for wave in every_kernel._PIECES)
    assert sorted(first) == list(range(len(pieces()) - LAST)) and sorted([*first, *then]) == list(range(len(pieces())))
    waves = every_kernel.waves()
    assert len(waves) == 4 and all(steps for wave in waves for steps in wave)
    assert sum(map(len, waves[-1])) == len(every_kernel.steps()) > 50


def test_what_nothing_asks_for_any_more_is_not_baked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last wave asks for everything; those before it hand on what they have compiled, and what was there."""
    asked = {(0, 0): "a", (0, 1): "b", (1, 0): "c", (2, 0): "a", (2, 1): "c"}

    def run(words: list[str], **_: Any) -> SimpleNamespace:
        out = Path(words[8])
        out.mkdir()
        (out / pack_name()).write_bytes(pack_bytes(a_pack(**{asked[int(words[3]), int(words[4])]: b"code"})))
        return SimpleNamespace(returncode=0)

    monkeypatch.setattr(subprocess, "run", run)
    held, earlier = [], tmp_path / "none"
    for wave, groups in enumerate((2, 1, 2)):
        earlier = bake.in_groups(wave, groups, 2, earlier, tmp_path, last=wave == 2)
        held.append(sorted(read_pack(earlier / pack_name()).entries))
    assert held == [["a", "b"], ["a", "b", "c"], ["a", "c"]]
