"""Compile every kernel there is, by building small levels in every way: what is compiled then need not be later.

The list of kernels and of their argument types is nowhere written down. It is what this asks for; a test names
the kernels that it leaves out.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..builder.build_level import build_navmesh, rebuild_tiles
from ..builder.checked_input import checked_geometry
from ..builder.parts.level import Level
from ..by_hand.from_polygons import navmesh_from_polygons
from ..cover.find_cover import find_cover
from ..cover.sight import Sight
from ..crowd.crowd import Crowd
from ..detour.file_contents import contents_of
from ..detour.limits import MOST_CORNERS
from ..detour.link_order import replace_in_order
from ..detour.queries.islands import find_islands
from ..detour.queries.measure import measure_ground
from ..detour.queries.prune import prune_navmesh
from ..detour.reader import read_navmesh
from ..detour.tile_links import Linker
from ..difference.compare import navmesh_difference
from ..difference.difference_picture import difference_picture
from ..errors import NavmeshError
from ..files.atomic_write import write_whole
from ..formats import READ, read_navmesh_file, targets, write_navmesh
from ..formats.mesh_measures import polygon_values
from ..formats.obj.obj_reader import read_obj
from ..formats.plain_navmesh import plain_navmesh
from ..formats.stage_dump import dumped
from ..formats.target_catalog import ExportOptions
from ..geometry.level_parts import LevelParts
from ..level_source import LevelSource
from ..questions.nav_query import NavQuery
from ..questions.nearest_pair import IslandGround, nearest_pair
from ..result.navmesh import NavMesh
from ..result.stitch import edge_violations, stitch_tiles, triangulated
from ..scene import Link, Seed
from ..settings import PARTITIONS, Settings, settings_fields
from ..threads import SMALL, Workers
from ..tile_cache.tile_cache import TileCache
from ..types import F32, F64, I32, U32, WALKABLE
from ..views.catalog import VIEWS, pieces_of, stage_picture
from ..views.picture import Shown
from ..wide_links import LinkEdits
from . import usual_kernels
from .sample_levels import LINKS, SIDE, VOLUMES, blocks, level, mend_in_every_way, spiral, tangled

_TILE = 32  # cells
# Stages go other ways with many cells than with few, for one thread and for several.
_SIZES = (int(SMALL**0.5 / 2), int((1.2 * SMALL) ** 0.5))  # cells along a side
# What changes the way through a stage: no splitting of edges, no sampling, triangles alone, radius 0 …
_EXTREMES = (
    {"edge_max_length": 0}, {"edge_max_error": 0}, {"detail_sample_distance": 0}, {"vertices_per_polygon": 3},
    {"agent_radius": 0}, {"agent_radius": 2}, {"agent_max_climb": 0.2}, {"region_min_size": 0},
)  # fmt: skip
_AGENTS = (("small", 0.3, 1.0), ("large", 0.6, 2.0))
_SEEDS = (Seed(point=(2, 0, 2)), Seed(point=(22, 0, 22), name="far"))


Step = Callable[[], object]


def compile_every_kernel() -> None:
    """Ask for every kernel once, the default build's first."""
    for step in steps():
        step()


def steps() -> list[Step]:
    """The same in parts, which several processes can share: each needs what only it asks for, and what others do.

    The default build first, then what asks for most kernels, then every partition, every setting another way.
    """
    vertices, triangles = level()
    return [
        partial(build_navmesh, vertices, triangles, threads=1),
        *_dear(vertices, triangles).values(),
        *_others(vertices, triangles),
    ]


def _dear(vertices: F32, triangles: I32) -> dict[int | str, Step]:
    """What asks for many kernels that nothing else asks for."""
    build, use = partial(build_navmesh, vertices, triangles), partial(_build_and_use, vertices, triangles)
    tiled = Settings(tile_size=_TILE)
    return {
        "ways": partial(_ask_by_hand, _ask_ways),
        "exact ways": partial(_ask_by_hand, _ask_exact_ways),
        "shorter ways": partial(_ask_by_hand, _ask_shorter_ways),
        "places": partial(_ask_by_hand, _ask_places),
        "widths": partial(_ask_by_hand, _ask_widths),
        "walk": partial(_ask_by_hand, _walk),
        "views": partial(use, Settings(), [_look_at_stages]),
        "measures": partial(use, Settings(), [_measure, _write_and_read]),
        "obstacles": partial(_put_obstacles, vertices, triangles),
        "links": _find_links,
        "tiles": partial(build, tiled, threads=1),  # each in one go
        "sizes": partial(build, tiled, sizes=_AGENTS, threads=1),
        "sizes in one piece": partial(build, sizes=_AGENTS, threads=1),
        "stitches": partial(use, tiled, [_stitch_and_rebuild]),
        "cover": _find_cover,
        "obj": _read_obj,
    }


def _others(vertices: F32, triangles: I32) -> Iterator[Step]:
    """Every partition, every setting another way, sizes and threads: next to nothing is left to be compiled."""
    build, use = partial(build_navmesh, vertices, triangles), partial(_build_and_use, vertices, triangles)
    for partition in PARTITIONS:
        for tile_size in (0, _TILE):
            yield partial(use, Settings(partition=partition, tile_size=tile_size, median_filter=True))
    for cells in _SIZES:
        for partition in PARTITIONS:
            fine = Settings(partition=partition, cell_size=SIDE / cells, agent_radius=0.2)
            yield partial(build, fine, threads=1)
            yield partial(build, fine, threads=2)
            yield partial(build, fine, threads=2, keep_stages=True)  # one stage after the other
    yield partial(use, Settings(detail_mesh=False))
    yield partial(use, Settings(vertices_per_polygon=12))
    yield partial(_mend, *spiral())
    for field in settings_fields():
        if isinstance(field.default, bool):
            yield partial(build, Settings.from_mapping({field.name: not field.default}))
    for extreme in _EXTREMES:
        yield partial(build, Settings.from_mapping(extreme))
    for seed in range(4):
        yield partial(build_navmesh, *tangled(seed), Settings(cell_size=0.2, agent_radius=0.2))
    yield partial(_edit, vertices, triangles)
    areas = np.where(np.arange(len(triangles)) % 3 == 0, 2, WALKABLE).astype(np.uint8)
    yield partial(build, areas=areas, bounds=(0, -1, 0, SIDE, 8, SIDE), threads=2)


def _put_obstacles(vertices: F32, triangles: I32) -> None:
    """A tile cache, written and read, and obstacles of every kind in it; ask its navmesh."""
    for exact in (True, False):
        cache = TileCache(vertices, triangles, Settings(tile_size=_TILE), volumes=VOLUMES, links=LINKS, exact=exact)
        cache = TileCache.from_bytes(*cache.files(), exact=exact)
        cache.add_cylinder((4, 0, 4), 1, 2)
        cache.add_box((8, -1, 8), (10, 3, 10))
        cache.add_oriented_box((12, 0, 4), (1, 1, 2), 0.5)
        cache.update()
    navmesh, linker = cache.navmesh, Linker()
    NavQuery(navmesh)
    tiles = () if navmesh.live is None else navmesh.live.tiles
    for tile in tiles:
        linker.add(tile.data.copy(), tile.reference)
    for tile in tiles:
        replace_in_order(linker, tile.key, tile.data.copy(), tile.reference)


def _build_and_use(vertices: F32, triangles: I32, settings: Settings, uses: Sequence[Use] | None = None) -> None:
    """Build, and do everything with the result that can be done with it, or some of it."""
    for threads in (1, 2):
        navmesh = build_navmesh(
            vertices, triangles, settings, volumes=VOLUMES, links=LINKS, threads=threads, keep_stages=True
        )
    for use in USES if uses is None else uses:
        use(navmesh, vertices, triangles)


def _look_at_stages(navmesh: NavMesh, vertices: F32, triangles: I32) -> None:
    """Every view in every variant, whole and cut, and what it says of a place."""
    for view in VIEWS.values():
        for variant, _ in view.variants or (("", ""),):
            for shown in (Shown(variant=variant), Shown(0.1, 9.0, most_faces=1, variant=variant)):
                try:
                    stage_picture(navmesh, view.name, shown, (vertices, triangles))
                except NavmeshError:
                    continue  # it shows a stage that these settings leave out
                for piece in pieces_of(navmesh, view, (vertices, triangles)):
                    for place in ((0.1, 0.0, 12.0), (12.0, 0.0, 12.0)):
                        view.value_at(piece, shown, place)


def _measure(navmesh: NavMesh, _vertices: F32, _triangles: I32) -> None:
    """Measure, prune and compare."""
    dumped(navmesh)
    measure_ground(navmesh, _SEEDS)
    difference_picture(navmesh_difference(navmesh, prune_navmesh(navmesh, _SEEDS)))
    plain, islands = plain_navmesh(navmesh), find_islands(navmesh).of_polygon
    polygon_values(plain)
    nearest_pair(IslandGround(plain.vertices, plain.first, plain.corners, plain.neighbors, islands), 0, 1.0, 0.3)


def _stitch_and_rebuild(navmesh: NavMesh, vertices: F32, triangles: I32) -> None:
    """What is done with tiles."""
    if navmesh.tile_grid is None:
        return
    stitched = stitch_tiles(navmesh)
    edge_violations(stitched)
    edge_violations(triangulated(stitched))
    rebuild_tiles(navmesh, (10, -1, 10, 12, 3, 12), vertices, triangles, volumes=VOLUMES)
    LevelParts(checked_geometry(vertices, triangles, None)).cut([np.arange(2, dtype=np.int32)])
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(2):  # kept, then taken
            build_navmesh(vertices, triangles, navmesh.settings, store=Path(folder) / "store")


def _write_and_read(navmesh: NavMesh, vertices: F32, triangles: I32) -> None:
    """Every format."""
    with tempfile.TemporaryDirectory() as folder:
        options = ExportOptions(level=LevelSource(vertices, triangles, volumes=VOLUMES))
        for name, target in targets().items():
            path = Path(folder) / f"every_kernel{target.ending}"
            try:
                write_navmesh(navmesh, path, name, options)
            except NavmeshError:
                continue  # the format refuses what it cannot carry: all else has been called
            if target.ending == ".bin":
                contents_of(read_navmesh(path.read_bytes()))
            if target.ending in READ:
                read_navmesh_file(path)


def _edit(vertices: F32, triangles: I32) -> None:
    """A level of one part, which rises."""
    level = Level(Settings(tile_size=_TILE), bounds=(0, -1, 0, SIDE, 9, SIDE), links=LINKS)
    query = None
    for height in (0, 1):
        level.set_part("ground", vertices + np.array([0, height, 0], np.float32), triangles)
        navmesh = level.update()
        query = query or NavQuery(navmesh)
        query.update(navmesh)
    if query is not None:
        query.set_flags(query.references(), 1)


class _Asked(NamedTuple):
    """A navmesh that is asked, two pairs of points on it, and their polygons."""

    query: NavQuery
    starts: F64
    ends: F64
    here: U32
    there: U32


def _asked(navmesh: NavMesh) -> Iterator[_Asked]:
    """One, or none where Detour's runtime data cannot hold it."""
    if navmesh.settings.vertices_per_polygon <= MOST_CORNERS:
        query, starts, ends = NavQuery(navmesh), np.full((2, 3), 2.0), np.full((2, 3), 22.0)
        starts[:, 1] = ends[:, 1] = 0
        yield _Asked(query, starts, ends, query.nearest(starts).references, query.nearest(ends).references)


def _ask_ways(navmesh: NavMesh, _vertices: F32, _triangles: I32) -> None:
    """Every question after a way that Detour answers, too."""
    for query, starts, ends, here, there in _asked(navmesh):
        query.find_paths(starts, ends, partial="closest")
        query.find_path(starts[0], ends[0])
        query.find_long_paths(starts, ends)
        way = query.find_corridors(here, there, starts, ends)
        query.straight_paths(starts, ends, way.offsets, way.references, crossings="all")
        query.path_costs(starts, ends)
        query.find_paths_to_many(starts, ends)


def _ask_exact_ways(navmesh: NavMesh, _vertices: F32, _triangles: I32) -> None:
    """The question after the shortest one."""
    for query, starts, ends, *_ in _asked(navmesh):
        query.find_paths(starts, ends, exact=True)


def _ask_shorter_ways(navmesh: NavMesh, _vertices: F32, _triangles: I32) -> None:
    """Every question after a shorter one."""
    for query, starts, ends, here, there in _asked(navmesh):
        way = query.find_corridors(here, there, starts, ends)
        query.refined_paths(starts, ends, way.offsets, way.references, way="greedy", tidy=True)
        query.find_edge_corridors(here, there, starts, ends)
        query.meadow()
        search = query.sliced_search(int(here[0]), int(there[0]), starts[0], ends[0], any_angle="yes")
        search.update()
        search.finalize()


def _ask_places(navmesh: NavMesh, _vertices: F32, _triangles: I32) -> None:
    """Every question after what is around a place."""
    for query, starts, ends, here, _ in _asked(navmesh):
        query.raycast(here, starts, ends)
        query.move_along_surface(here, starts, ends)
        query.distance_to_wall(here, starts, 5.0)
        query.polygons_around(here, starts, 5.0)
        query.polygons_around_shape(here, np.array([[[0, 0, 0], [0, 0, 9], [9, 0, 9]]] * 2))
        query.local_neighborhood(here, starts, 5.0)
        query.flat_neighborhood(here, starts, 5.0)
        query.wall_segments(here)
        query.polygons_in_box(starts)
        query.heights(here, starts)
        query.closest_points(here, ends)
        query.polygons_within(here, starts, 5.0)
        query.reachable_from(here)
        query.islands(here)
        query.random_points(2)
        query.random_points(2, like_detour=True)
        query.random_points_around(2, int(here[0]), starts[0], 5.0)


def _ask_widths(navmesh: NavMesh, _vertices: F32, _triangles: I32) -> None:
    """How wide agents may be."""
    for query, starts, ends, here, _ in _asked(navmesh):
        ways = query.narrowest(starts, ends)
        query.corridor_clearances(starts, ends, ways.offsets, ways.polygons)
        query.clearances(here, starts)
        query.polygon_clearances()
        query.portals()
        query.chokepoints()


def _walk(navmesh: NavMesh, _vertices: F32, _triangles: I32) -> None:
    """Agents on their way."""
    for query, starts, ends, *_ in _asked(navmesh):
        crowd = Crowd(query)
        crowd.add_many(starts, ends)
        crowd.step(0.1)


Use = Callable[[NavMesh, F32, I32], object]
USES: tuple[Use, ...] = (
    _look_at_stages, _measure, _ask_ways, _ask_exact_ways, _ask_shorter_ways, _ask_places, _ask_widths, _walk,
    _stitch_and_rebuild, _write_and_read,
)  # fmt: skip
"""What can be done with a navmesh: each asks for kernels of its own."""


def _ask_by_hand(question: Use) -> None:
    """Without a build: whoever compiles questions needs none of its kernels."""
    side = 3
    corners = [(SIDE / side * x, 0.0, SIDE / side * z) for z in range(side + 1) for x in range(side + 1)]
    first = [x + z * (side + 1) for z in range(side) for x in range(side)]
    polygons = [(k, k + side + 1, k + side + 2, k + 1) for k in first]
    question(navmesh_from_polygons(corners, polygons), *level())


def _read_obj() -> None:
    """Read a level as large files are read, with a face that has too many corners for plain Python."""
    corners = [(i, (0, 2, 1)[i % 3]) for i in range(200)]
    lines = [*(f"v {x} 0 {z}\n" for x, z in corners), "v 0 0 -9\n", "f " + " ".join(map(str, range(1, 202))) + "\n"]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "every_kernel_level.obj"
        write_whole(path, "".join(lines).encode())
        read_obj(path, by_kernel=True)


def _find_links() -> None:
    """Links of every kind on two blocks, found, pinned and rejected, and walked around."""
    vertices, triangles = blocks()
    for tile_size in (0, _TILE):
        settings = Settings(generate_links=True, link_climb_height=1.5, link_jump_height=1.0, tile_size=tile_size)
        for threads in (1, 2):
            found = build_navmesh(vertices, triangles, settings, threads=threads).wide_links
        edits = LinkEdits(rejected=found[:1], kept=found[1:])
        x, y, z = (vertices.min(axis=0) + 0.05).tolist()
        in_a_corner = Link(start=(x, y, z), end=(x, y, z + 1), radius=0.1)  # beside the ground: a tree is asked
        build_navmesh(vertices, triangles, settings, links=[in_a_corner], link_edits=edits)


def _find_cover() -> None:
    """Where somebody hides between blocks, with one thread and with two."""
    vertices, triangles = blocks()
    navmesh, sight = build_navmesh(vertices, triangles), Sight(vertices, triangles)
    sight.can_see([0, 9, 0], vertices, threads=1)
    for threads in (1, 2):
        find_cover(navmesh, sight, threads=threads)


def _mend(vertices: F32, triangles: I32) -> None:
    """Build what comes out broken, and mend it in every way."""
    for partition in PARTITIONS:
        navmesh = build_navmesh(vertices, triangles, Settings(partition=partition), keep_stages=True)
        with Workers(1) as workers:
            mend_in_every_way(navmesh, workers)


# --- The same for processes side by side, each of which goes through all waves: what it has compiled it need not load.

LANES = 4  # processes: more do not gain, as all of them need what Numba's own functions compile to


def waves() -> list[list[list[Step]]]:
    """What each of the LANES does in each wave: in one wave they need what was compiled in those before it.

    However they are shared out, they are the same. All of them together ask for everything.
    """
    ground = level()
    listed: dict[int | str, Step] = {**dict(enumerate(usual_kernels.pieces())), **_dear(*ground)}
    others: list[Step] = [partial(build_navmesh, *ground, threads=1), *_others(*ground)]
    return [
        *([[listed[name] for name in lane] for lane in wave] for wave in _LISTED),
        [others[number::LANES] for number in range(LANES)],
    ]


# Numbers of usual pieces, names of what is dear: in each wave all lanes take about as long, and so do two processors,
# which take them from left to right. What one has compiled in a wave is not there yet for the others: what several
# need stands a wave before them.
_LISTED: tuple[tuple[tuple[int | str, ...], ...], ...] = (
    (("ways",), (6, 9, 0, 7), (3, 10, 1), (4, 5, 2, 8)),
    (("shorter ways",), (14, 12, 13), (11, "tiles"), ("exact ways", "places")),
    (("widths", "cover", "views", "stitches"), ("obstacles", "measures"),
     ("links", "sizes", "sizes in one piece", "obj"), ("walk",)),
)  # fmt: skip
