"""All that a section is built from, its neighbors' part included, and hashes of it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..builder.checked_input import NO_EDITS, CheckedLevel
from ..builder.edit_marks import content_of, is_edit
from ..builder.local_resolution import refuse_resolutions
from ..builder.parts.part import joined
from ..builder.tile_store import level_key
from ..level_source import NavmeshEdits
from ..progress import Progress
from ..scene import Link, Volume
from ..stages.areas import boxes_around
from ..types import Geometry
from ..version import code_fingerprint
from .section_grid import SectionGrid, SeenGround, touching_ground
from .section_meshes import SectionMesh, WorldMeshes, geometry_on
from .world_file import World, of_section

_ROUNDING = 2  # cells: where a volume ends is rounded in each tile


class SectionKeys(NamedTuple):
    """What a section's navmesh depends on, as hashes: where one is as it was, what it stands for is."""

    code: str  # this navcore
    setup: str  # settings, the grid, the section's tiles, area types
    own: str  # the files of the section itself
    sources: str  # all files that reach into it, and all of the above


class SectionInputs:
    """What the sections of a world are built from; geometry is read when a section is asked for, and not kept."""

    def __init__(self, world: World, grid: SectionGrid, meshes: WorldMeshes, progress: Progress) -> None:
        self._world, self._grid, self._meshes, self._progress = world, grid, meshes, progress
        for section in world.sections:
            with of_section(section.name):
                refuse_resolutions(section.scene.volumes, "a world in sections")
        scenes = [section.scene for section in world.sections]
        edits = NavmeshEdits.of([edit for scene in scenes for edit in scene.edits]) or NO_EDITS
        self._volumes: list[Volume] = [*(volume for scene in scenes for volume in scene.volumes)]
        self._volumes += edits.checked().marks()
        self._links = [link for scene in scenes for link in scene.links]
        self._types = [(area, kind.to_mapping()) for area, kind in sorted(world.area_types.items())]
        bounds = grid.tiles.bounds_min, grid.tiles.bounds_max
        self._bounds = bounds
        self._keys: dict[int, SectionKeys] = {}

    def keys(self, number: int) -> SectionKeys:
        """Without reading a mesh; asked for several times, and found out once."""
        if number not in self._keys:
            self._keys[number] = self._found_keys(number)
        return self._keys[number]

    def _found_keys(self, number: int) -> SectionKeys:
        section, ground = self._world.sections[number], self._grid.seen_ground(number)
        reaching = self._meshes.reaching(ground)
        tiles = self._grid.own[number]
        setup = _hash(
            [self._world.settings.to_mapping(), list(self._world.bounds), self._meshes.has_areas, self._types,
             self._grid.manifest(), [tiles.columns[0], tiles.columns[-1], tiles.rows[0], tiles.rows[-1]]]
        )  # fmt: skip
        own = _hash(
            [[mesh.facts.identity for mesh in self._meshes.all if mesh.section == number], section.scene.to_mapping()]
        )
        beside = [self._world.sections[other].name for other in self._grid.neighbors(number)]
        marks = _said_of(self._volumes_on(ground))
        links = [link.to_mapping() for link in self._links_on(ground)]
        code = code_fingerprint()
        files = [mesh.facts.identity for mesh in reaching]
        return SectionKeys(code, setup, own, _hash([code, setup, files, marks, links, beside]))

    def level(self, number: int) -> CheckedLevel:
        """Everything that the tiles of a section see, in the order of the world, and perhaps a little more."""
        ground = self._grid.seen_ground(number)
        reaching: Sequence[SectionMesh] = self._meshes.reaching(ground)
        pieces = []
        for mesh in reaching:
            self._progress.check()
            pieces.append(self._meshes.cut(mesh, ground))
        geometry = joined(pieces, self._meshes.has_areas)
        return CheckedLevel(
            geometry, self._volumes_on(ground), tuple(self._links_on(ground)), self._bounds, self._world.area_types,
            NO_EDITS,
        )  # fmt: skip

    def content(self, number: int, level: CheckedLevel) -> str:
        """A hash of what a section's tiles see: equal where their navmesh is."""
        places = self._grid.own[number].keys
        tiles = level_key(places, self._grid.tiles, level, self._world.settings, self._progress)
        links = [link.to_mapping() for link in level.links]
        return _hash([tiles.hex(), _said_of(level.volumes), links, self._types, self._grid.manifest()])

    def borders(self, number: int, level: CheckedLevel) -> dict[str, str]:
        """For each neighbor a hash of what the tiles of both see: equal in both, if they were built from the same."""
        ground, found = self._grid.seen_ground(number), {}
        for other in self._grid.neighbors(number):
            strip = ground.common(self._grid.seen_ground(other))
            common: Geometry = geometry_on(level.geometry, strip)
            marks = _said_of(_on(strip, level.volumes, 0.0))
            whole = hashlib.sha256(json.dumps([code_fingerprint(), marks], sort_keys=True).encode())
            whole.update(np.ascontiguousarray(common.vertices).tobytes())
            whole.update(np.ascontiguousarray(common.area).tobytes())
            found[self._world.sections[other].name] = whole.hexdigest()
        return found

    def _volumes_on(self, ground: SeenGround) -> list[Volume]:
        return _on(ground, self._volumes, _ROUNDING * float(self._grid.tiles.cell_size))

    def _links_on(self, ground: SeenGround) -> list[Link]:
        """Those that start or end there: a tile holds those that start in it, and has room for those that end in it."""
        return [link for link in self._links if _is_on(ground, link.start) or _is_on(ground, link.end)]


def _is_on(ground: SeenGround, point: Sequence[float]) -> bool:
    return bool(ground.x0 <= point[0] <= ground.x1 and ground.z0 <= point[2] <= ground.z1)


def _said_of(volumes: Sequence[Volume]) -> list[dict[str, Any]]:
    """What decides about a file: of edits what they do to the ground, of volumes the states of doors as well."""
    return [content_of(volume) if is_edit(volume) else volume.to_mapping() for volume in volumes]


def _on(ground: SeenGround, volumes: Sequence[Volume], margin: float) -> list[Volume]:
    if not volumes:
        return []
    low, high = boxes_around(volumes)
    inside = touching_ground(low - np.float32(margin), high + np.float32(margin), ground)
    return [volume for volume, is_inside in zip(volumes, inside.tolist(), strict=True) if is_inside]


def _hash(content: Any) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
