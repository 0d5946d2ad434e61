"""Stage 8 on random fields and links, against its plain-Python twin."""

from __future__ import annotations

import numpy as np
import pytest

from navcore.build_warning import BuildWarning
from navcore.stages.contours.trace import trace_outlines
from navcore.threads import Workers
from navcore.types import BORDER_REGION, WALKABLE, CompactHeightfield, Contours, Regions

from . import contours_twin as twin
from .flat_worlds import build, flat

ARRAYS = Contours._fields


def assert_as_twin(
    compact: CompactHeightfield, region: np.ndarray, error: float, length: int, walls: bool, areas: bool
) -> dict:
    notes: list[BuildWarning] = []
    ours = build(compact, region, error, length, walls, areas, notes=notes)
    theirs, log = twin.contours(compact, region, error, length, walls, areas)
    assert ours.region.tolist() == [c.region for c in theirs]
    assert ours.area.tolist() == [c.area for c in theirs]
    assert np.diff(ours.raw_first).tolist() == [len(c.raw) for c in theirs]
    assert list(map(tuple, ours.raw.tolist())) == [p for c in theirs for p in c.raw]
    assert np.diff(ours.first).tolist() == [len(c.points) for c in theirs]
    assert list(map(tuple, ours.points.tolist())) == [p for c in theirs for p in c.points]
    assert len(notes) == sum(n > 0 for n in log.values())
    return log


def random_field(rng: np.random.Generator, size: int) -> tuple[CompactHeightfield, np.ndarray]:
    """A field with holes, patches of areas and regions (some of them in several pieces), uneven floors."""
    mask = rng.random((size, size)) < rng.choice([0.7, 0.85, 0.95])
    patch = int(rng.integers(2, size))
    blocks = (np.arange(size) // patch)[:, None] * size + (np.arange(size) // patch)[None, :]
    area = rng.choice([63, 63, 1], size * size).astype(np.uint8)[blocks]
    region = rng.integers(0, rng.integers(2, 6), size * size).astype(np.uint16)[blocks]
    region[:, : rng.integers(0, 3)] = BORDER_REGION | 1
    region[: rng.integers(0, 3)] = BORDER_REGION | 2
    return flat(mask, area, rng.integers(1, 4, (size, size))), region[mask]


@pytest.mark.parametrize("seed", range(40))
def test_random_fields_are_as_the_twins(seed: int) -> None:
    rng = np.random.default_rng(seed)
    compact, region = random_field(rng, int(rng.integers(3, 22)))
    for error, length, walls, areas in (
        (1.3, 0, True, False),
        (0.3, 3, True, True),
        (3.0, 4, False, True),
        (0, 2, True, False),
    ):
        assert_as_twin(compact, region, error, length, walls, areas)


@pytest.mark.parametrize("seed", range(25))
def test_many_holes_in_one_region_are_as_the_twins(seed: int) -> None:
    rng = np.random.default_rng(seed + 100)
    size = int(rng.integers(8, 40))
    mask = np.ones((size, size), bool)
    mask[1:-1, 1:-1] = rng.random((size - 2, size - 2)) < rng.choice([0.75, 0.9, 0.95])
    for _ in range(rng.integers(0, 12)):
        x, z = rng.integers(1, size - 3, 2)
        mask[z : z + rng.integers(1, 4), x : x + rng.integers(1, 4)] = False
    compact = flat(mask)
    region = np.full(compact.floor.shape, 1, np.uint16)
    for error in (0.5, 1.3):
        assert_as_twin(compact, region, error, 0, True, False)


def test_links_that_are_not_mutual_are_as_the_twins() -> None:
    """Two storeys with random links: walks end where there is no link, or turn for ever without a new point."""
    trapped = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        width, depth = (int(n) for n in rng.integers(2, 7, 2))
        spans = 2 * width * depth
        column = np.arange(spans) // 2
        neighbors = np.full((spans, 4), -1, np.int32)
        for d in range(4):
            x, z = column % width + twin.DX[d], column // width + twin.DZ[d]
            inside = (x >= 0) & (x < width) & (z >= 0) & (z < depth) & (rng.random(spans) < 0.95)
            neighbors[inside, d] = (2 * (x + z * width) + rng.integers(0, 2, spans))[inside]
        floor = rng.integers(0, 50, spans).astype(np.uint16)
        compact = CompactHeightfield(
            width, depth, np.arange(0, spans + 1, 2, dtype=np.int32), floor, floor.astype(np.uint8), neighbors,
            np.full(spans, WALKABLE, np.uint8),
        )  # fmt: skip
        region = rng.integers(1, 3, spans).astype(np.uint16)
        with Workers(1) as workers:
            outlines = trace_outlines(compact, Regions(region, 2), workers)
        steps: list[int] = []
        expected = twin.walks(compact, region, 2000, steps)
        assert np.diff(outlines.first).tolist() == [len(raw) for raw, _ in expected]
        assert list(map(tuple, outlines.points.tolist())) == [p for raw, _ in expected for p in raw]
        trapped += steps.count(1999)
    assert trapped > 10


@pytest.mark.parametrize(("size", "threads"), [(60, 2), (900, 2), (900, 3), (900, 8)])
def test_bytes_do_not_depend_on_threads(size: int, threads: int) -> None:
    rng = np.random.default_rng(5)
    mask = rng.random((size, size)) < 0.93
    region = (1 + np.arange(size)[:, None] // 30 * 30 + np.arange(size)[None, :] // 30).astype(np.uint16)
    compact = flat(mask, rng.choice([63, 1], (size, size), p=[0.9, 0.1]))
    one, many = (build(compact, region[mask], 1.3, 12, True, True, threads=n) for n in (1, threads))
    assert len(one.region) > size**2 // 900
    for name in ARRAYS:
        assert getattr(one, name).tobytes() == getattr(many, name).tobytes(), name
