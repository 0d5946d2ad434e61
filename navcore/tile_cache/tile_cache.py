"""`TileCache`: a navmesh in which obstacles come and go while a game runs. Recast: dtTileCache."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from ..area_types import AREA_TYPES, area_flags, runtime_areas
from ..build_warning import BuildWarning
from ..builder.checked_input import given_source
from ..builder.running_build import Watch
from ..detour.off_mesh_links import link_table
from ..detour.polygon_references import Slots
from ..errors import TooLarge
from ..geometry.tile_key import TileKey
from ..level_source import AreaTypes, LevelSource, Links, Volumes
from ..result.navmesh import NavMesh
from ..scene import as_links, as_seeds
from ..settings import Settings
from ..types import F32, U8, ArrayLike
from .cache_content import CacheContent, content_of_file, content_of_level, files_of, told_of_marks
from .cache_files import read_bytes, write_files
from .layer_tiles import BUILT, EMPTY, TOO_LARGE, CacheRules, unpacked
from .linked_layers import LinkedLayers
from .live_navmesh import LiveNavmesh
from .obstacle_files import as_obstacles, corners, length, number, point
from .obstacle_queue import MOST_TOUCHED, ObstacleQueue
from .obstacles import BOX, CYLINDER, NO_OBSTACLES, ORIENTED_BOX, Obstacle
from .tile_layers import MOST_LAYERS
from .touched_layers import LayerIndex

SAMPLE_BYTES = 32_000  # that the allocator of Recast's sample has for one tile
_MOST_UNPACKED = 256  # layers, of three bytes a cell


class TileCache:
    """Layers of a level's ground, packed, and the navmesh that is made of them without what obstacles cover.

    A tile size from 16 to 255 cells has to be set. Obstacles grow by the agent's radius, and as many layers, tiles,
    obstacles and requests are kept as there are. With `exact` all is as in Recast's sample with temporary obstacles, to
    the bit and to its limits: nothing grows, 32 layers and `layers_per_cell` slots a tile, 128 obstacles, 64 requests,
    8 tiles an obstacle, and what is refused raises ObstacleRefused, whose `status` is Detour's. There is no detail
    mesh: heights are those of polygons' corners. `warnings` tells what a person should know.
    """

    def __init__(
        self,
        vertices: ArrayLike | LevelSource,
        triangles: ArrayLike | None = None,
        settings: Settings | None = None,
        *,
        areas: ArrayLike | None = None,
        volumes: Volumes = (),
        links: Links = (),
        area_types: AreaTypes = AREA_TYPES,
        bounds: Sequence[float] | None = None,
        exact: bool = False,
        layers_per_cell: int = 4,
        threads: int | None = None,
        progress: Watch = None,
    ) -> None:
        """The parameters are those of `build_navmesh`. Raises NavmeshError."""
        given: dict[str, Any] = {
            "areas": areas, "volumes": volumes, "links": links, "area_types": area_types, "bounds": bounds,
        }  # fmt: skip
        limits, source = (bool(exact), layers_per_cell), given_source(vertices, triangles, **given)
        seeds = as_seeds(source.seeds)
        content, level = content_of_level(source, settings, limits, (threads, progress))
        self._open(content, bool(exact))
        self._build_all(self._index.by_place(), True)
        if content.doors or content.links or seeds:
            self.warnings += told_of_marks(self.navmesh, level, seeds)

    @classmethod
    def read(cls, path: str | PathLike[str], exact: bool = False, links: Links | None = None) -> TileCache:
        """A cache from NAME.tilecache.bin of any origin, and from NAME.tilecache.json beside it, if that is there.

        `links` take the place of those of the second file. Obstacles that it names stand from the beginning, unless
        `exact`. Raises BadFile with the rule that a file breaks, before anything is computed.
        """
        content, sidecar = read_bytes(path)
        return cls.from_bytes(content, sidecar, exact=exact, links=links)

    @classmethod
    def from_bytes(
        cls, content: bytes, sidecar: bytes | None = None, *, exact: bool = False, links: Links | None = None
    ) -> TileCache:
        """The same from what the files hold."""
        given = None if links is None else tuple(as_links(links))
        cache = cls.__new__(cls)
        read = content_of_file(content, sidecar, given)
        cache._open(read, exact)
        cache._build_all([range(len(read.set.layers))], False)
        if not exact:
            for obstacle in read.obstacles:
                cache._queue.add(obstacle)
            cache.update()
        elif read.obstacles:
            cache.warnings.append(_left_out(len(read.obstacles)))
        return cache

    def _open(self, content: CacheContent, exact: bool) -> None:
        """Take the layers over; nothing is built yet."""
        self._unpacked, content = dict(enumerate(content.unpacked)), content._replace(unpacked=())
        self.exact = exact
        self._content = content
        self.warnings: list[BuildWarning] = list(content.warnings)
        mesh, cache, layers = content.set
        runtime = runtime_areas(np.arange(256).astype(np.uint8))
        rules = CacheRules(
            cache.cell_size, cache.cell_height, cache.agent_height, cache.agent_radius, cache.agent_max_climb,
            cache.max_edge_error, cache.climb_vx, exact, runtime, area_flags(runtime, content.area_types),
        )  # fmt: skip
        self._radius = float(cache.agent_radius)
        self._index = LayerIndex(cache, layers)
        self._slots = Slots(mesh)
        limits = 1 << mesh.polygon_bits, MOST_LAYERS if exact else 1 << 30
        self._linked = LinkedLayers(layers, cache.size, rules, link_table(content.links), limits)
        self._live = LiveNavmesh(content, self._linked, self.warnings)
        most = cache.most_obstacles if exact else None
        self._queue = ObstacleQueue(self._numbers_of, self._touched_by, self._build, most)
        self._crowded: set[int] = set()  # layers of which it is told that they need much
        self.failures: list[TileKey] = []  # layers whose tile could not be made and is as it was, or not there

    __copy__ = copy.deepcopy  # a flat copy would share what each changes in place

    # --- obstacles

    def add_cylinder(self, at: Sequence[float], radius: float, height: float) -> int:
        """An upright cylinder on the middle of its foot, metres; a reference for `remove`. It stands after `update`."""
        size = length("radius", radius), length("height", height), 0.0
        return self._queue.add(Obstacle(CYLINDER, point("at", at), size))

    def add_box(self, minimum: Sequence[float], maximum: Sequence[float]) -> int:
        """A box along the axes, from its low to its high corner."""
        return self._queue.add(Obstacle(BOX, *corners(point("min", minimum), point("max", maximum))))

    def add_oriented_box(self, at: Sequence[float], half: Sequence[float], angle: float) -> int:
        """A box around its middle, half as long, high and wide as it is, turned about y by an angle in radians."""
        x, y, z = (length("half", side) for side in point("half", half))
        return self._queue.add(Obstacle(ORIENTED_BOX, point("at", at), (x, y, z), number("angle", angle)))

    def add(self, obstacle: Mapping[str, Any]) -> int:
        """An obstacle as OBSTACLES.json has one."""
        return self._queue.add(as_obstacles([obstacle])[0])

    def remove(self, obstacle: int) -> None:
        """Take an obstacle away, by its reference, with the next `update`; one that is gone already is no error."""
        self._queue.remove(int(obstacle))

    def update(self) -> int:
        """Build tiles until nothing waits; returns how many calls of `step` that took."""
        steps = 1
        while self.step():
            steps += 1
        for obstacle in self._queue.newly_off_level():
            self.warnings.append(_off_level(obstacle))
        return steps

    def step(self) -> bool:
        """Build one tile, as one call of Detour's update does; whether something still waits."""
        return self._queue.step()

    @property
    def obstacles(self) -> list[Mapping[str, Any]]:
        """All that stand or were asked for, as OBSTACLES.json has them."""
        return [obstacle.to_mapping() for obstacle in self._queue.all_standing()]

    # --- the navmesh

    @property
    def navmesh(self) -> NavMesh:
        """The navmesh as it is now. What changes afterwards is in the next one; tiles that did not are shared."""
        return self._live.navmesh

    @property
    def layers_per_cell(self) -> int:
        """How many slots there are for the layers of a tile."""
        return self._content.layers_per_cell

    def write(self, path: str | PathLike[str]) -> None:
        """Write NAME.tilecache.bin, and NAME.tilecache.json with links, areas and obstacles. Raises NavmeshError.

        What is written was read back and checked.
        """
        write_files(Path(path), self.files())

    def files(self) -> tuple[bytes, bytes]:
        """What the two files hold."""
        return files_of(self._content, self._queue.all_standing())

    # --- tiles

    def _numbers_of(self, obstacle: Obstacle) -> F32:
        return (obstacle if self.exact else obstacle.grown(self._radius)).numbers()

    def _touched_by(self, obstacle: F32) -> list[int]:
        return self._index.touched(obstacle, MOST_TOUCHED if self.exact else None)

    def _build_all(self, cells: Iterable[Iterable[int]], one_fails_all: bool) -> None:
        """All tiles, place by place; upstream's build leaves out the rest of a place after a tile that fails."""
        for cell in cells:
            for layer in cell:
                if not self._replace(layer, NO_OBSTACLES) and one_fails_all and self.exact:
                    break
        for layer in [*self._unpacked][:-_MOST_UNPACKED]:
            del self._unpacked[layer]

    def _build(self, layer: int, drawn: F32) -> None:
        """Make the tile of one layer anew; `drawn` says afterwards on how many cells each obstacle stands."""
        self._replace(layer, drawn)

    def _replace(self, layer: int, drawn: F32) -> bool:
        """Make the tile of one layer anew, and link it; one that cannot be made stays as it was."""
        tiles, slots = self._linked, self._slots
        before = tiles.reference(layer)
        reference, around = slots.following(before), tiles.around(layer)[0]
        status, needed = tiles.replace(layer, self._grids(layer), drawn, reference)
        if needed > SAMPLE_BYTES:
            self._warn_of_room(layer, needed)
        if status == BUILT:
            slots.pass_on(before, reference)
            self._live.put(layer, reference)
        elif status == EMPTY:
            if before:
                slots.give_back(before)
            self._live.drop(layer)
        else:
            self._failed(layer, status)
            return False
        self._live.relinked(around)
        return True

    def _grids(self, layer: int) -> U8:
        """A layer, unpacked: those that were looked at last are kept."""
        grids = self._unpacked.pop(layer, None)
        if grids is None:
            grids = unpacked(self._content.set.layers[layer].packed, self._content.set.cache.size**2)
            if len(self._unpacked) >= _MOST_UNPACKED:
                del self._unpacked[next(iter(self._unpacked))]
        self._unpacked[layer] = grids
        return grids

    def _failed(self, layer: int, status: int) -> None:
        key = self._content.set.layers[layer].key
        if status == TOO_LARGE or not self.exact:
            raise TooLarge(
                f"Tile {key}, layer {key.layer}: its ground has more pieces or corners than a tile of Detour data "
                "holds. Lower tile_size.",
                "TILE_NOT_MADE",
            )
        if key not in self.failures:
            self.failures.append(key)
            text = f"Tile {key}, layer {key.layer} has more regions or corners than Recast takes: it stays as it was."
            self.warnings.append(BuildWarning("TILE_NOT_MADE", f"{text} Lower tile_size.", self._middle(layer)))

    def _warn_of_room(self, layer: int, needed: int) -> None:
        if layer in self._crowded:
            return
        self._crowded.add(layer)
        key = self._content.set.layers[layer].key
        text = (
            f"Tile {key}, layer {key.layer} needs {needed:,} bytes while it is made. The allocator of "
            f"Recast's sample has {SAMPLE_BYTES:,}: games that took it over do not get this tile. Lower tile_size, or "
            "give the game's allocator more."
        )
        self.warnings.append(BuildWarning("TILE_CACHE_ROOM", text, self._middle(layer)))

    def _middle(self, layer: int) -> tuple[float, float, float]:
        packed = self._content.set.layers[layer]
        low, high = packed.bounds_min, packed.bounds_max
        x, y, z = ((low.astype(np.float64) + high) / 2).round(3).tolist()
        return x, y, z


def _off_level(obstacle: Obstacle) -> BuildWarning:
    what = "cylinder" if obstacle.kind == CYLINDER else "box"
    text = f"The {what} stands on no ground of the navmesh: nothing changes. Put its foot at the height of the floor."
    return BuildWarning("OBSTACLE_OFF_LEVEL", text, obstacle.at)


def _left_out(count: int) -> BuildWarning:
    """What is said of obstacles that an exact cache does not have."""
    them = "The obstacle of the sidecar is" if count == 1 else f"The {count:,} obstacles of the sidecar are"
    text = f"{them} left out: exact begins as Recast's sample does, without any."
    way_out = "Put up again what is to stand, or leave exact out."
    return BuildWarning("OBSTACLES_LEFT_OUT", f"{text} {way_out}")
