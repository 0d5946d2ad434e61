"""A level that is built again and again while it changes, at the cost of what changed."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from ...agent_sizes import GivenSizes, as_sizes
from ...area_types import AREA_TYPES, as_area_types
from ...build_warning import BuildWarning
from ...checked_fields import point, sequence
from ...errors import BadInput, NothingWalkable
from ...geometry.tile_grid import TileGrid, tile_at
from ...geometry.tile_key import TileKey, row_by_row
from ...level_source import AreaTypes, LevelSource, Links, NavmeshEdits, Seeds, Volumes
from ...report import Report
from ...result.navmesh import NavMesh, TakenOver, Tile
from ...scene import Link, Volume, as_links, as_volumes
from ...settings import Settings
from ...types import F32, ArrayLike, Geometry
from ...wide_links import LinkEdits
from ..build_level import build_navmesh, check_tiles, running_with_store
from ..checked_input import (
    NO_EDITS,
    CheckedLevel,
    check_kinds,
    checked_bounds,
    checked_edits,
    given_edits,
    given_source,
)
from ..door_ground import as_said, tell_doors
from ..dropped_islands import without_dropped
from ..edit_marks import tell_edits
from ..failure_files import Case
from ..found_links import LinkSources, with_links
from ..level_spans import LevelSpans
from ..local_resolution import unused_resolutions
from ..odd_input import InputLook, middle_of, without_flags
from ..running_build import RunningBuild, Watch
from ..tile_store import TileStore
from ..tiles.build_tiles import build_tiles
from .dirty_tiles import DirtyTiles
from .part import NO_BOX, NOTHING, Part, joined, part_of, part_warning, staying

# --- What was built of a level that changes: its tiles, and what the report says of each.


class KeptTile(NamedTuple):
    """One tile, or why there is none."""

    tile: Tile | None
    counts: dict[str, int]
    warnings: tuple[BuildWarning, ...]
    nothing: NothingWalkable | None = None
    edits: Mapping[str, int] = {}  # how many cells each edit has marked there, by its key


class BuiltTiles:
    """Tiles by their places. Sums over all of them are kept up to date, so that they cost nothing."""

    def __init__(self) -> None:
        self._kept: dict[TileKey, KeptTile] = {}
        self._counts: Counter[str] = Counter()
        self.edit_cells: Counter[str] = Counter()
        self._seconds: dict[tuple[int, int], float] = {}
        self._fits: tuple[int, int, np.float32] | None = None  # what all tiles fit: columns, rows and the top

    def put(self, place: TileKey, kept: KeptTile) -> None:
        """Instead of what was there."""
        self.drop(place)
        self._kept[place] = kept
        self._counts.update(kept.counts)
        self.edit_cells.update(kept.edits)

    def drop(self, place: TileKey) -> None:
        """Forget what was there, if anything was."""
        before = self._kept.pop(place, None)
        if before is not None:
            self._counts.subtract(before.counts)
            self.edit_cells.subtract(before.edits)

    def fit(self, grid: TileGrid, top: np.float32) -> None:
        """The level may have grown or shrunk at its far ends: tiles beyond are gone, and it is as high as `top`.

        Tiles that are put afterwards have to be built for this grid and top. Where both stay nothing is looked at.
        """
        wanted = grid.columns, grid.rows, top
        if wanted == self._fits:
            return
        for place, kept in list(self._kept.items()):
            if place.x >= grid.columns or place.y >= grid.rows:
                self.drop(place)
            elif kept.tile is not None and kept.tile.polygon_mesh.grid.bounds_max[1] != top:
                self._kept[place] = kept._replace(tile=_raised(kept.tile, top))
        self._fits = wanted

    def tiles(self) -> tuple[Tile, ...]:
        """Those that hold polygons, row by row."""
        found = [kept.tile for kept in self._kept.values() if kept.tile is not None]
        return tuple(sorted(found, key=lambda tile: (tile.y, tile.x)))

    def why_nothing(self) -> NothingWalkable:
        """Why no tile holds a polygon: the reason of the first one that has any."""
        rows = sorted(self._kept.items(), key=lambda item: row_by_row(item[0]))
        reasons: Iterable[NothingWalkable] = (kept.nothing for _, kept in rows if kept.nothing is not None)
        return next(iter(reasons), NothingWalkable("No triangle lies within the bounds. Check the bounds."))

    def tell(self, report: Report, of_level: Sequence[BuildWarning]) -> None:
        """Put the sums and the warnings of all tiles into a report, in place of what it has of some."""
        self._seconds.update(report.tile_seconds)
        places = [key.place for key in self._kept]
        report.tile_seconds = {place: self._seconds[place] for place in places if place in self._seconds}
        report.counts = {name: count for name, count in self._counts.items() if self._counts["tiles"]}
        told = sorted(
            (kept.tile.y, kept.tile.x, kept.warnings) for kept in self._kept.values() if kept.tile and kept.warnings
        )
        report.warnings, report.notes = list(of_level), []
        report.take(warning for _, _, warnings in told for warning in warnings)


def _raised(tile: Tile, top: np.float32) -> Tile:
    grid = tile.polygon_mesh.grid
    high = grid.bounds_max.copy()
    high[1] = top
    return tile._replace(polygon_mesh=tile.polygon_mesh._replace(grid=grid._replace(bounds_max=high)))


OnPlace = Callable[[tuple[int, int], Tile | None], object]


class Level:
    """Parts that come, go and move, and the navmesh of all of them.

    `update` gives what `build_navmesh` would make of all parts one after the other, byte for byte, in the order in
    which their names first came; with `Settings(tile_size=…)` it builds only the tiles that something changed for.
    `bounds` keeps the grid where it is when parts come or move beyond the others (else the lowest corner of all parts
    is its origin, as in `build_navmesh`, and all is built again where that moves). `seeds` leave out what they don't
    reach, as `prune_navmesh` does. All but the parts are attributes: set them anew, and the next update follows.
    `store` is a folder of tiles that outlives the process. Parts may be set by one thread while another updates.
    Copies and pickles are levels of their own, with the tiles that are built; make none while another thread updates.
    """

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        bounds: Sequence[float] | None = None,
        volumes: Volumes = (),
        links: Links = (),
        link_edits: LinkEdits | None = None,
        edits: NavmeshEdits | None = None,
        seeds: Seeds | None = None,
        sizes: GivenSizes = (),
        area_types: AreaTypes = AREA_TYPES,
        store: Path | None = None,
    ) -> None:
        check_kinds(settings=settings, store=store)
        self.settings = settings or Settings()
        self.bounds, self.volumes, self.links, self.seeds = bounds, volumes, links, seeds
        self.area_types, self.store, self.edits = area_types, store, given_edits(edits, link_edits)
        self.sizes = as_sizes(sizes)
        self._keep_lists()
        self.rebuilt: tuple[tuple[int, int], ...] = ()  # (x, y) of the tiles that the last update built
        self._parts: dict[str, Part] = {}
        self._changed: set[str] = set()  # names of parts that no update has seen
        self._in_use = Lock()  # the two above
        self._next_number = 0
        self._seen = DirtyTiles()
        self._tiles = BuiltTiles()
        self._links = _KnownLinks()
        self._told: tuple[BuildWarning, ...] = ()  # what was odd about the level when all of it was built

    def __getstate__(self) -> dict[str, Any]:
        with self._in_use:
            state = {**self.__dict__, "_parts": dict(self._parts), "_changed": set(self._changed)}
        del state["_in_use"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _in_use=Lock())

    __copy__ = copy.deepcopy  # a flat copy would share what each changes in place

    @property
    def link_edits(self) -> LinkEdits | None:
        """Where links are found: which are rejected, pinned or moved."""
        return given_edits(self.edits, None).links

    @link_edits.setter
    def link_edits(self, edits: LinkEdits | None) -> None:
        self.edits = replace(given_edits(self.edits, None), links=edits)

    def follow(self, source: LevelSource) -> None:
        """Take over all that is said of a level beside its triangles, which are those of the parts."""
        self.bounds, self.volumes, self.links = source.bounds, tuple(source.volumes), tuple(source.links)
        self.area_types = AREA_TYPES if source.area_types is None else as_area_types(source.area_types)
        self.edits, self.sizes = source.edits or NO_EDITS, as_sizes(source.sizes)

    def _keep_lists(self) -> None:
        """What was given as lists is one from now on, however often it is asked. Raises BadInput for what is none."""
        self.volumes, self.links = tuple(sequence("volumes", self.volumes)), tuple(sequence("links", self.links))
        self.sizes, self.edits = as_sizes(self.sizes), given_edits(self.edits, None)
        self.seeds = None if self.seeds is None else tuple(sequence("seeds", self.seeds))
        types = self._source().area_types
        self.area_types = AREA_TYPES if types is None else as_area_types(types)

    def _source(self, geometry: Geometry = NOTHING) -> LevelSource:
        """All that is said of the level beside its parts, and these triangles."""
        vertices, triangles, areas = geometry
        source = LevelSource(
            vertices, triangles, areas if len(areas) else None, self.volumes, self.links, self.bounds,
            area_types=self.area_types, edits=self.edits, sizes=self.sizes,
        )  # fmt: skip
        return given_source(source, None)

    def set_part(
        self,
        name: str,
        vertices: ArrayLike,
        triangles: ArrayLike,
        matrix: ArrayLike | None = None,
        areas: ArrayLike | None = None,
    ) -> None:
        """Add a part, or put other triangles in its place.

        `vertices` (V, 3), `triangles` (T, 3) and `areas` (T,) are those of `build_navmesh`; `matrix` 4 × 4, with which
        vertices are multiplied from the left (in float64, rounded once; what it mirrors is turned around). Raises
        BadInput, and leaves the part as it was.
        """
        part = part_of(name, vertices, triangles, matrix, areas)
        with self._in_use:
            before = self._parts.get(name)
            part.number = part.arrival = self._next_number
            if before is not None:
                part.number, part.arrival = before.number, before.arrival
            self._next_number += before is None
            self._parts[name] = part
            self._changed.add(name)

    def remove_part(self, name: str) -> None:
        """Leave a part out. Raises BadInput where there is none of that name."""
        with self._in_use:
            if name not in self._parts:
                raise _no_part(name)
            del self._parts[name]
            self._changed.add(name)

    def arrange(self, names: Iterable[str]) -> None:
        """Build from the parts in this order; those that are not named follow, in the order that they have.

        It is said of all parts and costs little: tiles are built again where a part went before or behind others.
        Raises BadInput where there is no part of a name.
        """
        with self._in_use:
            wanted = list(dict.fromkeys(names))
            missing = next((name for name in wanted if name not in self._parts), None)
            if missing is not None:
                raise _no_part(missing)
            order = [*wanted, *sorted(self._parts.keys() - set(wanted), key=lambda name: self._parts[name].number)]
            numbers = [self._parts[name].number for name in order]
            if numbers == sorted(numbers):
                return
            stay = staying(numbers)
            for position, name in enumerate(order):
                part = self._parts[name]
                if position not in stay:
                    flat = part.is_flat
                    part = self._parts[name] = Part(part.geometry)
                    part.is_flat = flat
                    part.arrival, self._next_number = self._next_number, self._next_number + 1
                    self._changed.add(name)
                part.number = position
            self._parts = {name: self._parts[name] for name in order}
            self._next_number = max(self._next_number, len(order))

    @property
    def parts(self) -> tuple[str, ...]:
        """Their names, in the order in which their triangles are built from."""
        with self._in_use:
            return tuple(self._parts)

    @property
    def missing(self) -> int:
        """How many tiles the update that runs has yet to build, or that was cancelled did not."""
        return len(self._seen.dirty)

    @property
    def box(self) -> tuple[F32, F32]:
        """Lowest and highest corner of all parts; inside out where there is nothing."""
        with self._in_use:
            boxes = np.array([NO_BOX, *(part.box for part in self._parts.values())])
        return boxes[:, :3].min(axis=0), boxes[:, 3:].max(axis=0)

    def geometry(self) -> Geometry:
        """The triangles of all parts, one part after the other, as `build_navmesh` would get them."""
        with self._in_use:
            parts = sorted(self._parts.values(), key=lambda part: part.number)
        return joined([part.geometry for part in parts])

    def update(
        self,
        *,
        threads: int | None = None,
        progress: Watch = None,
        near: Sequence[float] | None = None,
        on_tile: OnPlace | None = None,
    ) -> NavMesh:
        """The navmesh of what the level is now.

        Tiles nearest to the point `near` are built first; `on_tile` is called with the place of each tile as soon as it
        is there, and with the tile (None where nothing is left of it). A build that is cancelled or fails has lost
        nothing: the next update goes on with the tiles that are missing. What is odd about the level is looked at where
        all of it is built, and told until that place is built anew. Raises `NavmeshError`.
        """
        self.settings = Settings() if self.settings is None else self.settings
        check_kinds(settings=self.settings, threads=threads, progress=progress, on_tile=on_tile, store=self.store)
        self._keep_lists()
        near = None if near is None else point("near", near)
        volumes: list[Volume] = [*as_volumes(self.volumes), *checked_edits(self.edits).marks()]
        links, sizes = tuple(as_links(self.links)), self.sizes
        if self.settings.tile_size == 0:
            navmesh = self._whole(threads, progress)
        else:
            with running_with_store(self.settings, threads, progress, None, self.store, sizes=sizes) as (build, store):
                build.know(CheckedLevel(NOTHING, volumes, links, area_types=self.area_types, edits=self.edits))
                self._look(volumes, build)
                self.rebuilt = tuple(key.place for key in self._build_dirty(build, store, near, on_tile))
                navmesh = self._finished(links, build)
        if self.seeds is None:
            return navmesh
        from ...detour.queries.prune import prune_navmesh  # here, so that only those with seeds wait for it

        return prune_navmesh(navmesh, self.seeds)

    def _whole(self, threads: int | None, watch: Watch) -> NavMesh:
        """In one piece everything is built, whatever changed."""
        with self._in_use:
            self._changed.update(self._parts)  # for updates in tiles that may follow
        self._seen, self._tiles, self._links, self.rebuilt = DirtyTiles(), BuiltTiles(), _KnownLinks(), ((0, 0),)
        navmesh = build_navmesh(self._source(self.geometry()), settings=self.settings, threads=threads, progress=watch)
        navmesh.report.warnings[:0] = self._flat_parts()
        return navmesh

    def _flat_parts(self) -> list[BuildWarning]:
        """A warning for each part whose matrix leaves it no volume."""
        with self._in_use:
            return [part_warning(name, part) for name, part in self._parts.items() if part.is_flat]

    def _look(self, volumes: list[Volume], build: RunningBuild) -> None:
        """See what has changed since the last update."""
        with self._in_use:
            changed = {name: self._parts.get(name) for name in self._changed}
            self._changed = set()
        try:
            begins_again = self._seen.follow(changed, volumes, checked_bounds(self.bounds), build)
        except BaseException:  # nothing of it is seen yet
            with self._in_use:
                self._changed |= changed.keys()
            build.look = InputLook(
                CheckedLevel(self.geometry(), volumes, bounds=checked_bounds(self.bounds)), build.settings
            )
            raise
        if self._told:  # of volumes that are gone, or elsewhere, on no tile that is built again
            there = {middle_of(volume) for volume in volumes}
            self._told = tuple(one for one in self._told if one.code != "VOLUME_UNUSED" or one.place in there)
        if begins_again:
            self._tiles, self._links = BuiltTiles(), _KnownLinks()
        build.spans = self._links.wanted_spans(build.recipe.keeps_solid, self._seen.grid.size)
        self._tiles.fit(self._seen.grid, self._seen.top(build))

    def _build_dirty(
        self, build: RunningBuild, store: TileStore | None, near: Sequence[float] | None, on_tile: OnPlace | None
    ) -> list[TileKey]:
        """Build the tiles that something changed for; returns where they are, row by row."""
        seen, grid = self._seen, self._seen.grid
        if not seen.dirty:
            return []
        level = CheckedLevel(
            seen.geometry_around(seen.dirty, build.workers), seen.volumes, bounds=checked_bounds(self.bounds),
            sizes=build.sizes,
        )  # fmt: skip
        if seen.all_dirty:
            level = build.looked_at(level)
            build.report.warnings += unused_resolutions(grid, seen.volumes)
            self._told = tuple(build.report.warnings)
        else:  # a look would cost as much as what changed
            level = build.marked(level)
            self._told = tuple(told for told in self._told if tile_at(grid, told.place) not in seen.dirty)
        build.case = Case(level.geometry, build.settings, level.volumes, (grid.bounds_min, grid.bounds_max))
        if seen.all_dirty:
            check_tiles(grid, level, build, True)
        places = sorted(seen.dirty, key=_nearest_first(grid, near))
        self._links.forget(places)
        for place, kept in _each(places, build_tiles(places, grid, level, build, None, None, store), build):
            self._tiles.put(place, kept)
            seen.dirty.discard(place)
            if on_tile is not None:
                on_tile(place.place, kept.tile)
        return sorted(places, key=row_by_row)

    def _finished(self, links: tuple[Link, ...], build: RunningBuild) -> NavMesh:
        tiles = as_said(self._tiles.tiles(), self._seen.volumes)
        if not tiles:
            raise self._tiles.why_nothing()
        flags = without_flags(links, self.area_types, build.settings)
        self._tiles.tell(build.report, [*self._flat_parts(), *flags, *self._told])
        tell_edits(build.report, self._seen.volumes, self._tiles.edit_cells, self._seen.grid)
        tell_doors(build.report, tiles, self._seen.volumes)
        known = self._links
        navmesh = NavMesh(
            build.settings, tiles, self._seen.grid, links, build.report, self.area_types,
            found_rows=known.rows, known_ends=known.ends, sizes=build.sizes,
        )  # fmt: skip
        sources = LinkSources(
            partial(self._seen.geometry_around, workers=build.workers), self.edits, known.touched, True
        )
        navmesh = with_links(navmesh, sources, build)
        known.rows, known.ends, known.touched = navmesh.found_rows, navmesh.known_ends, set()
        return build.finished(without_dropped(navmesh, checked_edits(self.edits), build))


class _KnownLinks:
    """What links were found from, and is left of that."""

    def __init__(self) -> None:
        self.spans: LevelSpans | None = None
        self.rows: TakenOver | None = None  # what the last navmesh had
        self.ends: tuple[TakenOver, TakenOver] | None = None
        self.touched: set[TileKey] = set()  # tiles that were built since

    def wanted_spans(self, wanted: bool, side: int) -> LevelSpans | None:
        """Where spans are kept, if they are wanted; else all that was found is dropped."""
        if not wanted:
            self.spans, self.rows = None, None
        elif self.spans is None:
            self.spans = LevelSpans(side)
        return self.spans

    def forget(self, places: Iterable[TileKey]) -> None:
        """These tiles are built anew."""
        self.touched.update(places)
        if self.spans is not None:
            self.spans.drop(places)


def _no_part(name: str) -> BadInput:
    return BadInput(f"The level has no part “{name}”. Parts come with set_part.", "NO_PART")


def _nearest_first(grid: TileGrid, near: Sequence[float] | None) -> Callable[[TileKey], Any]:
    """Sorts places: row by row, or those nearest to a point first."""
    if near is None:
        return row_by_row
    side = grid.size * float(grid.cell_size)
    x, y = ((near[axis] - float(grid.bounds_min[axis])) / side - 0.5 for axis in (0, 2))
    return lambda place: ((place.x - x) ** 2 + (place.y - y) ** 2, *row_by_row(place))


def _each(places: Sequence[TileKey], tiles: Iterator[Tile], build: RunningBuild) -> Iterator[tuple[TileKey, KeptTile]]:
    """Every place with what came of it, as soon as that is known; `tiles` leaves out those where nothing is left."""
    report, left = build.report, iter(places)
    before, told = dict(report.counts), (len(report.warnings), len(report.notes))
    marked = dict(build.edit_cells)
    for tile in tiles:
        for place in left:
            if place == tile.key:
                break
            yield place, KeptTile(None, {}, (), build.nothing, build.emptied.get(place, {}))
        counts = {name: count - before.get(name, 0) for name, count in report.counts.items()}
        edits = {key: count - marked.get(key, 0) for key, count in build.edit_cells.items()}
        warnings = (*report.warnings[told[0] :], *report.notes[told[1] :])
        yield tile.key, KeptTile(tile, counts, warnings, None, {key: count for key, count in edits.items() if count})
        marked = dict(build.edit_cells)
        before, told = dict(report.counts), (len(report.warnings), len(report.notes))
    for place in left:
        yield place, KeptTile(None, {}, (), build.nothing, build.emptied.get(place, {}))
