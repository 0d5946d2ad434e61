"""Baking by several processes: the pack is the same however many work at a time, and whoever is through first."""

from __future__ import annotations

import json
import platform
import queue
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from navcore.compile_ahead import every_kernel
from navcore.compile_ahead.usual_kernels import LAST, pieces
from navcore.kernels.pack_file import PackedEntry, PackFile, pack_bytes, read_pack
from navcore.kernels.shipped_pack import BASELINES, pack_for_here, pack_name
from tools import bake

PLANNED = [[[]] * 3] * 2  # waves of lanes


def a_pack(**entries: bytes) -> PackFile:
    return PackFile("here", "these", "any", (), {name: PackedEntry("source", data) for name, data in entries.items()})


def held(pack: PackFile) -> dict[str, bytes]:
    return {name: entry.data for name, entry in pack.entries.items()}


def test_what_several_have_compiled_is_taken_from_the_first(tmp_path: Path) -> None:
    packs = [a_pack(a=b"1", b=b"1"), a_pack(b=b"2", c=b"2"), a_pack(c=b"3")]
    bake.write_joined(tmp_path / "joined", packs)
    read = read_pack(tmp_path / "joined" / pack_name())
    assert held(read) == held(bake.joined(packs)) == {"a": b"1", "b": b"1", "c": b"2"}
    assert read.sources == "these"
    bake.write_joined(tmp_path / "nothing", [])
    assert list((tmp_path / "nothing").iterdir()) == []


@pytest.mark.skipif(platform.machine().lower() not in BASELINES, reason="no kernels are shipped for such processors")
def test_nothing_is_taken_over_from_a_pack_for_another_processor(tmp_path: Path) -> None:
    """Kernels are listed by what they were made from: they do not say what they use of a processor."""
    baseline = BASELINES[platform.machine().lower()]
    path = tmp_path / pack_name()
    for made_for, why in ((baseline, ""), (baseline._replace(name="of 2009", beyond=""), "for of 2009 and not ")):
        path.write_bytes(pack_bytes(pack_for_here({}, made_for)))
        assert bake.why_not_current(path) == why + (baseline.in_words if why else "")
    path.write_bytes(pack_bytes(pack_for_here({}, baseline)._replace(sources="older")))
    assert bake.why_not_current(path) == "from other sources"
    path.unlink()
    assert bake.why_not_current(path).startswith("no kernels are shipped")


class Lanes:
    """In the place of processes: each compiles what it asks for and does not find, the first one slowly."""

    def __init__(self, asked: dict[tuple[int, int], str], failing: int = -1) -> None:
        self.asked, self.failing = asked, failing
        self.found: dict[tuple[int, int], list[str]] = {}
        self.ended: list[int] = []

    def begin(self, words: list[str], **_: Any) -> Any:
        assert words[:3] == [sys.executable, bake.__file__, "--lane"]
        return Lane(self, int(words[3]))


class Lane:
    def __init__(self, lanes: Lanes, number: int) -> None:
        self.lanes, self.number, self.stdin, self.stdout = lanes, number, self, self
        self.said: queue.SimpleQueue[str] = queue.SimpleQueue()

    def write(self, text: str) -> None:
        if text.strip():
            self.work(*json.loads(text))

    def flush(self) -> None: ...

    def work(self, wave: int, earlier: str, out: str) -> None:
        time.sleep(0.1 if self.number == 0 else 0)
        file = Path(earlier) / pack_name()
        known = held(read_pack(file)) if file.exists() else {}
        self.lanes.found[wave, self.number] = sorted(known)
        made = b"wave %d lane %d" % (wave, self.number)
        Path(out).mkdir()
        mine = a_pack(**{name: known.get(name, made) for name in self.lanes.asked[wave, self.number]})
        (Path(out) / pack_name()).write_bytes(pack_bytes(mine))
        done = [f"bake: wave {wave}\n"] if self.number != self.lanes.failing else [""]  # it ended
        for line in ("something else\n", *done):
            self.said.put(line)

    def __iter__(self) -> Iterator[str]:
        return iter(self.said.get, "")

    def wait(self) -> int:
        return 3

    def communicate(self) -> None:
        self.lanes.ended.append(self.number)


ASKED = {(0, 0): "ax", (0, 1): "bx", (0, 2): "c", (1, 0): "d", (1, 1): "ad", (1, 2): "e"}


def baked(lanes: Lanes, folder: Path, monkeypatch: pytest.MonkeyPatch, **more: Any) -> PackFile:
    monkeypatch.setattr(subprocess, "Popen", lanes.begin)
    folder.mkdir()
    return bake.in_waves(PLANNED, more.get("processes", 2), more.get("before"), folder)


def test_the_same_bytes_however_many_work_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = set()
    for processes in (1, 2, 5):
        lanes = Lanes(ASKED)
        whole = baked(lanes, tmp_path / str(processes), monkeypatch, processes=processes)
        made.add(pack_bytes(whole))
        assert lanes.found[0, 0] == [] and lanes.found[1, 2] == list("abcx"), "a wave has what those before it compiled"
        assert sorted(lanes.ended) == [0, 1, 2]
    assert len(made) == 1
    assert held(whole)["x"] == b"wave 0 lane 0" and held(whole)["d"] == b"wave 1 lane 0"
    assert held(whole)["a"] == b"wave 0 lane 0" and sorted(held(whole)) == list("abcdex")


def test_what_nobody_asks_for_any_more_is_not_baked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is there already is known from the first wave on; what was made from other sources is compiled anew."""
    before, lanes = tmp_path / "before", Lanes(ASKED)
    before.write_bytes(pack_bytes(a_pack(a=b"old", e=b"old", gone=b"old")))
    whole = baked(lanes, tmp_path / "folder", monkeypatch, before=before)
    assert lanes.found[0, 1] == ["a", "e", "gone"]
    assert held(whole)["a"] == held(whole)["e"] == b"old" and "gone" not in held(whole)


def test_a_process_that_fails_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lanes = Lanes(ASKED, failing=1)
    with pytest.raises(SystemExit, match="status 3"):
        baked(lanes, tmp_path / "folder", monkeypatch)
    assert sorted(lanes.ended) == [0, 1, 2], "the others end, too"


def test_all_lanes_together_ask_for_everything_once() -> None:
    listed = [name for wave in every_kernel._LISTED for lane in wave for name in lane]
    dear = every_kernel._dear(*every_kernel.level())
    assert sorted(listed, key=str) == sorted([*range(len(pieces())), *dear], key=str)
    first = [name for lane in every_kernel._LISTED[0] for name in lane if isinstance(name, int)]
    assert sorted(first) == list(range(len(pieces()) - LAST)), "the last pieces need the others"
    waves = every_kernel.waves()
    assert all(len(wave) == every_kernel.LANES for wave in waves)
    assert sum(len(lane) for wave in waves for lane in wave) == len(pieces()) + len(every_kernel.steps()) > 70
