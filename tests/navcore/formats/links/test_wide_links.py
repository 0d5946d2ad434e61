"""Wide links in every format that has a place for them: written, read back, refused by name where they are wrong."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import Any

import pytest

from navcore.commands.navmesh_files.info_command import info_text
from navcore.errors import NavmeshError
from navcore.formats import read_navmesh_bytes, read_navmesh_file, write_navmesh
from navcore.formats.file_facts import file_facts
from navcore.formats.gltf.glb import glb_bytes
from navcore.formats.gltf.glb_reader import check_glb
from navcore.formats.godot.mesh_and_scene import map_cells, tscn_bytes
from navcore.formats.godot.scene_reader import check_tscn
from navcore.formats.json_mesh import json_bytes
from navcore.formats.mesh_checks import Unsound
from navcore.formats.plain_navmesh import PlainNavmesh, plain_navmesh
from navcore.scene import Link
from tests.navcore.formats.test_target_files import mutated
from tests.wide_links import CLIMB, DROP, HIGH, JUMP, platforms, wide

GIVEN = 2
FOUND = (JUMP, DROP, CLIMB)


def plain() -> PlainNavmesh:
    return plain_navmesh(platforms(*FOUND, links=GIVEN))


def test_links_are_those_given_and_then_the_points() -> None:
    mesh = plain()
    assert [len(found.points) for found in mesh.wide_links] == [5, 5, 1]
    assert mesh.links[GIVEN:] == tuple(point for found in mesh.wide_links for point in found.points)
    assert [link.id for link in mesh.links] == [1, 2, *[101] * 5, *[102] * 5, 103]


def test_a_plain_navmesh_has_no_tiles_and_no_names() -> None:
    named = replace(JUMP, tile=(3, 4), points=tuple(replace(point, name="Jump") for point in JUMP.points))
    [found] = plain_navmesh(platforms(named)).wide_links
    assert found == JUMP


@pytest.mark.parametrize("ending", [".json", ".glb", ".tscn", ".pathfinding.glb"])
@pytest.mark.parametrize("tile_size", [0, 32])
def test_wide_links_come_back_equal(tmp_path: Path, ending: str, tile_size: int) -> None:
    navmesh = platforms(*FOUND, links=GIVEN, tile_size=tile_size)
    path = tmp_path / f"n{ending}"
    write_navmesh(navmesh, path)
    again, mesh = read_navmesh_file(path), plain_navmesh(navmesh)
    assert again.links == mesh.links and again.wide_links == mesh.wide_links


@pytest.mark.parametrize("ending", [".json", ".glb"])
def test_files_without_wide_links_say_nothing_of_them(tmp_path: Path, ending: str) -> None:
    write_navmesh(platforms(links=GIVEN), tmp_path / f"n{ending}")
    assert b"wide_links" not in (tmp_path / f"n{ending}").read_bytes()
    assert read_navmesh_file(tmp_path / f"n{ending}").wide_links == ()


def test_what_the_json_says_of_a_wide_link() -> None:
    told = json.loads(json_bytes(plain()))["wide_links"]
    assert [(link["kind"], link["points"]) for link in told] == [("jump", 5), ("drop", 5), ("climb", 1)]
    assert told[1] == {
        "kind": "drop", "corners": [[0.7, 2, 11], [0.7, 2, 1], [-0.8, 0, 11], [-0.8, 0, 1]],
        "bidirectional": False, "area": 5, "flags": 8, "id": 102, "points": 5,
    }  # fmt: skip


def test_json_of_wide_links_keeps_to_its_schema() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((Path(__file__).parents[4] / "docs/navmesh.schema.json").read_text(encoding="utf-8"))
    judge = jsonschema.Draft202012Validator(schema)
    content = json.loads(json_bytes(plain()))
    assert list(judge.iter_errors(content)) == []
    for name, value in (("kind", "leap"), ("corners", [[0, 0, 0]] * 3), ("points", -1), ("width", 2)):
        changed = json.loads(json_bytes(plain()))
        changed["wide_links"][0][name] = value
        assert list(judge.iter_errors(changed)), name


WRONG: list[tuple[Callable[[dict[str, Any]], object], str]] = [
    (lambda links: links.update(kind="leap"), "wide link 2: kind must be one of drop, jump, climb, not 'leap'"),
    (lambda links: links.pop("corners"), "wide link 2: corners must be 4 points"),
    (lambda links: links.update(corners=[[0, 0, 0]] * 3), "wide link 2: corners must be 4 points"),
    (lambda links: links.update(corners=[[0, 0, 0]] * 3 + [[0, 0]]), "wide link 2: end must be"),
    (lambda links: links.update(corners=[[0, 0, 0]] * 3 + [[0, 0, 1e300]]), "wide link 2: z of end"),
    (lambda links: links.update(area=64), "wide link 2: area must be a whole number"),
    (lambda links: links.update(width=3), "wide link 2: 'width' is not known"),
    (lambda links: links.pop("points"), "wide link 2: points must be a whole number of at least 0, not None"),
    (lambda links: links.update(points=True), "wide link 2: points must be a whole number"),
    (lambda links: links.update(points=-1), "wide link 2: points must be a whole number"),
    (lambda links: links.update(points=9), "wide_links have 15 points, and there are 13 links"),
]


@pytest.mark.parametrize(("change", "text"), WRONG)
def test_wide_links_that_are_wrong_are_refused_by_name(change: Callable[[Any], object], text: str) -> None:
    content = json.loads(json_bytes(plain()))
    change(content["wide_links"][1])
    with pytest.raises(NavmeshError, match=text):
        read_navmesh_bytes(json.dumps(content).encode(), ".json")


@pytest.mark.parametrize(("records", "text"), [(7, "wide_links must be a list, not 7"), ([7], "must be an object")])
def test_what_are_no_wide_links_at_all(records: object, text: str) -> None:
    content = json.loads(json_bytes(plain())) | {"wide_links": records}
    with pytest.raises(NavmeshError, match=text):
        read_navmesh_bytes(json.dumps(content).encode(), ".json")


def test_a_glb_with_other_links_is_not_written() -> None:
    mesh = plain()
    check_glb(glb_bytes(mesh, "n"), mesh)
    for other in (mesh._replace(links=mesh.links[1:]), mesh._replace(wide_links=mesh.wide_links[::-1])):
        with pytest.raises(Unsound, match=r"links in the \.glb are not those"):
            check_glb(glb_bytes(other, "n"), mesh)


# ------------------------------------------------------------------------- Godot


def nodes_of(text: str) -> list[str]:
    return [part for part in text.split("\n\n") if 'type="NavigationLink3D"' in part]


def test_each_point_is_a_node_of_godot_that_knows_its_kind(tmp_path: Path) -> None:
    write_navmesh(platforms(*FOUND, links=GIVEN), tmp_path / "n.tscn")
    nodes = nodes_of((tmp_path / "n.tscn").read_text())
    assert len(nodes) == GIVEN + 11
    assert [("bidirectional = true" in node) for node in nodes] == [True] * 7 + [False] * 5 + [True]
    metadata = [json.loads(json.loads(node.split("metadata/navmesh = ")[1].strip())) for node in nodes]
    assert [own.get("kind") for own in metadata] == [None] * 2 + ["jump"] * 5 + ["drop"] * 5 + ["climb"]
    assert [own.get("wide_link") for own in metadata] == [None] * 2 + [1] * 5 + [2] * 5 + [3]
    assert metadata[2]["corners"] == [list(corner) for corner in JUMP.corners]


def test_links_of_godot_that_were_changed_there() -> None:
    """Copied, moved in the list, made one way: what the nodes say now is what counts."""
    mesh = plain()
    text = tscn_bytes(mesh, map_cells(mesh), "Level").decode()
    head, nodes = text.split("\n\n" + nodes_of(text)[0])[0], nodes_of(text)
    jump = [node.strip().replace("bidirectional = true", "bidirectional = false") for node in nodes[2:7]]
    copy = jump[0].replace('"Link 3"', '"Copy"')
    changed = "\n\n".join([head, *jump, *[node.strip() for node in nodes[7:]], *[n.strip() for n in nodes[:2]], copy])
    again = read_navmesh_bytes((changed + "\n").encode(), ".tscn")
    assert [link.id for link in again.links] == [1, 2, *[101] * 6, *[102] * 5, 103]
    assert [(f.kind, f.bidirectional, len(f.points)) for f in again.wide_links] == [
        ("jump", False, 6), ("drop", False, 5), ("climb", True, 1),
    ]  # fmt: skip


def test_a_scene_with_other_wide_links_is_not_written() -> None:
    mesh = plain()
    cells = map_cells(mesh)
    content = tscn_bytes(mesh, cells, "Level")
    check_tscn(content, mesh, cells)
    with pytest.raises(Unsound, match="wide links"):
        check_tscn(content.replace(b'\\"kind\\":\\"jump\\"', b'\\"kind\\":\\"drop\\"'), mesh, cells)


def test_a_kind_that_nobody_knows_in_a_scene() -> None:
    mesh = plain()
    content = tscn_bytes(mesh, map_cells(mesh), "Level")
    with pytest.raises(NavmeshError, match="The node 'Link 3': kind must be one of"):
        read_navmesh_bytes(content.replace(b'\\"kind\\":\\"jump\\"', b'\\"kind\\":\\"leap\\"'), ".tscn")


# -------------------------------------------------------------------------- info


@pytest.mark.parametrize("ending", [".json", ".glb", ".tscn"])
def test_info_tells_links_by_kind(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"n{ending}"
    write_navmesh(platforms(*FOUND, links=GIVEN), path)
    facts = file_facts(path)
    assert facts["links"] == 13
    assert facts["links_by_kind"] == {"given": 2, "drop": 1, "jump": 1, "climb": 1}
    line = next(line for line in info_text(path, False).splitlines() if line.startswith("links"))
    assert line == "links       13 (2 given; points of 1 drop, 1 jump, 1 climb that were found)"


def test_info_says_nothing_of_kinds_where_there_are_none(tmp_path: Path) -> None:
    write_navmesh(platforms(links=GIVEN), tmp_path / "n.json")
    assert file_facts(tmp_path / "n.json")["links_by_kind"] is None
    assert "\nlinks       2\n" in info_text(tmp_path / "n.json", False)
    write_navmesh(platforms(JUMP), tmp_path / "n.bin")
    assert file_facts(tmp_path / "n.bin")["links_by_kind"] is None and file_facts(tmp_path / "n.bin")["links"] == 5
    several = platforms(JUMP, wide("jump", JUMP.corners, 7))
    write_navmesh(several, tmp_path / "n.json")
    assert "links       10 (0 given; points of 2 jumps that were found)" in info_text(tmp_path / "n.json", False)


# ---------------------------------------------------------------- files of any origin


@pytest.mark.parametrize("ending", [".json", ".glb", ".tscn"])
def test_mutated_files_with_wide_links_are_refused_or_sound(tmp_path: Path, ending: str) -> None:
    """Bytes changed, cut out, doubled: a named error, or a mesh whose wide links have their points."""
    write_navmesh(platforms(*FOUND, links=GIVEN), tmp_path / f"n{ending}")
    content, rng, refused = (tmp_path / f"n{ending}").read_bytes(), random.Random(3), 0
    for _ in range(400):
        try:
            mesh = read_navmesh_bytes(mutated(content, rng), ending)
        except NavmeshError:
            refused += 1
            continue
        points = tuple(point for found in mesh.wide_links for point in found.points)
        assert mesh.links[len(mesh.links) - len(points) :] == points
        assert all(isfinite(number) for found in mesh.wide_links for corner in found.corners for number in corner)
    assert 100 < refused < 400


def test_ends_far_from_the_ground_are_told_by_number_in_a_scene(tmp_path: Path) -> None:
    """Of a point over the middle of a polygon and of one beside its rim, up to a metre away and farther."""
    mesh = plain_navmesh(platforms())
    ends = [(5.0, 3.1, 6.0), (5.0, 3.3, 6.0), (10.3, 2.2, 6.0), (10.5, 2.2, 6.0), (5.0, 90.0, 6.0)]
    links = tuple(Link(start=HIGH, end=end) for end in ends)
    warnings = write_navmesh(mesh._replace(links=links), tmp_path / "n.tscn")
    assert [(w.code, w.place) for w in warnings] == [("LINK_TOO_FAR", ends[1])]
    assert "does not connect them: 2, 4, 5." in warnings[0].message
