"""glTF files that are damaged, hostile or of another kind: refused in a sentence; no other file is opened."""

from __future__ import annotations

import contextlib
import json
import os
import struct
from pathlib import Path
from typing import Any

import pytest

from navcore import BadInput, read_mesh
from navcore.__main__ import main
from navcore.errors import Cancelled, NavmeshError
from navcore.progress import Progress
from tests.navcore.formats.glb_files import SHORT, SQUARE, GltfFile, square


def refusal(path: Path) -> NavmeshError:
    with pytest.raises(NavmeshError) as refused:
        read_mesh(path)
    assert refused.value.code and str(refused.value).endswith(".") and len(str(refused.value)) < 400
    return refused.value


def of_json(tmp_path: Path, *places: Any, value: Any) -> NavmeshError:
    """What is said where one value of a sound file is another; ... takes it away."""
    file = square()
    owner: Any = file.json
    for place in places[:-1]:
        owner = owner[place]
    if value is ...:
        del owner[places[-1]]
    else:
        owner[places[-1]] = value
    return refusal(file.write(tmp_path / "level.glb"))


@pytest.mark.parametrize(
    ("places", "value", "text"),
    [
        (("asset",), ..., "it is no glTF (it has no version), and glTF 2 is read"),
        (("asset", "version"), "1.0", "it is glTF 1.0, and glTF 2 is read"),
        (("scene",), 3, "“scene” is 3, and there are 1 to choose from, counted from 0"),
        (("scene",), True, "“scene” must be a whole number from 0 on, not True"),
        (("nodes",), {}, "“nodes” is no list of objects"),
        (("nodes", 0, "mesh"), -1, "“mesh” must be a whole number from 0 on, not -1"),
        (("nodes", 0, "mesh"), 1, "“mesh” is 1, and there are 1 to choose from"),
        (("nodes", 0, "name"), 5, "“name” is no text"),
        (("nodes", 0, "children"), [0], "node 0 is below two nodes, or below itself"),
        (("nodes", 0, "children"), [9], "“children” is 9, and there are 1 to choose from"),
        (("nodes", 0, "children"), "0", "“children” is no list of whole numbers"),
        (("nodes", 0, "matrix"), [1, 2], "“matrix” must be 16 numbers, not [1, 2]"),
        (("nodes", 0, "scale"), [1, "2", 3], "“scale” must be 3 numbers"),
        (("nodes", 0, "rotation"), [0, 0, 0, 0], "a node's “rotation” is no rotation"),
        (("nodes", 0, "extensions"), {"EXT_mesh_gpu_instancing": {}}, "Export without GPU instances"),
        (("extensionsRequired",), ["KHR_draco_mesh_compression"], "Export without compression"),
        (("extensionsRequired",), ["EXT_new"], "it needs the glTF extension EXT_new, which is not read"),
        (("meshes", 0, "primitives", 0, "mode"), 7, "“mode” is 7, and there are 0 to 6"),
        (("meshes", 0, "primitives", 0, "material"), 0, "“material” is 0, and there are 0 to choose from"),
        (("meshes", 0, "primitives", 0, "indices"), ..., "'mesh 0' has 4 corners, which make no whole triangles"),
        (("meshes", 0, "primitives", 0, "indices"), 0, "accessor 0 holds indices and must be whole numbers"),
        (("accessors", 0, "type"), "VEC2", "accessor 0 holds positions and must be VEC3, not 'VEC2'"),
        (("accessors", 0, "componentType"), 5130, "“componentType” is 5130, and there is no such kind"),
        (("accessors", 0, "count"), 10**12, "do not fit where “bufferViews” says that they are"),
        (("accessors", 0, "bufferView"), ..., "accessor 0 has no bytes (compressed meshes are not read"),
        (("bufferViews", 0, "byteStride"), 4, "4 numbers of 12 bytes do not fit"),
        (("bufferViews", 0, "byteOffset"), 1000, "do not fit where “bufferViews” says"),
        (("bufferViews", 0, "buffer"), 1, "“buffer” is 1, and there are 1 to choose from"),
        (
            ("buffers", 0, "byteLength"),
            10**9,
            "Buffer 0 of level.glb ends too early: it should have 1,000,000,000 bytes",
        ),
        (("buffers", 0, "byteLength"), "60", "“byteLength” must be a whole number from 0 on, not '60'"),
    ],
)
def test_values_that_cannot_be_are_refused(tmp_path: Path, places: tuple[Any, ...], value: Any, text: str) -> None:
    assert text in str(of_json(tmp_path, *places, value=value))


@pytest.mark.parametrize(
    ("points", "indices", "node", "code", "text"),
    [
        ([[0, 0, float("nan")], *SQUARE[1:]], [0, 1, 2], {"name": "Rock"}, "NOT_FINITE", "1 of 4 vertices of 'Rock'"),
        (SQUARE, [0, 1, 2], {"scale": [1e300, 1, 1]}, "NOT_FINITE", "2 of 4 vertices of 'mesh 0'"),
        (
            SQUARE,
            [0, 1, 4],
            {},
            "INDEX_OUT_OF_RANGE",
            "a triangle with the vertex 4, and its vertices are numbered from 0 to 3",
        ),
        (SQUARE, [], {}, "NO_TRIANGLES", "level.glb has no triangles to build from"),
    ],
)
def test_numbers_that_cannot_be_built_from(
    tmp_path: Path, points: Any, indices: list[int], node: dict[str, Any], code: str, text: str
) -> None:
    file = GltfFile()
    file.node(mesh=file.mesh(file.primitive(points, indices)), **node)
    refused = refusal(file.write(tmp_path / "level.glb"))
    assert refused.code == code and text in str(refused)


def test_wherever_a_file_is_cut_off_it_says_so(tmp_path: Path) -> None:
    path, content = tmp_path / "level.glb", square().glb()
    for length in range(len(content)):
        path.write_bytes(content[:length])
        refused = refusal(path)
        assert refused.code == "TRUNCATED" or length < 4
    path.write_bytes(content[:8] + struct.pack("<I", len(content) - 8) + content[12:-8])
    assert refusal(path).code == "TRUNCATED", "also where the header was mended"


def test_bytes_that_are_changed_are_refused_or_read(tmp_path: Path) -> None:
    path, content = tmp_path / "level.glb", square(name="a", scale=[1, 2, 3]).glb()
    read = 0
    for at in range(len(content)):
        for value in (0, 0x22, 0x39, 0xFF):
            path.write_bytes(content[:at] + bytes([value]) + content[at + 1 :])
            with contextlib.suppress(NavmeshError):  # anything else is a find
                read += len(read_mesh(path).triangles) > 0
    assert 0 < read < 4 * len(content)


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "BAD_INPUT"),
        (b"PK\x03\x04 no level", "BAD_INPUT"),
        (struct.pack("<4sIIII", b"glTF", 1, 20, 0, 0), "BAD_VERSION"),
        (struct.pack("<4sIIII", b"glTF", 2, 20, 0, 7), "BAD_INPUT"),
        (struct.pack("<4sIIII", b"glTF", 2, 22, 2, 0x4E4F534A) + b"[]", "BAD_INPUT"),
        (struct.pack("<4sIIII", b"glTF", 2, 22, 2, 0x4E4F534A) + b"{,", "BAD_JSON"),
    ],
)
def test_what_is_no_glb_is_refused(tmp_path: Path, content: bytes, code: str) -> None:
    (tmp_path / "level.glb").write_bytes(content)
    assert refusal(tmp_path / "level.glb").code == code


def with_buffer(tmp_path: Path, uri: object) -> Path:
    """levels/level.gltf with a buffer of that address; its bytes lie in levels/ and, as a trap, above."""
    (tmp_path / "levels/deep").mkdir(parents=True, exist_ok=True)
    file = square()
    for place in ("levels/a b.bin", "levels/deep/c.bin", "above.bin"):
        (tmp_path / place).write_bytes(file.buffer)
    path = tmp_path / "levels/level.gltf"
    path.write_text(json.dumps({**file.json, "buffers": [{**file.json["buffers"][0], "uri": uri}]}))
    return path


@pytest.mark.parametrize("uri", ["a%20b.bin", "a b.bin", "./deep/c.bin", "deep/../a b.bin"])
def test_buffers_are_read_beside_the_level_and_below(tmp_path: Path, uri: str) -> None:
    assert read_mesh(with_buffer(tmp_path, uri)).vertices.tolist() == SQUARE


@pytest.mark.parametrize(
    ("uri", "text"),
    [
        ("../above.bin", "lies outside of the level's own folder"),
        ("deep/../../above.bin", "lies outside of the level's own folder"),
        ("%2e%2e/above.bin", "lies outside of the level's own folder"),
        ("..\\above.bin", "lies outside of the level's own folder"),
        ("{tmp}/above.bin", "is an address"),
        ("%2fabove.bin", "is an address"),
        ("file://{tmp}/levels/a b.bin", "is an address"),
        ("http://localhost/a.bin", "is an address"),
        ("https%3a//localhost/a.bin", "is an address"),
        ("C:\\a.bin", "is an address"),
        ("", "is an address"),
        ("a%00b", "is an address"),
        ("link.bin", "lies outside of the level's own folder"),
        ("none.bin", "is not there"),
        ("deep", "is not there"),
        ("data:text/plain,hello", "is an address"),
        ("data:;base64,?!", "is no base64"),
        ("data:;base64,AAAA", "ends too early"),
        (7, "“uri” is no text"),
    ],
)
def test_no_other_file_is_ever_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, uri: Any, text: str) -> None:
    path = with_buffer(tmp_path, uri.replace("{tmp}", str(tmp_path)) if isinstance(uri, str) else uri)
    (tmp_path / "levels/link.bin").symlink_to(tmp_path / "above.bin")
    opened: list[str] = []
    read_bytes = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda self: opened.append(self.name) or read_bytes(self))
    assert text in str(refusal(path)) and opened == ["level.gltf"]


def test_a_buffer_that_is_a_pipe_does_not_hang(tmp_path: Path) -> None:
    path = with_buffer(tmp_path, "pipe")
    os.mkfifo(path.parent / "pipe")
    assert "is not there" in str(refusal(path))


def test_a_deep_tree_and_a_wide_one_are_read(tmp_path: Path) -> None:
    file = GltfFile()
    mesh, above = file.mesh(file.primitive()), None
    for _ in range(5000):
        above = file.node(above, translation=[0, 1, 0])
    file.node(above, mesh=mesh)
    assert read_mesh(file.write(tmp_path / "level.glb")).vertices[0].tolist() == [0, 5000, 0]


def test_a_sparse_accessor_beyond_its_rows_is_refused(tmp_path: Path) -> None:
    file = GltfFile()
    primitive = file.primitive()
    where, what = file.array([4], SHORT, "SCALAR"), file.array([[10, 5, 10]])
    file.json["accessors"][0]["sparse"] = {
        "count": 1, "indices": {"bufferView": where, "componentType": SHORT}, "values": {"bufferView": what},
    }  # fmt: skip
    file.node(mesh=file.mesh(primitive))
    assert "replaces what is not there" in str(refusal(file.write(tmp_path / "level.glb")))
    file.json["accessors"][0]["sparse"]["indices"]["componentType"] = 5126
    assert "must be whole numbers without a sign" in str(refusal(file.write(tmp_path / "level.glb")))


def test_reading_can_be_stopped(tmp_path: Path) -> None:
    progress = Progress()
    progress.cancel()
    with pytest.raises(Cancelled):
        read_mesh(square().write(tmp_path / "level.glb"), progress=progress)


def test_the_command_says_it_in_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "level.glb").write_bytes(b"glTF")
    assert main(["build", str(tmp_path / "level.glb"), "--dry-run"]) == 1
    said = capsys.readouterr().err
    assert said.startswith("navcore: TRUNCATED: level.glb ends too early") and "Traceback" not in said
    assert main(["build", str(tmp_path / "none.glb"), "--dry-run"]) == 1
    assert "CANNOT_READ: Could not read" in capsys.readouterr().err


def test_an_ending_that_nobody_reads_is_refused_with_those_that_are(tmp_path: Path) -> None:
    with pytest.raises(
        BadInput, match=r"from \.obj, \.npz, \.glb, \.gltf and, with trimesh, \.ply, \.stl, \.off, \.3mf\."
    ):
        read_mesh(tmp_path / "level.dae")
