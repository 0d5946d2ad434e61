"""Work in slices: each ends in time, changes begin it anew, and what is gone in between is no error."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest


@pytest.fixture
def clock(addon: Any, monkeypatch: Any) -> list[float]:
    """The time that slices see."""
    now = [100.0]
    monkeypatch.setattr(
        addon("sliced_work"), "time", type("Time", (), {n: lambda *_: now[0] for n in ("monotonic", "perf_counter")})()
    )
    return now


def test_a_slice_ends_when_its_time_is_used(addon: Any, clock: list[float]) -> None:
    done: list[int] = []

    def steps() -> Iterator[None]:
        for k in range(100):
            done.append(k)
            clock[0] += 0.001
            yield

    work = addon("sliced_work").SlicedWork(steps, 0.3)
    assert work._slice() is None and done == [], "nobody asked"
    work.ask()
    assert work._slice() == pytest.approx(0.3) and done == [], "it waits until nothing happens any more"
    clock[0] += 0.3
    slices = 0
    while (again := work._slice()) is not None:
        slices += 1
        assert again <= 0.01
    assert done == list(range(100)) and 13 <= slices <= 15, "seven steps of a millisecond each"
    assert not work.asked


def test_a_large_step_gets_a_slice_of_its_own(addon: Any, clock: list[float]) -> None:
    module = addon("sliced_work")

    def steps() -> Iterator[bool]:
        yield module.GO_ON
        yield module.PAUSE
        clock[0] += 0.005
        yield module.GO_ON
        yield module.PAUSE

    work = module.SlicedWork(steps, 0.0)
    work.ask()
    times = [clock[0] for _ in iter(work._slice, None)]
    assert [round(after - times[0], 3) for after in times] == [0, 0.005]


def test_a_change_begins_it_anew(addon: Any, clock: list[float]) -> None:
    begun: list[int] = []

    def steps() -> Iterator[None]:
        begun.append(0)
        for _ in range(50):
            begun[-1] += 1
            clock[0] += 0.001
            yield

    work = addon("sliced_work").SlicedWork(steps, 0.3)
    work.ask()
    clock[0] += 0.3
    work._slice()
    work.ask()
    clock[0] += 0.3
    while work._slice() is not None:
        pass
    assert len(begun) == 2 and begun[0] < 50 and begun[1] == 50


def test_asking_does_next_to_nothing(addon: Any, clock: list[float]) -> None:
    """It is asked for after every click: what is half done is dropped later, by the timer."""
    dropped: list[bool] = []

    def steps() -> Iterator[bool]:
        try:
            while True:
                clock[0] += 0.001
                yield False
        finally:
            dropped.append(True)

    work = addon("sliced_work").SlicedWork(steps, 0.3)
    work.ask()
    clock[0] += 0.3
    work._slice()
    work.ask()
    assert dropped == []
    clock[0] += 0.3
    work._slice()
    assert dropped == [True]


def test_objects_that_are_removed_between_two_slices(bpy: Any, addon: Any, clock: list[float]) -> None:
    names: list[str] = []

    def steps() -> Iterator[None]:
        names.clear()
        for object_ in filter(None, bpy.context.view_layer.objects.values()):
            names.append(object_.name)
            clock[0] += 0.01
            yield

    for k in range(3):
        bpy.context.scene.collection.objects.link(bpy.data.objects.new(f"Object {k}", None))
    bpy.context.view_layer.update()
    work = addon("sliced_work").SlicedWork(steps, 0.0)
    work.ask()
    work._slice()
    assert names == ["Object 0"]
    bpy.data.objects.remove(bpy.data.objects["Object 1"])
    while work._slice() is not None:
        pass
    assert names == ["Object 0", "Object 2"]


def test_the_survey_is_taken_in_steps_and_says_what_it_left_out(bpy: Any, addon: Any, draw: Any) -> None:
    """However many objects there are: none is left out in silence, and the last forecast stays until the next."""
    mesh = bpy.data.meshes.new("Tile")
    mesh.from_pydata([(0, 0, 0), (9, 0, 0), (9, 9, 0), (0, 9, 0)], [], [(0, 1, 2, 3)])
    for k in range(4100):
        object_ = bpy.data.objects.new(f"Tile {k}", mesh)
        object_.location = (9 * (k % 64), 9 * (k // 64), 0)
        bpy.context.scene.collection.objects.link(object_)
    checks, draft = addon("interface.checks_before_build"), bpy.context.scene.navmesh.draft
    draft.scope = "VISIBLE"
    bpy.context.view_layer.update()
    assert sum(1 for _ in checks._make()) >= 4100, "a step for each object"
    assert "4,100 objects" in draw().text and "Check looks at every triangle" in draw().text
    draft.agent_radius = 0.9
    assert "4,100 objects" in draw().text, "the last complete forecast is shown until there is another"
    steps = checks._make()
    next(steps)
    steps.close()
    assert "4,100 objects" in draw().text


def test_it_is_registered_once_however_often_it_is_asked_for(addon: Any, monkeypatch: Any) -> None:
    """Blender knows a timer by its address: a bound method has another one each time that it is named."""
    module, registered = addon("sliced_work"), []
    timers = SimpleNamespace(
        is_registered=lambda timer: id(timer) in registered,
        register=lambda timer, first_interval: registered.append(id(timer)),  # noqa: ARG005
        unregister=lambda timer: registered.remove(id(timer)),
    )
    monkeypatch.setattr(module, "bpy", SimpleNamespace(app=SimpleNamespace(background=False, timers=timers)))
    work = module.SlicedWork(lambda: iter(()), 0.3)
    for _ in range(5):
        work.ask()
    assert len(registered) == 1
    work.forget()
    assert registered == []
