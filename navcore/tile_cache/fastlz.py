"""FastLZ: how layers are packed. Level 1 is written, levels 1 and 2 are read; both bit for bit. Recast: fastlz.c."""

from __future__ import annotations

import numpy as np

from ..jit import kernel
from ..types import U8, AnyInt

MOST_BYTES = 3 * 255 * 255  # of three grids of the largest layer
_HASH_BITS, _FARTHEST, _LONGEST_RUN, _LONGEST_MATCH = 13, 8192, 32, 262
_SHORTEST_PACKED = 4  # bytes; fewer are one run
_NO_MATCHES_LAST = 12  # bytes before the end
_LEVEL_2 = 1  # in the first byte's three top bits
_BROKEN = -1


@kernel
def _hash(data: U8, at: AnyInt) -> np.int64:
    first = np.int64(data[at]) | np.int64(data[at + 1]) << 8
    second = np.int64(data[at + 1]) | np.int64(data[at + 2]) << 8
    return (first ^ second ^ first >> 3) & ((1 << _HASH_BITS) - 1)


@kernel
def _put_run(data: U8, begin: AnyInt, end: AnyInt, packed: U8, size: AnyInt) -> AnyInt:
    """Bytes as they are, 32 at most behind each count; returns how many bytes are packed now."""
    while begin < end:
        run = min(end - begin, _LONGEST_RUN)
        packed[size] = run - 1
        size += 1
        for k in range(run):
            packed[size + k] = data[begin + k]
        size += run
        begin += run
    return size


@kernel
def compress(data: U8) -> U8:
    """The packed bytes, at level 1."""
    n = len(data)
    packed = np.empty(n + n // _LONGEST_RUN + 2, np.uint8)
    if n < _SHORTEST_PACKED:
        return packed[: _put_run(data, 0, n, packed, 0)]
    table = np.zeros(1 << _HASH_BITS, np.int32)
    size: AnyInt = 0
    at, begin = np.int64(2), np.int64(0)
    while at < n - _NO_MATCHES_LAST:
        place = _hash(data, at)
        back = np.int64(table[place])
        table[place] = at
        distance = at - back
        if (
            not 1 <= distance < _FARTHEST
            or data[back] != data[at]
            or data[back + 1] != data[at + 1]
            or data[back + 2] != data[at + 2]
        ):
            at += 1
            continue
        most = n - 3 - at
        equal = np.int64(3)
        while equal < most and data[back + equal] == data[at + equal]:
            equal += 1
        equal = min(equal, most)
        size = _put_run(data, begin, at, packed, size)
        size = _put_match(equal - 2, distance - 1, packed, size)
        at += equal
        table[_hash(data, at - 2)] = at - 2
        table[_hash(data, at - 1)] = at - 1
        begin = at
    return packed[: _put_run(data, begin, n, packed, size)]


@kernel
def _put_match(length: AnyInt, distance: AnyInt, packed: U8, size: AnyInt) -> AnyInt:
    while length > _LONGEST_MATCH:
        packed[size], packed[size + 1], packed[size + 2] = 224 | distance >> 8, 253, distance & 255
        size += 3
        length -= _LONGEST_MATCH
    if length < 7:
        packed[size], packed[size + 1] = length << 5 | distance >> 8, distance & 255
        return size + 2
    packed[size], packed[size + 1], packed[size + 2] = 224 | distance >> 8, length - 7, distance & 255
    return size + 3


@kernel
def decompress(packed: U8, data: U8) -> bool:
    """Unpack into `data`; False where that is not filled exactly, or the packed bytes lead beyond their end."""
    end, n = len(packed), len(data)
    if end == 0:
        return n == 0
    level_2 = packed[0] >> 5 == _LEVEL_2
    control, at, filled = np.int64(packed[0]) & 31, np.int64(1), np.int64(0)
    while True:
        if control >= _LONGEST_RUN:
            length, distance, at = _match(packed, control, at, level_2)
            if at == _BROKEN or distance + 1 > filled or filled + length > n:
                return False
            back = filled - distance - 1
            for k in range(length):
                data[filled + k] = data[back + k]
            filled += length
        else:
            run = control + 1
            if at + run > end or filled + run > n:
                return False
            for k in range(run):
                data[filled + k] = packed[at + k]
            filled += run
            at += run
        if at >= end:
            return filled == n
        control = np.int64(packed[at])
        at += 1


@kernel
def _match(packed: U8, control: np.int64, at: np.int64, level_2: bool) -> tuple[np.int64, np.int64, np.int64]:
    """Length and distance − 1 of a match, and where the next control byte lies; _BROKEN where the bytes end."""
    end = len(packed)
    broken = np.int64(0), np.int64(0), np.int64(_BROKEN)
    length, high = (control >> 5) + 2, control & 31
    if control >> 5 == 7:
        while True:
            if at >= end:
                return broken
            more = np.int64(packed[at])
            at += 1
            length += more
            if not level_2 or more != 255:
                break
    if at >= end:
        return broken
    low = np.int64(packed[at])
    at += 1
    distance = high << 8 | low
    if level_2 and low == 255 and high == 31:
        if at + 2 > end:
            return broken
        distance = (np.int64(packed[at]) << 8 | np.int64(packed[at + 1])) + _FARTHEST - 1
        at += 2
    return length, distance, at
