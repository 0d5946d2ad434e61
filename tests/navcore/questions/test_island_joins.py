"""What is missing between two islands, on levels of a few boxes."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

from navcore import Settings, build_navmesh
from navcore.detour.queries.islands import find_islands
from navcore.formats.plain_navmesh import plain_navmesh
from navcore.questions.island_joins import IslandJoin, Missing, island_join
from navcore.questions.nearest_pair import IslandGround, nearest_pair
from tests.scenes import Mesh, box, join

SMALL = Settings(cell_size=0.15, cell_height=0.1, agent_radius=0.6, agent_max_climb=0.4, region_min_size=4)


def ground_of(navmesh: Any) -> IslandGround:
    plain = plain_navmesh(navmesh)
    return IslandGround(plain.vertices, plain.first, plain.corners, plain.neighbors, find_islands(navmesh).of_polygon)


def asked(level: Mesh, settings: Settings = SMALL, island: int = 1, tried: bool = True) -> IslandJoin:
    navmesh = build_navmesh(*level, settings)
    try_build = lambda changed, bounds: build_navmesh(*level, changed, bounds=bounds)  # noqa: E731 - one line
    found = island_join(ground_of(navmesh), island, settings, try_build if tried else None)
    assert found is not None
    return found


def joined_with(level: Mesh, found: IslandJoin) -> int:
    """How many islands there are with the setting that is offered."""
    changed = {**SMALL.to_mapping(), found.setting: found.value}
    return len(find_islands(build_navmesh(*level, Settings.from_mapping(changed))).square_metres)


def two_floors(apart: float, up: float) -> Mesh:
    return join([box(0, -1, 0, 10, 1, 10), box(10 + apart, up - 1, 0, 6, 1, 10)])


def narrow_door(width: float) -> Mesh:
    walls = [box(9.8, 0, 0, 0.4, 3, 5 - width / 2), box(9.8, 0, 5 + width / 2, 0.4, 3, 5 - width / 2)]
    return join([box(0, -1, 0, 20, 1, 10), *walls])


def test_over_a_gap_leads_a_link() -> None:
    level = two_floors(2.0, -1.5)
    found = asked(level)
    assert (found.missing, found.setting, found.value, found.other) == (Missing.LINK, None, None, 0)
    assert found.rise == pytest.approx(1.5, abs=0.25) and found.gap == pytest.approx(2 + 2 * 0.6, abs=0.6)
    assert found.start[0] > 12 and found.end[0] < 10, "from the island that was asked for"
    assert found.sentence == f"a link of {np.hypot(found.gap, found.rise):.1f} m, up {found.rise:.1f} m"
    assert found.start[2] == pytest.approx(5, abs=0.5), "the middle of what is as near"
    back = asked(level, island=0)
    assert back.start == pytest.approx(found.end, abs=0.5) and back.end == pytest.approx(found.start, abs=0.5)
    assert back.sentence.endswith(f"down {-back.rise:.1f} m")


def test_up_a_step_leads_a_higher_climb() -> None:
    level = two_floors(0.0, 0.52)
    found = asked(level)
    assert (found.missing, found.setting, found.tried) == (Missing.STEP, "agent_max_climb", True)
    assert found.value is not None and 0.5 <= found.value <= 0.8
    assert joined_with(level, found) == 1
    assert found.sentence.startswith(f"a step of {abs(found.rise):.2f} m; the agent climbs 0.40 m")
    assert abs(found.rise) == pytest.approx(0.5, abs=0.11)


def test_through_a_narrow_door_leads_a_thinner_agent() -> None:
    level = narrow_door(1.1)
    assert len(find_islands(build_navmesh(*level, SMALL)).square_metres) == 2
    found = asked(level)
    assert (found.missing, found.setting, found.tried) == (Missing.WIDTH, "agent_radius", True)
    assert found.value is not None and 0.3 <= found.value <= 0.5
    assert joined_with(level, found) == 1
    thicker = {**SMALL.to_mapping(), "agent_radius": found.value + 0.15}
    assert len(find_islands(build_navmesh(*level, Settings.from_mapping(thicker))).square_metres) == 2
    assert found.sentence == f"{0.6 - found.value:.2f} m too narrow: an agent of radius {found.value:.2f} m fits"


def test_a_wall_without_a_door_needs_a_link() -> None:
    level = join([narrow_door(1.1), box(9.8, 0, 4, 0.4, 3, 2)])
    found = asked(level)
    assert found.missing is Missing.LINK and found.sentence.endswith("level")


def test_without_the_level_only_what_looks_like_a_step_is_offered() -> None:
    step = asked(two_floors(0.0, 0.52), tried=False)
    assert (step.missing, step.tried) == (Missing.STEP, False)
    assert asked(two_floors(0.0, 2.0), tried=False).missing is Missing.LINK
    assert asked(narrow_door(1.1), tried=False).missing is Missing.LINK


def test_no_way_leads_through_a_floor() -> None:
    """Below a storey the ground is nearest, and an agent gets there over the storey's edge."""
    level = join([box(0, -1, 0, 20, 1, 20), box(6, 2.6, 6, 8, 0.4, 8)])
    navmesh = build_navmesh(*level, SMALL)
    for island in (0, 1):
        pair = nearest_pair(ground_of(navmesh), island, 0.75, 0.15)
        assert pair is not None
        upper, lower = (pair.start, pair.end) if pair.start[1] > pair.end[1] else (pair.end, pair.start)
        assert upper[1] == pytest.approx(3, abs=0.2) and lower[1] == pytest.approx(0, abs=0.2)
        outside = max(6 - lower[0], lower[0] - 14, 6 - lower[2], lower[2] - 14)
        assert outside > -0.1, lower
        assert pair.gap < 1.5


def brute(ground: IslandGround, island: int, step: float, cell: float) -> float:
    """The distance of the nearest pair where nothing is sorted or skipped."""
    from navcore.questions import nearest_pair as room

    best = np.inf
    for own in (ground.islands == island, ground.islands != island):
        places, polygons = room._rim(ground, own, cell), room._sorted_polygons(ground, ~own)
        for point, out in zip(places.points, places.outwards, strict=True):
            front = point + step * np.array([out[0], 0, out[1]])
            for polygon in range(len(polygons.islands)):
                on = np.array(room._closest(polygons.first, polygons.corners, polygon, front[0], front[2]))
                if ((on - point)[[0, 2]] * out).sum() >= 0.3 * step:
                    best = min(best, float(np.linalg.norm(on - front)))
    return best


@pytest.mark.parametrize("seed", range(3))
def test_as_near_as_looking_at_everything_finds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    parts = [box(*rng.uniform(0, 30, 3) * (1, 0.1, 1), *rng.uniform(3, 8, 3) * (1, 0.2, 1)) for _ in range(9)]
    ground = ground_of(build_navmesh(*join(parts), SMALL))
    look = partial(nearest_pair, ground, step=0.75, cell=0.15)
    assert ground.islands.max() >= 2
    for island in range(int(ground.islands.max()) + 1):
        pair = look(island)
        assert pair is not None and pair.other != island
        front = brute(ground, island, 0.75, 0.15)
        assert np.linalg.norm(np.subtract(pair.start, pair.end)) <= front + 0.75 + 0.15 + 1e-6


def test_one_island_has_no_other() -> None:
    navmesh = build_navmesh(*box(0, -1, 0, 10, 1, 10), SMALL)
    assert island_join(ground_of(navmesh), 0, SMALL) is None
    assert nearest_pair(ground_of(navmesh), 5, 0.75, 0.15) is None
