"""Agents take wide links in every question: they are ways like others, as wide as they have points."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from navcore import (
    AgentState,
    Crowd,
    NavMesh,
    NavQuery,
    QueryFilter,
    Settings,
    build_navmesh,
    find_islands,
    prune_navmesh,
    read_navmesh,
    walk,
)
from navcore.__main__ import main
from navcore.formats import read_navmesh_file, write_navmesh
from navcore.formats.mset import mset_bytes
from navcore.formats.plain_navmesh import plain_navmesh
from navcore.navquery.status import PathStatus
from tests.wide_links import ACROSS, CLIMB, DROP, HIGH, JUMP, LOW, PLATFORMS, platforms

PLACES = {"low": LOW, "high": HIGH, "across": ACROSS}
WAYS = {
    "jump": (JUMP, {("high", "across"), ("across", "high")}),
    "drop": (DROP, {("high", "low")}),
    "climb": (CLIMB, {("high", "low"), ("low", "high")}),
}
PAIRS = [(one, other) for one in PLACES for other in PLACES if one != other]
TILES = pytest.mark.parametrize("tile_size", [0, 32])
IDS = {"jump": 101, "drop": 102, "climb": 103}


@cache
def asked(kind: str, tile_size: int, from_file: bool = False) -> NavQuery:
    navmesh = platforms(WAYS[kind][0], tile_size=tile_size)
    return NavQuery(read_navmesh(mset_bytes(navmesh)) if from_file else navmesh)


@TILES
@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("from_file", [False, True])
@pytest.mark.parametrize("kind", WAYS)
def test_paths_lead_over_them_and_nowhere_else(kind: str, exact: bool, from_file: bool, tile_size: int) -> None:
    query = asked(kind, tile_size, from_file)
    starts, ends = ([PLACES[pair[k]] for pair in PAIRS] for k in (0, 1))
    paths = query.find_paths(starts, ends, exact=exact)
    complete = {pair for pair, status in zip(PAIRS, paths.status, strict=True) if status == PathStatus.COMPLETE}
    assert complete == WAYS[kind][1]
    for row in map(PAIRS.index, complete):
        polygons = paths.polygons[paths.polygon_offsets[row] : paths.polygon_offsets[row + 1]]
        assert query.link_ids(polygons[query.is_link(polygons)]).tolist() == [IDS[kind]]


@pytest.mark.parametrize("exact", [False, True])
def test_a_path_takes_the_point_that_is_on_its_way(exact: bool) -> None:
    """A link of one point would lead through its middle; five let ways go straight."""
    rows = [[5, 2, z] for z in (2.0, 4.0, 6.0, 8.0, 10.0)]
    paths = asked("jump", 0).find_paths(rows, [[17, 2, row[2]] for row in rows], exact=exact)
    assert paths.length.tolist() == pytest.approx([12.0] * 5, abs=0.01 if exact else 1.0)


@TILES
@pytest.mark.parametrize("kind", WAYS)
def test_reach_and_islands(kind: str, tile_size: int) -> None:
    query, ways = asked(kind, tile_size), WAYS[kind][1]
    at = dict(zip(PLACES, query.nearest(list(PLACES.values())).references.tolist(), strict=True))
    for one, other in PAIRS:
        reached = query.reachable_from([at[one]]).references
        assert (at[other] in reached.tolist()) == ((one, other) in ways), (one, other)
    both = [{one, other} for one, other in ways if (other, one) in ways]
    numbers = dict(zip(PLACES, query.islands(list(at.values())).numbers.tolist(), strict=True))
    for one, other in PAIRS:
        assert (numbers[one] == numbers[other]) == ({one, other} in both), (one, other)
    navmesh = platforms(WAYS[kind][0], tile_size=tile_size)
    assert len(find_islands(navmesh).square_metres) == len(set(numbers.values())) == (2 if both else 3)


def test_who_must_not_jump_stays() -> None:
    query = asked("jump", 0)
    [status] = query.find_paths([HIGH], [ACROSS], QueryFilter(exclude=8)).status
    assert status == PathStatus.PARTIAL
    paths = query.find_paths([HIGH] * 2, [ACROSS] * 2, [QueryFilter(), QueryFilter(costs={5: 10})], filter_of=[0, 1])
    assert paths.cost[1] == pytest.approx(paths.cost[0] + 9 * 3.0, abs=0.1)  # of three metres over the gap


@TILES
def test_the_widest_way_leads_over_a_link(tile_size: int) -> None:
    query = asked("jump", tile_size)
    found = query.narrowest([HIGH, HIGH], [ACROSS, LOW])
    assert 0.6 < found.clearances[0] < np.inf and found.status[0] != found.status[1]


@TILES
@pytest.mark.parametrize("kind", WAYS)
def test_agents_of_a_crowd_jump(kind: str, tile_size: int) -> None:
    for one, other in sorted(WAYS[kind][1]):
        track = walk(asked(kind, tile_size), PLACES[one], PLACES[other], 30, 30)
        assert track.states[0, -1] == AgentState.ARRIVED
        assert (track.states[0] == AgentState.JUMPING).any()


def test_a_crowd_jumps_side_by_side() -> None:
    """One lands in a place at a time; a wide link has five places."""
    crowd = Crowd(asked("jump", 0))
    rows = (2.0, 4.0, 6.0, 8.0, 10.0)
    crowd.add_many([[6, 2, z] for z in rows], [[16, 2, z] for z in rows])
    most = 0
    for _ in range(20 * 30):
        crowd.step(1 / 30)
        most = max(most, int(np.count_nonzero(crowd.states == AgentState.JUMPING)))
    assert (crowd.states == AgentState.ARRIVED).all()
    assert most >= 4


@TILES
def test_what_seeds_reach_over_them_stays(tile_size: int) -> None:
    navmesh = platforms(JUMP, DROP, tile_size=tile_size)
    assert ground(prune_navmesh(navmesh, [HIGH])) == ground(navmesh)
    assert ground(prune_navmesh(navmesh, [LOW])) < ground(navmesh) / 2


def ground(navmesh: NavMesh) -> float:
    return float(find_islands(navmesh).square_metres.sum())


# ------------------------------------------------------------------ links that are found


@cache
def found(tile_size: int) -> NavMesh:
    return build_navmesh(*PLATFORMS, Settings(generate_links=True, tile_size=tile_size))


@TILES
@pytest.mark.parametrize("exact", [False, True])
def test_ways_lead_over_links_that_are_found(exact: bool, tile_size: int) -> None:
    """Over the gap both ways and down the ledge; nobody climbs."""
    navmesh = found(tile_size)
    assert {wide.kind for wide in navmesh.wide_links} == {"jump", "drop"}
    query = NavQuery(read_navmesh(mset_bytes(navmesh)))
    paths = query.find_paths(*([PLACES[pair[k]] for pair in PAIRS] for k in (0, 1)), exact=exact)
    complete = {pair for pair, status in zip(PAIRS, paths.status, strict=True) if status == PathStatus.COMPLETE}
    assert complete == {("high", "across"), ("across", "high"), ("high", "low"), ("across", "low")}
    assert len(find_islands(navmesh).square_metres) == 2


@TILES
def test_agents_take_links_that_are_found(tile_size: int) -> None:
    track = walk(NavQuery(found(tile_size)), ACROSS, LOW, 40, 30)
    assert track.states[0, -1] == AgentState.ARRIVED
    assert np.count_nonzero(np.diff((track.states[0] == AgentState.JUMPING).astype(int)) == 1) == 2


@TILES
@pytest.mark.parametrize("ending", [".json", ".glb", ".tscn", ".pathfinding.glb", ".bin"])
def test_links_that_are_found_come_back_from_files(tmp_path: Path, ending: str, tile_size: int) -> None:
    navmesh = found(tile_size)
    warnings = write_navmesh(navmesh, tmp_path / f"n{ending}")
    assert {warning.code for warning in warnings} <= {"LOST_IN_EXPORT", "YUKA_ISLANDS"}
    again, mesh = read_navmesh_file(tmp_path / f"n{ending}"), plain_navmesh(navmesh)
    assert len(again.links) == len(mesh.links) > 0
    if ending != ".bin":
        assert again.wide_links == mesh.wide_links


@TILES
def test_gates_count_links_that_are_found(tmp_path: Path, tile_size: int) -> None:
    """In tiles a .bin alone is usually written while it is built: not where links are found afterwards."""
    np.savez(tmp_path / "level.npz", verts=PLATFORMS[0], tris=PLATFORMS[1])
    (tmp_path / "scene.json").write_text(json.dumps({"seeds": [HIGH, ACROSS]}))
    output = tmp_path / "n.bin"
    words = ["build", str(tmp_path / "level.npz"), "-o", str(output), "--scene", str(tmp_path / "scene.json")]
    words += ["--tile-size", str(tile_size)]
    assert main([*words, "--connected-seeds"]) == 3
    assert main([*words, "--connected-seeds", "--generate-links"]) == 0
    whole = output.read_bytes()
    output.unlink()
    assert main([*words, "--generate-links"]) == 0
    assert output.read_bytes() == whole == mset_bytes(found(tile_size))
