"""Every target: written, read back by plain readers, refused by name where the target has no place for it."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from navcore import Settings, build_navmesh, read_navmesh
from navcore.errors import BadInput
from navcore.formats import ENDINGS, read_navmesh_file, targets, write_navmesh
from navcore.formats.mesh_checks import CannotCarry, Unsound
from navcore.formats.obj.obj_writer import check_obj, obj_bytes
from navcore.formats.plain_navmesh import PlainNavmesh, plain_navmesh
from navcore.formats.target_catalog import ExportOptions
from navcore.level_source import LevelSource
from tests import scenes
from tests.navcore.formats.target_examples import BUILDS, LAKE, LEVELS, built, tiny, written

# ------------------------------------------------------------------- all of them


@pytest.mark.parametrize("target", list(targets()))
@pytest.mark.parametrize(("level", "size", "cell"), BUILDS)
def test_every_target_is_written_and_passes_its_own_check(
    tmp_path: Path, level: str, size: int, cell: float, target: str
) -> None:
    path = tmp_path / f"n{targets()[target].ending}"
    once = written(built(level, size, cell), path, target, level=LevelSource(*LEVELS[level]))
    assert once == written(built(level, size, cell), path, target, level=LevelSource(*LEVELS[level]))


@pytest.mark.parametrize("ending", [".bin", ".json", ".tres"])
@pytest.mark.parametrize(("level", "size", "cell"), BUILDS)
def test_export_import_export_gives_the_same_bytes(
    tmp_path: Path, level: str, size: int, cell: float, ending: str
) -> None:
    path = tmp_path / f"n{ending}"
    once = written(built(level, size, cell), path)
    again = read_navmesh_file(path)
    assert len(again.area) == sum(len(tile.polygon_mesh.polygons) for tile in built(level, size, cell).tiles)
    assert written(again, tmp_path / f"again{ending}") == once


def test_what_was_read_can_be_written_in_other_formats(tmp_path: Path) -> None:
    write_navmesh(built("yard"), tmp_path / "n.bin")
    write_navmesh(read_navmesh_file(tmp_path / "n.bin"), tmp_path / "n.json")
    exported = json.loads((tmp_path / "n.json").read_text())["polygon_mesh"]
    own = plain_navmesh(built("yard"))
    assert np.array_equal(
        np.array(exported["vertices"], np.float32)[np.concatenate(exported["polygons"])], own.vertices[own.corners]
    )
    assert exported["areas"] == own.area.tolist() and exported["flags"] == own.flags.tolist()
    assert exported["neighbors"] == [[None if n < 0 else n for n in row] for row in own.rows(own.neighbors)]
    with pytest.raises(CannotCarry, match="Build it again"):
        write_navmesh(read_navmesh_file(tmp_path / "n.json"), tmp_path / "again.bin")
    assert not (tmp_path / "again.bin").exists()


def test_endings_and_targets_that_do_not_exist(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"unknown ending.*\.bin, \.glb"):
        write_navmesh(built("yard"), tmp_path / "n.xyz")
    with pytest.raises(BadInput, match="no target 'unity'"):
        write_navmesh(built("yard"), tmp_path / "n.bin", "unity")
    with pytest.raises(BadInput, match=r"end in \.tres"):
        write_navmesh(built("yard"), tmp_path / "n.glb", "godot")
    with pytest.raises(BadInput, match="unknown ending"):
        read_navmesh_file(tmp_path / "n.obj")
    assert {targets()[name].ending for name in targets()} == set(ENDINGS)
    assert all(targets()[name].ending == ending for ending, name in ENDINGS.items())


# -------------------------------------------------------------------------- glTF


def gltf(content: bytes) -> tuple[dict[str, Any], list[dict[str, npt.NDArray[Any]]]]:
    """The JSON and the arrays of each mesh, by the letter of the specification."""
    magic, version, length, size, kind = struct.unpack("<4sIII4s", content[:20])
    assert (magic, version, length, kind) == (b"glTF", 2, len(content), b"JSON") and size % 4 == 0
    document = json.loads(content[20 : 20 + size])
    length, kind = struct.unpack("<I4s", content[20 + size : 28 + size])
    data = content[28 + size :]
    assert kind == b"BIN\0" and length == len(data) == document["buffers"][0]["byteLength"]
    kinds, widths = {5123: "<u2", 5125: "<u4", 5126: "<f4"}, {"SCALAR": 1, "VEC3": 3}

    def array(number: int) -> npt.NDArray[Any]:
        accessor = document["accessors"][number]
        view = document["bufferViews"][accessor["bufferView"]]
        values = np.frombuffer(data[view["byteOffset"] :][: view["byteLength"]], kinds[accessor["componentType"]])
        return values.reshape(accessor["count"], widths[accessor["type"]])

    meshes = [mesh["primitives"][0] for mesh in document["meshes"]]
    return document, [
        {"indices": array(m["indices"]).reshape(-1, 3)} | {k: array(v) for k, v in m["attributes"].items()}
        for m in meshes
    ]


def plan(triangles: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    a, b, c = (triangles[:, k].astype(float) for k in range(3))
    return ((b[:, 2] - a[:, 2]) * (c[:, 0] - a[:, 0]) - (b[:, 0] - a[:, 0]) * (c[:, 2] - a[:, 2])) / 2


def test_glb_holds_both_meshes_with_areas_and_settings(tmp_path: Path) -> None:
    navmesh = built("yard")
    document, (polygons, detail) = gltf(written(navmesh, tmp_path / "n.glb", name="Level 1"))
    assert [node["name"] for node in document["nodes"]] == ["Level 1", "Level 1_detail"]
    extras = document["nodes"][0]["extras"]["navmesh"]
    assert Settings.from_mapping(extras["settings"]) == navmesh.settings
    assert extras["area_types"] == {
        "0": {"name": "ground", "flags": 1, "cost": 1.0}, "1": {"name": "water", "flags": 2, "cost": 1.0},
        "5": {"name": "jump", "flags": 0, "cost": 1.0},
    }  # fmt: skip
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
    from navcore.formats.gltf.glb import GlbPart, binary
    from navcore.formats.gltf.glb_reader import read_glb

    for count, kind in ((0xFFFE, 5123), (0xFFFF, 5125)):
        vertices = np.arange(3 * count, dtype=np.float32).reshape(-1, 3)
        triangles = np.array([[0, 1, count - 1]], np.int32)
        content = binary([GlbPart("n", vertices, triangles, None)], {})
        assert gltf(content)[0]["accessors"][1]["componentType"] == kind
        assert read_glb(content)[0][0].triangles.tolist() == triangles.tolist()


@pytest.mark.parametrize("damage", ["header", "length", "bounds", "index", "view", "finite"])
def test_a_damaged_glb_does_not_pass(damage: str) -> None:
    from navcore.formats.gltf.glb import glb_bytes
    from navcore.formats.gltf.glb_reader import check_glb

    plain = plain_navmesh(built("yard"))
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
        document = json.loads(text)
        at = document["bufferViews"][2]["byteOffset"] if damage == "index" else 0
        data[at : at + 4] = b"\xff\xff\xff\xff"
        content = content[: 28 + size] + bytes(data)
    with pytest.raises(Unsound):
        check_glb(content, plain)


# ------------------------------------------------------- three-pathfinding, yuka


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
    warnings = write_navmesh(built("yard"), tmp_path / "n.glb", "pathfinding")
    assert [warning.code for warning in warnings[-2:]] == ["LOST_IN_EXPORT"] * 2
    assert "yuka have no areas: left out" in warnings[-2].message and "follow no links" in warnings[-1].message
    assert warnings[-1] in built("yard").report.warnings
    assert write_navmesh(built("stairs"), tmp_path / "n.glb", "pathfinding") == []


def test_islands_that_yuka_fails_at_are_told(tmp_path: Path) -> None:
    apart = scenes.join([scenes.box(6.0 * k, -1, 0, 5, 1, 5) for k in range(3)])
    warnings = write_navmesh(build_navmesh(*apart), tmp_path / "n.glb", "pathfinding")
    assert [(w.code, w.message[:25]) for w in warnings] == [("YUKA_ISLANDS", "3 islands are a single po")]


# --------------------------------------------------------------- OBJ, RecastDemo


def test_a_level_is_no_navmesh_because_it_is_an_obj(tmp_path: Path) -> None:
    """Walls and undersides of a level were polygons, and paths led through them."""
    level = tmp_path / "level.obj"
    level.write_text("v 0 0 0\nv 0 0 9\nv 9 0 9\nv 9 4 9\nf 1 2 3\nf 1 3 4\n")
    with pytest.raises(BadInput, match=r"level\.obj is a mesh that navcore did not write as a navmesh") as refused:
        read_navmesh(level)
    assert refused.value.code == "UNKNOWN_FORMAT"


def test_obj_areas_are_materials(tmp_path: Path) -> None:
    lines = written(built("yard"), tmp_path / "n.obj").decode().splitlines()
    plain, used, seen = plain_navmesh(built("yard")), "", []
    for line in lines[: lines.index("g detail")]:
        if line.startswith("usemtl "):
            used = line[7:]
        elif line.startswith("f "):
            seen.append(used)
    assert seen == [("ground", "water")[area] for area in plain.area.tolist()]
    named = plain._replace(area_types={**plain.area_types, 1: plain.area_types[1]._replace(name="deep\nwater")})
    with pytest.raises(CannotCarry, match="one line of text"):
        write_navmesh(named, tmp_path / "n.obj")


def test_areas_without_a_name_of_their_own_are_named_by_number() -> None:
    lines = obj_bytes(tiny()._replace(area=np.array([0, 40], np.uint8))).decode().splitlines()
    assert [line for line in lines if line.startswith("usemtl")] == ["usemtl ground", "usemtl area_40"] * 2
    unnamed = {0: tiny().area_types[0]._replace(name=" ")}
    with pytest.raises(CannotCarry, match="Area 0 is named ' ', and a name in OBJ is one line of text") as refused:
        obj_bytes(tiny()._replace(area_types=unnamed))
    assert refused.value.code == "BAD_AREA_NAME"


@pytest.mark.parametrize("detail", [True, False])
def test_an_obj_is_read_back_before_it_is_written(detail: bool) -> None:
    plain = tiny() if detail else tiny()._replace(detail=None)
    content = obj_bytes(plain)
    check_obj(content, plain)
    for old, new, text in (
        (b"f 1 2 3 4", b"f 1 2 3 99", "A face of the OBJ names a vertex that does not exist: f 1 2 3 99"),
        (b"f 1 2 3 4", b"f 0 2 3 4", "A face of the OBJ names a vertex that does not exist: f 0 2 3 4"),
        (b"v 4 0 2", b"v 4 0 2.0000002", "vertices of the OBJ do not come back"),
        (b"f 1 2 3 4\n", b"", f"holds {5 if detail else 1} faces; there should be another number"),
    ):
        assert content.count(old) == 1
        with pytest.raises(Unsound, match=text):
            check_obj(content.replace(old, new), plain)


def test_gset_tells_recastdemo_the_same_input(tmp_path: Path) -> None:
    navmesh = built("yard", 32)
    shapes: list[Any] = [
        LAKE,
        {"shape": "cylinder", "area": 2, "base": [4, 0, 4], "radius": 2, "height": 3},
        {"shape": "convex", "area": 0, "min_height": 0, "max_height": 2, "points": [[0, 0], [1, 0], [0, 1]]},
    ]
    from navcore.scene import as_volumes

    level = LevelSource(*LEVELS["yard"], volumes=tuple(as_volumes(shapes)))
    warnings = write_navmesh(navmesh, tmp_path / "case.gset", options=ExportOptions(level=level))
    assert [w.code for w in warnings] == ["CYLINDER_AS_PRISM"]
    lines = (tmp_path / "case.gset").read_text().splitlines()
    assert lines[0] == "f case-level.obj"
    words = [float(word) for word in lines[1].split()[1:]]
    assert words[:15] == [0.3, 0.15, 2, 0.6, 0.9, 45, 8, 20, 12, 1.3, 6, 6, 1, 0, 0] and words[-1] == 32
    assert lines[2] == "c 1 0.2 1 4 0.2 4 0.5 0 5 8"
    assert lines[3] == "v 4 1 -1 3" and lines[8] == "v 12 2 0 3" and lines[21] == "v 3 0 0 2" and len(lines) == 25
    from navcore.formats.obj.obj_reader import read_obj

    vertices, triangles, *_ = read_obj(tmp_path / "case-level.obj")
    assert vertices.tobytes() == LEVELS["yard"][0].tobytes() and triangles.tobytes() == LEVELS["yard"][1].tobytes()


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
    level = LevelSource(*LEVELS["yard"], volumes=tuple(made))
    with pytest.raises(CannotCarry, match=text):
        write_navmesh(built("yard"), tmp_path / f"{name}.gset", options=ExportOptions(level=level))
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(BadInput, match="the level itself"):
        write_navmesh(built("yard"), tmp_path / "n.gset")


# ------------------------------------------------------------------------ Detour


def test_a_single_tile_comes_back_as_one(tmp_path: Path) -> None:
    from navcore.formats.mset import tile_blobs

    blob = tile_blobs(built("yard"))[0]
    (tmp_path / "tile.bin").write_bytes(blob)
    mesh = read_navmesh_file(tmp_path / "tile.bin")
    assert written(mesh, tmp_path / "again.bin") == blob
    own = plain_navmesh(built("yard"))
    assert np.array_equal(mesh.vertices[mesh.corners], own.vertices[own.corners]) and mesh.links == own.links
    assert mesh.detail is not None and own.detail is not None
    assert np.allclose(
        mesh.detail.vertices[mesh.detail.triangles], own.detail.vertices[own.detail.triangles], atol=0.16
    )
    assert mesh.settings is not None and mesh.settings.cell_size == 0.3


def test_a_bin_is_read_back_before_it_replaces_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from navcore.detour.file_checks import BadFile
    from navcore.formats import mset

    path = tmp_path / "n.bin"
    path.write_bytes(b"old")
    add = mset.data_of_tile

    def spoiled(*arguments: Any) -> Any:
        data = add(*arguments)
        data[100:104] = 255  # a vertex that is no number
        return data

    monkeypatch.setattr(mset, "data_of_tile", spoiled)
    with pytest.raises(BadFile, match="not finite"):
        write_navmesh(built("yard"), path)
    assert path.read_bytes() == b"old" and [p.name for p in tmp_path.iterdir()] == ["n.bin"]
