"""Links that somebody keeps although nothing joins them: they stay, without points, and are told by name."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from navcore import LinkEdits, NavMesh, Settings, WideLink, build_navmesh, prune_navmesh
from navcore.build_warning import BuildWarning
from navcore.detour.reader import read_navmesh
from navcore.formats import write_navmesh
from tests import scenes

# Two floors with a gap of 6 m between them, in tiles of 4 m: Detour joins neighboring tiles only.
FLOORS = scenes.join([scenes.box(0, -1, 0, 9, 1, 9), scenes.box(15, -1, 0, 9, 1, 9)])
TILED = Settings(cell_size=0.25, cell_height=0.125, tile_size=16, generate_links=True, link_spacing=1.0)
FAR = WideLink(
    kind="jump", corners=((8.0, 0.0, 3.0), (8.0, 0.0, 6.0), (16.0, 0.0, 3.0), (16.0, 0.0, 6.0)), bidirectional=True,
    area=5, flags=8, id=77, points=(),
)  # fmt: skip


def built(*kept: WideLink, **changed: object) -> NavMesh:
    return build_navmesh(*FLOORS, replace(TILED, **changed), link_edits=LinkEdits(kept=kept))  # type: ignore[arg-type]


def told(navmesh: NavMesh) -> list[BuildWarning]:
    return [warning for warning in navmesh.report.warnings if warning.code == "LINK_ENDS_NOWHERE"]


def test_one_that_detour_joins_is_not_told() -> None:
    navmesh = built(FAR, tile_size=64)
    assert told(navmesh) == [] and len(navmesh.wide_links[0].points) == 3


def test_one_that_detour_cannot_join_stays_and_is_told_by_name() -> None:
    navmesh = built(FAR)
    [wide] = navmesh.wide_links
    assert (wide.id, wide.corners, wide.points) == (77, FAR.corners, ()) and navmesh.links == ()
    [warning] = told(navmesh)
    assert warning.message.startswith("The jump of 8.0 m is not attached at its end, so no agent takes it: ")
    assert "Detour joins neighboring tiles only" in warning.message and "raise tile_size" in warning.message
    assert warning.place == pytest.approx((16.0, 0.0, 4.5), abs=1.01)
    assert navmesh.report.counts["links_unattached"] == 3 and navmesh.report.counts["links_jump"] == 1


def test_where_its_ground_is_pruned_it_is_told() -> None:
    back = replace(FAR, kind="drop", bidirectional=False, corners=(*FAR.corners[2:], *FAR.corners[:2]))
    navmesh = built(back, tile_size=0)
    assert told(navmesh) == [] and told(prune_navmesh(navmesh, [(20, 0, 4)])) == []
    pruned = prune_navmesh(navmesh, [(4, 0, 4)])
    [warning] = told(pruned)
    assert "the ground at its start was left out, as no seed reaches it" in warning.message
    assert warning.message.endswith("Place a seed that reaches it.")
    assert [wide.points for wide in pruned.wide_links] == [()]
    assert told(prune_navmesh(pruned, [(4, 0, 4)])) == [warning], "and again, it is not forgotten"


@pytest.mark.parametrize("ending", [".bin", ".json", ".glb", ".tscn", ".pathfinding.glb"])
def test_an_export_says_which_have_no_point(tmp_path: Path, ending: str) -> None:
    warnings = write_navmesh(built(FAR), tmp_path / f"n{ending}")
    [warning] = [one for one in warnings if one.code == "LINKS_LEFT_OUT"]
    assert warning.message.startswith(
        f"The jump of 8.0 m at (8, 0, 3) joins nothing, so a .{ending.split('.')[-1]} has no"
    )
    assert warning.place == (8.0, 0.0, 3.0)


@pytest.mark.parametrize("ending", [".obj", ".tres"])
def test_formats_without_links_say_nothing_of_them(tmp_path: Path, ending: str) -> None:
    warnings = write_navmesh(built(FAR), tmp_path / f"n{ending}")
    assert not [one for one in warnings if one.code == "LINKS_LEFT_OUT"]


def test_a_bin_holds_only_those_that_are_joined(tmp_path: Path) -> None:
    near = replace(FAR, corners=((8.0, 0.0, 3.0), (8.0, 0.0, 6.0), (6.5, 0.0, 3.0), (6.5, 0.0, 6.0)), id=78)
    navmesh = built(FAR, near)
    assert {wide.id: len(wide.points) for wide in navmesh.wide_links} == {77: 0, 78: 3}
    write_navmesh(navmesh, tmp_path / "n.bin")
    tiles = read_navmesh((tmp_path / "n.bin").read_bytes()).tiles
    assert {int(number) for tile in tiles for number in tile.sections.connections["user_id"]} == {78}


def test_a_json_holds_its_corners(tmp_path: Path) -> None:
    write_navmesh(built(FAR), tmp_path / "n.json")
    [record] = json.loads((tmp_path / "n.json").read_text())["wide_links"]
    assert (record["id"], record["points"]) == (77, 0)
