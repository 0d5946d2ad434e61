"""Meadow mapping: pieces are convex, cover an island exactly and once, and know each other."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from navcore import BadInput, Cancelled, Progress, Settings, build_navmesh
from navcore.path_comparison.meadow import MAX_CORNERS, Meadow, MeadowStatus, divide_contours, divide_rings
from tests import scenes
from tests.navcore.path_comparison.islands import (
    Place,
    Ring,
    doubled_area,
    edges,
    is_convex,
    overlap,
    pieces_of,
    random_island,
)

L_SHAPE = [(0, 0), (4, 0), (4, 2), (2, 2), (2, 4), (0, 4)]
FRAME = [[(0, 0), (9, 0), (9, 9), (0, 9)], [(3, 3), (6, 3), (6, 6), (3, 6)]]


def divided(islands: list[list[Ring]], **more: Any) -> tuple[Meadow, list[Place]]:
    rings = [ring for island in islands for ring in island]
    places = [place for ring in rings for place in ring]
    ring_ends = np.cumsum([0, *map(len, rings)])
    return divide_rings(places, ring_ends, np.cumsum([0, *map(len, islands)]), **more), places


def test_the_example_of_one_reflex_corner() -> None:
    """Three corners are as near; only the split to corner 0 leaves no angle above 180°."""
    meadow, places = divided([[L_SHAPE]])
    assert [ids for ids, _ in pieces_of(meadow, places, 0)] == [[3, 4, 5, 0], [0, 1, 2, 3]]
    assert meadow.diagonals.tolist() == [[3, 0]] and meadow.status.tolist() == [MeadowStatus.DIVIDED]
    assert [doubled_area(ring) for _, ring in pieces_of(meadow, places, 0)] == [12, 12]
    assert meadow.neighbors.tolist() == [-1, -1, -1, 1, -1, -1, -1, 0]


def test_a_ring_in_the_other_direction_and_with_corners_that_are_none() -> None:
    given = [(0, 0), (0, 4), (2, 4), (2, 2), (4, 2), (4, 1), (4, 0), (4, 0), (2, 0), (1, 0)]
    meadow, places = divided([[given]])
    rings = [set(ring) for _, ring in pieces_of(meadow, places, 0)]
    assert sorted(map(sorted, rings)) == sorted([[(0, 0), (0, 4), (2, 2), (2, 4)], [(0, 0), (2, 2), (4, 0), (4, 2)]])


@pytest.mark.parametrize("first", range(0, 3000, 500))
def test_random_islands_are_covered_exactly(first: int) -> None:
    islands = [random_island(seed) for seed in range(first, first + 500)]
    meadow, places = divided(islands, vertices_per_polygon=6)
    assert (meadow.status == MeadowStatus.DIVIDED).all()
    assert sum(len(island) > 1 for island in islands) > 100 and len(meadow.diagonals) > 2000
    for number, island in enumerate(islands):
        pieces = pieces_of(meadow, places, number)
        holes = sum(abs(doubled_area(ring)) for ring in island[1:])
        assert sum(doubled_area(ring) for _, ring in pieces) == abs(doubled_area(island[0])) - holes
        assert all(is_convex(ring) and 3 <= len(ring) <= 6 for _, ring in pieces)
        assert not any(overlap(a, b) for (_, a), (_, b) in combinations(pieces, 2))


def test_neighbors_share_an_edge_and_every_island_is_one_piece_of_ground() -> None:
    islands = [random_island(seed) for seed in range(5000, 5300)]
    meadow, places = divided(islands, vertices_per_polygon=4)
    for number in range(len(islands)):
        pieces = pieces_of(meadow, places, number)
        first = int(meadow.pieces[number])
        rows = [meadow.neighbors[meadow.offsets[first + k] : meadow.offsets[first + k + 1]] for k in range(len(pieces))]
        for k, (_, ring) in enumerate(pieces):
            for (a, b), across in zip(edges(ring), rows[k].tolist(), strict=True):
                if across >= 0:
                    assert first + k in rows[across - first] and (b, a) in edges(pieces[across - first][1])
        seen, waiting = {0}, [0]
        while waiting:
            for across in rows[waiting.pop()].tolist():
                if across >= 0 and across - first not in seen:
                    seen.add(across - first)
                    waiting.append(across - first)
        assert seen == set(range(len(pieces)))
        shared = sum(int((row >= 0).sum()) for row in rows)
        diagonals = meadow.diagonal_offsets[number + 1] - meadow.diagonal_offsets[number]
        assert shared == 2 * (diagonals + len(islands[number]) - 1), "each diagonal and each bridge joins two pieces"


def test_a_frame_is_closed_over_its_bridge() -> None:
    """Around a hole each piece has two neighbors; one of these pairs meets at the bridge."""
    meadow, _ = divided([FRAME])
    assert [int((meadow.neighbors[a:b] >= 0).sum()) for a, b in zip(meadow.offsets, meadow.offsets[1:], strict=False)]
    assert (meadow.neighbors >= 0).sum() == 2 * (len(meadow.diagonals) + 1)
    assert len(meadow.given) == 10 and meadow.given[8:].tolist() == [4, 0], "the bridge doubles both its ends"


def test_pieces_have_so_many_corners_at_most() -> None:
    angles = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    disc = [(round(1000 * np.cos(a)), round(1000 * np.sin(a))) for a in angles]
    for most, pieces in ((3, 38), (6, 10), (12, 4), (40, 1)):
        meadow, places = divided([[disc]], vertices_per_polygon=most)
        rings = [ring for _, ring in pieces_of(meadow, places, 0)]
        assert len(rings) == pieces and max(map(len, rings)) <= most
        assert sum(map(doubled_area, rings)) == doubled_area(disc)


@pytest.mark.parametrize(
    ("island", "status"),
    [
        ([[(0, 0), (4, 0)]], "TOO_FEW_CORNERS"),
        ([[(0, 0), (4, 0), (8, 0)]], "TOO_FEW_CORNERS"),
        ([FRAME[0], [(3, 3), (6, 3), (3, 3)]], "TOO_FEW_CORNERS"),
        ([], "TOO_FEW_CORNERS"),
        ([FRAME[0], [(-3, 3), (-6, 3), (-6, 6)]], "HOLE_NOT_SEEN"),
        ([[(0, 0), (4, 4), (4, 0), (0, 3)]], "NOT_SIMPLE"),
        ([[(0, 0), (1 << 30, 0), (0, 1)]], "TOO_FAR"),
        ([[(k, k * k) for k in range(MAX_CORNERS + 1)]], "TOO_LARGE"),
    ],
)
def test_what_cannot_be_divided_says_why_and_harms_no_other(island: list[Ring], status: str) -> None:
    meadow, places = divided([[L_SHAPE], island, FRAME])
    assert [MeadowStatus(said).name for said in meadow.status] == ["DIVIDED", status, "DIVIDED"]
    assert meadow.pieces[1] == meadow.pieces[2] == 2
    frame = sum(doubled_area(ring) for _, ring in pieces_of(meadow, places, 2))
    assert frame == 2 * (81 - 9)


def test_a_spring_is_not_taken_for_a_piece() -> None:
    """It never turns right, and goes around twice: floors above each other."""
    spring = [(0, 0), (10, 0), (10, 10), (-1, 10), (-1, -1), (11, -1), (11, 11), (0, 11)]
    assert divided([[spring]])[0].status.tolist() == [MeadowStatus.NOT_SIMPLE]


def test_the_same_bytes_for_any_number_of_threads() -> None:
    islands = [random_island(seed) for seed in range(200)]
    one, three = (divided(islands, threads=threads)[0] for threads in (1, 3))
    assert all(a.tobytes() == b.tobytes() for a, b in zip(one, three, strict=True))


def test_cancelling() -> None:
    progress = Progress()
    progress.cancel()
    with pytest.raises(Cancelled):
        divided([FRAME], progress=progress)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (([[0.5, 0]], [0, 1]), "whole numbers"),
        (([[0, 0, 0]], [0, 1]), "whole numbers"),
        (([[0, 0]], [0, 2]), "end where the rows end"),
        (([[0, 0]], [1, 0]), "begin at 0"),
    ],
)
def test_what_is_refused(asked: tuple[Any, Any], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        divide_rings(*asked)
    with pytest.raises(BadInput, match="Give 3 or more"):
        divided([FRAME], vertices_per_polygon=2)


@pytest.mark.parametrize("partition", ["watershed", "monotone", "layers"])
def test_contours_of_a_build(partition: str) -> None:
    """Regions and their holes, which the build has bridged."""
    built = build_navmesh(*scenes.city(2, seed=4), Settings(partition=partition), keep_stages=True)
    contours = built.stages["contours"]
    meadow = divide_contours(contours)
    assert (meadow.status == MeadowStatus.DIVIDED).all() and len(meadow.status) > 3
    places = [(int(x), int(z)) for x, z in contours.points[:, [0, 2]]]
    used = [k for k in range(len(contours.first) - 1) if contours.first[k] < contours.first[k + 1]]
    for island, contour in enumerate(used):
        ring = places[contours.first[contour] : contours.first[contour + 1]]
        pieces = [piece for _, piece in pieces_of(meadow, places, island)]
        assert all(map(is_convex, pieces)) and sum(map(doubled_area, pieces)) == abs(doubled_area(ring))
