"""The faces of an OBJ file as they are, with all of their corners: for meshes whose faces are polygons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

import numpy as np

from ...errors import BadInput
from ...types import WALKABLE
from ..level_mesh import AreaMarker, PlainFaces
from .obj_reader import LineReader

_OURS = b"# navigation mesh"  # how files begin that `obj_bytes` writes
_DETAIL = b"g detail"  # and where triangles begin that lie on the polygons before them


def read_obj_faces(
    path: Path, materials: Mapping[str, int], groups: Mapping[str, int], ours_alone: bool = False
) -> PlainFaces:
    """Vertices, faces and areas of a file. Raises BadInput with the number of the line and what to do.

    `ours_alone`: of one that `obj_bytes` wrote; any other is refused.
    """
    marker = AreaMarker(materials, groups)
    reader = LineReader(path.name, marker)
    try:
        with path.open("rb") as file:
            if ours_alone and file.read(len(_OURS)) != _OURS:
                raise BadInput(
                    f"{path.name} is a mesh that navcore did not write as a navmesh. Build it (navcore build), or if "
                    "its faces are the navmesh, make one of them: navcore convert.",
                    "UNKNOWN_FORMAT",
                )
            file.seek(0)
            for number, line in _lines(file):
                reader.read(line, number)
    except OSError as reason:
        raise BadInput(f"Could not read {path}: {reason.strerror or reason}.", "CANNOT_READ") from None
    vertices, triangles, polygons = reader.taken()
    areas = marker.areas(vertices, triangles)
    faces: list[list[int]] = []
    rows: list[int] = []
    at = 0
    wide = sorted((int(row["triangle"]), int(row["corners"])) for row in polygons if int(row["corners"]) > 3)
    for first, corners in [*wide, (len(triangles), 0)]:
        faces += triangles[at:first].tolist()
        rows += range(at, first)
        if corners:
            fan = triangles[first : first + corners - 2]
            faces.append([*fan[0, :2].tolist(), *fan[:, 2].tolist()])
            rows.append(first)
        at = first + max(corners - 2, 0)
    marked = np.full(len(faces), WALKABLE, np.uint8) if areas is None else areas[rows]
    return PlainFaces(vertices, faces, marked)


def _lines(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Lines with their numbers, each with what it goes on in."""
    ours, held, begin = False, b"", 0
    for number, line in enumerate(file, 1):
        line = line.replace(b"\r\n", b"\n")
        ours |= number == 1 and line.startswith(_OURS)
        if ours and line.strip() == _DETAIL:
            return
        begin = begin or number
        held += line
        if not held.endswith(b"\\\n") or held.lstrip().startswith(b"#"):
            yield begin, held
            held, begin = b"", 0
    if held:
        yield begin, held
