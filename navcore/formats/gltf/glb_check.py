"""glTF binary read back: what three.js, Blender and Khronos' validator look at."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...build_warning import in_words
from ..mesh_checks import Unsound
from ..plain_navmesh import PlainNavmesh
from .glb import BINARY_CHUNK, FLOAT, INT, JSON_CHUNK, MAGIC, SHORT, VERSION, fans

_KINDS = {FLOAT: "<f4", SHORT: "<u2", INT: "<u4"}
_WIDTHS = {"SCALAR": 1, "VEC3": 3}


class ReadPart(NamedTuple):
    """One mesh of a file, as it says itself."""

    name: str
    vertices: npt.NDArray[np.float32]  # (V, 3)
    triangles: npt.NDArray[np.int64]  # (T, 3)
    area: npt.NDArray[np.float32] | None  # (V,)


def read_glb(content: bytes) -> tuple[list[ReadPart], dict[str, Any]]:
    """The meshes of a file that `glb.binary` wrote, and the first node's extras. Raises Unsound."""
    words = np.frombuffer(content[:20], "<u4").tolist()
    if len(content) < 28 or words[:3] != [MAGIC, VERSION, len(content)] or words[4] != JSON_CHUNK:
        raise Unsound("The .glb has a header that does not fit it.")
    begin = 20 + words[3]
    size, kind = np.frombuffer(content[begin : begin + 8], "<u4").tolist()
    data = content[begin + 8 :]
    if kind != BINARY_CHUNK or size != len(data) or begin % 4 or size % 4:
        raise Unsound("The .glb has a binary chunk that does not fit it.")
    gltf = json.loads(content[20:begin])
    if gltf["buffers"][0]["byteLength"] != size:
        raise Unsound("The .glb has a buffer of another size than its data.")
    parts = [_part(gltf, data, node) for node in gltf["nodes"]]
    return parts, gltf["nodes"][0].get("extras", {})


def _part(gltf: dict[str, Any], data: bytes, node: dict[str, Any]) -> ReadPart:
    primitive = gltf["meshes"][node["mesh"]]["primitives"][0]
    arrays = {name: _array(gltf, data, number) for name, number in primitive["attributes"].items()}
    vertices = arrays["POSITION"]
    position = gltf["accessors"][primitive["attributes"]["POSITION"]]
    if not np.isfinite(vertices).all():
        raise Unsound("The .glb has a vertex that is not finite.")
    if position["min"] != vertices.min(axis=0).tolist() or position["max"] != vertices.max(axis=0).tolist():
        raise Unsound("The .glb tells other bounds than its vertices have.")
    if any(len(values) != len(vertices) for values in arrays.values()):
        raise Unsound("The .glb has attributes of different lengths.")
    triangles = _array(gltf, data, primitive["indices"]).astype(np.int64).reshape(-1, 3)
    if triangles.max(initial=-1) >= len(vertices):
        raise Unsound("The .glb has a triangle whose vertex does not exist.")
    return ReadPart(node["name"], vertices, triangles, arrays.get("_AREA"))


def _array(gltf: dict[str, Any], data: bytes, number: int) -> npt.NDArray[Any]:
    accessor = gltf["accessors"][number]
    view = gltf["bufferViews"][accessor["bufferView"]]
    kind, width = np.dtype(_KINDS[accessor["componentType"]]), _WIDTHS[accessor["type"]]
    size = accessor["count"] * kind.itemsize * width
    begin = view["byteOffset"]
    if view["byteLength"] != size or begin + size > len(data) or begin % 4:
        raise Unsound("The .glb has an accessor that does not fit its data.")
    values = np.frombuffer(data, kind, accessor["count"] * width, begin)
    return values.reshape(-1, width) if width > 1 else values


def check_glb(content: bytes, navmesh: PlainNavmesh) -> None:
    """Whether the file holds the whole ground, each triangle with one area and with an extent."""
    parts, extras = read_glb(content)
    if "navmesh" not in extras or len(parts) != (1 if navmesh.detail is None else 2):
        raise Unsound("The .glb does not hold the meshes and extras that it should.")
    for part in parts:
        corners = part.area[part.triangles] if part.area is not None else None
        if corners is None or (corners != corners[:, :1]).any():
            raise Unsound(f"A triangle of {part.name!r} in the .glb has not one area.")
    ground = float(_from_above(parts[0].vertices[parts[0].triangles].astype(np.float64)).sum())
    whole = float(areas_from_above(navmesh).sum())
    if not np.isclose(ground, whole, rtol=1e-4, atol=1e-4):
        raise Unsound(f"The .glb holds {in_words(ground)} m² of ground, the navmesh {in_words(whole)} m².")


def areas_from_above(navmesh: PlainNavmesh) -> npt.NDArray[np.float64]:
    """Square metres of each polygon seen from above; 0 for one that lies within a line."""
    fan, owner = fans(navmesh.first, navmesh.corners)
    areas = np.zeros(len(navmesh.area))
    np.add.at(areas, owner, _from_above(navmesh.vertices[fan].astype(np.float64)))
    return areas


def _from_above(triangles: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Square metres of triangles (T, 3, 3) seen from above."""
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    ab, ac = b - a, c - a
    return np.asarray(ab[:, 2] * ac[:, 0] - ab[:, 0] * ac[:, 2]) / 2
