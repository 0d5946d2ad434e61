"""Damaged files: a share of those that `python -m tests.mutants` makes by the hundred thousand."""

from __future__ import annotations

import numpy as np
import pytest

from navcore import TileCache
from navcore.detour.reader import read_navmesh
from tests.mutants import Tally, examine, mutant, originals, survives


@pytest.fixture(scope="module", autouse=True)
def _kernels_are_loaded() -> None:
    """In each process that takes a share of these tests: loading them takes more memory than any file may."""
    for sound in originals():
        survives(sound, exports=True)


def test_undamaged_files_are_read_linked_and_saved() -> None:
    assert [survives(sound) for sound in originals()] == [True] * 7
    *files, cache = originals()
    assert {read_navmesh(sound).kind for sound in files} == {"MSET", "DNAV"}
    assert max(len(read_navmesh(sound).tiles) for sound in files) > 5
    assert len(TileCache.from_bytes(cache).navmesh.tiles) > 5


def test_most_damaged_tile_caches_are_refused_and_none_does_harm() -> None:
    cache, random, accepted = originals()[-1], np.random.default_rng(6), 0
    for _ in range(300):
        damaged = bytearray(cache)
        for at in random.integers(0, len(cache), random.integers(1, 5)):
            damaged[at] ^= 1 << int(random.integers(8))
        accepted += survives(bytes(damaged))
    assert 5 < accepted < 250


def test_a_mutant_is_the_same_every_time() -> None:
    numbers = [0, 11_000, 12_500, *range(20_000, 20_050)]
    assert [mutant(3, n) for n in numbers] == [mutant(3, n) for n in numbers]
    assert len({mutant(3, n) for n in numbers}) > 50
    assert mutant(3, 20_000) != mutant(4, 20_000)


@pytest.mark.parametrize("first", range(0, 120_000, 30_000))
def test_damaged_files_do_no_harm(first: int) -> None:
    total = Tally()
    survives(mutant(2, first), exports=True)  # what is loaded and compiled once is no memory of a file's
    for number in range(first, first + 30_000, 61):
        total += examine(2, number)
    assert total.accepted > 50 and total.refused > 50
