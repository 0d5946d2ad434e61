"""What overlays keep: pictures made of arrays, each drawn until the next is whole."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any, NamedTuple

import numpy as np
import pytest


class Rows(NamedTuple):
    """Something that holds arrays, so that comparing two of them would ask for the truth of an array."""

    corners: Any
    ids: Any


def rows() -> Rows:
    return Rows(np.zeros((3, 2, 3), np.float32), np.arange(3))


@pytest.fixture
def drawn(addon: Any, monkeypatch: Any) -> list[Any]:
    """The pictures whose batches were drawn; uploading needs no GPU."""
    layers, drawn = addon("views.gpu_layers"), []
    monkeypatch.setattr(layers.Upload, "_add", lambda self, *_, **__: self._batches.append(self))
    monkeypatch.setattr(layers, "_eye", lambda *_: None)
    monkeypatch.setattr(layers, "_state", nullcontext)
    monkeypatch.setattr(layers.Upload, "_draw_all", lambda self, *_, **__: drawn.append(self))
    monkeypatch.setattr(layers, "PIECE", 2)
    return drawn


def upload(addon: Any) -> Any:
    """Three lines: two pieces."""
    from types import SimpleNamespace

    lines = SimpleNamespace(
        corners=np.empty((0, 4, 3), np.float32), face_colors=np.empty((0, 4), np.uint8),
        lines=np.zeros((3, 2, 3), np.float32), line_colors=np.zeros((3, 4), np.uint8),
    )  # fmt: skip
    return addon("views.gpu_layers").Upload(lines, 1.0)


def test_arrays_are_told_apart_by_what_they_are(addon: Any, drawn: list[Any]) -> None:  # noqa: ARG001
    overlay = addon("views.overlay").Overlay()
    first, second = rows(), rows()
    made = overlay.kept("links", (first, None), (1.0, ""), lambda: upload(addon))
    assert overlay.kept("links", (first, None), (1.0, ""), lambda: upload(addon)) is made
    assert overlay.kept("links", (second, None), (1.0, ""), lambda: upload(addon)) is not made
    made = overlay.kept("links", (second, first), (1.0, ""), lambda: upload(addon))
    assert overlay.kept("links", (second, first), (2.0, ""), lambda: upload(addon)) is not made


def test_the_picture_before_is_drawn_until_the_next_is_whole(addon: Any, drawn: list[Any]) -> None:
    """Links that Live finds anew again and again never vanish in between."""
    overlay = addon("views.overlay").Overlay()

    def next_one() -> Any:
        return overlay.kept("links", (rows(),), None, lambda: upload(addon))

    first = next_one()
    assert first.step(10)
    second = next_one()
    assert not second.step(0)
    second.draw((100, 100))
    third = next_one()  # before the second was whole
    assert not third.step(0)
    third.draw((100, 100))
    assert drawn == [first, first]
    assert third.memory() == first.memory() == 0
    assert third.step(10)
    third.draw((100, 100))
    assert drawn == [first, first, third] and third._before is None


def test_nothing_is_drawn_of_what_was_forgotten(addon: Any, drawn: list[Any]) -> None:
    overlay = addon("views.overlay").Overlay()
    overlay.kept("links", (rows(),), None, lambda: upload(addon)).step(10)
    overlay.keep_only()
    fresh = overlay.kept("links", (rows(),), None, lambda: upload(addon))
    fresh.step(0)
    fresh.draw((100, 100))
    assert drawn == [fresh]
