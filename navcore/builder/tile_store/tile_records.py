"""What is stored, as bytes and back, without pickle: a built tile, or the list of a level's tiles and their keys.

A tile is numbers, then arrays, then what there is to say about it in JSON. The arrays of four bytes come first, then
those of two, then those of one, so that each is aligned as it would be had it been built. All is little-endian.
"""

from __future__ import annotations

import json
import struct
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np

from ...build_warning import WARNING_CODES, BuildWarning
from ...errors import BadInput, NothingWalkable
from ...files.strict_json import load_json
from ...geometry.tile_key import TileKey
from ...jit import kernel
from ...settings import settings_fields
from ...types import F32, NO_INDEX, PORTAL, U8, U16, U32, WALKABLE, DetailMesh, Grid, PolygonMesh
from ..door_ground import PieceDoor
from ..edit_marks import CELLS
from ..fused_tile import StageCounts
from ..pipeline import Piece, counts_of

_NUMBERS = struct.Struct("<16q9f")  # see `packed`; a multiple of four bytes
_BOUNDS = 16 * 8  # where the numbers that are floats begin
_SETTINGS = frozenset(field.name for field in settings_fields())
_MAX = 1 << 31  # of any of them: more than any tile has


class StoredTile(NamedTuple):
    """What building a tile came to."""

    piece: Piece | None
    nothing: NothingWalkable | None  # why there is no piece


class BadRecord(ValueError):
    """These bytes are not what was stored."""


def packed(tile: StoredTile) -> bytes:
    """A tile as bytes."""
    if tile.piece is None:
        why = tile.nothing or NothingWalkable("")
        marked = {"edits": dict(why.marked)} if why.marked else {}
        text = json.dumps({"nothing": str(why), "ways_out": why.ways_out, **marked}).encode()
        return _NUMBERS.pack(*(0,) * 15, len(text), *(0.0,) * 9) + text
    mesh, detail, counts, warnings, doors, too_small = tile.piece
    said: dict[str, Any] = {"warnings": warnings, **({"doors": doors} if doors else {})}
    if too_small is not None:
        said["too_small"] = too_small.tolist()
    text = json.dumps(said).encode() if len(said) > 1 or warnings else b""
    meshes, points, triangles = detail or _NO_DETAIL
    grid = mesh.grid
    numbers = _NUMBERS.pack(
        len(mesh.vertices), *mesh.polygons.shape, detail is not None, len(points), len(triangles), mesh.capacity,
        grid.width, grid.depth, grid.border,
        counts["spans"], counts["open_spans"], counts["regions"], counts["contours"],
        counts["islands_removed"], len(text),
        *grid.bounds_min, *grid.bounds_max, mesh.max_edge_error, grid.cell_size, grid.cell_height,
    )  # fmt: skip
    parts = (meshes, points, mesh.vertices, mesh.polygons, mesh.neighbors, mesh.region, mesh.area, triangles)
    return b"".join([numbers, *(part.tobytes() for part in parts), text])


_NO_DETAIL = DetailMesh(np.empty((0, 4), np.uint32), np.empty((0, 3), np.float32), np.empty((0, 4), np.uint8))


def unpacked(data: U8) -> StoredTile:
    """The tile that these bytes hold; its arrays are parts of `data`. Raises BadRecord where they can't be one."""
    if len(data) < _NUMBERS.size:
        raise BadRecord("too short")
    numbers = _NUMBERS.unpack_from(data.data)
    if min(numbers[:16]) < 0 or max(numbers[:16]) > _MAX:
        raise BadRecord("sizes out of range")
    vertices, polygons, corners, has_detail, points, triangles, capacity, width, depth, border = numbers[:10]
    ends = _ends(vertices, polygons, corners, has_detail, points, triangles)
    if ends[-1] + numbers[15] != len(data):
        raise BadRecord("arrays not as long as they should be")
    text = data[ends[-1] :].tobytes()
    said = _said(text) if text else {}
    if polygons == 0:
        return StoredTile(None, _nothing(said))
    array, rows = np.ndarray, (polygons, corners)
    low: F32 = array(3, np.float32, data, _BOUNDS)
    high: F32 = array(3, np.float32, data, _BOUNDS + 12)
    error, cell_size, cell_height = (np.float32(number) for number in numbers[22:])
    mesh = PolygonMesh(
        array((vertices, 3), np.uint16, data, ends[2]), array(rows, np.uint16, data, ends[3]),
        array(rows, np.uint16, data, ends[4]), array(polygons, np.uint16, data, ends[5]),
        array(polygons, np.uint8, data, ends[6]),
        capacity, error, Grid(width, depth, border, low, high, cell_size, cell_height),
    )  # fmt: skip
    detail = DetailMesh(
        array((polygons if has_detail else 0, 4), np.uint32, data, ends[0]),
        array((points, 3), np.float32, data, ends[1]),
        array((triangles, 4), np.uint8, data, ends[7]),
    )
    if not _are_sound_kernel(vertices, mesh.polygons, mesh.neighbors, mesh.area, *detail):
        raise BadRecord("numbers out of range")
    kept = detail if has_detail else None
    warnings = _warnings(_part(said, "warnings", list)) if text else []
    doors, too_small = _doors(said, polygons), _too_small(said, polygons)
    counts = counts_of(mesh, kept, StageCounts(*numbers[10:14]), numbers[14])
    return StoredTile(Piece(mesh, kept, counts, warnings, doors, too_small), None)


def _nothing(said: dict[str, Any]) -> NothingWalkable:
    """Why a tile is empty, with settings that may help."""
    ways_out = _part(said, "ways_out", list)
    for way in ways_out:
        named = isinstance(way, list) and len(way) == 2 and isinstance(way[0], str) and way[0] in _SETTINGS
        if not named or not isinstance(way[1], (int, float)):
            raise BadRecord("a way out that is none")
    why = NothingWalkable(_part(said, "nothing", str), ways_out=tuple((name, value) for name, value in ways_out))
    marked = said.get("edits", {})
    if not isinstance(marked, dict) or not all(type(count) is int and 0 < count <= _MAX for count in marked.values()):
        raise BadRecord("no cells of an edit")
    why.marked = marked
    return why


def _ends(vertices: int, polygons: int, corners: int, has_detail: int, points: int, triangles: int) -> list[int]:
    """Where each array begins, in the order of `packed`, and where the last one ends."""
    meshes = polygons if has_detail else 0
    sizes = 16 * meshes, 12 * points, 6 * vertices, 2 * polygons * corners, 2 * polygons * corners
    return list(accumulate((*sizes, 2 * polygons, polygons, 4 * triangles), initial=_NUMBERS.size))


def _said(text: bytes) -> dict[str, Any]:
    try:
        said = load_json(text, "tile")
    except BadInput as reason:
        raise BadRecord(str(reason)) from None
    if not isinstance(said, dict):
        raise BadRecord("no object")
    return said


def _part(said: dict[str, Any], name: str, kind: type) -> Any:
    if not isinstance(said.get(name), kind):
        raise BadRecord(f"no {name}")
    return said[name]


def _doors(said: dict[str, Any], polygons: int) -> tuple[PieceDoor, ...]:
    """The polygons under doors; a tile may say none."""
    doors, rows = [], said.get("doors", [])
    for row in rows if isinstance(rows, list) else [None]:
        if not isinstance(row, list) or len(row) != 2 or not isinstance(row[0], str) or not isinstance(row[1], list):
            raise BadRecord("no door")
        if not all(type(number) is int and 0 <= number < polygons for number in row[1]):
            raise BadRecord("no polygon of a door")
        doors.append(PieceDoor(row[0], tuple(row[1])))
    return tuple(doors)


def _too_small(said: dict[str, Any], polygons: int) -> U16 | None:
    """For which sizes each polygon is too small; a tile may be for one size."""
    flags = said.get("too_small")
    if flags is None:
        return None
    is_sound = isinstance(flags, list) and all(type(v) is int and 0 <= v <= 0xFFFF for v in flags)
    if not is_sound or len(flags) != polygons:
        raise BadRecord("no sizes of polygons")
    return np.array(flags, np.uint16)


def _warnings(rows: list[Any]) -> list[BuildWarning]:
    warnings = []
    for row in rows:
        if not isinstance(row, list) or len(row) != len(BuildWarning._fields):
            raise BadRecord("no warning")
        code, message, place, name = row
        if not all(isinstance(text, str) for text in (code, message, name)) or code not in (*WARNING_CODES, CELLS):
            raise BadRecord("no warning")
        if code == CELLS and not message.isdecimal():
            raise BadRecord("no warning")
        if place is not None:
            if not isinstance(place, list) or [type(number) for number in place] != [float] * 3:
                raise BadRecord("no place")
            place = place[0], place[1], place[2]
        warnings.append(BuildWarning(code, message, place, name))
    return warnings


@kernel
def _are_sound_kernel(
    vertices: int, polygons: U16, neighbors: U16, area: U8, meshes: U32, points: F32, triangles: U8
) -> bool:
    """Whether whatever indexes with these arrays stays within them."""
    count = polygons.shape[0]
    for p in range(count):
        if area[p] > WALKABLE:
            return False
        for j in range(polygons.shape[1]):
            if polygons[p, j] >= vertices and polygons[p, j] != NO_INDEX:
                return False
            if neighbors[p, j] >= count and not neighbors[p, j] & PORTAL:
                return False
    for i in range(meshes.shape[0]):
        first, corners = np.int64(meshes[i, 0]), np.int64(meshes[i, 1])
        first_triangle, end = np.int64(meshes[i, 2]), np.int64(meshes[i, 2]) + np.int64(meshes[i, 3])
        if first + corners > points.shape[0] or end > triangles.shape[0]:
            return False
        for t in range(first_triangle, end):
            if triangles[t, 0] >= corners or triangles[t, 1] >= corners or triangles[t, 2] >= corners:
                return False
    return True


# --- the tiles of a level


class TileList(NamedTuple):
    """Where a level has tiles, and the key of each."""

    places: list[TileKey]
    keys: list[bytes]


_ENTRY = np.dtype([("x", "<i4"), ("y", "<i4"), ("key", "V32")])


def packed_list(tiles: TileList) -> bytes:
    """A list as bytes."""
    entries = np.empty(len(tiles.keys), _ENTRY)
    entries["x"], entries["y"] = np.array([place.packed for place in tiles.places], np.int32).reshape(-1, 2).T
    entries["key"] = np.frombuffer(b"".join(tiles.keys), "V32")
    return entries.tobytes()


def unpacked_list(data: U8) -> TileList:
    """The list that these bytes hold."""
    if len(data) % _ENTRY.itemsize:
        raise BadRecord("no list of tiles")
    entries = data.view(_ENTRY)
    keys = entries["key"].tobytes()
    places = list(map(TileKey.unpacked, entries["x"].tolist(), entries["y"].tolist()))
    return TileList(places, [keys[i : i + 32] for i in range(0, len(keys), 32)])
