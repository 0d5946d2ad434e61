"""What somebody changed by hand, in the stages of a tile: ground that is blocked, of another area, patched or kept.

Blocks and areas are volumes that mark last. A patch is rasterized with the level, its ground is walkable whatever
filters and erosion say, and takes the place of what lay within its outline. An island that is kept is as large as the
smallest region may be. No Recast ancestor.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ..build_warning import BuildWarning, Point, in_words
from ..by_hand.face_triangles import cut_ears, turn
from ..by_hand.sound_faces import doubled_area
from ..errors import NothingWalkable
from ..geometry.tile_grid import TileGrid
from ..report import Report
from ..scene import AreaEdit, Block, KeepEdit, PatchEdit, Volume
from ..settings import Voxels
from ..stages.areas import mark_volumes
from ..stages.rasterize import rasterize_triangles
from ..threads import Workers
from ..types import (
    F32,
    I32,
    I64,
    NOT_WALKABLE,
    REGION_MASK,
    U8,
    Bools,
    CompactHeightfield,
    Geometry,
    Grid,
    Heightfield,
    Regions,
)

CELLS = "EDIT_CELLS"  # a row among a tile's warnings that says how many cells an edit has marked there
_KINDS = {"block": "Block", "area": "Area", "keep": "Place to keep", "patch": "Patch"}
_STEPS = 1 << 12  # of a metre, in which the faces of a patch are cut
_NEVER = 1 << 40  # vx
_MOST_LOST = 4  # cells of a patch beyond the level that nobody has to be told of
_EDITS = (Block, AreaEdit, KeepEdit, PatchEdit)
GroundEdit: TypeAlias = Block | AreaEdit | KeepEdit | PatchEdit
_OUTLINES = (Block, AreaEdit)


def is_edit(volume: Volume) -> bool:
    """Whether a mark is somebody's edit."""
    return isinstance(volume, _EDITS)


def edit_key(edit: Volume) -> str:
    """What an edit, or a volume, is known by in a tile, wherever that was built: its content without its name."""
    return hashlib.sha256(json.dumps(content_of(edit), sort_keys=True).encode()).hexdigest()[:16]


_NO_GROUND = {True: ("name", "cells"), False: ("closed", "ability", "resolution")}


def content_of(volume: Volume) -> dict[str, Any]:
    """What of a mark decides about the ground: not what an edit is called, nor what it marked once, nor which state a
    door is in, nor which cells tiles have: their grid says that."""
    content, left_out = volume.to_mapping(), _NO_GROUND[is_edit(volume)]
    return {name: content[name] for name in content if name not in left_out}


def in_cells_of_level(cells: Mapping[str, int], scale: float) -> dict[str, int]:
    """How many cells of the level are what edits have marked in a tile whose cells are `scale` times as wide."""
    return {key: max(round(count * scale * scale), 1) if count else 0 for key, count in cells.items()}


def triangles_of(patch: PatchEdit) -> tuple[F32, I32]:
    """A patch's corners, and its faces as triangles that look up; those that stand upright are no ground."""
    corners = np.array(patch.vertices, np.float32).reshape(-1, 3)
    flat = [(int(x), int(z)) for x, z in np.rint(corners[:, [0, 2]].astype(np.float64) * _STEPS).tolist()]
    rows: list[tuple[int, int, int]] = []
    for face in patch.faces:
        ring = list(face)
        if doubled_area(flat, ring) < 0:
            ring.reverse()
        fan = [(ring[0], ring[k], ring[k + 1]) for k in range(1, len(ring) - 1)]
        rows += (cut_ears(flat, ring) if len(ring) > 3 else None) or fan
    triangles = np.array([row for row in rows if turn(flat, *row) > 0], np.int32).reshape(-1, 3)
    return corners, triangles


def with_patches(geometry: Geometry, volumes: Sequence[Volume]) -> Geometry:
    """The marked triangles of a level, and after them those of its patches, walkable at any slope."""
    patches = [volume for volume in volumes if isinstance(volume, PatchEdit)]
    for patch in patches:
        corners, triangles = triangles_of(patch)
        geometry = Geometry(
            np.concatenate([geometry.vertices, corners]),
            np.concatenate([geometry.triangles, triangles + np.int32(len(geometry.vertices))]),
            np.concatenate([geometry.area, np.full(len(triangles), patch.area, np.uint8)]),
        )
    return geometry


def as_high_as_patches(low: F32, high: F32, volumes: Sequence[Volume]) -> tuple[F32, F32]:
    """The box of a level, as high as the patches that rise above all of it: above its grid nothing is ground. (Not as
    low as others: all heights would be counted anew.)"""
    tops = [corner[1] for volume in volumes if isinstance(volume, PatchEdit) for corner in volume.vertices]
    top = np.float32(max(tops, default=high[1]))
    return low, high if top <= high[1] else np.array([high[0], top, high[2]], np.float32)


class _Cover(NamedTuple):
    """The ground of a patch in a grid."""

    patch: PatchEdit
    column: I64
    top: I64  # vx


class TileEdits:
    """The edits that touch one grid, and what they find there."""

    def __init__(self, grid: Grid, volumes: Sequence[Volume], voxels: Voxels, workers: Workers) -> None:
        self.grid, self.voxels, self.workers = grid, voxels, workers
        self.edits = [volume for volume in volumes if isinstance(volume, _EDITS)]
        self.others = [volume for volume in volumes if not isinstance(volume, _EDITS)]
        self.cells: dict[str, int] = {}
        self._covers = [self._cover(edit) for edit in self.edits if isinstance(edit, PatchEdit)]

    def _cover(self, patch: PatchEdit) -> _Cover:
        corners, triangles = triangles_of(patch)
        areas = np.full(len(triangles), patch.area, np.uint8)
        solid = rasterize_triangles(self.grid, corners, triangles, areas, self.voxels.climb_vx, self.workers)
        column = np.repeat(np.arange(len(solid.first) - 1), np.diff(solid.first))
        return _Cover(patch, column.astype(np.int64), solid.top.astype(np.int64))

    def restored(self, solid: Heightfield) -> Heightfield:
        """Solid spans whose tops are walkable where they are a patch's ground. Those tops are remembered."""
        area = solid.area.copy()
        for number, (patch, column, top) in enumerate(self._covers):
            span = _spans_at(solid.first, column, _spans_around(solid, top))
            span = self._uncovered(solid, column, top, span)
            found = (span >= 0) & (solid.top[span].astype(np.int64) - top <= self.voxels.climb_vx)
            area[span[found]] = patch.area
            self._covers[number] = _Cover(patch, column[found], solid.top[span[found]].astype(np.int64))
        return solid._replace(area=area)

    def _uncovered(self, solid: Heightfield, column: I64, top: I64, span: I64) -> I64:
        """Spans, or those above them within a step where they leave no room to stand: a plank's end below a slab."""
        while True:
            above = np.minimum(span + 1, len(solid.top) - 1)
            there = (span >= 0) & (span + 1 < solid.first[column + 1])
            low = solid.bottom[above].astype(np.int64) - solid.top[span] < self.voxels.height_vx
            over = there & low & (solid.top[above].astype(np.int64) - top <= self.voxels.climb_vx)
            if not over.any():
                return span
            span = np.where(over, above, span)

    def marked(self, grid: Grid, compact: CompactHeightfield) -> CompactHeightfield:
        """The ground with the areas of volumes, then of patches, then of what is marked and blocked, in that order."""
        compact = mark_volumes(grid, compact, self.others, self.workers) if self.others else compact
        inner = self._inner(compact)
        for cover in self._covers:
            compact = self._patched(grid, compact, cover, inner)
        for edit in self.edits:
            if isinstance(edit, _OUTLINES):
                before = compact
                compact = mark_volumes(grid, compact, [edit], self.workers)
                self._count(edit, (before.area != compact.area) & inner)
        return compact

    def _patched(self, grid: Grid, compact: CompactHeightfield, cover: _Cover, inner: Bools) -> CompactHeightfield:
        """The old ground within a patch's outline gone, and its own there."""
        climb, patch = self.voxels.climb_vx, cover.patch
        if patch.outline:
            low, high = patch.heights(float(grid.cell_height) * climb)
            old = Block(outline=patch.outline, min_height=low, max_height=high)
            compact = mark_volumes(grid, compact, [old], self.workers)
        area: U8 = compact.area.copy()
        lowest = np.full(len(compact.first) - 1, _NEVER, np.int64)
        highest = -lowest
        np.minimum.at(lowest, cover.column, cover.top)
        np.maximum.at(highest, cover.column, cover.top)
        columns, floor = _columns(compact), compact.floor.astype(np.int64)
        # What lies within a step of a patch's ground is replaced by it.
        area[(floor >= lowest[columns] - climb) & (floor <= highest[columns] + climb)] = NOT_WALKABLE
        span = _spans_at(compact.first, cover.column, lambda k: compact.floor[k] == cover.top)
        own = span[span >= 0]
        area[own] = patch.area
        marked = np.zeros(len(area), bool)
        marked[own] = True
        self._count(patch, marked & inner)
        return compact._replace(area=area)

    def _inner(self, compact: CompactHeightfield) -> Bools:
        """Whether each span is the grid's own, and not of its border."""
        columns, border = _columns(compact), self.grid.border
        x, z = columns % compact.width, columns // compact.width
        return (
            (x >= border) & (x < compact.width - border) & (z >= border) & (z < compact.depth - border)
        )  # fmt: skip

    def _count(self, edit: GroundEdit, marked: Bools) -> None:
        """Of two that are the same each is told what both do: the second one finds it done, or does it again."""
        key = edit_key(edit)
        self.cells[key] = max(self.cells.get(key, 0), int(np.count_nonzero(marked)))

    def kept(self, grid: Grid, compact: CompactHeightfield, regions: Regions, divide: Callable[[], Regions]) -> Regions:
        """Regions with those of islands that are kept however small; `divide` makes regions of any size."""
        again: Regions | None = None
        for edit in self.edits:
            if not isinstance(edit, KeepEdit):
                continue
            span = self._span_of(grid, compact, edit)
            if span < 0:
                continue
            island = island_of(compact, span)
            self._count(edit, island & self._inner(compact))
            if (regions.region[island] != 0).any():
                continue
            again = again or divide()
            regions = joined_regions(regions, again, island)
        return regions

    def _span_of(self, grid: Grid, compact: CompactHeightfield, keep: KeepEdit) -> int:
        """The walkable span nearest in height to a place, no farther than an agent is tall; -1 where none is."""
        step = np.array([grid.cell_size, grid.cell_height, grid.cell_size], np.float64)
        x, y, z = ((np.array(keep.at) - grid.bounds_min.astype(np.float64)) / step).tolist()
        if not (0 <= x < compact.width and 0 <= z < compact.depth):
            return -1
        column = int(x) + int(z) * compact.width
        spans = np.arange(compact.first[column], compact.first[column + 1])
        spans = spans[compact.area[spans] != NOT_WALKABLE]
        apart = np.abs(compact.floor[spans].astype(np.float64) - y)
        return int(spans[np.argmin(apart)]) if len(spans) and apart.min() <= self.voxels.height_vx else -1

    def blamed(self, reason: NothingWalkable) -> NothingWalkable:
        """Why nothing is left, where it may be that blocks have taken it; it says what each edit has marked."""
        taken = [edit for edit in self.edits if isinstance(edit, Block) and self.cells.get(edit_key(edit))]
        if taken:
            names = " and ".join(f"“{edit.name}”" if edit.name else "a block" for edit in taken[:2])
            reason = NothingWalkable(
                f"Nothing is left of the ground but what {names} "
                f"{'takes' if len(taken) == 1 else 'take'} away by hand. Make that smaller, or delete it."
            )
        reason.marked = {key: count for key, count in self.cells.items() if count}
        return reason

    def rows(self) -> list[BuildWarning]:
        """How many cells each edit has marked, to travel with a tile's warnings."""
        return [BuildWarning(CELLS, str(count), None, key) for key, count in self.cells.items() if count]


def _columns(compact: CompactHeightfield) -> I64:
    """The column of each span."""
    return np.repeat(np.arange(len(compact.first) - 1), np.diff(compact.first)).astype(np.int64)


def _spans_at(first: I32, column: I64, fits: Callable[[I64], Bools]) -> I64:
    """The first span of each column that fits; -1 where none does."""
    found = np.full(len(column), -1, np.int64)
    step = 0
    while True:
        span = first[column].astype(np.int64) + step
        there = span < first[column + 1]
        if not there.any():
            return found
        good = there & (found < 0) & fits(np.where(there, span, 0))
        found[good] = span[good]
        step += 1


def _spans_around(solid: Heightfield, top: I64) -> Callable[[I64], Bools]:
    """Whether solid spans reach over heights."""

    def around(spans: I64) -> Bools:
        return (solid.bottom[spans] <= top) & (solid.top[spans] >= top)

    return around


def island_of(compact: CompactHeightfield, span: int) -> Bools:
    """The walkable spans that hang together with one."""
    island = np.zeros(len(compact.floor), bool)
    island[span] = True
    edge: I64 = np.array([span], np.int64)
    while len(edge):
        beside = compact.neighbors[edge].ravel()
        beside = beside[beside >= 0]
        beside = beside[~island[beside] & (compact.area[beside] != NOT_WALKABLE)]
        edge = np.unique(beside).astype(np.int64)
        island[edge] = True
    return island


def joined_regions(regions: Regions, again: Regions, island: Bools) -> Regions:
    """Regions, and on an island that has none those of another division, under new numbers."""
    region = regions.region.copy()
    ids = again.region[island].astype(np.int64)
    own = (ids != 0) & (ids <= REGION_MASK >> 1)
    known, number = np.unique(ids[own], return_inverse=True)
    values = np.zeros(len(ids), np.int64)
    values[own] = regions.count + 1 + number.ravel()
    region[island] = values.astype(np.uint16)
    return Regions(region, regions.count + len(known))


def tell_edits(
    report: Report, volumes: Sequence[Volume], cells: Mapping[str, int], grid: Grid | TileGrid
) -> None:  # fmt: skip
    """What each edit of a level has marked, into the report of a whole build, with warnings where it is too little."""
    told = told_edits(volumes, cells)
    report.edits += [row for row, _ in told]
    report.warnings += [warning for _, warning in told if warning is not None]
    patches = [volume for volume in volumes if isinstance(volume, PatchEdit)]
    seen = set[Any]()  # faces that take the place of several outlines are one patch for each
    for number, patch in enumerate(patches, 1):
        faces = patch.vertices, patch.faces
        lost = _beyond(patch, grid) if cells.get(edit_key(patch), 0) and faces not in seen else 0.0
        seen.add(faces)
        if lost > _MOST_LOST * float(grid.cell_size) ** 2:
            text = (
                f"{_called(patch, number)} reaches beyond the level, where no ground is made: {in_words(lost, 1)} m² "
            )
            text += "of it are none. Give bounds around both, or make it smaller."
            report.warnings.append(BuildWarning("EDIT_CUT_OFF", text, _place_of(patch), patch.name))


def _beyond(patch: PatchEdit, grid: Grid | TileGrid) -> float:
    """Square metres of a patch, seen from above, beside the columns of a grid or below it."""
    corners, triangles = triangles_of(patch)
    low, high = grid.bounds_min.astype(np.float64), grid.bounds_max.astype(np.float64)
    if isinstance(grid, TileGrid):  # whose last tiles are whole
        high = low + np.array([grid.columns, 0, grid.rows]) * (grid.size * float(grid.cell_size))
    low[1], high[1] = low[1] - float(grid.cell_height), np.inf
    points = corners[triangles].astype(np.float64)
    lost = 0.0
    for triangle in points[((points < low) | (points > high)).any(axis=(1, 2))].tolist():
        left = triangle
        for axis in range(3):
            left = _on_one_side(left, axis, float(low[axis]), 1.0)
            left = _on_one_side(left, axis, float(high[axis]), -1.0)
        lost += _seen_from_above(triangle) - _seen_from_above(left)
    return lost


def _on_one_side(ring: list[list[float]], axis: int, limit: float, sign: float) -> list[list[float]]:
    """What of a ring lies where `sign` × its coordinate is no less than that of the limit."""
    left: list[list[float]] = []
    for here, there in zip(ring, ring[1:] + ring[:1], strict=True):
        a, b = sign * (here[axis] - limit), sign * (there[axis] - limit)
        if a >= 0:
            left.append(here)
        if (a >= 0) != (b >= 0):
            part = a / (a - b)
            left.append([x + part * (y - x) for x, y in zip(here, there, strict=True)])
    return left


def _seen_from_above(ring: list[list[float]]) -> float:
    return abs(sum(a[0] * b[2] - b[0] * a[2] for a, b in zip(ring, ring[1:] + ring[:1], strict=True))) / 2


def told_edits(volumes: Sequence[Volume], cells: Mapping[str, int]) -> list[tuple[dict[str, Any], BuildWarning | None]]:
    """The row of a report for each edit among volumes, and what is said of it; `cells` by their keys."""
    found, numbers = [], Counter[str]()
    for edit in volumes:
        if not isinstance(edit, _EDITS):
            continue
        numbers[edit.kind] += 1
        count, made = cells.get(edit_key(edit), 0), 0 if isinstance(edit, KeepEdit) else edit.cells
        row = {"kind": edit.kind, "name": edit.name, "cells": count, "cells_when_made": made}
        found.append((row, edit_warning(edit, count, made, numbers[edit.kind])))
    return found


def edit_warnings(volumes: Sequence[Volume], cells: Mapping[str, int]) -> list[BuildWarning]:
    """What is said of edits that have marked nothing in a whole level, or much less than when they were made."""
    return [warning for _, warning in told_edits(volumes, cells) if warning is not None]


def edit_warning(edit: GroundEdit, count: int, made: int, number: int = 0) -> BuildWarning | None:
    """What is said of an edit that marks so many cells, and marked so many when it was made; None where all is fine.

    `number`: which of its kind it is, for one without a name.
    """
    called = _called(edit, number)
    if count == 0:
        here = "here any more" if made else "here"
        why = "no ground lies there. Move it onto ground"
        if isinstance(edit, PatchEdit):
            why = "none of its faces is ground. Move it into the level, not below it, with room above"
        text = f"{called} does nothing {here}: {why}, or delete it."
        return BuildWarning("EDIT_UNUSED", text, _place_of(edit), edit.name)
    if 2 * count < made:
        text = f"{called} changes {count:,} cells now, and {made:,} when it was made. Look whether it still fits."
        return BuildWarning("EDIT_SHIFTED", text, _place_of(edit), edit.name)
    return None


def _called(edit: GroundEdit, number: int) -> str:
    return f"“{edit.name}”" if edit.name else f"{_KINDS[edit.kind]} {number}"


def _place_of(edit: GroundEdit) -> Point:
    """The middle of an edit."""
    if isinstance(edit, KeepEdit):
        return edit.at
    if isinstance(edit, PatchEdit):
        x, y, z = np.mean(edit.vertices, axis=0).round(3).tolist()
    else:
        (x, z), y = np.mean(edit.outline, axis=0).round(3).tolist(), (edit.min_height + edit.max_height) / 2
    return x, y, z


def cells_in(rows: Sequence[BuildWarning]) -> tuple[list[BuildWarning], Mapping[str, int]]:
    """A tile's warnings without those rows, and what the rows say."""
    cells: dict[str, int] = {}
    for row in rows:
        if row.code == CELLS:
            cells[row.name] = cells.get(row.name, 0) + int(row.message)
    return [row for row in rows if row.code != CELLS], cells
