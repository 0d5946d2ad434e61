"""Levels that trimesh reads: the same triangles in the same order, refusals in sentences, and without it."""

from __future__ import annotations

import io
import subprocess
import sys
import warnings
import zipfile
from pathlib import Path

import numpy as np
import pytest

from navcore import Scene, Settings, build_navmesh, read_mesh, write_navmesh
from navcore.__main__ import main
from navcore.errors import NavmeshError
from tests import scenes
from tests.navcore.formats.trimesh_examples import FACETS, FILES, OFF, PLY, PLY_BINARY, STL, STL_BINARY

ROOT = Path(__file__).resolve().parents[3]


def written(tmp_path: Path, name: str, content: bytes | str) -> Path:
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def refusal(path: Path) -> NavmeshError:
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        with pytest.raises(NavmeshError) as refused:
            read_mesh(path)
    assert (
        not warned
        and refused.value.code
        and str(refused.value).startswith(path.name)
        and str(refused.value).endswith(".")
    )
    return refused.value


@pytest.mark.parametrize("name", FILES)
def test_triangles_come_as_the_file_has_them(tmp_path: Path, name: str) -> None:
    mesh = read_mesh(written(tmp_path, name, FILES[name]))
    assert mesh.vertices[mesh.triangles].tolist() == FACETS, "nothing is merged, turned or put in another order"
    assert mesh.vertices.dtype == np.float32 and mesh.triangles.dtype == np.int32 and mesh.areas is None


@pytest.mark.parametrize("ending", ["ply", "stl", "off"])
def test_a_level_gives_the_navmesh_of_its_obj(tmp_path: Path, ending: str) -> None:
    import trimesh

    vertices, triangles = scenes.plaza(3)
    lines = [f"v {' '.join(map(repr, row))}\n" for row in vertices.tolist()]
    (tmp_path / "level.obj").write_text(
        "".join(lines + [f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in triangles.tolist()])
    )
    trimesh.Trimesh(vertices, triangles, process=False).export(tmp_path / f"level.{ending}")
    contents = set()
    for name in ("level.obj", f"level.{ending}"):
        mesh = read_mesh(tmp_path / name)
        assert (mesh.vertices[mesh.triangles] == vertices.astype(np.float32)[triangles]).all()
        write_navmesh(build_navmesh(mesh.vertices, mesh.triangles, Settings(cell_size=0.3)), tmp_path / "n.bin")
        contents.add((tmp_path / "n.bin").read_bytes())
    assert len(contents) == 1


def test_faces_of_many_corners_are_fans(tmp_path: Path) -> None:
    ring = [[0, 0, 0], [0, 0, 4], [2, 0, 5], [4, 0, 4], [4, 0, 0]]
    points = "".join(f"{x} {y} {z}\n" for x, y, z in ring)
    ply = (
        PLY[: PLY.index("0 0 0\n")].replace("vertex 4", "vertex 5").replace("face 2", "face 1")
        + points
        + "5 0 1 2 3 4\n"
    )
    for path in (written(tmp_path, "l.ply", ply), written(tmp_path, "l.off", f"OFF\n5 1 0\n{points}5 0 1 2 3 4\n")):
        assert read_mesh(path).triangles.tolist() == [[0, 1, 2], [0, 2, 3], [0, 3, 4]]


def test_solids_of_an_stl_become_areas(tmp_path: Path) -> None:
    mesh = read_mesh(written(tmp_path, "level.stl", STL), Scene(groups={"Pond": "water", "Lake": 2}))
    assert mesh.areas is not None and mesh.areas.tolist() == [63, 1]
    assert [warning.code for warning in mesh.warnings] == ["NAME_NOT_FOUND"]


@pytest.mark.parametrize(
    ("name", "content", "code", "text"),
    [
        ("l.ply", "", "BAD_INPUT", "trimesh says “Not a ply file!”"),
        ("l.ply", "ply\nformat ascii 1.0\n", "BAD_INPUT", "could not be read"),
        ("l.ply", PLY.replace("0 0 10\n", "0 0 x\n", 1), "BAD_INPUT", "could not be read"),
        ("l.ply", PLY.replace("0 0 10\n", "0 0 nan\n", 1), "NOT_FINITE", "1 of 4 vertices of 'l'"),
        ("l.ply", PLY.replace("0 0 10\n", "0 0 1e39\n", 1), "NOT_FINITE", "1 of 4 vertices of 'l'"),
        (
            "l.ply",
            PLY.replace("3 0 2 3", "3 0 2 4"),
            "INDEX_OUT_OF_RANGE",
            "with the vertex 4, and its vertices are numbered",
        ),
        ("l.ply", PLY.replace("3 0 2 3", "3 0 2 -1"), "INDEX_OUT_OF_RANGE", "with the vertex -1"),
        ("l.ply", PLY.replace("property float x", "property list uchar float x"), "BAD_INPUT", "could not be read"),
        ("l.ply", PLY.replace("3 0 2 3\n", ""), "BAD_INPUT", "of 2 rows of “face” there are 1"),
        ("l.ply", PLY.replace("face 2", "face 0"), "NO_TRIANGLES", "has no triangles to build from"),
        ("l.ply", PLY_BINARY[:-1], "BAD_INPUT", "PLY is unexpected length!"),
        ("l.ply", PLY_BINARY.replace(b"face 2", b"face 9999999999"), "BAD_INPUT", "PLY is unexpected length!"),
        ("l.stl", b"", "BAD_INPUT", "could not be read"),
        ("l.stl", STL_BINARY[:-1], "BAD_INPUT", "could not be read"),
        ("l.stl", STL[: STL.index("endsolid Pond")], "BAD_INPUT", "of 2 facets in its text 1 are whole"),
        ("l.stl", STL.replace("vertex 10 0 0", "vertex 10 0 ?"), "BAD_INPUT", "could not be read"),
        ("l.stl", STL.replace("vertex 10 0 0", "vertex 10 0 inf"), "NOT_FINITE", "of 'Pond'"),
        ("l.off", "", "BAD_INPUT", "could not be read"),
        ("l.off", OFF.replace("3 0 2 3\n", ""), "BAD_INPUT", "of 2 faces only 1 are there"),
        ("l.off", OFF.replace("3 0 2 3", "4 0 2 3"), "BAD_INPUT", "some of them in part"),
        ("l.off", OFF.replace("3 0 2 3", "3 0 2 4"), "BAD_INPUT", "face index outside the range"),
        ("l.off", OFF.replace("4 2 0", "4 2e9 0"), "BAD_INPUT", "could not be read"),
        ("l.off", OFF.replace("10 0 10", "10 0"), "BAD_INPUT", "could not be read"),
    ],
)
def test_what_is_damaged_is_refused_in_a_sentence(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], name: str, content: bytes | str, code: str, text: str
) -> None:
    refused = refusal(written(tmp_path, name, content))
    assert (refused.code, text in str(refused)) == (code, True), str(refused)
    assert capfd.readouterr() == ("", ""), "nobody else says anything"


@pytest.mark.parametrize("name", ["b.ply", "e.stl"])
def test_wherever_a_file_is_cut_off_it_is_refused(tmp_path: Path, name: str) -> None:
    for length in range(len(FILES[name])):
        refusal(written(tmp_path, "l." + name[2:], FILES[name][:length]))


@pytest.mark.parametrize("name", ["a.ply", "c.off", "d.stl"])
def test_text_that_is_cut_off_within_a_line_is_refused(tmp_path: Path, name: str) -> None:
    content = FILES[name].rstrip()
    content = content[content.find(b"solid Pond") :].removesuffix(b"d Pond") if name == "d.stl" else content
    for length in range(0, len(content), 3):
        refusal(written(tmp_path, "l." + name[2:], content[:length]))


@pytest.mark.parametrize("ending", [".ply", ".stl", ".off", ".3mf"])
def test_without_trimesh_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], ending: str
) -> None:
    monkeypatch.setitem(sys.modules, "trimesh.exchange.load", None)
    path = written(tmp_path, f"level{ending}", b"")
    assert main(["build", str(path), "--dry-run"]) == 1
    said = capsys.readouterr().err
    assert said.startswith(f"navcore: NEEDS_TRIMESH: level{ending}: {ending} files are read with trimesh")
    assert "pip install navmesh[formats]" in said


def test_what_trimesh_would_log_is_not_printed(tmp_path: Path) -> None:
    """Of normals that are no numbers it logs a traceback; nobody needs them. In a process where nobody handles logs."""
    path = written(tmp_path, "level.stl", STL.replace("normal 0 1 0", "normal 0 1 x"))
    script = "import sys; from navcore import read_mesh; print(len(read_mesh(sys.argv[1]).triangles))"
    done = subprocess.run([sys.executable, "-c", script, path], cwd=ROOT, capture_output=True, text=True)
    assert (done.stdout, done.stderr, done.returncode) == ("2\n", "", 0)


def test_trimesh_is_loaded_only_for_what_it_reads() -> None:
    script = "import sys, navcore.__main__, navcore.formats.mesh_files; sys.exit('trimesh' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], cwd=ROOT).returncode == 0


def archive(model: str, name: str = "3D/3dmodel.model") -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr(name, model)
    return buffer.getvalue()


MODEL = """<?xml version="1.0"?>
<model unit="{unit}" xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02"><resources>
<object id="1" name="Floor" type="model"><mesh><vertices><vertex x="0" y="0" z="0"/><vertex x="10" y="0" z="0"/>
<vertex x="10" y="10" z="0"/></vertices><triangles><triangle v1="0" v2="1" v3="2"/></triangles></mesh></object>
</resources><build><item objectid="1"/><item objectid="1" transform="-1 0 0 0 1 0 0 0 1 5 0 3"/></build></model>"""


def test_a_3mf_is_in_metres_and_y_up_whatever_its_unit(tmp_path: Path) -> None:
    pytest.importorskip("lxml")
    pytest.importorskip("networkx")
    for unit, size in (("meter", 1.0), ("inch", 0.0254), ("millimeter", 0.001)):
        mesh = read_mesh(written(tmp_path, "l.3mf", archive(MODEL.format(unit=unit))), Scene(groups={"Floor": 2}))
        expected = [[[0, 0, 0], [10, 0, 0], [10, 0, -10]], [[-5, 3, -10], [-5, 3, 0], [5, 3, 0]]]
        assert np.allclose(mesh.vertices[mesh.triangles], np.multiply(expected, size), atol=1e-6)
        assert mesh.areas is not None and mesh.areas.tolist() == [2, 2]
    assert "there is no unit 'ell'" in str(refusal(written(tmp_path, "l.3mf", archive(MODEL.format(unit="ell")))))
    refusal(written(tmp_path, "l.3mf", b"PK"))
    refusal(written(tmp_path, "l.3mf", archive(MODEL[:300])))


def test_packages_that_trimesh_needs_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("navcore.formats.trimesh_files.find_spec", lambda _: None)
    refused = refusal(written(tmp_path, "l.3mf", archive(MODEL)))
    assert refused.code == "NEEDS_A_PACKAGE" and "pip install lxml networkx" in str(refused)


def test_an_archive_that_unpacks_to_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("navcore.formats.trimesh_files.find_spec", lambda _: True)
    monkeypatch.setattr("navcore.formats.trimesh_files.MOST_UNPACKED", 1000)
    assert refusal(written(tmp_path, "l.3mf", archive("x" * 1001))).code == "FILE_TOO_LARGE"
