"""Whatever comes in: a sound navmesh or a refusal by name. Few examples, the same every time; the soak goes further."""

from __future__ import annotations

import math
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from navcore import NavmeshError, Settings, build_navmesh
from tests.soak.builds import build, settings_of
from tests.soak.levels import PARTITIONS, hostile_level, legal_level, level_of
from tests.soak.run import BAD
from tests.soak.targets import TARGETS, refuses_or_reads

some = settings(
    max_examples=40, deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)
randoms = st.randoms(use_true_random=False)
numbers = st.one_of(
    st.integers(-80, 80).map(lambda n: n * 0.3),  # on the borders of cells
    st.floats(-20, 20, width=32),
    st.sampled_from([math.nan, math.inf, -math.inf, -0.0, 1e-45, 1e-38, 3e38, -3e38, 1e7, 1e30, 8191 * 0.2, 65536.0]),
)
ordinary = st.integers(-80, 80).map(lambda n: n * 0.3)


@pytest.mark.parametrize("tile_size", [0, 24])
@given(randoms, st.sampled_from(PARTITIONS))
@some
def test_levels_that_are_legal(tile_size: int, random: Random, partition: str) -> None:
    level = legal_level(random)
    outcome = build(level, level.settings | {"partition": partition, "tile_size": tile_size})
    assert outcome.kind not in (*BAD, "broken"), outcome.what


@given(randoms, st.sampled_from(PARTITIONS))
@some
def test_levels_that_are_hostile(random: Random, partition: str) -> None:
    level = hostile_level(random)
    outcome = build(level, level.settings | {"partition": partition})
    assert outcome.kind not in (*BAD, "broken"), outcome.what


@given(
    st.lists(st.tuples(numbers, ordinary, numbers), max_size=12),
    st.lists(st.tuples(*[st.integers(-2, 13)] * 3), max_size=12),
    st.one_of(st.none(), st.lists(numbers, min_size=6, max_size=6)),
)
@some
def test_arrays_of_any_kind(vertices: Any, triangles: Any, bounds: Any) -> None:
    try:
        build_navmesh(np.array(vertices), np.array(triangles), Settings(region_min_size=0), bounds=bounds, threads=1)
    except NavmeshError as refused:
        error = refused
    else:
        return
    assert error.code and str(error)[-1] in ".?"


anything = st.one_of(
    numbers, st.booleans(), st.none(), st.text(max_size=3), st.integers(), st.lists(st.integers(), max_size=2)
)


@given(st.dictionaries(st.sampled_from([*Settings().to_mapping(), "cel_size", ""]), anything, max_size=4))
@some
def test_settings_of_any_kind(values: dict[str, Any]) -> None:
    try:
        Settings.from_mapping(values).in_voxels()
    except NavmeshError as refused:
        error = refused
    else:
        return
    assert error.code in ("BAD_SETTINGS", "UNKNOWN_SETTING")


@pytest.mark.parametrize("name", TARGETS)
def test_files_that_are_damaged(name: str) -> None:
    """What the fuzzers call, without them: files that are read, with bytes changed, cut out and put twice."""
    target, random = TARGETS[name], Random(name)
    seeds = target.seeds()
    assert all(refuses_or_reads(target, seed) for seed in seeds)
    refused = 0
    for _ in range(300):
        content = bytearray(random.choice(seeds))
        for _ in range(random.randint(1, 4)):
            at, much = random.randrange(len(content) + 1), random.randint(0, 8)
            change = random.randrange(4)
            if change == 0:
                content[at : at + 1] = bytes([random.randrange(256)])
            elif change == 1:
                del content[at : at + much]
            elif change == 2:
                content[at:at] = content[at : at + 4 * much]
            else:
                content[at:at] = random.choice(target.words or ("0",)).encode()
        refused += not refuses_or_reads(target, bytes(content))
    assert refused > 30


def test_the_soak_s_levels_are_the_same_everywhere() -> None:
    """A number in a report must give the same level to whoever looks into it."""
    level = level_of(17)
    assert (len(level.vertices), len(level.triangles)) == (236, 350)
    assert f"{float(level.vertices.astype(np.float64).sum()):.2f}" == "-239129.13"
    assert settings_of(level, 17, 3)["tile_size"] == 24
