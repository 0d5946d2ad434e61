"""The parts of a level that is followed, and what is built of them. Nothing here may touch bpy: a thread runs it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from ...navcore.errors import BadInput
from ...navcore.geometry.tile_key import TileKey
from ..background import Job
from ..views.fresh_links import FreshLinks, fresh_links
from ..views.overlay_colors import FRESH_TILE_OPACITY, INNER_EDGE, PORTAL, WALL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...navcore.builder.parts.level import Level
    from ...navcore.formats.mesh_measures import LastClearances
    from ...navcore.result.navmesh import NavMesh, Tile
    from ...navcore.settings import Settings
    from ...navcore.views.picture import Picture
    from ..builds.request_and_result import BuiltNavmesh, Means, Request
    from ..builds.run_builds import Onlooker

# --- What is drawn of a tile that was built just now. Made on the thread: nothing here may touch bpy.

AreaColor = tuple[float, float, float]
_PLAIN: AreaColor = (0.0, 0.69, 0.87)
_EDGES = INNER_EDGE, WALL, PORTAL  # by the kind of edge


class TilePicture(NamedTuple):
    """A tile by its key; no picture where nothing is left of it."""

    key: TileKey
    picture: Picture | None


def tile_picture(key: TileKey, tile: Tile | None, colors: Mapping[int, AreaColor]) -> TilePicture:
    """`colors` are those of areas as people see them, 0 to 1."""
    from ...navcore.result.draped_edges import draped_edges
    from ...navcore.result.navmesh import detail_triangles, world_vertices
    from ...navcore.types import NO_INDEX
    from ...navcore.views.picture import EMPTY

    if tile is None:
        return TilePicture(key, None)
    if tile.detail_mesh is not None:
        triangles, polygon = detail_triangles(tile.detail_mesh)
        corners = tile.detail_mesh.vertices[triangles]
    else:
        polygons = tile.polygon_mesh.polygons
        rows, corner = np.nonzero(polygons[:, 2:] != NO_INDEX)
        fans = np.stack([polygons[rows, 0], polygons[rows, corner + 1], polygons[rows, corner + 2]], axis=1)
        corners, polygon = world_vertices(tile.polygon_mesh)[fans.astype(np.int64)], rows
    table = np.full((256, 4), (*_PLAIN, FRESH_TILE_OPACITY / 255), np.float32)
    for area, color in colors.items():
        table[area, :3] = color
    faces = np.round(table[tile.polygon_mesh.area[polygon]] * 255).astype(np.uint8)
    edges = draped_edges(tile)
    lines = np.array(_EDGES, np.uint8)[edges.kind]
    picture = EMPTY._replace(
        corners=np.ascontiguousarray(corners[:, [0, 1, 2, 2]], np.float32), face_colors=faces,
        lines=edges.points, line_colors=np.ascontiguousarray(lines),
    )  # fmt: skip
    return TilePicture(key, picture)


OnTile = Callable[[TileKey, "Tile | None"], object]
_TILES_A_SIDE = 16  # into so many tiles, or fewer, a level in one piece is cut while it is followed
_SMALLEST, _LARGEST = 32, 256  # cells of such a tile
_MARGIN = 2  # tiles around such a level: what moves beyond begins it anew


class Piece(NamedTuple):
    """The triangles of one instance, where it is."""

    vertices: npt.NDArray[np.float32]
    triangles: npt.NDArray[np.int32]
    areas: npt.NDArray[np.uint8] | None


class Changes(NamedTuple):
    """What a look at the scene found."""

    pieces: Mapping[str, Piece]  # new ones, and others in place of those that were
    order: tuple[str, ...]  # all that are there now
    request: Request  # what a build would be asked for; its arrays of triangles are empty
    near: Sequence[float] | None = None  # what somebody looks at

    def is_same(self, before: Changes) -> bool:
        """Whether nothing is another than when a look found this."""
        return not self.pieces and self.order == before.order and _beside(self.request) == _beside(before.request)


def _beside(request: Request) -> tuple[object, ...]:
    """What a navmesh depends on beside triangles, and what is said of its level."""
    gathered = request.gathered
    return (
        gathered.volumes, gathered.links, gathered.bounds, gathered.parts, gathered.skipped, gathered.notes,
        gathered.sources, gathered.seeds, gathered.edits, gathered.own, request._replace(gathered=None)[:],  # type: ignore[arg-type]
    )  # fmt: skip


class LiveJob(Job["int | BuiltNavmesh"]):
    """What follows a level, apart from Blender: an update of it, or putting it together."""

    def __init__(self, work: Callable[[LiveJob], int | BuiltNavmesh]) -> None:
        super().__init__("navmesh-live", work)
        self.pictures: deque[TilePicture] = deque()  # what can be shown already; taken by the main thread


class LiveLevel:
    """One navmesh that follows. A level in one piece is followed in tiles, and built in one piece at rest."""

    def __init__(self, means: Means) -> None:
        self.means = means
        self.links: FreshLinks | None = None  # of the last update; None where none are looked for
        self._level: Level | None = None
        self._navmesh: NavMesh | None = None
        self._request: Request | None = None
        self._refused: dict[str, BadInput] = {}  # why parts can't be built from
        self._frame: npt.NDArray[np.float64] | None = None  # of a level in one piece: what its tiles cover
        self._tile_size = 0
        self._clearances: LastClearances | None = None

    @property
    def missing(self) -> int:
        """Tiles that are not built yet."""
        return 0 if self._level is None else self._level.missing

    @property
    def asked(self) -> NavMesh | None:
        """What questions can be put to before it is finished: ground that is not pruned yet is none."""
        return None if self._request is None or self._request.prune else self._navmesh

    def update(self, changes: Changes, onlooker: Onlooker, on_tile: OnTile) -> int:
        """Build the tiles that something changed for; returns how many. Raises NavmeshError."""
        from ..builds.run_builds import load, progress_of

        load(self.means.kernels)
        from ...navcore.compile_ahead import waiting

        waiting.wait(onlooker)
        progress = progress_of(onlooker, 0)
        if changes.request.gathered.own:  # which is put together as it is: no tiles are built
            self._request, self._navmesh, self.links = changes.request, None, None
            self._followed(changes)
            return 0
        level = self._followed(changes)
        self._request, self._navmesh, level.rebuilt = changes.request, None, ()
        settings = changes.request.settings
        level.follow(changes.request.level)
        level.settings = settings
        if not settings.tile_size:
            _refuse_resolutions(changes.request)
            self._cut(level, settings)
        self._navmesh = level.update(
            threads=self.means.threads, progress=progress, near=changes.near,
            on_tile=lambda place, tile: on_tile(TileKey(*place), tile),
        )  # fmt: skip
        if self._navmesh.before_drops is not None:  # what was shown of these tiles has ground that is left out
            left = {tile.key: tile for tile in self._navmesh.tiles}
            rebuilt: tuple[tuple[int, int], ...] = level.rebuilt
            for key in [TileKey(x, y) for x, y in rebuilt]:
                on_tile(key, left.get(key))
        self.links = fresh_links(self._navmesh) if settings.generate_links else None
        return len(level.rebuilt)

    def finish(self, onlooker: Onlooker) -> BuiltNavmesh:
        """The navmesh as a build of the same level gives it, byte for byte. Raises NavmeshError."""
        from ..builds.run_builds import build_all, finish_tiles

        level, request = self._level, self._request
        assert level is not None and request is not None, "nothing was followed yet"
        geometry = level.geometry()
        areas = geometry.area if len(geometry.area) else None
        gathered = request.gathered._replace(vertices=geometry.vertices, triangles=geometry.triangles, areas=areas)
        request = request._replace(gathered=gathered)
        if self._navmesh is None or request.gathered.own or not request.settings.tile_size:
            return build_all([request], self.means, onlooker)[0]
        from ...navcore.formats.mesh_measures import LastClearances

        self._clearances = self._clearances or LastClearances()
        return finish_tiles(request, self._navmesh, self.means, onlooker, self._clearances)

    def _followed(self, changes: Changes) -> Level:
        """The level with these changes."""
        from ...navcore.builder.parts.level import Level

        if self._level is None:
            self._level = Level()
        level = self._level
        for name in set(level.parts) - set(changes.order):
            level.remove_part(name)
        for name, piece in changes.pieces.items():
            self._refused.pop(name, None)
            try:
                level.set_part(name, piece.vertices, piece.triangles, areas=piece.areas)
            except BadInput as reason:
                self._refused[name] = reason
        there = set(level.parts)
        level.arrange(name for name in changes.order if name in there)
        for name in changes.order:
            if name in self._refused:
                raise self._refused[name]
        return level

    def _cut(self, level: Level, settings: Settings) -> None:
        """Into tiles, where all is one piece: only to be shown. Their grid stays where it is while the level fits."""
        if level.bounds is not None:  # which the scene gives
            low, high = np.split(np.array(level.bounds), 2)
        else:
            low, high = level.box
        if self._frame is None or (low < self._frame[:3]).any() or (high > self._frame[3:]).any():
            cells = float(max(high[0] - low[0], high[2] - low[2])) / settings.cell_size
            self._tile_size = int(np.clip(16 * np.ceil(cells / _TILES_A_SIDE / 16), _SMALLEST, _LARGEST))
            margin = _MARGIN * self._tile_size * settings.cell_size
            self._frame = np.concatenate([low - margin, high + margin])
        level.settings = replace(settings, tile_size=self._tile_size)
        if level.bounds is None:
            level.bounds = tuple(self._frame.tolist())


def _refuse_resolutions(request: Request) -> None:
    """Of a level in one piece, which has tiles only to be shown. Raises BadSettings as its build does."""
    from ...navcore.resolution import settings_at_resolution

    for volume in request.gathered.volumes:
        if "resolution" in volume:
            settings_at_resolution(request.settings, float(volume["resolution"]))
