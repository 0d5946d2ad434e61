"""Compile every kernel there is, by building small levels in every way: what is compiled then need not be later.

The list of kernels and of their argument types is nowhere written down. It is what this asks for; a test names
the kernels that it leaves out.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ..builder.build_level import build_navmesh, rebuild_tiles
from ..builder.repair.two_way_links import with_two_way_links
from ..detour.file_contents import contents_of
from ..detour.queries.measure import measure_ground
from ..detour.queries.prune import prune_navmesh
from ..detour.reader import read_navmesh
from ..errors import NavmeshError
from ..files.atomic_write import write_whole
from ..formats import READ, read_navmesh_file, targets, write_navmesh
from ..formats.catalog import ExportOptions
from ..formats.obj.mesh_reader import read_obj
from ..formats.recastdemo import SourceLevel
from ..formats.stage_dump import dumped
from ..result.navmesh import NavMesh
from ..result.stitch import edge_violations, stitch_tiles, triangulated
from ..scene import BoxVolume, ConvexVolume, CylinderVolume, Link, Seed
from ..settings import PARTITIONS, Settings, settings_fields
from ..stages.regions.split_for_repair import LAYERS, ROWS, RUNS, split_regions
from ..threads import SMALL, Workers
from ..types import F32, I32, WALKABLE

_SIDE = 24.0  # metres
_TILE = 32  # cells
# Stages go other ways with many cells than with few, for one thread and for several.
_SIZES = (int(SMALL**0.5 / 2), int((1.2 * SMALL) ** 0.5))  # cells along a side
_VOLUMES = (
    BoxVolume(area=3, min=(1, -1, 1), max=(5, 2, 5)),
    CylinderVolume(area=2, base=(18, -1, 18), radius=3, height=3),
    ConvexVolume(area=4, min_height=-1, max_height=3, points=((9, 2), (9, 7), (14, 7), (14, 2))),
)
_LINKS = (Link(start=(2, 0, 2), end=(22, 0, 22)), Link(start=(22, 0, 2), end=(2, 0, 22), bidirectional=False))
# What changes the way through a stage: no splitting of edges, no sampling, triangles alone, radius 0 …
_EXTREMES = (
    {"edge_max_length": 0}, {"edge_max_error": 0}, {"detail_sample_distance": 0}, {"vertices_per_polygon": 3},
    {"agent_radius": 0}, {"agent_radius": 2}, {"agent_max_climb": 0.2}, {"region_min_size": 0},
)  # fmt: skip
_SEEDS = (Seed(point=(2, 0, 2)), Seed(point=(22, 0, 22), name="far"))


def compile_every_kernel() -> None:
    """Ask for every kernel once, the default build's first."""
    for step in _steps(*level()):
        step()


def _steps(vertices: F32, triangles: I32) -> Iterator[Callable[[], object]]:
    """The default build first, then what can be done with it; every partition; every setting another way."""
    build, use = partial(build_navmesh, vertices, triangles), partial(_build_and_use, vertices, triangles)
    yield partial(build, threads=1)
    yield partial(use, Settings())
    for partition in PARTITIONS:
        for tile_size in (0, _TILE):
            yield partial(use, Settings(partition=partition, tile_size=tile_size, median_filter=True))
    yield partial(build, Settings(tile_size=_TILE))  # each tile in one go
    for cells in _SIZES:
        for partition in PARTITIONS:
            fine = Settings(partition=partition, cell_size=_SIDE / cells, agent_radius=0.2)
            yield partial(build, fine, threads=1)
            yield partial(build, fine, threads=2)
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
    yield _read_obj
    areas = np.where(np.arange(len(triangles)) % 3 == 0, 2, WALKABLE).astype(np.uint8)
    yield partial(build, areas=areas, bounds=(0, -1, 0, _SIDE, 8, _SIDE), threads=2)


def _build_and_use(vertices: F32, triangles: I32, settings: Settings) -> None:
    """Build, and do everything with the result that can be done with it."""
    for threads in (1, 2):
        navmesh = build_navmesh(
            vertices, triangles, settings, volumes=_VOLUMES, links=_LINKS, threads=threads, keep_stages=True
        )
    dumped(navmesh)
    _use(navmesh, vertices, triangles)


def _use(navmesh: NavMesh, vertices: F32, triangles: I32) -> None:
    """Measure, prune, stitch, rebuild in part, write and read."""
    measure_ground(navmesh, _SEEDS)
    prune_navmesh(navmesh, _SEEDS)
    if navmesh.tile_grid is not None:
        stitched = stitch_tiles(navmesh)
        edge_violations(stitched)
        edge_violations(triangulated(stitched))
        rebuild_tiles(navmesh, (10, -1, 10, 12, 3, 12), vertices, triangles, volumes=_VOLUMES)
    with tempfile.TemporaryDirectory() as folder:
        options = ExportOptions(level=SourceLevel(vertices, triangles, _VOLUMES))
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


def _read_obj() -> None:
    """Read a level as large files are read, with a face that has too many corners for plain Python."""
    corners = [(i, (0, 2, 1)[i % 3]) for i in range(200)]
    lines = [*(f"v {x} 0 {z}\n" for x, z in corners), "v 0 0 -9\n", "f " + " ".join(map(str, range(1, 202))) + "\n"]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "every_kernel_level.obj"
        write_whole(path, "".join(lines).encode())
        read_obj(path, by_kernel=True)


def _mend(vertices: F32, triangles: I32) -> None:
    """Build what comes out broken, and divide its regions in every way that mending knows."""
    for partition in PARTITIONS:
        navmesh = build_navmesh(vertices, triangles, Settings(partition=partition), keep_stages=True)
        compact, regions = navmesh.stages["eroded"], navmesh.stages["regions"]
        one_way = compact.neighbors.copy()
        one_way[np.argmax(one_way[:, 0] >= 0), 0] = -1
        with Workers(1) as workers:
            with_two_way_links(compact._replace(neighbors=one_way), workers)
            for way in (LAYERS, ROWS, RUNS):
                split_regions(compact, regions, np.ones(regions.count + 1, bool), way, workers)


def level() -> tuple[F32, I32]:
    """Ground with stairs, floors above each other, pillars, a ramp, and an island."""
    parts = [
        _box(0, -0.5, 0, _SIDE, 0.5, _SIDE),
        *(_box(8 + 0.4 * i, 0, 9, 0.4, 0.25 * (i + 1), 2) for i in range(12)),
        _box(12.8, 2.7, 7, 8, 0.3, 8),
        *(_box(4 + 3 * i, 0, 17 + 2 * j, 0.7, 2.5, 0.7) for i in range(3) for j in range(3)),
        _box(30, 1, 0, 4, 0.5, 4),
    ]
    ramp = np.array([[2, 0, 12], [2, 0, 14], [7, 2.5, 12], [7, 2.5, 14]], np.float32), np.array([[0, 1, 2], [2, 1, 3]])
    return _joined([*parts, ramp])


def spiral() -> tuple[F32, I32]:
    """Winding stairs: regions that lie above themselves."""
    turns = [(2 * np.pi * i / 16, 0.24 * i) for i in range(48)]
    steps = [_box(3 * np.cos(angle) - 1.1, y, 3 * np.sin(angle) - 1.1, 2.2, 0.25, 2.2) for angle, y in turns]
    return _joined([_box(-8, -0.5, -8, 16, 0.5, 16), _box(-1, 0, -1, 2, 12, 2), *steps])


def tangled(seed: int) -> tuple[F32, I32]:
    """Ground under a heap of triangles: holes in holes, slivers, floors in any place above each other."""
    rng = np.random.default_rng(seed)
    corners = rng.uniform(0, 16, (300, 1, 3)) + rng.uniform(-2, 2, (300, 3, 3))
    corners[:, :, 1] *= 0.25
    heap = corners.reshape(-1, 3), np.arange(900).reshape(-1, 3)
    return _joined([_box(0, -0.5, 0, 16, 0.5, 16), heap])


def _box(x: float, y: float, z: float, width: float, height: float, depth: float) -> tuple[Any, Any]:
    corners = [[x + i * width, y + j * height, z + k * depth] for i in (0, 1) for j in (0, 1) for k in (0, 1)]
    faces = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    return np.array(corners), np.array([[face[0], face[i], face[i + 1]] for face in faces for i in (1, 2)])


def _joined(parts: list[tuple[Any, Any]]) -> tuple[F32, I32]:
    begin = np.cumsum([0] + [len(vertices) for vertices, _ in parts])
    triangles = [corners + int(first) for (_, corners), first in zip(parts, begin, strict=False)]
    return np.concatenate([v for v, _ in parts]).astype(np.float32), np.concatenate(triangles).astype(np.int32)
