"""Sets of tiles with 64-bit references, which are narrowed when they are read and widened when they are written.

Everything in between counts with 32 bits. Only engines that were built for such files read them; the others see an
empty navmesh, without an error, and so do these with files of the usual kind. What differs: a reference has fixed bits
(20 for the polygon, 28 for the tile, 16 for how often its slot was used), each tile has 16 bytes before it instead of
8, and a link 16 instead of 12. Recast: DT_POLYREF64.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import BinaryIO, NamedTuple

import numpy as np

from ..types import I64, U8
from .byte_layout import COUNTS, HEADER, POLYGON, SET_HEADER, TILE_MAGIC, header_of, sections, tile_size
from .byte_layout import LINK as NARROW_LINK
from .file_checks import BadFile, Where
from .polygon_references import SetParameters, bits

MAX_POLYGON_BITS, MAX_TILE_BITS, _MAX_SALT_BITS = 20, 28, 16
IN_MEMORY_BITS = 31  # for tile and polygon together, in what is made of such a file; one is left
ENTRY = np.dtype([("reference", "<u8"), ("size", "<i4"), ("padding", "<i4")])
_SHORT_ENTRY = 12  # bytes, of programs for 32-bit processors: they pad nothing
LINK = np.dtype(
    [
        ("target", "<u8"), ("next", "<u4"),
        ("edge", "u1"), ("side", "u1"), ("low", "u1"), ("high", "u1"),
    ]
)  # fmt: skip
_MORE = LINK.itemsize - NARROW_LINK.itemsize  # bytes of each link


class WideSet(NamedTuple):
    """What a file with 64-bit references says of itself beside its tiles."""

    content: bytes  # as it was read
    max_tiles: int
    max_polygons: int


class WideTiles(NamedTuple):
    """Where the tiles of such a file lie, and the references that they have in memory."""

    parameters: SetParameters
    begins: Sequence[int]  # of the tile's bytes in the file
    sizes: Sequence[int]
    slots: I64  # (R,) in the file, sorted
    numbers: I64  # (R,) of the tile with each slot


def wide_reference(slot: int, salt: int = 1) -> int:
    """The reference of a tile in a file."""
    return salt << (MAX_TILE_BITS + MAX_POLYGON_BITS) | slot << MAX_POLYGON_BITS


def widened_reference(reference: int, parameters: SetParameters) -> int:
    """The reference of a tile in a file, from the one that it has in memory."""
    slot = reference >> parameters.polygon_bits & (1 << parameters.tile_bits) - 1
    return wide_reference(slot, reference >> (parameters.tile_bits + parameters.polygon_bits))


def in_memory(parameters: SetParameters, tiles: int, polygons: int | None = None) -> SetParameters:
    """Parameters whose references have room for so many tiles; without `polygons` all other bits are for these."""
    left = min(IN_MEMORY_BITS - bits(tiles), MAX_POLYGON_BITS)
    return parameters._replace(
        most_tiles=max(tiles, 1), most_polygons=1 << max(left, 0) if polygons is None else max(polygons, 1)
    )


def widened(data: U8, parameters: SetParameters) -> U8:
    """The bytes of a tile as they are in such a file."""
    tile, begin = sections(data), _links_begin(data)
    target = tile.links["target"].astype(np.uint64)
    tile_bits, polygon_bits = (np.uint64(n) for n in (parameters.tile_bits, parameters.polygon_bits))
    polygon = target & ((np.uint64(1) << polygon_bits) - np.uint64(1))
    slot = target >> polygon_bits & ((np.uint64(1) << tile_bits) - np.uint64(1))
    salt = target >> (tile_bits + polygon_bits)
    links = np.zeros(len(target), LINK)
    for name in ("next", "edge", "side", "low", "high"):
        links[name] = tile.links[name]
    links["target"] = polygon | slot << np.uint64(MAX_POLYGON_BITS)
    links["target"] |= salt << np.uint64(MAX_POLYGON_BITS + MAX_TILE_BITS)
    end = begin + len(target) * NARROW_LINK.itemsize
    return np.concatenate([data[:begin], links.view(np.uint8), data[end:]])


def widened_entry(reference: int, size: int, parameters: SetParameters) -> bytes:
    """What stands before a tile."""
    return np.array((widened_reference(reference, parameters), size, 0), ENTRY).tobytes()


def _links_begin(data: U8) -> int:
    header = header_of(data)[0]
    return HEADER.itemsize + 12 * int(header["vertices"]) + POLYGON.itemsize * int(header["polygons"])


# --- reading


def entry_size(file: BinaryIO) -> int:
    """Bytes before each tile of a set that begins in `file`: 8 for 32-bit references, 16 or 12 for 64-bit ones."""
    file.seek(SET_HEADER.itemsize)
    words = file.read(ENTRY.itemsize + 4)
    file.seek(SET_HEADER.itemsize)
    magic = TILE_MAGIC.to_bytes(4, "little")
    for size in (8, ENTRY.itemsize, _SHORT_ENTRY):
        if words[size : size + 4] == magic:
            return size
    return 8  # what is wrong with it is told of the usual kind


def find_tiles(file: BinaryIO, file_size: int, parameters: SetParameters, count: int, entry: int) -> WideTiles:
    """Look through a file: where its tiles are, and which slots they have. Raises BadFile."""
    begins, sizes, slots, most = [], [], dict[int, int](), 0
    for number in range(count):
        where = Where(number)
        words = file.read(entry)
        if len(words) < entry:
            raise where.bad("is missing: the file ends before it", "TRUNCATED")
        slot = _slot(int.from_bytes(words[:8], "little"), parameters, where)
        if slot in slots:
            raise where.bad(f"takes slot {slot}, which is taken", "DOUBLE_SLOT")
        slots[slot] = number
        begin, size = file.tell(), int.from_bytes(words[8:12], "little", signed=True)
        if size < HEADER.itemsize:
            raise where.bad(f"has {size} bytes, and its header alone takes {HEADER.itemsize}", "BAD_DATA_SIZE")
        if size > file_size - begin:
            raise where.bad(f"should have {size:,} bytes, and {file_size - begin:,} are left in the file", "TRUNCATED")
        most = max(most, _polygons(file.read(HEADER.itemsize), size, where))
        begins.append(begin)
        sizes.append(size)
        file.seek(begin + size)
    if file.tell() != file_size:
        raise BadFile(f"{file_size - file.tell():,} bytes follow the last tile.", "TRAILING_BYTES")
    if bits(count) + bits(most) > IN_MEMORY_BITS:
        raise BadFile(
            f"{count:,} tiles of up to {most:,} polygons are more than {IN_MEMORY_BITS} bits number here. Ask the file "
            "in parts.", "TOO_MANY_BITS",
        )  # fmt: skip
    order = np.array(sorted(slots), np.int64)
    numbers = np.array([slots[slot] for slot in order.tolist()], np.int64)
    return WideTiles(in_memory(parameters, count, most), begins, sizes, order, numbers)


def _slot(reference: int, parameters: SetParameters, where: Where) -> int:
    slot = reference >> MAX_POLYGON_BITS & (1 << MAX_TILE_BITS) - 1
    salt = reference >> (MAX_POLYGON_BITS + MAX_TILE_BITS)
    if salt == 0 or reference & (1 << MAX_POLYGON_BITS) - 1 or slot >= parameters.most_tiles:
        raise where.bad(f"has the reference {reference:#x}, which names no tile of this file", "BAD_REFERENCE")
    return slot


def _polygons(content: bytes, size: int, where: Where) -> int:
    """How many polygons a tile has, whose counts fit its size."""
    header = np.frombuffer(content, HEADER, 1)[0]
    counts = {name: int(header[name]) for name in COUNTS}
    negative = next((name for name in COUNTS if counts[name] < 0), None)
    if negative:
        raise where.bad(f"says it holds {counts[negative]} {negative.replace('_', ' ')}", "BAD_COUNT")
    needed = tile_size(counts) + _MORE * counts["links"]
    if header["magic"] == TILE_MAGIC and needed != size:
        raise where.bad(f"needs {needed:,} bytes for what it says it holds, and has {size:,}", "BAD_SECTIONS")
    if counts["polygons"] > 1 << MAX_POLYGON_BITS:
        limit = 1 << MAX_POLYGON_BITS
        raise where.bad(f"has {counts['polygons']:,} polygons (limit {limit:,})", "BAD_COUNT")
    return counts["polygons"]


def narrowed_tiles(file: BinaryIO, tiles: WideTiles) -> Iterator[tuple[int, bytes]]:
    """The reference in memory and the bytes of each tile, as a file of the usual kind has them."""
    for number, (begin, size) in enumerate(zip(tiles.begins, tiles.sizes, strict=True)):
        file.seek(begin)
        yield tiles.parameters.reference(number), _narrowed(np.frombuffer(file.read(size), np.uint8), tiles)


def _narrowed(data: U8, tiles: WideTiles) -> bytes:
    if header_of(data)[0]["magic"] != TILE_MAGIC:
        return data.tobytes()  # which is refused
    begin = _links_begin(data)
    count = int(header_of(data)[0]["links"])
    end = begin + count * LINK.itemsize
    wide = np.frombuffer(data[begin:end].tobytes(), LINK)  # a copy: 64-bit numbers may lie anywhere
    links = np.zeros(count, NARROW_LINK)
    for name in ("next", "edge", "side", "low", "high"):
        links[name] = wide[name]
    links["target"] = _narrowed_references(wide["target"], tiles)
    return b"".join([data[:begin].tobytes(), links.tobytes(), data[end:].tobytes()])


def _narrowed_references(references: I64, tiles: WideTiles) -> I64:
    """What they are in memory; 0 for what names no tile of the file."""
    slot = (references >> np.uint64(MAX_POLYGON_BITS) & np.uint64((1 << MAX_TILE_BITS) - 1)).astype(np.int64)
    polygon = (references & np.uint64((1 << MAX_POLYGON_BITS) - 1)).astype(np.int64)
    if not len(tiles.slots):
        return np.zeros(len(slot), np.int64)
    row = np.minimum(np.searchsorted(tiles.slots, slot), len(tiles.slots) - 1)
    known = (tiles.slots[row] == slot) & (references != 0) & (polygon < 1 << tiles.parameters.polygon_bits)
    shift = tiles.parameters.tile_bits + tiles.parameters.polygon_bits
    narrow = 1 << shift | tiles.numbers[row] << tiles.parameters.polygon_bits | polygon
    return np.where(known, narrow, 0)
