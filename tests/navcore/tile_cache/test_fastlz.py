"""FastLZ: the packed bytes of upstream, there and back, and what is broken."""

from __future__ import annotations

import numpy as np
import pytest

from navcore.tile_cache.fastlz import compress, decompress
from navcore.types import U8

# Heights 1 1 1 2 2 2 in five rows but one cell without ground, areas, sides: worked out by hand.
LAYER = bytes.fromhex(
    "05010101020202c00500ffe0020b4017003fe0040000 00e0040d033f3f06072000 0a430e0f0d0f0f4b0e0b000e2005"
    "0a0f070f0f4b0c0d0d0d0d49".replace(" ", "")
)


def array(content: bytes) -> U8:
    return np.frombuffer(content, np.uint8).copy()


def unpacked(packed: U8, size: int) -> U8 | None:
    data = np.zeros(size, np.uint8)
    return data if decompress(packed, data) else None


def test_the_example() -> None:
    cells = unpacked(array(LAYER), 90)
    assert cells is not None
    heights, areas, sides = cells.reshape(3, 5, 6).tolist()
    assert heights[0] == [1, 1, 1, 2, 2, 2] and heights[2] == [1, 1, 255, 2, 2, 2]
    assert areas[1] == [63] * 6 and areas[2][2] == 0
    assert sides[0] == [6, 7, 7, 7, 7, 67]
    assert compress(cells).tobytes() == LAYER


@pytest.mark.parametrize("size", [0, 1, 3, 4, 31, 32, 33, 65, 300, 5000, 195_075])
@pytest.mark.parametrize("kinds", [1, 2, 5, 256])
def test_what_is_packed_comes_back(size: int, kinds: int) -> None:
    random = np.random.default_rng(size * 1000 + kinds)
    data = np.repeat(random.integers(0, kinds, size), random.integers(1, 9, size))[:size].astype(np.uint8)
    packed = compress(data)
    back = unpacked(packed, size)
    assert back is not None and np.array_equal(back, data)
    if kinds == 1 and size > 100:
        assert len(packed) < size / 20


def test_few_bytes_are_a_run() -> None:
    assert compress(array(b"abc")).tobytes() == b"\x02abc"


def test_level_2_is_read() -> None:
    # Two literals with the level's mark; then a match of 2 + 7 + 255 + 3 bytes, one back; then one literal.
    packed = array(bytes([0b001_00001, 7, 7, 0b111_00000, 255, 3, 0, 0, 9]))
    back = unpacked(packed, 2 + 267 + 1)
    assert back is not None and back.tolist() == [7] * 269 + [9]


def test_level_2_reaches_far_back() -> None:
    literals = b"".join(bytes([31]) + bytes(range(k, k + 32)) for k in (0, 100)) * 130  # 8,320 bytes
    first = array(bytes([0b001_11111]) + literals[1:])
    distance = 8191 + 100
    packed = np.concatenate([first, array(bytes([0b001_11111, 255, (distance - 8191) >> 8, (distance - 8191) & 255]))])
    back = unpacked(packed, 8320 + 3)
    assert back is not None and np.array_equal(back[-3:], back[8320 - distance - 1 :][:3])


@pytest.mark.parametrize(
    "packed",
    [
        b"",
        b"\x05ab",
        b"\x01ab\xe0",
        b"\x01ab\xe0\x01",
        b"\x01ab\x20\x05",
        b"\x01ab\x20",
        b"\x01abc",
        b"\x1f" + b"a" * 40,
    ],
)
def test_what_is_broken_is_refused(packed: bytes) -> None:
    assert unpacked(array(packed), 8) is None


def test_damage_never_leads_out_of_the_arrays() -> None:
    random = np.random.default_rng(5)
    for _ in range(2000):
        packed = array(LAYER)
        for _ in range(int(random.integers(1, 4))):
            packed[random.integers(len(packed))] = random.integers(256)
        unpacked(packed[: random.integers(1, len(packed) + 1)], 90)
