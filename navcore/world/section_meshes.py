"""The mesh files of all sections: what each is and how far it reaches, and what it holds, one file at a time."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..builder.checked_input import checked_geometry
from ..builder.parts.part import NOTHING
from ..errors import BadInput
from ..files.strict_json import json_object, json_text
from ..formats.mesh_files import read_mesh
from ..geometry.grid import bounds_of
from ..progress import Progress
from ..scene import Scene
from ..types import F32, Geometry
from .section_grid import SectionGrid, SeenGround, touching_ground
from .world_file import World, is_blend, of_section

KNOWN_MESHES = "world.meshes.json"  # beside the manifest: how far each mesh reaches, so that few are read
_AT_ONCE = 1 << 20  # bytes of a file that are hashed together
_SEVERAL_FILES = ".gltf"  # whose content lies in other files, too
_MOST_BYTES = 256 << 20


class MeshFacts(NamedTuple):
    """What is known of a mesh without reading it again."""

    identity: str  # a hash of its content, and of what its section's scene maps to areas
    box: tuple[float, ...]  # minimum x, y, z, then maximum
    has_areas: bool


class MeshSource(NamedTuple):
    """Where a mesh is read from, and what names in it stand for."""

    section: str
    path: Path
    scene: Scene  # with nothing but names, and the areas that they stand for


class SectionMesh(NamedTuple):
    """One mesh of the world."""

    section: int
    source: MeshSource
    facts: MeshFacts


LookAtMeshes = Callable[[Sequence[MeshSource]], Iterable[MeshFacts]]


class WorldMeshes:
    """All meshes in the order of the world: by section, and as each lists them. None is held in memory."""

    def __init__(self, world: World, folder: Path, progress: Progress, look: LookAtMeshes | None = None) -> None:
        """`look`: how facts of meshes are found, where that is not done here.

        Raises NavmeshError that names the section where one is missing or cannot be read.
        """
        self._world = world
        for section in world.sections:  # before the first is read, which may take a while
            for path in section.meshes:
                if not path.is_file():
                    raise BadInput(
                        f"Section “{section.name}”: its mesh {path.name} is not there ({path}). Correct the path in "
                        f"{world.path.name}: it is beside that file.",
                        "MESH_MISSING",
                    )
                if is_blend(path):
                    raise BadInput(
                        f"Section “{section.name}”: its mesh {path.name} is a file of Blender's, and navcore works "
                        f"without Blender. Run: blender --command navmesh world build {world.path.name}",
                        "NEEDS_BLENDER",
                    )
        sources = [(number, source) for number in range(len(world.sections)) for source in self._sources(number)]
        found = (look or (lambda wanted: looked_at(wanted, known_in(folder), progress)))([one for _, one in sources])
        self.all = [SectionMesh(*pair, facts) for pair, facts in zip(sources, found, strict=True)]
        boxes = np.array([mesh.facts.box for mesh in self.all], np.float32).reshape(-1, 2, 3)
        self._low, self._high = boxes[:, 0], boxes[:, 1]
        # Where any mesh says areas degenerate triangles count in all, as where everything is built at once.
        self.has_areas = any(mesh.facts.has_areas for mesh in self.all)

    def _sources(self, number: int) -> Iterator[MeshSource]:
        section = self._world.sections[number]
        names = replace(section.scene, bounds=None, volumes=(), links=(), seeds=(), edits=())
        for path in section.meshes:
            yield MeshSource(section.name, path, names)

    def reaching(self, ground: SeenGround) -> list[SectionMesh]:
        """The meshes of whichever section that may have triangles there."""
        inside = touching_ground(self._low, self._high, ground)
        return [self.all[number] for number in np.flatnonzero(inside).tolist()]

    def check_owners(self, grid: SectionGrid) -> None:
        """Refuse triangles within the bounds on tiles that no section owns, and meshes beyond the bounds."""
        for mesh in self.all:
            low, high = _flat(mesh.facts.box[:3]), _flat(mesh.facts.box[3:])
            columns, rows = grid.tiles_under(low, high)
            if not columns or not rows:
                raise self._refused(mesh, "lies beyond the bounds of the world. Widen them, or leave it out")
            if grid.unowned(columns, rows):
                self._check_triangles(mesh, grid)

    def _check_triangles(self, mesh: SectionMesh, grid: SectionGrid) -> None:
        vertices, triangles, _ = triangles_of(mesh.source)
        corners = vertices[triangles][:, :, [0, 2]].astype(np.float64)
        lows, highs = corners.min(axis=1), corners.max(axis=1)
        free = np.zeros((grid.owner.shape[0] + 1, grid.owner.shape[1] + 1), np.int64)
        free[1:, 1:] = (grid.owner < 0).cumsum(axis=0).cumsum(axis=1)  # unowned tiles before each corner
        slack = 1e-5 * grid.side
        first = np.floor((lows + slack - grid.origin) / grid.side).astype(np.int64)
        last = np.ceil((highs - slack - grid.origin) / grid.side).astype(np.int64)
        most = np.array([grid.tiles.columns, grid.tiles.rows])
        (c0, r0), (c1, r1) = np.clip(first, 0, most).T, np.clip(np.maximum(last, first), 0, most).T
        seen = free[r1, c1] - free[r0, c1] - free[r1, c0] + free[r0, c0]
        for number in np.flatnonzero(seen > 0).tolist():
            columns, rows = grid.tiles_under(lows[number].tolist(), highs[number].tolist())
            for column, row in grid.unowned(columns, rows):
                if _overlap(corners[number], grid.box_of(column, row), slack):
                    x0, z0, x1, z1 = grid.box_of(column, row)
                    raise self._refused(
                        mesh,
                        f"has triangles on tile ({column}, {row}), which no section owns: x {x0:g} to {x1:g}, "
                        f"z {z0:g} to {z1:g}. Have a section's box hold the middle of that tile, or narrow the bounds",
                    )

    def _refused(self, mesh: SectionMesh, why: str) -> BadInput:
        name = self._world.sections[mesh.section].name
        return BadInput(f"Section “{name}”: its mesh {mesh.source.path.name} {why}.", "GEOMETRY_WITHOUT_SECTION")

    def to_json(self) -> bytes:
        """What the next build need not read again."""
        rows = {mesh.facts.identity: [list(mesh.facts.box), mesh.facts.has_areas] for mesh in self.all}
        return json_text({"format": 1, "meshes": rows})


def looked_at(
    sources: Sequence[MeshSource], known: Mapping[str, MeshFacts], progress: Progress
) -> Iterator[MeshFacts]:  # fmt: skip
    """The facts of meshes: those that are known of the same content, or what the mesh says."""
    for done, source in enumerate(sources):
        progress.check()
        progress.report("reading", done / len(sources))
        with of_section(source.section):
            yield _facts(source, known)


def _facts(source: MeshSource, known: Mapping[str, MeshFacts]) -> MeshFacts:
    path, mapped = source.path, json_text([*source.scene.named_areas()])
    identity = ""
    if path.suffix.lower() != _SEVERAL_FILES:
        identity = hash_of_file(path, mapped)
        if (there := known.get(identity)) is not None:
            return there
    mesh = triangles_of(source)
    if not identity:
        whole = hashlib.sha256(mapped)
        for array in mesh:
            whole.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
        identity = whole.hexdigest()
    low, high = bounds_of(mesh.vertices)
    return MeshFacts(identity, tuple(map(float, (*low, *high))), len(mesh.area) > 0)


def triangles_of(source: MeshSource) -> Geometry:
    """What a mesh holds. Raises NavmeshError that names the section."""
    with of_section(source.section):
        mesh = read_mesh(source.path, source.scene)
        try:
            return checked_geometry(mesh.vertices, mesh.triangles, mesh.areas)
        except BadInput as reason:
            raise BadInput(f"{source.path.name}: {reason}", reason.code) from None


def geometry_on(geometry: Geometry, ground: SeenGround) -> Geometry:
    """The triangles whose boxes touch a rectangle, in their order, each with corners of its own.

    A box lies beside it where all three corners lie beyond the same side.
    """
    vertices, triangles, area = geometry
    x, z = vertices[:, 0], vertices[:, 2]
    beyond = (x < ground.x0).view(np.uint8) | (x > ground.x1).view(np.uint8) << np.uint8(1)
    beyond |= (z < ground.z0).view(np.uint8) << np.uint8(2) | (z > ground.z1).view(np.uint8) << np.uint8(3)
    if not beyond.any():
        chosen = np.arange(len(triangles))
    else:
        sides = beyond[triangles]
        chosen = np.flatnonzero(sides[:, 0] & sides[:, 1] & sides[:, 2] == 0)
    if not len(chosen):
        return NOTHING
    corners: F32 = vertices[triangles[chosen].ravel()]
    own = np.arange(len(corners), dtype=np.int32).reshape(-1, 3)
    return Geometry(corners, own, area[chosen] if len(area) else area)


def _flat(point: Sequence[float]) -> tuple[float, float]:
    return point[0], point[2]


def _overlap(corners: np.ndarray[Any, np.dtype[np.float64]], box: tuple[float, ...], slack: float) -> bool:
    """Whether a triangle and a rectangle have more than a border in common: no line keeps them apart."""
    x0, z0, x1, z1 = box
    around = np.array([(x0, z0), (x1, z0), (x1, z1), (x0, z1)])
    edges = np.roll(corners, -1, axis=0) - corners
    for normal in [np.array([1.0, 0.0]), np.array([0.0, 1.0]), *(np.array([-edge[1], edge[0]]) for edge in edges)]:
        size = float(np.hypot(*normal))
        if size == 0.0:
            continue
        one, other = corners @ normal / size, around @ normal / size
        if one.max() <= other.min() + slack or other.max() <= one.min() + slack:
            return False
    return True


def hash_of_file(path: Path, before: bytes = b"") -> str:
    """Of what comes before and the file's bytes. Raises BadInput where it cannot be read."""
    whole = hashlib.sha256(before)
    try:
        with path.open("rb") as file:
            while piece := file.read(_AT_ONCE):
                whole.update(piece)
    except OSError as reason:
        raise BadInput(f"Could not read {path}: {reason.strerror or reason}.", "CANNOT_READ") from None
    return whole.hexdigest()


def known_in(folder: Path) -> dict[str, MeshFacts]:
    """What an earlier build has found out. What is missing, damaged or of another format is found out again."""
    content = json_object(folder / KNOWN_MESHES, "known meshes", _MOST_BYTES)
    rows = content.get("meshes") if content.get("format") == 1 else None
    found = {}
    for identity, row in rows.items() if isinstance(rows, dict) else ():
        if isinstance(row, list) and len(row) == 2 and isinstance(row[0], list) and isinstance(row[1], bool):
            if len(row[0]) == 6 and all(isinstance(number, (int, float)) for number in row[0]):
                found[identity] = MeshFacts(identity, tuple(map(float, row[0])), row[1])
    return found
