"""Meadow mapping of whole navmeshes: the same ground, area by area, island by island."""

from __future__ import annotations

import numpy as np
import pytest

from navcore import NavQuery, QueryFilter, Settings, build_navmesh, read_navmesh
from navcore.formats.mset import mset_bytes
from navcore.path_comparison.ground_meadow import GroundMeadow
from navcore.path_comparison.meadow import MeadowStatus
from navcore.types import F64
from tests import scenes
from tests.navcore.navquery.query_examples import town
from tests.navcore.path_comparison.islands import doubled_area, is_convex
from tests.navcore.path_comparison.ways import LEVELS, level


def area_of(points: F64) -> float:
    x, z = points[:, 0], points[:, 2]
    return abs(float(x @ np.roll(z, -1) - z @ np.roll(x, -1))) / 2


def piece_areas(ground: GroundMeadow) -> list[float]:
    meadow = ground.meadow
    corners = [meadow.corners[a:b] for a, b in zip(meadow.offsets, meadow.offsets[1:], strict=False)]
    return [area_of(ground.points[own].astype(np.float64)) for own in corners]


@pytest.mark.parametrize("name", LEVELS)
def test_the_pieces_cover_what_the_polygons_cover(name: str) -> None:
    query = level(name)
    ground = query.meadow()
    assert (ground.meadow.status == MeadowStatus.DIVIDED).all()
    polygons, outline = query._mesh.polygons, query._mesh.outline.astype(np.float64)
    island_of = np.repeat(np.arange(len(ground.areas)), np.diff(ground.meadow.pieces))
    pieces = np.array(piece_areas(ground))
    for area in np.unique(ground.areas):
        own = np.flatnonzero((polygons["area"] == area) & (polygons["kind"] == 0))
        wanted = sum(area_of(outline[polygon, : polygons["corners"][polygon]]) for polygon in own.tolist())
        assert pieces[ground.areas[island_of] == area].sum() == pytest.approx(wanted, rel=1e-5)
    assert ground.polygons.sum() == (polygons["kind"] == 0).sum() > len(ground.polygons)
    step = query._mesh.tiles["cells_per_metre"][0].astype(np.float64)
    for begin, end in zip(ground.meadow.offsets, ground.meadow.offsets[1:], strict=False):
        corners = ground.points[ground.meadow.corners[begin:end]].astype(np.float64)[:, ::2]
        cells = (corners - query._mesh.tiles["low"][0, ::2]) * step
        ring = [(round(x), round(z)) for x, z in cells.tolist()]
        assert is_convex(ring if doubled_area(ring) > 0 else ring[::-1]) and 3 <= len(ring) <= 6


def test_fewer_pieces_than_recast_makes() -> None:
    """Regions do not cut islands apart, and a split goes where it settles two corners at a time."""
    ground = level("town").meadow()
    assert len(ground.meadow.offsets) - 1 < ground.polygons.sum()


def test_a_file_is_divided_like_the_build_that_it_was_made_of() -> None:
    built, read = NavQuery(town(32)), NavQuery(read_navmesh(mset_bytes(town(32))))
    one, other = built.meadow(threads=1), read.meadow(threads=3)
    assert all(a.tobytes() == b.tobytes() for a, b in zip(one.meadow, other.meadow, strict=True))
    assert one.points.tobytes() == other.points.tobytes()


def test_what_a_filter_keeps_out_is_left_out() -> None:
    whole, land = level("town").meadow(), level("town").meadow(QueryFilter(exclude=2))
    assert whole.areas.tolist().count(1) > 0 and land.areas.tolist().count(1) == 0
    assert sum(piece_areas(land)) < sum(piece_areas(whole)) - 50


def test_floors_above_each_other_are_islands_of_their_own() -> None:
    """A spiral ramp hangs together, and covers itself three times seen from above."""
    built = build_navmesh(*scenes.spiral(), Settings(agent_radius=0.2, cell_size=0.15, cell_height=0.1))
    query = NavQuery(built)
    ground = query.meadow()
    assert (ground.meadow.status == MeadowStatus.DIVIDED).all() and len(ground.areas) >= 3
    polygons, outline = query._mesh.polygons, query._mesh.outline.astype(np.float64)
    wanted = sum(area_of(outline[polygon, : polygons["corners"][polygon]]) for polygon in range(len(polygons)))
    assert sum(piece_areas(ground)) == pytest.approx(wanted, rel=1e-5)


def test_a_navmesh_without_polygons() -> None:
    navmesh = build_navmesh(*scenes.flat(8.0), Settings(tile_size=16))
    empty = NavQuery(read_navmesh(mset_bytes(navmesh))._replace(tiles=()))
    assert len(empty.meadow().meadow.corners) == 0 and len(empty.meadow().areas) == 0
