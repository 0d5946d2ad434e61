"""Godot's text resources read: the values that a NavigationMesh is made of, from files of any origin."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from ...area_types import AREA_TYPES, AreaType, told_area_types
from ...errors import BadSettings
from ...files.strict_json import load_json
from ...settings import Settings, settings_fields
from ...types import F32, F64, I32, AnyArray
from ..mesh_checks import Unsound, check_sound, crowded_edge
from ..plain_navmesh import PlainNavmesh, lattice_of
from .mesh_and_scene import MapCells, tres_bytes

MOST_BYTES = 256 << 20
_SECTION = re.compile(r"^\[(\w+)([^\]\n]*)\]\s*$", re.M)
_NAME = re.compile(r"([\w/]+)[ \t]*=[ \t]*", re.M)
_RING = re.compile(r"PackedInt32Array\(([^()]*)\)")
_SPECIAL = re.compile(r'["()\[\]{}\n]')  # what decides where a value ends
TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"', re.S)


def read_tres(content: bytes) -> tuple[PlainNavmesh, MapCells]:
    """A NavigationMesh and the cells of its map. Raises NavmeshError that says what is wrong."""
    text = text_of(content)
    sections = [(m[1], m[2], m.end()) for m in _SECTION.finditer(text)]
    if not sections or sections[0][0] != "gd_resource" or 'type="NavigationMesh"' not in sections[0][1]:
        raise Unsound(
            'The file is no NavigationMesh: it must begin with [gd_resource type="NavigationMesh" …].', "NOT_A_NAVMESH"
        )
    begin = next((end for kind, _, end in sections if kind == "resource"), None)
    if begin is None:
        raise Unsound("The file has no [resource] section.")
    return _navmesh(assignments(text, begin)[0])


def text_of(content: bytes) -> str:
    """The text of a file of any origin."""
    if len(content) > MOST_BYTES:
        raise Unsound(f"The file is larger than {MOST_BYTES >> 20} MiB, the most that is read.", "FILE_TOO_LARGE")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as wrong:
        raise Unsound(f"The file is no text: byte {wrong.start} is wrong.", "NOT_A_NAVMESH") from None


def assignments(text: str, at: int) -> tuple[dict[str, str], int]:
    """Names and values of one section, and where it ends; a value may go over several lines."""
    values: dict[str, str] = {}
    while True:
        while at < len(text) and text[at].isspace():
            at += 1
        if at >= len(text) or text[at] == "[":
            return values, at
        name = _NAME.match(text, at)
        if name is None:
            raise Unsound(
                f"Line {text.count(chr(10), 0, at) + 1} of the file is no assignment: {text[at : at + 40]!r}."
            )
        end = _end_of_value(text, name.end())
        values[name[1]] = text[name.end() : end].strip()
        at = end


def _end_of_value(text: str, at: int) -> int:
    """Behind a value: the end of the line on which all brackets and quotes are closed."""
    depth = 0
    while (special := _SPECIAL.search(text, at)) is not None:
        at, character = special.start(), special[0]
        if character == '"':
            closed = TEXT.match(text, at)
            if closed is None:
                raise _cut_off()
            at = closed.end()
            continue
        if character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
        elif depth <= 0:
            return at
        at += 1
    if depth > 0:
        raise _cut_off()
    return len(text)


def _cut_off() -> Unsound:
    return Unsound("The file ends within a value.", "TRUNCATED")


def polygons_of(values: Mapping[str, str]) -> tuple[F32, I32, I32]:
    """Vertices of a NavigationMesh, where each of its polygons begins, and the corners; counter-clockwise."""
    vertices = _packed(values.get("vertices", ""), "PackedVector3Array", "vertices")
    if len(vertices) % 3:
        raise Unsound(f"vertices holds {len(vertices)} numbers, which are no points.")
    rings = [_whole_numbers(ring[1]) for ring in _RING.finditer(values.get("polygons", ""))]
    rings = [[ring[0], *ring[:0:-1]] for ring in rings if ring]
    first = np.cumsum([0] + [len(ring) for ring in rings]).astype(np.int32)
    corners = np.array([v for ring in rings for v in ring], np.int64)
    points = vertices.reshape(-1, 3).astype(np.float32)
    if len(corners) and not (corners.min() >= 0 and corners.max() < len(points)):
        raise Unsound(f"A polygon names a vertex beyond the {len(points)} that there are.")
    return points, first, corners.astype(np.int32)


def _navmesh(values: Mapping[str, str]) -> tuple[PlainNavmesh, MapCells]:
    points, first, ids = polygons_of(values)
    metadata = metadata_of(values)
    settings = _settings(values, metadata)
    count = len(first) - 1
    areas, flags, regions = (
        column(metadata, name, count, kind)
        for name, kind in (("areas", np.uint8), ("flags", np.uint16), ("regions", np.uint16))
    )
    mesh = PlainNavmesh(
        points, first, ids, neighbors_of(first, ids, len(points)), areas, flags, regions,
        None, (), types_of(metadata), settings, lattice_of(points, settings) if "settings" in metadata else None,
    )  # fmt: skip
    check_sound(mesh)
    return mesh, MapCells(_number(values, "cell_size", 0.25), _number(values, "cell_height", 0.25))


def types_of(metadata: Mapping[str, Any]) -> Mapping[int, AreaType]:
    """What areas mean, where the file says so."""
    table = metadata.get("area_types")
    if isinstance(table, Mapping):
        return told_area_types(table)
    if table is not None:
        raise Unsound(f"area_types in metadata/navmesh must be an object, not {table!r:.40}.")
    return AREA_TYPES


def neighbors_of(first: I32, corners: I32, vertices: int) -> I32:
    """The polygon across each edge, -1 for none."""
    from ...result.stitch.stitched_mesh import connected

    return connected(first, corners, vertices)


def _packed(value: str, kind: str, name: str) -> F64:
    if not (value.startswith(f"{kind}(") and value.endswith(")")):
        raise Unsound(f"{name} must be a {kind}, not {value[:40]!r}.")
    words = value[len(kind) + 1 : -1].split(",")
    try:
        return np.array([float(word) for word in words if word.strip()], np.float64)
    except ValueError:
        raise Unsound(f"{name} holds something that is no number.") from None


def _whole_numbers(text: str) -> list[int]:
    try:
        numbers = [int(word) for word in text.split(",") if word.strip()]
    except ValueError:
        raise Unsound(f"A polygon holds something that is no whole number: {text[:40]!r}.") from None
    if any(abs(number) > 2**31 for number in numbers):
        raise Unsound(f"A polygon holds a number beyond 32 bits: {text[:40]!r}.")
    return numbers


def _number(values: Mapping[str, str], name: str, default: float) -> float:
    text = values.get(name)
    try:
        number = default if text is None else float(text)
    except ValueError:
        number = math.nan
    if not 0 < number < 1e6:
        raise Unsound(f"{name} must be a number above 0, not {text!r:.40}.")
    return number


def metadata_of(values: Mapping[str, str]) -> Mapping[str, Any]:
    """What our files hold under a name of their own; nothing in those of others."""
    text = TEXT.fullmatch(values.get("metadata/navmesh", ""))
    if text is None:
        return {}
    content = load_json(re.sub(r"\\(.)", r"\1", text[1]).encode(), "metadata/navmesh", MOST_BYTES)
    return content if isinstance(content, Mapping) else {}


def column(metadata: Mapping[str, Any], name: str, count: int, kind: type[np.integer[Any]]) -> AnyArray:
    """One number for each polygon; where the file has none, plain ground that all can walk."""
    numbers = metadata.get(name)
    if numbers is None:
        return np.full(count, 1 if name == "flags" else 0, kind)
    most = np.iinfo(kind).max
    whole = isinstance(numbers, list) and all(type(v) is int and 0 <= v <= most for v in numbers)
    if not whole or len(numbers) != count:
        raise Unsound(f"{name} in metadata/navmesh must be {count} whole numbers from 0 to {most}.")
    return np.array(numbers, kind)


def _settings(values: Mapping[str, str], metadata: Mapping[str, Any]) -> Settings | None:
    """Ours where the file holds them; else those that Godot knows by the same names and that are within our ranges."""
    if isinstance(metadata.get("settings"), Mapping):
        return Settings.from_mapping(metadata["settings"])
    if metadata:
        return None
    known: dict[str, Any] = {}
    for declared in settings_fields():
        if str(declared.type) == "float" and declared.name in values:
            try:
                Settings.from_mapping({declared.name: float(values[declared.name])})
            except (ValueError, BadSettings):
                continue
            known[declared.name] = float(values[declared.name])
    return Settings.from_mapping(known) if known else None


def check_tres(content: bytes, navmesh: PlainNavmesh, cells: MapCells) -> None:
    """Whether Godot will see every polygon, and join two at each edge and no more."""
    again, own_cells = read_tres(content)
    keys = np.floor(again.vertices / np.array([own_cells.size, own_cells.height, own_cells.size], np.float32))
    if len(np.unique(keys, axis=0)) != len(keys):
        raise Unsound(f"Two vertices of the .tres lie in one cell of {own_cells.size:g} × {own_cells.height:g} m.")
    if crowded_edge(again.first, again.corners) is not None:
        raise Unsound("Three polygons of the .tres meet at one edge.")
    if own_cells != cells or tres_bytes(again, own_cells) != content:
        raise Unsound("The .tres does not come back as it was written.")
    if len(again.area) > len(navmesh.area):
        raise Unsound("The .tres holds more polygons than the navmesh.")
