"""Crowds by chance: nobody leaves the navmesh or stands in another, for all threads and pieces of time alike."""

from __future__ import annotations

import os

import pytest

from tests.navcore.crowd.random_crowds import RandomCrowd

RANDOM_CROWDS = [int(k) for k in os.environ.get("NAVMESH_RANDOM_CROWDS", "0:8").split(":")]
WRONG_BEFORE = {
    37: "a narrow polygon before a link: a jump ended where the link begins, whose way was walked in the air"
}


@pytest.mark.parametrize("seed", sorted({*range(*RANDOM_CROWDS), *WRONG_BEFORE}))
def test_random_crowds_stay_on_the_ground_apart_and_alike(seed: int) -> None:
    alone, deepest, off = RandomCrowd(seed).walked(1)
    assert deepest <= 0.01 and off < 1e-4
    assert RandomCrowd(seed).walked(2)[0] == alone
    assert RandomCrowd(seed).walked(3, pieces=2)[0] == alone
