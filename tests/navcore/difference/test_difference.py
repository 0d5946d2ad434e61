"""What changed between two navmeshes: by hand, against a twin in plain Python, and as a command with a gate."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from navcore import NavMesh, Settings, build_navmesh, navmesh_difference, write_navmesh
from navcore.__main__ import main
from navcore.difference.floors import floors_of, order_of_cells
from navcore.errors import BadInput, TooLarge
from navcore.formats import read_navmesh_file
from navcore.formats.plain_navmesh import PlainNavmesh, plain_navmesh
from navcore.page.page_arrays import PageNavmesh
from tests import scenes


def slab(low: tuple[float, float, float], high: tuple[float, float, float]) -> scenes.Mesh:
    """A box."""
    (x0, y0, z0), (x1, y1, z1) = low, high
    corners = np.array([[x, y, z] for x in (x0, x1) for y in (y0, y1) for z in (z0, z1)], np.float32)
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    return corners, np.array(triangles, np.int32)


def level(*boxes: scenes.Mesh) -> scenes.Mesh:
    before = np.cumsum([0, *(len(vertices) for vertices, _ in boxes)])
    return (
        np.concatenate([vertices for vertices, _ in boxes]),
        np.concatenate([triangles + n for (_, triangles), n in zip(boxes, before, strict=False)]).astype(np.int32),
    )


FLOOR = slab((0, -1, 0), (12, 0, 12))


def test_a_navmesh_does_not_differ_from_itself() -> None:
    navmesh = build_navmesh(*scenes.city(2, seed=4), Settings(tile_size=32))
    found = navmesh_difference(navmesh, navmesh)
    assert found[:4] == (0, 0, 0, ()) and len(found.columns) == 0


def test_a_crate_takes_ground_and_gives_some_on_its_top() -> None:
    """3 × 3 m higher than an agent climbs: what stands under it is gone, and its top is new."""
    settings = Settings(agent_radius=0.0, filter_ledge_spans=False, region_min_size=0)
    bare, full = build_navmesh(*FLOOR, settings), build_navmesh(*level(FLOOR, slab((3, 0, 3), (6, 1.5, 6))), settings)
    found = navmesh_difference(bare, full)
    assert found.removed == pytest.approx(9.0, abs=0.3 * 12 + 0.1)  # a ring of one cell at most
    assert found.added == pytest.approx(9.0, abs=0.3 * 12 + 0.1)
    kinds = {place.kind: place for place in found.places}
    assert set(kinds) == {"added", "removed"} and len(found.places) == 2
    assert kinds["added"].point == pytest.approx((4.5, 1.6, 4.5), abs=0.4)
    assert kinds["removed"].point == pytest.approx((4.5, 0.2, 4.5), abs=0.4)
    back = navmesh_difference(full, bare)
    assert (back.added, back.removed) == (found.removed, found.added)


def test_ground_that_lies_higher_has_moved_if_an_agent_could_step_there() -> None:
    low = build_navmesh(*FLOOR, Settings())
    for rise, moved in ((0.0, False), (0.6, True)):
        high = build_navmesh(FLOOR[0] + np.float32([0, rise, 0]), FLOOR[1], Settings())
        found = navmesh_difference(low, high)
        assert (found.moved > 100) == moved and found.added == found.removed == 0
        assert all(place.kind == "moved" for place in found.places)
    gone = navmesh_difference(low, build_navmesh(FLOOR[0] + np.float32([0, 3, 0]), FLOOR[1], Settings()))
    assert gone.moved == 0 and gone.added == gone.removed > 100


def test_tiles_and_one_piece_hold_the_same_ground() -> None:
    """Where tiles meet, a column's middle is counted once."""
    one, tiles = build_navmesh(*FLOOR, Settings()), build_navmesh(*FLOOR, Settings(tile_size=16))
    for cell in (None, 0.3, 0.6, 0.1, 0.37):
        found = navmesh_difference(one, tiles, cell=cell)
        assert len(tiles.tiles) > 4 and found.added == found.removed == found.moved == 0


def random_navmesh(seed: int) -> NavMesh:
    return build_navmesh(*scenes.city(1, seed=seed), Settings(cell_size=0.4, agent_radius=0.4))


def heights_by_hand(navmesh: PlainNavmesh, cell: float, x: int, z: int) -> list[float]:
    """Floors of one column, found triangle by triangle."""
    assert navmesh.detail is not None
    px, pz, found = (x + 0.5) * cell, (z + 0.5) * cell, []
    for a, b, c in navmesh.detail.vertices[navmesh.detail.triangles].astype(np.float64):
        twice = (b[0] - a[0]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[0] - a[0])
        if twice == 0:
            continue
        u = ((px - a[0]) * (c[2] - a[2]) - (pz - a[2]) * (c[0] - a[0])) / twice
        v = ((b[0] - a[0]) * (pz - a[2]) - (b[2] - a[2]) * (px - a[0])) / twice
        if min(u, v, 1 - u - v) >= 0:
            found.append(a[1] + u * (b[1] - a[1]) + v * (c[1] - a[1]))
    return sorted(found)


@pytest.mark.parametrize("seed", range(4))
def test_samples_are_those_that_a_plain_search_finds(seed: int) -> None:
    """In cells of an odd size no middle lies on an edge, so that both must find the same."""
    navmesh, cell = plain_navmesh(random_navmesh(seed)), 0.7310585
    floors = floors_of(navmesh, cell)
    low, high = navmesh.vertices.min(axis=0), navmesh.vertices.max(axis=0)
    rng = np.random.default_rng(seed)
    for x, z in rng.integers([low[0] // cell, low[2] // cell], [high[0] // cell, high[2] // cell], (60, 2)).tolist():
        mine = floors.heights[(floors.columns == (x, z)).all(axis=1)]
        assert mine.tolist() == pytest.approx(heights_by_hand(navmesh, cell, x, z), abs=1e-4)


@pytest.mark.parametrize("seed", range(4))
def test_what_is_gone_and_what_is_new_add_up(seed: int) -> None:
    """Whatever was matched with what: the ground before, less what is gone, and what is new, is the ground now."""
    old, new = random_navmesh(seed), random_navmesh(seed + 10)
    found = navmesh_difference(old, new)
    was, now = (len(floors_of(plain_navmesh(navmesh), found.cell).heights) for navmesh in (old, new))
    assert was - round(found.removed / found.cell**2) + round(found.added / found.cell**2) == now
    assert sum(place.square_metres for place in found.places) == pytest.approx(
        found.added + found.removed + found.moved
    )
    sizes = [place.square_metres for place in found.places]
    assert sizes == sorted(sizes, reverse=True) and len(found.columns) == len(found.kinds) == len(found.heights)


def test_the_nearer_of_two_floors_is_the_same_one() -> None:
    """A floor appears a step below another: that one is new, and the other has not moved."""
    floor = build_navmesh(*FLOOR, Settings(cell_height=0.1, agent_height=0.4, agent_max_climb=0.9))
    plain = plain_navmesh(floor)
    assert plain.detail is not None
    shifted = plain.detail.vertices - np.float32([0, 0.7, 0])
    count = len(plain.detail.vertices)
    both = plain.detail._replace(
        vertices=np.concatenate([plain.detail.vertices, shifted]),
        triangles=np.concatenate([plain.detail.triangles, plain.detail.triangles + count]).astype(np.int32),
        polygon=np.concatenate([plain.detail.polygon, plain.detail.polygon]),
    )
    found = navmesh_difference(plain, plain._replace(detail=both))
    assert found.moved == found.removed == 0 and found.added > 100
    assert found.heights.max() < plain.detail.vertices[:, 1].min()


def test_cells_are_sorted_by_column_and_height() -> None:
    rng = np.random.default_rng(3)
    columns, heights = rng.integers(-4, 4, (300, 2)), rng.integers(0, 9, 300).astype(np.float64)
    assert order_of_cells(columns, heights).tolist() == np.lexsort((heights, columns[:, 1], columns[:, 0])).tolist()
    assert len(order_of_cells(columns[:0], heights[:0])) == 0


def test_numbers_that_make_no_sense_are_refused() -> None:
    navmesh = build_navmesh(*FLOOR, Settings())
    for wrong in ({"cell": 0.0}, {"cell": float("nan")}, {"moved_by": -1.0}):
        with pytest.raises(BadInput, match="more than 0"):
            navmesh_difference(navmesh, navmesh, **wrong)
    with pytest.raises(TooLarge, match="larger cells"):
        navmesh_difference(navmesh, navmesh, cell=0.0005)


# --- the command


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """A floor, and the same with a crate, as files."""
    crate = slab((3, 0, 3), (6, 1.5, 6))
    names = []
    for name, mesh in (("a", FLOOR), ("b", level(FLOOR, crate))):
        for ending in ("bin", "json", "glb"):
            path = tmp_path / f"{name}.{ending}"
            write_navmesh(build_navmesh(*mesh, Settings(region_min_size=0)), path)
            names.append(str(path))
    return names


def test_files_of_every_format_are_compared(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    answers = []
    for before, after in zip(files[:3], files[3:], strict=True):
        assert main(["compare", before, after, "--json"]) == 0
        answers.append(json.loads(capsys.readouterr().out))
    assert answers[0]["removed"] > 9 and len(answers[0]["places"]) == len(answers[0]["kinds"])
    for answer in answers[1:]:
        assert answer["removed"] == pytest.approx(answers[0]["removed"], rel=0.05)
        assert len(answer["places"]) == len(answers[0]["places"])
    assert main(["compare", files[0], files[0]]) == 0
    assert "no difference" in capsys.readouterr().out
    assert main(["compare", files[0], files[1], "--json"]) == 0
    mixed = json.loads(capsys.readouterr().out)
    assert mixed["added"] == mixed["removed"] == mixed["moved"] == 0


@pytest.mark.parametrize("cell_height", [0.05, 0.1, 0.13, 0.2, 0.3])
def test_a_file_does_not_differ_from_the_navmesh_it_was_written_from(tmp_path: Path, cell_height: float) -> None:
    """Detour has corners a cell's height lower than the detail."""
    navmesh = build_navmesh(*FLOOR, Settings(cell_height=cell_height))
    write_navmesh(navmesh, tmp_path / "a.bin")
    for height in (None, cell_height):
        found = navmesh_difference(read_navmesh_file(tmp_path / "a.bin"), navmesh, moved_by=height)
        assert found.added == found.removed == found.moved == 0


_NO_PAGE = PageNavmesh({}, {})


@pytest.mark.parametrize("ending", ["json", "glb", "tres", "tscn"])
def test_hills_do_not_differ_between_formats(
    tmp_path: Path, ending: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some hold no detail: then ground is what corners of polygons have, on both sides, and that is said."""
    navmesh = build_navmesh(*scenes.terrain(61, 0.6, 0.05, 5), Settings(edge_max_error=3.0))
    files = tmp_path / "a.bin", tmp_path / f"a.{ending}"
    for path in files:
        write_navmesh(navmesh, path)
    without = ending != "json"
    detailed, plain = (read_navmesh_file(path) for path in files)
    assert navmesh_difference(plain, detailed).by_corners == without
    if without:  # what is compared would differ
        heights = [np.sort(floors_of(one, 0.3).heights) for one in (plain, detailed)]
        assert len(heights[0]) != len(heights[1]) or np.abs(heights[0] - heights[1]).max() > 0.5
    assert main(["compare", *map(str, files), "--max-added", "0", "--max-removed", "0", "--max-moved", "0"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("no difference") and ("no detail" in said) == without
    facts = []
    monkeypatch.setattr("navcore.page.write_page.page_difference", lambda found: facts.append(found) or _NO_PAGE)
    for command in (["compare", *map(str, files)], ["page", str(files[1]), "--compare", str(files[0])]):
        assert main([*command, "-o", str(tmp_path / "a.html")]) == 0
    assert [(found.places, found.by_corners) for found in facts] == 2 * [((), without)]


def test_the_gate_is_on_what_was_added_and_removed(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", files[0], files[3], "--max-removed", "100"]) == 0
    assert main(["compare", files[0], files[3], "--max-removed", "5", "--max-added", "100"]) == 3
    said = capsys.readouterr()
    assert "removed" in said.out and "GATE_FAILED" in said.err and "--max-removed" in said.err
    assert main(["compare", files[3], files[0], "--max-added", "5"]) == 3
    assert main(["compare", files[0], "no such file.bin"]) == 1
    assert "CANNOT_READ" in capsys.readouterr().err
    assert main(["compare", files[0], files[3], "--max-added", "-1"]) == 2


def test_without_detail_polygons_are_compared() -> None:
    navmesh = build_navmesh(*FLOOR, Settings())
    bare = replace(navmesh, tiles=tuple(tile._replace(detail_mesh=None) for tile in navmesh.tiles))
    found = navmesh_difference(navmesh, bare)
    assert found.added == found.removed == 0
