"""Godot meshes and scenes: what Godot will make of them, names it would change, its own files read."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from navcore.errors import NavmeshError
from navcore.formats import read_navmesh_bytes, write_navmesh
from navcore.formats.godot import godot_mesh_reader as godot_reader
from navcore.formats.godot.godot_mesh_reader import check_tres, read_tres
from navcore.formats.godot.mesh_and_scene import MapCells, map_cells, tres_bytes
from navcore.formats.mesh_checks import CannotCarry, Unsound
from navcore.formats.plain_navmesh import plain_navmesh
from navcore.formats.target_catalog import ExportOptions
from tests.navcore.formats.target_examples import BUILDS, built, tiny, written


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
    properties = resource(text)
    vertices = np.array(properties["vertices"], np.float32).reshape(-1, 3)
    steps = np.array([properties["cell_size"], properties["cell_height"], properties["cell_size"]], np.float32)
    assert len(np.unique(np.floor(vertices / steps), axis=0)) == len(vertices)
    assert properties["cell_size"] == 0.25 if cell > 0.25 else 0.1 <= properties["cell_size"] <= 0.15
    edges: Counter[tuple[int, int]] = Counter()
    plain = plain_navmesh(built(level, size, cell))
    assert len(properties["polygons"]) == len(plain.area)
    for polygon, ring in zip(properties["polygons"], plain.rings(), strict=True):
        assert np.array_equal(vertices[list(polygon)], plain.vertices[[ring[0], *ring[:0:-1]]])  # clockwise
        edges.update((min(a, b), max(a, b)) for a, b in zip(polygon, polygon[1:] + polygon[:1], strict=True))
    assert max(edges.values()) <= 2
    assert sum(n == 2 for n in edges.values()) == int((plain.neighbors >= 0).sum()) // 2
    assert properties["agent_radius"] == 0.6


def test_godot_mesh_is_welded_to_the_cells_that_are_asked_for(tmp_path: Path) -> None:
    navmesh = built("terrain", 0, 0.15)
    text = written(navmesh, tmp_path / "n.tres", godot_cell_size=0.5, godot_cell_height=0.5).decode()
    properties = resource(text)
    vertices = np.array(properties["vertices"], np.float32).reshape(-1, 3)
    assert properties["cell_size"] == properties["cell_height"] == 0.5
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
    warnings = write_navmesh(built("yard"), tmp_path / "n.tscn", options=ExportOptions(name="Level"))
    text = (tmp_path / "n.tscn").read_text()
    assert text.startswith("[gd_scene load_steps=3 format=3]\n")
    for line in (
        '[node name="Level" type="Node3D"]',
        '[node name="ground" type="NavigationRegion3D" parent="."]\n'
        'navigation_mesh = SubResource("NavigationMesh_0")\nnavigation_layers = 1\n',
        '[node name="water" type="NavigationRegion3D" parent="."]\n'
        'navigation_mesh = SubResource("NavigationMesh_1")\nnavigation_layers = 3\n',
        '[node name="Link 1" type="NavigationLink3D" parent="."]\nnavigation_layers = 9\nbidirectional = false\n'
        "start_position = Vector3(1.0, 0.2, 1.0)\nend_position = Vector3(4.0, 0.2, 4.0)",
    ):
        assert line in text
    assert text.count("PackedInt32Array") == len(plain_navmesh(built("yard")).area)
    assert {w.code for w in warnings} <= {"LINK_TOO_FAR"}


@pytest.mark.parametrize("name", ["a.b", "a/b", "a:b", "a@b", 'a"b', "a%b", "", "  ", "a\nb"])
def test_names_that_godot_would_change_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(CannotCarry, match=r"name of a node\. Rename it"):
        write_navmesh(built("yard"), tmp_path / "n.tscn", options=ExportOptions(name=name))
    assert list(tmp_path.iterdir()) == []


def test_an_edge_of_three_polygons_is_refused(tmp_path: Path) -> None:
    plain = tiny()
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
        (b"cell_height = 0.2", b"cell_height = high", "cell_height must be a number above 0, not 'high'"),
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


def test_a_tres_may_end_within_its_last_line() -> None:
    cut = GODOTS_OWN.removesuffix(b"\n")
    assert cut != GODOTS_OWN and read_tres(cut)[0].rings() == read_tres(GODOTS_OWN)[0].rings()


def test_files_that_are_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(godot_reader, "MOST_BYTES", 1 << 20)
    spaces = GODOTS_OWN + b" " * ((1 << 20) - len(GODOTS_OWN))
    assert read_navmesh_bytes(spaces, ".tres").rings() == [[3, 0, 1, 2], [5, 3, 2, 4]]
    with pytest.raises(Unsound, match="larger than 1 MiB, the most that is read") as refused:
        read_navmesh_bytes(spaces + b" ", ".tres")
    assert refused.value.code == "FILE_TOO_LARGE"


TINY_CELLS = MapCells(0.25, 0.25)
TINY = tres_bytes(tiny(), TINY_CELLS)


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        (b'"areas\\":[0,1]', b'"areas\\":[0]', "areas in metadata/navmesh must be 2 whole numbers from 0 to 255"),
        (b'"areas\\":[0,1]', b'"areas\\":[0,256]', "areas in metadata/navmesh must be 2 whole numbers"),
        (b'"areas\\":[0,1]', b'"areas\\":[0,true]', "areas in metadata/navmesh must be 2 whole numbers"),
        (b'"regions\\":[1,2]', b'"regions\\":7', "regions in metadata/navmesh must be 2 whole numbers from 0 to 65535"),
        (b'"areas\\":[0,1]', b'"areas\\":[0,64]', "area is 64"),
    ],
)  # fmt: skip
def test_what_we_keep_in_a_tres_is_checked_too(old: bytes, new: bytes, text: str) -> None:
    assert TINY.count(old) == 1
    with pytest.raises(Unsound, match=text):
        read_tres(TINY.replace(old, new))


def test_a_tres_that_tells_little_is_plain_ground() -> None:
    metadata = TINY[TINY.index(b"metadata/navmesh") :]
    for less in (b'metadata/navmesh = "{}"\n', b'metadata/navmesh = "[]"\n', b""):
        mesh, cells = read_tres(TINY.replace(metadata, less))
        assert (mesh.area.tolist(), mesh.flags.tolist(), mesh.region.tolist()) == ([0, 0], [1, 1], [0, 0])
        assert cells == TINY_CELLS and mesh.rings() == tiny().rings()
    version = b'metadata/navmesh = "{\\"version\\":1}"\n'
    assert read_tres(TINY.replace(metadata, version))[0].settings is None  # ours, and without any
    assert read_tres(TINY.replace(metadata, b""))[0].settings is not None  # somebody else's: those that Godot names


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        (b"2.0, 0.0, 2.0", b"2.0, 0.0, 0.125", "Two vertices of the .tres lie in one cell of 0.25 × 0.25 m"),
        (b"PackedInt32Array(3, 5, 4, 2)", b"PackedInt32Array(2, 1, 0, 3)", "Three polygons of the .tres meet at one"),
        (b"cell_size = 0.25", b"cell_size = 0.250", "does not come back as it was written"),
    ],
)  # fmt: skip
def test_a_tres_is_read_back_before_it_is_written(old: bytes, new: bytes, text: str) -> None:
    check_tres(TINY, tiny(), TINY_CELLS)
    assert TINY.count(old) == 1
    with pytest.raises(Unsound, match=text):
        check_tres(TINY.replace(old, new), tiny(), TINY_CELLS)


def test_a_tres_of_other_cells_or_of_more_polygons_is_no_copy() -> None:
    with pytest.raises(Unsound, match="does not come back as it was written"):
        check_tres(TINY, tiny(), MapCells(0.2, 0.25))
    with pytest.raises(Unsound, match="more polygons than the navmesh"):
        check_tres(TINY, tiny()._replace(area=np.zeros(1, np.uint8)), TINY_CELLS)
