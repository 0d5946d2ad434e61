"""The shortest path between the pairs of every set of dumps is no longer than Detour's, and the same backwards."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from navcore import NavQuery, PathStatus, read_navmesh
from tests import dumps
from tests.navcore.shortest_paths.shortest_examples import length_from_above, longest_gain, rounding_of

FOLDER = Path() if dumps.FOLDER is None else dumps.FOLDER / "queries"
SETS = json.loads((FOLDER / "manifest.json").read_text()) if (FOLDER / "manifest.json").is_file() else {}


@pytest.mark.parametrize("name", SETS)
def test_no_longer_than_the_funnel(name: str) -> None:
    assert dumps.FOLDER is not None
    navmesh = np.load(dumps.FOLDER / SETS[name]["mesh"] / f"{SETS[name]['variant']}.npz")[SETS[name]["nav_array"]]
    query, points = NavQuery(read_navmesh(navmesh.tobytes())), np.load(FOLDER / f"{name}.npz")["points"]
    starts, ends = points[:, :3], points[:, 3:]
    funnel = query.find_paths(starts, ends, max_nodes=None, max_path=None, max_points=None)
    exact, back = query.find_paths(starts, ends, exact=True), query.find_paths(ends, starts, exact=True)
    assert (exact.status == funnel.status).all()
    complete = exact.status == PathStatus.COMPLETE
    assert complete.sum() > 30
    longer = length_from_above(exact) - length_from_above(funnel)
    gain, rounding = longest_gain(query, funnel, exact), rounding_of(exact)
    assert (longer <= gain + rounding)[complete].all() and (gain > 0).mean() < 0.2
    assert length_from_above(back)[complete] == pytest.approx(length_from_above(exact)[complete], abs=rounding)
