"""Sentences on as many lines as they need."""

from __future__ import annotations

import math
from itertools import pairwise
from types import SimpleNamespace
from typing import Any


def region(width: float, zoom: float = 1.0) -> Any:
    """What a sidebar of this many pixels looks like to a panel."""
    view = SimpleNamespace(region_to_view=lambda x, _y: (x / zoom, 0.0))
    return SimpleNamespace(region=SimpleNamespace(width=width, view2d=view))


def test_sentences_are_wrapped_to_the_room_there_is(addon: Any) -> None:
    sentences = addon("interface.panels.sidebar_panel")
    text = "The grid would be 41,200 × 38,900 cells (limit 30 million). Raise Cell Size to 0.36 m, use tiles."
    for points in (60, 120, 200, 400):
        lines = sentences.wrapped(text, points)
        assert " ".join(lines) == text
        assert all(sentences._length(line) <= points for line in lines)
        assert all(sentences._length(f"{a} {b.split()[0]}") > points for a, b in pairwise(lines))
    assert sentences.wrapped(text, math.inf) == [text]


def test_a_name_longer_than_the_room_is_divided(addon: Any) -> None:
    sentences = addon("interface.panels.sidebar_panel")
    name = "SM_" + "Environment" * 8
    lines = sentences.wrapped(f"“{name}”: left out", 100)
    assert "".join(lines).replace(" ", "") == f"“{name}”:leftout"
    assert all(sentences._length(line) <= 100 for line in lines)
    assert sentences.wrapped("", 100) == [""]


def test_room_follows_width_and_zoom(addon: Any) -> None:
    sentences = addon("interface.panels.sidebar_panel")
    usual = sentences.room(region(280))
    assert usual == 280 - sentences._BESIDE
    assert sentences.room(region(560)) > 2 * usual
    assert sentences.room(region(560, zoom=2)) == usual
    assert sentences.room(region(30)) == sentences._MIN_ROOM
    assert sentences.room(SimpleNamespace(region=None)) == math.inf
