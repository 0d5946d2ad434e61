"""The tile store as builds use it: a build from it equals a full build byte for byte, whatever was changed."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from navcore import Cancelled, NavMesh, NothingWalkable, Progress, Settings, build_navmesh, rebuild_tiles
from navcore.__main__ import main
from navcore.compile_ahead.every_kernel import tangled
from navcore.settings import LINKS, setting_info, settings_fields
from tests import scenes
from tests.navcore.builder.test_tiles import arrays

CITY = scenes.city(3)
TILED = Settings(tile_size=24)
BOUNDS = (0, -1, 0, 48, 9, 48)


def everything(navmesh: NavMesh) -> object:
    """All that a build says and makes, but for seconds."""
    report = {**navmesh.report.to_mapping(), "kernels": 0, "store": 0, "seconds": 0, "peak_memory_mb": 0, "threads": 0}
    return arrays(navmesh), report, navmesh.report.warnings


def tally(navmesh: NavMesh) -> tuple[int, int]:
    """How many tiles were reused, and how many built."""
    counts = navmesh.report.store
    assert counts is not None
    return counts["reused"], counts["built"]


def built_twice(store: Path, *level: Any, **more: Any) -> tuple[NavMesh, NavMesh, NavMesh]:
    """Without the store, into it, and out of it."""
    return (
        build_navmesh(*level, **more),
        build_navmesh(*level, **more, store=store),
        build_navmesh(*level, **more, store=store),
    )


# --- the same bytes


@pytest.mark.parametrize(
    "changed",
    [
        {}, {"partition": "layers"}, {"partition": "monotone", "detail_mesh": False}, {"vertices_per_polygon": 12},
        {"repair": False}, {"median_filter": True}, {"agent_radius": 0},
    ],
)  # fmt: skip
@pytest.mark.parametrize("level", ["city", "marked", "tangled", "spiral"])
def test_tiles_come_out_as_they_went_in(level: str, changed: dict[str, Any], tmp_path: Path) -> None:
    mesh = {"tangled": tangled(1), "spiral": scenes.spiral()}.get(level, CITY)  # much to be mended and to be told
    volumes = [{"shape": "box", "area": 3, "min": [3, -5, 3], "max": [20, 50, 20]}] if level == "marked" else []
    settings = Settings.from_mapping(TILED.to_mapping() | changed)
    full, first, second = built_twice(tmp_path / "store", *mesh, settings, volumes=volumes, threads=1)
    assert everything(first) == everything(full) == everything(second)
    tiles = sum(tally(first))
    assert tally(first) == (0, tiles) and tally(second) == (tiles, 0) and tiles >= full.report.counts["tiles"]
    assert full.report.store is None


def test_arrays_out_of_the_store_are_as_kernels_know_them(tmp_path: Path) -> None:
    """Of another kind, read-only or not aligned, every kernel after the build would be compiled again for them."""
    full, _, second = built_twice(tmp_path / "store", *CITY, TILED)
    for one, other in zip(full.tiles, second.tiles, strict=True):
        assert one.detail_mesh is not None and other.detail_mesh is not None
        bundles = [(*t.polygon_mesh[:5], *t.polygon_mesh.grid[3:5], *t.detail_mesh) for t in (one, other)]  # type: ignore[misc]
        for a, b in zip(*bundles, strict=True):
            assert (a.dtype, a.shape, a.flags.c_contiguous) == (b.dtype, b.shape, b.flags.c_contiguous)
            assert b.flags.writeable and b.flags.aligned
        kinds = [[type(v) for v in (*t.polygon_mesh[5:7], *t.polygon_mesh.grid)] for t in (one, other)]
        assert kinds[0] == kinds[1]


def change(random: Random, level: dict[str, Any]) -> None:
    """One random edit."""
    kind = random.choice(
        ("box", "box", "box", "move", "away", "area", "volume", "no volume", "bounds", "setting", "back")
    )
    boxes, volumes = level["boxes"], level["volumes"]
    box = [
        random.uniform(1, 44),
        random.uniform(-0.5, 1),
        random.uniform(1, 44),
        *(random.uniform(0.3, 6) for _ in "xyz"),
    ]
    if kind == "box":
        boxes.insert(random.randint(0, len(boxes)), box)
    elif kind == "move" and boxes:
        boxes[random.randrange(len(boxes))][:3] = box[:3]
    elif kind == "away" and boxes:
        boxes.pop(random.randrange(len(boxes)))
    elif kind == "area":
        level["area"] = random.choice((63, 2, 3))
    elif kind == "volume":
        x, z = box[0], box[2]
        area = random.choice((0, 2, 5))
        volume = {"shape": "box", "area": area, "min": [x, -1, z], "max": [x + box[3], 6, z + box[5]]}
        volumes.insert(random.randint(0, len(volumes)), volume)
    elif kind == "no volume" and volumes:
        volumes.pop(random.randrange(len(volumes)))
    elif kind == "bounds":
        level["bounds"] = random.choice((None, BOUNDS, (0, -1, 0, 40, 9, 48), (1.5, -1, 0, 48, 9, 48)))
    elif kind == "setting":
        level["settings"] = random.choice(({}, {"agent_radius": 0.9}, {"edge_max_error": 1.0}, {"tile_size": 32}))


@pytest.mark.parametrize("seed", range(6))
def test_a_build_from_the_store_equals_a_full_build_after_any_edit(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    level: dict[str, Any] = {"boxes": [], "volumes": [], "area": 63, "bounds": BOUNDS, "settings": {}}
    reused = 0
    for _ in range(10):
        change(random, level)
        mesh = scenes.join([CITY, *(scenes.box(*box) for box in level["boxes"])])
        areas = np.full(len(mesh[1]), 63, np.uint8)
        areas[5::97] = level["area"]
        settings = Settings.from_mapping(TILED.to_mapping() | level["settings"])
        given = {"areas": areas, "volumes": level["volumes"], "bounds": level["bounds"]}
        full = build_navmesh(*mesh, settings, **given)
        stored = build_navmesh(*mesh, settings, **given, store=tmp_path, threads=random.choice((1, 2)))
        assert everything(stored) == everything(full)
        reused += tally(stored)[0]
    assert reused > 0


def test_a_moved_box_is_built_where_it_was_and_where_it_is(tmp_path: Path) -> None:
    def level(x: float) -> scenes.Mesh:
        return scenes.join([scenes.box(x, 0, 20, 1, 1, 1), CITY])  # every later triangle has other indices

    build_navmesh(*level(4), TILED, bounds=BOUNDS, store=tmp_path)
    moved = build_navmesh(*level(40), TILED, bounds=BOUNDS, store=tmp_path)
    reused, built = tally(moved)
    assert 2 <= built <= 8 < reused
    assert everything(moved) == everything(build_navmesh(*level(40), TILED, bounds=BOUNDS))


def test_a_level_that_grows_keeps_its_tiles(tmp_path: Path) -> None:
    """Tiles are counted from the low corner: what is added behind the high one moves none."""
    build_navmesh(*CITY, TILED, store=tmp_path)
    grown = scenes.join([CITY, scenes.box(60, 0, 60, 10, 1, 10)])
    reused, built = tally(build_navmesh(*grown, TILED, store=tmp_path))
    assert reused > 20 and built > 0


# --- what decides a tile


OF_LINKS = [field.name for field in settings_fields() if setting_info(field.name).group == LINKS]


@pytest.mark.parametrize("name", OF_LINKS)
def test_settings_of_links_leave_tiles_as_they_are(name: str, tmp_path: Path) -> None:
    value = getattr(TILED, name)
    build_navmesh(*scenes.flat(20), TILED, store=tmp_path)
    settings = Settings.from_mapping(TILED.to_mapping() | {name: not value if isinstance(value, bool) else value + 1})
    assert tally(build_navmesh(*scenes.flat(20), settings, store=tmp_path))[1] == 0


@pytest.mark.parametrize("name", [field.name for field in settings_fields() if field.name not in OF_LINKS])
def test_every_setting_is_looked_at(name: str, tmp_path: Path) -> None:
    other: dict[str, Any] = {
        "tile_size": 32, "partition": "layers", "cell_size": 0.31, "cell_height": 0.21, "vertices_per_polygon": 5,
        "agent_max_slope": 44.0,
    }  # fmt: skip
    value = getattr(TILED, name)
    changed = other[name] if name in other else not value if isinstance(value, bool) else value + 1
    build_navmesh(*scenes.flat(20), TILED, store=tmp_path)
    settings = Settings.from_mapping(TILED.to_mapping() | {name: changed})
    assert tally(build_navmesh(*scenes.flat(20), settings, store=tmp_path))[0] == 0


def _one_ulp(given: dict[str, Any]) -> None:
    given["vertices"] = given["vertices"].copy()
    given["vertices"][0, 1] = np.nextafter(given["vertices"][0, 1], np.float32(9))


def _other_order(given: dict[str, Any]) -> None:
    given["triangles"] = given["triangles"][::-1]


def _other_corner_first(given: dict[str, Any]) -> None:
    given["triangles"] = np.roll(given["triangles"], 1, 1)


def _another_area(given: dict[str, Any]) -> None:
    given["areas"] = np.full(2, 5, np.uint8)


def _volumes_the_other_way_round(given: dict[str, Any]) -> None:
    given["volumes"] = given["volumes"][::-1]


def _lower_bounds(given: dict[str, Any]) -> None:
    given["bounds"] = [*given["bounds"][:1], -2, *given["bounds"][2:]]


@pytest.mark.parametrize(
    "edit",
    [_one_ulp, _other_order, _other_corner_first, _another_area, _volumes_the_other_way_round, _lower_bounds],
)
def test_whatever_may_change_a_tile_builds_it_anew(edit: Callable[[dict[str, Any]], None], tmp_path: Path) -> None:
    vertices, triangles = scenes.flat(7)  # one tile
    volumes = [{"shape": "box", "area": area, "min": [0, -1, 0], "max": [5, 1, 5]} for area in (2, 3)]
    given: dict[str, Any] = {"vertices": vertices, "triangles": triangles, "areas": np.full(2, 63, np.uint8)}
    given |= {"volumes": volumes, "bounds": [0, -1, 0, 7, 3, 7]}
    build_navmesh(**given, settings=TILED, store=tmp_path)
    assert tally(build_navmesh(**given, settings=TILED, store=tmp_path)) == (1, 0)
    edit(given)
    assert tally(build_navmesh(**given, settings=TILED, store=tmp_path)) == (0, 1)


def test_another_version_of_navcore_builds_everything_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build_navmesh(*scenes.flat(7), TILED, store=tmp_path)
    monkeypatch.setattr("navcore.builder.tile_store.input_hashes.code_fingerprint", lambda: "another")
    assert tally(build_navmesh(*scenes.flat(7), TILED, store=tmp_path)) == (0, 1)


def test_what_is_far_from_a_tile_does_not_matter_to_it(tmp_path: Path) -> None:
    """Nor do file times, threads, links, or triangles that say the same by other vertices."""
    vertices, triangles = scenes.flat(7)
    bounds = [0, -1, 0, 7, 3, 7]
    build_navmesh(vertices, triangles, TILED, bounds=bounds, store=tmp_path, threads=1)
    far = scenes.join([scenes.box(100, 0, 100, 1, 1, 1), (vertices, triangles)])
    split = far[0][far[1]].reshape(-1, 3), np.arange(3 * len(far[1])).reshape(-1, 3)
    volume = {"shape": "box", "area": 2, "min": [100, -1, 100], "max": [101, 1, 101]}
    link = {"start": [1, 0, 1], "end": [5, 0, 5]}
    again = build_navmesh(*split, TILED, bounds=bounds, volumes=[volume], links=[link], store=tmp_path, threads=2)
    assert tally(again) == (1, 0)


def test_places_without_ground_are_remembered(tmp_path: Path) -> None:
    walls = scenes.join([scenes.flat(9), scenes.box(40, 0, 2, 0.01, 3, 0.01)])
    full, first, second = built_twice(tmp_path, *walls, TILED)
    assert tally(second) == (sum(tally(first)), 0) and sum(tally(first)) > full.report.counts["tiles"]
    vertices, triangles = scenes.flat(40)
    for _ in range(2):
        with pytest.raises(NothingWalkable, match="look down"):
            build_navmesh(vertices, triangles[:, ::-1], TILED, store=tmp_path)


# --- together with everything else


class Counting(ThreadPoolExecutor):
    tiles = 0

    def submit(self, work: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.tiles += len(args[0].places)
        return super().submit(work, *args, **kwargs)


def test_what_is_in_the_store_is_sent_to_nobody(tmp_path: Path) -> None:
    build_navmesh(*CITY, TILED, bounds=BOUNDS, store=tmp_path)
    edited = scenes.join([CITY, scenes.box(4, 0, 20, 1, 1, 1), scenes.box(44, 0, 44, 1, 1, 1)])
    with Counting(2) as pool:
        stored = build_navmesh(*edited, TILED, bounds=BOUNDS, store=tmp_path, executor=pool)
        assert pool.tiles == tally(stored)[1] < 10
    assert everything(stored) == everything(build_navmesh(*edited, TILED, bounds=BOUNDS))


def test_few_tiles_of_many_are_built_side_by_side(tmp_path: Path) -> None:
    """Also where whole rows that need not be built lie between them."""
    settings, bounds = Settings(tile_size=16), [0, -1, 0, 60, 3, 60]
    level = scenes.flat(60)
    build_navmesh(*level, settings, bounds=bounds, store=tmp_path)
    edited = scenes.join([level, *(scenes.box(at, 0, at, 1, 1, 1) for at in (20, 57))])
    handed_out: set[int] = set()
    with Counting(1) as pool:
        navmesh = build_navmesh(
            *edited, settings, bounds=bounds, store=tmp_path, executor=pool,
            on_tile=lambda *_: handed_out.add(pool.tiles),
        )  # fmt: skip
    assert tally(navmesh)[1] == pool.tiles == 8
    assert handed_out == {8}, "all are handed out before the first is taken back"


def test_a_cancelled_build_goes_on_where_it_stopped(tmp_path: Path) -> None:
    """(While tiles are built: those of a level as small as this are handed over when all are.)"""

    def cancel_at_a_third(_stage: str, fraction: float) -> None:
        if fraction > 1 / 3:
            progress.cancel()

    progress = Progress(cancel_at_a_third)
    with pytest.raises(Cancelled):
        build_navmesh(*CITY, TILED, store=tmp_path, on_tile=lambda *_: None, progress=progress, threads=1)
    reused, built = tally(build_navmesh(*CITY, TILED, store=tmp_path))
    assert reused >= 10 and built > 0


def test_cancelling_is_seen_while_tiles_are_taken(tmp_path: Path) -> None:
    build_navmesh(*CITY, TILED, store=tmp_path)
    progress = Progress()
    with pytest.raises(Cancelled):
        build_navmesh(*CITY, TILED, store=tmp_path, on_tile=lambda *_: progress.cancel(), progress=progress)


def test_stages_that_are_wanted_are_built(tmp_path: Path) -> None:
    build_navmesh(*CITY, TILED, store=tmp_path)
    navmesh = build_navmesh(*CITY, TILED, store=tmp_path, keep_stages=True)
    assert tally(navmesh)[0] == 0 and len(navmesh.stages) == len(navmesh.tiles)


def test_a_rebuild_of_some_tiles_takes_and_keeps_them(tmp_path: Path) -> None:
    edited = scenes.join([CITY, scenes.box(4, 0, 20, 1, 1, 1)])
    navmesh = build_navmesh(*CITY, TILED, bounds=BOUNDS, store=tmp_path)
    rebuilt = rebuild_tiles(navmesh, [4, 0, 20, 5, 1, 21], *edited, store=tmp_path)
    assert tally(rebuilt)[1] > 0
    assert tally(build_navmesh(*edited, TILED, bounds=BOUNDS, store=tmp_path))[1] == 0
    back = rebuild_tiles(rebuilt, [4, 0, 20, 5, 1, 21], *CITY, store=tmp_path)
    assert tally(back)[1] == 0 and arrays(back) == arrays(navmesh)


def test_the_command_writes_the_same_file(tmp_path: Path) -> None:
    np.savez(tmp_path / "city.npz", verts=CITY[0], tris=CITY[1])
    reports = []
    for name, more in (("full", []), ("first", ["--store", "store"]), ("second", ["--store", "store"])):
        more = [str(tmp_path / word) if word == "store" else word for word in more]
        outputs = ["-o", f"{tmp_path}/{name}.bin", "--report", f"{tmp_path}/{name}.json"]
        assert main(["build", f"{tmp_path}/city.npz", "--tile-size", "24", *outputs, *more]) == 0
        reports.append(json.loads((tmp_path / f"{name}.json").read_text()))
    contents = {(tmp_path / f"{name}.bin").read_bytes() for name in ("full", "first", "second")}
    assert len(contents) == 1
    assert reports[0]["store"] is None and reports[1]["store"]["built"] == reports[2]["store"]["reused"] > 20
    for report in reports:
        for name in ("seconds", "store", "kernels", "peak_memory_mb"):
            del report[name]
    assert reports[0] == reports[1] == reports[2]


def test_a_level_that_has_not_changed_is_not_even_sorted_into_tiles(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_navmesh(*CITY, TILED, store=tmp_path)
    monkeypatch.setattr("navcore.builder.tiles.tile_jobs.build_tile", None)
    monkeypatch.setattr("navcore.builder.tiles.tile_jobs.select_triangles", None)
    assert tally(build_navmesh(*CITY, TILED, store=tmp_path))[1] == 0
