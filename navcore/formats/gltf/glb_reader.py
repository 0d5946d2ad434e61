"""glTF binary read: the files that are written here, wherever they were since; also before one is written."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...area_types import AREA_TYPES, area_flags, told_area_types
from ...build_warning import in_words
from ...errors import NavmeshError
from ...files.strict_json import load_json
from ...result.wide_link_records import wide_links_of
from ...scene import as_links
from ...settings import Settings
from ...types import F32, I64, U8, U16, AnyArray
from ..door_reader import read_doors, read_sizes
from ..mesh_checks import Unsound, check_sound
from ..mesh_measures import areas_from_above, triangles_from_above
from ..plain_navmesh import PlainNavmesh, lattice_of, one_at_each_place
from .glb import (
    BINARY_CHUNK,
    FLOAT,
    GENERATOR,
    INT,
    JSON_CHUNK,
    MAGIC,
    SHORT,
    VERSION,
    doors_of_triangles,
    owned_triangles,
    sizes_of_triangles,
)

MOST_BYTES = 1 << 30  # of a file that is read
_MOST_TEXT = 256 << 20  # of its JSON
_KINDS = {FLOAT: "<f4", SHORT: "<u2", INT: "<u4"}
_WIDTHS = {"SCALAR": 1, "VEC3": 3}


def is_navmesh_glb(path: Path) -> bool:
    """Whether a file is one that was written here; what it is broken by is said where it is read."""
    try:
        gltf, _ = _chunks(path.read_bytes())
    except (OSError, NavmeshError):
        return False
    return isinstance(gltf.get("asset"), Mapping) and gltf["asset"].get("generator") == GENERATOR


class ReadPart(NamedTuple):
    """One mesh of a file, as it says itself."""

    name: str
    vertices: F32  # (V, 3)
    triangles: I64  # (T, 3)
    area: F32 | None  # (V,)


def read_glb_navmesh(content: bytes) -> tuple[PlainNavmesh, int]:
    """The ground of a file, and the number of its detail triangles. Raises NavmeshError that says what is wrong.

    A .glb holds triangles: each is a polygon of three corners. Which detail triangle belongs to which, it does not say.
    """
    parts, extras = read_glb(content)
    ours = _object("navmesh", extras.get("navmesh", {}))
    if ours and ours.get("version") != 1:
        raise Unsound(f"The navmesh in the .glb has version {ours.get('version')!r:.40}; 1 is read.", "BAD_VERSION")
    vertices, ids = one_at_each_place(parts[0].vertices)
    corners = ids[parts[0].triangles.ravel()]
    first = np.arange(0, len(corners) + 1, 3, dtype=np.int32)
    area = _areas(parts[0])
    types = told_area_types(_object("area_types", ours["area_types"])) if "area_types" in ours else AREA_TYPES
    settings = ours.get("settings")
    values = None if settings is None else Settings.from_mapping(_object("settings", settings))
    links = tuple(as_links(ours.get("links", ())))
    from ...result.stitch.stitched_mesh import connected

    doors, sizes = read_doors(ours, len(area)), read_sizes(ours)
    flags = _flags(ours, len(area)) if sizes else area_flags(area, types)
    mesh = PlainNavmesh(
        vertices, first, corners, connected(first, corners, len(vertices)), area,
        flags if doors is None or sizes else doors.flags(flags),
        np.zeros(len(area), np.uint16), None, links, types, values, lattice_of(vertices, values),
        wide_links=wide_links_of(ours.get("wide_links", []), links), doors=doors, sizes=sizes,
    )  # fmt: skip
    check_sound(mesh)
    return mesh, sum(len(part.triangles) for part in parts[1:])


def _flags(ours: Mapping[str, Any], triangles: int) -> U16:
    """The flags of each triangle, which files for several sizes of agents hold."""
    flags = ours.get("flags")
    if (
        not isinstance(flags, list)
        or len(flags) != triangles
        or not all(type(v) is int and 0 <= v <= 0xFFFF for v in flags)
    ):
        raise Unsound("The .glb is for several sizes of agents, and has not the flags of each triangle.")
    return np.array(flags, np.uint16)


def _areas(part: ReadPart) -> U8:
    """The area of each triangle; plain ground where the file holds none."""
    if part.area is None:
        return np.zeros(len(part.triangles), np.uint8)
    corners = part.area[part.triangles]
    if not ((corners == corners[:, :1]) & (corners >= 0) & (corners < 64) & (corners % 1 == 0)).all():
        raise Unsound("A triangle of the .glb has not one area from 0 to 63.")
    return corners[:, 0].astype(np.uint8)


def read_glb(content: bytes) -> tuple[list[ReadPart], Mapping[str, Any]]:
    """The meshes of a file that `glb.binary` wrote, and the first node's extras. Raises NavmeshError."""
    gltf, data = _chunks(content)
    if _at(gltf, "asset", "generator") != GENERATOR:
        raise Unsound("The .glb is none that was written as a navmesh: its generator is another.", "NOT_A_NAVMESH")
    if _at(gltf, "buffers", 0, "byteLength") != len(data):
        raise Unsound("The .glb has a buffer of another size than its data.")
    nodes = _at(gltf, "nodes")
    if not isinstance(nodes, list) or not 0 < len(nodes) <= 2:
        raise Unsound("The .glb must hold one mesh or two: polygons and detail.")
    parts = [_part(gltf, data, node) for node in nodes]
    return parts, _object("extras", nodes[0].get("extras", {}))


def _chunks(content: bytes) -> tuple[Mapping[str, Any], bytes]:
    """The JSON of a file and its binary data."""
    if len(content) > MOST_BYTES:
        raise Unsound(f"The .glb is larger than {MOST_BYTES >> 20} MiB, the most that is read.", "FILE_TOO_LARGE")
    if content[:4] != MAGIC.to_bytes(4, "little"):
        raise Unsound("The file is no .glb: it does not begin with glTF.", "NOT_A_NAVMESH")
    if len(content) < 28 or len(content) < int.from_bytes(content[8:12], "little"):
        raise Unsound(f"The .glb ends after {len(content):,} bytes, and should be longer.", "TRUNCATED")
    words = np.frombuffer(content[:20], "<u4").tolist()
    begin = 20 + words[3]
    if begin == len(content):  # as of places of cover, which are nodes alone
        raise Unsound("The .glb holds no data of a mesh, so no navmesh.", "NOT_A_NAVMESH")
    if words[1:3] != [VERSION, len(content)] or words[4] != JSON_CHUNK or begin + 8 > len(content):
        raise Unsound("The .glb has a header that does not fit it.")
    size, kind = np.frombuffer(content[begin : begin + 8], "<u4").tolist()
    data = content[begin + 8 :]
    if kind != BINARY_CHUNK or size != len(data) or begin % 4 or size % 4:
        raise Unsound("The .glb has a binary chunk that does not fit it.")
    return _object("the JSON", load_json(content[20:begin], ".glb's", _MOST_TEXT)), data


def _part(gltf: Mapping[str, Any], data: bytes, node: Any) -> ReadPart:
    primitive = _at(gltf, "meshes", _at(node, "mesh"), "primitives", 0)
    attributes = _object("attributes", _at(primitive, "attributes"))
    vertices = _array(gltf, data, _at(attributes, "POSITION"), "VEC3", (FLOAT,))
    if not len(vertices) or not np.isfinite(vertices).all():
        raise Unsound("The .glb has a vertex that is not finite, or none.")
    position = _at(gltf, "accessors", attributes["POSITION"])
    if [position.get("min"), position.get("max")] != [vertices.min(axis=0).tolist(), vertices.max(axis=0).tolist()]:
        raise Unsound("The .glb tells other bounds than its vertices have.")
    area = _array(gltf, data, attributes["_AREA"], "SCALAR", (FLOAT,)) if "_AREA" in attributes else None
    if area is not None and len(area) != len(vertices):
        raise Unsound("The .glb has attributes of different lengths.")
    corners = _array(gltf, data, _at(primitive, "indices"), "SCALAR", (SHORT, INT)).astype(np.int64)
    if len(corners) % 3 or corners.max(initial=-1) >= len(vertices):
        raise Unsound("The .glb has a triangle whose vertex does not exist.")
    return ReadPart(str(node.get("name", "")), vertices, corners.reshape(-1, 3), area)


def _array(gltf: Mapping[str, Any], data: bytes, number: Any, shape: str, kinds: tuple[int, ...]) -> AnyArray:
    accessor = _at(gltf, "accessors", number)
    view = _at(gltf, "bufferViews", _at(accessor, "bufferView"))
    component, count, begin = _at(accessor, "componentType"), _at(accessor, "count"), _at(view, "byteOffset")
    if component not in kinds or _at(accessor, "type") != shape:
        raise Unsound("The .glb has an accessor of a kind that no navmesh has.")
    kind, width = np.dtype(_KINDS[component]), _WIDTHS[shape]
    if not all(type(value) is int and 0 <= value <= len(data) for value in (count, begin)):
        raise Unsound("The .glb has an accessor that does not fit its data.")
    size = count * kind.itemsize * width
    if _at(view, "byteLength") != size or begin + size > len(data) or begin % 4:
        raise Unsound("The .glb has an accessor that does not fit its data.")
    values = np.frombuffer(data, kind, count * width, begin)
    return values.reshape(-1, width) if width > 1 else values


def _at(value: Any, *way: Any) -> Any:
    """What lies at the end of a way of names and numbers."""
    for step in way:
        named = isinstance(value, Mapping) and isinstance(step, str) and step in value
        counted = isinstance(value, list) and type(step) is int and 0 <= step < len(value)
        if not (named or counted):
            raise Unsound(f"The .glb has no {step!r:.40} where it should have one.")
        value = value[step]
    return value


def _object(name: str, value: object) -> Mapping[str, Any]:
    if isinstance(value, Mapping):
        return value
    raise Unsound(f"{name} in the .glb must be an object, not {value!r:.40}.")


# --- checked before it is written


def check_glb(content: bytes, navmesh: PlainNavmesh) -> None:
    """Whether the file holds the whole ground, each triangle with one area and with an extent."""
    parts, extras = read_glb(content)
    if "navmesh" not in extras or len(parts) != (1 if navmesh.detail is None else 2):
        raise Unsound("The .glb does not hold the meshes and extras that it should.")
    if any(extras["navmesh"].get(name) != told for name, told in navmesh.told_links().items()):
        raise Unsound("The links in the .glb are not those of the navmesh.")
    if extras["navmesh"].get("doors") != doors_of_triangles(navmesh, owned_triangles(navmesh)[1]).get("doors"):
        raise Unsound("The doors in the .glb are not those of the navmesh.")
    told = sizes_of_triangles(navmesh, owned_triangles(navmesh)[1])
    if any(extras["navmesh"].get(name) != told.get(name) for name in ("sizes", "flags")):
        raise Unsound("The sizes of agents in the .glb are not those of the navmesh.")
    for part in parts:
        corners = part.area[part.triangles] if part.area is not None else None
        if corners is None or (corners != corners[:, :1]).any():
            raise Unsound(f"A triangle of {part.name!r} in the .glb has not one area.")
    ground = float(triangles_from_above(parts[0].vertices[parts[0].triangles].astype(np.float64)).sum())
    whole = float(areas_from_above(navmesh).sum())
    if not np.isclose(ground, whole, rtol=1e-4, atol=1e-4):
        raise Unsound(f"The .glb holds {in_words(ground)} m² of ground, the navmesh {in_words(whole)} m².")
