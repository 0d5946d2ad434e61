"""Worlds whose build is killed from outside, at random moments."""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from pathlib import Path

import pytest

from navcore.world.build_world import build_world
from navcore.world.world_file import World, read_world

from .small_worlds import files_in, write_world

KILLS = 10


def building(world: World, out: Path) -> int:
    """A process that builds; it has loaded everything."""
    child = os.fork()
    if child == 0:
        try:
            build_world(world, out, threads=1)
            os._exit(0)
        finally:  # never back into pytest
            os._exit(1)
    return child


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")  # no other thread of ours holds anything
@pytest.mark.skipif(sys.platform == "win32", reason="processes that have loaded everything are forked")
def test_killed_at_random_and_resumed(tmp_path: Path) -> None:
    """Whatever is there after a kill is whole; the last run goes on with what is missing; the bytes are the same."""
    world, moments = read_world(write_world(tmp_path)), random.Random(7)
    build_world(world, tmp_path / "warm", threads=1)
    began = time.perf_counter()
    assert os.waitpid(building(world, tmp_path / "at-once"), 0)[1] == 0
    seconds, wanted = time.perf_counter() - began, files_in(tmp_path / "at-once")
    out, killed, sections = tmp_path / "again", 0, set[int]()
    while killed < KILLS:
        child = building(world, out)
        time.sleep(moments.uniform(0.05, 0.8) * seconds)
        os.kill(child, signal.SIGKILL)
        status = os.waitpid(child, 0)[1]
        there = visible(out)
        if os.WIFEXITED(status):  # it was through: all from the start
            assert os.WEXITSTATUS(status) == 0 and there == wanted
            for path in out.iterdir():
                path.unlink()
            continue
        killed += 1
        sections.add(sum(name.endswith(".bin") for name in there))
        assert all(wanted[name] == content for name, content in there.items() if "manifest" not in name)
    assert len(sections) > 1, "they were killed in different places"
    build_world(world, out, threads=1)
    assert visible(out) == wanted


def visible(folder: Path) -> dict[str, bytes]:
    """Parts of files that were being written begin with a dot; the next writer of that file sweeps them."""
    found = files_in(folder) if folder.is_dir() else {}
    return {name: content for name, content in found.items() if not name.startswith(".")}
