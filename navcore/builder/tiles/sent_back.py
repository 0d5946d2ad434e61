"""Built tiles on their way back from another process: their arrays travel as a few long ones.

A tile has a dozen small arrays, and taking them out of a pickle one by one cost a tenth of what building the tile took.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np

from ...geometry.tile_key import TileKey
from ...geometry.tile_spans import TileSpans
from ...types import F32, I32, I64, U8, AnyArray, DetailMesh, Grid, PolygonMesh
from ..pipeline import Piece
from .tile_jobs import BuiltTile

_PIECE, _DETAIL, _SIZES, _SPANS = 1, 2, 4, 8  # what a tile has
_OF_MESH, _OF_DETAIL, _OF_SPANS = 5, 3, 3  # arrays
_ARRAYS = _OF_MESH + _OF_DETAIL + 1 + _OF_SPANS


class BuiltBatch(list[BuiltTile]):
    """The tiles of a batch. Pickled, they are columns."""

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        if any(tile.stages for tile in self):  # of which each tile comes by itself
            return BuiltBatch, (list(self),)
        return _arrived, tuple(_columns(self))


class _Columns(NamedTuple):
    """N tiles, M of which have a mesh."""

    keys: I32  # (N, 3)
    has: U8  # (N,)
    said: list[tuple[Any, ...]]  # (N,) why nothing is there, seconds, warnings, doors
    names: tuple[str, ...]  # of the counts
    counts: I64  # (M, names)
    whole: I64  # (M, 4) columns, rows, border, capacity
    metres: F32  # (M, 9) both corners of the grid, the largest error, size and height of cells
    lengths: I64  # (N, _ARRAYS)
    arrays: list[AnyArray]  # (_ARRAYS,) each that of all tiles, one behind the other


def _columns(tiles: Sequence[BuiltTile]) -> _Columns:
    pieces = [tile.piece for tile in tiles if tile.piece is not None]
    arrays = [_arrays_of(tile) for tile in tiles]
    grids = [piece.polygon_mesh.grid for piece in pieces]
    names = tuple(pieces[0].counts) if pieces else ()
    return _Columns(
        np.array([tile.key for tile in tiles], np.int32).reshape(-1, 3),
        np.array([_what_it_has(tile) for tile in tiles], np.uint8),
        [(tile.nothing, tile.seconds, *((p.warnings, p.doors) if (p := tile.piece) else ())) for tile in tiles],
        names,
        np.array([[piece.counts[name] for name in names] for piece in pieces], np.int64),
        np.array(
            [(g.width, g.depth, g.border, p.polygon_mesh.capacity) for g, p in zip(grids, pieces, strict=True)],
            np.int64,
        ),
        np.array(
            [
                (*g.bounds_min, *g.bounds_max, p.polygon_mesh.max_edge_error, g.cell_size, g.cell_height)
                for g, p in zip(grids, pieces, strict=True)
            ],
            np.float32,
        ),
        np.array([[0 if a is None else len(a) for a in row] for row in arrays], np.int64).reshape(-1, _ARRAYS),
        [_joined([row[kind] for row in arrays]) for kind in range(_ARRAYS)],
    )


def _arrays_of(tile: BuiltTile) -> list[AnyArray | None]:
    if tile.piece is None:
        return [*[None] * (_OF_MESH + _OF_DETAIL + 1), *(tile.spans or [None] * _OF_SPANS)]
    vertices, polygons, neighbors, region, area = tile.piece.polygon_mesh[:_OF_MESH]
    detail = tile.piece.detail_mesh or [None] * _OF_DETAIL
    own = [vertices, polygons, neighbors, region, area, *detail, tile.piece.too_small]
    return [*own, *(tile.spans or [None] * _OF_SPANS)]


def _what_it_has(tile: BuiltTile) -> int:
    has = 0 if tile.spans is None else _SPANS
    if tile.piece is not None:
        has |= _PIECE
        has |= 0 if tile.piece.detail_mesh is None else _DETAIL
        has |= 0 if tile.piece.too_small is None else _SIZES
    return has


def _joined(parts: list[AnyArray | None]) -> AnyArray:
    there = [part for part in parts if part is not None]
    return np.concatenate(there) if there else np.empty(0, np.uint8)


def _arrived(*fields: Any) -> BuiltBatch:
    columns = _Columns(*fields)
    ends = np.cumsum(columns.lengths, axis=0)
    begins = ends - columns.lengths
    own = zip(*(_cut(array, begins[:, k], ends[:, k]) for k, array in enumerate(columns.arrays)), strict=True)
    meshes = _meshes(columns)
    rows = zip(columns.keys.tolist(), columns.has.tolist(), columns.said, own, strict=True)
    return BuiltBatch(_tile(meshes, *row) for row in rows)


def _cut(array: AnyArray, begins: I64, ends: I64) -> Iterator[AnyArray]:
    """The part of each tile; what no tile has is the same array for all."""
    if len(array) == 0:
        return repeat(array, len(begins))
    return map(array.__getitem__, map(slice, begins.tolist(), ends.tolist()))


def _meshes(columns: _Columns) -> Iterator[tuple[dict[str, int], list[int], F32]]:
    """The numbers of one mesh after the other."""
    for counts, whole, metres in zip(columns.counts.tolist(), columns.whole.tolist(), columns.metres, strict=True):
        yield dict(zip(columns.names, counts, strict=True)), whole, metres


def _tile(
    meshes: Iterator[tuple[dict[str, int], list[int], F32]], key: list[int], has: int, said: tuple[Any, ...],
    own: tuple[AnyArray, ...],
) -> BuiltTile:  # fmt: skip
    spans = TileSpans(*own[-_OF_SPANS:]) if has & _SPANS else None
    nothing, seconds, *told = said
    if not has & _PIECE:
        return BuiltTile(TileKey(*key), None, nothing, seconds, {}, spans)
    counts, (width, depth, border, capacity), metres = next(meshes)
    grid = Grid(width, depth, border, metres[:3], metres[3:6], metres[7], metres[8])
    vertices, polygons, neighbors, region, area, *rest = own
    mesh = PolygonMesh(vertices, polygons, neighbors, region, area, capacity, metres[6], grid)
    detail = DetailMesh(*rest[:_OF_DETAIL]) if has & _DETAIL else None
    warnings, doors = told
    too_small = rest[_OF_DETAIL] if has & _SIZES else None
    return BuiltTile(
        TileKey(*key), Piece(mesh, detail, counts, warnings, doors, too_small), nothing, seconds, {}, spans
    )
