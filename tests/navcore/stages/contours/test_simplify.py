"""Stage 8, simplifying: the farthest point of long outlines, rounding, and cancelling on the way."""

from __future__ import annotations

import time
from threading import Thread

import numpy as np
import pytest

from navcore.errors import Cancelled
from navcore.progress import Progress
from navcore.stages.contours.holes import merge_holes
from navcore.stages.contours.simplify import cover_blocks, distance2, farthest, simplify_all
from navcore.stages.contours.trace import trace_outlines
from navcore.threads import Workers
from navcore.types import Regions

from .flat_worlds import HOLE, SQUARE, build, contours_of, flat, ring


def test_distances_are_rounded_to_float32_at_every_step() -> None:
    """T2-1.5: not 1/53."""
    assert np.float32(distance2(0, 0, 7, 2, 3, 1)) == np.float32(0.018867917)
    assert np.float32(0.018867917) != np.float32(1 / 53)


def long_outline(shape: str) -> np.ndarray:
    """Points of an outline above 1,024 points, where blocks of points are skipped. A comb has many ties."""
    mask = np.zeros((60, 41), bool)
    mask[0] = mask[:, ::2] = True
    if shape == "noise":
        mask = np.random.default_rng(8).random((140, 140)) < 0.66
    contours = build(flat(mask), error=0)
    k = int(np.diff(contours.raw_first).argmax())
    return contours.raw[contours.raw_first[k] : contours.raw_first[k + 1]]


@pytest.mark.parametrize("far", [0, 30000])
@pytest.mark.parametrize("shape", ["comb", "noise"])
def test_the_farthest_point_of_a_long_outline_is_the_first_of_the_farthest(shape: str, far: int) -> None:
    walked = long_outline(shape) + np.array([far, 0, far, 0], np.int32)
    n = len(walked)
    assert n > 1024
    circles = np.empty((n // 64 + 1, 3))
    cover_blocks(walked, circles)
    rng = np.random.default_rng(0)
    for _ in range(150):
        a, b = (int(i) for i in rng.integers(0, n, 2))
        limit = np.float32(rng.choice([0, 0.49, 1.69, 100, 2000]))
        ax, _, az, _ = walked[a].tolist()
        bx, _, bz, _ = walked[b].tolist()
        upward = bx > ax or (bx == ax and bz > az)
        between = [(a + k) % n for k in range(1, ((b - a) % n or n))]
        most, expected = limit, -1
        for k in between if upward else between[::-1]:
            ends = (ax, az, bx, bz) if upward else (bx, bz, ax, az)
            distance = np.float32(distance2(*ends, walked[k, 0], walked[k, 2]))
            if distance > most:
                most, expected = distance, k
        assert farthest(walked, circles, a, b, limit) == expected


def test_the_cancel_flag_is_seen_inside_one_long_outline() -> None:
    """The kernel is in the middle of a comb when the flag is raised; a finished outline would have corners."""
    mask = np.zeros((1000, 1001), bool)
    mask[0] = mask[:, ::2] = True
    compact = flat(mask)
    with Workers(1) as workers:
        outlines = trace_outlines(compact, Regions(np.ones(compact.floor.shape, np.uint16), 1), workers)
    kept, counts, cancelled = np.empty(len(outlines.points), np.int32), np.zeros(1, np.int32), np.zeros(1, np.uint8)
    job = (outlines, np.float32(1), (0, True, False), kept, counts, cancelled)
    simplify_all(*job, 0, 0)  # compiles
    thread = Thread(target=simplify_all, args=(*job, 0, 1))
    thread.start()
    time.sleep(0.005)
    cancelled[0] = 1
    thread.join()
    assert counts[0] == 0
    simplify_all(*job[:-1], np.zeros(1, np.uint8), 0, 1)
    assert counts[0] > 1000


def test_cancelling_stops_the_walk_and_the_bridges() -> None:
    progress = Progress()
    compact = flat(ring(6, 2, 4))
    progress.cancel()
    with Workers(1, progress) as workers:
        with pytest.raises(Cancelled):
            trace_outlines(compact, Regions(np.ones(compact.floor.shape, np.uint16), 1), workers)
        with pytest.raises(Cancelled):
            merge_holes(contours_of((1, SQUARE), (1, HOLE)), workers)
