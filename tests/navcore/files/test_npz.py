"""Archives of arrays, whole and damaged."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import numpy as np
import pytest

from navcore.errors import BadInput
from navcore.files import npz
from navcore.files.npz import npz_bytes, read_npz
from tests import scenes


def archive(folder: Path, members: dict[str, bytes], method: int = zipfile.ZIP_STORED) -> Path:
    with zipfile.ZipFile(folder / "m.npz", "w", method) as file:
        for name, content in members.items():
            file.writestr(name, content)
    return folder / "m.npz"


def plain(array: np.ndarray) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


@pytest.mark.parametrize("kind", ["<f4", ">f8", "<f2", "<i2"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_numbers_of_every_kind_come_back(tmp_path: Path, kind: str, order: str) -> None:
    vertices, triangles = scenes.flat(6, 3)
    given = np.array(vertices, kind, order=order)  # type: ignore[call-overload]
    path = tmp_path / "m.npz"
    np.savez(path, verts=given, tris=triangles.astype(np.int64), areas=np.arange(8, dtype=np.uint8))
    found = read_npz(path)
    assert found[0].dtype == given.dtype and (found[0] == given).all() and found[0].flags.writeable
    assert found[1].tolist() == triangles.tolist()
    assert found[2] is not None and found[2].tolist() == list(range(8))


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_no_damage_has_an_error_without_a_name(tmp_path: Path, method: int) -> None:
    """Every byte set to five values, and every length: read or refused, nothing else."""
    vertices, triangles = scenes.flat(4)
    path = archive(tmp_path, {"verts.npy": plain(vertices), "tris.npy": plain(triangles)}, method)
    whole = path.read_bytes()
    damaged = [whole[:length] for length in range(len(whole))]
    damaged += [whole[:i] + bytes([b]) + whole[i + 1 :] for i in range(len(whole)) for b in (0, 1, 0x7F, 0x80, 0xFF)]
    messages = []
    for content in damaged:
        path.write_bytes(content)
        try:
            read_npz(path)
        except BadInput as reason:
            messages.append(str(reason))
    assert len(messages) > len(whole)
    assert all(text.startswith("m.npz ") and len(text) < 200 for text in messages)


@pytest.mark.parametrize(
    ("verts", "why"),
    [
        (b"", "no array of numbers"),
        (b"\x93NUMPY\x01\x00", "no array of numbers"),
        (plain(np.zeros((2, 3))).replace(b"<f8", b"|O8"), "no array of numbers"),
        (plain(np.zeros((2, 3))).replace(b"NUMPY\x01", b"NUMPY\x09"), "no array of numbers"),
        (plain(np.zeros((2, 3)))[:-1], "not as long as its shape (2, 3) says"),
        (plain(np.zeros((2, 3))).replace(b"(2, 3)", b"(9, 3)"), "not as long as its shape (9, 3) says"),
        (plain(np.zeros((2, 3, 1))), "not as long as its shape"),
        (plain(np.zeros((2, 3))).replace(b"(2, 3)", b"(2 3,)"), "invalid literal"),
    ],
)
def test_arrays_that_are_none_are_refused(tmp_path: Path, verts: bytes, why: str) -> None:
    path = archive(tmp_path, {"verts.npy": verts, "tris.npy": plain(np.zeros((1, 3), np.int32))})
    with pytest.raises(BadInput) as caught:
        read_npz(path)
    assert why in str(caught.value)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_compressions_are_refused(tmp_path: Path, method: int) -> None:
    path = archive(tmp_path, {"verts.npy": plain(np.zeros((3, 3))), "tris.npy": b""}, method)
    with pytest.raises(BadInput, match="in a way that NumPy does not write"):
        read_npz(path)


def test_headers_of_version_2_are_read(tmp_path: Path) -> None:
    file = io.BytesIO()
    np.lib.format.write_array(file, np.zeros((2, 3)), version=(2, 0))
    path = archive(tmp_path, {"verts.npy": file.getvalue(), "tris.npy": plain(np.zeros((1, 3), np.int32))})
    assert read_npz(path)[0].shape == (2, 3)


def test_an_archive_that_unpacks_to_more_than_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npz, "MOST_BYTES", 1000)
    (tmp_path / "m.npz").write_bytes(
        npz_bytes({"verts": np.zeros((100, 3), np.float32), "tris": np.zeros((1, 3), int)})
    )
    with pytest.raises(BadInput, match=r"verts has 1,328 bytes \(limit 1,000\)") as caught:
        read_npz(tmp_path / "m.npz")
    assert caught.value.code == "FILE_TOO_LARGE"
