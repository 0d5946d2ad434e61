"""The picture of a difference: every cell under one face of its color, as few faces as can be, and what is said."""

from __future__ import annotations

import numpy as np
import pytest

from navcore import Settings, build_navmesh, navmesh_difference
from navcore.difference.compare import ADDED, MOVED, REMOVED, Difference
from navcore.difference.difference_picture import COLORS, difference_picture, value_at
from navcore.errors import Cancelled
from navcore.progress import Progress
from navcore.views.picture import Picture
from tests import scenes

FLAT = 1 / 6  # of a cell: how far a face may lie beside its ground


def difference(cells: list[tuple[int, int, float, int]], cell: float = 0.5) -> Difference:
    """Of cells (x, z, height, kind)."""
    rows = sorted(cells)
    kinds = np.array([row[3] for row in rows], np.uint8)
    square_metres = [float((kinds == kind).sum()) * cell**2 for kind in (ADDED, REMOVED, MOVED)]
    columns = np.array([row[:2] for row in rows], np.int64).reshape(-1, 2)
    return Difference(*square_metres, (), cell, columns, np.array([row[2] for row in rows], np.float64), kinds)


def block(x: int, z: int, width: int, depth: int, height: float, kind: int) -> list[tuple[int, int, float, int]]:
    return [(x + i, z + j, height, kind) for i in range(width) for j in range(depth)]


def check_covered(found: Difference, picture: Picture) -> None:
    """Each cell lies under exactly one face of its color at its height, and no face has room for more cells."""
    left: dict[tuple[int, int], list[tuple[float, int]]] = {}
    for (x, z), height, kind in zip(found.columns.tolist(), found.heights, found.kinds, strict=True):
        left.setdefault((x, z), []).append((height, kind))
    for corners, color in zip(picture.corners.astype(np.float64), picture.face_colors.tolist(), strict=True):
        low, high = corners.min(axis=0) / found.cell, corners.max(axis=0) / found.cell
        assert np.allclose([low[[0, 2]], high[[0, 2]]], np.round([low[[0, 2]], high[[0, 2]]]), atol=1e-3)
        (x0, z0), (x1, z1) = low[[0, 2]].round().astype(int), high[[0, 2]].round().astype(int)
        assert np.isclose(corners[0, 1] + corners[2, 1], corners[1, 1] + corners[3, 1], atol=1e-3), "it is no plane"
        along, across = corners[3] - corners[0], corners[1] - corners[0]
        for x in range(x0, x1):
            for z in range(z0, z1):
                u, v = (x + 0.5 - x0) / (x1 - x0), (z + 0.5 - z0) / (z1 - z0)
                height = corners[0, 1] + u * along[1] + v * across[1]
                here = left[x, z]
                fits = [
                    h for h, kind in here if list(COLORS[kind]) == color and abs(h - height) < FLAT * found.cell + 1e-3
                ]
                here.remove(next(pair for pair in here if fits and pair[0] == fits[0]))
    assert not any(left.values()), "cells without a face"


def test_a_rectangle_is_one_face() -> None:
    found = difference(block(-3, 2, 4, 5, 1.0, ADDED))
    picture = difference_picture(found)
    assert picture.corners.shape == (1, 4, 3) and picture.face_colors.tolist() == [list(COLORS[ADDED])]
    assert picture.corners[0].tolist() == [[-1.5, 1, 1], [-1.5, 1, 3.5], [0.5, 1, 3.5], [0.5, 1, 1]]
    check_covered(found, picture)


def test_a_slope_is_one_face_on_its_plane() -> None:
    cells = [(x, z, 0.3 * x - 0.2 * z, REMOVED) for x in range(6) for z in range(4)]
    found = difference(cells)
    picture = difference_picture(found)
    assert len(picture.corners) == 1
    low, high = picture.corners[0, 0], picture.corners[0, 2]
    assert low[1] == pytest.approx(-0.15 + 0.1) and high[1] == pytest.approx(0.3 * 5.5 - 0.2 * 3.5)


def test_floors_kinds_and_steps_are_faces_of_their_own() -> None:
    ground = block(0, 0, 6, 6, 0.0, REMOVED)
    cases = {
        "a floor above": (block(1, 1, 3, 3, 2.0, REMOVED), 2),
        "another kind": (block(6, 0, 6, 6, 0.0, MOVED), 2),
        "a step": (block(6, 0, 6, 6, 0.7, REMOVED), 2),
        "beside a gap": (block(8, 0, 2, 6, 0.0, REMOVED), 2),
    }
    for name, (more, count) in cases.items():
        found = difference([*ground, *more])
        picture = difference_picture(found)
        assert len(picture.corners) == count, name
        check_covered(found, picture)


@pytest.mark.parametrize("seed", range(6))
def test_random_cells_are_covered_once(seed: int) -> None:
    """Blobs on slopes and floors above each other, of every kind."""
    rng = np.random.default_rng(seed)
    cells = []
    for x in range(24):
        for z in range(24):
            for floor in range(3):
                if rng.random() < 0.8:
                    slope = 0.1 * x * (floor == 1) + (rng.random() if floor == 2 else 0)
                    cells.append((x, z, 4.0 * floor + slope, 1 + (x // 5 + z // 7 + floor) % 3))
    found = difference(cells)
    picture = difference_picture(found)
    check_covered(found, picture)
    assert len(picture.corners) < 0.75 * len(cells)


def test_built_levels_are_covered_once() -> None:
    built = [build_navmesh(*scenes.city(2, seed=seed), Settings()) for seed in (4, 5)]
    hills = [build_navmesh(*scenes.terrain(60, rise=rise), Settings()) for rise in (0.03, 0.06)]
    for before, after in (built, hills):
        found = navmesh_difference(before, after)
        picture = difference_picture(found)
        check_covered(found, picture)
        assert len(picture.corners) < len(found.kinds) / 3


def test_two_million_cells_stay_few_faces() -> None:
    side = 1420
    x, z = np.divmod(np.arange(side * side), side)
    found = Difference(
        0.0,
        side * side * 0.09,
        0.0,
        (),
        0.3,
        np.stack([x, z], axis=1),
        0.01 * x,
        np.full(side * side, REMOVED, np.uint8),
    )
    assert len(difference_picture(found).corners) == 1


def test_the_legend_counts_and_measures() -> None:
    found = difference([*block(0, 0, 2, 2, 0.0, ADDED), *block(5, 0, 4, 2, 0.0, MOVED)])
    legend = difference_picture(found).legend
    assert [row.count for row in legend] == [4, 0, 8]
    assert [row.label for row in legend] == ["Added 1.0 m²", "Removed 0.0 m²", "Moved 2.0 m²"]
    assert [row.color for row in legend] == [COLORS[ADDED], COLORS[REMOVED], COLORS[MOVED]]


def test_no_difference_is_said() -> None:
    navmesh = build_navmesh(*scenes.flat(6.0), Settings())
    picture = difference_picture(navmesh_difference(navmesh, navmesh))
    assert len(picture.corners) == 0 and picture.notes == ("No difference, looked at in cells of 0.3 m",)


def test_the_value_at_a_place() -> None:
    found = difference([*block(0, 0, 2, 2, 0.0, ADDED), *block(0, 0, 2, 2, 3.0, REMOVED)])
    assert value_at(found, (0.3, 0.4, 0.3)) == "Added, at a height of 0.00 m"
    assert value_at(found, (0.3, 2.0, 0.3)) == "Removed, at a height of 3.00 m"
    assert value_at(found, (1.3, 0.0, 0.3)) == value_at(found, (-0.1, 0.0, 0.3)) == ""


def test_it_can_be_cancelled() -> None:
    navmesh, progress = build_navmesh(*scenes.flat(6.0), Settings()), Progress()
    progress.cancel()
    with pytest.raises(Cancelled):
        navmesh_difference(navmesh, navmesh, progress=progress)
