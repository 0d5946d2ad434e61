"""All that each section of a world is built from, its neighbors' part included, and hashes of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..builder.checked_input import NO_EDITS
from ..builder.local_resolution import resolution_of, with_resolutions
from ..builder.recipe import Recipe, recipe_of
from ..geometry.tile_grid import TileGrid
from ..level_source import NavmeshEdits
from ..resolution import settings_at_resolution
from ..scene import Link, Volume
from ..version import code_fingerprint
from .section_files import SectionKeys, Stamp, file_fits, read_stamp
from .section_grid import SectionGrid, SeenGround
from .section_meshes import WorldMeshes
from .section_work import SectionWork, SharedByAll, hash_of, said_of, those_on
from .world_file import World, of_section

_ROUNDING = 2  # cells: where a volume ends is rounded in each tile


class SectionInputs:
    """What the sections of a world are built from; no mesh is read for it."""

    def __init__(self, world: World, folder: Path, grid: SectionGrid, meshes: WorldMeshes) -> None:
        self._world, self._grid, self._meshes = world, grid, meshes
        self._recipes: dict[float, Recipe] = {}
        for section in world.sections:
            with of_section(section.name):
                for scale in filter(None, map(resolution_of, section.scene.volumes)):
                    self._recipe_at(scale)  # refused where there is no room for such cells
        scenes = [section.scene for section in world.sections]
        edits = NavmeshEdits.of([edit for scene in scenes for edit in scene.edits]) or NO_EDITS
        self._volumes: list[Volume] = [*(volume for scene in scenes for volume in scene.volumes)]
        self._volumes += edits.checked().marks()
        self._links = [link for scene in scenes for link in scene.links]
        self._own_meshes: list[list[str]] = [[] for _ in world.sections]
        for mesh in meshes.all:
            self._own_meshes[mesh.section].append(mesh.facts.identity)
        self._shared = SharedByAll(
            folder, world.settings, world.flagged_sizes(), grid.tiles, grid.manifest(), grid.reference_bits,
            world.area_types, meshes.has_areas,
        )  # fmt: skip

    def work(self, number: int) -> SectionWork:
        """All that decides what a section becomes, and what is there of it."""
        section, tiles = self._world.sections[number], self._tiles(number)
        ground = self._grid.seen_ground(number, tiles)
        beside = [
            (self._grid.name(other), self._grid.seen_ground(other)) for other in self._grid.neighbors(number)
        ]  # fmt: skip
        keys = self._keys(number, ground)
        stamp = read_stamp(self._shared.folder, section.name)
        sources = tuple(mesh.source for mesh in self._meshes.reaching(ground))
        return SectionWork(
            self._shared, section.name, self._grid.own[number], tiles, ground, self._grid.seen_ground(number),
            tuple(beside), sources,
            self._volumes_on(ground), self._links_on(ground), keys, stamp, self._why(section.name, keys, stamp),
        )  # fmt: skip

    def _tiles(self, number: int) -> TileGrid:
        """The grid, with the tiles that volumes on the section's ground give other cells."""
        if not self._recipes:
            return self._grid.tiles
        volumes = self._volumes_on(self._grid.seen_ground(number))
        return with_resolutions(self._grid.tiles, volumes, self._recipe_at) or self._grid.tiles

    def _recipe_at(self, scale: float) -> Recipe:
        if scale not in self._recipes:
            settings = settings_at_resolution(self._world.settings, scale)
            self._recipes[scale] = recipe_of(settings, False, self._world.sizes)
        return self._recipes[scale]

    def _why(self, name: str, keys: SectionKeys, stamp: Stamp | None) -> str:
        """Why a section has to be built whatever it holds; "" where that has to be seen."""
        if stamp is None:
            return "it is not built yet"
        if not file_fits(self._shared.folder, name, stamp):
            return f"{name}.bin is not what was built"
        if keys.code != stamp.keys.code:
            return "this navcore is another one"
        if keys.setup != stamp.keys.setup:
            return "the world's settings or bounds changed, or the section's tiles"
        return ""

    def setup(self, number: int) -> str:
        """A hash of settings, the grid, the section's tiles and area types."""
        shared, tiles = self._shared, self._grid.own[number]
        types = [(area, kind.to_mapping()) for area, kind in sorted(shared.area_types.items())]
        sizes = [[size.to_mapping() for size in shared.sizes]] if shared.sizes else []
        return hash_of(
            [shared.settings.to_mapping(), list(self._world.bounds), self._meshes.has_areas, types, dict(shared.grid),
             [tiles.columns[0], tiles.columns[-1], tiles.rows[0], tiles.rows[-1]], *sizes]
        )  # fmt: skip

    def _keys(self, number: int, ground: SeenGround) -> SectionKeys:
        """Without reading a mesh."""
        section, setup, code = self._world.sections[number], self.setup(number), code_fingerprint()
        own = hash_of([self._own_meshes[number], section.scene.to_mapping()])
        beside = [self._grid.name(other) for other in self._grid.neighbors(number)]
        marks = said_of(self._volumes_on(ground))
        links = [link.to_mapping() for link in self._links_on(ground)]
        files = [mesh.facts.identity for mesh in self._meshes.reaching(ground)]
        return SectionKeys(code, setup, own, hash_of([code, setup, files, marks, links, beside]))

    def _volumes_on(self, ground: SeenGround) -> tuple[Volume, ...]:
        coarsest = max([1.0, *self._recipes]) * float(self._grid.tiles.cell_size)
        return those_on(ground, self._volumes, _ROUNDING * coarsest)

    def _links_on(self, ground: SeenGround) -> tuple[Link, ...]:
        """Those that start or end there: a tile holds those that start in it, and has room for those that end in it."""
        return tuple(link for link in self._links if _is_on(ground, link.start) or _is_on(ground, link.end))


def _is_on(ground: SeenGround, point: Sequence[float]) -> bool:
    return bool(ground.x0 <= point[0] <= ground.x1 and ground.z0 <= point[2] <= ground.z1)
