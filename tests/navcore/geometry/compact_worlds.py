"""Test worlds for the stages that start from a CompactHeightfield: small open fields made in the slow, obvious way."""

from __future__ import annotations

import numpy as np

from navcore.types import WALKABLE, CompactHeightfield

STEPS = ((-1, 0), (0, 1), (1, 0), (0, -1))  # (x, z) of directions 0 to 3

Span = tuple[int, int, int]  # floor, clearance, area


def field(rows: list[list[list[Span]]], climb: int = 4, height: int = 10) -> CompactHeightfield:
    """`rows[z][x]` lists the spans of a column, bottom to top; neighbors are linked as specified (R-6.4)."""
    depth, width = len(rows), len(rows[0]) if rows else 0
    columns = [column for row in rows for column in row]
    first = np.concatenate([[0], np.cumsum([len(column) for column in columns])]).astype(np.int32)
    spans = [span for column in columns for span in column]
    neighbors = np.full((len(spans), 4), -1, np.int32)
    for c, column in enumerate(columns):
        for i, (floor, clearance, _) in enumerate(column):
            for direction, (dx, dz) in enumerate(STEPS):
                x, z = c % width + dx, c // width + dz
                if not (0 <= x < width and 0 <= z < depth):
                    continue
                for k, (their_floor, their_clearance, _) in enumerate(rows[z][x]):
                    gap = min(floor + clearance, their_floor + their_clearance) - max(floor, their_floor)
                    if gap >= height and abs(their_floor - floor) <= climb:
                        neighbors[first[c] + i, direction] = first[x + z * width] + k
                        break
    floor, clearance, area = (np.array([span[k] for span in spans]) for k in range(3))
    return CompactHeightfield(
        width, depth, first, floor.astype(np.uint16), clearance.astype(np.uint8), neighbors, area.astype(np.uint8)
    )


def random_field(seed: int) -> CompactHeightfield:
    """Up to three storeys with steps, gaps and several areas, some of them not walkable."""
    random = np.random.default_rng(seed)
    width, depth = random.integers(1, 24, 2)
    walls, storeys = random.random() * 0.3, random.integers(1, 4)
    areas = random.choice([0, 1, 2, WALKABLE], 3)
    rows: list[list[list[Span]]] = []
    for _ in range(depth):
        rows.append([])
        for _ in range(width):
            floors = [20 * level + int(random.integers(0, 7)) for level in range(storeys) if random.random() > walls]
            tops = [*floors[1:], 255][: len(floors)]
            area = [int(random.choice(areas)) if random.random() < 0.3 else WALKABLE for _ in floors]
            rows[-1].append([(f, t - f - 1, a) for f, t, a in zip(floors, tops, area, strict=True)])
    return field(rows)


def plain(width: int, depth: int, floor: int = 2) -> CompactHeightfield:
    """One span a column, all at one height."""
    columns = np.arange(width * depth, dtype=np.int32).reshape(depth, width)
    around = np.pad(columns, 1, constant_values=-1)
    sides = [around[1 + dz : 1 + dz + depth, 1 + dx : 1 + dx + width].reshape(-1) for dx, dz in STEPS]
    size = width * depth
    return CompactHeightfield(
        width, depth, np.arange(size + 1, dtype=np.int32), np.full(size, floor, np.uint16),
        np.full(size, 255, np.uint8), np.ascontiguousarray(np.stack(sides, 1)), np.full(size, WALKABLE, np.uint8),
    )  # fmt: skip


def with_area(compact: CompactHeightfield, area: dict[int, int]) -> CompactHeightfield:
    """The same field, where span i has area `area[i]`."""
    changed = compact.area.copy()
    for span, value in area.items():
        changed[span] = value
    return compact._replace(area=changed)


def step(compact: CompactHeightfield, span: int, *directions: int) -> int:
    """The span reached by those directions one after the other, -1 if a step is missing."""
    for direction in directions:
        span = int(compact.neighbors[span, direction]) if span >= 0 else -1
    return span
