"""Dirty tiles: which have to be built again for what has changed in a level since the last update saw it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ...errors import BadInput
from ...geometry.grid import check_precision, raised
from ...geometry.tile_grid import TileGrid, changed_tiles, cut_into_tiles, grid_of_tile, keys_of_grid
from ...geometry.tile_key import TileKey
from ...scene import Volume, marks_ground
from ...stages.areas import boxes_around
from ...threads import Workers
from ...types import F32, Geometry
from ..edit_marks import as_high_as_patches, content_of
from ..local_resolution import other_cells
from ..running_build import RunningBuild
from .part import NO_BOX, Part, joined, places_that_differ

# --- The bounds of all parts of a level as one array: what lies around all of them is known without asking each.

_FEWEST = 16  # rows


class PartsBounds:
    """One row for each part, and rows that are free."""

    def __init__(self) -> None:
        self._boxes: F32 = np.tile(NO_BOX, (_FEWEST, 1))
        self._rows: dict[str, int] = {}
        self._free = list(range(_FEWEST))

    def around_all(self, changed: Mapping[str, Part | None]) -> F32:
        """(6,) around all parts once some are others, or gone (None)."""
        boxes = self._boxes.copy()
        boxes[[self._rows[name] for name in changed if name in self._rows]] = NO_BOX
        boxes = np.concatenate([boxes, *(part.box[None] for part in changed.values() if part is not None)])
        return np.concatenate([boxes[:, :3].min(axis=0), boxes[:, 3:].max(axis=0)])

    def follow(self, changed: Mapping[str, Part | None]) -> None:
        """Some parts are others now, or gone."""
        for name, part in changed.items():
            row = self._rows.pop(name, None)
            if row is not None:
                self._boxes[row] = NO_BOX
                self._free.append(row)
            if part is not None:
                self._rows[name] = row = self._free_row()
                self._boxes[row] = part.box

    def _free_row(self) -> int:
        if not self._free:
            count = len(self._boxes)
            self._boxes = np.concatenate([self._boxes, np.tile(NO_BOX, (count, 1))])
            self._free = list(range(count, 2 * count))
        return self._free.pop()


Box = tuple[F32, F32]
_ROUNDING = 2  # cells: where a volume ends is rounded in each tile


class DirtyTiles:
    """Parts and volumes as they were, the grid they lie in, and the tiles that are not built yet."""

    def __init__(self) -> None:
        self.volumes: list[Volume] = []
        self.dirty: set[TileKey] = set()
        self._parts: dict[str, Part] = {}
        self._seen_at: dict[TileKey, set[str]] = {}  # the parts that each tile may see
        self._with_areas = 0  # parts that say areas
        self._boxes = PartsBounds()
        self._grid: TileGrid | None = None
        self._known_grid: TileGrid | None = None  # that parts found their tiles by: it cuts as the other does
        self._origin: object = None  # what the bytes of all tiles depend on

    @property
    def grid(self) -> TileGrid:
        """How the level is cut."""
        assert self._grid is not None, "nothing was seen yet"
        return self._grid

    @property
    def _tiles(self) -> TileGrid:
        assert self._known_grid is not None, "nothing was seen yet"
        return self._known_grid

    @property
    def all_dirty(self) -> bool:
        """Whether no tile is built."""
        return len(self.dirty) == self.grid.columns * self.grid.rows

    def top(self, build: RunningBuild) -> np.float32:
        """How high the level is, as the heads of tiles say it."""
        highest: np.float32 = raised(grid_of_tile(self.grid, TileKey(0, 0)), build.recipe.voxels.height_vx).bounds_max[
            1
        ]
        return highest

    def follow(
        self, changed: Mapping[str, Part | None], volumes: list[Volume], bounds: Box | None, build: RunningBuild
    ) -> bool:
        """Some parts are others now, or gone (None), and the volumes are these.

        Returns whether all tiles that were built before are out of date. Where it raises, nothing was seen.
        """
        old = {name: self._parts.get(name) for name in changed}
        parts = dict(self._parts)
        for name, part in changed.items():
            if part is None:
                parts.pop(name, None)
            else:
                parts[name] = part
        if not any(len(part.geometry.triangles) for part in parts.values()):
            raise BadInput("There are no triangles to build from. Give the level a part with set_part.", "NO_TRIANGLES")
        box = self._boxes.around_all(changed)
        seen = bounds or as_high_as_patches(box[:3], box[3:], volumes)
        grid = cut_into_tiles(*seen, build.settings, build.recipe.widest)
        grid = build.in_tiles(grid, volumes)
        for kind in grid.kinds:
            check_precision(grid_of_tile(kind, TileKey(grid.columns - 1, grid.rows - 1)))
        with_areas = self._with_areas + _saying_areas(changed.values()) - _saying_areas(old.values())
        # What lies above given bounds is cut off. And where any part says areas, degenerate triangles count in all.
        top = None if bounds is None else float(bounds[1][1])
        sizes = [(size.radius, size.height, size.exclude) for size in build.sizes]
        origin = (build.settings.without_links(), grid.bounds_min.tobytes(), top, with_areas > 0, sizes)
        begins_again = origin != self._origin
        if begins_again:
            self._grid = self._known_grid = grid
            self.dirty = set(keys_of_grid(grid))
            self._find_parts(parts)
        else:
            self._follow_grid(grid, parts)
            self._follow_parts(old, changed, build.workers)
            self._follow_volumes(volumes)
        self._parts, self._with_areas, self._origin, self.volumes = parts, with_areas, origin, volumes
        self._boxes.follow(changed)
        return begins_again

    def geometry_around(self, places: set[TileKey], workers: Workers) -> Geometry:
        """What these tiles see, and perhaps more, in the order of the parts."""
        everything = len(places) == self.grid.columns * self.grid.rows
        names = self._parts if everything else set().union(*(self._seen_at.get(place, ()) for place in places))
        parts = sorted((self._parts[name] for name in names), key=lambda part: part.number)
        pieces = [part.geometry if everything else part.around(places, self._tiles, workers) for part in parts]
        return joined(pieces, self._with_areas > 0)

    def _find_parts(self, parts: Mapping[str, Part]) -> None:
        self._seen_at = {}
        for name, part in parts.items():
            self._at(name, part)

    def _at(self, name: str, part: Part) -> None:
        for place in part.places(self._tiles):
            self._seen_at.setdefault(place, set()).add(name)

    def _follow_grid(self, grid: TileGrid, parts: Mapping[str, Part]) -> None:
        """The level grew or shrank away from its origin: tiles come and go at its far ends."""
        old, self._grid = self.grid, grid
        if _cut_alike(self._tiles, grid):
            return  # all parts are in the tiles that they were in
        self._known_grid = grid
        places = set(keys_of_grid(grid))
        self.dirty = (self.dirty & places) | (places - set(keys_of_grid(old)) | (places & other_cells(old, grid)))
        self._find_parts({name: part for name, part in self._parts.items() if name in parts})

    def _follow_parts(self, old: Mapping[str, Part | None], new: Mapping[str, Part | None], workers: Workers) -> None:
        for name, before in old.items():
            after = new[name]
            if before is not None and after is not None and before.arrival == after.arrival:
                self.dirty |= places_that_differ(before, after, self._tiles, workers)
            else:
                for part in filter(None, (before, after)):
                    self.dirty |= part.places(self._tiles)
            if before is not None:
                for place in before.places(self._tiles):
                    self._seen_at.get(place, set()).discard(name)
            if after is not None:
                self._at(name, after)

    def _follow_volumes(self, volumes: Sequence[Volume]) -> None:
        """Tiles that other volumes touch than before, or in another order: of two that overlap the later one counts."""
        old, new = _where_they_differ(*(list(filter(marks_ground, given)) for given in (self.volumes, volumes)))
        before, after = self._touching(old), self._touching(new)
        self.dirty.update(place for place in before.keys() | after.keys() if before.get(place) != after.get(place))

    def _touching(self, volumes: Sequence[Volume]) -> dict[TileKey, list[dict[str, Any]]]:
        """What the volumes are that touch each tile, in order."""
        found: dict[TileKey, list[dict[str, Any]]] = {}
        margin = np.float32(_ROUNDING) * max(grid.cell_size for grid in self.grid.kinds)
        for volume, low, high in zip(volumes, *boxes_around(list(volumes)), strict=True):
            content = content_of(volume)
            for place in changed_tiles(self.grid, low - margin, high + margin):
                found.setdefault(place, []).append(content)
        return found


def _where_they_differ(old: Sequence[Volume], new: Sequence[Volume]) -> tuple[Sequence[Volume], Sequence[Volume]]:
    """Both without what they have in common at their beginnings, and at their ends."""
    begin = _alike(old, new)
    end = _alike(old[begin:][::-1], new[begin:][::-1])
    return old[begin : len(old) - end], new[begin : len(new) - end]


def _alike(one: Sequence[Volume], other: Sequence[Volume]) -> int:
    """How many are the same from the beginning on."""
    count = 0
    for a, b in zip(one, other, strict=False):
        if a != b and content_of(a) != content_of(b):
            break
        count += 1
    return count


def _saying_areas(parts: Iterable[Part | None]) -> int:
    return sum(1 for part in parts if part is not None and len(part.geometry.area))


def _cut_alike(one: TileGrid, other: TileGrid) -> bool:
    """Whether both have the same tiles, however far the level goes in the last ones, and up."""
    if one.scaled != other.scaled:
        return False
    tiles = [other.plain._replace(bounds_max=one.bounds_max), one.plain]
    return len({tuple(np.asarray(value).tobytes() for value in grid[:-1]) for grid in tiles}) == 1
