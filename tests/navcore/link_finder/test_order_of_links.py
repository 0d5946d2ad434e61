"""The order in which links are kept: by tile, kind and place."""

from __future__ import annotations

import numpy as np
import pytest

from navcore import Settings, WideLink
from navcore.geometry.tile_key import TileKey
from navcore.link_finder import finished_links
from navcore.link_finder.finished_links import MadeLinks, in_order
from navcore.link_finder.wide import CHAIN, COLUMNS, CORNERS, KIND


@pytest.mark.parametrize("seed", range(30))
def test_rows_are_sorted_and_equal_ones_stay_in_order(seed: int) -> None:
    dice = np.random.default_rng(seed)
    count = int(dice.choice([0, 1, 2, 3, 8, 33, 200]))
    links = dice.integers(-2, 2, (count, COLUMNS)) / dice.choice([1, 64, 100])
    links[:, KIND] = dice.integers(0, 3, count)
    places = dice.permutation([(x, y, layer) for x in range(2) for y in range(3) for layer in range(2)])
    owners = dice.integers(0, int(dice.choice([1, 12])), count).astype(np.int32)
    corners = np.round(links[:, CORNERS:CHAIN] * 64)
    expected = np.lexsort([*corners.T[::-1], links[:, KIND], *places[owners].T])
    assert in_order(links, owners, places).tolist() == expected.tolist()


Rows = dict[TileKey, np.ndarray[tuple[int, int], np.dtype[np.float64]]]


def some_rows(dice: np.random.Generator) -> Rows:
    """Links of some tiles, many of them the same: then they ask for the same id."""
    corners = dice.integers(0, 2, (3, CHAIN - CORNERS)) * 3.0
    rows: Rows = {}
    for x in range(int(dice.integers(1, 6))):
        own = np.zeros((int(dice.integers(1, 5)), COLUMNS))
        own[:, CORNERS:CHAIN] = corners[dice.integers(0, len(corners), len(own))]
        rows[TileKey(x, 0)] = own
    return rows


def finished(
    rows: Rows, own: list[bool], taken: set[int], before: MadeLinks | None
) -> tuple[list[WideLink], MadeLinks]:
    origin = np.array([0.25, -1, 3])
    return finished_links.finished_links(rows, np.array(own), origin, Settings(), taken, before)


@pytest.mark.parametrize("seed", range(40))
def test_links_that_are_taken_over_are_those_that_are_made_anew(seed: int) -> None:
    """Of tiles as they were, of tiles found once more, and of tiles with other links; ids come and go as well."""
    dice, before, doubles = np.random.default_rng(seed), None, 0
    rows, ids = some_rows(dice), [0]
    for _ in range(6):
        own = (dice.random(sum(map(len, rows.values()))) < 0.8).tolist()
        taken = set(dice.choice(ids, 2).tolist())
        links, before = finished(rows, own, taken, before)
        anew, _ = finished(rows, own, taken, None)
        assert links == anew and len({wide.id for wide in links} | taken) == len(links) + len(taken)
        again, _ = finished(rows, own, taken, before)
        assert all(one is other for one, other in zip(links, again, strict=True))
        doubles += len(links) - len({wide.corners for wide in links})
        ids = [wide.id for wide in links] or ids
        place = TileKey(int(dice.integers(0, 6)), 0)
        rows = {
            **rows,
            place: rows[place].copy()
            if place in rows and dice.random() < 0.5
            else next(iter(some_rows(dice).values())),
        }
        rows = {key: rows[key] for key in sorted(rows)}
    assert doubles
