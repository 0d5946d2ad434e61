"""Stage 8: worked examples of the specification, properties and edge cases."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from navcore.types import AREA_BORDER, BORDER_VERTEX

from .flat_worlds import build, corners, flat, walked

L_SHAPE = np.array([[1, 1, 1, 1], [1, 1, 0, 0], [1, 1, 0, 0]])


@pytest.mark.parametrize(
    ("error", "expected"),
    [(1.3, [(0, 0), (0, 3), (4, 1)]), (0.7, [(0, 0), (0, 3), (2, 3), (2, 1), (4, 1), (4, 0)])],
)
def test_l_shape(error: float, expected: list[tuple[int, int]]) -> None:
    """T2-1.1."""
    contours = build(flat(L_SHAPE), error=error)
    raw = [
        (0, 1), (0, 2), (0, 3), (1, 3), (2, 3), (2, 2), (2, 1), (3, 1), (4, 1), (4, 0), (3, 0), (2, 0), (1, 0), (0, 0),
    ]  # fmt: skip
    assert walked(contours, 0) == raw
    assert set(contours.raw[:, 1]) == {1}
    assert set(contours.raw[:, 3]) == {0}
    assert corners(contours, 0) == expected
    assert contours.region.tolist() == [1]
    assert contours.area.tolist() == [63]


def test_a_tile_with_a_border() -> None:
    """T2-1.4."""
    mask, region = np.zeros((14, 14), bool), np.zeros((14, 14), np.uint16)
    mask[3:, 3:] = True
    mask[6:8, 6:8] = False
    region[3:6], region[8:11] = 5, 8
    region[6:8, :6], region[6:8, 8:] = 6, 7
    region[:, 11:], region[11:, :] = 0x8002, 0x8004
    contours = build(flat(mask), region[mask], border=3)
    edge = [[x, 0, 0] for x in range(7, -1, -1)]
    assert contours.raw[: contours.raw_first[1], [0, 2, 3]].tolist() == [
        [0, 1, 0], [0, 2, 0], [0, 3, 0], [1, 3, 6], [2, 3, 6], [3, 3, 6], [4, 3, 0], [5, 3, 0], [6, 3, 7], [7, 3, 7],
        [8, 3, 0x10007], [8, 2, 0x18002], [8, 1, 0x18002], [8, 0, 0x8002], *edge,
    ]  # fmt: skip
    assert contours.points[: contours.first[1], [0, 2, 3]].tolist() == [
        [0, 3, 6], [3, 3, 0], [5, 3, 7], [8, 3, 0x18002], [8, 0, 0], [0, 0, 0],
    ]  # fmt: skip
    assert contours.region.tolist()[3] == 8
    assert contours.points[contours.first[3] : contours.first[4], [0, 2, 3]].tolist() == [
        [0, 8, 0x8004], [8, 8, 0x8002], [8, 5, 0x10007], [5, 5, 0], [3, 5, 6], [0, 5, 0],
    ]  # fmt: skip


def test_a_comb_of_more_than_40000_steps_is_one_contour() -> None:
    """Recast cuts it in two and leaves a crack; the deviation is wanted."""
    mask = np.zeros((402, 401), bool)
    mask[0] = True
    mask[:, ::2] = True
    contours = build(flat(mask), error=0.5)
    assert len(contours.region) == 1
    ring = walked(contours, 0)
    # Teeth, their ends and what is between, the two ends of row 0.
    assert len(ring) == 201 * 401 * 2 + 2 * 401 + 2 > 40000
    assert all(abs(ax - bx) + abs(az - bz) == 1 for (ax, az), (bx, bz) in pairwise([*ring, ring[0]]))
    assert len(corners(contours, 0)) == 201 * 4


def test_walks_are_closed_and_shared_edges_are_simplified_alike() -> None:
    mask = np.ones((60, 60), bool)
    mask[20:24, 3:10] = mask[40:43, 48:52] = False
    wave = np.arange(60)[None, :] + (6 * np.sin(np.arange(60) / 5)[:, None]).astype(int)
    region = np.where(wave < 30, 1, 2).astype(np.uint16)
    contours = build(flat(mask, np.where(wave < 30, 63, 2)), region[mask], areas=True, length=8)
    for k in range(len(contours.region)):
        ring = walked(contours, k)
        assert all(abs(ax - bx) + abs(az - bz) == 1 for (ax, az), (bx, bz) in pairwise([*ring, ring[0]]))
    shared: list[set] = [set(), set()]
    for k, region_id in enumerate(contours.region):
        points = contours.points[contours.first[k] : contours.first[k + 1]].tolist()
        for a, b in pairwise([*points, *points[:1]]):
            if a[3] & 0xFFFF == 3 - region_id:
                shared[region_id - 1].add(frozenset([(a[0], a[2]), (b[0], b[2])]))
    assert len(shared[0]) > 5
    assert shared[0] == shared[1]


def test_a_walk_takes_the_area_of_its_first_span() -> None:
    contours = build(flat(np.ones((1, 5)), np.array([[7, 7, 7, 7, 9]])), np.array([1, 1, 1, 2, 2]), error=0)
    assert contours.area.tolist() == [7, 7]
    links = contours.raw[contours.raw_first[1] : contours.raw_first[2], 3]
    assert AREA_BORDER not in (links & AREA_BORDER)  # both spans across it have area 7
    assert 1 in links


def test_corner_height_is_the_highest_of_the_floors_around() -> None:
    contours = build(flat(np.ones((2, 2)), floor=np.array([[1, 2], [3, 9]])), np.array([1, 2, 1, 2]), error=0)
    height = {(x, z): y for x, y, z, _ in contours.raw[: contours.raw_first[1]].tolist()}
    assert height == {(0, 0): 1, (0, 1): 3, (0, 2): 3, (1, 2): 9, (1, 1): 9, (1, 0): 2}


@pytest.mark.parametrize("mask", [np.zeros((4, 4)), np.eye(4), np.ones((1, 1))])
def test_nothing_and_regions_of_one_cell_give_no_contour(mask: np.ndarray) -> None:
    compact = flat(mask)
    contours = build(compact, np.arange(1, compact.floor.shape[0] + 1))
    assert contours.first.tolist() == contours.raw_first.tolist() == [0]
    assert contours.points.shape == contours.raw.shape == (0, 4)
    assert contours.region.dtype == np.uint16
    assert contours.area.dtype == np.uint8


def test_an_outline_of_two_corners_vanishes_and_others_move_up() -> None:
    mask = np.zeros((9, 9))
    mask[0, :2] = mask[3:8, 3:8] = 1
    contours = build(flat(mask))
    assert len(contours.region) == 1
    assert walked(contours, 0)[0] == (3, 4)
    assert corners(contours, 0) == [(3, 3), (3, 8), (8, 8), (8, 3)]


def test_border_vertices_need_ground_of_one_area_inside() -> None:
    region = np.array([[0x8001] * 4, [1, 1, 2, 2], [1, 1, 2, 2]])
    same = build(flat(np.ones((3, 4))), region.ravel(), error=0)
    other = build(flat(np.ones((3, 4)), np.array([[63] * 4, [63, 63, 2, 2], [63, 63, 2, 2]])), region.ravel(), error=0)
    assert (2, 1) in {(x, z) for x, _, z, link in same.points.tolist() if link & BORDER_VERTEX}
    assert (2, 1) not in {(x, z) for x, _, z, link in other.points.tolist() if link & BORDER_VERTEX}
