"""What files hold, in one shape over all formats; half-written and foreign files in a sentence."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import pytest

from navcore import Settings
from navcore.errors import NavmeshError
from navcore.formats import read_navmesh_bytes, read_navmesh_file, write_navmesh
from navcore.formats.file_facts import file_facts
from navcore.formats.gltf.glb import glb_bytes
from navcore.formats.plain_navmesh import PlainNavmesh
from tests.navcore.formats.target_examples import tiny, written
from tests.navcore.formats.test_area_costs import dear

ALL = (".bin", ".json", ".glb", ".tres", ".tscn")


@pytest.fixture(scope="module")
def facts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    folder = tmp_path_factory.mktemp("facts")
    for ending in ALL:
        write_navmesh(dear(), folder / f"n{ending}")
    write_navmesh(dear(), folder / "n.pathfinding.glb")
    files = {path.name[1:]: path for path in folder.iterdir()}
    return {name: file_facts(path) for name, path in files.items()}


def test_the_shape_is_the_same_for_all(facts: dict[str, dict[str, Any]]) -> None:
    assert set(facts) == {*ALL, ".pathfinding.glb"}
    for name, told in facts.items():
        assert list(told) == list(facts[".bin"]), name
        assert all(list(area) == list(facts[".bin"]["areas"][0]) for area in told["areas"])
        json.dumps(told, allow_nan=False)


def test_the_facts_are_the_same_where_the_format_has_them(facts: dict[str, dict[str, Any]]) -> None:
    bin_, whole = facts[".bin"], facts[".json"]
    for name in (".json", ".tres", ".tscn"):
        for key in ("polygons", "vertices", "agent", "cell_size"):
            assert facts[name][key] == bin_[key], (name, key)
    for name in ALL:
        assert facts[name]["square_metres"] == pytest.approx(bin_["square_metres"], abs=0.01)
        assert [a["area"] for a in facts[name]["areas"]] == [0, 1]
        assert [a["square_metres"] for a in facts[name]["areas"]] == pytest.approx(
            [a["square_metres"] for a in bin_["areas"]], abs=0.01
        )
        assert facts[name]["islands"] == bin_["islands"] == 1
    assert whole["triangles"] == facts[".glb"]["triangles"] == bin_["triangles"] > whole["polygons"]
    assert [facts[name]["links"] for name in ALL] == [1, 1, 1, 0, 1]
    assert [facts[name]["format"] for name in ALL] == ["MSET", "JSON", "glTF", "Godot mesh", "Godot scene"]


def test_what_a_format_has_no_place_for_is_null(facts: dict[str, dict[str, Any]]) -> None:
    for name, told in facts.items():
        assert (told["tiles"], told["grid"] is None) == ((1, False) if name == ".bin" else (None, True))
        assert (told["settings"] is None) == (name in (".bin", ".pathfinding.glb"))
        assert (told["area_types"] is None) == (name == ".bin")
        assert [area["cost"] for area in told["areas"]] == {
            ".bin": [None, None], ".pathfinding.glb": [1.0]
        }.get(name, [0.5, 10.0])  # fmt: skip
    assert facts[".json"]["area_types"]["5"] == {"name": "leap", "flags": 8, "cost": 1.5}
    assert Settings.from_mapping(facts[".tscn"]["settings"]) == Settings()


def test_bounds_and_triangles_without_a_detail_mesh(tmp_path: Path) -> None:
    write_navmesh(tiny()._replace(detail=None), tmp_path / "n.json")
    told = file_facts(tmp_path / "n.json")
    assert told["bounds"] == [0, 0, 0, 4, 0, 2] and told["triangles"] == 4
    assert told["areas"] == [
        {"area": 0, "name": "ground", "cost": 1.0, "polygons": 1, "square_metres": 4.0},
        {"area": 1, "name": "water", "cost": 1.0, "polygons": 1, "square_metres": 4.0},
    ]


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize("ending", ALL)
def test_half_of_a_file_is_a_sentence(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"n{ending}"
    write_navmesh(dear(), path)
    content = path.read_bytes()
    for size in (0, 3, 20, len(content) // 4, len(content) // 2, len(content) - 20):
        whole_lines = content[:size].endswith(b"\n")  # may be a whole .tres, as Godot writes them
        path.write_bytes(content[: size - 2] if whole_lines else content[:size])
        with pytest.raises(NavmeshError) as refused:
            file_facts(path)
        assert str(refused.value).endswith(".") and "\n" not in str(refused.value) and refused.value.code


@pytest.mark.parametrize(
    ("name", "sentence"),
    [("n.obj", "`navcore convert` makes a navmesh of its faces"), ("n.gset", "this format is only written")],
)
def test_formats_that_hold_no_facts_are_said_to_be(tmp_path: Path, name: str, sentence: str) -> None:
    (tmp_path / name).write_bytes(b"v 0 0 0\n")
    with pytest.raises(NavmeshError, match=sentence) as refused:
        file_facts(tmp_path / name)
    assert refused.value.code == "UNKNOWN_FORMAT"


def test_another_ending_is_taken_for_detours(tmp_path: Path) -> None:
    content = written_bin(tmp_path)
    (tmp_path / "level.navmesh").write_bytes(content)
    assert file_facts(tmp_path / "level.navmesh")["format"] == "MSET"
    with pytest.raises(NavmeshError, match="Could not read"):
        file_facts(tmp_path)


def written_bin(folder: Path) -> bytes:
    write_navmesh(dear(), folder / "n.bin")
    return (folder / "n.bin").read_bytes()


GLB = glb_bytes(tiny(), "n")


def changed_glb(old: bytes, new: bytes) -> bytes:
    """The file with another JSON, its lengths set right."""
    size = int.from_bytes(GLB[12:16], "little")
    text = GLB[20 : 20 + size].rstrip()
    assert old in text, old
    text = text.replace(old, new)
    text += b" " * (-len(text) % 4)
    rest = GLB[20 + size :]
    return struct.pack("<4s4I", b"glTF", 2, 20 + len(text) + len(rest), len(text), 0x4E4F534A) + text + rest


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        (b'"generator":"Navmesh"', b'"generator":"Blender"', "none that was written as a navmesh"),
        (b'"generator":"Navmesh"', b'"made":1', "has no 'generator'"),
        (b'"mesh":0', b'"mesh":7', "has no 7"),
        (b'"mesh":0', b'"mesh":[]', r"has no \[\]"),
        (b'"POSITION":0', b'"POSITION":99', "has no 99"),
        (b'"POSITION":0', b'"PLACE":0', "has no 'POSITION'"),
        (b'"type":"VEC3"', b'"type":"VEC4"', "of a kind that no navmesh has"),
        (b'"componentType":5126', b'"componentType":5121', "of a kind that no navmesh has"),
        (b'"byteOffset":0', b'"byteOffset":-4', "does not fit its data"),
        (b'"count":8', b'"count":1e9', "does not fit its data"),
        (b'"count":8', b'"count":99999999999', "does not fit its data"),
        (b'"area_types":{', b'"area_types":[],"x":{', "area_types in the .glb must be an object"),
        (b'"extras":{"navmesh":{"version":1', b'"extras":{"navmesh":{"version":2', "version 2"),
        (b'"settings":{', b'"settings":7,"x":{', "settings in the .glb must be an object"),
        (b'"radius":0.6', b'"radius":"wide"', "link 1: radius must be a number"),
        (b'"nodes":[{', b'"nodes":[],"x":[{', "must hold one mesh or two"),
        (b'{"asset"', b'["asset"', "is not JSON"),
    ],
)  # fmt: skip
def test_a_glb_that_is_wrong_is_refused_by_name(old: bytes, new: bytes, text: str) -> None:
    assert read_navmesh_bytes(GLB, ".glb").area.tolist() == [0, 0, 1, 1]
    with pytest.raises(NavmeshError, match=text):
        read_navmesh_bytes(changed_glb(old, new), ".glb")


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "NOT_A_NAVMESH"), (b"glTF", "TRUNCATED"), (GLB[:-4], "TRUNCATED"), (b"PK" + GLB, "NOT_A_NAVMESH"),
        (GLB + b"    ", "UNSOUND_NAVMESH"), (GLB[:4] + b"\1" + GLB[5:], "UNSOUND_NAVMESH"),
        (GLB[:12] + b"\xff\xff\xff\x7f" + GLB[16:], "UNSOUND_NAVMESH"),
    ],
)  # fmt: skip
def test_a_glb_of_another_frame_is_refused(content: bytes, code: str) -> None:
    with pytest.raises(NavmeshError) as refused:
        read_navmesh_bytes(content, ".glb")
    assert refused.value.code == code


def test_areas_in_a_glb_are_whole_numbers() -> None:
    damaged = bytearray(GLB)
    at = 28 + int.from_bytes(GLB[12:16], "little") + 6 * 12 + 2 * 12  # behind the positions of eight vertices
    damaged[at : at + 4] = struct.pack("<f", 0.5)
    with pytest.raises(NavmeshError, match="has not one area from 0 to 63"):
        read_navmesh_bytes(bytes(damaged), ".glb")


def test_a_glb_written_again_is_the_same_ground(tmp_path: Path) -> None:
    """Triangles of one area are written as they were read; what is not in the file, detail, is not there again."""
    (tmp_path / "n.glb").write_bytes(GLB)
    again = read_navmesh_file(tmp_path / "n.glb")
    assert again.links == tiny().links and again.settings == Settings() and again.detail is None
    assert len(again.vertices) == 6 and again.rows(again.neighbors)[0].count(-1) == 2
    twice = read_navmesh_bytes(written(again, tmp_path / "again.glb"), ".glb")
    assert triangles_of(twice) == triangles_of(again) and len(triangles_of(twice)) == 4


def triangles_of(mesh: PlainNavmesh) -> list[set[tuple[float, ...]]]:
    return [{tuple(mesh.vertices[corner].tolist()) for corner in ring} for ring in mesh.rings()]


def test_a_scene_that_ends_with_a_whole_node_is_seen_to_be_cut_off(tmp_path: Path) -> None:
    content = written(tiny(), tmp_path / "n.tscn")
    for node, text in (
        (b'[node name="Link 1', "2 of its 2 regions and 0 of its 1 links"),
        (b'[node name="water', "1 of its 2"),
    ):
        (tmp_path / "n.tscn").write_bytes(content[: content.index(node)])
        with pytest.raises(NavmeshError, match=text) as refused:
            file_facts(tmp_path / "n.tscn")
        assert refused.value.code == "TRUNCATED"


def test_a_glb_of_nodes_alone_is_no_navmesh(tmp_path: Path) -> None:
    """Such as places of cover: the file is sound, and it was said that its header was not."""
    text = b'{"asset":{"version":"2.0"}}     '
    header = b"glTF" + struct.pack("<III", 2, 20 + len(text), len(text)) + b"JSON"
    (tmp_path / "cover.glb").write_bytes(header + text)
    with pytest.raises(NavmeshError, match="holds no data of a mesh") as refused:
        file_facts(tmp_path / "cover.glb")
    assert refused.value.code == "NOT_A_NAVMESH"
