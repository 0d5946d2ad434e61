"""Navmesh JSON: tiles share whole edges, and what is wrong is refused by name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from navcore.errors import NavmeshError
from navcore.formats import read_navmesh_bytes
from navcore.formats.json_mesh import check_json, json_bytes
from navcore.formats.mesh_checks import Unsound
from navcore.formats.plain_navmesh import PlainDetail
from navcore.result.stitch import stitch_tiles
from tests.navcore.formats.target_examples import built, tiny, written


def test_json_of_tiles_shares_whole_edges(tmp_path: Path) -> None:
    exported = json.loads(written(built("yard", 16), tmp_path / "n.json"))
    stitched = stitch_tiles(built("yard", 16))
    assert exported["polygon_mesh"]["vertices"] == stitched.vertices.tolist()
    assert sum(n is not None for row in exported["polygon_mesh"]["neighbors"] for n in row) == int(
        (stitched.neighbors >= 0).sum()
    )


def changed_json(path: str, value: Any) -> bytes:
    exported = json.loads(json_bytes(tiny()))
    place: Any = exported
    *way, last = path.split("/")
    for step in way:
        place = place[int(step) if step.isdigit() else step]
    place[int(last) if last.isdigit() else last] = value
    return json.dumps(exported).encode()


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
        ("polygon_mesh/polygons", {}, "polygons of the navmesh JSON must be a list"),
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
    assert tiny().rows(tiny().neighbors)[0][2] == 1
    with pytest.raises(Unsound, match="Polygon 1 names 0 as its neighbor, which does not name it back"):
        read_navmesh_bytes(changed_json("polygon_mesh/neighbors/0/2", None), ".json")


def test_what_contradicts_itself_is_refused_by_number() -> None:
    """Shapes that the file's own rules let through."""
    two = {"polygons": [[0, 1], [3, 2, 4, 5]], "neighbors": [[None, None], [None] * 4]}
    for change, text in (
        (two, "Polygon 0 has fewer than 3 corners"),
        ({"polygons": [], "neighbors": []}, "There is no polygon"),
        ({"regions": [1]}, "There are 2 polygons and another number of areas, flags or regions"),
    ):
        exported = json.loads(json_bytes(tiny()))
        exported["polygon_mesh"].update(change)
        with pytest.raises(Unsound, match=text):
            read_navmesh_bytes(json.dumps(exported).encode(), ".json")
    with pytest.raises(Unsound, match="more detail triangles than polygons named for them, or fewer"):
        read_navmesh_bytes(changed_json("detail_mesh/polygon", [0, 0, 1]), ".json")


def test_json_is_read_back_before_it_is_written() -> None:
    plain = tiny()
    content = json_bytes(plain)
    check_json(content, plain)
    for damaged, text in (
        (content.replace(b'"version":1', b'"version":2'), "would not be read back: The navmesh JSON has version 2"),
        (content.replace(b"[0.0,0.0,2.0]", b"[0.0,0.0,2.00]"), "does not come back as it was written"),
    ):
        assert damaged != content
        with pytest.raises(Unsound, match=text):
            check_json(damaged, plain)
    with pytest.raises(Unsound, match="does not come back as it was written"):
        check_json(content, plain._replace(vertices=plain.vertices[:5]))


def test_what_a_navmesh_may_be_without(tmp_path: Path) -> None:
    """Settings, links and a detail mesh; the rest comes back to the last bit."""
    bare = tiny()._replace(settings=None, links=(), detail=None, lattice=None)
    again = read_navmesh_bytes(written(bare, tmp_path / "n.json"), ".json")
    assert (again.settings, again.links, again.detail, again.lattice) == (None, (), None, None)
    assert again.rings() == bare.rings() and again.vertices.tobytes() == bare.vertices.tobytes()
    assert isinstance(read_navmesh_bytes(json_bytes(tiny()), ".json").detail, PlainDetail)
