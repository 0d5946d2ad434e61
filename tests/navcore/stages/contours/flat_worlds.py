"""One storey worlds, their contours, and rings without any world, for tests of contours."""

from __future__ import annotations

import numpy as np

from navcore.build_warning import BuildWarning
from navcore.stages.contours import build_contours, splitting_of
from navcore.threads import Workers
from navcore.types import BORDER_REGION, WALKABLE, CompactHeightfield, Contours, Grid, Regions

SQUARE = [(0, 0), (0, 9), (9, 9), (9, 0)]
HOLE = [(3, 3), (7, 3), (7, 6), (3, 6)]
ELSEWHERE = [(20, 0), (20, 5), (25, 5), (25, 0)]


def flat(mask: np.ndarray, area: np.ndarray | int = WALKABLE, floor: np.ndarray | int = 1) -> CompactHeightfield:
    """One storey: a span in each cell of `mask` (depth, width), linked to its four neighbors."""
    mask = np.asarray(mask, bool)
    depth, width = mask.shape
    number = np.where(mask, np.cumsum(mask).reshape(mask.shape) - 1, -1)
    padded = np.pad(number, 1, constant_values=-1)
    around = np.stack([padded[1:-1, :-2], padded[2:, 1:-1], padded[1:-1, 2:], padded[:-2, 1:-1]], axis=-1)
    first = np.concatenate([[0], np.cumsum(mask)]).astype(np.int32)
    floors = np.broadcast_to(floor, mask.shape)[mask].astype(np.uint16)
    areas = np.broadcast_to(area, mask.shape)[mask].astype(np.uint8)
    clearance = np.full(len(floors), 255, np.uint8)
    return CompactHeightfield(width, depth, first, floors, clearance, around[mask].astype(np.int32), areas)


def build(
    compact: CompactHeightfield, region: np.ndarray | int = 1, error: float = 1.3, length: int = 0, walls: bool = True,
    areas: bool = False, border: int = 0, threads: int = 1, notes: list[BuildWarning] | None = None,
) -> Contours:  # fmt: skip
    region = np.broadcast_to(np.asarray(region, np.uint16), compact.floor.shape).copy()
    zero = np.zeros(3, np.float32)
    grid = Grid(compact.width, compact.depth, border, zero, zero, np.float32(1), np.float32(1))
    regions = Regions(region, int(region[region < BORDER_REGION].max(initial=0)))
    with Workers(threads) as workers:
        return build_contours(
            grid, compact, regions, np.float32(error), splitting_of(length, walls, areas), workers, notes
        )


def corners(contours: Contours, k: int) -> list[tuple[int, int]]:
    return [(x, z) for x, _, z, _ in contours.points[contours.first[k] : contours.first[k + 1]].tolist()]


def walked(contours: Contours, k: int) -> list[tuple[int, int]]:
    return [(x, z) for x, _, z, _ in contours.raw[contours.raw_first[k] : contours.raw_first[k + 1]].tolist()]


def ring(size: int, low: int, high: int) -> np.ndarray:
    mask = np.ones((size, size), bool)
    mask[low:high, low:high] = False
    return mask


def contours_of(*rings: tuple[int, list[tuple[int, int]]]) -> Contours:
    first = np.cumsum([0, *(len(r) for _, r in rings)]).astype(np.int32)
    points = np.array([(x, 0, z, 0) for _, r in rings for x, z in r], np.int32)
    region = np.array([n for n, _ in rings], np.uint16)
    return Contours(first, points, first, points, region, np.full(len(rings), WALKABLE, np.uint8))
