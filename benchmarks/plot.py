"""Line plots on logarithmic axes, as SVG: enough for growth, and nothing to install."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

Points = Sequence[tuple[float, float]]

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 640, 360, 64, 150, 36, 48
_COLORS = ("#1f77b4", "#d62728", "#2ca02c", "#9467bd")


def log_plot(title: str, across: str, up: str, lines: Mapping[str, Points]) -> str:
    """An SVG picture of several lines; every value must be above 0."""
    everything = [point for points in lines.values() for point in points]
    xs, ys = _decades([x for x, _ in everything]), _decades([y for _, y in everything])

    def place(x: float, y: float) -> tuple[float, float]:
        along = (math.log10(x) - xs[0]) / (xs[-1] - xs[0])
        high = (math.log10(y) - ys[0]) / (ys[-1] - ys[0])
        return _LEFT + along * (_WIDTH - _LEFT - _RIGHT), _HEIGHT - _BOTTOM - high * (_HEIGHT - _TOP - _BOTTOM)

    parts = [_text(_LEFT, 20, title, "start", bold=True)]
    for decade in xs:
        x, bottom = place(10.0**decade, 10.0 ** ys[0])
        parts += [_line(x, bottom, x, _TOP), _text(x, bottom + 16, _named(decade), "middle")]
    for decade in ys:
        left, y = place(10.0 ** xs[0], 10.0**decade)
        parts += [_line(left, y, _WIDTH - _RIGHT, y), _text(left - 6, y + 4, _named(decade), "end")]
    parts.append(_text((_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 10, across, "middle"))
    parts.append(_text(_LEFT - 40, _TOP - 6, up, "start"))
    for row, (color, (name, points)) in enumerate(zip(_COLORS, lines.items(), strict=False)):
        corners = " ".join(f"{x:.1f},{y:.1f}" for x, y in (place(*point) for point in points))
        parts.append(f'<polyline points="{corners}" fill="none" stroke="{color}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{color}"/>' for x, y in (place(*p) for p in points)]
        parts.append(_text(_WIDTH - _RIGHT + 12, _TOP + 12 + 18 * row, name, "start", color))
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif" '
    body = "\n".join(parts)
    return f'{head}font-size="11">\n<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>\n{body}\n</svg>\n'


def _decades(values: Sequence[float]) -> list[int]:
    """Powers of ten from below the least value to above the greatest."""
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return list(range(low, max(high, low + 1) + 1))


def _named(decade: int) -> str:
    raised = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
    return str(10**decade) if 0 <= decade < 4 else "10" + str(decade).translate(raised)


def _line(x0: float, y0: float, x1: float, y1: float) -> str:
    return f'<path d="M{x0:.1f} {y0:.1f}L{x1:.1f} {y1:.1f}" stroke="#ddd"/>'


def _text(x: float, y: float, text: str, anchor: str, color: str = "#333", bold: bool = False) -> str:
    weight = ' font-weight="bold"' if bold else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{color}"{weight}>{text}</text>'
