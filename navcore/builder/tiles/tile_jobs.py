"""One tile: what it needs, what its level has in common, and how it is built."""

from __future__ import annotations

import pickle
import socket
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

from ...errors import Cancelled, NavmeshError, NothingWalkable, TooLarge
from ...geometry.level_parts import LevelParts
from ...geometry.tile_grid import Selection, TileGrid, chosen_triangles, grid_of_tile, select_triangles
from ...geometry.tile_key import TileKey, rectangle_around
from ...geometry.tile_spans import TileSpans
from ...memory import kept_memory
from ...progress import Progress
from ...scene import Volume
from ...threads import Workers
from ...types import I32, U8, Geometry
from ...version import FOLDER, code_fingerprint
from ..checked_input import CheckedLevel
from ..pipeline import Piece, build_piece
from ..recipe import Recipe, of_tiles
from ..running_build import RunningBuild

# --- Jobs on their way to machines that may have another version of this package, or none: opened there.
#
# What comes back is packed as well: in one piece, where a cluster would otherwise count hundreds of small arrays.
#
# A message that names a function of a package which the receiver does not have can end the receiver: Dask's workers and
# scheduler unpack messages before they look at them. So a job travels as bytes, and the task that is sent is Python's
# own `pickle.loads`, whose errors are the task's.


def opened_there(work: Callable[..., Any], *args: Any, **kwargs: Any) -> tuple[Callable[[bytes], Any], bytes]:
    """A function and its argument that do `work(*args, **kwargs)` where they are called, if the version is the same.

    What they return is for `unpacked`.
    """
    return pickle.loads, pickle.dumps(_Parcel(pickle.dumps((work, args, kwargs))))


class _Parcel:
    """Unpacking it does what it holds."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[str, bytes]]:
        return opened, (code_fingerprint(), self._content)


def opened(expected: str, content: bytes) -> bytes:
    """Do what a parcel holds, after a look at where it came from: another version may not understand it.

    What comes of it is packed again.
    """
    if code_fingerprint() != expected:
        raise NavmeshError(
            f"The worker on {socket.gethostname()} has another version of navcore, in {FOLDER}. Install the same one "
            "on all machines and start the workers again.",
            "WORKER_VERSION",
        )
    with kept_memory():
        work, args, kwargs = pickle.loads(content)
        return pickle.dumps(work(*args, **kwargs))


def unpacked(result: bytes) -> Any:
    """What the work of a parcel has come to."""
    return pickle.loads(result)


def not_opened(reason: BaseException | None) -> NavmeshError | None:
    """The sentence for a job that no worker could open, or None for any other reason."""
    if not isinstance(reason, ImportError):
        return None
    return NavmeshError(
        f"A worker cannot load navcore ({reason}). Install the same version of navcore, with NumPy and Numba, on every "
        "machine of the cluster, or start its workers with PYTHONPATH set to the folder that navcore lies in.",
        "WORKER_WITHOUT_NAVCORE",
    )


class SharedInput(NamedTuple):
    """What the tiles of a level have in common, wherever they are built."""

    tile_grid: TileGrid
    geometry: Geometry
    recipe: Recipe
    volumes: Sequence[Volume]
    cancelled: U8  # the cancel flag, shared between threads
    keep_stages: bool
    scaled: tuple[tuple[float, Recipe], ...] = ()  # of tiles that have other cells

    def recipe_of(self, key: TileKey) -> Recipe:
        """What the tile is built by."""
        return dict(self.scaled).get(self.tile_grid.scale_of(key), self.recipe)


class BuiltTile(NamedTuple):
    """What comes back."""

    key: TileKey
    piece: Piece | None
    nothing: NothingWalkable | None  # why there is no piece
    seconds: dict[str, float]
    stages: dict[str, Any]
    spans: TileSpans | None = None  # where they are kept


def build_tile(key: TileKey, chosen: I32, shared: SharedInput) -> BuiltTile:
    """Build one tile out of the triangles it sees, on whatever thread or machine this is called."""
    progress = Progress(cancelled=shared.cancelled)
    stages: dict[str, Any] = {}
    keep = stages.__setitem__ if shared.keep_stages else None
    spans: list[TileSpans] = []
    recipe = shared.recipe_of(key)
    keep_spans = spans.append if recipe.keeps_solid else None
    piece, nothing = None, None
    grid, geometry = grid_of_tile(shared.tile_grid, key), chosen_triangles(shared.geometry, chosen)
    with Workers(1, progress) as workers:
        try:
            piece = build_piece(grid, geometry, recipe, shared.volumes, workers, keep, keep_spans)
        except NothingWalkable as reason:
            nothing = reason.with_traceback(None)  # whose frames hold the arrays of the tile
        except Cancelled:
            raise
        except NavmeshError as reason:
            raise type(reason)(f"Tile {key}: {reason}", reason.code) from None
        except MemoryError:
            raise TooLarge(
                f"Tile {key}: there is not enough memory to build it. Lower Tile Size, raise Cell Size, "
                "or build fewer tiles at a time.",
                "OUT_OF_MEMORY",
            ) from None
        except Exception as reason:  # whatever else it is, where it happened is said
            raise NavmeshError(
                f"Tile {key} could not be built: {type(reason).__name__} ({reason}). This is a fault of "
                "Navmesh: please report it, with the level if you can.",
                "TILE_FAILED",
            ) from reason
    return BuiltTile(key, piece, nothing, progress.seconds, stages, spans[0] if spans else None)


class LevelJobs:
    """The tiles of one build: which places have any, which triangles each sees, and what all have in common."""

    def __init__(
        self,
        places: Sequence[TileKey],
        tile_grid: TileGrid,
        level: CheckedLevel,
        build: RunningBuild,
        keep_stages: bool,
    ) -> None:
        self.tile_grid, self.level, self.progress = tile_grid, level, build.progress
        self._all_places, self._workers = places, build.workers
        first = TileKey(0, 0)
        scaled = [
            (some.scale, of_tiles(build.recipe_at(some.scale), grid_of_tile(tile_grid.all_as(some), first)))
            for some in tile_grid.scaled
        ]
        self.shared = SharedInput(
            tile_grid, level.geometry, of_tiles(build.recipe, grid_of_tile(tile_grid.plain, first)), level.volumes,
            build.progress.cancelled, keep_stages, tuple(scaled),
        )  # fmt: skip

    @cached_property
    def selection(self) -> Selection:
        """Which triangles each place sees; found out where it is asked."""
        return triangles_around(self._all_places, self.tile_grid, self.level.geometry, self._workers)

    @cached_property
    def parts(self) -> LevelParts:
        """Where the triangles of batches that are sent away are cut out; made where it is asked."""
        return LevelParts(self.level.geometry)

    @property
    def places(self) -> list[TileKey]:
        """Those that any triangle touches."""
        return [place for place in self._all_places if len(self.selection.of(place))]

    def build(self, place: TileKey) -> BuiltTile:
        """The tile of one place, built here and now."""
        return build_tile(place, self.selection.of(place), self.shared)


def triangles_around(places: Sequence[TileKey], tile_grid: TileGrid, geometry: Geometry, workers: Workers) -> Selection:
    """The triangles of the rectangle around the places."""
    corner, opposite = rectangle_around(places)
    return select_triangles(tile_grid, geometry.vertices, geometry.triangles, corner, opposite, workers)
