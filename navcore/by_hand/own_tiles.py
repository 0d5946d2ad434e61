"""Where tiles of a modelled mesh lie, what is in each, and their finished meshes."""

from __future__ import annotations

import math
from collections import Counter
from typing import NamedTuple

import numpy as np

from ..build_warning import BuildWarning, in_words
from ..errors import TooLarge
from ..geometry.connected_parts import joined_parts
from ..geometry.tile_grid import TileGrid
from ..progress import Progress
from ..result.navmesh import Tile
from ..settings import Settings
from ..types import F32, F64, I64, NO_INDEX, PORTAL, DetailMesh, Grid, PolygonMesh
from .convex_pieces import ConvexPiece, across_faces, merged, within_a_face
from .face_triangles import Triangle
from .sound_faces import OwnFaces, middle_of, sides
from .tile_lines import Cutter, TileLines, lines_between
from .whole_steps import MOST_STEPS, Steps

_MOST_POLYGONS, _MOST_VERTICES = 0x7FFF, 0xFFFE  # of a tile of runtime data
_MOST_REGIONS = 0x7FFF
_LEAST_SIZE = 64  # steps along a tile
_PLACES = 8  # how many places of the lines between tiles are tried
_NEAR = 0.05  # metres from a line, where corners make tips
_SHORT = 0.021  # metres: Detour joins no edges on a border that are shorter
_BORDER = 1  # what marks a mesh as one of several tiles


class FaceShape(NamedTuple):
    """A face as triangles."""

    triangles: list[Triangle]
    convex: bool


class FinishedTiles(NamedTuple):
    """All that became of the faces."""

    tiles: tuple[Tile, ...]
    tile_grid: TileGrid | None
    split: int  # faces that are several polygons
    warnings: list[BuildWarning]


def tiles_of(
    faces: OwnFaces, shapes: list[FaceShape], steps: Steps, settings: Settings, keep_faces: bool, progress: Progress
) -> FinishedTiles:
    """The finished tiles. Raises TooLarge."""
    lines = _best_lines(faces, steps)
    while True:
        cutter = Cutter(steps.points, lines)
        pieces = _pieces(faces, shapes, (cutter, steps), settings, keep_faces, progress)
        by_tile = _by_tile(pieces)
        most = max(map(len, by_tile.values()))
        corners = max(len({corner for piece in own for corner in piece.ring}) for own in by_tile.values())
        if most <= _MOST_POLYGONS and corners <= _MOST_VERTICES:
            break
        if lines.size <= _LEAST_SIZE:
            raise TooLarge("The mesh has more faces at one place than a tile holds. Merge some of them.")
        lines = lines_around(faces, steps, lines.size // 2)
    steps = steps._replace(points=cutter.steps())
    owners, regions = owners_of(by_tile), _regions(by_tile)
    grids = _Grids(lines, steps, settings.agent_height)
    shape = settings.vertices_per_polygon, settings.detail_mesh
    tiles = tuple(
        tile_of_pieces(tile, by_tile[tile], regions[tile], steps.points, grids.of(tile), shape, owners)
        for tile in sorted(by_tile, key=lambda key: (key[1], key[0]))
    )
    warnings = _short_borders(steps, by_tile, owners) if grids.tiled else []
    return FinishedTiles(tiles, grids.tile_grid(), _count_split(pieces), warnings)


def _pieces(
    faces: OwnFaces, shapes: list[FaceShape], cut: tuple[Cutter, Steps], settings: Settings, keep_faces: bool,
    progress: Progress,
) -> list[ConvexPiece]:  # fmt: skip
    """All faces as convex polygons, each in one tile."""
    cutter, steps = cut
    most = settings.vertices_per_polygon
    ready: list[ConvexPiece] = []
    for ring, face, area, shape in zip(*faces, shapes, strict=True):
        progress.check()
        tile = cutter.tile_of(ring)
        if tile is not None and shape.convex and len(ring) <= most:
            ready.append(ConvexPiece(ring, shape.triangles, (face,), area, tile))
            continue
        parts = [part for triangle in shape.triangles for part in cutter.cut(triangle)]
        small = [ConvexPiece(list(part), [part], (face,), area, _tile_in(cutter, part)) for part in parts]
        ready += merged(small, cutter.flat, most, within_a_face)
    if keep_faces:
        return ready
    metres = steps._replace(points=cutter.steps()).all_metres()
    error = settings.detail_sample_max_error * settings.cell_height
    return merged(ready, cutter.flat, most, across_faces(metres, error))


def _tile_in(cutter: Cutter, part: Triangle) -> tuple[int, int]:
    tile = cutter.tile_of(part)
    assert tile is not None  # it was cut so
    return tile


def _by_tile(pieces: list[ConvexPiece]) -> dict[tuple[int, int], list[ConvexPiece]]:
    tiles: dict[tuple[int, int], list[ConvexPiece]] = {}
    for piece in pieces:
        tiles.setdefault(piece.tile, []).append(piece)
    return tiles


def _count_split(pieces: list[ConvexPiece]) -> int:
    times = Counter(face for piece in pieces for face in piece.faces)
    return sum(count > 1 for count in times.values())


# --- where lines lie


def lines_around(faces: OwnFaces, steps: Steps, size: int = MOST_STEPS) -> TileLines:
    """As few tiles as there can be of at most `size` steps, around all faces."""
    used = _used(faces, steps)
    low, high = used.min(axis=0), used.max(axis=0)
    across = [max(1, int(high[axis] - low[axis])) for axis in (0, 2)]
    origin = int(low[0]), int(low[1]), int(low[2])
    counts = [math.ceil(length / size) for length in across]
    if counts == [1, 1]:
        return TileLines(origin, max(across), 1, 1)
    side = max(math.ceil(length / count) for length, count in zip(across, counts, strict=True))
    return TileLines(origin, side, *(math.ceil(length / side) for length in across))


def _used(faces: OwnFaces, steps: Steps) -> I64:
    """The corners that faces use, in steps."""
    return steps.points[np.unique([corner for ring in faces.rings for corner in ring])]


def _best_lines(faces: OwnFaces, steps: Steps) -> TileLines:
    """Of some places for the lines between tiles the one with the fewest corners near a line: they make tips."""
    lines = lines_around(faces, steps)
    if lines.columns * lines.rows == 1:
        return lines
    used = _used(faces, steps)
    cut_before = lines_between(faces, steps.points)
    if cut_before is not None:
        return cut_before
    tried = []
    for k in range(_PLACES):
        size = lines.size + (MOST_STEPS - lines.size) * k // _PLACES
        origin = list(lines.origin)
        for axis, count in ((0, lines.columns), (2, lines.rows)):
            spare = count * size - int(np.ptp(used[:, axis]))
            origin[axis] -= spare * (k % 3) // 4
        place = lines._replace(origin=(origin[0], origin[1], origin[2]), size=size)
        tried.append((_count_near(used, place, _NEAR / steps.cell_size), k, place))
    return min(tried)[2]


def _count_near(points: I64, lines: TileLines, near: float) -> int:
    count = 0
    for axis in (0, 2):
        off = (points[:, axis] - lines.origin[axis]) % lines.size
        off = np.minimum(off, lines.size - off)
        count += int(((off > 0) & (off < near)).sum())
    return count


class _Grids(NamedTuple):
    """The grids of tiles."""

    lines: TileLines
    steps: Steps
    room: float  # metres above the highest corner

    @property
    def tiled(self) -> bool:
        return self.lines.columns * self.lines.rows > 1

    def of(self, tile: tuple[int, int]) -> Grid:
        """The grid of a tile's polygons."""
        size, (x, _, z) = self.lines.size, self.lines.origin
        low, high = self._box(x + tile[0] * size, z + tile[1] * size, size, size)
        return Grid(size, size, _BORDER if self.tiled else 0, low, high, *self._cells())

    def tile_grid(self) -> TileGrid | None:
        """How the mesh was cut; None where it is one tile."""
        columns, rows, size = self.lines.columns, self.lines.rows, self.lines.size
        if not self.tiled:
            return None
        low, high = self._box(self.lines.origin[0], self.lines.origin[2], columns * size, rows * size)
        return TileGrid(columns, rows, size, _BORDER, low, high, *self._cells())

    def _cells(self) -> tuple[np.float32, np.float32]:
        return np.float32(self.steps.cell_size), np.float32(self.steps.cell_height)

    def _box(self, x: int, z: int, width: int, depth: int) -> tuple[F32, F32]:
        heights = self.steps.points[:, 1]
        bottom, top = int(heights.min()), int(heights.max()) + math.ceil(self.room / self.steps.cell_height)
        step = np.array([self.steps.cell_size, self.steps.cell_height, self.steps.cell_size])
        low: F64 = np.array([x, bottom, z]) * step
        high: F64 = np.array([x + width, top, z + depth]) * step
        return low.astype(np.float32), high.astype(np.float32)


# --- what hangs together


def _regions(by_tile: dict[tuple[int, int], list[ConvexPiece]]) -> dict[tuple[int, int], list[int]]:
    """A region for each part that hangs together; 0 where they are too many to number."""
    numbers = _numbers(by_tile)
    owners = owners_of(by_tile)
    met = [(numbers[here], numbers[owners[b, a]]) for (a, b), here in owners.items() if (b, a) in owners]
    one, other = np.array(met, np.int64).reshape(-1, 2).T
    part = joined_parts(len(numbers), one, other) + 1
    if part.max() > _MOST_REGIONS:
        part[:] = 0
    regions: dict[tuple[int, int], list[int]] = {tile: [] for tile in by_tile}
    for (tile, _), number in numbers.items():
        regions[tile].append(int(part[number]))
    return regions


def _numbers(by_tile: dict[tuple[int, int], list[ConvexPiece]]) -> dict[tuple[tuple[int, int], int], int]:
    """All pieces numbered through, tile by tile."""
    places = [(tile, k) for tile, own in by_tile.items() for k in range(len(own))]
    return {place: number for number, place in enumerate(places)}


def _short_borders(
    steps: Steps, by_tile: dict[tuple[int, int], list[ConvexPiece]], owners: Owners
) -> list[BuildWarning]:
    """What is said where edges on a border are too short for Detour, and nothing else joins what they join."""
    numbers = _numbers(by_tile)
    joins: list[tuple[int, int]] = []
    short: list[tuple[int, int, int, int]] = []
    for (a, b), here in owners.items():
        there = owners.get((b, a))
        if there is None:
            continue
        row = numbers[here], numbers[there]
        long = float(np.abs(steps.points[a] - steps.points[b])[[0, 2]].max()) * steps.cell_size
        if here[0] != there[0] and long < _SHORT:
            short.append((*row, a, b))
        else:
            joins.append(row)
    one, other = np.array(joins, np.int64).reshape(-1, 2).T
    part = joined_parts(len(numbers), one, other)
    lost = [(a, b) for here, there, a, b in short if part[here] != part[there]]
    if not lost:
        return []
    text = f"{len(lost) // 2 + 1:,} edges on borders of tiles are shorter than {in_words(_SHORT)} m"
    place = middle_of(steps.all_metres(), lost[0])
    return [BuildWarning("BORDER_LINKS", f"{text}, and Detour joins none so short. Move a corner there.", place)]


# --- Pieces as the polygon and detail meshes of tiles, connected by the edges that they share.

_OUTLINE_BITS = 2  # of each edge in a detail triangle's fourth number
Owners = dict[tuple[int, int], tuple[tuple[int, int], int]]
"""Edge → the tile and the number in it of the piece that walks along it."""


def owners_of(pieces: dict[tuple[int, int], list[ConvexPiece]]) -> Owners:
    """Who walks along each edge: the first one, where polygons that were trusted share it."""
    owners: Owners = {}
    for tile, own in pieces.items():
        for number, piece in enumerate(own):
            for side in sides(piece.ring):
                owners.setdefault(side, (tile, number))
    return owners


def tile_of_pieces(
    tile: tuple[int, int], pieces: list[ConvexPiece], regions: list[int], steps: I64, grid: Grid,
    shape: tuple[int, bool], owners: Owners,
) -> Tile:  # fmt: skip
    """The meshes of one tile; `shape` is the most corners of a polygon, and whether detail is wanted."""
    used = {corner: number for number, corner in enumerate(dict.fromkeys(c for p in pieces for c in p.ring))}
    origin = np.rint(
        grid.bounds_min.astype(np.float64) / [float(grid.cell_size), float(grid.cell_height), float(grid.cell_size)]
    ).astype(np.int64)
    vertices = (steps[list(used)] - origin).astype(np.uint16)
    polygons = np.full((len(pieces), shape[0]), NO_INDEX, np.uint16)
    neighbors = polygons.copy()
    for number, piece in enumerate(pieces):
        polygons[number, : len(piece.ring)] = [used[corner] for corner in piece.ring]
        for k, (a, b) in enumerate(sides(piece.ring)):
            across = owners.get((b, a))
            if across is None or owners[a, b] != (tile, number):
                continue
            neighbors[number, k] = across[1] if across[0] == tile else PORTAL | _side_between(tile, across[0])
    mesh = PolygonMesh(
        vertices, polygons, neighbors, np.array(regions, np.uint16), np.array([p.area for p in pieces], np.uint8),
        len(pieces), np.float32(0), grid,
    )  # fmt: skip
    return Tile(*tile, mesh, _detail(pieces, steps, grid, origin) if shape[1] else None)


def _side_between(here: tuple[int, int], there: tuple[int, int]) -> int:
    """On which side of a tile the one beside it lies: x−, z+, x+, z−."""
    return {(-1, 0): 0, (0, 1): 1, (1, 0): 2, (0, -1): 3}[there[0] - here[0], there[1] - here[1]]


def _detail(pieces: list[ConvexPiece], steps: I64, grid: Grid, origin: I64) -> DetailMesh:
    rows: list[tuple[int, int, int, int]] = []
    points: list[int] = []
    triangles: list[tuple[int, int, int, int]] = []
    for piece in pieces:
        own = list(dict.fromkeys([*piece.ring, *(corner for t in piece.triangles for corner in t)]))
        place = {corner: number for number, corner in enumerate(own)}
        outline = set(sides(piece.ring))
        rows.append((len(points), len(own), len(triangles), len(piece.triangles)))
        points += own
        for a, b, c in piece.triangles:
            bits = sum(1 << (_OUTLINE_BITS * k) for k, side in enumerate(((a, b), (b, c), (c, a))) if side in outline)
            triangles.append((place[a], place[b], place[c], bits))
    return DetailMesh(
        np.array(rows, np.uint32).reshape(-1, 4), _metres(steps[points] - origin, grid),
        np.array(triangles, np.uint8).reshape(-1, 4),
    )  # fmt: skip


def _metres(steps: I64, grid: Grid) -> F32:
    step = np.array([grid.cell_size, grid.cell_height, grid.cell_size], np.float32)
    return grid.bounds_min + steps.astype(np.float32) * step
