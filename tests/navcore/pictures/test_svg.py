"""Drawings as SVG: well-formed, in the right place, safe with any name."""

from __future__ import annotations

import re
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest

from navcore.pictures.colors import SEVERAL
from navcore.pictures.drawing import Dots, LegendEntry, Lines, line_sample
from navcore.pictures.marks import laid_out
from navcore.pictures.plan_view import plan_view
from navcore.pictures.svg import svg_bytes
from tests.navcore.pictures.plans import nothing, two_squares

SVG = "{http://www.w3.org/2000/svg}"


def corners_of(way: str) -> list[list[tuple[float, float]]]:
    """A path's points, as a browser reads them."""
    found = []
    for part in filter(None, way.replace("Z", "").split("M")):
        start, _, steps = part.partition("l")
        x, y = map(float, start.split())
        ring, numbers = [(x, y)], list(map(float, steps.split()))
        for dx, dy in zip(numbers[::2], numbers[1::2], strict=True):
            x, y = x + dx, y + dy
            ring.append((x, y))
        found.append(ring)
    return found


def test_every_corner_is_where_the_layout_has_it() -> None:
    drawing = plan_view("level", two_squares())
    root = ElementTree.fromstring(svg_bytes(drawing))
    patches = [path for path in root.iter(f"{SVG}path") if path.get("d", "").endswith("Z")]
    layout = laid_out(drawing, 1000)
    wanted = layout.placed(np.array([[0, 0], [2, 0], [2, 2], [0, 2]], np.float64))
    [ring] = corners_of(patches[0].get("d", ""))
    assert np.abs(np.array(ring) - wanted).max() <= 0.06 and len(patches) == 3 + 2


def test_steps_do_not_add_up_errors() -> None:
    """A long line is told step by step, in tenths; its end is as exact as its beginning."""
    line = np.cumsum(np.full((5000, 2), 0.00077), axis=0)
    drawing = plan_view("level", two_squares()).over((Lines(line, np.array([0, 5000]), SEVERAL[0], 2.0),), ())
    path = next(
        p for p in ElementTree.fromstring(svg_bytes(drawing)).iter(f"{SVG}path") if p.get("stroke") == SEVERAL[0]
    )
    [found] = corners_of(path.get("d", ""))
    assert len(found) == 5000 and np.abs(np.array(found) - laid_out(drawing, 1000).placed(line)).max() < 0.06


def test_names_of_files_are_text() -> None:
    said = '<script>alert("1 & 2")</script>\x07'
    root = ElementTree.fromstring(svg_bytes(plan_view(said, two_squares())))
    assert root.findtext(f"{SVG}title") == said[:-1] and not list(root.iter(f"{SVG}script"))


def test_legend_dots_and_dashes() -> None:
    drawing = plan_view("level", two_squares(links=[((0, 0, 0), (1, 0, 1))]))
    dot = Dots(np.zeros((1, 2)), SEVERAL[1], 4)
    more = drawing.over((dot,), (LegendEntry(dot, "here"), LegendEntry(line_sample(SEVERAL[2], 2), "there")))
    text = svg_bytes(more).decode()
    assert text.count("<circle ") == 2 + 1 + 1 and text.count("stroke-dasharray") == 2
    assert re.search(r">here</text>.*>there</text>", text, re.DOTALL)
    rows = [float(y) for y in re.findall(r'<text x="7\d\d\.\d" y="([\d.]+)"', text)]
    assert len(rows) == 6 and all(b > a for a, b in pairwise(rows))


@pytest.mark.parametrize("plan", [two_squares(), nothing()], ids=["squares", "nothing"])
def test_the_same_bytes_each_time(plan: object) -> None:
    drawing = plan_view("level", plan)  # type: ignore[arg-type]
    assert svg_bytes(drawing) == svg_bytes(drawing) and ElementTree.fromstring(svg_bytes(drawing)).tag == f"{SVG}svg"
