"""What somebody changed by hand is input: builds make it again, whole, in tiles, from a store, edit by edit."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

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
    Settings,
    build_navmesh,
    find_islands,
    read_navmesh,
)
from navcore.__main__ import main
from navcore.builder.validate import validate
from navcore.detour import NavmeshFile
from navcore.formats.mset import mset_bytes
from tests import scenes

SETTINGS = Settings(cell_size=0.2, cell_height=0.1, agent_radius=0.4, region_min_size=4)
TILED = replace(SETTINGS, tile_size=32)
SQUARE = [[0, 0, 0], [0, 0, 20], [20, 0, 20], [20, 0, 0]]
GROUND = np.array(SQUARE, float), np.array([[0, 1, 2], [0, 2, 3]])
SEQUENCES = int(os.environ.get("NAVMESH_EDIT_SEQUENCES", "3"))


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


@pytest.mark.parametrize("seed", range(SEQUENCES))
def test_an_update_after_any_edits_is_a_full_build(seed: int) -> None:
    """Edits come, go, move and come back; parts move meanwhile."""
    rng = np.random.default_rng(seed)
    vertices, triangles = scenes.plaza(3)
    level = Level(TILED, bounds=(-2, -2, -2, 30, 6, 30))
    level.set_part("ground", vertices, triangles)
    level.set_part("crate", *scenes.box(4, 0, 4, 2, 1, 2))
    edits: list[tuple[str, dict[str, Any]]] = []
    history = [list(edits)]
    for _ in range(4):
        what = rng.random()
        if what < 0.55 or not edits:
            edits = [*edits, random_edit(rng)]
        elif what < 0.7:
            edits = [edit for k, edit in enumerate(edits) if k != int(rng.integers(len(edits)))]
        elif what < 0.85:
            edits = history[int(rng.integers(len(history)))]
        else:
            x, z = rng.uniform(0, 20, 2)
            level.set_part("crate", *scenes.box(float(x), 0, float(z), 2, 1, 2))
        history.append(list(edits))
        by_kind = {kind: [edit for k, edit in edits if k == kind] for kind in ("block", "area", "keep", "patch")}
        level.edits = NavmeshEdits(**by_kind)
        updated = level.update()
        whole = build_navmesh(level._source(level.geometry()), settings=TILED)
        assert mset_bytes(updated) == mset_bytes(whole)
        assert updated.report.edits == whole.report.edits
    assert level.update() is not None and level.rebuilt == ()
