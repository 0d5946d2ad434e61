"""What can be reached, and islands: against a flood polygon by polygon, with filters and links."""

from __future__ import annotations

import numpy as np
import pytest

from navcore import NavQuery, QueryFilter, Settings, build_navmesh, find_islands
from tests import scenes
from tests.navcore.navquery.query_examples import by_hand, town

SUCCESS, INVALID = 1 << 30, 1 << 31 | 8
KINDS = pytest.mark.parametrize("tile_size", [0, 32])
FILTERS = pytest.mark.parametrize(
    "who",
    [None, QueryFilter(), QueryFilter(exclude=8), QueryFilter(include=2)],
    ids=["all", "plain", "no links", "water"],
)


def flooded(query: NavQuery, start: int, who: QueryFilter | None) -> set[int]:
    """The twin."""
    polygons, links, found, waiting = query._mesh.polygons, query._mesh.links, {start}, [start]
    while waiting:
        here = waiting.pop()
        for target in links["target"][polygons["first_link"][here] : polygons["end_link"][here]].tolist():
            flags = int(polygons["flags"][target])
            if target not in found and (who is None or (flags & who.include and not flags & who.exclude)):
                found.add(target)
                waiting.append(target)
    return found


@KINDS
@FILTERS
def test_reachable_polygons_are_those_of_a_flood(tile_size: int, who: QueryFilter | None) -> None:
    query = NavQuery(town(tile_size))
    every = np.arange(len(query._mesh.polygons), dtype=np.int32)
    reached = query.reachable_from(query._names.names(every), who)
    polygons = query._names.polygons(reached.references)
    for start in every.tolist():
        found = polygons[reached.offsets[start] : reached.offsets[start + 1]].tolist()
        assert found[0] == start and len(found) == len(set(found))
        assert set(found) == flooded(query, start, who)
    assert (reached.status == SUCCESS).all()


@KINDS
@FILTERS
def test_islands_are_what_floods_reach_there_and_back(tile_size: int, who: QueryFilter | None) -> None:
    query = NavQuery(town(tile_size))
    polygons = query._mesh.polygons
    every = np.arange(len(polygons), dtype=np.int32)
    islands = query.islands(query._names.names(every), who)
    passes = [who is None or bool(f & who.include and not f & who.exclude) for f in polygons["flags"].tolist()]
    reach = [flooded(query, start, who) for start in every.tolist()]
    for a in every.tolist():
        if polygons["kind"][a] == 0:
            assert (islands.numbers[a] >= 0) == passes[a]
        if islands.numbers[a] >= 0:
            both = {b for b in reach[a] if a in reach[b] and passes[b]}
            assert set(np.flatnonzero(islands.numbers == islands.numbers[a]).tolist()) == both
    assert islands.numbers.max() == len(islands.square_metres) - 1 and (np.diff(islands.square_metres) <= 0).all()


@KINDS
def test_islands_are_those_of_the_navmesh(tile_size: int) -> None:
    navmesh = town(tile_size)
    query, told = NavQuery(navmesh), find_islands(navmesh)
    ground = np.flatnonzero(query._mesh.polygons["kind"] == 0).astype(np.int32)
    islands = query.islands(query._names.names(ground))
    assert islands.numbers.tolist() == told.of_polygon.tolist()
    assert islands.square_metres.tolist() == told.square_metres.tolist() and len(told.square_metres) > 2


def test_links_and_rows_that_cannot_be_answered() -> None:
    """A drop belongs to where it begins, a link that leads nowhere to nothing."""
    plates = scenes.join([scenes.box(14.0 * k, -1, 0, 10 - k, 1, 10) for k in range(3)])
    links = [
        {"start": [8, 0, 5], "end": [16, 0, 5], "radius": 1.0, "area": 5, "flags": 8, "id": 1},
        {"start": [30, 0, 5], "end": [21, 0, 5], "radius": 1.0, "area": 5, "flags": 8, "id": 2, "bidirectional": False},
        {"start": [30, 90, 5], "end": [21, 90, 5], "radius": 1.0, "area": 5, "flags": 8, "id": 3},
    ]  # fmt: skip
    query = NavQuery(build_navmesh(*plates, Settings(), links=links))
    connections = query._names.names(np.flatnonzero(query._mesh.polygons["kind"]).astype(np.int32))
    on = dict(zip(query.link_ids(connections).tolist(), query.islands(connections).numbers.tolist(), strict=True))
    assert on[1] == 0 and on[2] == 1 and on.get(3, -1) == -1
    places = query.nearest([[2, 0, 5], [19, 0, 5], [32, 0, 5]])
    assert query.islands(places.references).numbers.tolist() == [0, 0, 1]
    assert query.islands(places.references, QueryFilter(exclude=8)).numbers.tolist() == [0, 1, 2]
    asked = by_hand().islands([256, 0, 255])
    assert asked.numbers.tolist() == [0, -1, -1] and asked.status.tolist() == [SUCCESS, INVALID, INVALID]
    assert asked.square_metres.tolist() == [pytest.approx(18)]
