"""Heat: the map of where a crowd lost time against sums made one by one, and what held it up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from navcore import (
    BadInput,
    Heat,
    HeatRecorder,
    NavQuery,
    QueryFilter,
    Settings,
    Track,
    build_navmesh,
    walk,
    walk_heat,
    write_heat,
)
from navcore.types import F64
from tests import scenes

from .narrow_levels import LEVELS, ends_of

SETTINGS = Settings(agent_radius=0.3, cell_size=0.15)


@pytest.fixture(scope="module")
def plain() -> NavQuery:
    return NavQuery(build_navmesh(*scenes.flat(20), SETTINGS))


def track_of(positions: F64, rate: float) -> Track:
    """Somebody else's recording: of it heat looks at places alone."""
    n, frames = positions.shape[:2]
    nothing = np.zeros((n, frames))
    return Track(
        positions.astype(np.float32), nothing.astype(np.float32), nothing.astype(np.uint8), rate, np.full(n, np.nan),
        np.full(n, np.nan, np.float32), np.zeros(n), np.zeros(n),
    )  # fmt: skip


@pytest.mark.parametrize("name", LEVELS)
def test_the_worst_chokepoint_is_the_place_that_was_made_narrow(name: str) -> None:
    level = LEVELS[name]()
    query = NavQuery(build_navmesh(*level.mesh, SETTINGS))
    starts, ends = ends_of(level, 40)
    heat = walk_heat(query, walk(query, starts, ends, 30), ends)
    worst = heat.chokepoints[0]
    away = np.maximum(0, np.maximum(np.array(level.low) - worst.at, worst.at - np.array(level.high)))
    assert np.hypot(away[0], away[2]) <= 0.3 and away[1] == 0  # a radius: the navmesh is as much farther from corners
    assert level.width - 0.4 <= worst.width <= level.width + 0.01  # whole cells are taken off on both sides
    assert worst.agents >= 15 and worst.seconds > 40
    assert [place.seconds for place in heat.chokepoints] == sorted((c.seconds for c in heat.chokepoints), reverse=True)
    assert worst.seconds > 2 * sum(place.seconds for place in heat.chokepoints[1:])
    assert sum(place.seconds for place in heat.chokepoints) <= heat.lost.sum()


def test_who_walks_alone_loses_what_starting_takes(plain: NavQuery) -> None:
    ends = [[18.0, 0, 17]]
    heat = walk_heat(plain, walk(plain, [[2.0, 0, 2]], ends, 30), ends)
    assert 0 < heat.mean_time_lost < 0.3 and heat.chokepoints == ()
    assert heat.waiting.sum() < 0.1


def test_who_stands_loses_that_time_there(plain: NavQuery) -> None:
    """It walks for 2 s, stands for 10, walks on for 4 s; 1.5 m/s, and the end is where it comes to."""
    x = np.concatenate([2 + 1.5 * np.arange(0, 2, 0.1), np.full(100, 5.0), 5 + 1.5 * np.arange(0, 4.05, 0.1)])
    positions = np.stack([x, 0 * x, 0 * x + 10], axis=1)[None]
    heat = walk_heat(plain, track_of(positions, 10), [[11.0, 0, 10]])
    assert heat.lost == pytest.approx([10], abs=0.02) and heat.waiting.sum() == pytest.approx(10, abs=0.11)
    row, column = np.unravel_index(heat.time_lost.argmax(), heat.time_lost.shape)
    place = np.array(heat.origin) + (np.array([column, row]) + 0.5) * heat.cell
    assert np.abs(place - [5, 10]).max() <= heat.cell
    assert heat.time_lost.max() > 9
    (stood,) = heat.chokepoints
    assert stood.agents == 1 and stood.seconds == pytest.approx(10, abs=0.6)
    assert np.hypot(stood.at[0] - 5, stood.at[2] - 10) < 1


def test_faster_agents_lose_more_in_the_same_places(plain: NavQuery) -> None:
    x = 2 + 1.0 * np.arange(0, 10.05, 0.1)
    positions = np.stack([np.stack([x, 0 * x, 0 * x + z], axis=1) for z in (5.0, 10.0)])
    heat = walk_heat(plain, track_of(positions, 10), [[15, 0, 5], [15, 0, 10]], speed=[1.0, 2.0])
    assert heat.lost == pytest.approx([0, 5], abs=0.02)


def test_the_map_is_what_all_places_add_up_to(plain: NavQuery) -> None:
    rng = np.random.default_rng(3)
    starts, ends = rng.uniform(2, 18, (2, 30, 3)) * [1, 0, 1]
    track = walk(plain, starts, ends, 20)
    heat = walk_heat(plain, track, ends, cell=0.8)
    sums: dict[tuple[int, int], float] = {}
    for places, end in zip(track.positions.astype(np.float64), ends, strict=True):
        for first in range(0, len(places) - 1, 12):  # half seconds
            if np.hypot(*(places[first] - end)[::2]) <= 0.6 + 1e-3:  # two radii: its way is over
                break
            for a, b in zip(places[first : first + 12], places[first + 1 : first + 13], strict=False):
                x, _, z = np.floor((a + b) / 2 / 0.8).astype(int).tolist()
                sums[x, z] = sums.get((x, z), 0) + 1 / 24 / 0.8**2
    x0, z0 = (round(corner / 0.8) for corner in heat.origin)
    there = {(x0 + x, z0 + z): heat.density[z, x] for z, x in np.argwhere(heat.density > 0).tolist()}
    assert there == pytest.approx(sums)
    assert heat.time_lost.sum() == pytest.approx(heat.lost.sum(), rel=0.02)
    assert (heat.time_lost >= 0).all() and (heat.waiting <= heat.density * 0.8**2 + 1e-9).all()


def test_a_walk_bit_by_bit_is_the_same_as_at_once() -> None:
    level = LEVELS["door"]()
    query = NavQuery(build_navmesh(*level.mesh, SETTINGS))
    starts, ends = ends_of(level, 20)
    track = walk(query, starts, ends, 16)
    whole, parts = HeatRecorder(query), HeatRecorder(query)
    whole.add(track.positions, 1 / 24, ends)
    for first in range(0, track.positions.shape[1] - 1, 48):
        parts.add(track.positions[:, first : first + 49], 1 / 24, ends)
        parts.heat()  # looking on changes nothing
    _assert_same(whole.heat(), parts.heat())


def test_agents_may_come_later_and_ends_move(plain: NavQuery) -> None:
    recorder = HeatRecorder(plain)
    x = 2 + 1.5 * np.arange(0, 2.05, 0.1)
    one = np.stack([x, 0 * x, 0 * x + 5], axis=1)
    recorder.add(one[None], 0.1, [[12.0, 0, 5]])
    back = np.stack([one[::-1], one + np.array([0, 0, 5])])  # the first one is called back, another one sets out
    recorder.add(back, 0.1, [[1.0, 0, 5], [12.0, 0, 10]])
    assert recorder.heat().lost == pytest.approx([0, 0], abs=0.02)


def test_floors_are_told_apart() -> None:
    query = NavQuery(build_navmesh(*scenes.join([scenes.box(0, -1, 0, 12, 1, 12), scenes.box(0, 3, 0, 12, 1, 12)]),
                                   SETTINGS))  # fmt: skip
    starts = np.array([[2.0, 0, 6], [10.0, 4, 6]])
    ends = starts[::-1] * [1, 0, 1] + starts * [0, 1, 0]
    heat = walk_heat(query, walk(query, starts, ends, 10), ends)
    heights = heat.columns.places[:, 1]
    assert set(np.round(heights).tolist()) == {0, 4} and (heights > 2).sum() == pytest.approx(len(heights) / 2, abs=2)
    assert heat.density.sum() == pytest.approx(heat.columns.density.sum())


def test_nobody_who_has_no_way_is_counted_and_nobody_at_all_is_an_empty_map(plain: NavQuery) -> None:
    starts, ends = [[2.0, 0, 2], [-90.0, 0, 5]], [[2.0, 0, 18], [2.0, 0, 5]]
    heat = walk_heat(plain, walk(plain, starts, ends, 15), ends)
    assert np.isfinite(heat.lost).all() and heat.lost[1] == 0
    assert heat.columns.places[:, 0].min() > 0
    nobody = HeatRecorder(plain).heat()
    assert nobody.density.shape == (0, 0) and nobody.mean_time_lost == 0 and nobody.chokepoints == ()


def test_a_far_walk_has_larger_cells(plain: NavQuery) -> None:
    places = np.array([[[2.0, 0, 2], [2000.0, 0, 2], [2000.0, 0, 2000]]])
    heat = walk_heat(plain, track_of(places, 1), [[18.0, 0, 18]], cell=0.25)
    assert heat.cell == 2 and heat.density.size <= 1_000_000
    assert heat.density.sum() * heat.cell**2 == pytest.approx(2)


def test_what_cannot_be(plain: NavQuery, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"cell is 0"):
        HeatRecorder(plain, cell=0)
    with pytest.raises(BadInput, match="speed must be above 0"):
        HeatRecorder(plain, speed=[1, 0])
    with pytest.raises(BadInput, match=r"positions must be \(N, F, 3\)"):
        HeatRecorder(plain).add(np.zeros((2, 3)), 0.1, np.zeros((2, 3)))
    with pytest.raises(BadInput, match=r"a heat is written to \.json"):
        write_heat(HeatRecorder(plain).heat(), tmp_path / "heat.xml")


@pytest.mark.parametrize(
    ("name", "value"),
    [("cell", "wide"), ("speed", "fast"), ("radius", -1.0), ("radius", float("nan")), ("height", None),
     ("filter", [QueryFilter()])],
)  # fmt: skip
def test_what_a_recorder_goes_by_is_refused_by_name(plain: NavQuery, name: str, value: Any) -> None:
    with pytest.raises(BadInput, match=name):
        HeatRecorder(plain, **{name: value})
    with pytest.raises(BadInput, match="takes a NavQuery, not str"):
        HeatRecorder("level.bin")  # type: ignore[arg-type]


@pytest.mark.parametrize("seconds", [0, -1.0, float("nan"), float("inf"), None, "a while"])
def test_no_time_between_frames_is_refused(plain: NavQuery, seconds: Any) -> None:
    """As in a game that stands still: it ended as a division by zero, and with less than none nothing was lost."""
    recorder, places = HeatRecorder(plain), np.array([[[2.0, 0, 2], [3.0, 0, 2]]])
    with pytest.raises(BadInput, match="seconds is"):
        recorder.add(places, seconds, [[18.0, 0, 2]])
    recorder.add(places, 1.0, [[18.0, 0, 2]])
    assert recorder.heat().density.sum() * 0.5**2 == pytest.approx(1)
    with pytest.raises(BadInput, match="frames_per_second is 0"):
        walk_heat(plain, track_of(places, 1)._replace(frames_per_second=0), [[18.0, 0, 2]])


def test_frames_that_do_not_go_on_are_refused(plain: NavQuery) -> None:
    places, ends = np.array([[[2.0, 0, 2], [3.0, 0, 2]]] * 2), np.array([[18.0, 0, 2]] * 2)
    recorder = HeatRecorder(plain)
    recorder.add(places, 1.0, ends)
    with pytest.raises(BadInput, match="hold 1 agents, and there were 2"):
        recorder.add(places[:1], 1.0, ends[:1])
    with pytest.raises(BadInput, match="speed holds 3 numbers, and there are 2 agents"):
        HeatRecorder(plain, speed=[1, 2, 3]).add(places, 1.0, ends)
    with pytest.raises(BadInput, match="positions hold a coordinate that is not finite"):
        recorder.add(np.where(places == 3, np.nan, places), 1.0, ends)
    with pytest.raises(BadInput, match="ends hold a coordinate that is not finite"):
        recorder.add(places, 1.0, np.full_like(ends, np.inf))
    with pytest.raises(BadInput, match="positions are not numbers"):
        recorder.add("everywhere", 1.0, ends)  # type: ignore[arg-type]
    with pytest.raises(BadInput, match=r"\(2, 0, 3\)"):
        recorder.add(places[:, :0], 1.0, ends)


def test_a_heat_is_written_as_json(plain: NavQuery, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"a heat is written to \.json"):
        write_heat(HeatRecorder(plain).heat(), tmp_path / "heat.xml")


def _assert_same(one: Heat, other: Heat) -> None:
    assert one.chokepoints == other.chokepoints and one.origin == other.origin
    for name in ("density", "time_lost", "waiting", "lost"):
        assert getattr(one, name) == pytest.approx(getattr(other, name), abs=1e-9)
