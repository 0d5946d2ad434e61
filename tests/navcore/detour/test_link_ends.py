"""Links that are attached to nothing: which, at which end, and why; whoever builds hears of it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from navcore import NavMesh, Settings, TooLarge, build_navmesh, prune_navmesh, rebuild_tiles, write_navmesh
from navcore.__main__ import main
from navcore.build_warning import BuildWarning
from tests import scenes

ROOT = Path(__file__).resolve().parents[3]
FLOOR = scenes.box(0, -1, 0, 40, 1, 40)
TILED = Settings(tile_size=32)  # 9.6 m
GOOD = {"start": [2, 0, 2], "end": [8, 0, 8], "name": "Good"}


def built(*links: dict[str, Any], settings: Settings = TILED, mesh: scenes.Mesh = FLOOR) -> NavMesh:
    return build_navmesh(*mesh, settings, links=links)


def told(navmesh: NavMesh) -> list[BuildWarning]:
    return [warning for warning in navmesh.report.warnings if warning.code == "LINK_UNATTACHED"]


# ------------------------------------------------------------------------ what is said


@pytest.mark.parametrize("settings", [Settings(), TILED, Settings(vertices_per_polygon=12)])
def test_of_links_that_are_attached_nothing_is_said(settings: Settings) -> None:
    navmesh = built(GOOD, {**GOOD, "bidirectional": False}, settings=settings)
    assert navmesh.failing_ends == ((False, False), (False, False))
    assert navmesh.report.warnings == []


REASONS = [
    ({"start": [2, 50, 2]}, "not attached at its start", "its start is 49.80 m above the ground", (2, 50, 2)),
    ({"end": [8, -3, 8]}, "not attached at its end", "its end is 3.20 m below the ground", (8, -3, 8)),
    ({"start": [0.2, 0, 9], "radius": 0.1}, "at its start", "0.1 m of its start, the nearest 0.70 m aside", None),
    ({"end": [0.2, 4, 9], "radius": 0.1}, "at its end", "0.70 m aside, and its end is 3.80 m above it", None),
    ({"start": [-90, 0, 2]}, "at its start", "no ground within 10 m of its start, however high or low", (-90, 0, 2)),
    ({"start": [-0.3, 0, 2], "radius": 3}, "at its start", "1.20 m beyond the nearest ground, where there is", None),
    ({"end": [2, 9, 2]}, "at its end, so", "its end is 8.80 m above the ground, more than agent_max_climb", None),
    ({"start": [2, -0.66, 2]}, "at its start", "0.86 m below the ground, out of the heights at which its tile", None),
    ({"start": [2, 9, 2], "end": [8, 9, 8]}, "at neither end", "its start is 8.80 m above the ground", (2, 9, 2)),
]  # fmt: skip


@pytest.mark.parametrize("settings", [Settings(), TILED], ids=["one piece", "tiles"])
@pytest.mark.parametrize(("change", "where", "why", "place"), REASONS)
def test_where_and_why_a_link_is_not_attached(
    change: dict[str, Any], where: str, why: str, place: tuple[float, ...] | None, settings: Settings
) -> None:
    navmesh = built({**GOOD, "name": "Ladder", "id": 7, **change}, GOOD, settings=settings)
    [warning] = told(navmesh)
    assert warning.message.startswith("Link “Ladder” (id 7) is ") and warning.name == "Ladder"
    assert where in warning.message and why in warning.message and "Move it" in warning.message
    assert place is None or warning.place == place
    assert navmesh.failing_ends[1] == (False, False)


def test_a_link_that_has_no_name_is_counted() -> None:
    navmesh = built(GOOD, {"start": [2, 50, 2], "end": [8, 0, 8]})
    assert told(navmesh)[0].message.startswith("Link 2 is not attached at its start")


def test_detour_joins_neighboring_tiles_only() -> None:
    far = {**GOOD, "end": [38, 0, 2]}
    [warning] = told(built(far))
    assert "it leads from tile (0, 0) to tile (3, 0), and Detour joins neighboring tiles only" in warning.message
    assert warning.place == (38, 0, 2) and "raise tile_size" in warning.message
    assert told(built(far, settings=Settings())) == []


def test_a_start_beside_a_tile_without_ground_is_told_so() -> None:
    """Where a link starts no tile is: the ground beside it, within its radius, lies in another one."""
    two = scenes.join([scenes.box(0, -1, 0, 9.6, 1, 9.6), scenes.box(25, -1, 0, 9.6, 1, 9.6)])
    [warning] = told(built({**GOOD, "start": [10.2, 0, 4], "radius": 2}, mesh=two))
    assert "its start lies 1.2" in warning.message and "where there is no tile" in warning.message


def test_of_many_links_the_number_is_told() -> None:
    navmesh = built(*({"start": [2, 50 + i, 2], "end": [8, 0, 8]} for i in range(130)))
    assert len(told(navmesh)) == 101
    assert told(navmesh)[-1].message == "30 more links are not attached to the ground. Look at the others first."


def test_a_tile_that_has_no_room_for_another_link(monkeypatch: pytest.MonkeyPatch) -> None:
    """Detour then makes none, and that is what counts."""
    from navcore.detour.queries import walk_graph

    def without_room(*arguments: Any, **names: Any) -> Any:
        data = tile_data(*arguments, **names).copy()
        return crowded(data)

    tile_data = walk_graph.tile_data
    monkeypatch.setattr(walk_graph, "tile_data", without_room)
    [warning] = told(built(GOOD, settings=Settings()))
    assert "has no room for another link at its end" in warning.message


def crowded(data: Any) -> Any:
    """A tile of one link fewer than its connection needs."""
    from navcore.detour.byte_layout import LINK, header_of, sections

    parts = sections(data)
    used = 2 + int(sum((p["neighbors"] > 0).sum() for p in parts.polygons))  # the start's two; the end's are too many
    links = len(parts.links)
    begin = data.nbytes - sum(part.nbytes for part in parts[4:])
    shorter = np.delete(data, slice(begin - (links - used) * LINK.itemsize, begin))
    header_of(shorter)["links"] = used
    return shorter


# ------------------------------------------------------------------------ who hears of it


def test_links_are_looked_at_again_where_tiles_are_rebuilt() -> None:
    navmesh = built(GOOD)
    hole = scenes.join([scenes.box(0, -1, 0, 40, 1, 6), scenes.box(0, -1, 12, 40, 1, 28)])
    again = rebuild_tiles(navmesh, (0, -1, 5, 40, 0, 13), *hole)
    assert again.failing_ends == ((False, True),) and [w.name for w in told(again)] == ["Good"]
    assert told(navmesh) == []


def test_links_that_pruning_takes_the_ground_from() -> None:
    """Those that lost it are told so; of those that missed it before, what was wrong with them is said again."""
    roof = scenes.join([FLOOR, scenes.box(20, 0, 20, 8, 5, 8)])
    down = {"start": [24, 5, 24], "end": [14, 0, 24], "bidirectional": False, "name": "Down"}
    navmesh = built(GOOD, down, {**GOOD, "start": [2, 50, 2], "name": "High"}, settings=Settings(), mesh=roof)
    assert [warning.name for warning in told(navmesh)] == ["High"]
    pruned = prune_navmesh(navmesh, [[2, 0, 2]])
    assert pruned.failing_ends == ((False, False), (True, False), (True, False))
    lost, high = told(pruned)
    assert "the ground at its start was left out, as no seed reaches it" in lost.message and lost.name == "Down"
    assert "49.80 m above the ground" in high.message
    assert [warning.name for warning in told(navmesh)] == ["High"]


@pytest.fixture
def level(tmp_path: Path) -> Path:
    np.savez(tmp_path / "level.npz", verts=FLOOR[0], tris=FLOOR[1])
    links = [GOOD, {**GOOD, "start": [2, 50, 2], "name": "High", "id": 3}, {**GOOD, "end": [38, 0, 38], "name": "Far"}]
    (tmp_path / "scene.json").write_text(json.dumps({"links": links}))
    return tmp_path / "level.npz"


def run(level: Path, *more: str) -> tuple[int, list[dict[str, Any]]]:
    folder = level.parent
    outputs = [part for name in ("a.bin", "b.bin") for part in ("-o", str(folder / name))]
    scene, report = str(folder / "scene.json"), str(folder / "r.json")
    status = main(["build", str(level), *outputs, "--scene", scene, "--tile-size", "32", "--report", report, *more])
    return status, json.loads((folder / "r.json").read_text())["warnings"]


def test_tiles_that_are_written_as_they_come_say_the_same_of_links(level: Path) -> None:
    """`--max-islands` wants the whole navmesh in memory; without it each tile is forgotten once it is written."""
    (status, streamed), (whole_status, whole) = run(level), run(level, "--max-islands", "9")
    assert status == whole_status == 0
    assert [(w["code"], w["name"]) for w in streamed] == [("LINK_UNATTACHED", "High"), ("LINK_UNATTACHED", "Far")]
    assert streamed == whole and streamed[0]["place"] == [2, 50, 2]


@pytest.mark.parametrize("more", [(), ("--max-islands", "9")], ids=["streamed", "whole"])
def test_a_gate_sees_them(level: Path, more: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(level, "--fail-on", "LINK_UNATTACHED", *more)[0] == 3
    assert "LINK_UNATTACHED: Link “High” (id 3) is not attached at its start" in capsys.readouterr().err
    assert not (level.parent / "a.bin").exists()


def test_what_cannot_be_told_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where tiles are larger than runtime data can be, no file of Detour's can be written either; others can."""

    def too_large(*_: object) -> None:
        raise TooLarge("Tile (0, 0) has too many polygons.")

    monkeypatch.setattr("navcore.detour.queries.checked_links.walk_graph", too_large)
    navmesh = built(GOOD)
    assert navmesh.failing_ends == ()
    [warning] = navmesh.report.warnings
    assert warning.code == "LINKS_NOT_CHECKED"
    assert warning.message == "Which links are attached to nothing cannot be told: Tile (0, 0) has too many polygons."


def test_levels_without_links_pay_nothing() -> None:
    """What looks at links is not even loaded."""
    script = """
import sys
from navcore import Settings, build_navmesh
from tests import scenes
build_navmesh(*scenes.box(0, -1, 0, 9, 1, 9), Settings(tile_size=16), threads=1)
print([name for name in sys.modules if name.startswith("navcore.detour")])
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr


def test_files_hold_no_names_of_links(tmp_path: Path) -> None:
    """A name is for messages: formats stay as they are."""
    named, nameless = built(GOOD), built({**GOOD, "name": ""})
    for name in ("a.json", "a.glb", "a.tscn"):
        write_navmesh(named, tmp_path / name)
        write_navmesh(nameless, tmp_path / f"b{Path(name).suffix}")
        other = (tmp_path / f"b{Path(name).suffix}").read_bytes()
        assert (tmp_path / name).read_bytes() == other.replace(b'"b"', b'"a"')
