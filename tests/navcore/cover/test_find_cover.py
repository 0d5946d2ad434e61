"""Cover on twenty made levels: what stands at each place, by rays through the triangles, and whether any is missing."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from navcore import (
    BadInput,
    Cancelled,
    Cover,
    NavQuery,
    Progress,
    Settings,
    Sight,
    build_navmesh,
    find_cover,
    navmesh_from_polygons,
    read_navmesh,
)
from navcore.formats.mset import mset_bytes
from navcore.result.navmesh import NavMesh
from navcore.types import F64
from tests import scenes

from .made_levels import MadeLevel, MadeWall, blocked_parts, joined, made_level

REACH = 0.6 + 0.39 + 0.6  # metres: radius, error of outlines, two cells
FARTHEST = 0.6 + 0.39 + 0.3  # that a navmesh is from a straight wall that it can come near to
LEVELS = range(20)


@cache
def found_on(seed: int) -> tuple[MadeLevel, NavMesh, Cover]:
    level = made_level(seed)
    navmesh = build_navmesh(*level.mesh, Settings(agent_max_climb=0.4, tile_size=32 if seed % 5 == 0 else 0))
    return level, navmesh, find_cover(navmesh, Sight(*level.mesh))


@pytest.mark.parametrize("seed", LEVELS)
def test_each_place_stands_at_what_is_really_there(seed: int) -> None:
    """Level lines are blocked up to the height, and not above it; the ground is below, and the kind is the height's."""
    level, navmesh, cover = found_on(seed)
    corners = level.mesh[0].astype(np.float64)[level.mesh[1]]
    assert len(cover.at)
    for part in np.linspace(0, 1, 6):
        starts = cover.at.copy()
        starts[:, 1] += 0.31 + part * (cover.height - 0.33)
        assert (blocked_parts(corners, starts, cover.towards * REACH) <= 1).all()
    starts[:, 1] = cover.at[:, 1] + cover.height + 0.02
    assert (blocked_parts(corners, starts, cover.towards * REACH) > 1).all()
    down = np.tile([0.0, -2.0, 0.0], (len(cover.at), 1))
    assert np.allclose(blocked_parts(corners, cover.at + np.array([0, 1, 0]), down), 0.5, atol=1e-6)
    assert ((cover.height >= 0.8) & ((cover.height >= 1.6) == (cover.kind == "high"))).all()
    assert np.allclose(np.linalg.norm(cover.towards, axis=1), 1) and (cover.towards[:, 1] == 0).all()
    assert (NavQuery(navmesh).nearest(cover.at, (0.01, 1.5, 0.01)).references > 0).all()


@pytest.mark.parametrize("seed", LEVELS)
def test_each_place_faces_a_wall_that_was_put_there(seed: int) -> None:
    """Not a drop, and no wall that is too low; its height is the known one."""
    level, _, cover = found_on(seed)
    for at, towards, height in zip(cover.at, cover.towards, cover.height, strict=True):
        near = [wall.top - at[1] for wall in level.walls if way_into(wall, at[[0, 2]], towards[[0, 2]]) <= REACH]
        assert near and min(abs(height - known) for known in near) < 0.01


@pytest.mark.parametrize("seed", LEVELS)
def test_no_place_is_missing_along_walls_of_the_right_height(seed: int) -> None:
    """Every half metre of both sides, where somebody can stand there, has a place within half a metre."""
    level, navmesh, cover = found_on(seed)
    query, wanted, there = NavQuery(navmesh), 0, 0
    for wall in level.walls:
        for side in (-1, 1):
            for place in np.arange(-wall.length / 2 + 0.25, wall.length / 2 - 0.24, 0.5):
                away = side * wall.across
                face = wall.middle + place * wall.along + away * wall.thickness / 2
                x, z = face + away * FARTHEST
                y = float(level.ground_at(np.array(x)))
                if not query.nearest([x, y, z], (0.02, 0.6, 0.02)).references[0] or wall.top - y < 0.81:
                    continue  # nobody can stand there, or it is no cover
                if others_between(level, wall, face, away):
                    continue
                wanted += 1
                offset = cover.at[:, [0, 2]] - face
                beside, off = np.abs(offset @ wall.along), offset @ away
                there += bool(((beside <= 0.5) & (off > 0) & (off <= REACH)).any())
    assert wanted and there >= 0.99 * wanted


def way_into(wall: MadeWall, place: F64, way: F64) -> float:
    """Metres from a place along a way into a wall, 1 cm larger than it is; infinite beside it."""
    near, far = -np.inf, np.inf
    for axis, half in ((wall.along, wall.length / 2 + 0.01), (wall.across, wall.thickness / 2 + 0.01)):
        from_middle, speed = float((place - wall.middle) @ axis), float(way @ axis)
        if abs(speed) < 1e-9:
            if abs(from_middle) > half:
                return float(np.inf)
            continue
        ends = sorted(((-half - from_middle) / speed, (half - from_middle) / speed))
        near, far = max(near, ends[0]), min(far, ends[1])
    return near if near <= far and far > 0 else float(np.inf)


def others_between(level: MadeLevel, own: MadeWall, face: F64, away: F64) -> bool:
    """Whether another wall stands near the way from a wall to where one stands, so that one comes not as near there."""
    lines = [face + beside * own.along - REACH * away for beside in np.linspace(-1.4, 1.4, 8)]
    return any(way_into(wall, line, away) <= 3 * REACH for wall in level.walls if wall is not own for line in lines)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_exposure_is_what_a_slow_look_from_every_eye_says(seed: int) -> None:
    level, _, cover = found_on(seed)
    corners = level.mesh[0].astype(np.float64)[level.mesh[1]]
    assert len(cover.eyes) > 50
    for k in range(0, len(cover.at), 9):
        body = cover.at[k] + [0, 0.4 if cover.kind[k] == "low" else 0.8, 0]
        ways = cover.eyes - body
        near = np.linalg.norm(ways, axis=1) <= 30
        sees = blocked_parts(corners, np.tile(body, (near.sum(), 1)), ways[near]) >= 1
        turn = np.degrees(np.arctan2(ways[near, 2], ways[near, 0])) + 180
        sectors = (turn // 22.5).astype(int) % 16
        parts = [sees[sectors == sector].mean() for sector in range(16) if (sectors == sector).any()]
        assert cover.exposure[k] == pytest.approx(sum(parts) / 16, abs=1e-12)
    assert 0 < cover.exposure.min() < cover.exposure.max() < 1


def test_eyes_stand_all_over_the_navmesh_at_their_height() -> None:
    _, navmesh, cover = found_on(3)
    near = NavQuery(navmesh).nearest(cover.eyes - [0, 1.6, 0], (0.05, 0.05, 0.05))
    assert (near.references > 0).all()
    quarters = np.histogram2d(cover.eyes[:, 0], cover.eyes[:, 2], bins=[[0, 12, 24]] * 2)[0]
    assert quarters.min() > 0.6 * quarters.max()
    assert 4 * len(cover.eyes) == pytest.approx(22.8**2, rel=0.25)  # m² without the walls and what is near them


def test_one_leans_past_the_ends_of_a_wall_to_the_right_side() -> None:
    level = joined(scenes.box(0, -1, 0, 20, 1, 20), scenes.box(6, 0, 10, 8, 1, 0.3))
    cover = find_cover(build_navmesh(*level, Settings()), Sight(*level))
    south = cover.at[:, 2] > 10.3  # who faces −z has −x on the left
    facing = south & (cover.towards[:, 2] < -0.99)
    left, right = (cover.at[facing & cover.lean[:, side], 0] for side in range(2))
    assert len(left) and (left < 6.5).all() and len(right) and (right > 13.5).all()
    assert not cover.lean[facing & (np.abs(cover.at[:, 0] - 10) < 3)].any()
    assert (cover.kind == "low").all() and np.allclose(cover.height, 1.0)


def test_where_nothing_stands_there_is_none() -> None:
    """A drop on all sides, and a block that is too low, one overhead, a rail one sees through, or a post."""
    plain = scenes.box(0, -3, 0, 12, 3, 12)
    for more in (
        scenes.box(4, 0, 4, 3, 0.7, 3), scenes.box(4, 1.2, 4, 3, 1, 3), scenes.box(4, 0.7, 4, 3, 0.1, 0.1),
        scenes.box(5, 0, 5, 0.1, 3, 0.1),
    ):  # fmt: skip
        level = joined(plain, more)
        cover = find_cover(build_navmesh(*level, Settings(agent_max_climb=0.4)), Sight(*level))
        assert len(cover.at) == 0 and len(cover.eyes) > 0
        assert cover.to_mapping() == {"format": 1, "points": []}


def test_a_steep_bank_is_cover_as_high_as_it_is_within_reach() -> None:
    """No face stands upright: one faces straight off the navmesh. On top of it nothing hides anybody."""
    ground, triangles = scenes.box(0, -1, 0, 10, 1, 10)
    bank = np.array([[10, 0, 0], [10, 0, 10], [13, 5, 0], [13, 5, 10], [20, 5, 0], [20, 5, 10]], np.float32)
    level = joined((ground, triangles), (bank, np.array([[0, 1, 3], [0, 3, 2], [2, 3, 5], [2, 5, 4]], np.int32)))
    cover = find_cover(build_navmesh(*level, Settings()), Sight(*level))
    assert len(cover.at) > 15 and (cover.at[:, 1] == 0).all()
    assert np.allclose(cover.towards, [1, 0, 0], atol=1e-6)
    rise = (cover.at[:, 0] + REACH - 10) * 5 / 3  # of the bank, as far as level lines lead
    assert np.allclose(cover.height, rise, atol=0.02)


def test_a_tower_hides_up_to_its_top() -> None:
    level = joined(scenes.box(0, -1, 0, 12, 1, 12), *(scenes.box(5, 3 * k, 5, 2, 3, 2) for k in range(20)))
    cover = find_cover(build_navmesh(*level, Settings()), Sight(*level))
    assert len(cover.at) and np.allclose(cover.height, 60) and (cover.kind == "high").all()


@pytest.mark.parametrize("radius", [0.0, 0.1])
def test_places_of_thin_agents_lie_before_walls_and_not_in_them(radius: float) -> None:
    """Outlines of theirs run through walls."""
    level = made_level(4)
    settings = Settings(agent_max_climb=0.4, agent_radius=radius)
    cover = find_cover(build_navmesh(*level.mesh, settings), Sight(*level.mesh))
    corners = level.mesh[0].astype(np.float64)[level.mesh[1]]
    assert len(cover.at) > 50
    starts = cover.at + np.array([0, 0.6, 0])
    assert (blocked_parts(corners, starts, cover.towards * 1.3) <= 1).all()


@pytest.mark.parametrize("gap", [-0.05, 0.0, 0.4])
def test_a_navmesh_by_hand_has_cover_however_near_its_faces_come(gap: float) -> None:
    """Faces around a block: into it, up to it, and away from it."""
    wall = scenes.box(4, 0, 4, 2, 1.2, 2)
    low, high = 4 - gap, 6 + gap
    lines = ((0, low, 0, 10), (high, 10, 0, 10), (low, high, 0, low), (low, high, high, 10))  # x, x, z, z
    vertices = [(x, 0, z) for a, b, c, d in lines for x, z in ((a, c), (a, d), (b, d), (b, c))]
    navmesh = navmesh_from_polygons(vertices, [range(4 * k, 4 * k + 4) for k in range(4)], Settings())
    cover = find_cover(navmesh, Sight(*joined(scenes.box(0, -1, 0, 10, 1, 10), wall)))
    assert len(cover.at) >= 4 * 4 and (cover.kind == "low").all() and np.allclose(cover.height, 1.2)
    middle = np.array([5, 0, 5])
    ahead = ((middle - cover.at) * cover.towards).sum(axis=1)
    assert np.allclose(ahead, 1 + max(gap, 0.0) + 0.01, atol=0.006)
    for way in ([1, 0, 0], [-1, 0, 0], [0, 0, 1], [0, 0, -1]):
        assert (cover.towards @ np.array(way) > 0.99).sum() >= 4


def test_places_are_as_far_apart_as_asked_for_and_the_same_for_all_threads() -> None:
    level, navmesh, _ = found_on(2)
    sight = Sight(*level.mesh)
    wide = find_cover(navmesh, sight, spacing=2.0, threads=1)
    close = find_cover(navmesh, sight, spacing=0.25, threads=3)
    assert len(close.at) > 3 * len(wide.at) > 0
    again = find_cover(navmesh, sight, spacing=2.0, threads=3)
    assert all((a == b).all() for a, b in zip(wide, again, strict=True))


def test_who_waits_is_told_how_far_it_is_and_may_stop_it() -> None:
    level, navmesh, cover = found_on(2)
    told: list[tuple[str, float]] = []
    find_cover(navmesh, Sight(*level.mesh), progress=Progress(lambda *said: told.append(said)))
    assert told[0] == ("exposure", 0.0) and len(told) == -(-len(cover.at) // 512)
    stopped = Progress(lambda *_: stopped.cancel())
    with pytest.raises(Cancelled):
        find_cover(navmesh, Sight(*level.mesh), progress=stopped)


def test_a_file_has_the_cover_of_what_it_was_written_from() -> None:
    """Settings are not in it: cells and the agent come from its tiles."""
    level, navmesh, cover = found_on(5)
    read = find_cover(read_navmesh(mset_bytes(navmesh)), Sight(*level.mesh))
    assert len(read.at) == pytest.approx(len(cover.at), rel=0.02)
    assert np.abs(read.at[:, None] - cover.at[None]).max(axis=2).min(axis=1).max() < 0.25


def test_json_says_all_of_each_place() -> None:
    _, _, cover = found_on(2)
    content = cover.to_mapping()
    assert list(content) == ["format", "points"] and content["format"] == 1
    for k, point in enumerate(content["points"]):
        assert list(point) == ["at", "towards", "kind", "lean", "height", "exposure"]
        assert np.allclose(point["at"], cover.at[k], atol=1e-4) and point["towards"][1] == 0
        assert abs(np.linalg.norm(point["towards"]) - 1) < 1e-5
        assert point["lean"] == [side for side, leans in zip(("left", "right"), cover.lean[k], strict=True) if leans]
        assert point["kind"] == cover.kind[k] and point["height"] == pytest.approx(cover.height[k], abs=1e-4)
        assert 0 <= point["exposure"] <= 1


@pytest.mark.parametrize("spacing", [0, -1, 0.01, np.nan, np.inf, 2000, "0.5", None])
def test_a_spacing_that_is_none_is_refused(spacing: object) -> None:
    level, navmesh, _ = found_on(2)
    with pytest.raises(BadInput, match=r"spacing is .*\. Give 0\.05 to 1000 metres") as refused:
        find_cover(navmesh, Sight(*level.mesh), spacing)  # type: ignore[arg-type]
    assert refused.value.code == "WRONG_QUESTION"


def test_another_level_is_refused_and_so_is_what_is_no_sight() -> None:
    level, navmesh, _ = found_on(2)
    vertices, triangles = level.mesh
    for other in (vertices * 100 + 1000, vertices[:, [0, 2, 1]] + [0, 50, 0]):
        with pytest.raises(BadInput, match="no ground at any of the") as refused:
            find_cover(navmesh, Sight(other, triangles))
        assert refused.value.code == "LEVEL_ELSEWHERE"
    with pytest.raises(BadInput, match="must be a Sight"):
        find_cover(navmesh, level.mesh)  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="takes a navmesh"):
        find_cover(level.mesh, Sight(*level.mesh))  # type: ignore[arg-type]
