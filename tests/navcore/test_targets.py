"""Every target: written, read back by naive readers, refused by name where the target has no place for it."""

from __future__ import annotations

import json
import struct
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from navcore import NavMesh, Settings, build_navmesh
from navcore.errors import BadInput, NavmeshError
from navcore.formats import ENDINGS, read_navmesh_bytes, read_navmesh_file, targets, write_navmesh
from navcore.formats.catalog import ExportOptions
from navcore.formats.godot import MapCells, map_cells
from navcore.formats.plain import PlainNavmesh, plain_navmesh
from navcore.formats.recastdemo import Level
from navcore.formats.sound import CannotCarry, Unsound
from navcore.stitch import stitch_tiles
from tests import scenes

LEVELS = {
    "city": scenes.city(2),
    "terrain": scenes.terrain(100, 0.3),
    "spiral": scenes.spiral(),
    "stairs": scenes.stairs(),
    "tower": scenes.tower(4, 20.0),
}
LAKE: dict[str, Any] = {"shape": "box", "area": 1, "min": [2, -1, 2], "max": [8, 3, 8]}
JUMP: dict[str, Any] = {"start": [1, 0.2, 1], "end": [28, 0.2, 28], "radius": 0.5, "bidirectional": False, "id": 7}
BUILDS = [(level, size, cell) for level in LEVELS for size in (0, 32) for cell in (0.3, 0.15)]


@cache
def built(level: str, tile_size: int = 0, cell: float = 0.3) -> NavMesh:
    settings = Settings(tile_size=tile_size, cell_size=cell, cell_height=0.15)
    marked = level == "city"
    return build_navmesh(*LEVELS[level], settings, volumes=[LAKE] if marked else [], links=[JUMP] if marked else [])


def written(navmesh: NavMesh | PlainNavmesh, path: Path, target: str | None = None, **options: Any) -> bytes:
    write_navmesh(navmesh, path, target, ExportOptions(**options))
    return path.read_bytes()


# ------------------------------------------------------------------- all of them


@pytest.mark.parametrize(("level", "size", "cell"), BUILDS)
@pytest.mark.parametrize("target", list(targets()))
def test_every_target_is_written_and_passes_its_own_check(
    tmp_path: Path, level: str, size: int, cell: float, target: str
) -> None:
    path = tmp_path / f"n{targets()[target].ending}"
    once = written(built(level, size, cell), path, target, level=Level(*LEVELS[level]))
    assert once == written(built(level, size, cell), path, target, level=Level(*LEVELS[level]))


@pytest.mark.parametrize(("level", "size", "cell"), BUILDS)
@pytest.mark.parametrize("ending", [".bin", ".json", ".tres"])
def test_export_import_export_gives_the_same_bytes(
    tmp_path: Path, level: str, size: int, cell: float, ending: str
) -> None:
    path = tmp_path / f"n{ending}"
    once = written(built(level, size, cell), path)
    again = read_navmesh_file(path)
    assert len(again.area) == sum(len(tile.polygon_mesh.polygons) for tile in built(level, size, cell).tiles)
    assert written(again, tmp_path / f"again{ending}") == once


def test_what_was_read_can_be_written_in_other_formats(tmp_path: Path) -> None:
    write_navmesh(built("city"), tmp_path / "n.bin")
    write_navmesh(read_navmesh_file(tmp_path / "n.bin"), tmp_path / "n.json")
    told = json.loads((tmp_path / "n.json").read_text())["polygon_mesh"]
    own = plain_navmesh(built("city"))
    assert np.array_equal(
        np.array(told["vertices"], np.float32)[np.concatenate(told["polygons"])], own.vertices[own.corners]
    )
    assert told["areas"] == own.area.tolist() and told["flags"] == own.flags.tolist()
    assert told["neighbors"] == [[None if n < 0 else n for n in row] for row in own.rows(own.neighbors)]
    with pytest.raises(CannotCarry, match="Build it again"):
        write_navmesh(read_navmesh_file(tmp_path / "n.json"), tmp_path / "again.bin")
    assert not (tmp_path / "again.bin").exists()


def test_endings_and_targets_that_do_not_exist(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"unknown ending.*\.bin, \.glb"):
        write_navmesh(built("stairs"), tmp_path / "n.xyz")
    with pytest.raises(BadInput, match="no target 'unity'"):
        write_navmesh(built("stairs"), tmp_path / "n.bin", "unity")
    with pytest.raises(BadInput, match=r"end in \.tres"):
        write_navmesh(built("stairs"), tmp_path / "n.glb", "godot")
    with pytest.raises(BadInput, match="unknown ending"):
        read_navmesh_file(tmp_path / "n.obj")
    assert {targets()[name].ending for name in targets()} == set(ENDINGS)
    assert all(targets()[name].ending == ending for ending, name in ENDINGS.items())


# -------------------------------------------------------------------------- glTF


def gltf(content: bytes) -> tuple[dict[str, Any], list[dict[str, npt.NDArray[Any]]]]:
    """The JSON and the arrays of each mesh, by the letter of the specification."""
    magic, version, length, size, kind = struct.unpack("<4sIII4s", content[:20])
    assert (magic, version, length, kind) == (b"glTF", 2, len(content), b"JSON") and size % 4 == 0
    told = json.loads(content[20 : 20 + size])
    length, kind = struct.unpack("<I4s", content[20 + size : 28 + size])
    data = content[28 + size :]
    assert kind == b"BIN\0" and length == len(data) == told["buffers"][0]["byteLength"]
    kinds, widths = {5123: "<u2", 5125: "<u4", 5126: "<f4"}, {"SCALAR": 1, "VEC3": 3}

    def array(number: int) -> npt.NDArray[Any]:
        accessor = told["accessors"][number]
        view = told["bufferViews"][accessor["bufferView"]]
        values = np.frombuffer(data[view["byteOffset"] :][: view["byteLength"]], kinds[accessor["componentType"]])
        return values.reshape(accessor["count"], widths[accessor["type"]])

    meshes = [mesh["primitives"][0] for mesh in told["meshes"]]
    return told, [
        {"indices": array(m["indices"]).reshape(-1, 3)} | {k: array(v) for k, v in m["attributes"].items()}
        for m in meshes
    ]


def plan(triangles: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    a, b, c = (triangles[:, k].astype(float) for k in range(3))
    return ((b[:, 2] - a[:, 2]) * (c[:, 0] - a[:, 0]) - (b[:, 0] - a[:, 0]) * (c[:, 2] - a[:, 2])) / 2


def test_glb_holds_both_meshes_with_areas_and_settings(tmp_path: Path) -> None:
    navmesh = built("city")
    told, (polygons, detail) = gltf(written(navmesh, tmp_path / "n.glb", name="Level 1"))
    assert [node["name"] for node in told["nodes"]] == ["Level 1", "Level 1_detail"]
    extras = told["nodes"][0]["extras"]["navmesh"]
    assert Settings.from_mapping(extras["settings"]) == navmesh.settings
    assert extras["area_types"] == {"0": {"name": "ground", "flags": 1}, "1": {"name": "water", "flags": 2}}
    assert extras["links"] == [link.to_mapping() for link in navmesh.links]
    plain = plain_navmesh(navmesh)
    for mesh in (polygons, detail):
        areas = mesh["_AREA"].ravel()[mesh["indices"]]
        assert (areas == areas[:, :1]).all() and set(areas.ravel().tolist()) == {0, 1}
        assert plan(mesh["POSITION"][mesh["indices"]]).min() > -1e-6  # counter-clockwise seen from above: faces up
        rows = np.concatenate([mesh["POSITION"], mesh["_AREA"]], axis=1)
        assert len(np.unique(rows, axis=0)) == len(rows)
    water = polygons["_AREA"].ravel()[polygons["indices"][:, 0]] == 1
    ground = plan(polygons["POSITION"][polygons["indices"]])
    expected = [sum(shoelace(plain, p) for p in np.flatnonzero(plain.area == area)) for area in (0, 1)]
    assert ground[~water].sum() == pytest.approx(expected[0]) and ground[water].sum() == pytest.approx(expected[1])
    assert plain.detail is not None and len(detail["indices"]) == len(plain.detail.triangles)
    places = plain.detail.vertices[plain.detail.triangles]
    assert np.array_equal(detail["POSITION"][detail["indices"]], places)


def shoelace(mesh: PlainNavmesh, p: int) -> float:
    x, _, z = mesh.vertices[mesh.corners[mesh.first[p] : mesh.first[p + 1]]].astype(float).T
    return float(x @ np.roll(z, 1) - z @ np.roll(x, 1)) / 2


def test_glb_of_many_vertices_takes_wide_indices() -> None:
    from navcore.formats.glb import Part, binary
    from navcore.formats.glb_check import read_glb

    for count, kind in ((0xFFFE, 5123), (0xFFFF, 5125)):
        vertices = np.arange(3 * count, dtype=np.float32).reshape(-1, 3)
        triangles = np.array([[0, 1, count - 1]], np.int32)
        content = binary([Part("n", vertices, triangles, None)], {})
        assert gltf(content)[0]["accessors"][1]["componentType"] == kind
        assert read_glb(content)[0][0].triangles.tolist() == triangles.tolist()


@pytest.mark.parametrize("damage", ["header", "length", "bounds", "index", "view", "finite"])
def test_a_damaged_glb_does_not_pass(damage: str) -> None:
    from navcore.formats.glb import glb_bytes
    from navcore.formats.glb_check import check_glb

    plain = plain_navmesh(built("stairs"))
    content = glb_bytes(plain, "n")
    size = int.from_bytes(content[12:16], "little")
    text, data = content[20 : 20 + size], bytearray(content[28 + size :])
    if damage == "header":
        content = b"glTf" + content[4:]
    elif damage == "length":
        content += b"\0\0\0\0"
    elif damage == "bounds":
        at = text.index(b'"min":[') + 7
        content = content[: 20 + at] + (b"1" if text[at : at + 1] != b"1" else b"2") + content[21 + at :]
    elif damage == "view":
        content = content[:20] + text.replace(b'"byteOffset":0', b'"byteOffset":4', 1) + content[20 + size :]
    else:
        told = json.loads(text)
        at = told["bufferViews"][2]["byteOffset"] if damage == "index" else 0
        data[at : at + 4] = b"\xff\xff\xff\xff"
        content = content[: 28 + size] + bytes(data)
    with pytest.raises(Unsound):
        check_glb(content, plain)


# ---------------------------------------------------------- three-pathfinding, yuka


@pytest.mark.parametrize(("level", "size", "cell"), BUILDS)
def test_pathfinding_mesh_is_welded_and_connected_as_the_navmesh_is(
    tmp_path: Path, level: str, size: int, cell: float
) -> None:
    _, (mesh,) = gltf(written(built(level, size, cell), tmp_path / "n.glb", "pathfinding"))
    assert set(mesh) == {"POSITION", "indices"}
    assert len(np.unique(np.round(mesh["POSITION"], 2), axis=0)) == len(mesh["POSITION"])
    owners: dict[tuple[int, int], list[int]] = {}
    for number, row in enumerate(mesh["indices"].tolist()):
        for a, b in zip(row, row[1:] + row[:1], strict=True):
            owners.setdefault((min(a, b), max(a, b)), []).append(number)
    assert max(map(len, owners.values())) <= 2
    pairs = [tuple(own) for own in owners.values() if len(own) == 2]
    plain = plain_navmesh(built(level, size, cell))
    owner = np.repeat(np.arange(len(plain.area)), np.diff(plain.first))
    links = [(int(a), int(b)) for a, b in zip(owner, plain.neighbors, strict=True) if b >= 0]
    assert islands(len(mesh["indices"]), pairs) == islands(len(plain.area), links)


def islands(count: int, pairs: list[Any]) -> int:
    group = list(range(count))

    def root(p: int) -> int:
        while group[p] != p:
            p = group[p]
        return p

    for a, b in pairs:
        group[root(a)] = root(b)
    return len({root(p) for p in range(count)})


def test_corners_nearer_than_three_pathfinding_can_tell_apart_are_refused(tmp_path: Path) -> None:
    vertices, triangles = LEVELS["stairs"]
    small = build_navmesh(
        vertices * np.float32(0.01), triangles,
        Settings(cell_size=0.003, cell_height=0.002, agent_height=0.02, agent_radius=0.006, agent_max_climb=0.009,
                 edge_max_length=0.12),
    )  # fmt: skip
    with pytest.raises(CannotCarry, match=r"1 cm apart.*Raise cell_size"):
        write_navmesh(small, tmp_path / "n.glb", "pathfinding")
    assert list(tmp_path.iterdir()) == []


def test_what_a_format_has_no_place_for_is_told(tmp_path: Path) -> None:
    warnings = write_navmesh(built("city"), tmp_path / "n.glb", "pathfinding")
    assert [w.code for w in warnings] == ["LOST_IN_EXPORT"] and "no areas and no links" in warnings[0].message
    assert write_navmesh(built("stairs"), tmp_path / "n.glb", "pathfinding") == []
    assert warnings[0] in built("city").report.warnings


# ------------------------------------------------------------------------- Godot


def resource(text: str) -> dict[str, Any]:
    """The values of a .tres as Python's."""
    found = {}
    for line in text.split("[resource]\n")[1].splitlines():
        name, _, value = line.partition(" = ")
        value = value.replace("PackedVector3Array(", "(").replace("PackedInt32Array(", "(")
        found[name] = eval(value, {"__builtins__": {}})
    return found


@pytest.mark.parametrize(("level", "size", "cell"), BUILDS)
def test_godot_joins_two_polygons_at_an_edge_and_no_more(tmp_path: Path, level: str, size: int, cell: float) -> None:
    text = written(built(level, size, cell), tmp_path / "n.tres").decode()
    assert text.startswith('[gd_resource type="NavigationMesh" format=3]\n')
    told = resource(text)
    vertices = np.array(told["vertices"], np.float32).reshape(-1, 3)
    steps = np.array([told["cell_size"], told["cell_height"], told["cell_size"]], np.float32)
    assert len(np.unique(np.floor(vertices / steps), axis=0)) == len(vertices)
    assert told["cell_size"] == 0.25 if cell > 0.25 else 0.1 <= told["cell_size"] <= 0.15
    edges: Counter[tuple[int, int]] = Counter()
    plain = plain_navmesh(built(level, size, cell))
    assert len(told["polygons"]) == len(plain.area)
    for polygon, ring in zip(told["polygons"], plain.rings(), strict=True):
        assert np.array_equal(vertices[list(polygon)], plain.vertices[[ring[0], *ring[:0:-1]]])  # clockwise
        edges.update((min(a, b), max(a, b)) for a, b in zip(polygon, polygon[1:] + polygon[:1], strict=True))
    assert max(edges.values()) <= 2
    assert sum(n == 2 for n in edges.values()) == int((plain.neighbors >= 0).sum()) // 2
    assert told["agent_radius"] == 0.6


def test_godot_mesh_is_welded_to_the_cells_that_are_asked_for(tmp_path: Path) -> None:
    navmesh = built("terrain", 0, 0.15)
    text = written(navmesh, tmp_path / "n.tres", godot_cell_size=0.5, godot_cell_height=0.5).decode()
    told = resource(text)
    vertices = np.array(told["vertices"], np.float32).reshape(-1, 3)
    assert told["cell_size"] == told["cell_height"] == 0.5
    assert len(np.unique(np.floor(vertices / np.float32(0.5)), axis=0)) == len(vertices)
    assert len(vertices) < len(plain_navmesh(navmesh).vertices)
    own = {tuple(v) for v in plain_navmesh(navmesh).vertices.tolist()}
    assert {tuple(v) for v in vertices.tolist()} <= own
    with pytest.raises(CannotCarry, match="no polygon is left"):
        write_navmesh(navmesh, tmp_path / "n.tres", options=ExportOptions(godot_cell_size=1000, godot_cell_height=1000))
    assert (tmp_path / "n.tres").read_text() == text


def test_map_cells_never_join_what_lies_apart() -> None:
    plain = plain_navmesh(built("stairs"))
    assert map_cells(plain) == MapCells(0.25, 0.25)
    storeys = plain.vertices.copy()
    storeys[1] = storeys[0] + np.float32([0, 0.07, 0])
    assert map_cells(plain._replace(vertices=storeys)) == MapCells(0.25, 0.15)  # 0.10 and 0.17 m
    storeys[1] = storeys[0] + np.float32([0, 1e-5, 0])
    with pytest.raises(CannotCarry, match=r"nearer than 0.001 m"):
        map_cells(plain._replace(vertices=storeys))


def test_tscn_has_a_region_for_each_area_and_a_node_for_each_link(tmp_path: Path) -> None:
    warnings = write_navmesh(built("city"), tmp_path / "n.tscn", options=ExportOptions(name="Level"))
    text = (tmp_path / "n.tscn").read_text()
    assert text.startswith("[gd_scene load_steps=3 format=3]\n")
    for line in (
        '[node name="Level" type="Node3D"]',
        '[node name="ground" type="NavigationRegion3D" parent="."]\n'
        'navigation_mesh = SubResource("NavigationMesh_0")\nnavigation_layers = 1\n',
        '[node name="water" type="NavigationRegion3D" parent="."]\n'
        'navigation_mesh = SubResource("NavigationMesh_1")\nnavigation_layers = 3\n',
        '[node name="Link 1" type="NavigationLink3D" parent="."]\nnavigation_layers = 9\nbidirectional = false\n'
        "start_position = Vector3(1.0, 0.2, 1.0)\nend_position = Vector3(28.0, 0.2, 28.0)",
    ):
        assert line in text
    assert text.count("PackedInt32Array") == len(plain_navmesh(built("city")).area)
    assert {w.code for w in warnings} <= {"LINK_TOO_FAR"}


@pytest.mark.parametrize("name", ["a.b", "a/b", "a:b", "a@b", 'a"b', "a%b", "", "  ", "a\nb"])
def test_names_that_godot_would_change_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(CannotCarry, match=r"name of a node\. Rename it"):
        write_navmesh(built("stairs"), tmp_path / "n.tscn", options=ExportOptions(name=name))
    assert list(tmp_path.iterdir()) == []


def test_an_edge_of_three_polygons_is_refused(tmp_path: Path) -> None:
    plain = plain_navmesh(built("stairs"))
    ring = plain.rings()[0]
    three = plain._replace(
        first=np.append(plain.first, plain.first[-1] + len(ring)).astype(np.int32),
        corners=np.append(plain.corners, ring).astype(np.int32),
        neighbors=np.append(plain.neighbors, [-1] * len(ring)).astype(np.int32),
        area=np.append(plain.area, plain.area[0]), flags=np.append(plain.flags, plain.flags[0]),
        region=np.append(plain.region, plain.region[0]),
    )  # fmt: skip
    for name, target in (("n.tres", None), ("n.tscn", None), ("n.glb", "pathfinding")):
        with pytest.raises(CannotCarry, match="Three polygons meet at the edge"):
            write_navmesh(three, tmp_path / name, target)
    assert list(tmp_path.iterdir()) == []


GODOTS_OWN = b"""[gd_resource type="NavigationMesh" load_steps=1 format=3 uid="uid://abc"]

[resource]
resource_name = "a \\"name\\" [with] brackets"
vertices = PackedVector3Array(0, 0.5, 0, 0, 0.5, 4, 4, 0.5, 4,
4, 0.5, 0, 8, 1e-05, 4, 8, 0, 0)
polygons = Array[PackedInt32Array]([PackedInt32Array(3, 2, 1, 0), PackedInt32Array(5, 4, 2, 3)])
sample_partition_type = 1
cell_height = 0.2
agent_radius = 0.75
agent_max_climb = -1.0
"""


def test_godots_own_files_are_read() -> None:
    mesh = read_navmesh_bytes(GODOTS_OWN, ".tres")
    assert mesh.rings() == [[3, 0, 1, 2], [5, 3, 2, 4]]  # turned: counter-clockwise seen from above
    assert mesh.rows(mesh.neighbors) == [[-1, -1, -1, 1], [-1, 0, -1, -1]]
    assert mesh.vertices[4].tolist() == [8, np.float32(1e-05), 4]
    assert mesh.settings is not None and mesh.settings.agent_radius == 0.75 and mesh.settings.agent_max_climb == 0.9
    assert mesh.area.tolist() == [0, 0] and mesh.flags.tolist() == [1, 1]


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        (b"NavigationMesh", b"ArrayMesh", "no NavigationMesh"),
        (b"[resource]", b"", "no .resource. section"),
        (b"PackedInt32Array(5,", b"PackedInt32Array(6,", "beyond the 6"),
        (b"PackedInt32Array(5, 4, 2, 3)", b"PackedInt32Array(5, 4)", "fewer than 3"),
        (b"PackedInt32Array(5,", b"PackedInt32Array(x,", "no whole number"),
        (b"PackedInt32Array(5,", b"PackedInt32Array(99999999999,", "32 bits"),
        (b"Array(0, 0.5, 0,", b"Array(nan, 0.5, 0,", "not a finite point"),
        (b"Array(0, 0.5, 0,", b"Array(0.5, 0,", "no points"),
        (b"Array(0, 0.5, 0,", b"Array(zero, 0.5, 0,", "no number"),
        (b"PackedVector3Array", b"PackedVector2Array", "must be a PackedVector3Array"),
        (b"cell_height = 0.2", b"cell_height = 0", "above 0"),
        (b"cell_height = 0.2", b"cell_height 0.2", "no assignment"),
        (b"(5, 4, 2, 3)])", b"(5, 4, 2, 3)", "within a value"),
        (b"brackets\"", b"brackets", "within a value"),
        (b"PackedInt32Array(3, 2, 1, 0), PackedInt32Array(5, 4, 2, 3)", b"", "no polygon"),
        (b"cell_height", b"\xff", "no text"),
    ],
)  # fmt: skip
def test_a_tres_that_is_wrong_is_refused_by_name(old: bytes, new: bytes, text: str) -> None:
    assert old in GODOTS_OWN
    with pytest.raises(NavmeshError, match=text):
        read_navmesh_bytes(GODOTS_OWN.replace(old, new), ".tres")


# -------------------------------------------------------------------------- JSON


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


# ---------------------------------------------------------------- OBJ, RecastDemo


def test_obj_areas_are_materials(tmp_path: Path) -> None:
    lines = written(built("city"), tmp_path / "n.obj").decode().splitlines()
    plain, used, seen = plain_navmesh(built("city")), "", []
    for line in lines[: lines.index("g detail")]:
        if line.startswith("usemtl "):
            used = line[7:]
        elif line.startswith("f "):
            seen.append(used)
    assert seen == [("ground", "water")[area] for area in plain.area.tolist()]
    named = plain._replace(area_types={**plain.area_types, 1: plain.area_types[1]._replace(name="deep\nwater")})
    with pytest.raises(CannotCarry, match="one line of text"):
        write_navmesh(named, tmp_path / "n.obj")


def test_gset_tells_recastdemo_the_same_input(tmp_path: Path) -> None:
    navmesh = built("city", 32)
    shapes: list[Any] = [
        LAKE,
        {"shape": "cylinder", "area": 2, "base": [4, 0, 4], "radius": 2, "height": 3},
        {"shape": "convex", "area": 0, "min_height": 0, "max_height": 2, "points": [[0, 0], [1, 0], [0, 1]]},
    ]
    from navcore.scene import as_volumes

    level = Level(*LEVELS["city"], volumes=tuple(as_volumes(shapes)))
    warnings = write_navmesh(navmesh, tmp_path / "case.gset", options=ExportOptions(level=level))
    assert [w.code for w in warnings] == ["CYLINDER_AS_PRISM"]
    lines = (tmp_path / "case.gset").read_text().splitlines()
    assert lines[0] == "f case.obj"
    words = [float(word) for word in lines[1].split()[1:]]
    assert words[:15] == [0.3, 0.15, 2, 0.6, 0.9, 45, 8, 20, 12, 1.3, 6, 6, 1, 0, 0] and words[-1] == 32
    assert lines[2] == "c 1 0.2 1 28 0.2 28 0.5 0 5 8"
    assert lines[3] == "v 4 1 -1 3" and lines[8] == "v 12 2 0 3" and lines[21] == "v 3 0 0 2" and len(lines) == 25
    from navcore.formats.obj import read_obj

    vertices, triangles = read_obj(tmp_path / "case.obj")
    assert vertices.tobytes() == LEVELS["city"][0].tobytes() and triangles.tobytes() == LEVELS["city"][1].tobytes()


@pytest.mark.parametrize(
    ("name", "volumes", "text"),
    [
        ("größe", (), "plain ASCII"),
        ("a" * 120, ((13, 1),), "13 corners; RecastDemo holds 12"),
        ("a", ((3, 257),), "257 volumes"),
    ],
)
def test_what_recastdemo_cannot_hold_is_refused(tmp_path: Path, name: str, volumes: Any, text: str) -> None:
    from navcore.scene import ConvexVolume

    made = [
        ConvexVolume(area=1, min_height=0, max_height=1, points=tuple((float(k), float(k * k)) for k in range(corners)))
        for corners, count in volumes
        for _ in range(count)
    ]
    level = Level(*LEVELS["stairs"], volumes=tuple(made))
    with pytest.raises(CannotCarry, match=text):
        write_navmesh(built("stairs"), tmp_path / f"{name}.gset", options=ExportOptions(level=level))
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(BadInput, match="the level itself"):
        write_navmesh(built("stairs"), tmp_path / "n.gset")


# ------------------------------------------------------------------------ Detour


def test_a_single_tile_comes_back_as_one(tmp_path: Path) -> None:
    from navcore.formats.mset import tile_blobs

    blob = tile_blobs(built("city"))[0]
    (tmp_path / "tile.bin").write_bytes(blob)
    mesh = read_navmesh_file(tmp_path / "tile.bin")
    assert written(mesh, tmp_path / "again.bin") == blob
    own = plain_navmesh(built("city"))
    assert np.array_equal(mesh.vertices[mesh.corners], own.vertices[own.corners]) and mesh.links == own.links
    assert mesh.detail is not None and own.detail is not None
    assert np.allclose(
        mesh.detail.vertices[mesh.detail.triangles], own.detail.vertices[own.detail.triangles], atol=0.16
    )
    assert mesh.settings is not None and mesh.settings.cell_size == 0.3


def test_a_bin_is_read_back_before_it_replaces_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from navcore.detour.checks import BadFile
    from navcore.formats import mset

    path = tmp_path / "n.bin"
    path.write_bytes(b"old")
    add = mset.tile_data

    def spoiled(*arguments: Any) -> Any:
        data = add(*arguments)
        data[100:104] = 255  # a vertex that is no number
        return data

    monkeypatch.setattr(mset, "tile_data", spoiled)
    with pytest.raises(BadFile, match="not finite"):
        write_navmesh(built("stairs"), path)
    assert path.read_bytes() == b"old" and [p.name for p in tmp_path.iterdir()] == ["n.bin"]
