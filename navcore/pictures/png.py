"""Drawings as PNG: pixels, for where SVG is not shown."""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Iterable
from itertools import pairwise

import numpy as np

from ..errors import BadInput
from ..types import F64, U8
from .colors import PAPER
from .drawing import DASHES, Dots, Drawing, Lines
from .marks import Mark, Text, laid_out, marks_of

# --- A canvas of pixels: rings, lines and dots, drawn larger and made smaller, so that edges are smooth.

_FINER = 3  # pixels to a point while drawing, along a side
_PIECE = 64.0  # of a line that is drawn at once: the box around a long slanted one is large


class Canvas:
    """Width × height points of one color, at first."""

    def __init__(self, width: int, height: int, paper: str) -> None:
        self._pixels = np.empty((height * _FINER, width * _FINER, 3), np.uint8)
        self._pixels[:] = rgb(paper)

    def fill(self, ring: F64, color: str) -> None:
        """A ring, even-odd: what it goes around twice is outside."""
        corners = ring * _FINER
        box = self._box(corners.min(axis=0), corners.max(axis=0))
        if box is None:
            return
        part, x, y = box
        inside = np.zeros(part.shape[:2], bool)
        for (ax, ay), (bx, by) in pairwise([*corners.tolist(), corners[0].tolist()]):
            if ay != by:
                at = ax + (y - ay) * ((bx - ax) / (by - ay))
                inside ^= ((ay > y) != (by > y)) & (x < at)
        part[inside] = rgb(color)

    def line(self, points: F64, width: float, color: str, dashed: bool = False) -> None:
        """A line with round ends and joints."""
        pieces: Iterable[tuple[F64, F64]] = _dashes(points) if dashed else pairwise(points)
        for a, b in pieces:
            self._segment(_FINER * a, _FINER * b, max(width * _FINER / 2, 0.5), color)

    def dot(self, x: float, y: float, radius: float, color: str) -> None:
        center = np.array([x * _FINER, y * _FINER], np.float64)
        self._segment(center, center, radius * _FINER, color)

    def pixels(self) -> U8:
        """(height, width, 3): the mean of the finer pixels."""
        height, width = self._pixels.shape[0] // _FINER, self._pixels.shape[1] // _FINER
        sums = np.zeros((height, width, 3), np.uint16)
        for row in range(_FINER):
            for column in range(_FINER):
                sums += self._pixels[row::_FINER, column::_FINER]
        return ((sums + _FINER * _FINER // 2) // (_FINER * _FINER)).astype(np.uint8)

    def _segment(self, a: F64, b: F64, radius: float, color: str) -> None:
        count = max(1, math.ceil(float(np.hypot(*(b - a))) / _PIECE))
        for k in range(count):
            self._short_segment(a + (b - a) * (k / count), a + (b - a) * ((k + 1) / count), radius, color)

    def _short_segment(self, a: F64, b: F64, radius: float, color: str) -> None:
        box = self._box(np.minimum(a, b) - radius, np.maximum(a, b) + radius)
        if box is None:
            return
        part, x, y = box
        (ax, ay), (ux, uy) = a.tolist(), (b - a).tolist()
        square = ux * ux + uy * uy
        along = np.clip(((x - ax) * ux + (y - ay) * uy) / square, 0, 1) if square > 0 else np.zeros((1, 1))
        away = (x - ax - along * ux) ** 2 + (y - ay - along * uy) ** 2
        part[away <= radius * radius] = rgb(color)

    def _box(self, low: F64, high: F64) -> tuple[U8, F64, F64] | None:
        """The pixels between two corners, and the x and y of their middles; None where there is none."""
        height, width = self._pixels.shape[:2]
        left, top = max(int(low[0]), 0), max(int(low[1]), 0)
        right, bottom = min(int(high[0]) + 1, width), min(int(high[1]) + 1, height)
        if left >= right or top >= bottom:
            return None
        x, y = np.arange(left, right)[None, :] + 0.5, np.arange(top, bottom)[:, None] + 0.5
        return self._pixels[top:bottom, left:right], x, y


def rgb(color: str) -> U8:
    """Of "#rrggbb"."""
    return np.array([int(color[k : k + 2], 16) for k in (1, 3, 5)], np.uint8)


def _dashes(points: F64) -> list[tuple[F64, F64]]:
    """The pieces of a dashed line; dashes go on around corners."""
    found, on, left = [], True, DASHES[0]
    for a, b in pairwise(points):
        length = float(np.hypot(*(b - a)))
        done = 0.0
        while done < length:
            step = min(left, length - done)
            if on:
                found.append((a + (b - a) * (done / length), a + (b - a) * ((done + step) / length)))
            done, left = done + step, left - step
            if left <= 0:
                on, left = not on, DASHES[int(on)]
    return found


# --- Letters as strokes, for pictures made of pixels: capitals, digits and signs on a grid of 4 by 6.
#
# Small letters look like capitals. Each stroke is a row of corners, x and y as a digit each; y goes down, and 6 is the
# baseline.

_P = "06003041423303"
_GLYPHS = {
    "A": "0602204246 0444", "B": "06003041423303 3344453606", "C": "4130100105163645", "D": "00062644422000",
    "E": "40000646 0333", "F": "400006 0333", "G": "41301001051636454323", "H": "0006 4046 0343", "I": "1030 2026 1636",
    "J": "4045361605", "K": "0006 400346", "L": "000646", "M": "0600234046", "N": "06004640", "O": "103041453616050110",
    "P": _P, "Q": "103041453616050110 3446", "R": f"{_P} 2346", "S": "413010010213334445361605", "T": "0040 2026",
    "U": "000516364540", "V": "002640", "W": "0016233640", "X": "0046 4006", "Y": "002340 2326", "Z": "00400646",
    "0": "103041453616050110 1432", "1": "112026 1636", "2": "01103041420646", "3": "01103041423313 334445361605",
    "4": "300444 3336", "5": "4000033344453606", "6": "30100105163645443303", "7": "004016",
    "8": "103041423313020110 1304051636454433", "9": "43130201103041453616", "(": "30212536", ")": "10212516",
    "[": "30202636", "]": "10202616", ".": "2626", ",": "2517", ":": "2222 2525", ";": "2222 2517", "-": "1333",
    "_": "0646", "/": "0640", "\\": "0046", "%": "0640 0001 4546", "+": "2125 0343", "=": "0242 0444", "'": "2021",
    '"': "1011 3031", "!": "2024 2626", "?": "011030412324 2626", "*": "2125 0242 0442", "#": "1016 3036 0242 0444",
    "&": "461120311305162644", "<": "400346", ">": "004306", "²": "1020312233", " ": "",
}  # fmt: skip
_UNKNOWN = "0040460600"
_ADVANCE, _CAPITAL = 5.6, 6.0  # of the grid: from letter to letter, and the height of a capital
_CAPITAL_PART = 0.68  # of the size of a text


def text_width(text: str, size: float) -> float:
    """How wide a text is, in the unit of its size."""
    return len(text) * _ADVANCE * _unit(size)


def strokes_of(text: str, x: float, y: float, size: float) -> list[F64]:
    """The lines of a text whose baseline begins at (x, y)."""
    unit, found = _unit(size), []
    for place, letter in enumerate(text.upper()):
        for stroke in _GLYPHS.get(letter, _UNKNOWN).split():
            corners = np.array([int(digit) for digit in stroke], np.float64).reshape(-1, 2)
            found.append((corners + np.array([place * _ADVANCE, -_CAPITAL])) * unit + np.array([x, y]))
    return found


def _unit(size: float) -> float:
    return size * _CAPITAL_PART / _CAPITAL


MAX_PIXELS = 20_000_000
_STROKE, _HALO = 0.09, 3.0  # of a text's size; points
_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def png_bytes(drawing: Drawing, width: int = 1000) -> bytes:
    """The whole file; the same drawing gives the same bytes."""
    layout = laid_out(drawing, width)
    if layout.width * layout.height > MAX_PIXELS:
        raise BadInput(
            f"The picture would have {layout.width:,} × {layout.height:,} pixels. Make it narrower, or write it as "
            ".svg, which has no pixels.", "WRONG_QUESTION",
        )  # fmt: skip
    canvas = Canvas(layout.width, layout.height, PAPER)
    for mark in marks_of(drawing, layout):
        _put(canvas, mark)
    return png_of(canvas.pixels())


def png_of(pixels: U8) -> bytes:
    """(H, W, 3) as a file. Rows are told as differences from the row above, which packs better."""
    height, width = pixels.shape[:2]
    rows = np.empty((height, 1 + width * 3), np.uint8)
    flat = pixels.reshape(height, -1)
    rows[:, 0] = 2  # PNG: filter type "up"
    rows[0, 1:], rows[1:, 1:] = flat[0], flat[1:] - flat[:-1]
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes(), 9)), (b"IEND", b""))
    return _SIGNATURE + b"".join(_chunk(kind, data) for kind, data in parts)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _put(canvas: Canvas, mark: Mark) -> None:
    if isinstance(mark, Text):
        x = mark.x - (text_width(mark.text, mark.size) / 2 if mark.centered else 0)
        strokes = strokes_of(mark.text, x, mark.y, mark.size)
        for stroke in strokes if mark.halo else []:
            canvas.line(stroke, mark.size * _STROKE + _HALO, PAPER)
        for stroke in strokes:
            canvas.line(stroke, mark.size * _STROKE, mark.color)
    elif isinstance(mark, Dots):
        for x, y in mark.points.tolist():
            canvas.dot(x, y, mark.radius, mark.color)
    else:
        for begin, end in pairwise(mark.first.tolist()):
            points = mark.points[begin:end]
            if isinstance(mark, Lines):
                canvas.line(points, mark.width, mark.color, mark.dashed)
            elif len(points) > 0:
                canvas.fill(points, mark.fill)
                canvas.line(np.concatenate([points, points[:1]]), mark.edge_width, mark.edge)
