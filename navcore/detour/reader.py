"""Detour files of any origin, checked rule by rule before anything is done with them. Python integers, no kernels.

Time and memory are in proportion to the file: every section is looked at a fixed number of times.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np

from ..errors import BadInput
from ..types import U8, AnyArray
from .byte_layout import (
    CACHE_MAGIC,
    HEADER,
    SET_HEADER,
    SET_MAGIC,
    SET_VERSION,
    TILE_ENTRY,
    TILE_MAGIC,
    Sections,
    sections,
)
from .file_checks import BadFile, Where, check_tile, checked_header
from .off_mesh_links import FARTHEST
from .polygon_references import MOST_BITS, SetParameters, bits
from .wide_references import MAX_TILE_BITS, WideSet, entry_size, find_tiles, narrowed_tiles

MOST_BYTES = 1 << 30  # of one file
_MOST_COUNT = 1 << MOST_BITS


class TileRecord(NamedTuple):
    """One tile of a file: every index in it is within range, every number finite. Nothing can be written to."""

    reference: int
    x: int
    y: int
    layer: int
    sections: Sections  # `links` and first links are what the file says and mean nothing: `Linker` makes them anew
    data: U8  # the bytes that the sections are views of


class NavmeshFile(NamedTuple):
    """A checked file."""

    kind: str  # "MSET" a set of tiles, "DNAV" a single one
    size: int  # bytes
    parameters: SetParameters
    tiles: tuple[TileRecord, ...]
    wide: WideSet | None = None  # of a file with 64-bit references: what it says of itself; here all have 32 bits


def read_navmesh(
    content: bytes | bytearray | memoryview | str | os.PathLike[str], most_bytes: int = MOST_BYTES
) -> NavmeshFile:
    """Read a set of tiles or a single tile from a file's bytes or its path.

    Raises BadFile with a code that names the broken rule. Recast: Sample::loadAll, dtNavMesh::addTile; neither checks.
    """
    if isinstance(content, (str, os.PathLike)):
        content = _content_of(Path(content), most_bytes)
    if not isinstance(content, (bytes, bytearray, memoryview)):
        raise BadInput(f"read_navmesh takes a file's bytes or its path, not {type(content).__name__}.", "WRONG_KIND")
    _check_size(len(content), most_bytes)
    content = bytes(content)
    magic = int.from_bytes(content[:4], "little")
    if len(content) < 4:
        raise BadFile(f"The file has {len(content)} bytes: that is no navmesh.", "TRUNCATED")
    if magic == SET_MAGIC:
        return _read_set(content)
    if magic == TILE_MAGIC:
        return _read_single(content)
    if int.from_bytes(content[:4], "big") in (SET_MAGIC, TILE_MAGIC):
        raise BadFile("The file is big-endian. Export it on a little-endian machine.", "BIG_ENDIAN")
    if magic == CACHE_MAGIC:
        raise BadFile(
            "The file is a tile cache (TSET), whose navmesh is made when it is opened. Read it with TileCache.read, or "
            "write its navmesh with `navcore obstacles`.",
            "NOT_A_NAVMESH",
        )
    raise BadFile("The file is neither a Detour navmesh set (MSET) nor a tile (DNAV).", "NOT_A_NAVMESH")


def _content_of(path: Path, most_bytes: int) -> bytes:
    try:
        with path.open("rb") as file:
            _check_size(os.fstat(file.fileno()).st_size, most_bytes)
            return file.read()
    except OSError as reason:
        raise BadInput(f"Could not read {path}: {reason.strerror or reason}.", "CANNOT_READ") from None


def _check_size(size: int, most_bytes: int) -> None:
    if size > most_bytes:
        raise BadFile(f"The file has {size:,} bytes (limit {most_bytes:,}).", "FILE_TOO_LARGE")


def _read_set(content: bytes) -> NavmeshFile:
    file = io.BytesIO(content)
    wide = None
    if entry_size(file) != TILE_ENTRY.itemsize:
        header = np.frombuffer(content, SET_HEADER, 1)[0]
        wide = WideSet(content, int(header["most_tiles"]), int(header["most_polygons"]))
    parameters, tiles = open_set(file)
    return NavmeshFile("MSET", len(content), parameters, tuple(tiles), wide)


def open_set(file: BinaryIO) -> tuple[SetParameters, Iterator[TileRecord]]:
    """What a set of tiles shares, and its tiles one by one, so that no more than one need be held. Raises BadFile."""
    size = file.seek(0, os.SEEK_END)
    entry = entry_size(file)
    file.seek(0)
    parameters, count = _set_header(file.read(SET_HEADER.itemsize), entry != TILE_ENTRY.itemsize)
    if entry == TILE_ENTRY.itemsize:
        return parameters, _checked_tiles(_tiles(file, size, parameters, count), parameters)
    found = find_tiles(file, size, parameters, count, entry)
    return found.parameters, _checked_tiles(narrowed_tiles(file, found), found.parameters)


def _tiles(file: BinaryIO, size: int, parameters: SetParameters, count: int) -> Iterator[tuple[int, bytes]]:
    """The reference and the bytes of each tile."""
    slots: set[int] = set()
    for number in range(count):
        where = Where(number)
        reference, length = _entry(file, size, where)
        _check_reference(reference, parameters, slots, where)
        yield reference, file.read(length)
    if file.tell() != size:
        raise BadFile(f"{size - file.tell():,} bytes follow the last tile.", "TRAILING_BYTES")


def _checked_tiles(tiles: Iterator[tuple[int, bytes]], parameters: SetParameters) -> Iterator[TileRecord]:
    places: set[tuple[int, int, int]] = set()
    for number, (reference, content) in enumerate(tiles):
        where = Where(number)
        tile = _tile(content, reference, parameters.polygon_bits, where)
        if (tile.x, tile.y, tile.layer) in places:
            raise where.bad(f"is a second one at ({tile.x}, {tile.y}), layer {tile.layer}", "DOUBLE_TILE")
        places.add((tile.x, tile.y, tile.layer))
        yield tile


def _read_single(content: bytes) -> NavmeshFile:
    where = Where(0)
    tile = _tile(content, 0, MOST_BITS, where)
    header = tile.sections.header[0]
    low, high = header["bounds_min"].astype(np.float32), header["bounds_max"].astype(np.float32)
    parameters = SetParameters(low, high[0] - low[0], high[2] - low[2], 1, int(header["polygons"]))
    check_parameters(parameters)
    return NavmeshFile("DNAV", len(content), parameters, (tile._replace(reference=parameters.reference(0)),))


def _set_header(content: bytes, wide: bool) -> tuple[SetParameters, int]:
    if len(content) < SET_HEADER.itemsize:
        raise BadFile(f"The file ends in its header, after {len(content)} bytes.", "TRUNCATED")
    header = np.frombuffer(content, SET_HEADER, 1)[0]
    if header["version"] != SET_VERSION:
        raise BadFile(f"The file's version is {header['version']}, not {SET_VERSION}.", "BAD_VERSION")
    parameters = SetParameters(
        header["origin"].astype(np.float32), np.float32(header["tile_width"]), np.float32(header["tile_depth"]),
        int(header["most_tiles"]), int(header["most_polygons"]),
    )  # fmt: skip
    check_parameters(parameters, wide)
    count = int(header["tiles"])
    if not 0 <= count <= parameters.most_tiles:
        raise BadFile(f"The file says it holds {count} of at most {parameters.most_tiles} tiles.", "BAD_TILE_COUNT")
    return parameters, count


def check_parameters(parameters: SetParameters, wide: bool = False) -> None:
    origin, width, depth, most_tiles, most_polygons = parameters
    if not bool((np.abs(origin) <= FARTHEST).all()):
        raise BadFile("The origin is not a finite point near enough to compute with.", "BAD_ORIGIN")
    if not (0 < width <= FARTHEST and 0 < depth <= FARTHEST):
        raise BadFile(f"Tiles of {width:g} × {depth:g} m are not possible.", "BAD_TILE_SIZE")
    if wide:  # says how many slots there are, and nothing else
        if not 1 <= most_tiles <= 1 << MAX_TILE_BITS:
            raise BadFile(f"Room for {most_tiles} tiles is not from 1 to {1 << MAX_TILE_BITS:,}.", "BAD_MOST_TILES")
        return
    if not 1 <= most_tiles <= _MOST_COUNT:
        raise BadFile(f"Room for {most_tiles} tiles is not from 1 to {_MOST_COUNT:,}.", "BAD_MOST_TILES")
    if not 1 <= most_polygons <= _MOST_COUNT:
        raise BadFile(
            f"Room for {most_polygons} polygons a tile is not from 1 to {_MOST_COUNT:,}.", "BAD_MOST_POLYGONS"
        )
    if bits(most_tiles) + bits(most_polygons) > MOST_BITS:
        raise BadFile(
            f"References would need {bits(most_tiles)} + {bits(most_polygons)} bits for tiles and polygons "
            f"(limit {MOST_BITS}).",
            "TOO_MANY_BITS",
        )


def _entry(file: BinaryIO, file_size: int, where: Where) -> tuple[int, int]:
    """A tile's reference and size, which is known to lie within the file."""
    at = file.tell()
    words = file.read(TILE_ENTRY.itemsize)
    if len(words) < TILE_ENTRY.itemsize:
        raise where.bad("is missing: the file ends before it", "TRUNCATED")
    left = file_size - file.seek(at + TILE_ENTRY.itemsize)
    reference = int.from_bytes(words[:4], "little")
    size = int.from_bytes(words[4:8], "little", signed=True)
    if size < HEADER.itemsize:
        raise where.bad(f"has {size} bytes, and its header alone takes {HEADER.itemsize}", "BAD_DATA_SIZE")
    if size > left:
        raise where.bad(f"should have {size:,} bytes, and {left:,} are left in the file", "TRUNCATED")
    return reference, size


def _check_reference(reference: int, parameters: SetParameters, slots: set[int], where: Where) -> None:
    tile_bits, polygon_bits = parameters.tile_bits, parameters.polygon_bits
    salt_bits = min(31, 32 - tile_bits - polygon_bits)
    slot = reference >> polygon_bits & ((1 << tile_bits) - 1)
    salt = reference >> (tile_bits + polygon_bits)
    if not 0 < salt < 1 << salt_bits or reference & ((1 << polygon_bits) - 1) or slot >= parameters.most_tiles:
        raise where.bad(f"has the reference {reference:#x}, which names no tile of this file", "BAD_REFERENCE")
    if slot in slots:
        raise where.bad(f"takes slot {slot}, which is taken", "DOUBLE_SLOT")
    slots.add(slot)


def _tile(content: bytes, reference: int, polygon_bits: int, where: Where) -> TileRecord:
    data: AnyArray = np.frombuffer(content, np.uint8)
    header = checked_header(data, polygon_bits, where)
    parts = sections(data)
    check_tile(parts, header, where)
    return TileRecord(reference, header["x"], header["y"], header["layer"], parts, data)
