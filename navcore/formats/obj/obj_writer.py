"""A navmesh as OBJ: polygons and detail as groups, areas as materials; and the check that reads it back."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...area_types import type_of
from ..mesh_checks import CannotCarry, Unsound
from ..plain_navmesh import PlainNavmesh


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
    name = type_of(area, navmesh.area_types).name
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
