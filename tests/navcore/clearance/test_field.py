"""Clearances of the uneroded field: exact distances to the cells that nobody can stand on."""

from __future__ import annotations

import numpy as np
import pytest

from navcore import NavQuery, Settings, build_navmesh, build_uneroded
from navcore.builder.build_level import uneroded
from navcore.clearance.clearance_answers import NarrowestAt
from tests.navcore.clearance.levels import pillars, two_rooms
from tests.navcore.clearance.twin import distances

LEFT, RIGHT = [3, 0, 6], [21, 0, 6]


@pytest.mark.parametrize("tile_size", [0, 32])
def test_a_door_is_as_wide_as_its_cells(tile_size: int) -> None:
    query = NavQuery(build_uneroded(*two_rooms([(4.1, 2.0)]), Settings(tile_size=tile_size)))
    way = query.narrowest(LEFT, RIGHT)
    assert way.clearances == pytest.approx(0.9, abs=1e-5) and way.narrowest_at.tolist() == [NarrowestAt.GAP]
    assert query.clearance_from == "field"


def test_places_are_as_far_from_cells_as_was_said() -> None:
    level, settings = pillars(9), uneroded(Settings())
    stages = build_navmesh(*level, settings, keep_stages=True).stages
    compact, grid = stages["compact"], stages["compact_grid"]
    query = NavQuery(build_uneroded(*level))
    places = query.random_points(200)
    ground = places.points[:, 1] < 1
    stand = query.clearances(places.references[ground], places.points[ground])
    # the sides of cells that lead to no other cell, among those of the ground floor
    low = grid.bounds_min[[0, 2]].astype(np.float64)
    floor = (compact.area > 0) & (grid.bounds_min[1] + compact.floor * grid.cell_height < 1)
    column = np.repeat(np.arange(len(compact.first) - 1), np.diff(compact.first))
    x, z = column % compact.width, column // compact.width
    sides = []
    for direction, (ax, az, bx, bz) in enumerate([(0, 0, 0, 1), (0, 1, 1, 1), (1, 1, 1, 0), (1, 0, 0, 0)]):
        there = compact.neighbors[:, direction]
        alone = floor & ((there < 0) | (compact.area[there] == 0))
        sides.append(np.stack([x + ax, z + az, x + bx, z + bz], axis=1)[alone])
    walls = np.concatenate(sides) * 0.3 + np.tile(low, 2)
    exact = distances(places.points[ground][:, [0, 2]].astype(np.float64), walls)
    assert ground.sum() > 100 and stand.clearances == pytest.approx(exact, abs=1e-4)


def test_the_outline_says_less_by_no_more_than_rounding() -> None:
    """The eroded navmesh knows its agent's radius, the field the cells: they differ by cells, not by more."""
    level, cell = pillars(10), 0.2
    field = NavQuery(build_uneroded(*level, Settings(cell_size=cell)))
    outline = NavQuery(build_navmesh(*level, Settings(cell_size=cell)))
    places = outline.random_points(300).points
    starts, ends = places[:150], places[150:]
    ours, theirs = (query.narrowest(starts, ends) for query in (outline, field))
    both = (ours.status == 0) & (theirs.status == 0)
    assert both.sum() > 50 and np.abs(ours.clearances - theirs.clearances)[both].max() < 2.5 * cell
