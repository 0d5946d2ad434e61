"""Pictures of stages, made on a thread, of stages that were kept or built again."""

from __future__ import annotations

import threading
import time
from importlib import import_module
from typing import Any

import pytest

from navcore.geometry.tile_key import TileKey
from tests.blender.scenes import add_plane


@pytest.fixture
def worker(addon: Any) -> Any:
    made = addon("views.stage_worker").StageWorker()
    yield made
    assert made.stop()


def build(bpy: Any, addon: Any, **values: Any) -> tuple[str, Any]:
    add_plane(bpy)
    bpy.ops.navmesh.setup_add()
    setup = bpy.context.scene.navmesh.setups[0]
    setup.scope = "VISIBLE"
    for name, value in values.items():
        setattr(setup, name, value)
    bpy.ops.navmesh.build()
    name = bpy.data.objects["Navmesh"]["navmesh_build"]
    return name, addon("builds.finished_navmeshes").find(name)


def made_by(worker: Any) -> Any:
    while worker.busy:
        if (made := worker.take()) is not None:
            return made
        time.sleep(0.01)
    raise AssertionError("nothing was made")


def test_the_properties_name_what_navcore_has(addon: Any) -> None:
    properties = addon("stored.view_properties")
    from navcore.views.catalog import VIEWS

    assert [name for name, *_ in properties.VIEWS] == ["NONE", *VIEWS]
    forms = {name: [form[:2] for form in rows] for name, rows in properties.FORMS.items()}
    assert forms == {view.name: list(view.variants) for view in VIEWS.values() if view.variants}


@pytest.mark.parametrize("tile_size", [0, 32])
def test_every_view(bpy: Any, addon: Any, worker: Any, tile_size: int) -> None:
    """Of stages that nobody kept."""
    stage_worker = addon("views.stage_worker")
    name, built = build(bpy, addon, tile_size=tile_size)
    assert not built.navmesh.stages
    for view in addon("stored.view_properties").VIEWS[1:]:
        wish = stage_worker.Wish(name, view[0])
        worker.ask(wish, built, 1 << 30)
        made = made_by(worker)
        assert made.wish == wish and not made.error, made.error
        assert len(made.picture.corners) + len(made.picture.lines) > 0 or view[0] == "CONNECTIONS"


def test_the_same_picture_as_of_stages_that_were_kept(bpy: Any, addon: Any, worker: Any) -> None:
    stage_worker = addon("views.stage_worker")
    name, built = build(bpy, addon, keep_stages=True)
    other = built._replace(navmesh=type(built.navmesh)(**{**vars_of(built.navmesh), "stages": {}}))
    wish = stage_worker.Wish(name, "REGIONS")
    worker.ask(wish, built, 1 << 30)
    kept = made_by(worker).picture
    worker.ask(wish, other, 1 << 30)
    again = made_by(worker).picture
    assert kept.corners.tobytes() == again.corners.tobytes() and kept.legend == again.legend and len(kept.corners)


def vars_of(navmesh: Any) -> dict[str, Any]:
    return {name: getattr(navmesh, name) for name in navmesh.__dataclass_fields__}


def test_the_newest_wish_counts(bpy: Any, addon: Any, worker: Any) -> None:
    stage_worker = addon("views.stage_worker")
    name, built = build(bpy, addon, cell_size=0.05)
    for level in range(30):
        worker.ask(stage_worker.Wish(name, "WATER", level=level / 30), built, 1 << 30)
    assert made_by(worker).wish.level == 29 / 30
    assert not worker.busy


def test_nothing_comes_of_what_was_forgotten(bpy: Any, addon: Any, worker: Any) -> None:
    stage_worker = addon("views.stage_worker")
    name, built = build(bpy, addon, cell_size=0.05)
    worker.ask(stage_worker.Wish(name, "WATER"), built, 1 << 30)
    assert worker.stop() and worker.take() is None
    assert "navmesh-view" not in [thread.name for thread in threading.enumerate()]


def test_the_oldest_stages_go_first(bpy: Any, addon: Any) -> None:
    worker = addon("views.stage_worker").__name__
    progress = import_module(worker.replace("navmesh_addon.views.stage_worker", "navcore.progress")).Progress
    cache = addon("views.stage_worker").StageCache()
    name, built = build(bpy, addon, tile_size=32)
    cache.stages(name, built, [TileKey(0, 0)], 1 << 30, progress())
    one = cache.bytes
    assert one > 0
    cache.stages(name, built, [TileKey(1, 0)], 1, progress())
    found = cache.stages(name, built, [TileKey(1, 0), TileKey(1, 1)], 1, progress())
    assert list(found) == ["t1_0", "t1_1"]
    assert cache.bytes < 4 * one


def test_tiles_near_a_place(bpy: Any, addon: Any, monkeypatch: Any) -> None:
    stage_worker = addon("views.stage_worker")
    _, built = build(bpy, addon, tile_size=32)
    grid = built.navmesh.tile_grid
    every = stage_worker.places_near(built, (0.0, 0.0), False)
    assert len(every) == grid.columns * grid.rows
    assert stage_worker.places_near(built, (-9.9, -9.9), True) == (TileKey(0, 0),)
    assert stage_worker.places_near(built, (1e6, 1e6), True) == (TileKey(grid.columns - 1, grid.rows - 1),)
    monkeypatch.setattr(stage_worker, "MOST_CELLS", 4 * (32 + 2 * grid.border) ** 2)
    near = stage_worker.places_near(built, (-9.9, -9.9), False)
    assert [key.place for key in near] == [(0, 0), (1, 0), (0, 1), (1, 1)]


def test_an_error_is_a_sentence(bpy: Any, addon: Any, worker: Any) -> None:
    """Distances are the watershed's alone."""
    stage_worker = addon("views.stage_worker")
    name, built = build(bpy, addon, partition="monotone")
    worker.ask(stage_worker.Wish(name, "DISTANCE"), built, 1 << 30)
    made = made_by(worker)
    assert made.picture is None and "watershed" in made.error and not made.is_fault


def test_the_value_of_a_place(bpy: Any, addon: Any, worker: Any) -> None:
    stage_worker = addon("views.stage_worker")
    for tile_size in (0, 32):
        name, built = build(bpy, addon, tile_size=tile_size)
        worker.ask(stage_worker.Wish(name, "REGIONS"), built, 1 << 30)
        made = made_by(worker)
        assert stage_worker.value_at(made, (1.3, 0.0, 2.1))
        assert not stage_worker.value_at(made, (100.0, 0.0, 2.1))


@pytest.mark.parametrize(
    ("most", "tile_size", "kept"), [(0, 0, False), (1000, 0, False), (1 << 30, 0, True), (1 << 30, 32, False)]
)
def test_a_level_in_one_piece_keeps_stages_within_the_budget(
    bpy: Any, addon: Any, most: int, tile_size: int, kept: bool
) -> None:
    _, built = build(bpy, addon, tile_size=tile_size)
    means = addon("builds.request_and_result").Means(stage_bytes=most)
    [again] = addon("builds.run_builds").build_all([built.request], means)
    assert bool(again.navmesh.stages) == kept
    assert again.navmesh.polygon_mesh.vertices.tobytes() == built.navmesh.polygon_mesh.vertices.tobytes()


def test_only_the_newest_navmesh_keeps_what_nobody_asked_for(bpy: Any, addon: Any) -> None:
    """A setup that asks for stages has them for good."""
    finished = addon("builds.finished_navmeshes")
    _, built = build(bpy, addon)
    means = addon("builds.request_and_result").Means(stage_bytes=1 << 30)
    [one] = addon("builds.run_builds").build_all([built.request], means)
    [asked] = addon("builds.run_builds").build_all([built.request._replace(keep_stages=True)], means)
    for name, navmesh in (("asked", asked), ("first", one), ("second", one)):
        finished.keep(name, navmesh, 7)
    assert [bool(finished.find(name).navmesh.stages) for name in ("asked", "first", "second")] == [True, False, True]
    finished.clear()
