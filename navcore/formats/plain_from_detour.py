"""Detour files of any origin as plain arrays, to look at and to write in other formats."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..area_types import AREA_TYPES, with_usual_flags
from ..detour.byte_layout import AREA_MASK
from ..detour.file_contents import cell_sizes
from ..detour.limits import MOST_CORNERS
from ..detour.reader import NavmeshFile
from ..errors import BadSettings
from ..geometry.polygon_rings import first_of_each
from ..result.navmesh import NavMesh
from ..result.stitch.stitched_mesh import connected
from ..scene import Link
from ..settings import Settings
from ..types import F32, I32, I64, AnyArray
from .plain_navmesh import FINEST_CELL, PlainDetail, PlainNavmesh, plain_navmesh


def plain_of(navmesh: NavMesh | NavmeshFile | PlainNavmesh) -> PlainNavmesh:
    """Any navmesh, built or read."""
    return plain_of_file(navmesh) if isinstance(navmesh, NavmeshFile) else plain_navmesh(navmesh)


def plain_of_file(file: NavmeshFile) -> PlainNavmesh:
    """The ground of a checked Detour file, its tiles welded where they have corners in common."""
    sections = [tile.sections for tile in file.tiles]
    counts = [int(s.header[0]["first_connection"]) for s in sections]
    polygons = [s.polygons[:count] for s, count in zip(sections, counts, strict=True)]
    before = np.cumsum([0] + [len(s.vertices) for s in sections])
    sizes = np.concatenate([p["corners"] for p in polygons] or [np.zeros(0, np.int64)]).astype(np.int64)
    first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
    corners = [
        (p["vertices"].astype(np.int64) + base)[np.arange(MOST_CORNERS) < p["corners"][:, None]]
        for p, base in zip(polygons, before, strict=False)
    ]
    chosen = np.concatenate(corners or [np.zeros(0, np.int64)])
    vertices, ids = _welded(np.concatenate([s.vertices for s in sections] or [np.zeros((0, 3), np.float32)]), chosen)
    kinds = np.concatenate([p["area_and_kind"] for p in polygons] or [np.zeros(0)]).astype(np.uint8)
    flags = np.concatenate([p["flags"] for p in polygons] or [np.zeros(0)]).astype(np.uint16)
    area = kinds & np.uint8(AREA_MASK)
    types, _ = with_usual_flags(AREA_TYPES, area, flags)
    return PlainNavmesh(
        vertices, first, ids, connected(first, ids, len(vertices)), area, flags,
        np.zeros(len(sizes), np.uint16), _detail_of(file, counts), _links_of(file), types, _settings_of(file),
        1 / max(float(s.header[0]["cells_per_metre"]) for s in sections) if sections else None, file,
    )  # fmt: skip


def _welded(vertices: AnyArray, chosen: I64) -> tuple[F32, I32]:
    """The vertices in use, those at one place once, in order of use; and the number of each chosen one."""
    places = (vertices[chosen] + np.float32(0)).astype(np.float32)  # -0.0 and 0.0 are one place
    kept, number = first_of_each(places)
    return vertices[chosen[kept]].astype(np.float32).reshape(-1, 3), number


def _detail_of(file: NavmeshFile, counts: list[int]) -> PlainDetail | None:
    vertices: list[F32] = []
    triangles: list[I32] = []
    owners: list[I32] = []
    known = before = 0
    for tile, count in zip(file.tiles, counts, strict=True):
        s = tile.sections
        for p in range(count):
            corners, mesh = int(s.polygons["corners"][p]), s.detail_meshes[p]
            own = s.detail_vertices[int(mesh["first_vertex"]) : int(mesh["first_vertex"]) + int(mesh["vertices"])]
            vertices += [s.vertices[s.polygons["vertices"][p, :corners]], own]
            begin = int(mesh["first_triangle"])
            local = s.detail_triangles[begin : begin + int(mesh["triangles"]), :3].astype(np.int32)
            triangles.append(local + np.int32(known))
            owners.append(np.full(len(local), before + p, np.int32))
            known += corners + len(own)
        before += count
    if not triangles:
        return None
    return PlainDetail(np.concatenate(vertices).astype(np.float32), np.concatenate(triangles), np.concatenate(owners))


def _links_of(file: NavmeshFile) -> tuple[Link, ...]:
    links = []
    for tile in file.tiles:
        for record in tile.sections.connections:
            polygon = tile.sections.polygons[int(record["polygon"])]
            ends: list[Any] = [tuple(float(str(v)) for v in record["points"][k : k + 3]) for k in (0, 3)]
            radius = max(float(str(record["radius"])), float(np.finfo(np.float32).tiny))
            links.append(
                Link(
                    start=ends[0], end=ends[1], radius=radius, bidirectional=bool(record["flags"] & 1),
                    area=int(polygon["area_and_kind"]) & AREA_MASK, flags=int(polygon["flags"]),
                    id=int(record["user_id"]),
                )
            )  # fmt: skip
    return tuple(links)


def _settings_of(file: NavmeshFile) -> Settings | None:
    """What a file holds of its settings: the agent and the cell size of most tiles; the rest are defaults."""
    if not file.tiles:
        return None
    header = file.tiles[0].sections.header[0]
    agent: dict[str, Any] = {
        f"agent_{name}": float(f"{header[f'agent_{name}']:.7g}") for name in ("height", "radius", "max_climb")
    }
    cell = cell_sizes(file)[0].size
    if cell >= FINEST_CELL:  # else it is the grid of a mesh that somebody has modelled, and says nothing of builds
        agent["cell_size"] = cell
    try:
        return Settings(**agent)
    except BadSettings:
        return None
