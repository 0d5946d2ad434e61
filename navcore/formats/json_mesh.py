"""JSON: everything a program needs of a navmesh, in metres, y up. docs/navmesh.schema.json describes it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..area_types import told_area_types
from ..errors import NavmeshError
from ..files.strict_json import load_json
from ..result.wide_link_records import wide_links_of
from ..scene import as_links
from ..settings import Settings
from ..types import F32, I32, AnyArray
from .door_reader import read_doors, read_sizes
from .mesh_checks import Unsound, check_sound
from .plain_doors import told_doors
from .plain_navmesh import PlainDetail, PlainNavmesh, lattice_of

VERSION = 1
MOST_BYTES = 256 << 20  # of a file that is read


def json_bytes(navmesh: PlainNavmesh) -> bytes:
    """The navmesh as one JSON object; areas and flags as runtime data has them (plain ground is area 0)."""
    content: dict[str, Any] = {
        "format": "navmesh",
        "version": VERSION,
        "up": "y",
        "unit": "metre",
        "settings": None if navmesh.settings is None else navmesh.settings.to_mapping(),
        "area_types": {str(area): kind.to_mapping() for area, kind in sorted(navmesh.area_types.items())},
        "polygon_mesh": _polygons(navmesh),
        **navmesh.told_links(),
        **told_doors(navmesh.doors),
        **navmesh.told_sizes(),
    }
    if navmesh.detail is not None:
        content["detail_mesh"] = {name: values.tolist() for name, values in navmesh.detail._asdict().items()}
    return (json.dumps(content, allow_nan=False, separators=(",", ":")) + "\n").encode()


def _polygons(navmesh: PlainNavmesh) -> dict[str, Any]:
    return {
        "vertices": navmesh.vertices.tolist(),
        "polygons": navmesh.rings(),
        "neighbors": [[None if n < 0 else n for n in row] for row in navmesh.rows(navmesh.neighbors)],
        "areas": navmesh.area.tolist(), "flags": navmesh.flags.tolist(), "regions": navmesh.region.tolist(),
    }  # fmt: skip


def read_json(content: bytes) -> PlainNavmesh:
    """A navmesh from JSON of any origin. Raises NavmeshError that says what is wrong."""
    navmesh = _object("The file", load_json(content, "navmesh", MOST_BYTES))
    if navmesh.get("format") != "navmesh":
        raise Unsound('The JSON is no navmesh: its format must be "navmesh".', "NOT_A_NAVMESH")
    if navmesh.get("version") != VERSION:
        raise Unsound(f"The navmesh JSON has version {navmesh.get('version')!r:.40}; {VERSION} is read.", "BAD_VERSION")
    if (navmesh.get("up"), navmesh.get("unit")) != ("y", "metre"):
        raise Unsound("The navmesh JSON must be in metres with y up.", "BAD_UNIT")
    mesh = _object("polygon_mesh", navmesh.get("polygon_mesh"))
    corners, first = _rings(mesh.get("polygons"), "polygons")
    neighbors, sizes = _rings(mesh.get("neighbors"), "neighbors")
    if first.tolist() != sizes.tolist():
        raise Unsound("The navmesh JSON has another number of neighbors than of edges.")
    settings, types = navmesh.get("settings"), _object("area_types", navmesh.get("area_types", {}))
    values = None if settings is None else Settings.from_mapping(_object("settings", settings))
    links = tuple(as_links(navmesh.get("links", ())))
    vertices = _points(mesh.get("vertices"), "vertices")
    plain = PlainNavmesh(
        vertices, first, corners, neighbors,
        _whole(mesh.get("areas"), "areas", np.uint8), _whole(mesh.get("flags"), "flags", np.uint16),
        _whole(mesh.get("regions"), "regions", np.uint16), _detail(navmesh.get("detail_mesh")),
        links, told_area_types(types), values, lattice_of(vertices, values),
        wide_links=wide_links_of(navmesh.get("wide_links", []), links), doors=read_doors(navmesh, len(first) - 1),
        sizes=read_sizes(navmesh),
    )  # fmt: skip
    check_sound(plain)
    return plain


def _detail(detail: object) -> PlainDetail | None:
    if detail is None:
        return None
    mesh = _object("detail_mesh", detail)
    corners, first = _rings(mesh.get("triangles"), "triangles")
    if (np.diff(first) != 3).any():
        raise Unsound("A detail triangle of the navmesh JSON has not three corners.")
    polygon = _whole(mesh.get("polygon"), "polygon", np.int32)
    return PlainDetail(_points(mesh.get("vertices"), "vertices"), corners.reshape(-1, 3), polygon)


def _object(name: str, value: object) -> Mapping[str, Any]:
    if isinstance(value, Mapping):
        return value
    raise Unsound(f"{name} of the navmesh JSON must be an object, not {value!r:.40}.")


def _list(name: str, value: object) -> list[Any]:
    if isinstance(value, list):
        return value
    raise Unsound(f"{name} of the navmesh JSON must be a list, not {value!r:.40}.")


def _points(value: object, name: str) -> F32:
    listed = _list(name, value)
    if not all(isinstance(p, list) and len(p) == 3 and all(type(v) in (int, float) for v in p) for p in listed):
        raise Unsound(f"{name} of the navmesh JSON must be points [x, y, z].")
    with np.errstate(over="ignore"):  # what is beyond float32 becomes infinite and is refused as such
        return np.array(listed, np.float64).reshape(-1, 3).astype(np.float32)


def _rings(value: object, name: str) -> tuple[I32, I32]:
    """Lists of whole numbers as one array, and where each begins; null is -1."""
    rows = [_list(name, row) for row in _list(name, value)]
    flat = [-1 if v is None else v for row in rows for v in row]
    first = np.concatenate([[0], np.cumsum([len(row) for row in rows], dtype=np.int64)]).astype(np.int32)
    return _whole(flat, name, np.int32), first


def _whole(value: object, name: str, kind: type[np.integer[Any]]) -> AnyArray:
    listed, most = _list(name, value), np.iinfo(kind)
    wrong = [v for v in listed if type(v) is not int or not most.min <= v <= most.max]
    if wrong:
        raise Unsound(f"{name} of the navmesh JSON holds {wrong[0]!r:.40}; whole numbers up to {most.max} are read.")
    return np.array(listed, kind)


def check_json(content: bytes, navmesh: PlainNavmesh) -> None:
    """Whether the file read back is the navmesh it was written from, to the last bit."""
    try:
        again = read_json(content)
    except NavmeshError as wrong:
        raise Unsound(f"The JSON would not be read back: {wrong}", wrong.code) from None
    if json_bytes(again) != content or len(again.vertices) != len(navmesh.vertices):
        raise Unsound("The JSON does not come back as it was written.")
