"""Drawings as SVG: text that browsers, editors and documents show at any size."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from xml.sax.saxutils import escape

from ..types import F64, I64
from .colors import INK, PAPER
from .drawing import Drawing, Entry, Labels, Lines, Patches, Shape
from .layout import GAP, LEGEND_WIDTH, ROW, TITLE, Layout, laid_out

_SWATCH = 26  # points wide
_NOT_IN_XML = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 0xFFFE, 0xFFFF, *range(0xD800, 0xE000)])


def svg_bytes(drawing: Drawing, width: int = 1000) -> bytes:
    """The whole file; the same drawing gives the same bytes."""
    layout = laid_out(drawing, width)
    return ("\n".join(_lines(drawing, layout)) + "\n").encode()


def _lines(drawing: Drawing, layout: Layout) -> Iterator[str]:
    size = f'width="{layout.width}" height="{layout.height}" viewBox="0 0 {layout.width} {layout.height}"'
    yield f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="13" fill="{INK}">'
    yield f"<title>{_text(drawing.title)}</title>"
    yield f'<rect width="100%" height="100%" fill="{PAPER}"/>'
    yield f'<text x="{GAP}" y="{TITLE - 13}" font-size="16">{_text(drawing.title)}</text>'
    for shape in drawing.shapes:
        yield from _shape(shape, layout)
    yield from _scale_bar(layout)
    for row, entry in enumerate(drawing.legend):
        yield from _entry(entry, layout.width - LEGEND_WIDTH - GAP, TITLE + (row + 0.5) * ROW)
    yield "</svg>"


def _text(text: str) -> str:
    return escape(text.translate(_NOT_IN_XML))


def _shape(shape: Shape, layout: Layout) -> Iterator[str]:
    points = layout.placed(shape.points)
    if isinstance(shape, Patches):
        way = _way(points, shape.first, "Z")
        yield f'<path d="{way}" {_patch_look(shape)}/>'
    elif isinstance(shape, Lines):
        yield f'<path d="{_way(points, shape.first, "")}" {_line_look(shape)}/>'
    elif isinstance(shape, Labels):
        halo = f'text-anchor="middle" fill="{shape.color}" stroke="{PAPER}" stroke-width="3" paint-order="stroke"'
        for (x, y), text in zip(points.tolist(), shape.texts, strict=True):
            yield f'<text x="{x:.1f}" y="{y + 4:.1f}" {halo}>{_text(text)}</text>'
    else:
        for x, y in points.tolist():
            yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{shape.radius:g}" fill="{shape.color}"/>'


def _way(points: F64, first: I64, end: str) -> str:
    """All rings or lines as one path; steps are told from point to point in tenths, which halves the file."""
    tenths = (points * 10).round().astype(int).tolist()
    parts = []
    for begin, stop in pairwise(first.tolist()):
        if stop - begin < 2:
            continue
        x, y = tenths[begin]
        steps = []
        for a, b in pairwise(tenths[begin:stop]):
            steps.append(f"{_tenth(b[0] - a[0])} {_tenth(b[1] - a[1])}")
        parts.append(f"M{_tenth(x)} {_tenth(y)}l{' '.join(steps)}{end}")
    return "".join(parts)


def _tenth(number: int) -> str:
    return f"{number / 10:g}" if abs(number) < 10_000 else f"{number / 10:.1f}"


def _patch_look(shape: Patches) -> str:
    return f'fill="{shape.fill}" stroke="{shape.edge}" stroke-width="{shape.edge_width:g}" stroke-linejoin="round"'


def _line_look(shape: Lines) -> str:
    dashes = ' stroke-dasharray="6 4"' if shape.dashed else ""
    joint = 'stroke-linejoin="round" stroke-linecap="round"'
    return f'fill="none" stroke="{shape.color}" stroke-width="{shape.width:g}" {joint}{dashes}'


def _scale_bar(layout: Layout) -> Iterator[str]:
    left, _, _, bottom = layout.plan
    y, right = bottom + ROW - 4, left + layout.bar * layout.scale
    ends = f"M{left:.1f} {y - 4:.1f}v4H{right:.1f}v-4"
    yield f'<path d="{ends}" fill="none" stroke="{INK}"/>'
    yield f'<text x="{right + 6:.1f}" y="{y + 2:.1f}">{layout.bar:g} m</text>'


def _entry(entry: Entry, x: float, y: float) -> Iterator[str]:
    sample = entry.sample
    if isinstance(sample, Patches):
        yield f'<rect x="{x:g}" y="{y - 6:g}" width="{_SWATCH}" height="12" {_patch_look(sample)}/>'
    elif isinstance(sample, Lines):
        yield f'<path d="M{x:g} {y:g}h{_SWATCH}" {_line_look(sample)}/>'
    else:
        yield f'<circle cx="{x + _SWATCH / 2:g}" cy="{y:g}" r="{sample.radius:g}" fill="{sample.color}"/>'
    yield f'<text x="{x + _SWATCH + 8:g}" y="{y + 4:g}">{_text(entry.text)}</text>'
