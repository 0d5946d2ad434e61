"""The order of all ways to refine a path, on the C++ library's own navmeshes: run where a folder of dumps is named."""

from __future__ import annotations

import numpy as np
import pytest

from navcore import NavQuery, read_navmesh
from navcore.path_comparison.meadow import MeadowStatus
from tests import dumps
from tests.navcore.path_comparison.ways import check_order, ways_between

_ARRAYS = {"solo": "navdata", "tiled": "mset"}
NAVMESHES = [
    (mesh, name, array)
    for mode, array in _ARRAYS.items()
    for mesh, name in dumps.variants(mode)
    if array in dumps.Dump(mesh, name)
]
_FAR = 1000  # metres
_MISTURNED = 0.1


@pytest.mark.parametrize(("mesh", "name", "array"), NAVMESHES)
def test_the_order_of_the_ways(mesh: str, name: str, array: str) -> None:
    """Far out, where float32 no longer tells 0.5 mm apart, Detour's funnel turns at wrong corners of tile borders."""
    dump = dumps.Dump(mesh, name)
    query = NavQuery(read_navmesh(dump[array].tobytes()))
    low, high = dump.geometry()[0].min(0), dump.geometry()[0].max(0)
    points = np.random.default_rng(1).uniform(low, high, (600, 3)).astype(np.float32)
    far_out = array == "mset" and np.abs(low).max() > _FAR
    check_order(ways_between(query, points[:300], points[300:]), _MISTURNED if far_out else 0)
    assert (query.meadow().meadow.status == MeadowStatus.DIVIDED).all()
