"""A level from a glTF file: the meshes of its scene, placed by their nodes, in the order of the file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...build_warning import BuildWarning
from ...errors import TooLarge
from ...progress import Progress
from ..level_mesh import LevelMesh
from .gltf_document import Accessors, GltfValues, Row, load_gltf
from .placed_parts import AS_IT_IS, Matrix, PlacedParts, product

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
    path: Path, materials: Mapping[str, int], groups: Mapping[str, int], progress: Progress | None = None
) -> LevelMesh:
    """Triangles of all meshes in the file's scene, in metres, y up, as glTF has them.

    Raises BadInput, TooLarge, OSError, and Cancelled through `progress`.
    """
    progress = progress or Progress()
    progress.report("reading", 0.0)
    try:
        return _GltfReader(path, materials, groups).read(progress)
    except MemoryError:
        raise TooLarge(
            f"There is not enough memory for {path.name}. Free some, or split the level.", "OUT_OF_MEMORY"
        ) from None


class _GltfReader:
    def __init__(self, path: Path, materials: Mapping[str, int], groups: Mapping[str, int]) -> None:
        self._values, buffers = load_gltf(path)
        _check_extensions(self._values)
        self._accessors = Accessors(self._values, buffers)
        self._nodes, self._meshes = self._values.rows("nodes"), self._values.rows("meshes")
        self._materials = [self._values.text(row, "name") for row in self._values.rows("materials")]
        self._parts = PlacedParts(path.name, materials, groups)
        self._skinned: list[str] = []

    def read(self, progress: Progress) -> LevelMesh:
        for number, placed in enumerate(self._scene()):
            progress.check()
            if "mesh" in placed.node:
                self._add_mesh(placed)
            progress.report("reading", (number + 1) / len(self._nodes))
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

    def _corners(self, primitive: Row, mode: int, vertex_count: int, part: str) -> npt.NDArray[np.int64]:
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
    for name in values.names_in("extensionsRequired"):
        if name not in _READ and not name.startswith(_LOOKS):
            hint = " without compression" if "draco" in name or "meshopt" in name else f" without {name[:60]}"
            values.refuse(f"it needs the glTF extension {name[:60]}, which is not read. Export{hint}")


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
