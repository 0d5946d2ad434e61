"""The kernels of a usual build, in pieces that several processes can compile ahead side by side.

First come the kernels that go through every column. What comes after them works on so much less that plain Python can
stand in for them on a small level until they, too, are compiled (kernels/plain_python.py). Last come those that only
some levels ask for: nobody waits for them, and no build shall have to compile them in its middle.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from ..builder import sample_stages
from ..builder.build_level import build_navmesh
from ..builder.checked_input import checked_bounds
from ..settings import Settings
from ..threads import Workers
from ..types import F32
from . import sample_levels

FIRST = 3  # of the pieces: those that take Python too long
LAST = 4  # of the pieces: those that only some levels ask for. They need the others, so they come when these are done
_FEW = 1 << 17  # columns: a third more than an artist's first level has
_MANY_TILES = 1 << 20  # columns: their tiles take a second more where each stage is called by itself
_LARGE = 600  # cells along a side: in a level of so many every stage shares its work among threads
OF_GROUND = 15  # kernels that a small level needs until all columns are gone through, give or take some
_OF_SMALL_LEVEL, _OF_LARGE_LEVEL = 34, 50  # kernels that building, measuring and writing call, give or take some


def pieces(threads: int | None = None) -> list[Callable[[], object]]:
    """What calls the kernels of a few stages each: the FIRST for all columns, then the longest to compile first."""
    flat = sample_stages.flat_ground()

    def run(stages: Callable[[sample_stages.FlatGround, Workers], object]) -> Callable[[], object]:
        def piece() -> None:
            with Workers(threads) as workers:
                stages(flat, workers)

        return piece

    apart = sample_stages
    first = (apart.open_ground, apart.rasterize, apart.measure_distance)
    rest = (
        apart.make_detail, apart.divide, apart.make_polygons, apart.check_meshes, apart.outline, apart.check_input,
        apart.look_at_input,
    )  # fmt: skip
    last = (_build_small_and_large, _mend, _mark_and_join_holes, _attach_links)
    assert len(last) == LAST
    return [*map(run, (*first, *rest, _measure_room)), *(partial(piece, threads) for piece in last)]


def _measure_room(_flat: sample_stages.FlatGround, workers: Workers) -> None:
    """How wide agents may be on each polygon: Blender writes it on every navmesh."""
    # Here: who builds elsewhere needs none of it.
    from ..clearance.plain_clearances import PlainGround, plain_clearances

    square = np.array([[0, 0, 0], [0, 0, 9], [9, 0, 9], [9, 0, 0]], np.float32)
    corners, walls = np.arange(4, dtype=np.int32), np.full(4, -1, np.int32)
    plain_clearances(PlainGround(square, np.array([0, 4], np.int32), corners, walls), 0.6, 0.3, workers.count)


def _build_small_and_large(threads: int | None) -> None:
    """Levels of other sizes than those of the first pieces, whose stages go other ways."""
    level = sample_levels.level()
    build_navmesh(*level, threads=threads)
    cell_size = sample_levels.SIDE / _LARGE
    large = Settings(cell_size=cell_size, agent_radius=3 * cell_size)
    build_navmesh(*level, large, threads=threads)
    build_navmesh(*level, large, threads=threads, keep_stages=True)  # one stage after the other
    with Workers(threads) as workers:
        sample_stages.make_many_polygons(sample_stages.flat_ground(), workers)


def _mend(threads: int | None) -> None:
    """A level that comes out broken: each step of mending."""
    navmesh = build_navmesh(*sample_levels.spiral(), threads=threads, keep_stages=True)
    with Workers(threads) as workers:
        sample_levels.mend_in_every_way(navmesh, workers)


def _mark_and_join_holes(threads: int | None) -> None:
    """Pillars, and volumes that mark areas."""
    build_navmesh(*sample_levels.pillars(), threads=threads)
    build_navmesh(*sample_levels.level(), volumes=sample_levels.VOLUMES, threads=threads)


def _attach_links(threads: int | None) -> None:
    """Links, whose ends are looked for on the finished navmesh; the islands that they join."""
    from ..detour.queries.islands import find_islands  # here: a build without links needs none of it

    find_islands(build_navmesh(*sample_levels.level(), links=sample_levels.LINKS, threads=threads))


def about_how_many(vertices: F32, settings: Settings, bounds: Sequence[float] | None) -> int | None:
    """Kernels that are called for a level in one piece; those of tiles depend on what has to be mended."""
    if settings.tile_size:
        return None
    return _OF_SMALL_LEVEL if is_small(vertices, settings, bounds) else _OF_LARGE_LEVEL


def is_small(vertices: F32, settings: Settings, bounds: Sequence[float] | None, *, tiled: bool = False) -> bool:
    """Whether Python needs no more than seconds for what follows the kernels of the ground; with `tiled`, of tiles."""
    return bool((tiled or settings.tile_size == 0) and _columns(vertices, settings, bounds) <= _FEW)


def has_few_tiles(vertices: F32, settings: Settings, bounds: Sequence[float] | None) -> bool:
    """Whether compiling the kernel for whole tiles takes longer than it gains."""
    return bool(settings.tile_size and _columns(vertices, settings, bounds) <= _MANY_TILES)


def _columns(vertices: F32, settings: Settings, bounds: Sequence[float] | None) -> float:
    box = checked_bounds(bounds) or vertices
    if len(box) == 0:
        return math.inf
    with np.errstate(invalid="ignore"):  # what is not finite is refused by whoever builds
        across = np.ptp(np.asarray(box, np.float64), axis=0) / settings.cell_size
    return float(across[0] * across[2])
