"""TSET: tile caches as files, which RecastDemo saves and engines load. Read from any origin, checked rule by rule.

A file is CACHE_HEADER, then TILE_ENTRY and a packed layer, again and again; a layer is LAYER_HEADER and three grids of
bytes, packed as `fastlz.py` has it. Recast: TileCacheSetHeader of its sample, DetourTileCacheBuilder.h.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..detour.byte_layout import CACHE_MAGIC, TILE_ENTRY
from ..detour.file_checks import BadFile, Where
from ..detour.off_mesh_links import FARTHEST
from ..detour.polygon_references import MOST_BITS, SetParameters, bits
from ..detour.reader import check_parameters
from ..geometry.tile_key import TileKey
from ..types import F32, U8, WALKABLE
from .fastlz import decompress
from .ground_layers import PORTAL_SHIFT

CACHE_VERSION = 1
LAYER_MAGIC, LAYER_VERSION = 0x44544C52, 1  # the file says "RLTD"
LARGEST_TILE = 255  # cells: sides of layers are bytes
_MOST_COUNT = 1 << MOST_BITS
_FARTHEST_TILE = 1 << 23  # a row and a layer share one number

CACHE_HEADER = np.dtype(
    [
        ("magic", "<i4"), ("version", "<i4"), ("tiles", "<i4"),
        ("mesh_origin", "<f4", (3,)), ("tile_width", "<f4"), ("tile_depth", "<f4"), ("most_tiles", "<i4"),
        ("most_polygons", "<i4"),
        ("origin", "<f4", (3,)), ("cell_size", "<f4"), ("cell_height", "<f4"), ("width", "<i4"), ("depth", "<i4"),
        ("agent_height", "<f4"), ("agent_radius", "<f4"), ("agent_max_climb", "<f4"), ("max_edge_error", "<f4"),
        ("most_layers", "<i4"), ("most_obstacles", "<i4"),
    ]
)  # fmt: skip
"""Recast: TileCacheSetHeader with dtNavMeshParams and dtTileCacheParams."""

LAYER_HEADER = np.dtype(
    [
        ("magic", "<i4"), ("version", "<i4"), ("x", "<i4"), ("y", "<i4"), ("layer", "<i4"),
        ("bounds_min", "<f4", (3,)), ("bounds_max", "<f4", (3,)), ("lowest", "<u2"), ("highest", "<u2"),
        ("width", "u1"), ("depth", "u1"), ("first_x", "u1"), ("last_x", "u1"), ("first_z", "u1"), ("last_z", "u1"),
        ("padding", "<u2"),
    ]
)  # fmt: skip
"""Recast: dtTileCacheLayerHeader."""


class CacheParameters(NamedTuple):
    """What all layers of a cache share. Recast: dtTileCacheParams."""

    origin: F32  # (3,)
    cell_size: np.float32
    cell_height: np.float32
    size: int  # cells along one side of a tile
    agent_height: np.float32  # metres
    agent_radius: np.float32
    agent_max_climb: np.float32
    max_edge_error: np.float32  # cells
    most_layers: int
    most_obstacles: int

    @property
    def climb_vx(self) -> int:
        """As upstream counts it: whole voxels of the rounded quotient."""
        return int(np.float32(self.agent_max_climb) / np.float32(self.cell_height))

    def reference(self, slot: int) -> int:
        """Of a layer; each is put in once."""
        return 1 << bits(self.most_layers) | slot


class PackedLayer(NamedTuple):
    """One layer as it lies in a file."""

    key: TileKey
    bounds_min: F32  # (3,)
    bounds_max: F32  # (3,)
    lowest: int  # vx above the level's floor
    highest: int
    inner: tuple[int, int, int, int]  # first and last column, first and last row with ground
    packed: U8


class CacheSet(NamedTuple):
    """A checked file."""

    mesh: SetParameters
    cache: CacheParameters
    layers: tuple[PackedLayer, ...]


def set_bytes(content: CacheSet) -> bytes:
    """The file."""
    mesh, cache, layers = content
    header = np.zeros(1, CACHE_HEADER)
    header[0] = (
        CACHE_MAGIC, CACHE_VERSION, len(layers), *mesh, cache.origin, cache.cell_size, cache.cell_height, cache.size,
        cache.size, *cache[4:],
    )  # fmt: skip
    parts = [header.tobytes()]
    for slot, layer in enumerate(layers):
        data = layer_bytes(layer, cache.size)
        parts += [np.array((cache.reference(slot), len(data)), TILE_ENTRY).tobytes(), data]
    return b"".join(parts)


def layer_bytes(layer: PackedLayer, size: int) -> bytes:
    """A layer with its header; what pads the header is 0."""
    header = np.zeros(1, LAYER_HEADER)
    header[0] = (
        LAYER_MAGIC, LAYER_VERSION, *layer.key, layer.bounds_min, layer.bounds_max, layer.lowest, layer.highest, size,
        size, *layer.inner, 0,
    )  # fmt: skip
    return header.tobytes() + layer.packed.tobytes()


def read_set(content: bytes) -> CacheSet:
    """A tile cache from a file of any origin. Raises BadFile with the rule that it breaks; nothing is computed."""
    magic = int.from_bytes(content[:4], "little")
    if len(content) < 4 or magic != CACHE_MAGIC:
        if int.from_bytes(content[:4], "big") == CACHE_MAGIC:
            raise BadFile("The file is big-endian. Export it on a little-endian machine.", "BIG_ENDIAN")
        raise BadFile("The file is no tile cache (TSET).", "NOT_A_TILE_CACHE")
    if len(content) < CACHE_HEADER.itemsize:
        raise BadFile(f"The file ends in its header, after {len(content)} bytes.", "TRUNCATED")
    header = np.frombuffer(content, CACHE_HEADER, 1)[0]
    if header["version"] != CACHE_VERSION:
        raise BadFile(f"The file's version is {header['version']}, not {CACHE_VERSION}.", "BAD_VERSION")
    mesh = SetParameters(
        header["mesh_origin"].astype(np.float32), np.float32(header["tile_width"]), np.float32(header["tile_depth"]),
        int(header["most_tiles"]), int(header["most_polygons"]),
    )  # fmt: skip
    check_parameters(mesh)
    cache = _parameters(header)
    count = int(header["tiles"])
    if not 0 <= count <= cache.most_layers:
        raise BadFile(f"The file says it holds {count} of at most {cache.most_layers} layers.", "BAD_TILE_COUNT")
    return CacheSet(mesh, cache, tuple(_layers(content, cache, count)))


def _parameters(header: Any) -> CacheParameters:
    width, depth = int(header["width"]), int(header["depth"])
    if width != depth or not 1 <= width <= LARGEST_TILE:
        raise BadFile(f"Layers of {width} × {depth} cells are not from 1 × 1 to {LARGEST_TILE}².", "BAD_LAYER_SIZE")
    origin = header["origin"].astype(np.float32)
    if not bool((np.abs(origin) <= FARTHEST).all()):
        raise BadFile("The origin is not a finite point near enough to compute with.", "BAD_ORIGIN")
    names = ("cell_size", "cell_height", "agent_height", "agent_radius", "agent_max_climb", "max_edge_error")
    numbers = {name: np.float32(header[name]) for name in names}
    for name in ("cell_size", "cell_height"):
        if not 1 / FARTHEST <= numbers[name] <= FARTHEST:
            raise BadFile(f"Its {name} of {numbers[name]:g} m is not possible.", "BAD_QUANTIZATION")
    agent = [float(numbers[name]) for name in names[2:]]
    if not all(0 <= value <= FARTHEST for value in agent) or agent[2] / float(numbers["cell_height"]) > 1 << 24:
        raise BadFile(f"It was built for an impossible agent {tuple(agent)}.", "BAD_AGENT")
    most = int(header["most_layers"]), int(header["most_obstacles"])
    if not 1 <= most[0] <= _MOST_COUNT or not 0 <= most[1] <= _MOST_COUNT:
        raise BadFile(f"Room for {most[0]} layers and {most[1]} obstacles is not possible.", "BAD_MOST_TILES")
    cell_size, cell_height, height, radius, climb, error = numbers.values()
    return CacheParameters(origin, cell_size, cell_height, width, height, radius, climb, error, *most)


def _layers(content: bytes, cache: CacheParameters, count: int) -> list[PackedLayer]:
    at, layers, keys = CACHE_HEADER.itemsize, list[PackedLayer](), set[TileKey]()
    for number in range(count):
        where = Where(number)
        if len(content) - at < TILE_ENTRY.itemsize:
            raise where.bad("is missing: the file ends before it", "TRUNCATED")
        reference = int.from_bytes(content[at : at + 4], "little")
        size = int.from_bytes(content[at + 4 : at + 8], "little", signed=True)
        at += TILE_ENTRY.itemsize
        if reference == 0:
            raise where.bad("has the reference 0, which names no tile", "BAD_REFERENCE")
        if size < LAYER_HEADER.itemsize:
            raise where.bad(f"has {size} bytes, and its header alone takes {LAYER_HEADER.itemsize}", "BAD_DATA_SIZE")
        if size > len(content) - at:
            raise where.bad(f"should have {size:,} bytes, and {len(content) - at:,} are left in the file", "TRUNCATED")
        layer = _layer(content[at : at + size], cache, where)
        if layer.key in keys:
            raise where.bad(f"is a second one at {layer.key}, layer {layer.key.layer}", "DOUBLE_TILE")
        keys.add(layer.key)
        layers.append(layer)
        at += size
    if at != len(content):
        raise BadFile(f"{len(content) - at:,} bytes follow the last tile.", "TRAILING_BYTES")
    return layers


def _layer(content: bytes, cache: CacheParameters, where: Where) -> PackedLayer:
    header = np.frombuffer(content, LAYER_HEADER, 1)[0]
    if header["magic"] != LAYER_MAGIC:
        raise where.bad("does not begin as layers of tile caches do", "BAD_TILE_MAGIC")
    if header["version"] != LAYER_VERSION:
        raise where.bad(f"has version {header['version']}, not {LAYER_VERSION}", "BAD_TILE_VERSION")
    x, y, number = (int(header[name]) for name in ("x", "y", "layer"))
    if max(abs(x), abs(y)) >= _FARTHEST_TILE or not 0 <= number < _MOST_COUNT:
        raise where.bad(f"lies at ({x}, {y}), layer {number}", "BAD_TILE_PLACE")
    low, high = header["bounds_min"].astype(np.float32), header["bounds_max"].astype(np.float32)
    if not bool((np.abs([low, high]) <= FARTHEST).all()) or not bool((low <= high).all()):
        raise where.bad(f"has impossible bounds {tuple(low.tolist())} to {tuple(high.tolist())}", "BAD_BOUNDS")
    size = int(header["width"]), int(header["depth"])
    if size != (cache.size, cache.size):
        raise where.bad(f"has {size[0]} × {size[1]} cells, and the file says {cache.size}²", "BAD_LAYER_SIZE")
    inner = tuple(int(header[name]) for name in ("first_x", "last_x", "first_z", "last_z"))
    if not (inner[0] <= inner[1] < cache.size and inner[2] <= inner[3] < cache.size):
        raise where.bad(f"says that it has ground in columns and rows {inner}", "BAD_LAYER_INSIDE")
    lowest, highest = int(header["lowest"]), int(header["highest"])
    if lowest > highest:
        raise where.bad(f"lies between the heights {lowest} and {highest}", "BAD_LAYER_HEIGHTS")
    packed = np.frombuffer(content, np.uint8)[LAYER_HEADER.itemsize :].copy()
    _check_cells(packed, cache.size, where)
    return PackedLayer(TileKey(x, y, number), low, high, lowest, highest, inner, packed)  # type: ignore[arg-type]


def _check_cells(packed: U8, size: int, where: Where) -> None:
    """Whether the grids unpack, to cells that are possible: no step leads out of them."""
    grids = np.empty(3 * size * size, np.uint8)
    if len(packed) == 0 or not decompress(packed, grids):
        raise where.bad("does not unpack to its cells", "BAD_LAYER_CELLS")
    _, areas, sides = grids.reshape(3, size, size)
    if (areas > WALKABLE).any():
        raise where.bad(f"has a cell of area {areas.max()}", "BAD_LAYER_AREA")
    inside = sides & (1 << PORTAL_SHIFT) - 1
    left, after, right, before = (inside[:, 0] & 1, inside[-1] & 2, inside[:, -1] & 4, inside[0] & 8)
    if left.any() or after.any() or right.any() or before.any():
        raise where.bad("has a cell from which a step leads out of it", "BAD_LAYER_SIDES")


def parameters_of_mesh(tiles: int, layers: Sequence[PackedLayer], origin: F32, side: np.float32) -> SetParameters:
    """Of the navmesh that a cache makes: RecastDemo's, with room for `tiles`, or for more layers than that."""
    tile_bits = max(min(bits(tiles), 14), bits(len(layers)))
    return SetParameters(origin, side, side, 1 << tile_bits, 1 << max(MOST_BITS - tile_bits, 0))
