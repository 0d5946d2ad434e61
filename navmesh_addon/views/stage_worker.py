"""Pictures of stages are made on a thread of their own. Nothing here may touch bpy.

There is one thread while somebody wishes for a picture. The newest wish counts: what is made for an older one is
cancelled. Stages to look at are those that a build kept, or they are built again, tile by tile, within a budget of
memory.
"""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from ...navcore.errors import Cancelled, NavmeshError
from ...navcore.geometry.tile_key import TileKey, keys_of_rectangle, row_by_row
from ..background import Job

if TYPE_CHECKING:
    from ...navcore.build_warning import Point
    from ...navcore.progress import Progress
    from ...navcore.views.picture import Picture, Shown, ViewedPiece
    from ..builds.request_and_result import BuiltNavmesh

MOST_CELLS = 6_000_000  # columns whose stages are looked at together: a second or two of building
_REST = "Of {} tiles the {} nearest to the middle of the view are shown: move the view to see others."
_WHOLE = TileKey(-1, -1)  # of a level in one piece


class Wish(NamedTuple):
    """What somebody wants to see."""

    build: str
    view: str
    lowest: float = -math.inf  # metres
    highest: float = math.inf
    level: float = 1.0
    variant: str = ""
    places: tuple[TileKey, ...] | None = None  # None: all there is


class Made(NamedTuple):
    """What came of a wish."""

    wish: Wish
    picture: Picture | None
    pieces: tuple[ViewedPiece, ...] = ()  # what values are looked up in
    error: str = ""
    is_fault: bool = False  # of ours


class StageCache:
    """What was built again, by build and tile. What was not asked for the longest time goes first."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, TileKey], tuple[Any, int]] = OrderedDict()

    @property
    def bytes(self) -> int:
        """What it holds."""
        return sum(size for _, size in self._kept.values())

    def stages(
        self, build: str, built: BuiltNavmesh, places: Sequence[TileKey] | None, budget: int, progress: Progress
    ) -> dict[str, Any]:
        """As NavMesh.stages has them, of the tiles at `places` (None: of all there is). Raises NavmeshError.

        More than the budget is kept only while it is what was asked for last.
        """
        kept = dict(built.navmesh.stages)
        if kept and (places is None or built.navmesh.tile_grid is None):
            return kept
        if kept:
            names = [place.stages_name for place in places or ()]
            return {name: kept[name] for name in names if name in kept}
        wanted = [_WHOLE] if places is None or built.navmesh.tile_grid is None else list(places)
        missing = [place for place in wanted if (build, place) not in self._kept]
        if missing:
            from ...navcore.builder.rebuilt_stages import rebuilt_stages

            tiles = None if missing == [_WHOLE] else missing
            self._put(
                build, missing, rebuilt_stages(built.navmesh, built.request.level, tiles=tiles, progress=progress)
            )
        found: dict[str, Any] = {}
        for place in wanted:
            self._kept.move_to_end((build, place))
            stages = self._kept[build, place][0]
            found.update(stages if place == _WHOLE else {place.stages_name: stages} if stages else {})
        asked = {(build, place) for place in wanted}
        while self.bytes > budget and next(iter(self._kept)) not in asked:
            self._kept.popitem(last=False)
        return found

    def _put(self, build: str, places: Sequence[TileKey], stages: dict[str, Any]) -> None:
        from ...navcore.builder.rebuilt_stages import bytes_of

        for place in places:
            of_place = stages if place == _WHOLE else stages.get(place.stages_name, {})
            self._kept[build, place] = of_place, bytes_of(of_place)


class StageWorker:
    """Makes what was wished for last. The main thread calls its methods."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._job: Job[None] | None = None
        self._next: tuple[Wish, BuiltNavmesh, int] | None = None
        self._now: tuple[Wish, Progress] | None = None
        self._made: Made | None = None
        self.cache = StageCache()

    @property
    def busy(self) -> bool:
        """Whether something is being made, or is there to be taken."""
        with self._lock:
            return self._job is not None or self._made is not None

    def ask(self, wish: Wish, built: BuiltNavmesh, budget: int) -> None:
        """From now on only this is wanted; `budget` are bytes for stages that are built again."""
        with self._lock:
            if self._now is not None:
                if self._now[0] == wish:
                    self._next = None
                    return
                self._now[1].cancel()
            self._next, self._made = (wish, built, budget), None
            if self._job is None:
                self._job = Job[None]("navmesh-view", lambda _: self._run()).start()

    def take(self) -> Made | None:
        """What was made, once."""
        with self._lock:
            made, self._made = self._made, None
            return made

    def forget(self) -> None:
        """Nothing is wanted any more, nor will be of these builds; returns at once."""
        with self._lock:
            self._next = self._made = None
            if self._now is not None:
                self._now[1].cancel()
            self.cache = StageCache()  # the thread may still write into the last one, which ends with it

    def stop(self, seconds: float = 20.0) -> bool:
        """Forget, and wait for the thread. Returns whether none is left."""
        self.forget()
        job = self._job
        return job is None or job.wait(seconds)

    def _run(self) -> None:
        from ...navcore.progress import Progress  # here: enabling does not wait for NumPy

        while True:
            with self._lock:
                if self._next is None:
                    self._job = self._now = None
                    return
                (wish, built, budget), self._next = self._next, None
                progress, cache = Progress(), self.cache
                self._now = wish, progress
            made = make(wish, built, cache, budget, progress)
            with self._lock:
                self._now = None
                if made is not None and not progress.cancelled[0]:
                    self._made = made


def make(wish: Wish, built: BuiltNavmesh, cache: StageCache, budget: int, progress: Progress) -> Made | None:
    """The picture of a wish, or why there is none; None where it was cancelled."""
    try:
        return _made(wish, built, cache, budget, progress)
    except Cancelled:
        return None
    except NavmeshError as reason:
        return Made(wish, None, error=str(reason))
    except Exception as reason:  # noqa: BLE001 - an error that ends a thread would be seen by nobody
        return Made(wish, None, error=f"This view failed: {type(reason).__name__} ({reason}).", is_fault=True)


def _made(wish: Wish, built: BuiltNavmesh, cache: StageCache, budget: int, progress: Progress) -> Made:
    from ...navcore.views.catalog import VIEWS, draw_pieces, pieces_of
    from ...navcore.views.picture import joined

    view, navmesh, level = VIEWS[wish.view], built.navmesh, built.request.gathered
    notes: tuple[str, ...] = ()
    if view.needs:
        navmesh = replace(navmesh, stages=cache.stages(wish.build, built, wish.places, budget, progress))
        grid = navmesh.tile_grid
        tiles = 1 if grid is None else grid.columns * grid.rows
        if wish.places is not None and 1 < len(wish.places) < tiles:
            notes = (_REST.format(f"{tiles:,}", f"{len(wish.places):,}"),)
    progress.check()
    pieces = tuple(pieces_of(navmesh, view, (level.vertices, level.triangles)))
    progress.check()
    picture = joined(draw_pieces(view, pieces, shown_of(wish)))
    return Made(wish, picture._replace(notes=(*picture.notes, *notes)), pieces)


def shown_of(wish: Wish) -> Shown:
    """A wish as navcore's views take it."""
    from ...navcore.views.picture import Shown

    return Shown(wish.lowest, wish.highest, wish.level, variant=wish.variant)


def places_near(built: BuiltNavmesh, middle: tuple[float, float], one: bool) -> tuple[TileKey, ...] | None:
    """The tiles to look at: the one at a place (x and z, metres), or the nearest ones, as many as stages fit; None for
    all of them."""
    grid = built.navmesh.tile_grid
    if grid is None:
        return None
    most = 1 if one else max(1, MOST_CELLS // (grid.size + 2 * grid.border) ** 2)
    if most >= grid.columns * grid.rows:
        return None if built.navmesh.stages else tuple(keys_of_rectangle(range(grid.columns), range(grid.rows)))
    side = float(grid.size * grid.cell_size)
    center = tuple(
        min(max(math.floor((middle[k] - float(grid.bounds_min[2 * k])) / side), 0), count - 1)
        for k, count in enumerate((grid.columns, grid.rows))
    )
    reach = math.isqrt(most) + 1
    columns, rows = (
        range(max(0, middle - reach), min(count, middle + reach + 1))
        for middle, count in zip(center, (grid.columns, grid.rows), strict=True)
    )
    near = sorted(keys_of_rectangle(columns, rows), key=lambda key: (math.dist(key.place, center), *row_by_row(key)))
    return tuple(sorted(near[:most], key=row_by_row))


def value_at(made: Made, point: Point) -> str:
    """What a view says of a place, in one line."""
    from ...navcore.views.catalog import VIEWS

    view, grid = VIEWS[made.wish.view], made.pieces[0].navmesh.tile_grid if made.pieces else None
    for piece in made.pieces:
        if piece.tile is not None and grid is not None:
            side = float(grid.size * grid.cell_size)
            here = tuple(math.floor((point[2 * k] - float(grid.bounds_min[2 * k])) / side) for k in (0, 1))
            if here != piece.tile.place:
                continue
        return view.value_at(piece, shown_of(made.wish), point)
    return ""
