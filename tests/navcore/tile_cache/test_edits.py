"""What somebody changed by hand, in a tile cache: applied as in a build, or refused by a sentence."""

from __future__ import annotations

from typing import Any

import pytest

from navcore import BadInput, LevelSource, NavmeshEdits, NavQuery, TileCache, build_navmesh, find_islands
from tests.navcore.tile_cache.cache_levels import PLAIN, SETTINGS

SQUARE: dict[str, Any] = {"outline": [[8, 8], [16, 8], [16, 16], [8, 16]], "min_height": -1, "max_height": 1}
STRIP = {"vertices": [[23.5, 0, 8], [23.5, 0, 12], [30, 0, 12], [30, 0, 8]], "faces": [[0, 1, 2, 3]]}


def level(edits: NavmeshEdits | None) -> LevelSource:
    return LevelSource(*PLAIN, edits=edits, bounds=(0, -1, 0, 32, 3, 24))


@pytest.mark.parametrize(
    ("edits", "on"),
    [
        (NavmeshEdits(block=[{**SQUARE, "name": "Hole"}]), [0, 1, 0]), (NavmeshEdits(patch=[STRIP]), [1, 1, 1]),
        (NavmeshEdits(area=[{**SQUARE, "area": 2}]), [1, 1, 0]), (None, [1, 1, 0]),
    ],
)  # fmt: skip
def test_edits_mark_ground_as_in_a_build(edits: NavmeshEdits | None, on: list[int]) -> None:
    cache, built = TileCache(level(edits), None, SETTINGS, threads=1), build_navmesh(level(edits), settings=SETTINGS)
    points = [[12, 0, 12], [4, 0, 4], [27, 0, 10]]
    found = []
    for navmesh in (cache.navmesh, built):
        query = NavQuery(navmesh)
        near = query.nearest(points, extents=(0.01, 1, 0.01))
        assert (near.over != 0).tolist() == [place == 1 for place in on]
        found.append(
            (query.areas(query.references()).max(), navmesh.report.edits, [w.code for w in navmesh.report.warnings])
        )
    assert found[0] == found[1] and cache.warnings == built.report.warnings
    # What is drawn on one layer stays when obstacles come and go.
    cache.remove(cache.add_cylinder((12, 0, 7), 1, 1))
    cache.update()
    near = NavQuery(cache.navmesh).nearest(points, extents=(0.01, 1, 0.01))
    assert (near.over != 0).tolist() == [place == 1 for place in on]


def test_edits_without_ground_are_told_and_places_to_keep_need_nothing() -> None:
    far = {**SQUARE, "outline": [[90, 90], [99, 90], [99, 99]], "name": "Far"}
    cache = TileCache(level(NavmeshEdits(block=[far], keep=[{"at": [2, 0, 2]}])), None, SETTINGS, threads=1)
    assert [(warning.code, warning.name) for warning in cache.warnings] == [("EDIT_UNUSED", "Far")]
    assert len(find_islands(cache.navmesh).square_metres) == 1


def test_dropped_islands_are_refused_with_the_way_out() -> None:
    edits = NavmeshEdits(drops=[{"kind": "drop", "at": [2, 0, 2], "m2": 3.0}])
    with pytest.raises(BadInput, match=r"Leave out the drops, and block"):
        TileCache(level(edits), None, SETTINGS, threads=1)
