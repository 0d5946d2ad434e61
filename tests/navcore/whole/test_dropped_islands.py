"""A drop is one mark that says “not this island”: only that one goes, and every build says what it left out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from navcore import (
    BadInput,
    Drop,
    Level,
    LevelSource,
    Link,
    LinkEdits,
    NavMesh,
    NavmeshEdits,
    Scene,
    Settings,
    build_navmesh,
    find_islands,
    prune_navmesh,
    rebuild_tiles,
    why,
)
from navcore.__main__ import main
from navcore.formats.mset import mset_bytes
from navcore.result.navmesh import world_vertices
from navcore.types import NO_INDEX
from tests import scenes

TILED = Settings(tile_size=16)
KINDS = [Settings(), TILED, Settings(tile_size=32, detail_mesh=False), Settings(vertices_per_polygon=12)]
ROOF = Drop(at=(7.0, 3.0, 7.0), m2=20.0, name="Roof")


def house(width: float = 6.0) -> dict[str, scenes.Mesh]:
    """A floor of 20 × 20 m, on it a closed block whose roof nobody reaches, and a small table."""
    return {
        "floor": scenes.box(0, -1, 0, 20, 1, 20),
        "block": scenes.box(4, 0, 4, width, 3, 6),
        "table": scenes.box(13, 0, 13, 4, 2, 4),
    }


def built(settings: Settings, *drops: Drop, width: float = 6.0, **more: Any) -> NavMesh:
    edits = NavmeshEdits(drops=drops)
    return build_navmesh(*scenes.join(list(house(width).values())), settings, edits=edits, **more)


def heights(navmesh: NavMesh) -> set[int]:
    """Of the ground that is there: 0 the floor, 2 the table, 3 the roof; −1 inside of block and table."""
    found = set()
    for tile in navmesh.tiles:
        points = world_vertices(tile.polygon_mesh)
        for row in tile.polygon_mesh.polygons:
            x, y, z = points[row[row != NO_INDEX]].mean(axis=0)
            inside = (4 < x < 10 and 4 < z < 10) or (13 < x < 17 and 13 < z < 17)
            found.add(-1 if inside and y < 1 else round(float(y)))
    return found


@pytest.mark.parametrize("settings", KINDS)
def test_only_the_island_that_is_marked_goes(settings: Settings) -> None:
    before = built(settings)
    navmesh = built(settings, ROOF)
    assert heights(before) - heights(navmesh) == {3}
    assert navmesh.report.counts["dropped_polygons"] == (
        before.report.counts["polygons"] - navmesh.report.counts["polygons"]
    )
    (row,) = navmesh.report.left_out
    assert (row.by, row.name, row.islands) == ("drop", "Roof", 1)
    gone = find_islands(before).square_metres.sum() - find_islands(navmesh).square_metres.sum()
    assert row.square_metres == pytest.approx(gone) and 20 < row.square_metres < 36
    assert 4 < row.place[0] < 10 and row.place[1] == pytest.approx(3, abs=0.3)
    assert not navmesh.report.warnings


def test_what_comes_later_is_built_and_needs_no_seed() -> None:
    parts = {**house(), "platform": scenes.box(30, 0, 0, 8, 1, 8)}
    navmesh = build_navmesh(*scenes.join(list(parts.values())), TILED, edits=NavmeshEdits(drops=[ROOF]))
    xs = np.concatenate([world_vertices(tile.polygon_mesh)[:, 0] for tile in navmesh.tiles])
    assert xs.max() > 36 and 3 not in heights(navmesh)


@pytest.mark.parametrize("settings", KINDS[:2])
def test_an_island_that_has_grown_to_more_than_twice_stays(settings: Settings) -> None:
    navmesh = built(settings, ROOF, width=14.0)  # the roof is 2.5 times as large
    (warning,) = navmesh.report.warnings
    assert warning.code == "EDIT_SHIFTED" and warning.place == ROOF.at and warning.name == "Roof"
    assert "20 m²" in warning.message and 3 in heights(navmesh) and not navmesh.report.left_out
    bridge = Link(start=(2.5, 0, 7), end=(6, 3, 7))  # part of the street now
    (warning,) = built(settings, ROOF, links=[bridge]).report.warnings
    assert warning.code == "EDIT_SHIFTED"


def test_the_largest_stays_and_says_so() -> None:
    floor = Drop(at=(1, 0, 1), m2=400.0)
    navmesh = built(TILED, floor)
    (warning,) = navmesh.report.warnings
    assert warning.code == "EDIT_SHIFTED" and "is the largest" in warning.message and "Drop 1" in warning.message
    assert mset_bytes(navmesh) == mset_bytes(built(TILED))


def test_a_mark_where_nothing_is_says_so() -> None:
    navmesh = built(TILED, Drop(at=(7, 9, 7), m2=5.0, name="Cloud"), ROOF)
    (warning,) = navmesh.report.warnings
    assert warning.code == "EDIT_UNUSED" and "“Cloud”" in warning.message
    assert 3 not in heights(navmesh), "the other one is applied all the same"


def test_two_marks_on_one_island_drop_it_once() -> None:
    navmesh = built(TILED, ROOF, Drop(at=(6, 3, 6), m2=20.0))
    assert len(navmesh.report.left_out) == 1


@pytest.mark.parametrize("links", [False, True])
@pytest.mark.parametrize("tile_size", [0, 16])
def test_levels_give_the_bytes_of_full_builds(links: bool, tile_size: int, tmp_path: Path) -> None:
    """The block grows and shrinks, so that its roof is dropped, kept and dropped again; the mark comes and goes."""
    settings = Settings(tile_size=tile_size, generate_links=links, link_drop_height=1.5)
    bounds = (0, -1, 0, 24, 6, 24)
    store = tmp_path if tile_size else None
    level = Level(settings, bounds=bounds, edits=NavmeshEdits(drops=[ROOF]), store=store)
    for width, drops in ((6.0, [ROOF]), (14.0, [ROOF]), (6.0, [ROOF]), (6.0, []), (5.0, [ROOF]), (5.0, [ROOF])):
        level.edits = NavmeshEdits(drops=drops)
        for name, part in house(width).items():
            level.set_part(name, *part)
        live = level.update()
        full = built(settings, *drops, width=width, bounds=bounds)
        assert mset_bytes(live) == mset_bytes(full)
        assert live.report.left_out == full.report.left_out
        assert [w.code for w in live.report.warnings] == [w.code for w in full.report.warnings]
        again = built(settings, *drops, width=width, bounds=bounds, store=store)
        assert mset_bytes(again) == mset_bytes(full), "tiles of a store know no drops"


def test_rebuilt_tiles_are_those_of_a_full_build() -> None:
    bounds = (0, -1, 0, 24, 6, 24)
    navmesh = built(TILED, ROOF, bounds=bounds)
    for width, drops in ((14.0, [ROOF]), (6.0, [ROOF]), (6.0, []), (6.0, [ROOF])):
        mesh = scenes.join(list(house(width).values()))
        edits = NavmeshEdits(drops=drops)
        navmesh = rebuild_tiles(navmesh, (4, 0, 4, 18, 3, 10), *mesh, edits=edits)
        assert mset_bytes(navmesh) == mset_bytes(built(TILED, *drops, width=width, bounds=bounds))


def test_found_links_to_what_is_dropped_go_with_it() -> None:
    settings = Settings(generate_links=True, link_drop_height=4.0, tile_size=32)
    before, navmesh = built(settings), built(settings, ROOF)
    assert any(point[1] > 2.5 for wide in before.wide_links for point in wide.corners)
    assert not any(point[1] > 2.5 for wide in navmesh.wide_links for point in wide.corners)
    assert len(navmesh.links) == sum(len(wide.points) for wide in navmesh.wide_links)


def test_a_link_to_what_is_dropped_says_so() -> None:
    down = Link(start=(6, 3, 7), end=(2.5, 0, 7), bidirectional=False, name="Down")
    (warning,) = built(TILED, ROOF, links=[down]).report.warnings
    assert warning.code == "LINK_UNATTACHED" and warning.name == "Down"
    assert "the ground at its start was left out, as its island is dropped" in warning.message


def test_pruning_tells_what_it_left_out_beside_what_was_dropped() -> None:
    pruned = prune_navmesh(built(TILED, ROOF), [(1, 0, 1)])
    assert [row.by for row in pruned.report.left_out] == ["drop", *["seeds"] * (len(pruned.report.left_out) - 1)]
    assert any(row.place[1] == pytest.approx(2, abs=0.3) for row in pruned.report.left_out), "the table"
    sizes = [row.square_metres for row in pruned.report.left_out[1:]]
    assert sizes == sorted(sizes, reverse=True) and min(sizes) > 0


def test_very_many_islands_are_told_as_one_row() -> None:
    tables = [scenes.box(3 * (i % 12), 0, 3 * (i // 12), 2, 1.5, 2) for i in range(132)]
    mesh = scenes.join([scenes.box(-6, -1, -6, 50, 1, 50), *tables])
    settings = Settings(tile_size=64, agent_radius=0.3, region_min_size=0)
    navmesh = prune_navmesh(build_navmesh(*mesh, settings), [(-4, 0, -4)])
    rows = navmesh.report.left_out
    whole = find_islands(build_navmesh(*mesh, settings)).square_metres
    assert len(rows) == 101 and sum(row.islands for row in rows) == len(whole) - 1
    assert sum(row.square_metres for row in rows) == pytest.approx(whole[1:].sum(), abs=1e-3)


def test_marks_come_from_mappings_and_scene_files(tmp_path: Path) -> None:
    written = {"kind": "drop", "name": "Roof", "at": [7, 3, 7], "m2": 20}
    (tmp_path / "scene.json").write_text(json.dumps({"edits": [written]}), encoding="utf-8")
    scene = Scene.from_file(tmp_path / "scene.json")
    assert scene.edits == (ROOF,) and scene.to_mapping()["edits"] == [written]
    source = LevelSource.of((*scenes.join(list(house().values())), None), scene)
    given = {"at": (7, 3, 7), "m2": 20, "name": "Roof"}
    by_mapping = built(TILED, given)  # type: ignore[arg-type]
    assert mset_bytes(build_navmesh(source, settings=TILED)) == mset_bytes(by_mapping) == mset_bytes(built(TILED, ROOF))


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        ({"kind": "drop", "at": [1, 2], "m2": 3}, "at must be"),
        ({"kind": "drop", "at": [1, 2, 3]}, "m2 is missing"),
        ({"kind": "drop", "at": [1, 2, 3], "m2": -1}, "m2 must be"),
        ({"kind": "fall", "at": [1, 2, 3], "m2": 1}, "kind must be one of"),
        ({"at": [1, 2, 3], "m2": 1}, "kind must be one of"),
        (7, "must be an object"),
    ],
)
def test_wrong_marks_are_refused_by_name(edit: Any, message: str) -> None:
    with pytest.raises(BadInput, match=message) as refused:
        Scene(edits=[edit])  # type: ignore[arg-type]
    assert refused.value.code == "BAD_SCENE" and "edit 1" in str(refused.value)


def test_edits_are_given_once_and_of_their_kind() -> None:
    mesh = scenes.flat(10)
    with pytest.raises(BadInput, match=r"^link_edits is given beside edits"):
        build_navmesh(*mesh, edits=NavmeshEdits(LinkEdits()), link_edits=LinkEdits())
    with pytest.raises(BadInput, match=r"^edits must be NavmeshEdits, not list"):
        build_navmesh(*mesh, edits=[ROOF])  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="with on_tile there is none"):
        build_navmesh(*mesh, TILED, edits=NavmeshEdits(drops=[ROOF]), on_tile=lambda *_: None)


def test_the_command_says_what_it_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    vertices, triangles = scenes.join(list(house().values()))
    lines = [*(f"v {x} {y} {z}" for x, y, z in vertices), *(f"f {a + 1} {b + 1} {c + 1}" for a, b, c in triangles)]
    (tmp_path / "level.obj").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / "scene.json").write_text(json.dumps(Scene(edits=(ROOF,)).to_mapping()), encoding="utf-8")
    words = ["build", str(tmp_path / "level.obj"), "-o", str(tmp_path / "a.bin"), "--tile-size", "16"]
    more = ["--scene", str(tmp_path / "scene.json"), "--report", str(tmp_path / "a.json")]
    assert main([*words, *more]) == 0
    line = capsys.readouterr().out
    report = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))
    (row,) = report["left_out"]
    assert row["by"] == "drop" and row["name"] == "Roof"
    assert f"left out 1 island of {row['m2']:,.1f} m², at (" in line
    assert (tmp_path / "a.bin").read_bytes() == mset_bytes(built(TILED, ROOF))
    assert main(words) == 0, "in tiles, written as they are built"
    assert "left out" not in capsys.readouterr().out


def test_why_knows_what_was_dropped() -> None:
    mesh, edits = scenes.join(list(house().values())), NavmeshEdits(drops=[ROOF])
    reason = why(LevelSource(*mesh, edits=edits), settings=TILED, at=ROOF.at)
    assert reason.code == "DROPPED" and "“Roof”" in reason.sentence
    assert why(LevelSource(*mesh, edits=edits), settings=TILED, at=(1, 0, 1)).walkable
    assert why(LevelSource(*mesh), settings=TILED, at=ROOF.at).walkable
