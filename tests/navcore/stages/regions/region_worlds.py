"""Test worlds for regions: fields from lists of spans, from pictures, at random; and ids of regions as a picture."""

from __future__ import annotations

import random

import numpy as np

from navcore.types import BORDER_REGION, WALKABLE, CompactHeightfield

RING = "#####/#...#/#.#.#/#...#/#####"
DX, DZ = (-1, 0, 1, 0), (0, 1, 0, -1)


def field(width, depth, columns, height_vx=3, climb_vx=1):
    """Open space from lists of (floor, clearance, area) per column, linked as Recast links it."""
    first = np.concatenate([[0], np.cumsum([len(c) for c in columns])]).astype(np.int32)
    spans = [s for column in columns for s in column]
    neighbors = np.full((len(spans), 4), -1, np.int32)
    for c, column in enumerate(columns):
        for k, (y, h, _) in enumerate(column):
            for d in range(4):
                x, z = c % width + DX[d], c // width + DZ[d]
                if not (0 <= x < width and 0 <= z < depth):
                    continue
                for layer, (ny, nh, _) in enumerate(columns[x + z * width]):
                    if min(y + h, ny + nh) - max(y, ny) >= height_vx and abs(ny - y) <= climb_vx:
                        neighbors[first[c] + k, d] = first[x + z * width] + layer
                        break
    floor, clearance, area = (
        np.array([s[i] for s in spans], dtype) for i, dtype in enumerate((np.uint16, np.uint8, np.uint8))
    )
    return CompactHeightfield(width, depth, first, floor, clearance, neighbors, area)


def drawn(text, storeys=1):
    """A field from a picture: `#` is a walkable column, a digit one of that area, `.` none; '/' ends a row."""
    rows = text.split("/")
    area = {"#": WALKABLE, **{str(i): i for i in range(10)}}
    columns = [[] if c == "." else [(10 * s, 9, area[c]) for s in range(storeys)] for row in rows for c in row]
    return field(len(rows[0]), len(rows), columns)


def random_field(rng: random.Random, width, depth, storeys=3, gap=0.2, areas=(WALKABLE,), unwalkable=0.1):
    """Storeys that touch, cross and hide one another."""
    steps = rng.choice([(0,), (0, 0, 0, 1), (0, 1, 2)])
    slope = [[rng.choice([-1, 0, 0, 1]) for _ in range(2)] for _ in range(storeys)]
    columns = []
    for z in range(depth):
        for x in range(width):
            floors = set()
            for s in range(storeys):
                if rng.random() >= gap:
                    y = 40 + 3 * s + slope[s][0] * x + slope[s][1] * z + rng.choice(steps)
                    floors.add(max(y, 0))
            heights = sorted(floors)
            column = []
            for y, above in zip(heights, [*heights[1:], 999][: len(heights)], strict=True):
                area = 0 if rng.random() < unwalkable else rng.choice(areas)
                column.append((y, min(above - y, 255), area))
            columns.append(column)
    return field(width, depth, columns, rng.choice([1, 2, 3]), rng.choice([1, 1, 2, 4]))


def flat(width, depth):
    return drawn("/".join(["#" * width] * depth))


def rows(compact, regions):
    """Region ids as text, `.` where there is no span. One storey, ids below ten; borders are a to d."""
    text, i = "", 0
    for c in range(compact.width * compact.depth):
        if c and c % compact.width == 0:
            text += "/"
        if compact.first[c] == compact.first[c + 1]:
            text += "."
        else:
            r = int(regions.region[i])
            text += "abcd"[(r & ~BORDER_REGION) - 1] if r & BORDER_REGION else str(r)
            i += 1
    return text
