"""Levels from mesh files that trimesh reads. It is loaded when such a file is read, and not before."""

from __future__ import annotations

import io
import logging
import re
import warnings
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import BadInput, NavmeshError, TooLarge
from ..progress import Progress
from ..types import F64, I64, AnyArray
from .file_axes import AS_READ, FileAxes
from .gltf.placed_parts import AS_IT_IS, Matrix, PlacedParts, product
from .level_mesh import LevelMesh

ENDINGS = (".ply", ".stl", ".off", ".3mf")
MOST_UNPACKED = 1 << 30  # bytes
_METRES = {
    "micron": 1e-6, "millimeter": 1e-3, "centimeter": 1e-2, "inch": 0.0254, "foot": 0.3048, "meter": 1.0,
}  # fmt: skip
_CUT_SHORT = "string or file could not be read to its end"  # NumPy, of text that is no numbers; it goes on without them

Values = dict[str, Any]


class _NotWhole(ValueError):
    """What trimesh passes over, or reads and nobody can build from."""


def read_by_trimesh(
    path: Path, materials: Mapping[str, int], groups: Mapping[str, int], progress: Progress | None = None,
    axes: FileAxes = AS_READ,
) -> LevelMesh:  # fmt: skip
    """All triangles of the file, in its order. Axes are the file's own, but for .3mf, which says what they are.

    trimesh's loaders are called alone, without its meshes and scenes: those merge and mend. They see the bytes of this
    one file and nothing else. Raises BadInput, TooLarge, OSError, and Cancelled through `progress`.
    """
    progress = progress or Progress()
    progress.report("reading", 0.0)
    ending = path.suffix.lower()
    load, content = _loader(path.name, ending), path.read_bytes()
    with _refused(path.name):
        if ending == ".3mf":
            _check_unpacked(path.name, content)
        loaded = load(io.BytesIO(content), file_type=ending[1:], skip_materials=True, fix_texture=False)
    progress.check()
    progress.report("reading", 0.5)
    parts = PlacedParts(path.name, materials, groups, axes)
    with _refused(path.name):
        meshes = list(_placed_meshes(loaded, ending))
    for part, vertices, triangles, matrix in meshes:
        progress.check()
        first = parts.add_vertices(vertices, matrix, part or path.stem)
        parts.add_triangles(triangles, first, matrix, part or path.stem, "", [part])
    with _refused(path.name):
        _check_whole(content, ending, loaded, sum(len(triangles) for _, _, triangles, _ in meshes))
    return parts.finished()


def _loader(file: str, ending: str) -> Callable[..., Values]:
    """What trimesh reads files of this ending with."""
    try:
        from trimesh.exchange.load import mesh_loaders
    except ImportError:
        raise BadInput(
            f"{file}: {ending} files are read with trimesh, which is not installed: pip install navmesh[formats], or "
            "pip install trimesh. Without it .glb, .gltf, .obj and .npz are read.",
            "NEEDS_TRIMESH",
        ) from None
    if ending == ".3mf":
        missing = [package for package in ("lxml", "networkx") if find_spec(package) is None]
        if missing:
            raise BadInput(
                f"{file}: trimesh reads .3mf files with {' and '.join(missing)}, not installed here: pip install "
                f"{' '.join(missing)}. Or export the level as .glb.",
                "NEEDS_A_PACKAGE",
            )
    load: Callable[..., Values] = mesh_loaders[ending[1:]]
    return load


@contextmanager
def _refused(file: str) -> Iterator[None]:
    """Whatever trimesh raises on a damaged file as a sentence; what it would log, and read in part, too."""
    logger, silent = logging.getLogger("trimesh"), logging.NullHandler()
    logger.addHandler(silent)  # Python prints what nobody handles
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):  # what overflows is refused as not finite
            warnings.filterwarnings("error", _CUT_SHORT, DeprecationWarning)
            yield
    except (NavmeshError, OSError):
        raise
    except MemoryError:
        raise TooLarge(
            f"There is not enough memory for {file}. Free some, or split the level.", "OUT_OF_MEMORY"
        ) from None
    except Exception as reason:  # noqa: BLE001 - trimesh's loaders raise whatever Python or NumPy does on damaged files
        why = " ".join(str(reason).split())[:120] or type(reason).__name__
        why = why if isinstance(reason, _NotWhole) else f"trimesh says “{why}”"
        raise BadInput(
            f"{file} could not be read: {why}. Check whether the file is whole, and triangulate the "
            "mesh before export; or export it as .glb."
        ) from None
    finally:
        logger.removeHandler(silent)


def _check_unpacked(file: str, content: bytes) -> None:
    """A small archive can unpack to more than a machine holds."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        size = sum(member.file_size for member in archive.infolist())
    if size > MOST_UNPACKED:
        raise BadInput(
            f"{file} would unpack to {size:,} bytes (limit {MOST_UNPACKED:,}). Split the level.", "FILE_TOO_LARGE"
        )


def _placed_meshes(loaded: Values, ending: str) -> Iterator[tuple[str, AnyArray, I64, Matrix]]:
    """Name, vertices, triangles and place of each mesh: one, several by name, or several that a graph places."""
    upright = _upright(loaded) if ending == ".3mf" else AS_IT_IS
    meshes = loaded.get("geometry", {loaded.get("metadata", {}).get("name", ""): loaded})
    placed = loaded.get("graph") or [{"geometry": name, "matrix": None} for name in meshes]
    for place in placed:
        name = place["geometry"]
        mesh = meshes[name]
        if mesh.get("faces") is None or len(mesh["faces"]) == 0:
            continue  # points
        vertices, faces = np.asarray(mesh["vertices"]), np.asarray(mesh["faces"])
        if vertices.ndim != 2 or vertices.shape[1] != 3 or vertices.dtype.kind not in "fiu":
            raise _NotWhole("its vertices are not three numbers each")
        if faces.ndim != 2 or faces.dtype.kind not in "iu":
            raise _NotWhole("its faces are no lists of whole numbers")
        corners = faces.shape[1]  # of each
        if corners < 3:
            raise _NotWhole(f"it has faces with {corners} corners")
        faces = np.stack([faces[:, [0, at, at + 1]] for at in range(1, corners - 1)], axis=1).reshape(-1, 3)
        matrix = AS_IT_IS if place["matrix"] is None else _rows(place["matrix"])
        yield str(name), vertices, faces.astype(np.int64), product(upright, matrix)


def _rows(matrix: F64) -> Matrix:
    x, y, z = (tuple(row) for row in np.asarray(matrix, np.float64)[:3, :4].tolist())
    return x, y, z


def _upright(loaded: Values) -> Matrix:
    """To metres with y up, from the unit of the file with z up."""
    unit = str(loaded.get("metadata", {}).get("units", "")).lower().removesuffix("s")
    unit = {"inche": "inch", "feet": "foot"}.get(unit, unit)
    if unit not in _METRES:
        raise _NotWhole(f"there is no unit {unit[:40]!r}")
    size = _METRES[unit]
    return (size, 0.0, 0.0, 0.0), (0.0, 0.0, size, 0.0), (0.0, -size, 0.0, 0.0)


def _check_whole(content: bytes, ending: str, loaded: Values, triangle_count: int) -> None:
    """Whether all is there that the file says: some loaders read what they find and are content."""
    if ending == ".ply":
        raw = loaded.get("metadata", {}).get("_ply_raw", {})
        for name in ("vertex", "face"):
            wanted = raw.get(name, {}).get("length", 0)
            data = raw.get(name, {}).get("data", ())  # rows, or columns by name
            there = (
                min(map(len, data.values()), default=0) if isinstance(data, dict) else len(() if data is None else data)
            )
            if there < wanted:
                raise _NotWhole(f"of {wanted:,} rows of “{name}” there are {there:,}")
        if b"ascii" in content[:100]:
            _check_ply_faces(content, raw)
    elif ending == ".off":
        _check_off(content.decode("utf-8", "replace"))
    elif ending == ".stl":
        wanted = len(re.findall(rb"^\s*facet\b", content, re.MULTILINE | re.IGNORECASE))
        binary = len(content) == 84 + 50 * int.from_bytes(content[80:84], "little")
        if not binary and (wanted != triangle_count or wanted == 0):
            raise _NotWhole(f"of {wanted:,} facets in its text {triangle_count:,} are whole")


def _check_ply_faces(content: bytes, raw: Values) -> None:
    """Whether lines of faces have as many numbers as they say, where that is what they begin with."""
    lines = content.decode("utf-8", "replace").splitlines()
    first, names = lines.index("end_header") + 1, list(raw)
    if "face" not in raw or "LIST" not in next(iter(raw["face"]["properties"].values()), ""):
        return
    first += sum(raw[name]["length"] for name in names[: names.index("face")])
    for number in range(first, first + raw["face"]["length"]):
        words = lines[number].split()
        if not words or not words[0].isdigit() or not 3 <= int(words[0]) < len(words):
            raise _NotWhole(f"line {number + 1} is no whole face")


def _check_off(text: str) -> None:
    lines = [words for line in text.splitlines() if (words := line.partition("#")[0].split())]
    first = lines[0] if len(lines[0]) > 1 else lines[1]
    vertex_count, face_count = (int(word) for word in [word for word in first if word.isdigit()][:2])
    faces = lines[(1 if first is lines[0] else 2) + vertex_count :][:face_count]
    if len(faces) < face_count or any(len(words) <= int(words[0]) for words in faces):
        raise _NotWhole(f"of {face_count:,} faces only {len(faces):,} are there, or some of them in part")
