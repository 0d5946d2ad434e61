"""Which navmeshes stay in memory: of each setup the last one and the one before it, as long as there is room."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest


@pytest.fixture
def finished(addon: Any) -> Any:
    module = addon("builds.finished_navmeshes")
    module.clear()
    yield module
    module.clear()


SCENE = 7


def built(setup: str) -> Any:
    """Stands in for a navmesh."""
    request = SimpleNamespace(setup=setup, gathered=SimpleNamespace(watched=frozenset()))
    return SimpleNamespace(request=request, navmesh=SimpleNamespace(stages={}))


def test_the_build_before_is_known(finished: Any) -> None:
    finished.keep("first", built("A"), SCENE)
    finished.keep("second", built("A"), SCENE, "first")
    assert finished.before("second") == "first" and finished.before("first") == finished.before("nobody") == ""
    finished.clear()
    assert finished.before("second") == ""


def test_rebuilding_one_setup_forgets_no_other_one(finished: Any) -> None:
    """B's two builds stay, however often A is built; of A the last two."""
    finished.keep("B 1", built("B"), SCENE)
    finished.keep("B 2", built("B"), SCENE, "B 1")
    for number in range(20):
        finished.keep(f"A {number}", built("A"), SCENE, f"A {number - 1}" if number else "")
    there = [name for name in ("B 1", "B 2", "A 19", "A 18") if finished.find(name) is not None]
    assert there == ["B 1", "B 2", "A 19", "A 18"] and finished.before("A 19") == "A 18"
    assert len(finished._in_memory) == finished.MOST and set(finished._before) <= set(finished._in_memory)


def test_with_many_setups_what_is_shown_comes_first(finished: Any) -> None:
    setups = "ABCD"
    for number in range(2):
        for setup in setups:
            finished.keep(f"{setup} {number}", built(setup), SCENE, f"{setup} {number - 1}" if number else "")
    assert all(finished.find(f"{setup} 1") is not None for setup in setups)
    assert [finished.before(f"{setup} 1") for setup in setups] == ["", "", "C 0", "D 0"]
    for number, setup in enumerate("EFGHIJ"):
        finished.keep(setup, built(setup), SCENE)
        assert finished.find(setup) is not None and len(finished._in_memory) == finished.MOST, number


def test_undo_and_another_build_is_compared_with_what_was_there(finished: Any) -> None:
    """The second build was undone, then there was a third: before it was the first."""
    finished.keep("first", built("A"), SCENE)
    finished.keep("second", built("A"), SCENE, "first")
    finished.keep("third", built("A"), SCENE, "first")
    assert finished.before("third") == "first"
