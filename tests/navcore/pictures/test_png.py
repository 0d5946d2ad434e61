"""Drawings as PNG: the right color at the right place, smooth edges, letters, what is too large."""

from __future__ import annotations

import string

import numpy as np
import pytest

from navcore import BadInput
from navcore.pictures.colors import INK, PAPER, SEVERAL, WALL, color_of_area
from navcore.pictures.drawing import Dots
from navcore.pictures.marks import laid_out
from navcore.pictures.plan_view import plan_view
from navcore.pictures.png import Canvas, png_bytes, rgb, strokes_of, text_width
from tests.navcore.pictures.plans import nothing, pixels_of, two_squares

BLACK, WHITE = "#000000", "#ffffff"


def darkness(canvas: Canvas) -> float:
    """How many pixels are covered."""
    return float((255 - canvas.pixels()[:, :, 0].astype(float)).sum() / 255)


@pytest.mark.parametrize("width", [700, 1000])
def test_every_place_has_its_color(width: int) -> None:
    drawing = plan_view("level", two_squares())
    pixels, layout = pixels_of(png_bytes(drawing, width)), laid_out(drawing, width)
    assert pixels.shape == (layout.height, width, 3)
    places = {(0.5, 1.6): color_of_area(0), (2.2, 1.8): color_of_area(1), (3.2, 1.4): color_of_area(0)}
    for place, color in places.items():
        x, y = layout.placed(np.array([place], np.float64))[0].tolist()
        assert np.abs(pixels[int(y), int(x)].astype(int) - rgb(color)).max() < 40, (place, pixels[int(y), int(x)])
    assert pixels[-1, 0].tolist() == rgb(PAPER).tolist()
    x, y = layout.placed(np.array([[0.0, 1.6]]))[0].astype(int).tolist()
    assert np.abs(pixels[y, x - 1 : x + 2].astype(int) - rgb(WALL)).max(axis=1).min() < 60


def test_rings_cover_their_area() -> None:
    canvas = Canvas(60, 50, WHITE)
    canvas.fill(np.array([[10.3, 5.2], [40.7, 9.4], [22.1, 44.9]]), BLACK)
    (ax, ay), (bx, by), (cx, cy) = (10.3, 5.2), (40.7, 9.4), (22.1, 44.9)
    area = abs((bx - ax) * (cy - ay) - (cx - ax) * (by - ay)) / 2
    assert darkness(canvas) == pytest.approx(area, rel=0.01)


def test_a_ring_that_bends_inward() -> None:
    canvas = Canvas(40, 40, WHITE)
    canvas.fill(np.array([[5, 5], [35, 5], [35, 35], [20, 10], [5, 35.0]]), BLACK)
    pixels = canvas.pixels()[:, :, 0]
    assert pixels[30, 20] == 255 and pixels[8, 20] == 0 and pixels[28, 7] == 0


def test_lines_are_as_wide_as_asked_and_dashes_have_gaps() -> None:
    long = np.array([[10, 30], [310, 70.0]])
    length = float(np.hypot(300, 40))
    canvas, dashed = Canvas(320, 100, WHITE), Canvas(320, 100, WHITE)
    canvas.line(long, 4, BLACK)
    dashed.line(long, 1, BLACK, dashed=True)
    assert darkness(canvas) == pytest.approx(length * 4 + np.pi * 4, rel=0.01)
    assert darkness(dashed) == pytest.approx(length * 0.6 + 30 * np.pi / 4, rel=0.15)


def test_what_lies_outside_is_cut_off() -> None:
    canvas = Canvas(20, 20, WHITE)
    for ring in ([[-9, -9], [5, -9], [5, 5], [-9, 5.0]], [[30, 30], [40, 30], [40, 40.0]]):
        canvas.fill(np.array(ring), BLACK)
    canvas.line(np.array([[-50, -50], [-10, -20.0]]), 3, BLACK)
    canvas.dot(20, 20, 2, BLACK)
    assert darkness(canvas) == pytest.approx(25 + np.pi, rel=0.05)


def test_letters_stay_in_their_row_and_differ() -> None:
    shown = [*string.ascii_uppercase, *string.digits, *"()[].,:;-_/\\%+='\"!?*#&<>²", "~"]
    looks = set()
    for letter in shown:
        strokes = strokes_of(letter, 100, 50, 12)
        corners = np.concatenate(strokes)
        assert corners[:, 0].min() >= 100 and corners[:, 0].max() <= 100 + text_width(letter, 12)
        assert corners[:, 1].min() >= 50 - 12 and corners[:, 1].max() <= 50 + 12 / 4
        looks.add(tuple(map(str, strokes)))
    assert len(looks) == len(shown), "no two letters look the same; what is not known is a box"
    assert strokes_of(" ", 0, 0, 12) == []
    assert [s.tolist() for s in strokes_of("ab", 3, 4, 9)] == [s.tolist() for s in strokes_of("AB", 3, 4, 9)]
    assert text_width("abc", 10) == pytest.approx(3 * text_width("a", 10))


def test_marks_on_top() -> None:
    drawing = plan_view("level", two_squares())
    more = drawing.over((Dots(np.array([[1.0, 1.0]]), SEVERAL[0], 4),), ())
    x, y = laid_out(more, 600).placed(np.array([[1.0, 1.0]]))[0].astype(int).tolist()
    assert pixels_of(png_bytes(more, 600))[y, x].tolist() == rgb(SEVERAL[0]).tolist()


def test_the_same_bytes_each_time_and_nothing_at_all() -> None:
    drawing = plan_view("nothing", nothing())
    assert png_bytes(drawing, 500) == png_bytes(drawing, 500)
    assert (pixels_of(png_bytes(drawing, 500)) == rgb(INK)).all(axis=2).any(), "its name, at least"


def test_pictures_that_are_too_large() -> None:
    with pytest.raises(BadInput, match=r"write it as \.svg"):
        png_bytes(plan_view("level", two_squares()), 20_000)
