"""NPZ: geometry in, stage dumps out."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import BadInput

Array = npt.NDArray[Any]


def read_npz(path: Path) -> tuple[Array, Array, Array | None]:
    """`verts` (V, 3), `tris` (T, 3) and, where there, `areas` (T,)."""
    try:
        with np.load(path, allow_pickle=False) as data:
            missing = [name for name in ("verts", "tris") if name not in data]
            if missing:
                raise BadInput(f"{path.name} has no array named {' and '.join(missing)}.")
            return data["verts"], data["tris"], data.get("areas")
    except (ValueError, zipfile.BadZipFile, EOFError, OSError, KeyError) as reason:
        raise BadInput(f"{path.name} is not an NPZ file of plain arrays: {reason}") from None


def npz_bytes(arrays: Mapping[str, Array]) -> bytes:
    """Arrays by name, compressed."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)  # type: ignore[arg-type,unused-ignore]
    return buffer.getvalue()
