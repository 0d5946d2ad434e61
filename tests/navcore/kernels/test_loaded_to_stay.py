"""What stays until a command ends is not searched for garbage, and a command loads only what it needs."""

from __future__ import annotations

import gc
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from navcore.kernels.loaded_to_stay import loaded_to_stay

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    yield
    gc.enable()
    gc.unfreeze()


@pytest.mark.parametrize("collects", [True, False])
def test_nothing_is_searched_meanwhile_nor_what_is_there_afterwards(collects: bool) -> None:
    gc.unfreeze()
    if not collects:
        gc.disable()
    searched: list[bool] = []

    def load() -> None:
        with loaded_to_stay():
            searched.append(gc.isenabled())
            raise ImportError("broken")

    with pytest.raises(ImportError, match="broken"):
        load()
    assert searched == [False]
    assert gc.isenabled() == collects and gc.get_freeze_count() > 10_000


def printed_by(program: str) -> str:
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout


def test_a_command_sets_aside_what_it_loads_once() -> None:
    """A second command in the same process has nothing to load: what was made in between is searched."""
    program = """
import gc
from navcore.__main__ import main
for _ in range(2):
    assert main(["info", "not there.bin"]) == 1 and gc.isenabled()
    print(gc.get_freeze_count())
"""
    first, second = map(int, printed_by(program).split())
    assert 10_000 < second <= first


def test_a_build_loads_nothing_that_answers_questions() -> None:
    """Half of what the command loaded was for gates that few ask for, and for tile caches."""
    program = "import sys, navcore.commands.build_command; print(*sys.modules)"
    rooms = {".".join(name.split(".")[:2]) for name in printed_by(program).split()}
    assert "navcore.builder" in rooms
    unwanted = ("questions", "tile_cache", "difference", "shortest_paths", "world", "page", "link_finder")
    assert not rooms & {f"navcore.{room}" for room in unwanted}
