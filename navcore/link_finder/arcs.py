"""Whether an agent gets through the air from one place to another: level and down, or along a parabola.

The disc of the agent is tested with every column that it touches, from feet to head and over all heights between two
steps, in float64 and in one order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import borrowing
from ..surroundings.solid_matter import BLOCK_BITS, TINY, Matter, column_at, column_within, highest_in_block
from ..types import AnyBool, AnyInt
from .rules import CLIMB, DROP, JUMP, LinkRules

_NEXT = np.uint64(1)


class Position(NamedTuple):
    """Metres from the level's corner."""

    x: float
    y: float
    z: float


@borrowing
def distance_from_above(a: Position, b: Position) -> float:
    """Metres between two places, their heights left out."""
    return np.sqrt((b.x - a.x) ** 2 + (b.z - a.z) ** 2)


@borrowing
def ledge_distance(matter: Matter, rules: LinkRules, at: Position, along_x: float, along_z: float) -> float:
    """How far away the floor ends on the way out; -1 where it does not, or where a wall stands first.

    An agent walks on to floors that are no higher and no lower than it climbs; outside of the level is a wall.
    """
    first, bottom, top, voxel = matter.first, matter.bottom, matter.top, matter.voxel
    floor, away, reach = at.y, 0.0, rules.ledge_reach + TINY
    is_within = _are_within(matter, at.x, at.z, at.x + along_x * reach, at.z + along_z * reach)
    while away + rules.step <= reach:
        away += rules.step  # half a cell: to ask whether it is the same column again costs more than to look at it
        x, z = at.x + along_x * away, at.z + along_z * away
        if is_within:  # whatever lies between two places lies within, too
            column = column_within(matter, x, z)
        else:
            around = column_at(matter, x, z)
            if around < 0:
                return -1.0
            column = np.uint64(around)
        begin, end = np.uint64(first[column]), np.uint64(first[column + _NEXT])
        lowest, highest, head = floor - rules.climb - TINY, floor + rules.climb + TINY, floor + rules.height - TINY
        if end - begin == _NEXT:  # most columns
            height = top[begin] * voxel
            if height > highest:
                return -1.0 if bottom[begin] * voxel < head else away
            if height < lowest:
                return away
            floor = height
            continue
        following = np.nan
        for span in range(begin, end):
            height = top[span] * voxel
            if height > highest:
                if bottom[span] * voxel < head:
                    return -1.0
            elif height >= lowest:
                following = height
        if np.isnan(following):
            return away
        floor = following
    return -1.0


@borrowing
def _are_within(matter: Matter, x: float, z: float, end_x: float, end_z: float) -> bool:
    """Whether there are columns around both of two places."""
    return column_at(matter, x, z) >= 0 and column_at(matter, end_x, end_z) >= 0


@borrowing
def touches(matter: Matter, x: float, z: float, radius: float, low: float, high: float, passed: float) -> bool:
    """Whether a disc touches anything between the heights `low` and `high` that reaches above `passed`."""
    first, bottom, top, cell, voxel = matter.first, matter.bottom, matter.top, matter.cell, matter.voxel
    per_metre = 1 / cell
    x0, x1 = int(np.floor((x - radius) * per_metre)), int(np.floor((x + radius) * per_metre))
    z0, z1 = int(np.floor((z - radius) * per_metre)), int(np.floor((z + radius) * per_metre))
    if x0 < 0 or x1 >= matter.width or z0 < matter.begin or z1 >= matter.end:
        return True
    threshold, ceiling = (max(low, passed) + TINY) / voxel, (high - TINY) / voxel
    if not _reaches(matter, x0, x1, z0 - matter.begin, z1 - matter.begin, threshold):
        return False
    for row in range(z0, z1 + 1):
        aside = max(row * cell - z, z - (row + 1) * cell, 0.0)
        half = np.sqrt(max(radius * radius - aside * aside, 0.0))
        begin = (row - matter.begin) * matter.width
        column, last = begin + int(np.floor((x - half) * per_metre)), begin + int(np.floor((x + half) * per_metre))
        while column <= last:
            span, end = np.int64(first[column + 1]) - 1, np.int64(first[column])
            while span >= end and top[span] > threshold:  # from the top down
                if bottom[span] < ceiling:
                    return True
                span -= 1
            column += 1
    return False


@borrowing
def _reaches(matter: Matter, x0: int, x1: int, z0: int, z1: int, threshold: float) -> bool:
    """Whether anything in the blocks around these columns is higher than so many voxels."""
    for row in range(z0 >> BLOCK_BITS, (z1 >> BLOCK_BITS) + 1):
        for column in range(x0 >> BLOCK_BITS, (x1 >> BLOCK_BITS) + 1):
            if highest_in_block(matter, column, row) > threshold:
                return True
    return False


@borrowing
def _is_open(matter: Matter, a: Position, b: Position, radius: float, low: float) -> bool:
    """Whether nothing around a whole way is higher than `low`: then it need not be looked at step by step."""
    per_metre = 1 / matter.cell
    x0, x1 = int(np.floor((min(a.x, b.x) - radius) * per_metre)), int(np.floor((max(a.x, b.x) + radius) * per_metre))
    z0, z1 = int(np.floor((min(a.z, b.z) - radius) * per_metre)), int(np.floor((max(a.z, b.z) + radius) * per_metre))
    if x0 < 0 or x1 >= matter.width or z0 < matter.begin or z1 >= matter.end:
        return False
    return not _reaches(matter, x0, x1, z0 - matter.begin, z1 - matter.begin, (low + TINY) / matter.voxel)


@borrowing
def _on_parabola(part: float, steep: float, bend: float) -> float:
    return (steep - bend * part) * part


@borrowing
def is_clear(matter: Matter, rules: LinkRules, a: Position, b: Position, ledge: float, level: bool) -> bool:
    """Whether an agent gets from a to b, whose floor ends `ledge` metres from a.

    `level`: it goes level and straight down (or up and then over, which is the same way); else it flies.
    """
    distance, rise = distance_from_above(a, b), b.y - a.y
    steps = max(int(np.ceil(distance / rules.step)), 1)
    apex = max(rise, min(rules.jump_height, max(0.0, rise) + distance / 4))
    steep = 2 * (apex + np.sqrt(max(apex * (apex - rise), 0.0)))
    bend = steep - rise
    if not level and _is_open(matter, a, b, rules.radius, min(a.y, b.y)):
        return True
    for k in range(steps, -1, -1):  # most are blocked near their end
        part = k / steps
        if level:
            low, high = a.y if k < steps else min(b.y, a.y), max(a.y, b.y)
        else:
            here = _on_parabola(part, steep, bend)
            before, after = here, here
            if k > 0:
                before = _on_parabola((k - 1) / steps, steep, bend)
            if k < steps:
                after = _on_parabola((k + 1) / steps, steep, bend)
            low, high = a.y + min(before, here, after), a.y + max(before, here, after)
        passed = -np.inf  # what is no higher does not count: agents step onto it
        if part * distance <= ledge + rules.radius + TINY and low >= a.y - TINY:
            passed = a.y + rules.climb
        if distance - part * distance <= rules.radius + TINY:
            passed = max(passed, b.y + rules.climb)
        x, z = a.x + (b.x - a.x) * part, a.z + (b.z - a.z) * part
        if touches(matter, x, z, rules.radius, low, high + rules.height, passed):
            return False
        if level and k == steps and _is_open(matter, a, b, rules.radius, a.y):
            return True
    return True


@borrowing
def kind_between(matter: Matter, rules: LinkRules, a: Position, b: Position, ledge: float, tells_jumps: AnyBool) -> int:
    """The kind of link that agents can take from a to b; -1: none. Not told, jumps down are drops."""
    distance, rise = distance_from_above(a, b), b.y - a.y
    slack = rules.voxel + TINY  # heights are whole voxels
    level = rise < 0 and distance <= ledge + rules.level_reach + TINY
    climbs = rules.climb_height > 0 and level and -rise <= rules.climb_height + slack
    jumps = rules.jump_height > 0 and abs(rise) <= rules.jump_height + slack
    drops = rules.drop_height > 0 and -rise <= rules.drop_height + slack and rise < 0
    if not climbs and not jumps and not drops:
        return -1
    if not is_clear(matter, rules, a, b, ledge, level):
        return -1
    if climbs:
        return CLIMB
    if drops and not tells_jumps:
        return DROP
    if jumps and _comes_back(matter, rules, a, b, level):
        return JUMP
    return DROP if drops else -1


@borrowing
def _comes_back(matter: Matter, rules: LinkRules, a: Position, b: Position, level: bool) -> bool:
    """Whether an agent that jumped from a to b can jump back."""
    if level:
        return True  # the same way: up, then over
    distance = distance_from_above(a, b)
    edge = ledge_distance(matter, rules, b, (a.x - b.x) / distance, (a.z - b.z) / distance)
    return edge >= 0 and is_clear(matter, rules, b, a, edge, False)


@borrowing
def can_be_taken(matter: Matter, rules: LinkRules, kind: AnyInt, a: Position, b: Position) -> bool:
    """Whether agents can take a link of this kind from a to b, wherever the floor at a ends."""
    distance = distance_from_above(a, b)
    if distance < TINY:
        return False
    ledge = ledge_distance(matter, rules, a, (b.x - a.x) / distance, (b.z - a.z) / distance)
    if ledge < 0:
        return False
    found = kind_between(matter, rules, a, b, ledge, kind != DROP)
    return found == kind or (kind == DROP and found == JUMP and b.y < a.y)
