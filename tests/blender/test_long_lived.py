"""What Numba and kernels leave in memory is not looked through again whenever Python searches for garbage."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.blender.scenes import add_plane


@pytest.fixture
def long_lived(bpy: Any, addon: Any) -> Iterator[Any]:
    """The module, with kernels in memory and nothing set aside."""
    add_plane(bpy)
    assert bpy.ops.navmesh.build() == {"FINISHED"}
    module = addon("long_lived")
    module.unregister()
    yield module
    module.unregister()


def test_after_a_job_a_search_finds_little_to_look_at(addon: Any, long_lived: Any) -> None:
    before = len(gc.get_objects())
    took = processor_seconds()
    job = addon("background").Job("test", lambda _: 1).start()
    assert job.wait(60) and job.result == 1
    assert gc.get_freeze_count() > 0.9 * before > 100_000
    assert processor_seconds() < 0.1 * took
    long_lived.unregister()
    assert gc.get_freeze_count() == 0


def test_again_only_when_more_is_loaded(addon: Any, long_lived: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    long_lived.set_aside()
    count = gc.get_freeze_count()
    kept = [[] for _ in range(1000)]  # type: ignore[var-annotated]
    long_lived.set_aside()
    assert gc.get_freeze_count() == count, "what a session makes and drops is still looked at"
    tally = addon("kernels.kernel_store", "navcore").STORE.tally
    monkeypatch.setattr(tally, "loaded", [*tally.loaded, "one more"])
    long_lived.set_aside()
    assert gc.get_freeze_count() >= count + len(kept)


def test_answers_of_the_worker_set_aside_as_well(addon: Any, long_lived: Any) -> None:  # noqa: ARG001 - it is loaded
    worker = addon("background").OneWorker("test")
    try:
        assert worker.ask(lambda: 1).result(60) == 1
    finally:
        worker.forget()
    assert gc.get_freeze_count() > 0


def processor_seconds() -> float:
    """Of a whole search for garbage: the fewest of three, as garbage itself takes time the first time."""
    times = []
    for _ in range(3):
        began = time.process_time()
        gc.collect()
        times.append(time.process_time() - began)
    return min(times)
