"""Worlds whose build is killed from outside, at random moments: as many kills as `NAVMESH_WORLD_KILLS` says."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from .small_worlds import files_in, write_world

KILLS = int(os.environ.get("NAVMESH_WORLD_KILLS", "0"))


@pytest.mark.skipif(KILLS == 0, reason="takes a minute: NAVMESH_WORLD_KILLS says how often to kill")
def test_killed_at_random_and_resumed(tmp_path: Path) -> None:
    """Whatever is there after a kill is whole; the last run goes on with what is missing; the bytes are the same."""
    world, moments = write_world(tmp_path), random.Random(7)
    command = [sys.executable, "-m", "navcore", "world", "build", str(world), "--threads", "1", "-o"]
    began = time.perf_counter()
    subprocess.run([*command, str(tmp_path / "at-once")], check=True)
    seconds, wanted = time.perf_counter() - began, files_in(tmp_path / "at-once")
    out, killed, sections = tmp_path / "again", 0, set[int]()
    while killed < KILLS:
        process = subprocess.Popen([*command, str(out)], stdout=subprocess.DEVNULL)
        time.sleep(moments.uniform(0.2, 1.0) * seconds)
        if process.poll() is not None:  # it was through: all from the start
            assert visible(out) == wanted
            for path in out.iterdir():
                path.unlink()
            continue
        process.kill()
        process.wait()
        killed += 1
        there = visible(out)
        sections.add(sum(name.endswith(".bin") for name in there))
        assert all(wanted[name] == content for name, content in there.items() if "manifest" not in name)
    assert len(sections) > 1, "they were killed in different places"
    subprocess.run([*command, str(out)], check=True)
    assert visible(out) == wanted


def visible(folder: Path) -> dict[str, bytes]:
    """Parts of files that were being written begin with a dot; the next writer of that file sweeps them."""
    found = files_in(folder) if folder.is_dir() else {}
    return {name: content for name, content in found.items() if not name.startswith(".")}
