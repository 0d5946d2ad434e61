"""`navcore convert` and `read_navmesh`: meshes and navmeshes of every format, there and back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from navcore import (
    BadInput,
    BoxVolume,
    NavMesh,
    NavQuery,
    Settings,
    build_navmesh,
    find_islands,
    navmesh_from_polygons,
    read_navmesh,
    write_navmesh,
)
from navcore.__main__ import main
from navcore.detour.reader import NavmeshFile
from navcore.formats import read_navmesh_file
from navcore.formats.mesh_measures import plain_islands
from navcore.formats.plain_from_detour import plain_of_file
from navcore.formats.plain_navmesh import PlainNavmesh, plain_navmesh
from tests import scenes

from .modelled import patchwork
from .test_from_polygons import assert_sound

OBJ = """
# made by hand
mtllib none.mtl
v 0 0 0
v 0 0 4
v 4 0 4
v 4 0 0
v 8 1 4
v 8 1 0
v 2 0 4
v 0 0 8
v 4 0 8
usemtl water
f 1/1/1 2/1/1 3/1/1 \\
  4/1/1
usemtl grass
f -6 -7 -5 -4
f 7 2 8
usemtl something
f 7 8 9 3
"""


def plain(navmesh: NavMesh | NavmeshFile) -> PlainNavmesh:
    return plain_of_file(navmesh) if isinstance(navmesh, NavmeshFile) else plain_navmesh(navmesh)


def outlines(navmesh: NavMesh | NavmeshFile) -> list[tuple[Any, ...]]:
    """Each polygon by its corners in millimetres, from its least one on, with area and flags."""
    mesh = plain(navmesh)
    rings = []
    for ring, area, flags in zip(mesh.rings(), mesh.area.tolist(), mesh.flags.tolist(), strict=True):
        corners = [tuple(np.round(mesh.vertices[v].astype(float), 3).tolist()) for v in ring]
        at = corners.index(min(corners))
        rings.append((*corners[at:], *corners[:at], area, flags))
    return sorted(rings)


@pytest.fixture
def obj(tmp_path: Path) -> Path:
    path = tmp_path / "own.obj"
    path.write_text(OBJ)
    return path


def test_a_mesh_becomes_files_and_a_report(obj: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outputs = [tmp_path / f"own.{ending}" for ending in ("bin", "json", "glb")]
    report = tmp_path / "report.json"
    assert main(["convert", str(obj), "-o", *map(str, outputs), "--report", str(report)]) == 0
    said = capsys.readouterr()
    assert "own.obj: 4 polygons of 4 faces, 48.0 m², 1 island" in said.out and "T-junction 1" in said.out
    told = json.loads(report.read_text())
    assert {name: told[name] for name in ("faces", "kept", "split", "dropped", "moved", "tiles")} == {
        "faces": 4, "kept": 4, "split": 0, "dropped": [], "moved": 0.0, "tiles": 1,
    }  # fmt: skip
    assert told["mended"] == [{"reason": "T-junction", "at": [2.0, 0.0, 4.0]}] and told["cell_size"] < 0.001
    assert plain(read_navmesh(tmp_path / "own.bin")).area.tolist() == [1, 4, 4, 0]
    assert main(["convert", "-o", str(tmp_path / "again.bin"), str(obj), "--quiet"]) == 0
    assert capsys.readouterr().out == ""
    assert (tmp_path / "again.bin").read_bytes() == (tmp_path / "own.bin").read_bytes()


def test_settings_and_faces_are_heeded(obj: Path, tmp_path: Path) -> None:
    out = tmp_path / "own.bin"
    scene = tmp_path / "scene.json"
    scene.write_text(json.dumps({"materials": {"grass": 0}, "links": [
        {"start": [1, 0, 1], "end": [3, 0, 3], "radius": 0.5}]}))  # fmt: skip
    words = ["--scene", str(scene), "--agent-height", "1.5", "--keep-faces", "--weld", "0", "--quiet"]
    assert main(["convert", str(obj), "-o", str(out), *words]) == 0
    file = read_navmesh(out)
    assert isinstance(file, NavmeshFile)
    assert float(file.tiles[0].sections.header[0]["agent_height"]) == 1.5
    assert len(plain(file).area) == 2 and len(plain(file).links) == 1


def test_faces_that_are_refused_are_in_the_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, report = tmp_path / "tie.obj", tmp_path / "report.json"
    path.write_text("v 0 0 0\nv 0 0 4\nv 4 0 4\nv 4 0 0\nf 1 3 2 4\n")
    assert main(["convert", str(path), "-o", str(tmp_path / "tie.bin"), "--report", str(report)]) == 1
    assert "FACE_CROSSES_ITSELF" in capsys.readouterr().err and not (tmp_path / "tie.bin").exists()
    told = json.loads(report.read_text())
    assert told["error"]["code"] == "FACE_CROSSES_ITSELF" and told["faults"][0]["faces"] == [0]


def test_wrong_usage_is_said(obj: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words, code in (
        (["convert", str(obj)], "NOTHING_TO_WRITE"),
        (["convert", str(tmp_path / "no.obj"), "-o", str(tmp_path / "x.bin")], "CANNOT_READ"),
        (["convert", str(tmp_path / "no.gset"), "-o", str(tmp_path / "x.bin")], "holds no polygons"),
        (["convert", str(obj), "-o", str(tmp_path / "x.bin"), "--weld", "-1"], "weld must be"),
        (["convert", str(obj), "-o", str(tmp_path / "x.xyz")], "UNKNOWN_FORMAT"),
    ):
        assert main(words) == 1
        assert code in capsys.readouterr().err


def test_what_marks_ground_in_a_scene_is_told_to_be_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A door was gone without a word."""
    monkeypatch.chdir(tmp_path)
    Path("hall.obj").write_text(OBJ)
    gate = {"shape": "box", "door": "gate", "min": [0, -1, 0], "max": [1, 3, 4]}
    block = {"kind": "block", "outline": [[0, 0], [1, 0], [1, 1]], "min_height": -1, "max_height": 1}
    Path("hall.json").write_text(json.dumps({"volumes": [gate, gate], "edits": [block]}))
    assert main(["convert", "hall.obj", "-o", "n.bin", "--scene", "hall.json", "--report", "r.json"]) == 0
    err = capsys.readouterr().err
    assert "VOLUME_UNUSED: 2 volumes of the scene left out: " in err and "EDIT_UNUSED: 1 edit of the scene left" in err
    assert {"VOLUME_UNUSED", "EDIT_UNUSED"} <= {
        row["code"] for row in json.loads(Path("r.json").read_text())["warnings"]
    }


@pytest.mark.parametrize("flag", [["--scene", "marks.json"], ["--keep-faces"], ["--weld", "0.5"]])
def test_a_navmesh_takes_nothing_that_is_for_faces(
    obj: Path, tmp_path: Path, flag: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Links and area types of a scene were left out without a word."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "marks.json").write_text(json.dumps({"links": [{"start": [0, 0, 0], "end": [1, 0, 1]}]}))
    assert main(["convert", str(obj), "-o", "first.json", *flag]) == 0
    assert main(["convert", "first.json", "-o", "second.json", *flag]) == 1
    assert f"{flag[0]} is for a mesh" in capsys.readouterr().err and not (tmp_path / "second.json").exists()


def test_triangles_of_other_files_are_faces(tmp_path: Path) -> None:
    vertices = np.array([[0, 0, 0], [0, 0, 4], [4, 0, 4], [4, 0, 0]], np.float32)
    np.savez(tmp_path / "own.npz", verts=vertices, tris=np.array([[0, 1, 2], [0, 2, 3]], np.int32))
    assert main(["convert", str(tmp_path / "own.npz"), "-o", str(tmp_path / "own.bin"), "--quiet"]) == 0
    assert len(plain(read_navmesh(tmp_path / "own.bin")).area) == 1


@pytest.mark.parametrize("tiled", [False, True])
def test_there_and_back_keeps_polygons(tiled: bool, tmp_path: Path) -> None:
    modelled = patchwork(4, side=17.0 if tiled else 2.0)
    areas = [63 if face % 3 else 1 + face % 4 for face in range(len(modelled.faces))]
    links = [{"start": (3, 0, 3), "end": (9, 0, 9), "radius": 0.5, "id": 7}]
    navmesh = navmesh_from_polygons(*modelled, Settings(), areas, links=links)
    for ending in ("json", "tscn", "tres", "obj"):
        write_navmesh(navmesh, tmp_path / f"own.{ending}")
        again = read_navmesh(tmp_path / f"own.{ending}")
        assert isinstance(again, NavMesh)
        assert_sound(again)
        if ending not in ("tres", "tscn") or not tiled:  # Godot's map has cells, in which corners may become one
            assert outlines(again) == outlines(navmesh)
        assert len(plain(again).links) == (1 if ending in ("json", "tscn") else 0)
        write_navmesh(again, tmp_path / f"{ending}.bin")
        assert outlines(read_navmesh(tmp_path / f"{ending}.bin")) == outlines(again)
    write_navmesh(navmesh, tmp_path / "own.bin")
    assert main(["convert", str(tmp_path / "own.bin"), "-o", str(tmp_path / "b.json"), str(tmp_path / "b.bin")]) == 0
    assert outlines(read_navmesh(tmp_path / "b.json")) == outlines(navmesh)
    assert (tmp_path / "b.bin").read_bytes() == (tmp_path / "own.bin").read_bytes()


@pytest.mark.parametrize("tile_size", [0, 32])
def test_what_was_built_is_read_from_every_format(tile_size: int, tmp_path: Path) -> None:
    """Recast's own polygons are taken as they are, whatever lies over what."""
    navmesh = build_navmesh(*scenes.stairs(), Settings(tile_size=tile_size))
    for ending in ("bin", "json", "glb", "tres", "tscn", "obj"):
        write_navmesh(navmesh, tmp_path / f"level.{ending}")
        again = read_navmesh(tmp_path / f"level.{ending}")
        assert float(find_islands(again).square_metres.sum()) == pytest.approx(
            float(find_islands(navmesh).square_metres.sum()), rel=1e-3
        )
        assert len(find_islands(again).square_metres) == len(find_islands(navmesh).square_metres)
        NavQuery(again)


def test_sets_of_names_are_refused_and_nonsense_too(tmp_path: Path) -> None:
    (tmp_path / "level.gset").write_text("f level.obj")
    with pytest.raises(BadInput, match="holds no polygons"):
        read_navmesh(tmp_path / "level.gset")
    with pytest.raises(BadInput, match="Could not read"):
        read_navmesh(tmp_path / "nothing.json")
    with pytest.raises(BadInput, match="not int"):
        read_navmesh(5)  # type: ignore[arg-type]


def closed_yard() -> NavMesh:
    """Plain ground with a closed door in it, and ground of an area that is in no table of names."""
    vertices, triangles = scenes.flat(12.0)
    boxes = [
        BoxVolume(area=7, min=(2, -1, 2), max=(5, 1, 5)),
        BoxVolume(door="gate", closed=True, min=(7, -1, 0), max=(8, 1, 12)),
    ]
    return build_navmesh(vertices, triangles, volumes=boxes, area_types={7: 64})


def areas_and_flags(path: Path) -> set[tuple[int, int]]:
    there = read_navmesh_file(path)
    return set(zip(there.area.tolist(), there.flags.tolist(), strict=True))


def test_areas_that_no_table_names_keep_the_flags_that_a_bin_has(tmp_path: Path) -> None:
    """A .glb has flags by area: those of RecastDemo's table are 0 for area 7, which nobody would walk on."""
    write_navmesh(closed_yard(), tmp_path / "yard.bin")
    for ending in ("glb", "json", "tscn"):
        assert main(["convert", str(tmp_path / "yard.bin"), "-o", str(tmp_path / f"yard.{ending}"), "--quiet"]) == 0
        assert {flags for area, flags in areas_and_flags(tmp_path / f"yard.{ending}") if area == 7} == {64}
    told = json.loads((tmp_path / "yard.json").read_text(encoding="utf-8"))["area_types"]
    assert told["7"] == {"name": "area 7", "flags": 64, "cost": 1.0} and told["0"]["flags"] == 1


@pytest.mark.parametrize("ending", ["bin", "json", "tres", "tscn"])
def test_flags_of_polygons_are_not_told_lost_where_they_stay(
    ending: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_navmesh(closed_yard(), tmp_path / "yard.bin")
    assert main(["convert", str(tmp_path / "yard.bin"), "-o", str(tmp_path / f"again.{ending}"), "--quiet"]) == 0
    assert areas_and_flags(tmp_path / f"again.{ending}") == {(0, 0), (0, 1), (7, 64)}
    assert "other flags" not in capsys.readouterr().err


def test_flags_of_polygons_are_told_lost_where_they_go(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_navmesh(closed_yard(), tmp_path / "yard.bin")
    outputs = [str(tmp_path / "again.bin"), str(tmp_path / "again.glb")]
    assert main(["convert", str(tmp_path / "yard.bin"), "-o", *outputs, "--quiet"]) == 0
    assert areas_and_flags(tmp_path / "again.glb") == {(0, 1), (7, 64)}
    assert "have other flags" in capsys.readouterr().err


def test_a_tres_of_finer_tiles_says_how_fine_they_are(tmp_path: Path) -> None:
    vertices, triangles = scenes.flat(12.0)
    finer = BoxVolume(resolution=0.5, min=(1, -1, 1), max=(3.1, 1, 3.2))
    write_navmesh(build_navmesh(vertices, triangles, Settings(tile_size=16), volumes=[finer]), tmp_path / "n.tres")
    assert read_navmesh_file(tmp_path / "n.tres").lattice == pytest.approx(0.15)


@pytest.mark.parametrize("finer", [False, True])
@pytest.mark.parametrize("mesh", [scenes.plaza(4), scenes.stairs(), scenes.city(2)], ids=["plaza", "stairs", "city"])
def test_tiles_of_a_bin_are_joined_in_other_files(mesh: scenes.Mesh, finer: bool, tmp_path: Path) -> None:
    """Each tile reckons its corners from its own origin, and a border has the corners of each side."""
    volumes = [BoxVolume(resolution=0.5, min=(2, -9, 2), max=(5, 9, 5))] if finer else []
    navmesh = build_navmesh(*mesh, Settings(cell_size=0.2, tile_size=16), volumes=volumes)
    write_navmesh(navmesh, tmp_path / "level.bin")
    islands = len(find_islands(read_navmesh(tmp_path / "level.bin")).square_metres)
    assert len(navmesh.tiles) > 4
    for ending in ("json", "glb", "tscn", "tres"):
        out = tmp_path / f"level.{ending}"
        assert main(["convert", str(tmp_path / "level.bin"), "-o", str(out), "--quiet"]) == 0
        assert len(plain_islands(read_navmesh_file(out))[1]) == islands, ending
    read = read_navmesh_file(tmp_path / "level.bin")
    assert len(plain_islands(read._replace(file=None))[1]) == islands
    assert len(read.area) == len(plain(navmesh).area)
