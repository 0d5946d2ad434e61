"""glTF binary: polygons and detail as triangles, areas as a vertex attribute, everything else in extras."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ...errors import TooLarge
from ...geometry.polygon_rings import first_of_each
from ...types import F32, I32, U8, AnyArray, StitchedMesh
from ..mesh_measures import fans
from ..plain_doors import told_doors
from ..plain_navmesh import PlainNavmesh

MAGIC, VERSION, JSON_CHUNK, BINARY_CHUNK = 0x46546C67, 2, 0x4E4F534A, 0x004E4942
MOST_BYTES = 0xFFFFFFFF  # lengths in the file have 32 bits
GENERATOR = "Navmesh"  # who wrote the file, as it says itself
FLOAT, SHORT, INT = 5126, 5123, 5125  # glTF's numbers for float32, uint16 and uint32
_VERTICES, _INDICES = 34962, 34963  # what a buffer view is for
_FINE = 0.001  # metres; corners at least so far apart are two, where no lattice is known
_BLUE = [0.10, 0.45, 0.85, 0.6]


class GlbPart(NamedTuple):
    """One mesh of the file."""

    name: str
    vertices: F32  # (V, 3) metres
    triangles: I32  # (T, 3)
    area: F32 | None  # (V,) area id of each vertex, where the file holds areas


def glb_bytes(navmesh: PlainNavmesh, name: str) -> bytes:
    """Two nodes: `name` with the polygons in triangles, and `name`_detail where there is a detail mesh.

    The attribute _AREA holds the area id; a vertex between two areas is there once for each of them.
    """
    triangles, owner = owned_triangles(navmesh)
    parts = [with_area(name, navmesh.vertices, triangles, navmesh.area[owner])]
    if navmesh.detail is not None:
        detail = navmesh.detail
        parts.append(with_area(f"{name}_detail", detail.vertices, detail.triangles, navmesh.area[detail.polygon]))
    return binary(
        parts,
        {"navmesh": {**_extras(navmesh), **doors_of_triangles(navmesh, owner), **sizes_of_triangles(navmesh, owner)}},
    )


def doors_of_triangles(navmesh: PlainNavmesh, owner: AnyArray) -> dict[str, Any]:
    """The doors with the numbers of their triangles."""
    return {} if navmesh.doors is None else told_doors(navmesh.doors.of(owner))


def sizes_of_triangles(navmesh: PlainNavmesh, owner: AnyArray) -> dict[str, Any]:
    """The sizes of agents and, where there are any, the flags of each triangle: areas alone do not say them."""
    return {**navmesh.told_sizes(), "flags": navmesh.flags[owner].tolist()} if navmesh.sizes else {}


def polygon_triangles(navmesh: PlainNavmesh) -> tuple[F32, I32, U8]:
    """Vertices, triangles (T, 3) and their areas: the polygons cut without a T-junction."""
    triangles, owner = owned_triangles(navmesh)
    return navmesh.vertices, triangles, navmesh.area[owner]


def owned_triangles(navmesh: PlainNavmesh) -> tuple[I32, AnyArray]:
    """The same triangles, and the polygon of each.

    A polygon that has no extent, as Recast leaves them at times, can't be cut well but may be the only way between two
    others: it becomes a fan, so that nothing falls apart.
    """
    from ...result.stitch.triangulation import cut_polygons

    cell = np.float32(navmesh.lattice or _FINE)
    corners, polygon = cut_polygons(StitchedMesh(*navmesh[:4], navmesh.area, cell))
    sizes = np.diff(navmesh.first) - 2
    is_whole = np.bincount(polygon, minlength=len(sizes)) == sizes
    fan, owner = fans(navmesh.first, navmesh.corners)
    from_cut, from_fan = is_whole[polygon], ~is_whole[owner]
    triangles = np.concatenate([corners.reshape(-1, 3)[from_cut], fan[from_fan]])
    owner = np.concatenate([polygon[from_cut], owner[from_fan]])
    order = np.argsort(owner, kind="stable")
    return triangles[order].astype(np.int32), owner[order]


def with_area(name: str, vertices: F32, triangles: I32, area: U8) -> GlbPart:
    """Vertices once for each area that they belong to, those at one place welded, in order of use."""
    corners = np.empty((triangles.size, 4), np.float32)
    corners[:, :3] = vertices[triangles.ravel()] + np.float32(0)  # no -0.0: it would part what lies at one place
    corners[:, 3] = np.repeat(area, 3)
    kept, number = first_of_each(corners)
    used = corners[kept]
    return GlbPart(name, np.ascontiguousarray(used[:, :3]), number.reshape(-1, 3), used[:, 3].copy())


def binary(parts: list[GlbPart], extras: Mapping[str, Any]) -> bytes:
    """The file: a JSON chunk and a binary one. `extras` go to the first node."""
    file = _GlbFile()
    for part in parts:
        file.add(part)
    nodes = [{"name": part.name, "mesh": number} for number, part in enumerate(parts)]
    nodes[0] |= {"extras": extras} if extras else {}
    content = {
        "asset": {"version": "2.0", "generator": GENERATOR},
        "scene": 0,
        "scenes": [{"nodes": list(range(len(parts)))}],
        "nodes": nodes,
        "meshes": file.meshes,
        "materials": [_material()],
        "accessors": file.accessors,
        "bufferViews": file.views,
        "buffers": [{"byteLength": len(file.data)}],
    }
    text = json.dumps(content, allow_nan=False, separators=(",", ":")).encode()
    return _joined(text + b" " * (-len(text) % 4), bytes(file.data))


class _GlbFile:
    """Accessors, views and bytes as parts are added."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.views: list[dict[str, Any]] = []
        self.accessors: list[dict[str, Any]] = []
        self.meshes: list[dict[str, Any]] = []

    def add(self, part: GlbPart) -> None:
        low, high = (part.vertices.min(axis=0).tolist(), part.vertices.max(axis=0).tolist())
        attributes = {"POSITION": self._accessor(part.vertices, FLOAT, "VEC3", _VERTICES, {"min": low, "max": high})}
        if part.area is not None:
            attributes["_AREA"] = self._accessor(part.area, FLOAT, "SCALAR", _VERTICES, {})
        narrow = len(part.vertices) < 0xFFFF  # 65,535 itself means "start again"
        ids = part.triangles.ravel().astype("<u2" if narrow else "<u4")
        indices = self._accessor(ids, SHORT if narrow else INT, "SCALAR", _INDICES, {})
        self.meshes.append(
            {"name": part.name, "primitives": [{"attributes": attributes, "indices": indices, "material": 0}]}
        )

    def _accessor(self, values: AnyArray, kind: int, shape: str, target: int, ends: Mapping[str, list[float]]) -> int:
        content = values.astype(values.dtype.newbyteorder("<")).tobytes()
        view = {"buffer": 0, "byteOffset": len(self.data), "byteLength": len(content), "target": target}
        self.views.append(view)
        self.data += content + b"\0" * (-len(content) % 4)
        accessor = {"bufferView": len(self.views) - 1, "componentType": kind, "count": len(values), "type": shape}
        self.accessors.append({**accessor, **ends})
        return len(self.accessors) - 1


def _material() -> dict[str, Any]:
    surface = {"baseColorFactor": _BLUE, "metallicFactor": 0.0, "roughnessFactor": 1.0}
    return {"name": "navmesh", "pbrMetallicRoughness": surface, "alphaMode": "BLEND", "doubleSided": True}


def _joined(text: bytes, data: bytes) -> bytes:
    total = 12 + 8 + len(text) + 8 + len(data)
    if total > MOST_BYTES:
        raise TooLarge(
            f"The .glb would have {total:,} bytes (limit {MOST_BYTES:,}). Raise cell_size, or export tiles as .bin.",
            "GLB_TOO_LARGE",
        )
    words = (MAGIC, VERSION, total, len(text), JSON_CHUNK)
    head = np.array(words, "<u4").tobytes()
    return head + text + np.array((len(data), BINARY_CHUNK), "<u4").tobytes() + data


def _extras(navmesh: PlainNavmesh) -> dict[str, Any]:
    """What glTF has no place for."""
    extras: dict[str, Any] = {"version": 1, "area_types": navmesh.told_types(), **navmesh.told_links()}
    if navmesh.settings is not None:
        extras["settings"] = navmesh.settings.to_mapping()
    return extras
