"""Readers and writers: OBJ, JSON, whole-or-nothing files."""

from __future__ import annotations

import json
import os
import warnings
from pathlib import Path

import numpy as np
import pytest

from navcore import Settings, build_navmesh
from navcore.errors import BadInput
from navcore.files.atomic_write import CannotWrite, write_whole
from navcore.formats import write_navmesh
from navcore.formats.obj.obj_reader import read_obj
from tests import scenes

NAVMESH = build_navmesh(*scenes.plaza(2))


def test_obj_faces_are_fanned_and_negative_indices_count_back(tmp_path: Path) -> None:
    (tmp_path / "m.obj").write_text(
        "# a comment\nmtllib x.mtl\nv 0 0 0\nv 0 0 1 0.5\nv 1 0 1\nv 1 0 0\nvn 0 1 0\n"
        "f 1/1/1 2//1 3/2 4\nv 2 1 2\nf -1 -2 -5\n"
    )
    vertices, triangles, *_ = read_obj(tmp_path / "m.obj")
    assert vertices.tolist() == [[0, 0, 0], [0, 0, 1], [1, 0, 1], [1, 0, 0], [2, 1, 2]]
    assert triangles.tolist() == [[0, 1, 2], [0, 2, 3], [4, 3, 0]]
    assert vertices.dtype == np.float32 and triangles.dtype == np.int32


def test_obj_names_the_line_that_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "m.obj").write_text("v 0 0 0\n\nv 1 x 0\n")
    with pytest.raises(BadInput, match=r"m.obj, line 3 is not a proper OBJ line: 'v 1 x 0'"):
        read_obj(tmp_path / "m.obj")


@pytest.mark.parametrize(
    ("face", "text"),
    [
        ("f 1 2", "m.obj, line 2: a face needs at least 3 corners, not 2."),
        ("f 1 2 2147483648", "m.obj, line 2 is not a proper OBJ line: 'f 1 2 2147483648'"),
        ("f 1 2 1.5", "m.obj, line 2 is not a proper OBJ line: 'f 1 2 1.5'"),
    ],
)
def test_obj_faces_that_are_none_are_refused(tmp_path: Path, face: str, text: str) -> None:
    (tmp_path / "m.obj").write_text(f"v 0 0 0\n{face}\n")
    with pytest.raises(BadInput, match=text):
        read_obj(tmp_path / "m.obj")


def test_obj_numbers_beyond_float32_are_refused_and_nobody_hears_of_a_cast(tmp_path: Path) -> None:
    (tmp_path / "m.obj").write_text("v 0 1e39 0\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(BadInput, match=r"line 1 .* beyond 3.4e38"):
            read_obj(tmp_path / "m.obj")


def test_obj_output_holds_both_meshes_in_metres(tmp_path: Path) -> None:
    write_navmesh(NAVMESH, tmp_path / "n.obj")
    lines = (tmp_path / "n.obj").read_text().splitlines()
    detail_at = lines.index("g detail")
    polygon_lines = [line for line in lines[:detail_at] if line.startswith("f ")]
    assert len(polygon_lines) == NAVMESH.report.counts["polygons"]
    vertices = read_obj(tmp_path / "n.obj").vertices
    assert NAVMESH.detail_mesh is not None
    count = NAVMESH.report.counts["vertices"]
    assert vertices[count:].tobytes() == NAVMESH.detail_mesh.vertices.tobytes()
    low, high = vertices.min(0), vertices.max(0)
    assert (low >= [0, 0, 0]).all() and (high <= [9, 2.6, 9]).all()
    used = {int(w) for line in lines[detail_at:] if line.startswith("f ") for w in line.split()[1:]}
    assert min(used) > count and max(used) == len(vertices)


def test_json_output_is_complete(tmp_path: Path) -> None:
    write_navmesh(NAVMESH, tmp_path / "n.JSON")
    exported = json.loads((tmp_path / "n.JSON").read_text())
    assert (exported["format"], exported["version"], exported["up"]) == ("navmesh", 1, "y")
    mesh, detail = exported["polygon_mesh"], exported["detail_mesh"]
    count = NAVMESH.report.counts["polygons"]
    assert {len(mesh[k]) for k in ("polygons", "neighbors", "areas", "flags", "regions")} == {count}
    for polygon, row in enumerate(mesh["neighbors"]):
        assert len(row) == len(mesh["polygons"][polygon])
        for edge, neighbor in enumerate(row):
            if neighbor is not None:
                a, b = mesh["polygons"][polygon][edge], mesh["polygons"][polygon][(edge + 1) % len(row)]
                corners = mesh["polygons"][neighbor]
                assert (b, a) in zip(corners, corners[1:] + corners[:1], strict=True)
    assert set(mesh["areas"]) == {0} and set(mesh["flags"]) == {1}
    assert len(detail["triangles"]) == len(detail["polygon"]) == NAVMESH.report.counts["detail_triangles"]
    assert max(map(max, detail["triangles"])) < len(detail["vertices"])
    assert Settings.from_mapping(exported["settings"]) == NAVMESH.settings


def test_output_without_detail_mesh(tmp_path: Path) -> None:
    navmesh = build_navmesh(*scenes.plaza(2), Settings(detail_mesh=False))
    write_navmesh(navmesh, tmp_path / "n.json")
    write_navmesh(navmesh, tmp_path / "n.obj")
    assert "detail_mesh" not in json.loads((tmp_path / "n.json").read_text())
    assert "g detail" not in (tmp_path / "n.obj").read_text()


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "f.bin"
    path.write_bytes(b"old")
    write_whole(path, b"new")
    assert path.read_bytes() == b"new"
    assert [p.name for p in tmp_path.iterdir()] == ["f.bin"]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_an_error_while_writing_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    path = tmp_path / "f.bin"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, step, fail)
    with pytest.raises(CannotWrite, match="No space left on device"):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["f.bin"]


def test_what_a_killed_process_left_is_swept_when_the_file_is_written_again(tmp_path: Path) -> None:
    path = tmp_path / "level (1).bin"
    ours, others = tmp_path / ".level (1).bin.0123abcd.part", tmp_path / ".level (1).bin.backup.part"
    fresh, elsewhere = tmp_path / ".level (1).bin.4567cdef.part", tmp_path / ".level.bin.0123abcd.part"
    folder = tmp_path / ".level (1).bin.89abcdef.part"
    folder.mkdir()
    for left in (ours, others, fresh, elsewhere):
        left.write_bytes(b"half")
    for old in (ours, others, elsewhere, folder):
        os.utime(old, (1.7e9, 1.7e9))
    write_whole(path, b"whole")
    assert path.read_bytes() == b"whole"
    assert set(tmp_path.iterdir()) == {path, others, fresh, elsewhere, folder}, "ours, of this file, and old"


def test_a_new_file_gets_ordinary_permissions(tmp_path: Path) -> None:
    (tmp_path / "ordinary").write_bytes(b"")
    write_whole(tmp_path / "ours", b"")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "ordinary").stat().st_mode
