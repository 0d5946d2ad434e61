"""TILES: where tiles lie, how many polygons each has, and how long it took to build."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..build_warning import Point
from ..report import Report
from ..result.navmesh import Tile
from ..types import F64, I64
from .ground_triangles import ground_of, tiles_of
from .outline_picture import MAX_LABELS, box_edges, is_shown, lift_of, picture_of, raised, same_color
from .picture import Color, Label, LegendRow, Picture, Shown, ViewedPiece

_BOX: Color = (255, 255, 255, 160)
_BANDS: tuple[Color, ...] = (
    (48, 96, 220, 144), (40, 176, 200, 144), (96, 200, 80, 144), (240, 200, 48, 144), (230, 60, 40, 144),
)  # fmt: skip
_SLOWEST = 3.0  # times the median: where the last color ends
_NOT_TIMED: Color = (128, 128, 128, 144)
_NOT_TIMED_LABEL = "Taken from where tiles are kept"


def draw_tiles(piece: ViewedPiece, shown: Shown) -> Picture:
    """A box for each tile that has polygons, and its ground in the color of its time."""
    tiles = tiles_of(piece)
    ground = ground_of(tiles)
    drawn = is_shown(ground.triangles, shown)
    band, most = _bands(tiles, piece.navmesh.report)
    table = np.array([*_BANDS, _NOT_TIMED], np.uint8)
    low, high = _bounds(tiles)
    labels, notes = _labels(tiles, piece.navmesh.report, ground.triangles[:, 0, 1].astype(np.float64), ground.tile)
    boxes = box_edges(low, high)
    return picture_of(
        raised(ground.triangles[drawn], lift_of(piece)), table[band[ground.tile[drawn]]], boxes,
        same_color(len(boxes), _BOX), [LegendRow("Tiles", _BOX, len(tiles)), *_legend(band, most)], labels,
        [*notes, *_empty_note(piece, tiles)],
    )  # fmt: skip


def _bands(tiles: Sequence[Tile], report: Report) -> tuple[I64, float]:
    """Of each tile the number of its color, and over how many seconds colors are spread.

    A few slow tiles do not count for that: the first may have waited for kernels, and would make all others alike.
    """
    seconds = np.array([report.tile_seconds.get(tile.key.place, 0.0) for tile in tiles], np.float64)
    most = _SLOWEST * float(np.median(seconds[seconds > 0])) if (seconds > 0).any() else 0.0
    band = np.minimum(seconds / max(most, 1e-9) * len(_BANDS), len(_BANDS) - 1).astype(np.int64)
    if len(tiles) == 1:
        band[:] = 0  # neither slow nor fast
    return np.where(seconds > 0, band, len(_BANDS)), most


def _legend(band: I64, most: float) -> list[LegendRow]:
    counts = np.bincount(band, minlength=len(_BANDS) + 1).tolist()
    steps = np.linspace(0, most, len(_BANDS) + 1).tolist()
    labels = [f"{_time(steps[k])} to {_time(steps[k + 1])}" for k in range(len(_BANDS) - 1)]
    labels.append(f"{_time(steps[-2])} and more")
    rows = zip([*labels, _NOT_TIMED_LABEL], [*_BANDS, _NOT_TIMED], counts, strict=True)
    return [LegendRow(*row) for row in rows]


def _time(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 1 else f"{1000 * seconds:.3g} ms"


def _bounds(tiles: Sequence[Tile]) -> tuple[F64, F64]:
    """The corners of the tiles' boxes."""
    grids = [tile.polygon_mesh.grid for tile in tiles]
    low = np.array([grid.bounds_min for grid in grids], np.float64).reshape(-1, 3)
    return low, np.array([grid.bounds_max for grid in grids], np.float64).reshape(-1, 3)


def _labels(tiles: Sequence[Tile], report: Report, heights: F64, owner: I64) -> tuple[list[Label], list[str]]:
    """What each tile is, in its middle."""
    if len(tiles) > MAX_LABELS:
        return [], ["Tiles have labels where they are few."]
    low, high = _bounds(tiles)
    middle = (low + high) / 2
    count = np.maximum(np.bincount(owner, minlength=len(tiles)), 1)
    middle[:, 1] = np.bincount(owner, heights, minlength=len(tiles)) / count
    return [
        Label(
            (x, y, z),
            f"{tile.key}: {len(tile.polygon_mesh.polygons):,}{_taken(report.tile_seconds.get(tile.key.place, 0.0))}",
        )
        for (x, y, z), tile in zip(middle.tolist(), tiles, strict=True)
    ], ["A tile's label says where it is, how many polygons it has, and how long it took to build."]


def _empty_note(piece: ViewedPiece, tiles: Sequence[Tile]) -> list[str]:
    grid = piece.navmesh.tile_grid
    if grid is None or piece.tile is not None or len(tiles) == grid.columns * grid.rows:
        return []
    return [f"{grid.columns * grid.rows - len(tiles):,} of {grid.columns * grid.rows:,} tiles have no polygons."]


def said_of(tile: Tile, report: Report) -> str:
    """A tile in one line."""
    count = len(tile.polygon_mesh.polygons)
    polygons = f"{count:,} polygon{'s' if count != 1 else ''}"
    return f"Tile {tile.key}: {polygons}{_taken(report.tile_seconds.get(tile.key.place, 0.0))}"


def _taken(seconds: float) -> str:
    return f", {_time(seconds)}" if seconds > 0 else ""


def tiles_at(piece: ViewedPiece, shown: Shown, point: Point) -> str:
    """The tile that a point lies in."""
    tiles = tiles_of(piece)
    low, high = _bounds(tiles)
    inside = (low[:, ::2] <= point[::2]).all(axis=1) & (high[:, ::2] >= point[::2]).all(axis=1)
    if not inside.any() or not shown.lowest <= point[1] <= shown.highest:
        return ""
    return said_of(tiles[int(np.argmax(inside))], piece.navmesh.report)
