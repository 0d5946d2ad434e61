"""Small levels on grids of other cells, turned, shifted by a part of a cell, and in tiles."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest

from navcore import NavMesh
from tests.navcore.link_finder.judge.verdict import Verdict, judge
from tests.navcore.link_finder.link_scenes import built, floors, kinds, ringed, round_tower, stairs_between_walls
from tests.scenes import Mesh, box, join

LIMIT = 2.0  # metres that agents jump by default


class Grid(NamedTuple):
    """How a level lies on the grid."""

    settings: dict[str, Any]
    degrees: float = 0.0
    shift: float = 0.0  # cells

    @property
    def cell(self) -> float:
        return float(self.settings.get("cell_size", 0.3))

    def laid(self, parts: list[Mesh]) -> Mesh:
        """As `turned`, with a speck deep below, which no agent stands on, from which the grid starts."""
        vertices, triangles = join(parts)
        there = self.turned(vertices).astype(np.float32)
        x, y, z = (there.min(axis=0) - self.cell * (1 + self.shift)).tolist()
        return join([(there, triangles), box(x, y, z, 0.01, 0.01, 0.01)])

    def turned(self, points: npt.ArrayLike) -> npt.NDArray[np.float64]:
        angle = np.radians(self.degrees)
        turn = np.array([[np.cos(angle), 0, np.sin(angle)], [0, 1, 0], [-np.sin(angle), 0, np.cos(angle)]])
        return np.asarray(points, np.float64) @ turn.T

    def built(self, *parts: Mesh) -> NavMesh:
        return built(self.laid(list(parts)), **self.settings)

    def judged(self, *parts: Mesh) -> Verdict:
        mesh = self.laid(list(parts))
        return judge(built(mesh, **self.settings), *mesh)


GRIDS = {
    "small cells": Grid({"cell_size": 0.2, "cell_height": 0.1}),
    "large cells": Grid({"cell_size": 0.4, "cell_height": 0.25}),
    "turned": Grid({}, degrees=30),
    "across": Grid({}, degrees=45, shift=0.8),
    "shifted": Grid({}, shift=1 / 3),
    "turned and shifted in small cells": Grid({"cell_size": 0.2, "cell_height": 0.1}, degrees=30, shift=1 / 3),
    "in tiles": Grid({"tile_size": 32}),
    "turned in tiles": Grid({"tile_size": 32}, degrees=30, shift=1 / 3),
}


@pytest.fixture(params=GRIDS.values(), ids=GRIDS.keys())
def grid(request: pytest.FixtureRequest) -> Grid:
    chosen: Grid = request.param
    return chosen


def test_gaps_are_jumped_up_to_the_limit_all_along(grid: Grid) -> None:
    for gap in (LIMIT - grid.cell, LIMIT):
        verdict = grid.judged(floors(gap))
        assert verdict.links > 0 and verdict.places > 15
        assert (verdict.covered, verdict.false, verdict.doubles) == (verdict.possible, 0, 0)
    assert grid.judged(floors(LIMIT - grid.cell)).possible > 30


def test_much_wider_gaps_are_not(grid: Grid) -> None:
    """Two cells where edges lie along the grid. Across it a floor reaches up to 1.4 cells further, on both sides."""
    cells = 4 if grid.degrees else 2
    assert kinds(grid.built(floors(LIMIT + cells * grid.cell))) == []


def test_a_low_ceiling_a_thin_wall_and_a_fence_stop_everybody(grid: Grid) -> None:
    for stops in (box(-1, 11.2, -1, 28, 1, 14), box(12.7, 0, -1, 0.05, 14, 14), box(11.9, 9, 0, 0.05, 1.4, 12)):
        assert kinds(grid.built(floors(1.5), stops)) == []


def test_a_pole_thinner_than_a_cell_stops_only_who_would_hit_it(grid: Grid) -> None:
    verdict = grid.judged(floors(1.5), box(12.7, 0, 5.95, 0.1, 14, 0.1))
    assert verdict.links >= 2 and verdict.possible > 50
    assert (verdict.covered, verdict.false) == (verdict.possible, 0)


def test_stairs_between_walls_have_none(grid: Grid) -> None:
    assert kinds(grid.built(*stairs_between_walls())) == []


def test_a_round_tower_is_ringed(grid: Grid) -> None:
    mesh = grid.laid([box(-2, -0.1, -2, 24, 0.1, 24), *round_tower()])
    navmesh = built(mesh, **grid.settings)
    assert ringed(navmesh, grid.turned((10.0, 0.0, 10.0))) >= 0.9
    verdict = judge(navmesh, *mesh)
    assert verdict.possible > 200 and verdict.covered >= 0.98 * verdict.possible and verdict.false == 0
