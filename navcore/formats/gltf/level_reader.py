"""A level from a glTF file: the meshes of its scene, placed by their nodes, in the order of the file."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np

from ...build_warning import BuildWarning
from ...errors import BadInput, TooLarge
from ...files.strict_json import load_json
from ...progress import Progress
from ...types import I64, AnyArray
from ..file_axes import AS_READ, FileAxes
from ..level_mesh import LevelMesh
from .glb import BINARY_CHUNK, JSON_CHUNK, MAGIC, VERSION
from .placed_parts import AS_IT_IS, Matrix, PlacedParts, product

# --- The document of a glTF level: its JSON, its buffers and its arrays (accessors); all is looked at before it is
# used.
#
# Buffers come from the file itself, from text, or from files beside it.

Row = dict[str, Any]
MOST_JSON = 256 << 20  # bytes: buffers may stand in it as text
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_ESCAPED = re.compile(rb"%([0-9A-Fa-f]{2})")
_DATA = re.compile(r"data:[^,]{0,200};base64,", re.IGNORECASE)
_KINDS = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
_WIDTHS = {"SCALAR": 1, "VEC3": 3}
_WHOLE = (5121, 5123, 5125)  # what numbers of vertices may be


_COMPRESSED = {"meshopt": "meshopt", "draco": "Draco"}
"""Part of an extension's name → what is said of it."""


def _refuse_compressed(values: GltfValues, *lists: str) -> None:
    """Refuse a file by the name of its compression, if it has one: its arrays are not in its buffers then."""
    for extension in (name for names in lists for name in values.names_in(names)):
        for part, name in _COMPRESSED.items():
            if part in extension.lower():
                raise BadInput(
                    f"{values.file} is not read: its meshes are compressed with {name} (the glTF extension "
                    f"{extension[:60]}). Export without compression.",
                    "COMPRESSED_MESHES",
                )


def load_gltf(path: Path) -> tuple[GltfValues, list[bytes]]:
    """The JSON of an .glb or .gltf file, and its buffers. Raises BadInput, OSError."""
    content = path.read_bytes()
    chunk = None
    if path.suffix.lower() == ".glb" or content[:4] == b"glTF":
        content, chunk = _chunks(path.name, content)
    values = GltfValues(path.name, load_json(content, f"“{path.name}”", MOST_JSON))
    _check_version(values)
    return values, _buffers(path, values, chunk)


def _chunks(file: str, content: bytes) -> tuple[bytes, bytes | None]:
    """The JSON and, where there is one, the binary buffer."""
    magic, version, length, size, kind = (int.from_bytes(content[at : at + 4], "little") for at in range(0, 20, 4))
    if magic != MAGIC:
        raise BadInput(f"{file} is no .glb file: it does not begin with “glTF”. Export the level again.")
    if len(content) >= 20 and version != VERSION:
        raise BadInput(f"{file} is glTF {version}, and glTF 2 is read. Export the level as glTF 2.", "BAD_VERSION")
    if len(content) < 20 or length > len(content) or 20 + size > length:
        _cut_off(file, max(length, 20 + size), len(content))
    if kind != JSON_CHUNK:
        raise BadInput(f"{file} is no .glb file: its first part is no JSON. Export the level again.")
    text, at, chunk = content[20 : 20 + size], 20 + size, None
    while at + 8 <= length and chunk is None:
        size, kind = (int.from_bytes(content[begin : begin + 4], "little") for begin in (at, at + 4))
        if at + 8 + size > length:
            _cut_off(file, at + 8 + size, length)
        if kind == BINARY_CHUNK:  # others are passed over, as the specification wants it
            chunk = content[at + 8 : at + 8 + size]
        at += 8 + size + -size % 4
    return text, chunk


def _cut_off(file: str, wanted: int, there: int) -> NoReturn:
    raise BadInput(
        f"{file} ends too early: it should have {wanted:,} bytes and has {there:,}. Copy or export it again.",
        "TRUNCATED",
    )


def _check_version(values: GltfValues) -> None:
    version = values.text(values.row(None, "asset"), "version")
    if not version.startswith("2."):
        shown = f"glTF {version[:20]}" if version else "no glTF (it has no version)"
        values.refuse(f"it is {shown}, and glTF 2 is read", "BAD_VERSION")


def _buffers(path: Path, values: GltfValues, chunk: bytes | None) -> list[bytes]:
    buffers: list[bytes] = []
    for number, row in enumerate(values.rows("buffers")):
        wanted = values.number(row, "byteLength")
        if "uri" in row:
            data = _from_uri(path, values, values.text(row, "uri"))
        elif number == 0 and chunk is not None:
            data = chunk
        else:
            _refuse_compressed(values, "extensionsRequired", "extensionsUsed")
            values.refuse(f"buffer {number} has no bytes in it")
        if len(data) < wanted:
            _cut_off(f"Buffer {number} of {path.name}", wanted, len(data))
        buffers.append(data[:wanted])
    return buffers


def _from_uri(path: Path, values: GltfValues, uri: str) -> bytes:
    """From base64 text, or from a file in the level's own folder or below it: nothing else is ever opened."""
    if match := _DATA.match(uri):
        try:
            return base64.b64decode(uri[match.end() :], validate=True)
        except (binascii.Error, ValueError):
            values.refuse("a buffer that stands in it as text is no base64")
    name = _ESCAPED.sub(lambda found: bytes([int(found[1], 16)]), uri.encode()).decode("utf-8", "replace")
    shown = f"its buffer {name[:80]!r}"
    if _SCHEME.match(name) or name.startswith(("/", "\\")) or "\0" in name or not name:
        values.refuse(f"{shown} is an address, and buffers are read from files in the level's own folder only")
    folder = path.resolve().parent
    buffer = (folder / name.replace("\\", "/")).resolve()
    if not buffer.is_relative_to(folder):
        values.refuse(f"{shown} lies outside of the level's own folder, and is not opened. Put it beside the level")
    if not buffer.is_file():
        values.refuse(f"{shown} is not there; a .gltf needs the files that were exported with it", "CANNOT_READ")
    return buffer.read_bytes()


# --- JSON


class GltfValues:
    """The lists of the file and what stands in their rows; whatever is not as it should be is refused by name."""

    def __init__(self, file: str, content: object) -> None:
        self.file = file
        self._content = content if isinstance(content, dict) else self.refuse("its JSON is no object")

    def refuse(self, why: str, code: str | None = None) -> NoReturn:
        """Raise BadInput with what to do."""
        raise BadInput(
            f"{self.file} is not read: {why}. Export the level again, or check whether the file is whole.", code
        )

    def row(self, owner: Row | None, name: str) -> Row:
        """An object within another, None for the whole file; empty where it is missing."""
        value = (self._content if owner is None else owner).get(name, {})
        return value if isinstance(value, dict) else self.refuse(f"“{name}” is no object")

    def rows(self, name: str) -> list[Row]:
        """One of the lists of objects: nodes, meshes …"""
        return self.rows_in(self._content, name)

    def rows_in(self, owner: Row, name: str) -> list[Row]:
        value = owner.get(name, [])
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            self.refuse(f"“{name}” is no list of objects")
        return value

    def names_in(self, name: str) -> list[str]:
        """A list of names of the whole file."""
        value = self._content.get(name, [])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            self.refuse(f"“{name}” is no list of names")
        return value

    def has(self, name: str) -> bool:
        return name in self._content

    def number(self, owner: Row | None, name: str, default: int | None = None) -> int:
        """A whole number from 0 on."""
        value = (self._content if owner is None else owner).get(name, default)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 53:
            self.refuse(f"“{name}” must be a whole number from 0 on, not {value!r:.40}")
        return value

    def index(self, owner: Row | None, name: str, rows: list[Any], default: int | None = None) -> int:
        """The number of one of these rows."""
        value = self.number(owner, name, default)
        return self._within(value, name, rows)

    def indices(self, owner: Row, name: str, rows: list[Any]) -> list[int]:
        """Numbers of some of these rows."""
        values = owner.get(name, [])
        if not isinstance(values, list) or not all(isinstance(v, int) and not isinstance(v, bool) for v in values):
            self.refuse(f"“{name}” is no list of whole numbers")
        return [self._within(value, name, rows) for value in values]

    def floats(self, owner: Row, name: str, default: tuple[float, ...]) -> list[float]:
        """As many numbers as the default has."""
        values = owner.get(name, default)
        numbers = isinstance(values, (list, tuple)) and len(values) == len(default)
        if not numbers or not all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values):
            self.refuse(f"“{name}” must be {len(default)} numbers, not {values!r:.60}")
        return [float(value) for value in values]

    def text(self, owner: Row, name: str) -> str:
        """A name; "" where there is none."""
        value = owner.get(name, "")
        return value if isinstance(value, str) else self.refuse(f"“{name}” is no text")

    def _within(self, value: int, name: str, rows: list[Any]) -> int:
        if not 0 <= value < len(rows):
            self.refuse(
                f"“{name}” is {value}, and there are {len(rows):,} to choose from, counted from 0", "INDEX_OUT_OF_RANGE"
            )
        return value


# --- arrays


class Accessors:
    """Reads arrays by their number. No array is longer than the bytes that are there."""

    def __init__(self, values: GltfValues, buffers: list[bytes]) -> None:
        self._values, self._buffers = values, buffers
        self._rows, self._views = values.rows("accessors"), values.rows("bufferViews")

    def points(self, attributes: Row) -> tuple[int, AnyArray]:
        """The number of the accessor that holds positions, and the positions (N, 3)."""
        number = self._values.index(attributes, "POSITION", self._rows)
        row = self._rows[number]
        if row.get("type") != "VEC3":
            self._values.refuse(f"accessor {number} holds positions and must be VEC3, not {row.get('type')!r:.40}")
        array = self._array(number, row)
        if row.get("normalized") is True and array.dtype.kind in "iu":  # KHR_mesh_quantization
            array = np.maximum(array / np.iinfo(array.dtype).max, -1.0)
        return number, array

    def indices(self, primitive: Row) -> I64:
        """Numbers of vertices."""
        number = self._values.index(primitive, "indices", self._rows)
        row = self._rows[number]
        if row.get("type") != "SCALAR" or row.get("componentType") not in _WHOLE:
            self._values.refuse(f"accessor {number} holds indices and must be whole numbers without a sign, one by one")
        return self._array(number, row).ravel().astype(np.int64)

    def _array(self, number: int, row: Row) -> AnyArray:
        values = self._values
        count, kind, width = values.number(row, "count"), self._kind(row), _WIDTHS[row["type"]]
        if "bufferView" not in row:
            _refuse_compressed(values, "extensionsUsed")
            values.refuse(
                f"accessor {number} has no bytes (compressed meshes are not read; export without compression)"
            )
        begin = values.number(row, "byteOffset", 0)
        array = self._strided(row, begin, count, kind, width)
        if "sparse" in row:
            array = self._replaced(values.row(row, "sparse"), array)
        return array

    def _kind(self, row: Row) -> np.dtype[Any]:
        kind = row.get("componentType")
        if not isinstance(kind, int) or kind not in _KINDS:
            self._values.refuse(f"“componentType” is {kind!r:.40}, and there is no such kind of numbers")
        return np.dtype(_KINDS[kind])

    def _strided(self, owner: Row, begin: int, count: int, kind: np.dtype[Any], width: int) -> AnyArray:
        """`count` times `width` numbers of a view that may hold other numbers between them."""
        values = self._values
        view = self._views[values.index(owner, "bufferView", self._views)]
        data = self._buffers[values.index(view, "buffer", self._buffers)]
        length, size = values.number(view, "byteLength"), kind.itemsize * width
        stride, at = values.number(view, "byteStride", size), values.number(view, "byteOffset", 0)
        end = begin + (stride * (count - 1) + size if count else 0)
        if stride < size or end > length or at + length > len(data):
            values.refuse(
                f"{count:,} numbers of {size} bytes do not fit where “bufferViews” says that they are", "TRUNCATED"
            )
        if count == 0:
            return np.empty((0, width), kind)
        return np.ndarray((count, width), kind, data, at + begin, (stride, kind.itemsize)).copy()

    def _replaced(self, sparse: Row, array: AnyArray) -> AnyArray:
        """With the rows that a sparse accessor says otherwise."""
        values = self._values
        count = values.number(sparse, "count")
        where, what = values.row(sparse, "indices"), values.row(sparse, "values")
        kind = self._kind(where)
        if where["componentType"] not in _WHOLE:
            values.refuse("the indices of a sparse accessor must be whole numbers without a sign")
        rows = self._strided(where, values.number(where, "byteOffset", 0), count, kind, 1).ravel().astype(np.int64)
        if count and int(rows.max()) >= len(array):
            values.refuse("a sparse accessor replaces what is not there", "INDEX_OUT_OF_RANGE")
        begin = values.number(what, "byteOffset", 0)
        array[rows] = self._strided(what, begin, count, array.dtype, array.shape[1])
        return array


_TRIANGLES, _STRIP, _FAN = 4, 5, 6  # ways to read indices; 0 to 3 are points and lines
_LOOKS = ("KHR_materials_", "KHR_texture_", "EXT_texture_", "MSFT_texture_", "KHR_lights_", "EXT_lights_", "KHR_xmp")
_READ = ("KHR_mesh_quantization",)
_INSTANCING = "EXT_mesh_gpu_instancing"


class _Placed(NamedTuple):
    """A node of the scene."""

    node: Row
    matrix: Matrix  # from the node to the world
    names: tuple[str, ...]  # its own, then those of the nodes above it


def read_gltf(
    path: Path, materials: Mapping[str, int], groups: Mapping[str, int], progress: Progress | None = None,
    axes: FileAxes = AS_READ,
) -> LevelMesh:  # fmt: skip
    """Triangles of all meshes in the file's scene, in metres, y up, as glTF has them.

    Raises BadInput, TooLarge, OSError, and Cancelled through `progress`.
    """
    progress = progress or Progress()
    progress.report("reading", 0.0)
    try:
        return _GltfReader(path, PlacedParts(path.name, materials, groups, axes)).read(progress)
    except MemoryError:
        raise TooLarge(
            f"There is not enough memory for {path.name}. Free some, or split the level.", "OUT_OF_MEMORY"
        ) from None


class _GltfReader:
    def __init__(self, path: Path, parts: PlacedParts) -> None:
        self._values, buffers = load_gltf(path)
        _check_extensions(self._values)
        self._accessors = Accessors(self._values, buffers)
        self._nodes, self._meshes = self._values.rows("nodes"), self._values.rows("meshes")
        self._materials = [self._values.text(row, "name") for row in self._values.rows("materials")]
        self._parts = parts
        self._skinned: list[str] = []

    def read(self, progress: Progress) -> LevelMesh:
        for number, placed in enumerate(self._scene()):
            progress.check()
            if "mesh" in placed.node:
                self._add_mesh(placed)
            progress.report("reading", (number + 1) / len(self._nodes))
        if self._skinned and self._parts.is_empty:
            raise BadInput(
                f"{self._values.file}: all its meshes are moved by bones ({len(self._skinned):,}, the first of them "
                f"{self._skinned[0]!r}), and what bones move is no level. Export them with their armature applied.",
                "ONLY_SKINNED",
            )
        return self._parts.finished(self._warnings())

    def _scene(self) -> Iterator[_Placed]:
        """The nodes of the scene, each before those below it. A node can be there once."""
        seen: set[int] = set()
        waiting: list[tuple[int, Matrix, tuple[str, ...]]] = [
            (number, AS_IT_IS, ()) for number in reversed(self._roots())
        ]
        while waiting:
            number, above, names = waiting.pop()
            if number in seen:
                self._values.refuse(f"node {number} is below two nodes, or below itself")
            seen.add(number)
            node = self._nodes[number]
            name = self._values.text(node, "name")
            placed = _Placed(node, product(above, _matrix(self._values, node)), (name, *names) if name else names)
            yield placed
            below = self._values.indices(node, "children", self._nodes)
            waiting += [(child, placed.matrix, placed.names) for child in reversed(below)]

    def _roots(self) -> list[int]:
        values, scenes = self._values, self._values.rows("scenes")
        if scenes:
            return values.indices(scenes[values.index(None, "scene", scenes, 0)], "nodes", self._nodes)
        below = {child for node in self._nodes for child in values.indices(node, "children", self._nodes)}
        return [number for number in range(len(self._nodes)) if number not in below]

    def _add_mesh(self, placed: _Placed) -> None:
        values = self._values
        mesh = self._meshes[values.index(placed.node, "mesh", self._meshes)]
        name = values.text(mesh, "name")
        names = (*placed.names[:1], *([name] if name else []), *placed.names[1:])
        part = names[0] if names else f"mesh {placed.node['mesh']}"
        if _INSTANCING in values.row(placed.node, "extensions"):
            values.refuse(f"{part!r} is instanced by {_INSTANCING}. Export without GPU instances")
        if "skin" in placed.node:
            self._skinned.append(part)
            return
        firsts: dict[int, int] = {}  # of positions that several primitives share
        for primitive in values.rows_in(mesh, "primitives"):
            mode = values.number(primitive, "mode", _TRIANGLES)
            attributes = values.row(primitive, "attributes")
            if mode < _TRIANGLES or "POSITION" not in attributes:
                continue
            accessor, points = self._accessors.points(attributes)
            if accessor not in firsts:
                firsts[accessor] = self._parts.add_vertices(points, placed.matrix, part)
            corners = self._corners(primitive, mode, len(points), part)
            material = (
                self._materials[values.index(primitive, "material", self._materials)] if "material" in primitive else ""
            )
            self._parts.add_triangles(corners, firsts[accessor], placed.matrix, part, material, names)

    def _corners(self, primitive: Row, mode: int, vertex_count: int, part: str) -> I64:
        """Triangles (N, 3), counter-clockwise seen from their front."""
        indexed = "indices" in primitive
        order = self._accessors.indices(primitive) if indexed else np.arange(vertex_count, dtype=np.int64)
        if mode == _TRIANGLES:
            if len(order) % 3:
                self._values.refuse(f"{part!r} has {len(order):,} corners, which make no whole triangles")
            return order.reshape(-1, 3)
        if len(order) < 3:
            return np.empty((0, 3), np.int64)
        if mode == _FAN:
            return np.stack([np.full(len(order) - 2, order[0]), order[1:-1], order[2:]], axis=1)
        if mode != _STRIP:
            self._values.refuse(f"“mode” is {mode}, and there are 0 to 6")
        strip = np.stack([order[:-2], order[1:-1], order[2:]], axis=1)
        strip[1::2] = strip[1::2][:, [0, 2, 1]]  # every second one is wound the other way
        return strip

    def _warnings(self) -> list[BuildWarning]:
        if not self._skinned:
            return []
        text = (
            f"{self._values.file}: meshes that bones move are left out: {len(self._skinned):,}, the first of them "
            f"{self._skinned[0]!r}. Export them with their armature applied if they are ground or walls."
        )
        return [BuildWarning("PARTS_LEFT_OUT", text)]


def _check_extensions(values: GltfValues) -> None:
    """Refuse a file that needs what is not read; what only looks different is no matter."""
    _refuse_compressed(values, "extensionsRequired")
    for name in values.names_in("extensionsRequired"):
        if name not in _READ and not name.startswith(_LOOKS):
            values.refuse(f"it needs the glTF extension {name[:60]}, which is not read. Export without {name[:60]}")


def _matrix(values: GltfValues, node: Row) -> Matrix:
    """From the node to the one above it."""
    if "matrix" in node:
        column = values.floats(node, "matrix", (0.0,) * 16)
        return tuple((column[n], column[4 + n], column[8 + n], column[12 + n]) for n in range(3))
    moved = values.floats(node, "translation", (0.0, 0.0, 0.0))
    x, y, z, w = values.floats(node, "rotation", (0.0, 0.0, 0.0, 1.0))
    scale = values.floats(node, "scale", (1.0, 1.0, 1.0))
    length = x * x + y * y + z * z + w * w
    if not 0 < length < float("inf"):
        values.refuse("a node's “rotation” is no rotation: its four numbers are zero, or too large")
    two = 2.0 / length
    rows = (
        (1.0 - two * (y * y + z * z), two * (x * y - z * w), two * (x * z + y * w)),
        (two * (x * y + z * w), 1.0 - two * (x * x + z * z), two * (y * z - x * w)),
        (two * (x * z - y * w), two * (y * z + x * w), 1.0 - two * (x * x + y * y)),
    )
    (a, b, c), (d, e, f), (g, h, i) = rows
    u, v, w = scale
    return (a * u, b * v, c * w, moved[0]), (d * u, e * v, f * w, moved[1]), (g * u, h * v, i * w, moved[2])
