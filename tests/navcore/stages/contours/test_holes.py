"""Stage 8, holes: bridges to the outline, by worked examples and as the twin finds them."""

from __future__ import annotations

import zlib

import numpy as np
import pytest

from navcore.build_warning import BuildWarning
from navcore.stages.contours.bridges import clear_ranking, empty_ranking, next_keys, rank_anew, ranked
from navcore.stages.contours.holes import WrongHoles, merge_holes
from navcore.threads import Workers
from navcore.types import WALKABLE

from . import contours_twin as twin
from .flat_worlds import ELSEWHERE, HOLE, SQUARE, build, contours_of, corners, flat, ring, walked


def test_a_hole_is_joined_by_a_bridge() -> None:
    """T2-1.2."""
    contours = build(flat(ring(6, 2, 4)))
    assert len(walked(contours, 0)) == 24
    assert walked(contours, 0)[0] == (0, 1)
    assert walked(contours, 1) == [(3, 2), (4, 2), (4, 3), (4, 4), (3, 4), (2, 4), (2, 3), (2, 2)]
    assert corners(contours, 0) == [(0, 0), (0, 6), (6, 6), (6, 0), (0, 0), (2, 2), (4, 2), (4, 4), (2, 4), (2, 2)]
    assert corners(contours, 1) == []


def test_a_hole_of_one_cell_counts_as_an_outline() -> None:
    """T2-1.3: half of −1 is rounded toward zero."""
    notes: list[BuildWarning] = []
    contours = build(flat(ring(3, 1, 2)), error=0.5, notes=notes)
    assert corners(contours, 0) == [(0, 0), (0, 3), (3, 3), (3, 0)]
    assert corners(contours, 1) == [(1, 1), (2, 1), (2, 2), (1, 2)]
    assert notes == []
    assert len(build(flat(ring(3, 1, 2)), error=1.3).region) == 1


APPENDIX_A = """\
###.##.##.###########.#.......
.#.########.#.####.#####...#.#
##.###########.##.############
#.###..######..###..#.###.#...
#.###..###..#####....######..#
#.###.###.#######.#..###.#####
#####.#####.#.##############..
##.#..####..###.##.#######..##
#####.######..#######.#####.#.
#####.#####.###.#####..####.#.
.###.###.#.####....####..#..##
#..#######.#....#.#.###.######
##.#.#.##.#####.#####..######.
.#.#...#..#.##.####.###.#..###
##.##.##..###.####.####.#####.
##.#.######.#..#..#.#########.
#.#..#.####.################..
####.##..####.#..###...##...##
.#.#.#.#.######..##.#.#.#####.
#..#.####.#.#######.###.####..
#.####...#.##...#.#...#######.
####.##.##....#.##.#######.#..
#.#.#.###.#############.####..
######.####.######.##.##.##.##
###.##.####.###..#...##.####.#
###.#...#.#.##.##.####.#######
.#######.##..###.####....##..#
########.##...########.#######
..###.####.#.##..#######.#.###
###..#######.....#####....##.#
"""


def appendix_mask() -> np.ndarray:
    return np.array([[c == "#" for c in line] for line in APPENDIX_A.splitlines()])


def test_the_skip_index_of_a_bridge_is_the_holes_number() -> None:
    """T2-1.6: with the index that is evidently meant the checksum would be 0xa9ca4f19."""
    contours = build(flat(appendix_mask()))
    assert contours.first[1] == 169
    assert contours.first[-1] == 169
    assert zlib.crc32(contours.points[:, [0, 2]].astype("<i4").tobytes()) == 0xEF3C2C7D


def test_what_cannot_be_joined_is_left_and_noted() -> None:
    notes: list[WrongHoles] = []
    with Workers(1) as workers:
        alone = contours_of((1, SQUARE), (2, HOLE))
        assert merge_holes(alone, workers, notes).points.tobytes() == alone.points.tobytes()
        assert [(note.said.split()[:2], note.contour) for note in notes] == [(["1", "hole"], 1)]
        notes.clear()
        several = merge_holes(contours_of((1, ELSEWHERE), (1, SQUARE), (1, HOLE)), workers, notes)
        assert np.diff(several.first).tolist() == [4, 10, 0]
        assert [(note.said.split()[:2], note.contour) for note in notes] == [(["1", "region"], 0)]
        notes.clear()
        within = [(4, 4), (6, 4), (6, 5), (4, 5)]  # sees nothing but the hole around it, from behind
        stuck = merge_holes(contours_of((1, SQUARE), (1, within), (1, HOLE)), workers, notes)
        assert np.diff(stuck.first).tolist() == [10, 4, 0]
        assert [(note.said.split()[:2], note.contour) for note in notes] == [(["1", "hole"], 1)]


def random_rings(rng: np.random.Generator) -> list[tuple[int, list[tuple[int, int]]]]:
    """A square with many holes, crossing each other, some edges of length zero: harder than anything that is walked."""
    size = int(rng.integers(6, 40))
    square = [(0, 0), (0, size), (size, size), (size, 0)]
    rings = [(1, square)]
    for _ in range(rng.integers(1, 14)):
        low = rng.integers(0, size, 2)
        corners = [tuple(p) for p in (low + rng.integers(0, 6, (rng.integers(3, 6), 2))).tolist()]
        rings.append((1, corners if twin._winding([(x, 0, z, 0) for x, z in corners]) < 0 else corners[::-1]))
    if rng.random() < 0.3:
        _, ring = rings[rng.integers(0, len(rings))]
        at = int(rng.integers(0, len(ring)))
        ring.insert(at, ring[at])
    return rings


def test_random_rings_are_joined_as_by_the_twin() -> None:
    stuck = 0
    with Workers(1) as workers:
        for seed in range(400):
            rings = random_rings(np.random.default_rng(seed))
            contours = merge_holes(contours_of(*rings), workers)
            expected = [twin.Contour([], [(x, 0, z, 0) for x, z in ring], region, WALKABLE) for region, ring in rings]
            stuck += twin.merge_holes(expected)["stuck"]
            assert np.diff(contours.first).tolist() == [len(c.points) for c in expected], seed
            assert list(map(tuple, contours.points.tolist())) == [p for c in expected for p in c.points], seed
    assert stuck > 400


@pytest.mark.parametrize("seed", range(30))
def test_a_ranking_answers_like_sorted_lists_laid_over_each_other(seed: int) -> None:
    rng = np.random.default_rng(seed)
    capacity = int(rng.integers(1, 120))
    ranking, numbers_by_rank = empty_ranking(capacity), []
    for round_number in range(60):
        if round_number % 20 == 0:
            asked = int(rng.integers(1, capacity + 1))
            clear_ranking(ranking, asked)
            numbers_by_rank = []
        count = int(rng.integers(0, capacity + 1))
        numbers = np.sort(rng.choice(capacity, count, replace=False))
        distances = rng.integers(0, 9, count)
        keys = distances * capacity + numbers
        next_keys(ranking)[:count] = keys
        rank_anew(ranking, count, int(keys.argmin()) if count else 0)
        pairs = sorted(zip(distances, numbers, strict=True), key=lambda pair: pair[0])
        numbers_by_rank[:count] = [int(number) for _, number in pairs]
        for rank in rng.integers(0, max(asked, count), rng.integers(0, 6)):
            expected = numbers_by_rank[rank] if rank < len(numbers_by_rank) else -1
            assert ranked(ranking, rank) == expected
