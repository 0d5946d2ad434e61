"""Wavefront OBJ: triangles in, polygon and detail mesh out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ..errors import BadInput
from ..types import F32, I32
from .mesh_checks import CannotCarry, Unsound
from .plain_navmesh import PlainNavmesh


def read_obj(path: Path) -> tuple[F32, I32]:
    """Vertices (V, 3) and triangles (T, 3) of `v` and `f` lines; polygons are fanned, negative indices count back."""
    vertices: list[tuple[float, float, float]] = []
    triangles: list[tuple[int, int, int]] = []
    with path.open(encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file, 1):
            words = line.split()
            try:
                if not words:
                    continue
                if words[0] == "v":
                    vertices.append((float(words[1]), float(words[2]), float(words[3])))
                elif words[0] == "f":
                    corners = [_corner(word, len(vertices)) for word in words[1:]]
                    if len(corners) < 3:
                        raise BadInput(
                            f"{path.name}, line {number}: a face needs at least 3 corners, not {len(corners)}."
                        )
                    triangles += [(corners[0], corners[i], corners[i + 1]) for i in range(1, len(corners) - 1)]
            except (ValueError, IndexError, OverflowError):
                raise BadInput(f"{path.name}, line {number} is not a proper OBJ line: {line.strip()[:60]!r}.") from None
    with np.errstate(over="ignore"):  # what is beyond float32 becomes infinite and is refused as such
        points = np.array(vertices, np.float32).reshape(-1, 3)
    return points, np.array(triangles, np.int32).reshape(-1, 3)


def _corner(word: str, count: int) -> int:
    """The vertex of `v`, `v/vt` or `v/vt/vn`, counted from 0; -1 for the index 0, which OBJ does not have."""
    index = int(word.partition("/")[0])
    if not -(2**31) < index < 2**31:
        raise ValueError
    return index - 1 if index >= 0 else (count + index if count + index >= 0 else -1)


def obj_bytes(navmesh: PlainNavmesh) -> bytes:
    """The polygon mesh (group `polygons`) and the detail mesh (group `detail`) in metres, y up.

    Each stretch of one area is under a material with the area's name.
    """
    lines = ["# navigation mesh, metres, y up", "o navmesh", "g polygons"]
    lines += [f"v {x:.9g} {y:.9g} {z:.9g}" for x, y, z in navmesh.vertices.tolist()]
    faces = ["f " + " ".join(str(v + 1) for v in ring) for ring in navmesh.rings()]
    lines += _under_materials(faces, navmesh.area.tolist(), navmesh)
    if navmesh.detail is not None:
        detail, before = navmesh.detail, len(navmesh.vertices)
        lines.append("g detail")
        lines += [f"v {x:.9g} {y:.9g} {z:.9g}" for x, y, z in detail.vertices.tolist()]
        faces = [f"f {a} {b} {c}" for a, b, c in (detail.triangles.astype(np.int64) + 1 + before).tolist()]
        lines += _under_materials(faces, navmesh.area[detail.polygon].tolist(), navmesh)
    return ("\n".join(lines) + "\n").encode()


def _under_materials(faces: list[str], areas: list[int], navmesh: PlainNavmesh) -> Iterator[str]:
    """The faces, and before each change of area the material that stands for it."""
    last = None
    for face, area in zip(faces, areas, strict=True):
        if area != last:
            yield f"usemtl {_material(area, navmesh)}"
            last = area
        yield face


def _material(area: int, navmesh: PlainNavmesh) -> str:
    name = navmesh.area_types[area].name if area in navmesh.area_types else f"area {area}"
    if not name.strip() or not name.isprintable():
        raise CannotCarry(
            f"Area {area} is named {name!r}, and a name in OBJ is one line of text. Rename it.", "BAD_AREA_NAME"
        )
    return name.strip().replace(" ", "_")


def check_obj(content: bytes, navmesh: PlainNavmesh) -> None:
    """Whether reading the file gives the vertices to the last bit and every face."""
    vertices, faces = [], 0
    for line in content.decode().splitlines():
        if line.startswith("v "):
            vertices.append(tuple(map(float, line.split()[1:])))
        elif line.startswith("f "):
            faces += 1
            if not all(0 < int(word) <= len(vertices) for word in line.split()[1:]):
                raise Unsound(f"A face of the OBJ names a vertex that does not exist: {line[:60]}")
    wanted = [navmesh.vertices] if navmesh.detail is None else [navmesh.vertices, navmesh.detail.vertices]
    if np.array(vertices, np.float32).tobytes() != np.concatenate(wanted).tobytes():
        raise Unsound("The vertices of the OBJ do not come back as they were written.")
    if faces != len(navmesh.area) + (0 if navmesh.detail is None else len(navmesh.detail.triangles)):
        raise Unsound(f"The OBJ holds {faces} faces; there should be another number.")
