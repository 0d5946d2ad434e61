"""Navmesh JSON: tiles share whole edges, and what is wrong is refused by name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from navcore.errors import NavmeshError
from navcore.formats import read_navmesh_bytes
from navcore.formats.plain import plain_navmesh
from navcore.formats.sound import Unsound
from navcore.stitch import stitch_tiles
from tests.navcore.target_examples import built, written


def test_json_of_tiles_shares_whole_edges(tmp_path: Path) -> None:
    told = json.loads(written(built("city", 32), tmp_path / "n.json"))
    stitched = stitch_tiles(built("city", 32))
    assert told["polygon_mesh"]["vertices"] == stitched.vertices.tolist()
    assert sum(n is not None for row in told["polygon_mesh"]["neighbors"] for n in row) == int(
        (stitched.neighbors >= 0).sum()
    )


def changed_json(path: str, value: Any) -> bytes:
    from navcore.formats.json_mesh import json_bytes

    told = json.loads(json_bytes(plain_navmesh(built("stairs"))))
    place: Any = told
    *way, last = path.split("/")
    for step in way:
        place = place[int(step) if step.isdigit() else step]
    place[int(last) if last.isdigit() else last] = value
    return json.dumps(told).encode()


@pytest.mark.parametrize(
    ("path", "value", "text"),
    [
        ("format", "mesh", "no navmesh"),
        ("version", 2, "version 2"),
        ("up", "z", "y up"),
        ("settings", [], "must be an object"),
        ("settings/cell_size", -1, "cell_size"),
        ("links", [{"start": [0, 0, 0]}], "end is missing"),
        ("area_types", {"99": {"name": "x", "flags": 1}}, "99"),
        ("polygon_mesh", None, "must be an object"),
        ("polygon_mesh/vertices/0", [0, 0], "points"),
        ("polygon_mesh/vertices/0/1", True, "points"),
        ("polygon_mesh/vertices/0/1", 1e300, "not a finite point"),
        ("polygon_mesh/polygons/0", [0, 1], "another number of neighbors"),
        ("polygon_mesh/polygons/0/0", 10**6, "polygon corner is 1000000"),
        ("polygon_mesh/polygons/0/0", -1, "polygon corner is -1"),
        ("polygon_mesh/polygons/0/0", 0.5, "whole numbers"),
        ("polygon_mesh/neighbors/0/0", 10**6, "neighbor is 1000000"),
        ("polygon_mesh/areas/0", 64, "area is 64"),
        ("polygon_mesh/areas/0", 256, "whole numbers"),
        ("polygon_mesh/flags", [], "another number of areas"),
        ("detail_mesh/triangles/0", [0, 1], "three corners"),
        ("detail_mesh/triangles/0/0", 10**6, "detail corner"),
        ("detail_mesh/polygon/0", None, "polygon of the navmesh JSON holds None"),
        ("polygon_mesh/regions/0", None, "regions of the navmesh JSON holds None"),
        ("detail_mesh/polygon/0", -1, "detail triangle's polygon"),
    ],
)
def test_json_that_is_wrong_is_refused_by_name(path: str, value: Any, text: str) -> None:
    with pytest.raises(NavmeshError, match=text):
        read_navmesh_bytes(changed_json(path, value), ".json")


def test_neighbors_that_are_not_mutual_are_refused() -> None:
    plain = plain_navmesh(built("stairs"))
    edge = int(np.argmax(plain.neighbors >= 0))
    p, e = (
        int(np.searchsorted(plain.first, edge, "right")) - 1,
        edge - int(plain.first[np.searchsorted(plain.first, edge, "right") - 1]),
    )
    with pytest.raises(Unsound, match="does not name it back"):
        read_navmesh_bytes(changed_json(f"polygon_mesh/neighbors/{p}/{e}", None), ".json")
