"""What somebody changed by hand is input: builds make it again, whole, in tiles, from a store, edit by edit."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from navcore import (
    BadInput,
    Level,
    LevelSource,
    NavMesh,
    NavmeshEdits,
    NavQuery,
    NothingWalkable,
    Scene,
    Settings,
    build_navmesh,
    find_islands,
    prune_navmesh,
    read_navmesh,
)
from navcore.__main__ import main
from navcore.detour.reader import NavmeshFile
from navcore.formats.mset import mset_bytes
from tests import scenes
from tests.validated import validate

SETTINGS = Settings(cell_size=0.2, cell_height=0.1, agent_radius=0.4, region_min_size=4)
TILED = replace(SETTINGS, tile_size=32)
SQUARE = [[0, 0, 0], [0, 0, 20], [20, 0, 20], [20, 0, 0]]
GROUND = np.array(SQUARE, float), np.array([[0, 1, 2], [0, 2, 3]])
SEQUENCES = int(os.environ.get("NAVMESH_EDIT_SEQUENCES", "9"))


def outline(x: float, z: float, width: float, depth: float) -> list[list[float]]:
    return [[x, z], [x + width, z], [x + width, z + depth], [x, z + depth]]


def rectangle(x: float, z: float, width: float, depth: float) -> dict[str, Any]:
    return {"outline": outline(x, z, width, depth), "min_height": -1.0, "max_height": 3.0}


def built(edits: NavmeshEdits | None, settings: Settings = SETTINGS, level: Any = GROUND, **more: Any) -> NavMesh:
    return build_navmesh(LevelSource(*level, edits=edits), settings=settings, **more)


def metres(navmesh: NavMesh) -> float:
    return float(find_islands(navmesh).square_metres.sum())


def stands_on(navmesh: NavMesh | NavmeshFile, *places: tuple[float, float, float]) -> list[bool]:
    query = NavQuery(navmesh)
    asked = np.array(places, float)
    found = query.nearest(asked, extents=(0.05, 0.5, 0.05))
    near = np.abs(found.points - asked)[:, [0, 2]].max(axis=1) < 0.05
    return [bool(one) for one in near & (found.references != 0)]


@pytest.mark.parametrize("settings", [SETTINGS, TILED], ids=["whole", "tiled"])
def test_a_block_takes_away_what_is_drawn_and_no_more(settings: Settings) -> None:
    plain, edited = built(None, settings), built(NavmeshEdits(block=[rectangle(6, 8, 4, 2)]), settings)
    assert metres(plain) - metres(edited) == pytest.approx(8, rel=0.15)
    assert stands_on(edited, (8, 0, 9), (8, 0, 7.5), (8, 0, 10.5), (5.5, 0, 9)) == [False, True, True, True]
    for tile in edited.tiles:
        assert validate(tile.polygon_mesh, tile.detail_mesh) == []
    assert edited.report.edits == [{"kind": "block", "name": "", "cells": 200, "cells_when_made": 0}]


@pytest.mark.parametrize("settings", [SETTINGS, TILED], ids=["whole", "tiled"])
def test_areas_are_as_drawn_and_blocks_win(settings: Settings) -> None:
    edits = NavmeshEdits(area=[rectangle(4, 4, 8, 8) | {"area": 2}], block=[rectangle(6, 6, 2, 2)])
    edited = built(edits, settings)
    area = np.concatenate([tile.polygon_mesh.area for tile in edited.tiles])
    assert set(area.tolist()) == {2, 63}
    assert [row["cells"] for row in edited.report.edits] == [1600, 100]
    assert stands_on(edited, (7, 0, 7), (5, 0, 7)) == [False, True]


def test_what_no_edit_touches_is_the_same_bytes() -> None:
    plain = mset_bytes(built(None))
    assert mset_bytes(built(NavmeshEdits())) == plain
    elsewhere = built(NavmeshEdits(block=[rectangle(60, 60, 2, 2)]))
    assert mset_bytes(elsewhere) == plain
    assert [w.code for w in elsewhere.report.warnings] == ["EDIT_UNUSED"]


def test_a_block_over_whole_tiles_is_counted_there_too(tmp_path: Path) -> None:
    """Of a tile nothing is left: built at once, out of a store, part by part, and after it was moved away."""
    side = TILED.tile_size * TILED.cell_size
    over = {"outline": outline(-1, -1, side + 1, 2 * side + 1), "min_height": -1.0, "max_height": 1.0}
    edits = NavmeshEdits(block=[{**over, "cells": 2 * TILED.tile_size**2}])
    whole = built(edits, TILED)
    places = {(tile.x, tile.y) for tile in whole.tiles}
    assert (1, 0) in places and not {(0, 0), (0, 1)} & places and not whole.report.warnings
    eroded = 3  # cells along the outer borders
    assert whole.report.edits[0]["cells"] == (TILED.tile_size - eroded) * (2 * TILED.tile_size - eroded)
    for _ in range(2):
        assert built(edits, TILED, store=tmp_path).report.edits == whole.report.edits
    level = Level(TILED, edits=edits)
    level.set_part("ground", *GROUND)
    assert level.update().report.edits == whole.report.edits
    level.edits = NavmeshEdits(block=[{**over, "outline": outline(40, 40, 9, 9)}])
    assert [warning.code for warning in level.update().report.warnings] == ["EDIT_UNUSED"]
    level.edits = edits
    assert level.update().report.edits == whole.report.edits


@pytest.mark.parametrize("settings", [SETTINGS, TILED], ids=["whole", "tiled"])
def test_a_block_over_everything_is_named(settings: Settings) -> None:
    with pytest.raises(NothingWalkable, match="but what “Lid” takes away by hand"):
        built(NavmeshEdits(block=[{**rectangle(-9, -9, 40, 40), "name": "Lid"}]), settings)


def test_an_edit_that_lost_its_ground_is_told() -> None:
    one = rectangle(6, 8, 4, 2) | {"name": "Sill", "cells": 900}
    edited = built(NavmeshEdits(block=[one]))
    assert [(w.code, w.name) for w in edited.report.warnings] == [("EDIT_SHIFTED", "Sill")]
    assert "200 cells now, and 900" in edited.report.warnings[0].message


def test_without_a_name_it_is_told_by_its_number_among_its_kind() -> None:
    """As refusals count them, and not among all edits as builds sort them."""
    away = rectangle(90, 90, 4, 4)
    plank = {"vertices": [[90, 0, 0], [90, 0, 2], [92, 0, 2]], "faces": [[0, 1, 2]]}
    edits = [{"kind": "block", **rectangle(6, 8, 4, 2)}, {"kind": "block", **away}, {"kind": "patch", **plank}]
    navmesh = built(NavmeshEdits.of(Scene.from_mapping({"edits": edits}).edits))
    said = [warning.message.partition(" does nothing here: ") for warning in navmesh.report.warnings]
    assert [called for called, _, _ in said] == ["Patch 1", "Block 2"]
    assert said[0][2].startswith("none of its faces is ground"), "a patch is ground, and needs none"


@pytest.mark.parametrize("settings", [SETTINGS, TILED], ids=["whole", "tiled"])
@pytest.mark.parametrize(
    ("low", "high", "lost"),
    [((-4, 0.1), (3, 0.1), "8 m²"), ((4, -3), (8, 0), "7.7 m²"), ((4, 0.1), (8, 0.1), ""), ((0, 0), (20, 0), "")],
    ids=["beside", "below", "within", "to the border"],
)  # fmt: skip
def test_a_patch_that_reaches_beyond_the_level_is_told(
    settings: Settings, low: tuple[float, float], high: tuple[float, float], lost: str
) -> None:
    """What of it lies there is no ground: it was gone without a word."""
    (x0, y0), (x1, y1) = low, high
    corners = [(x0, y0, 5), (x1, y1, 5), (x1, y1, 7), (x0, y0, 7)]
    plank = {"vertices": corners, "faces": [[0, 1, 2, 3]], "name": "Plank"}
    warnings = built(NavmeshEdits(patch=[plank]), settings).report.warnings
    assert [(w.code, w.name, lost in w.message) for w in warnings] == [("EDIT_CUT_OFF", "Plank", True)] * bool(lost)
    box = (-8, -4, -8, 28, 4, 28)
    level = LevelSource(*GROUND, bounds=box, edits=NavmeshEdits(patch=[plank]))
    assert not build_navmesh(level, settings=settings).report.warnings, "bounds are the way out"


def test_what_two_that_are_the_same_mark_counts_once() -> None:
    same = {
        "block": rectangle(6, 8, 4, 2), "keep": {"at": [12, 0, 12]}, "area": {**rectangle(2, 2, 3, 3), "area": 2},
        "patch": {"vertices": [[14, 0.1, 2], [14, 0.1, 5], [17, 0.1, 5], [17, 0.1, 2]], "faces": [[0, 1, 2, 3]]},
    }  # fmt: skip
    once = built(NavmeshEdits(**{kind: [edit] for kind, edit in same.items()})).report.edits
    twice = built(NavmeshEdits(**{kind: [edit, edit] for kind, edit in same.items()})).report.edits
    assert twice == [row for row in once for _ in range(2)]


@pytest.mark.parametrize("partition", ["watershed", "monotone", "layers"])
@pytest.mark.parametrize("tile_size", [0, 32])
def test_a_kept_island_is_there_however_small(partition: str, tile_size: int) -> None:
    top = np.array([[x, 3.0, z] for x, _, z in ((8, 0, 8), (8, 0, 9.6), (9.6, 0, 9.6), (9.6, 0, 8))])
    level = np.concatenate([GROUND[0], top]), np.concatenate([GROUND[1], GROUND[1] + 4])
    settings = replace(SETTINGS, partition=partition, tile_size=tile_size, region_min_size=10)
    assert stands_on(built(None, settings, level), (8.8, 3, 8.8)) == [False]
    kept = built(NavmeshEdits(keep=[{"at": (8.8, 3, 8.8)}]), settings, level)
    assert stands_on(kept, (8.8, 3, 8.8), (2, 0, 2)) == [True, True]
    assert kept.report.edits[0]["cells"] > 0 and kept.report.warnings == []
    for tile in kept.tiles:
        assert validate(tile.polygon_mesh, tile.detail_mesh) == []
    nowhere = built(NavmeshEdits(keep=[{"at": (8.8, 9, 8.8)}]), settings, level)
    assert [w.code for w in nowhere.report.warnings] == ["EDIT_UNUSED"]


@pytest.mark.parametrize("settings", [SETTINGS, TILED], ids=["whole", "tiled"])
def test_a_bridge_that_is_too_thin_is_a_patch(settings: Settings) -> None:
    """A plank of 30 cm between two roofs, narrower than the agent, and steeper than it walks elsewhere."""
    far = GROUND[0] + np.array([25.0, 6.0, 0.0])
    level = np.concatenate([GROUND[0], far]), np.concatenate([GROUND[1], GROUND[1] + 4])
    assert len(find_islands(built(None, settings, level)).square_metres) == 2
    plank = {
        "vertices": [[19.4, 0, 9.7], [19.4, 0, 10.3], [25.6, 6.0, 10.3], [25.6, 6.0, 9.7]],
        "faces": [[0, 1, 2, 3]],
    }
    bridged = built(NavmeshEdits(patch=[plank]), settings, level)
    assert len(find_islands(bridged).square_metres) == 1
    way = NavQuery(bridged).find_paths([[5, 0, 5]], [[40, 6, 5]])
    assert int(way.status[0]) == 0 and bridged.report.edits[0]["cells"] > 50
    for tile in bridged.tiles:
        assert [one for one in validate(tile.polygon_mesh, tile.detail_mesh) if one.code != "OVERLAP"] == []


def test_a_patch_takes_the_place_of_the_ground_within_its_outline() -> None:
    """The ground of a square of 6 m becomes a cross: the corners of the square are gone, and it is not eroded."""
    one = [[6, 0, 8], [6, 0, 10], [12, 0, 10], [12, 0, 8]]
    other = [[z, y, x] for x, y, z in one]
    faces = [[0, 1, 2, 3], [4, 5, 6, 7]]
    cross = {"vertices": one + other, "faces": faces, "outline": outline(6, 6, 6, 6)}
    edited = built(NavmeshEdits(patch=[cross]))
    assert stands_on(edited, (9, 0, 9), (7, 0, 9), (9, 0, 11.5), (7, 0, 7), (11, 0, 11)) == [
        True,
        True,
        True,
        False,
        False,
    ]


@pytest.mark.parametrize("settings", [SETTINGS, TILED], ids=["whole", "tiled"])
@pytest.mark.parametrize("height", [0.1, 0.3, 4.0])
def test_a_patch_above_all_of_the_level_is_ground(settings: Settings, height: float) -> None:
    """It was cut off where the level ends, with the ground of its outline: nothing was left of one around all of it."""
    square = [[x, height, z] for x, _, z in SQUARE]
    patch = {"vertices": square, "faces": [[0, 1, 2, 3]], "outline": outline(0, 0, 20, 20), "below": 5.0, "above": 5.0}
    edits = NavmeshEdits(patch=[patch])
    edited = built(edits, settings)
    assert edited.report.edits[0]["cells"] == 10_000 and metres(edited) == pytest.approx(400)
    assert stands_on(edited, (10, height, 10)) == [True]
    level = Level(settings=TILED)
    level.set_part("ground", *GROUND)
    level.update()
    level.edits = edits
    assert mset_bytes(level.update()) == mset_bytes(built(edits, TILED))
    level.edits = NavmeshEdits()
    assert mset_bytes(level.update()) == mset_bytes(built(None, TILED))


def test_a_store_a_file_and_the_command_know_edits(tmp_path: Path) -> None:
    scenes_of: list[bytes] = []
    vertices, triangles = scenes.plaza(4)
    np.savez(tmp_path / "level.npz", verts=vertices, tris=triangles)
    for number, edits in enumerate(([], [{"kind": "block", "name": "Sill", **rectangle(3, 3, 4, 4)}])):
        scene, out = tmp_path / f"{number}.json", tmp_path / f"{number}.bin"
        scene.write_text(json.dumps({"edits": edits}))
        words = ["build", str(tmp_path / "level.npz"), "--scene", str(scene), "-o", str(out), "--tile-size", "32"]
        report = ["--report", str(tmp_path / "report.json"), "--quiet", "--store", str(tmp_path / "store")]
        assert main([*words, *report]) == 0
        scenes_of.append(out.read_bytes())
    assert scenes_of[0] != scenes_of[1]
    told = json.loads((tmp_path / "report.json").read_text())
    assert told["store"]["reused"] > 0 and told["edits"][0]["cells"] > 50
    fresh = build_navmesh(LevelSource(vertices, triangles, edits=NavmeshEdits(block=[rectangle(3, 3, 4, 4)])),
                          settings=Settings(tile_size=32))  # fmt: skip
    assert mset_bytes(fresh) == scenes_of[1]
    again = build_navmesh(LevelSource(vertices, triangles, edits=NavmeshEdits(block=[rectangle(3, 3, 4, 4)])),
                          settings=Settings(tile_size=32), store=tmp_path / "store")  # fmt: skip
    assert again.report.store == {"reused": len(again.tiles), "built": 0} and again.report.edits == fresh.report.edits
    assert isinstance(read_navmesh(tmp_path / "1.bin"), NavmeshFile)


@pytest.mark.parametrize(
    ("kind", "edit"),
    [
        ("block", {"outline": [[0, 0], [1, 1]], "min_height": 0, "max_height": 1}),
        ("block", {"outline": outline(0, 0, 1, 1), "min_height": 2, "max_height": 1}),
        ("area", {**rectangle(0, 0, 1, 1), "area": 99}),
        ("keep", {"at": [0, 0]}),
        ("patch", {"vertices": [[0, 0, 0], [0, 0, 1], [1, 0, 0]], "faces": [[0, 1, 9]]}),
        ("patch", {"vertices": [[0, 0, 0], [0, 0, 1], [1, 0, 0]], "faces": [[0, 1]]}),
        ("patch", {"vertices": [[0, 0, 0], [0, 0, 1], [1, 0, 0]], "faces": [[0, 1, 2]], "area": 0}),
        ("block", {"kind": "keep", "at": [0, 0, 0]}),
    ],
)
def test_wrong_edits_are_refused(kind: str, edit: dict[str, Any]) -> None:
    with pytest.raises(BadInput):
        built(NavmeshEdits(**{kind: [edit]}))


def random_edit(rng: np.random.Generator) -> tuple[str, dict[str, Any]]:
    x, z, width, depth = rng.uniform(-2, 24), rng.uniform(-2, 24), rng.uniform(0.5, 6), rng.uniform(0.5, 6)
    kind = str(rng.choice(["block", "area", "keep", "patch"]))
    if kind == "keep":
        return kind, {"at": (x, float(rng.choice([0.0, 1.0])), z)}
    if kind == "patch":
        rise = rng.uniform(-2, 3)
        vertices = [[x, 0, z], [x, 0, z + depth], [x + width, rise, z + depth], [x + width, rise, z]]
        return kind, {"vertices": vertices, "faces": [[0, 1, 2, 3]]}
    edit = rectangle(x, z, width, depth)
    return kind, edit | {"area": int(rng.integers(1, 5))} if kind == "area" else edit


@pytest.mark.parametrize("kind", ["block", "area", "patch", "keep"])
def test_an_update_costs_the_tiles_of_the_edit_that_changed(kind: str) -> None:
    """However many others there are, before it and behind it."""
    level = Level(replace(TILED, tile_size=16), bounds=(-2, -2, -2, 30, 6, 30))
    level.set_part("ground", *scenes.plaza(6))
    rng = np.random.default_rng(2)
    rows: list[tuple[str, dict[str, Any]]] = [
        (own, edit_at(own, *rng.uniform(0, 20, 2))) for own in ("block", "area", "patch", "keep") for _ in range(12)
    ]

    def edits(given: list[tuple[str, dict[str, Any]]]) -> NavmeshEdits:
        kinds = ("block", "area", "patch", "keep")
        return NavmeshEdits(**{own: [edit for kind, edit in given if kind == own] for own in kinds})

    level.edits = edits(rows)
    outcome(level.update)
    number = next(k for k, (own, _) in enumerate(rows) if own == kind)
    first = rows.pop(number)
    for row in (None, (kind, edit_at(kind, 9.0, 9.0)), (kind, edit_at(kind, 4.0, 9.0)), None, first):
        changed = [*rows[:number], *([] if row is None else [row]), *rows[number:]]
        level.edits = edits(changed)
        updated = outcome(level.update)
        assert 0 < len(level.rebuilt) <= 18, row
        assert updated == outcome(lambda: from_nothing(level, level.settings))
    level.edits = edits(rows[::-1])
    assert outcome(level.update) == outcome(lambda: from_nothing(level, level.settings))


def edit_at(kind: str, x: float, z: float) -> dict[str, Any]:
    if kind == "keep":
        return {"at": (x, 0.0, z)}
    if kind == "patch":
        return {"vertices": [[a, 0.5, b] for a, b in outline(x, z, 1.0, 1.0)], "faces": [[3, 2, 1, 0]]}
    return rectangle(x, z, 1.0, 1.0) | ({"area": 2} if kind == "area" else {})


class Edited(NamedTuple):
    """All that somebody has said of a level, which undo and redo bring back."""

    edits: tuple[tuple[str, dict[str, Any], bool], ...] = ()  # kind, content, and whether it moves with the crate
    crate: tuple[float, float] = (4.0, 4.0)

    def all(self) -> NavmeshEdits:
        rows: dict[str, list[dict[str, Any]]] = {"block": [], "area": [], "keep": [], "patch": []}
        for kind, edit, is_anchored in self.edits:
            rows[kind].append(moved(edit, *self.crate) if is_anchored else edit)
        return NavmeshEdits(**rows)


def moved(edit: dict[str, Any], x: float, z: float) -> dict[str, Any]:
    """An edit whose anchor stands somewhere else."""
    if "outline" in edit:
        return edit | {"outline": [[a + x, b + z] for a, b in edit["outline"]]}
    if "at" in edit:
        return edit | {"at": (edit["at"][0] + x, edit["at"][1], edit["at"][2] + z)}
    return edit | {"vertices": [[a + x, y, b + z] for a, y, b in edit["vertices"]]}


def after_something(rng: np.random.Generator, now: Edited) -> Edited:
    """One edit more or less, one that is another, or the crate elsewhere, with what is anchored to it."""
    what = rng.random()
    number = int(rng.integers(len(now.edits))) if now.edits else 0
    if what < 0.5 or not now.edits:
        kind, edit = random_edit(rng)
        is_anchored = rng.random() < 0.4
        return now._replace(edits=(*now.edits, (kind, moved(edit, -10, -10) if is_anchored else edit, is_anchored)))
    if what < 0.65:
        return now._replace(edits=now.edits[:number] + now.edits[number + 1 :])
    if what < 0.75:
        kind, edit, is_anchored = now.edits[number]
        other = kind, moved(edit, *rng.uniform(-3, 3, 2).tolist()), is_anchored
        return now._replace(edits=(*now.edits[:number], other, *now.edits[number + 1 :]))
    return now._replace(crate=(float(rng.uniform(0, 20)), float(rng.uniform(0, 20))))


WAYS: tuple[dict[str, Any], ...] = (
    {},
    {"links": [{"start": (1, 0, 1), "end": (8, 0, 8), "radius": 0.5}, {"start": (2, 0, 9), "end": (5, 1, 5)}]},
    {"settings": replace(TILED, generate_links=True, link_jump_height=0.8)},
    {"seeds": [(1.0, 0.0, 1.0)]},
    {"sizes": [("human", 0.4, 1.8), ("ogre", 0.8, 2.6)]},
    {"drops": [{"kind": "drop", "at": (4.5, 1.0, 4.5), "m2": 1.0}]},
    {"settings": replace(TILED, partition="monotone"), "seeds": [(1.0, 0.0, 1.0), (9.0, 0.0, 9.0)]},
    {"settings": replace(TILED, agent_radius=0.8, tile_size=16, partition="layers")},
    {"settings": SETTINGS},
)


@pytest.mark.parametrize("seed", range(SEQUENCES))
def test_an_update_after_any_edits_is_a_full_build(seed: int) -> None:
    """Edits come, go, move and come back, undone and redone, with links, seeds, sizes of agents and dropped islands;
    what some are anchored to moves meanwhile. `NAVMESH_EDIT_SEQUENCES=2000` is the long run."""
    rng = np.random.default_rng(seed)
    way = dict(WAYS[seed % len(WAYS)])
    settings, drops = way.pop("settings", TILED), way.pop("drops", ())
    level = Level(settings, bounds=(-2, -2, -2, 30, 6, 30), **way)
    level.set_part("ground", *scenes.plaza(3))
    level.set_part("crate", *scenes.box(4, 0, 4, 2, 1, 2))
    history, at = [Edited()], 0
    for _ in range(4):
        if rng.random() < 0.3:
            at = int(rng.integers(len(history)))  # undo or redo, several at once
        else:
            history, at = [*history[: at + 1], after_something(rng, history[at])], at + 1
        now = history[at]
        level.set_part("crate", *scenes.box(now.crate[0], 0, now.crate[1], 2, 1, 2))
        level.edits = replace(now.all(), drops=drops)
        updated, whole = outcome(level.update), outcome(lambda: from_nothing(level, settings))
        assert updated == whole
    outcome(level.update)
    assert level.rebuilt == (((0, 0),) if settings.tile_size == 0 else ())


def from_nothing(level: Level, settings: Settings) -> NavMesh:
    whole = build_navmesh(level._source(level.geometry()), settings=settings)
    return whole if level.seeds is None else prune_navmesh(whole, np.asarray(level.seeds))


def outcome(build: Callable[[], NavMesh]) -> Any:
    """The bytes and what is said of edits; or why there is nothing."""
    try:
        navmesh = build()
    except NothingWalkable as nothing:
        return str(nothing)
    told = sorted(w.sentence for w in navmesh.report.warnings if w.code.startswith("EDIT_"))
    return mset_bytes(navmesh), navmesh.report.edits, told, len(navmesh.links)


def test_fifty_rebuilds_change_nothing(tmp_path: Path) -> None:
    """Each is told what the one before has marked, as objects in Blender remember it; from a store, and with none."""
    rng = np.random.default_rng(5)
    rows = [random_edit(rng) for _ in range(8)]
    patch = {"vertices": [[3, 0, 3], [3, 0, 9], [9, 1.5, 9], [9, 1.5, 3]], "faces": [[0, 1, 2, 3]]}
    rows += [("patch", patch), ("block", rectangle(10, 2, 3, 8))]
    made: dict[str, int] = {}
    contents = set()
    for number in range(50):
        edits = {kind: [edit | {"name": str(k)} for k, (own, edit) in enumerate(rows) if own == kind]
                 for kind in ("block", "area", "keep", "patch")}  # fmt: skip
        for one in [*edits["block"], *edits["area"], *edits["patch"]]:
            one["cells"] = made.get(one["name"], 0)
        navmesh = built(NavmeshEdits(**edits), TILED, store=tmp_path if number % 2 else None)
        before, made = made, {row["name"]: row["cells"] for row in navmesh.report.edits}
        assert made == before or not number
        assert not [w for w in navmesh.report.warnings if w.code == "EDIT_SHIFTED"]
        contents.add(mset_bytes(navmesh))
    assert len(contents) == 1 and any(made.values())
