"""Links in levels small enough to know them: gaps, drops, walls, poles, stairs, towers."""

import numpy as np
import pytest

from navcore import Settings, build_navmesh
from tests import scenes
from tests.navcore.link_finder.link_scenes import (
    built,
    floors,
    kinds,
    length_of,
    ringed,
    round_tower,
    stairs_between_walls,
)

CELL = 0.3


def test_without_the_setting_there_are_none() -> None:
    navmesh = build_navmesh(*floors(1.5), Settings())
    assert navmesh.wide_links == () and navmesh.links == ()
    assert not [name for name in navmesh.report.counts if name.startswith("links_")]
    assert "links" not in navmesh.report.seconds


def test_a_gap_is_jumped_from_both_sides_by_one_link() -> None:
    navmesh = built(floors(1.5))
    assert kinds(navmesh) == ["jump"]
    (jump,) = navmesh.wide_links
    assert jump.bidirectional and (jump.area, jump.flags) == (5, 8) and jump.tile == (0, 0)
    assert length_of(navmesh, "jump") > 10 and len(jump.points) == 5
    assert navmesh.links == jump.points and navmesh.given_links == ()
    assert navmesh.failing_ends == ((False, False),) * 5
    assert navmesh.report.counts["links_jump"] == 1 and navmesh.report.seconds["links"] > 0


@pytest.mark.parametrize(("gap", "found"), [(2.0 - CELL, True), (2.0, True), (2.0 + 2 * CELL, False), (3.5, False)])
def test_the_widest_gap_is_what_the_setting_says(gap: float, found: bool) -> None:
    assert kinds(built(floors(gap))) == ["jump"] * found


@pytest.mark.parametrize(("rise", "expected"), [(0.4, ["jump"]), (1.4, ["drop"]), (2.4, ["drop"]), (3.2, [])])
def test_what_is_too_high_to_jump_onto_is_dropped_from(rise: float, expected: list[str]) -> None:
    navmesh = built(floors(1.2, rise))
    assert kinds(navmesh) == expected
    for drop in navmesh.wide_links:
        assert drop.bidirectional == (expected == ["jump"])
        assert expected == ["jump"] or drop.corners[0][1] > drop.corners[2][1]


def test_corners_run_from_left_to_right_looking_along_the_link() -> None:
    for wide in built([*[floors(1.5)], scenes.box(0, 0, 13, 12, 7.5, 12)]).wide_links:
        left, right, far_left, far_right = np.array(wide.corners)
        out = (far_left + far_right - left - right)[[0, 2]]
        for side in (right - left, far_right - far_left):
            assert -out[1] * side[0] + out[0] * side[2] > 0


def test_a_climb_takes_the_place_of_a_drop() -> None:
    level = [scenes.box(0, 0, 0, 8, 2, 12), scenes.box(8, 0, 0, 10, 0.2, 12)]
    assert kinds(built(level)) == ["drop"]
    navmesh = built(level, link_climb_height=2.0)
    assert kinds(navmesh) == ["climb"] and navmesh.wide_links[0].bidirectional


def test_walls_a_voxel_high_are_not_climbed_where_none_are() -> None:
    """Heights are known to a voxel: a limit of nothing is still none."""
    chasm = floors(0.7, -0.2)
    assert kinds(built(chasm)) == ["jump"]
    assert "climb" in kinds(built(chasm, link_climb_height=0.2))


def test_distances_of_nothing_find_nothing() -> None:
    assert kinds(built(floors(1.5), link_jump_distance=0)) == []
    assert kinds(built(floors(1.5), link_jump_height=0)) == []
    assert kinds(built(floors(1.2, 1.4), link_drop_height=0)) == []


def test_a_low_ceiling_stops_jumps() -> None:
    under = [floors(1.5), scenes.box(-1, 11.2, -1, 28, 1, 14)]
    assert kinds(built(under)) == []
    assert kinds(built([floors(1.5), scenes.box(-1, 12.2, -1, 28, 1, 14)])) == ["jump"]


def test_a_pole_thinner_than_a_cell_stops_who_would_hit_it() -> None:
    navmesh = built([floors(1.5), scenes.box(12.7, 0, 5.95, 0.1, 14, 0.1)])
    assert kinds(navmesh) == ["jump", "jump"]
    for wide in navmesh.wide_links:
        low, high = sorted(corner[2] for corner in wide.corners[:2])
        assert high <= 6 - 0.6 or low >= 6 + 0.6


def test_a_thin_wall_and_a_high_fence_stop_everybody() -> None:
    assert kinds(built([floors(1.5), scenes.box(12.7, 0, -1, 0.05, 14, 14)])) == []
    assert kinds(built([floors(1.5), scenes.box(11.9, 9, 0, 0.05, 1.4, 12)])) == []


def test_stairs_between_walls_have_no_links() -> None:
    assert kinds(built(stairs_between_walls(), link_detour=1.0)) == []


def test_what_is_near_on_foot_needs_no_link() -> None:
    """A gap that one walks around in less than ten metres."""
    corner = [scenes.box(0, 0, 0, 12, 9, 4), scenes.box(0, 0, 4, 5, 9, 2.5), scenes.box(6.5, 0, 4, 5.5, 9, 2.5)]
    near = kinds(built(corner, link_detour=100.0))
    assert near == []
    assert kinds(built(corner, link_detour=1.5)) == ["jump"]


def test_storeys_are_dropped_to_one_at_a_time() -> None:
    level = [scenes.box(0, 0, 0, 12, 0.2, 20), scenes.box(0, 2.4, 0, 12, 0.1, 12), scenes.box(0, 4.9, 0, 12, 0.1, 7)]
    navmesh = built(level, agent_height=1.8)
    ends = {(round(wide.corners[0][1]), round(wide.corners[2][1])) for wide in navmesh.wide_links}
    assert ends == {(5, 3), (3, 0)}


def test_a_round_tower_is_ringed() -> None:
    navmesh = built([scenes.box(-2, -0.1, -2, 24, 0.1, 24), *round_tower()])
    assert {"drop"} == set(kinds(navmesh)) and ringed(navmesh, (10.0, 0.0, 10.0)) >= 0.9
