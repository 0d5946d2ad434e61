"""The answer that is drawn: waited for shortly, and while a slow one is computed the older one stands."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from typing import Any

import pytest

from tests.blender.scenes import add_plane

LONG = 60.0  # seconds: what hangs fails


@pytest.fixture
def asked(bpy: Any, addon: Any) -> Any:
    """A floor, a start and an end; gives a way to ask now."""
    add_plane(bpy)
    bpy.ops.navmesh.build(scope="VISIBLE")
    scene = bpy.context.scene
    scene.navmesh.test_start, scene.navmesh.test_end = (-5, -5, 0), (-5, 5, 0)
    current = addon("ask.current_answer")
    current.forget()
    return lambda: current.current(bpy.context.scene)


def test_what_is_quick_is_answered_at_once(bpy: Any, asked: Any) -> None:
    assert abs(asked().answered.facts["length"] - 10) < 0.1
    bpy.context.scene.navmesh.test_end = (5, -5, 0)
    assert asked().picture is not None and asked() is asked()
    bpy.data.objects.remove(bpy.data.objects["Navmesh"])
    assert asked().picture is None and "Press Build Navmesh first" in asked().sentence


def test_an_older_answer_stands_while_a_slow_one_is_computed(
    bpy: Any, addon: Any, asked: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    thread, goes_on = addon("ask.question_thread"), threading.Event()
    first, quick = asked(), thread._answer

    def slow(*facts: Any) -> Any:
        assert goes_on.wait(LONG)
        return quick(*facts)

    monkeypatch.setattr(thread, "_answer", slow)
    monkeypatch.setattr(thread, "is_there", lambda _answer, _seconds: False)
    stored = bpy.context.scene.navmesh
    stored.test_end = (5, -5, 0)
    assert asked() is first
    stored.test_end = (5, 5, 0)  # nobody waits for the one between any more
    assert asked() is first
    goes_on.set()
    addon("ask.current_answer")._running.value[1].result(LONG)
    between = asked()
    assert between is not first and between.answered.facts["points"][-1][0] > 4
    addon("ask.current_answer")._running.value[1].result(LONG)
    assert abs(asked().answered.facts["length"] - 14.1) < 0.2


def test_it_says_when_the_navmesh_is_not_ready(
    bpy: Any, addon: Any, asked: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    navmeshes, soon = addon("ask.asked_navmesh"), Future[Any]()
    query = navmeshes.asked_navmesh(bpy.context.scene)
    navmeshes.forget()
    monkeypatch.setattr(addon("ask.question_thread"), "make_ready", lambda _navmesh: soon)
    monkeypatch.setattr(addon("ask.question_thread"), "is_there", lambda _answer, _seconds: False)
    assert "Preparing" in asked().sentence and not navmeshes.all_ready()
    bpy.context.scene.navmesh.property_unset("test_end")
    assert "Preparing" in asked().sentence
    soon.set_result(query)
    assert asked().sentence.startswith("Click") and navmeshes.all_ready()


def test_it_says_what_there_is_to_wait_for(bpy: Any, addon: Any, asked: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A ready navmesh is not prepared: its first answer waits for kernels, or for itself."""
    thread, current = addon("ask.question_thread"), addon("ask.current_answer")
    store, goes_on, redrawn = addon("kernels.kernel_store", "navcore").STORE, threading.Event(), []
    addon("ask.asked_navmesh").asked_navmesh(bpy.context.scene)
    quick = thread._answer
    monkeypatch.setattr(thread, "_answer", lambda *facts: goes_on.wait(LONG) and quick(*facts))
    monkeypatch.setattr(thread, "is_there", lambda _answer, _seconds: False)
    monkeypatch.setattr(current, "redraw_views", lambda *_kinds: redrawn.append(asked().sentence))
    assert asked().sentence.startswith("Looking for the answer")
    current._look()
    monkeypatch.setattr(store, "is_compiling", True)
    assert asked().sentence.startswith("Compiling the kernels for this computer, once")
    assert current._look() and current._look()
    assert [sentence.split()[0] for sentence in redrawn] == ["Looking", "Compiling"]
    monkeypatch.setattr(store, "is_compiling", False)
    goes_on.set()
    current._running.value[1].result(LONG)
    assert current._look() is None
    assert "10" in redrawn[-1]
