"""Doors whose width is known, and the same levels built again for wider agents."""

from __future__ import annotations

import numpy as np
import pytest

from navcore import NavQuery, PathStatus, QueryFilter, Settings, build_navmesh, read_navmesh
from navcore.clearance.clearance_answers import NarrowestAt
from navcore.formats.mset import mset_bytes
from tests.navcore.clearance.levels import pillars, two_rooms

LEFT, RIGHT = [3, 0, 6], [21, 0, 6]


@pytest.mark.parametrize("tile_size", [0, 32])
@pytest.mark.parametrize("width", [1.8, 2.4, 3.0, 4.2])
def test_a_door_is_half_as_wide_as_its_agent(width: float, tile_size: int) -> None:
    query = NavQuery(build_navmesh(*two_rooms([(4.2, width)]), Settings(tile_size=tile_size, region_min_size=0)))
    way = query.narrowest(LEFT, RIGHT)
    assert way.status.tolist() == [PathStatus.COMPLETE] and way.narrowest_at.tolist() == [NarrowestAt.GAP]
    assert way.clearances == pytest.approx(width / 2, abs=0.31) and way.gaps == way.clearances
    assert way.points[0] == pytest.approx([12.45, 0.2, 4.2 + width / 2], abs=1.1)
    assert query.clearance_from == "outline"


def test_the_wider_of_two_doors_and_the_door_on_the_path() -> None:
    query = NavQuery(build_navmesh(*two_rooms([(5.1, 1.8), (9, 2.4)])))
    way, paths = query.narrowest(LEFT, RIGHT), query.find_paths(LEFT, RIGHT)
    along = query.corridor_clearances(LEFT, RIGHT, paths.polygon_offsets, paths.polygons)
    assert way.gap_points[0, 2] > 9 and 5.1 < along.gap_points[0, 2] < 6.9
    assert way.gaps[0] - along.gaps[0] == pytest.approx(0.3, abs=0.16)


def test_flags_change_no_walls() -> None:
    """What was seen of walls is kept when flags and areas change, and questions about polygons look for no gaps."""
    navmesh = build_navmesh(*two_rooms([(5.1, 1.8), (9, 2.4)]))
    query, new = NavQuery(navmesh), NavQuery(navmesh)
    before = query.polygon_clearances()
    assert list(query._made_of_ground) == ["walls", "roomiest"]
    wide = query.narrowest(LEFT, RIGHT)
    kept = dict(query._made_of_ground)
    assert list(kept) == ["walls", "roomiest", "bays"]
    for each in (query, new):
        each.set_flags(each.nearest([[12.4, 0, 10.2]]).references, 8)  # in the wider door
        each.set_areas(each.references()[:2], 5)
    assert all(query._made_of_ground[name] is made for name, made in kept.items())
    rule = QueryFilter(exclude=8)
    ways = [each.narrowest(LEFT, RIGHT, rule) for each in (query, new)]
    assert [a.tobytes() for a in ways[0]] == [a.tobytes() for a in ways[1]]
    assert ways[0].clearances[0] < wide.clearances[0]
    for each in (query, new):
        assert all(a.tobytes() == b.tobytes() for a, b in zip(before, each.polygon_clearances(), strict=True))


@pytest.mark.parametrize("tile_size", [0, 32])
def test_a_field_without_an_agent_has_the_widths_of_its_cells(tile_size: int) -> None:
    """Radius 0: nothing is eroded, and the outline is that of the cells: a door has the width of its cells."""
    settings = Settings(agent_radius=0, edge_max_error=0, region_min_size=0, tile_size=tile_size)
    query = NavQuery(build_navmesh(*two_rooms([(4.1, 2.0)]), settings))
    way = query.narrowest(LEFT, RIGHT)
    assert way.clearances == pytest.approx(0.9, abs=1e-5) and query.clearance_from == "field"


@pytest.mark.parametrize("seed", [11, 12, 13])
def test_a_wider_agent_gets_through_up_to_what_was_said(seed: int) -> None:
    """The level built again for agents a cell and a half thinner and wider: the first gets there, the second not."""
    level, cell = pillars(seed, count=22), 0.1
    settings = Settings(cell_size=cell, agent_radius=0, edge_max_error=0, region_min_size=0)
    rng = np.random.default_rng(seed)
    field = NavQuery(build_navmesh(*level, settings))
    roomy = field.random_points(400, seed=seed)
    stand = field.clearances(roomy.references, roomy.points)
    chosen = roomy.points[(stand.clearances > 1.0) & (roomy.points[:, 1] < 1)]
    starts, ends = chosen[rng.permutation(len(chosen))[:40]], chosen[rng.permutation(len(chosen))[:40]]
    ways = field.narrowest(starts, ends)
    assert (ways.status == PathStatus.COMPLETE).sum() > 30
    gaps = (ways.narrowest_at == NarrowestAt.GAP) & (ways.status == PathStatus.COMPLETE)
    wanted = np.unique(ways.clearances[gaps].round(3))
    assert len(wanted) >= 2
    for clearance in wanted.tolist():
        for radius, gets_there in ((clearance - 1.5 * cell, True), (clearance + 1.5 * cell, False)):
            rows = gaps & (np.abs(ways.clearances - clearance) < 1e-3)
            again = NavQuery(build_navmesh(*level, Settings(cell_size=cell, agent_radius=radius, region_min_size=0)))
            paths = again.find_paths(starts[rows], ends[rows], extents=(1, 2, 1), max_nodes=None)
            assert (paths.status == PathStatus.COMPLETE).tolist() == [gets_there] * int(rows.sum()), (clearance, radius)


def test_a_file_says_the_same() -> None:
    navmesh = build_navmesh(*pillars(7), Settings(tile_size=32))
    built, read = NavQuery(navmesh), NavQuery(read_navmesh(mset_bytes(navmesh)))
    places = built.random_points(60).points
    ours, theirs = (query.narrowest(places[:30], places[30:]) for query in (built, read))
    assert all(a.tobytes() == b.tobytes() for a, b in zip(ours, theirs, strict=True))
