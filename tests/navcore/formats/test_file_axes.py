"""Mesh files with another axis up, in other units: they become metres, y up, and nothing else does."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from navcore import BadInput, Scene, read_mesh
from navcore.__main__ import main
from navcore.formats.file_axes import UNITS, UPS, FileAxes
from tests import scenes

BECOMES = {
    "y": (1, 2, 3), "z": (1, 3, -2), "x": (-2, 1, 3), "-y": (1, -2, -3), "-z": (1, -3, 2), "-x": (2, -1, 3),
}  # fmt: skip
METRES = {"m": 1.0, "cm": 0.01, "mm": 0.001, "in": 0.0254, "ft": 0.3048, "quake": 1 / 32}
LEVEL = scenes.join([scenes.box(0, -1, 0, 20, 1, 20), scenes.box(4, 0, 4, 6, 3, 6)])


def in_file(up: str, unit: str = "m", scale: float = 1.0) -> FileAxes:
    return FileAxes(up, unit, scale)


def as_another_has_it(up: str, factor: float) -> np.ndarray:
    """The level's corners as a file has them that becomes the level: turned back and made larger."""
    rows = np.array(in_file(up).rows())
    return (np.asarray(LEVEL[0], np.float64) @ rows) / factor  # the inverse of a turn is its transpose


@pytest.mark.parametrize("up", UPS)
def test_a_point_becomes_what_the_contract_says(up: str) -> None:
    assert set(UPS) == set(BECOMES)
    points = np.array([[1, 2, 3]], np.float32)
    assert in_file(up).points(points).tolist() == [list(BECOMES[up])]
    assert in_file(up).place((1.0, 2.0, 3.0)) == BECOMES[up]
    assert np.linalg.det(in_file(up).rows()) == pytest.approx(1), "a turn, so that faces look where they looked"


def test_units_are_multiplied_and_scale_after_them() -> None:
    assert pytest.approx(METRES) == UNITS
    for unit, metres in METRES.items():
        points = np.array([[0, 1000, 0]], np.float32)
        assert in_file("y", unit, 3.0).points(points)[0, 1] == np.float32(1000 * metres * 3.0)


def test_whole_numbers_are_not_cut_off_and_doubles_stay_doubles() -> None:
    assert in_file("y", "cm").points(np.array([[150, 0, 0]], np.int32)).tolist() == [[1.5, 0, 0]]
    assert in_file("z").points(np.array([[0.1, 0, 0]], np.float64)).dtype == np.float64


@pytest.mark.parametrize("up", UPS)
@pytest.mark.parametrize("ending", [".obj", ".npz", ".glb", ".stl"])
def test_every_format_is_turned(up: str, ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"level{ending}"
    write(path, as_another_has_it(up, 0.25))
    read = read_mesh(path, up=up, scale=0.25)
    corners = read.vertices[np.asarray(read.triangles).ravel()]
    wanted = np.asarray(LEVEL[0], np.float64)[np.asarray(LEVEL[1]).ravel()]
    np.testing.assert_allclose(corners, wanted, atol=1e-6)


def write(path: Path, corners: np.ndarray) -> None:
    trimesh = pytest.importorskip("trimesh")
    triangles = np.asarray(LEVEL[1])
    if path.suffix == ".npz":
        np.savez(path, verts=corners, tris=triangles)
    elif path.suffix == ".obj":
        path.write_text(scenes.obj_text((corners, triangles)))
    else:
        trimesh.Trimesh(corners, triangles, process=False).export(path)


def test_areas_are_given_as_for_the_turned_level(tmp_path: Path) -> None:
    """A triangle that is no more than a line is cleared by what the build sees, not by what the file says."""
    lines = ["v 0 0 0", "v 1 0 0", "v 3 0 0", "v 0.1 0.3 0.7", "usemtl water", "f 1 2 4", "usemtl plain", "f 1 2 3"]
    (tmp_path / "a.obj").write_text("\n".join([*lines, ""]))
    read = read_mesh(tmp_path / "a.obj", Scene(materials={"water": 1}), up="z", unit="quake", scale=0.7)
    assert read.areas is not None and read.areas.tolist() == [1, 0]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"up": "w"}, "up must be one of"), ({"up": 2}, "up must be one of"), ({"unit": "km"}, "unit must be one of"),
        ({"scale": 0}, "above 0"), ({"scale": -1}, "above 0"), ({"scale": float("nan")}, "above 0"),
        ({"scale": float("inf")}, "above 0"), ({"scale": "2"}, "above 0"), ({"scale": True}, "above 0"),
    ],
)  # fmt: skip
def test_what_is_not_possible_is_refused_in_a_sentence(given: dict[str, object], said: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=said) as refused:
        read_mesh(tmp_path / "not there.obj", **given)  # type: ignore[arg-type]
    assert refused.value.code == "BAD_AXES"


# --- the commands


@pytest.mark.parametrize(("up", "unit", "scale"), [("z", "cm", 1.0), ("-x", "quake", 2.0), ("-z", "m", 1.0)])
def test_a_build_of_a_turned_file_is_that_of_the_level(up: str, unit: str, scale: float, tmp_path: Path) -> None:
    """Scene, seeds and what must be reached stay in metres, y up."""
    factor = METRES[unit] * scale
    np.savez(tmp_path / "turned.npz", verts=as_another_has_it(up, factor), tris=LEVEL[1])
    metres = FileAxes(up, unit, scale).points(as_another_has_it(up, factor))
    np.savez(tmp_path / "level.npz", verts=metres, tris=LEVEL[1])
    (tmp_path / "scene.json").write_text(
        json.dumps(
            {"seeds": [[2, 0, 2]], "volumes": [{"shape": "box", "area": 1, "min": [10, -1, 10], "max": [14, 1, 14]}]}
        )
    )
    (tmp_path / "must.json").write_text(json.dumps({"points": [[18, 0, 18]]}))
    words = ["--scene", tmp_path / "scene.json", "--must-reach", tmp_path / "must.json", "--prune", "--quiet"]
    axes = ["--up", up, "--unit", unit.upper(), "--scale", scale]
    run("build", tmp_path / "level.npz", "-o", tmp_path / "a.bin", *words)
    run("build", tmp_path / "turned.npz", "-o", tmp_path / "b.bin", *words, *axes)
    assert (tmp_path / "a.bin").read_bytes() == (tmp_path / "b.bin").read_bytes()


def run(*words: object) -> None:
    assert main([str(word) for word in words]) == 0


def test_why_and_pictures_of_views_read_turned_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.savez(tmp_path / "turned.npz", verts=as_another_has_it("-z", 0.01), tris=LEVEL[1])
    axes = ["--up", "-z", "--unit", "cm"]
    run("why", tmp_path / "turned.npz", "--at", "2,0,2", *axes)
    assert main([str(w) for w in ["why", tmp_path / "turned.npz", "--at", "5,3,4.05", *axes]]) == 3
    run("picture", tmp_path / "turned.npz", "--view", "POLYGONS", "-o", tmp_path / "p.svg", *axes)
    assert "WALKABLE" in capsys.readouterr().out


def test_a_navmesh_is_not_turned(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["picture", str(tmp_path / "n.bin"), "-o", str(tmp_path / "p.svg"), "--up", "z"]) == 1
    assert "--up, --unit and --scale" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words", [["--up", "w"], ["--up", "-w"], ["--unit", "km"], ["--scale", "0"], ["--scale", "nan"]]
)
def test_wrong_words_are_wrong_usage(words: list[str], tmp_path: Path) -> None:
    assert main(["build", str(tmp_path / "level.npz"), "--dry-run", *words]) == 2


def test_what_was_built_turned_otherwise_is_not_unchanged(tmp_path: Path) -> None:
    np.savez(tmp_path / "level.npz", verts=LEVEL[0], tris=LEVEL[1])
    words = ["build", tmp_path / "level.npz", "-o", tmp_path / "n.bin", "--skip-unchanged", "--quiet"]
    run(*words)
    first = (tmp_path / "n.bin").read_bytes()
    run(*words, "--scale", 1.5)
    assert (tmp_path / "n.bin").read_bytes() != first
