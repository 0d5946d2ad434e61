"""Plans small enough to check by hand, and a reader of PNG files."""

from __future__ import annotations

import struct
import zlib
from typing import Any

import numpy as np

from navcore.pictures.plan_view import Plan
from navcore.types import U8

NAMES = {0: "ground", 1: "water"}


def two_squares(**more: Any) -> Plan:
    """Ground and water of 2 × 2 m side by side, and 5 m above the water a square of ground that reaches nothing."""
    floor = [(0, 0, 0), (2, 0, 0), (4, 0, 0), (0, 0, 2), (2, 0, 2), (4, 0, 2)]
    above = [(2.5, 5, 0.5), (3.5, 5, 0.5), (3.5, 5, 1.5), (2.5, 5, 1.5)]
    plan = Plan(
        np.array(floor + above, np.float32), np.array([0, 4, 8, 12], np.int32),
        np.array([0, 1, 4, 3, 1, 2, 5, 4, 6, 7, 8, 9], np.int32),
        np.array([-1, 1, -1, -1, -1, -1, -1, 0, -1, -1, -1, -1], np.int32), np.array([0, 1, 0], np.uint8), [], NAMES,
    )  # fmt: skip
    return plan._replace(**more)


def nothing() -> Plan:
    none = np.zeros(0, np.int32)
    return Plan(np.zeros((0, 3), np.float32), np.zeros(1, np.int32), none, none, np.zeros(0, np.uint8), [], NAMES)


def pixels_of(file: bytes) -> U8:
    """(height, width, 3), read by the letter of the format; every checksum must be right."""
    assert file[:8] == b"\x89PNG\r\n\x1a\n"
    at, chunks = 8, []
    while at < len(file):
        length = struct.unpack(">I", file[at : at + 4])[0]
        kind, data = file[at + 4 : at + 8], file[at + 8 : at + 8 + length]
        assert struct.unpack(">I", file[at + 8 + length : at + 12 + length])[0] == zlib.crc32(kind + data)
        chunks.append((kind, data))
        at += 12 + length
    assert [kind for kind, _ in chunks] == [b"IHDR", b"IDAT", b"IEND"]
    width, height, bits, color, *rest = struct.unpack(">IIBBBBB", chunks[0][1])
    assert (bits, color, rest) == (8, 2, [0, 0, 0])
    rows = np.frombuffer(zlib.decompress(chunks[1][1]), np.uint8).reshape(height, 1 + 3 * width)
    assert (rows[:, 0] == 2).all()
    pixels: U8 = np.cumsum(rows[:, 1:], axis=0, dtype=np.uint8).reshape(height, width, 3)
    return pixels
