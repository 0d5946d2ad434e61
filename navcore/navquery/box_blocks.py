"""A tile's tree of boxes once more, sixteen boxes side by side: a walk from box to box waits for each of them.

Leaves follow in the order of the tree, sixteen in a block; blocks follow in the same order, sixteen in a block above
them, up to a single one. Where each box of the tree holds those below it, the leaves that touch a box are those which
the walk through the tree finds, in the same order. Files may hold other trees: without blocks, they are walked through.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from ..jit import borrowing, inlined, kernel
from ..types import I32, U16, AnyArray, AnyInt

Corner: TypeAlias = tuple[np.int32, np.int32, np.int32]  # in cells of a tile's tree

BLOCK = 16  # boxes
SIDES_OF_BOX = 6  # low corner, high corner
NOTHING_BELOW = np.int32(-1)  # where a block has no box
_ONE, _SIGN, _LARGEST = np.int32(1), np.int32(31), np.uint16(0xFFFF)


def block_count(nodes: int) -> int:
    """How many blocks a tree of so many nodes has at most: its leaves are half of them, and the node behind its end."""
    count, level = 0, nodes // 2 + 1 if nodes else 0
    while level > 0:
        level = -(-level // BLOCK)
        count += level
        level = level if level > 1 else 0
    return count


@kernel
def put_blocks(nodes: AnyArray, blocks: U16, below: I32, first: int) -> tuple[int, int]:
    """Write the blocks of a tile's tree from number `first` on: the top one, and how many levels there are.

    No levels: it has no tree, or another one than Detour builds.
    """
    leaves = 0
    for node in range(len(nodes)):
        leaves += nodes[node].polygon >= 0
    if leaves == 0 or leaves > len(nodes) // 2 + 1 or not _is_nested(nodes):
        return first, 0
    block, place = first - 1, BLOCK
    for node in range(len(nodes)):
        it = nodes[node]
        if it.polygon >= 0:
            if place == BLOCK:
                block, place = block + 1, 0
                below[block] = NOTHING_BELOW
            blocks[block, 0, place], blocks[block, 1, place], blocks[block, 2, place] = it.low_x, it.low_y, it.low_z
            blocks[block, 3, place], blocks[block, 4, place], blocks[block, 5, place] = it.high_x, it.high_y, it.high_z
            below[block, place] = it.polygon
            place += 1
    begin, end, depth = first, block + 1, 1
    while end - begin > 1:
        above = end - 1
        for under in range(begin, end):
            place = (under - begin) % BLOCK
            if place == 0:
                above += 1
                below[above] = NOTHING_BELOW
            below[above, place] = under
            for axis in range(3):
                low, high = _LARGEST, np.uint16(0)
                for k in range(BLOCK):
                    if below[under, k] >= 0:
                        low, high = min(low, blocks[under, axis, k]), max(high, blocks[under, 3 + axis, k])
                blocks[above, axis, place], blocks[above, 3 + axis, place] = low, high
        begin, end, depth = end, above + 1, depth + 1
    return begin, depth


@borrowing
def _is_nested(nodes: AnyArray) -> bool:
    """Whether each box holds those below it, and ends where the last of them ends: as Detour builds trees.

    Each node is looked at once, from the one above it.
    """
    for node in range(len(nodes)):
        it = nodes[node]
        if it.polygon >= 0:
            continue
        end = node - it.polygon
        below: AnyInt = node + 1
        while below < end:
            that = nodes[below]
            if (
                that.low_x < it.low_x or that.low_y < it.low_y or that.low_z < it.low_z
                or that.high_x > it.high_x or that.high_y > it.high_y or that.high_z > it.high_z
            ):  # fmt: skip
                return False
            below += np.int32(1) if that.polygon >= 0 else -that.polygon
        if below != end:
            return False
    return True


@inlined
def touched(
    blocks: U16, below: I32, block: AnyInt, box: tuple[Corner, Corner], hits: I32, found: I32, count: AnyInt
) -> AnyInt:
    """Append what the boxes of a block are of that touch a box; how many are found by then.

    Without branches: which of the comparisons fails is hard to foresee. `hits` has room for a block, `found` for one
    more than are found.
    """
    low, high = box
    width = blocks.shape[2]  # not the constant: a loop of a known length is unrolled, and not made for vectors
    for k in range(width):  # a number below 0 where one of the six is, or there is no box
        hits[k] = (
            below[block, k]
            | (np.int32(blocks[block, 3, k]) - low[0]) | (high[0] - np.int32(blocks[block, 0, k]))
            | (np.int32(blocks[block, 4, k]) - low[1]) | (high[1] - np.int32(blocks[block, 1, k]))
            | (np.int32(blocks[block, 5, k]) - low[2]) | (high[2] - np.int32(blocks[block, 2, k]))
        )  # fmt: skip
    for k in range(width):
        found[count] = below[block, k]
        count += _ONE + (hits[k] >> _SIGN)
    return count
