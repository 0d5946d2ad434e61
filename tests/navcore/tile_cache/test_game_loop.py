"""The example of the guide: a door that opens and closes, crates that come and go, and a way each time."""

from __future__ import annotations

from examples.game_loop import END, START, play


def test_the_way_leads_on_where_the_door_is_open() -> None:
    story = play(9)
    assert [turn.is_open for turn in story] == [False, False, True, True, False, False, True, True, False]
    assert [turn.arrives for turn in story] == [turn.is_open for turn in story]
    straight = END[0] - START[0]
    assert all(straight <= turn.length < straight + 4 for turn in story if turn.is_open)
    assert all(turn.length < straight / 2 + 2 for turn in story if not turn.is_open)
    assert max(turn.obstacles for turn in story) == 2 + 1 + 3
