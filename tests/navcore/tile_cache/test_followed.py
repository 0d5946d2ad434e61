"""A query that follows a tile cache answers as a new one, and refuses references to what is gone."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from navcore import BadInput, NavMesh, NavQuery, QueryFilter, Settings, TileCache, build_navmesh
from navcore.types import F32, U32
from tests import scenes
from tests.navcore.questions.test_follows import check_same
from tests.navcore.tile_cache.cache_levels import PLAIN, SETTINGS
from tests.navcore.tile_cache.test_tile_cache import deck, put


def middles(query: NavQuery, references: U32) -> F32:
    """What a polygon is, whatever it is called: its corners' mean."""
    mesh, names = query._mesh, query._names
    numbers = names.polygons(references)
    found: F32 = mesh.outline[numbers].mean(axis=1)
    return found


@pytest.mark.parametrize("exact", [False, True])
def test_after_every_obstacle_it_answers_as_a_new_one(exact: bool) -> None:
    random = np.random.default_rng(3 + exact)
    cache = deck(exact=exact)
    query, standing = NavQuery(cache.navmesh), list[int]()
    kept = gone = 0
    for turn in range(24):
        before = query.references()
        places = middles(query, before)
        for _ in range(int(random.integers(1, 4))):
            if standing and random.random() < 0.45:
                cache.remove(standing.pop(int(random.integers(len(standing)))))
            else:
                standing.append(put(cache, random))
        cache.step() if turn % 5 == 0 else cache.update()
        query.update(cache.navmesh)
        new = NavQuery(cache.navmesh)
        assert np.array_equal(np.sort(query.references()), np.sort(new.references()))
        check_same(query, new, random, turn % 8 == 7)
        valid = query.is_valid(before)
        assert np.array_equal(valid, new.is_valid(before))
        assert np.array_equal(middles(query, before[valid]), places[valid])
        kept, gone = kept + int(valid.sum()), gone + int((~valid).sum())
    assert kept > 200 and gone > 100


def test_a_tile_that_vanishes_and_comes_back_is_another_one() -> None:
    cache = TileCache(*PLAIN, SETTINGS, threads=1)
    query, random = NavQuery(cache.navmesh), np.random.default_rng(1)
    dead = query.references()
    everything = cache.add_box((-1, -1, -1), (25, 2, 25))
    cache.update()
    query.update(cache.navmesh)
    assert len(query.references()) == 0 and not query.is_valid(dead).any()
    cache.remove(everything)
    cache.update()
    query.update(cache.navmesh)
    assert not query.is_valid(dead).any()
    check_same(query, NavQuery(cache.navmesh), random, True)


def test_what_was_set_stays_where_nothing_has_changed() -> None:
    cache = TileCache(*PLAIN, SETTINGS, threads=1)
    query = NavQuery(cache.navmesh)
    far = query.nearest([[22, 0, 22]]).references
    query.set_flags(far, 16)
    cache.add_cylinder((2, 0, 2), 0.5, 1)
    cache.update()
    query.update(cache.navmesh)
    assert query.flags(far).tolist() == [16] and query.is_valid(far, QueryFilter(include=16)).all()


def test_an_earlier_navmesh_can_be_asked_again_and_a_pickled_query_follows() -> None:
    cache, random = deck(), np.random.default_rng(2)
    first = cache.navmesh
    query = NavQuery(first)
    cache.add_cylinder((6, 0, 6), 1, 1)
    cache.update()
    query.update(cache.navmesh)
    again = pickle.loads(pickle.dumps(query))
    query.update(first)
    check_same(query, NavQuery(first), random)
    cache.add_cylinder((18, 0, 6), 1, 1)
    cache.update()
    for each in (query, again):
        each.update(cache.navmesh)
        check_same(each, NavQuery(cache.navmesh), random)


def test_navmeshes_of_others_are_refused_or_made_anew() -> None:
    cache, built = deck(), build_navmesh(*scenes.plaza(2), Settings(tile_size=24))
    others: list[NavMesh] = [deck().navmesh, TileCache.from_bytes(*cache.files()).navmesh]
    query, of_built = NavQuery(cache.navmesh), NavQuery(built)
    for other in others:
        with pytest.raises(BadInput, match=r"same cache.*Make a new NavQuery"):
            query.update(other)
    with pytest.raises(BadInput, match="same cache"):
        of_built.update(cache.navmesh)
    dead = query.references()
    query.update(built)
    assert not query.is_valid(dead).any()
    check_same(query, NavQuery(built), np.random.default_rng(4))
    with pytest.raises(BadInput, match="same cache"):
        query.update(cache.navmesh)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_a_cache_and_its_navmesh_are_copied(copied: Callable[[Any], Any]) -> None:
    """As navmeshes that were built are: to other processes, or to try what an obstacle would do."""
    cache = deck()
    put(cache, np.random.default_rng(1))
    cache.update()
    navmesh, other = copied(cache.navmesh), copied(cache)
    assert [tile.key for tile in navmesh.tiles] == [tile.key for tile in cache.navmesh.tiles]
    check_same(NavQuery(navmesh), NavQuery(cache.navmesh), np.random.default_rng(2), False)
    assert other.files() == cache.files()
    other.add_cylinder((2, 0, 2), 1, 1)
    other.update()
    assert len(other.obstacles) == 2 and len(cache.obstacles) == 1
    with pytest.raises(BadInput, match="same cache"):
        NavQuery(cache.navmesh).update(other.navmesh)
