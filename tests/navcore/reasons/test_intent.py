"""What became of a level's intent: paths and places, each with its reason and with what would join both sides."""

from __future__ import annotations

from typing import Any

import pytest

import navcore
from navcore import BuiltFrom, Cancelled, Intent, MustReach, PathTest, Progress, Settings, build_navmesh, check_intent
from navcore.errors import TooLarge
from navcore.reasons import intent_outcome
from tests import scenes

SETTINGS = Settings(cell_size=0.25, cell_height=0.1, agent_radius=0.5, agent_max_climb=0.4)
HERE, THERE = (2.0, 0.0, 5.0), (16.0, 0.0, 5.0)
ACROSS = PathTest("across", HERE, THERE)


def islands(gap: float = 2.0, rise: float = 0.0) -> BuiltFrom:
    """Two floors of 10 m with a gap between them; the right one may lie higher."""
    return BuiltFrom(*scenes.join([scenes.box(0, -1, 0, 9, 1, 10), scenes.box(9 + gap, rise - 1, 0, 9, 1, 10)]))


def built(level: BuiltFrom, settings: Settings = SETTINGS, **more: Any) -> Any:
    return build_navmesh(level.vertices, level.triangles, settings, **more)


def test_a_path_that_is_there_has_its_length_and_no_reason() -> None:
    level = islands(gap=0)
    outcome = check_intent(built(level), Intent((ACROSS,), (MustReach("", HERE),)), level=level)
    (path,), (place,) = outcome
    assert path.ok and path.status == "complete" and path.reason is None and path.join is None
    assert path.length == pytest.approx(14, abs=0.5) and place.ok and place.reason is None
    row = place.to_mapping()
    assert (row.pop("aside"), round(row.pop("above"), 3)) == (0.0, -0.1)
    assert row == {"name": "(2, 0, 5)", "point": [2.0, 0.0, 5.0], "ok": True, "code": "", "why": ""}


@pytest.mark.parametrize("tile_size", [0, 32])
def test_where_a_link_would_do_it_is_said_and_where(tile_size: int) -> None:
    level = islands()
    settings = Settings(**{**SETTINGS.to_mapping(), "tile_size": tile_size})  # type: ignore[arg-type]
    (path,) = check_intent(built(level, settings), Intent((ACROSS,)), level=level).paths
    assert not path.ok and path.status == "partial" and path.missing is not None and 6 < path.missing < 9
    assert path.reason is not None and path.reason.code == "NO_WAY"
    assert path.reason.sentence.startswith(f"The end cannot be reached, {path.missing:.2f} m are missing. What would")
    assert "a link of" in path.reason.sentence
    row = path.to_mapping()
    assert sorted(end[0] for end in row["link"].values()) == pytest.approx([8.4, 11.6], abs=0.6)
    link = {**row["link"], "radius": 1.0, "bidirectional": True}
    assert check_intent(built(level, settings, links=[link]), Intent((ACROSS,))).paths[0].ok, "it does"


def test_where_a_higher_climb_would_do_it_is_tried() -> None:
    level = islands(gap=0, rise=0.6)
    test = PathTest("up", HERE, (16.0, 0.6, 5.0))
    (path,) = check_intent(built(level), Intent((test,)), level=level).paths
    row = path.to_mapping()
    assert row["setting"] == "agent_max_climb" and row["suggested"] >= 0.6 and row["link"] is None
    higher = Settings(**{**SETTINGS.to_mapping(), "agent_max_climb": row["suggested"]})
    assert check_intent(built(level, higher), Intent((test,))).paths[0].ok


def test_without_the_level_it_is_said_how_far_the_navmesh_is() -> None:
    navmesh, sky = built(islands()), (2.0, 50.0, 5.0)
    outcome = check_intent(navmesh, Intent((ACROSS, PathTest("sky", HERE, sky)), (MustReach("bird", sky),)))
    assert [path.status for path in outcome.paths] == ["partial", "no_end"]
    assert outcome.paths[0].join is None and "What would do" not in outcome.paths[0].reason.sentence  # type: ignore[union-attr]
    for row in (outcome.paths[1], outcome.points[0]):
        assert row.reason is not None and row.reason.code == "OFF_NAVMESH"
        assert "The nearest navmesh is " in row.reason.sentence and "lower" in row.reason.sentence


def test_with_the_level_the_rule_is_named() -> None:
    level = islands()
    places = tuple(MustReach(*row) for row in (("sky", (2, 50, 5)), ("rim", (8.8, 0, 5)), ("gap", (10, 0, 5))))
    sky = PathTest("down", (2, 50, 5), HERE)
    outcome = check_intent(built(level), Intent((sky,), places), level=level)
    assert not outcome.points[0].ok and outcome.points[1].ok, "an agent at the rim is moved a little, as a seed is"
    codes = [row.reason and row.reason.code for row in outcome.points]
    assert codes == ["NOTHING_HERE", None, "NOTHING_HERE"]
    assert outcome.paths[0].reason is not None and outcome.paths[0].reason.code == "NOTHING_HERE"
    assert outcome.paths[0].reason.sentence.startswith("There is no navmesh near the start. ")


def test_a_place_must_be_reached_from_a_seed_where_one_stands() -> None:
    level, there = islands(), MustReach("there", THERE)
    navmesh = built(level)
    assert check_intent(navmesh, Intent((), (there,)), level=level).points[0].ok
    assert not check_intent(navmesh, Intent((), (there,)), seeds=[(2, 99, 5)]).points[0].ok, "it stands on no navmesh"
    assert check_intent(navmesh, Intent((), (there,)), seeds=[HERE, THERE]).points[0].ok
    (row,) = check_intent(navmesh, Intent((), (there,)), seeds=[HERE], level=level).points
    assert row.reason is not None and row.reason.code == "UNREACHABLE" and "a link of" in row.reason.sentence


def test_what_areas_cost_changes_the_way() -> None:
    level = islands(gap=0)
    water = {"shape": "box", "area": 1, "min": [8, -1, -1], "max": [12, 1, 8]}
    navmesh = built(level, volumes=[water])
    usual, dry = (
        check_intent(navmesh, Intent((ACROSS,)), query_filter=navcore.QueryFilter(costs)).paths[0]
        for costs in ({}, {1: 30})
    )
    assert usual.ok and dry.ok and dry.length > usual.length + 1  # type: ignore[operator]


def test_odd_numbers_and_what_is_too_large_are_sentences(monkeypatch: pytest.MonkeyPatch) -> None:
    level = islands()
    navmesh = built(level)
    for odd, place in ((float("nan"), "NOT_FINITE"), (1e39, "NOT_FINITE"), (1e30, "OUTSIDE_BOUNDS")):
        intent = Intent((PathTest("odd", HERE, (odd, 0.0, 0.0)),), (MustReach("odd", (odd, 0.0, 0.0)),))
        outcome = check_intent(navmesh, intent, level=level)
        rows = [*outcome.paths, *outcome.points]
        assert [row.reason and row.reason.code for row in rows] == ["NOT_FINITE", place]

    def refuse(*_: object) -> None:
        raise TooLarge("Tiles of 99 polygons. Lower tile_size.", "TOO_MANY_TILES")

    monkeypatch.setattr(intent_outcome, "NavQuery", refuse)
    outcome = check_intent(navmesh, Intent((ACROSS,), (MustReach("a", HERE),)))
    assert [row.to_mapping()["why"] for row in (*outcome.paths, *outcome.points)] == [
        "Tiles of 99 polygons. Lower tile_size."
    ] * 2


def test_it_can_be_cancelled() -> None:
    progress = Progress()
    progress.cancel()
    with pytest.raises(Cancelled):
        check_intent(built(islands()), Intent((ACROSS,)), progress=progress)
