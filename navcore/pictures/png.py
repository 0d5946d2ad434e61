"""Drawings as PNG: pixels, for where SVG is not shown."""

from __future__ import annotations

import struct
import zlib
from itertools import pairwise

import numpy as np

from ..errors import BadInput
from ..types import U8
from .colors import PAPER
from .drawing import Dots, Drawing, Lines
from .layout import laid_out
from .marks import Mark, Text, marks_of
from .raster import Canvas
from .stroke_font import strokes_of, text_width

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
