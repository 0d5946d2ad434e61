"""NPZ: geometry in, stage dumps out."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from ..errors import BadInput
from ..types import AnyArray

MOST_BYTES = 8 << 30  # of one array: a small archive can unpack to more than a machine holds
_HEADER = re.compile(
    rb"\{'descr': *'([<>|]?[fiu][1248])', *'fortran_order': *(True|False), *'shape': *\(([0-9, ]*)\),? *\} *\n"
)
# What zipfile and the decompressors under it raise on damaged archives.
_DAMAGED = (zipfile.BadZipFile, zlib.error, OSError, EOFError, ValueError, RuntimeError, OverflowError, MemoryError)


def read_npz(path: Path) -> tuple[AnyArray, AnyArray, AnyArray | None]:
    """`verts` (V, 3), `tris` (T, 3) and, where there, `areas` (T,), from an archive of any origin."""
    with path.open("rb") as file:
        try:
            with zipfile.ZipFile(file) as archive:
                names = archive.namelist()
                missing = [name for name in ("verts", "tris") if f"{name}.npy" not in names]
                if missing:
                    raise BadInput(f"{path.name} has no array named {' and '.join(missing)}.")
                areas = _array(archive, "areas", path) if "areas.npy" in names else None
                return _array(archive, "verts", path), _array(archive, "tris", path), areas
        except _DAMAGED as reason:
            raise _refused(path, f"{(str(reason) or type(reason).__name__)[:120]}") from None


def read_arrays(path: Path) -> dict[str, AnyArray]:
    """Every array of an archive of any origin, by name; none with more than two axes."""
    try:
        with path.open("rb") as file, zipfile.ZipFile(file) as archive:
            names = [name.removesuffix(".npy") for name in archive.namelist() if name.endswith(".npy")]
            return {name: _array(archive, name, path) for name in names}
    except FileNotFoundError:
        raise BadInput(f"{path} is not there.", "CANNOT_READ") from None
    except _DAMAGED as reason:
        raise _refused(path, f"{(str(reason) or type(reason).__name__)[:120]}") from None


def _array(archive: zipfile.ZipFile, name: str, path: Path) -> AnyArray:
    """One array of numbers. NumPy's own reader takes far more than that, and fails in far more ways."""
    member = archive.getinfo(f"{name}.npy")
    size = member.file_size
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise _refused(path, f"{name} is compressed in a way that NumPy does not write")
    if size > MOST_BYTES:
        raise BadInput(f"{path.name}: {name} has {size:,} bytes (limit {MOST_BYTES:,}).", "FILE_TOO_LARGE")
    content = archive.read(f"{name}.npy")
    version, wide = content[6:7], 2 if content[6:7] == b"\x01" else 4
    begin = 8 + wide + int.from_bytes(content[8 : 8 + wide], "little")
    header = _HEADER.fullmatch(content[8 + wide : begin])
    if content[:6] != b"\x93NUMPY" or version not in (b"\x01", b"\x02", b"\x03") or header is None:
        raise _refused(path, f"{name} is no array of numbers")
    shape = [int(word) for word in header[3].decode().split(",") if word.strip()]
    kind = np.dtype(header[1].decode())
    size = kind.itemsize
    for length in shape:
        size *= length
    if len(shape) > 2 or size != len(content) - begin:
        raise _refused(path, f"{name} is not as long as its shape {tuple(shape)} says")
    numbers = np.frombuffer(content, kind, offset=begin).copy()  # a copy may be written to, as all arrays of ours
    return numbers.reshape(shape, order="F" if header[2] == b"True" else "C")


def _refused(path: Path, why: str) -> BadInput:
    return BadInput(f"{path.name} is not an NPZ file of plain arrays: {why}. Write it with numpy.savez.")


def npz_bytes(arrays: Mapping[str, AnyArray]) -> bytes:
    """Arrays by name, compressed."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)  # type: ignore[arg-type,unused-ignore]
    return buffer.getvalue()
