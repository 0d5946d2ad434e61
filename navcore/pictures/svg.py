"""Drawings as SVG: text that browsers, editors and documents show at any size."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from xml.sax.saxutils import escape

from ..types import F64, I64
from .colors import INK, PAPER
from .drawing import DASHES, Drawing, Lines, Patches
from .marks import Layout, Mark, Text, laid_out, marks_of

_HALO = 3  # points
_NOT_IN_XML = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 0xFFFE, 0xFFFF, *range(0xD800, 0xE000)])


def svg_bytes(drawing: Drawing, width: int = 1000) -> bytes:
    """The whole file; the same drawing gives the same bytes."""
    return ("\n".join(_lines(drawing, laid_out(drawing, width))) + "\n").encode()


def _lines(drawing: Drawing, layout: Layout) -> Iterator[str]:
    size = f'width="{layout.width}" height="{layout.height}" viewBox="0 0 {layout.width} {layout.height}"'
    yield f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="13" fill="{INK}">'
    yield f"<title>{_text(drawing.title)}</title>"
    yield f'<rect width="100%" height="100%" fill="{PAPER}"/>'
    for mark in marks_of(drawing, layout):
        yield from _mark(mark)
    yield "</svg>"


def _text(text: str) -> str:
    return escape(text.translate(_NOT_IN_XML))


def _mark(mark: Mark) -> Iterator[str]:
    if isinstance(mark, Text):
        yield f'<text x="{mark.x:.1f}" y="{mark.y:.1f}"{_text_look(mark)}>{_text(mark.text)}</text>'
    elif isinstance(mark, Patches):
        look = f'fill="{mark.fill}" stroke="{mark.edge}" stroke-width="{mark.edge_width:g}" stroke-linejoin="round"'
        yield f'<path d="{_way(mark.points, mark.first, "Z")}" {look}/>'
    elif isinstance(mark, Lines):
        yield f'<path d="{_way(mark.points, mark.first, "")}" {_line_look(mark)}/>'
    else:
        for x, y in mark.points.tolist():
            yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{mark.radius:g}" fill="{mark.color}"/>'


def _text_look(mark: Text) -> str:
    size = "" if mark.size == 13 else f' font-size="{mark.size:g}"'
    color = "" if mark.color == INK else f' fill="{mark.color}"'
    anchor = ' text-anchor="middle"' if mark.centered else ""
    halo = f' stroke="{PAPER}" stroke-width="{_HALO}" paint-order="stroke"' if mark.halo else ""
    return size + color + anchor + halo


def _line_look(mark: Lines) -> str:
    dashes = f' stroke-dasharray="{DASHES[0]:g} {DASHES[1]:g}"' if mark.dashed else ""
    joint = 'stroke-linejoin="round" stroke-linecap="round"'
    return f'fill="none" stroke="{mark.color}" stroke-width="{mark.width:g}" {joint}{dashes}'


def _way(points: F64, first: I64, end: str) -> str:
    """All rings or lines as one path; steps are told from point to point in tenths, which halves the file."""
    tenths = (points * 10).round().astype(int).tolist()
    parts = []
    for begin, stop in pairwise(first.tolist()):
        if stop - begin < 2:
            continue
        x, y = tenths[begin]
        steps = [f"{_tenth(b[0] - a[0])} {_tenth(b[1] - a[1])}" for a, b in pairwise(tenths[begin:stop])]
        parts.append(f"M{_tenth(x)} {_tenth(y)}l{' '.join(steps)}{end}")
    return "".join(parts)


def _tenth(number: int) -> str:
    return f"{number / 10:g}" if abs(number) < 10_000 else f"{number / 10:.1f}"
