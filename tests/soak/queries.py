"""Random questions to random levels: `python -m tests.soak.queries --questions 1000000`

Each level of the soak is built in one piece or in tiles, with links drawn at random, and asked everything that a
NavQuery answers: points on the ground and far from it, at corners, not finite; references that are dead; filters,
pools, buffers and extents of any size. What must hold of the answers is in query_checks.py. Kernels are compiled with
bounds checks; a level that takes too long ends the run with every thread's stack, so that no hang passes for patience.
"""

from __future__ import annotations

import argparse
import faulthandler
import os
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

if __name__ == "__main__":
    os.environ["NUMBA_BOUNDSCHECK"] = "1"  # Numba reads it when it is imported
    from navcore.kernels.kept_kernels import keep_kernels_in

    keep_kernels_in(Path(__file__).resolve().parents[2] / "out" / "checked-kernels")  # never among the others

import numpy as np

from navcore import NavmeshError, NavQuery, QueryFilter, Settings, build_navmesh
from navcore.types import F32

from .builds import TILES
from .levels import PARTITIONS, level_of
from .query_checks import sane, sane_costs, sane_line, sane_move, sane_points, sane_ray, sane_sliced

ROWS = 100  # of each question of a level, unless told otherwise
HANGS = 900.0  # seconds for one level, by the clock: others may be at work, and a rare question compiles its kernels
TOLD = 100  # levels after which it says how far it is
COMPILES = 3600.0
ENOUGH = 50  # finds after which no more are looked for
_EXTREMES = np.array([0, -0.0, 1e-45, 1e-6, 1e9, -1e18, 1e19, 3e38, np.inf, -np.inf, np.nan], np.float32)
_DEAD = np.array([0, 1, 2**31 - 1, 2**31, 2**32 - 1, -1, 2**40], np.int64)


def query_of(seed: int) -> NavQuery | None:
    """The level of this number with links, ready to be asked; None where there is no navmesh of it."""
    random, level = Random(f"questions-{seed}"), level_of(seed)
    settings = level.settings | {
        "partition": random.choice(PARTITIONS),
        "tile_size": random.choice((0, *TILES)),
        "vertices_per_polygon": min(6, level.settings["vertices_per_polygon"]) if seed % 10 != 9 else 6,
    }
    try:
        low, high = level.vertices.min(axis=0).tolist(), level.vertices.max(axis=0).tolist()

        def place() -> list[float]:
            return [random.uniform(a, b) for a, b in zip(low, high, strict=True)]

        links = [
            {"start": place(), "end": place(), "radius": random.choice((0.3, 1.0, 5.0)),
             "area": random.randrange(1, 64), "flags": random.choice((1, 8, 2, 0x8000)),
             "bidirectional": random.random() < 0.5, "id": k}
            for k in range(random.choice((0, 2, 8)))
        ]  # fmt: skip
        mesh, whole = (level.vertices, level.triangles), Settings.from_mapping(settings)
        return NavQuery(build_navmesh(*mesh, whole, volumes=level.volumes, links=links, threads=1))
    except (NavmeshError, ValueError):  # hostile levels, and those without ground
        return None


class Draw:
    """What a level is asked, drawn from one generator."""

    def __init__(self, query: NavQuery, seed: int) -> None:
        self.query, self.rng = query, np.random.default_rng(seed)
        self._outline = query._mesh.outline
        ends = query._mesh.boxes if len(query._mesh.boxes) else np.zeros((1, 6), np.float32)
        self._low, self._high = ends[:, :3].min(axis=0) - 1, ends[:, 3:].max(axis=0) + 1

    def points(self, count: int) -> F32:
        """Of five one on the ground, two anywhere near, one at a corner or between two, one of any numbers."""
        found = self.rng.uniform(self._low, self._high, (count, 3)).astype(np.float32)
        kind = self.rng.integers(0, 10, count)
        ground = self.query.random_points(count, seed=int(self.rng.integers(1 << 30)))
        found[kind < 3] = ground.points[kind < 3]
        if len(self._outline):
            which, at = self.rng.integers(0, len(self._outline), count), self.rng.integers(0, 2, (2, count))
            corners = self._outline[which, at[0]], self._outline[which, at[1]]
            found[kind == 4] = (0.5 * (corners[0] + corners[1]))[kind == 4]
        wild = np.flatnonzero(kind == 5)
        found[wild, self.rng.integers(0, 3, len(wild))] = self.rng.choice(_EXTREMES, len(wild))
        return found

    def on_ground(self, count: int) -> tuple[Any, F32]:
        """References and points: most fit together."""
        ground = self.query.random_points(count, seed=int(self.rng.integers(1 << 30)))
        references, points = ground.references.astype(np.int64), ground.points.copy()
        names = self.query._names.of_polygon
        kind = self.rng.integers(0, 12, count)
        if len(names):
            references[kind == 0] = self.rng.choice(names, count)[kind == 0]
        references[kind == 1] = self.rng.choice(_DEAD, count)[kind == 1]
        references[kind == 2] += self.rng.choice([1 << 22, 1 << 30, 64, 4096], count)[kind == 2]
        points[kind == 3] = self.points(count)[kind == 3]
        return references, points

    def filter(self) -> QueryFilter:
        areas = self.rng.choice(64, 8, replace=False).tolist()
        costs = self.rng.choice([0.0, 1e-3, 0.5, 1.0, 3.0, 1e6], 8).tolist()
        kind = self.rng.integers(0, 4)
        flags = [0xFFFF, 0xFFFF, 0xFFEF, int(self.rng.integers(0, 1 << 16))][kind]
        return QueryFilter(
            dict(zip(areas, costs, strict=True)) if kind else {}, flags, int(self.rng.choice([0, 0, 8, 2, 1]))
        )

    def extents(self) -> list[float]:
        kind = self.rng.integers(0, 4)
        return [[2.0, 4.0, 2.0], [1e-6, 1e-6, 1e-6], [1e-45, 1e6, 1e-3], [1e9, 1e9, 1e9]][kind]

    def radius(self) -> float:
        return float(self.rng.choice([0.0, 1e-6, 0.5, 3.0, 10.0, 1e6]))

    def most(self, *choices: int | None) -> int | None:
        return choices[self.rng.integers(0, len(choices))]


def ask(query: NavQuery, seed: int, rows: int = ROWS) -> Iterator[tuple[str, int, list[str]]]:
    """Of each question its name, how many rows were asked, and what is wrong with the answers."""
    draw = Draw(query, seed)
    yield from _of_places(draw, rows)
    yield from _of_surroundings(draw, rows)
    yield from _of_ways(draw, rows)
    yield from _of_slices(draw, max(rows // 20, 1))


Asked = Iterator[tuple[str, int, list[str]]]


def _of_places(draw: Draw, n: int) -> Asked:
    query = draw.query
    found = query.nearest(draw.points(n), draw.extents(), draw.filter())
    yield "nearest", n, sane(query, found, n) + sane_points(query, found.references, found.points)
    most = draw.most(1, 128, None)
    yield (
        "polygons_in_box",
        n,
        sane(query, query.polygons_in_box(draw.points(n), draw.extents(), draw.filter(), max_polygons=most), n),
    )
    for boundary in (False, True):
        yield "closest_points", n, sane(query, query.closest_points(*draw.on_ground(n), boundary=boundary), n)
    yield "heights", n, sane(query, query.heights(*draw.on_ground(n)), n)
    yield (
        "wall_segments",
        n,
        sane(query, query.wall_segments(draw.on_ground(n)[0], draw.filter(), portals=bool(draw.most(0, 1))), n),
    )
    links = query.is_link(draw.on_ground(n)[0]), query.link_ids(draw.on_ground(n)[0])
    yield "links", 2 * n, [] if [len(found) for found in links] == [n, n] else ["rows are missing"]


def _of_surroundings(draw: Draw, n: int) -> Asked:
    query = draw.query
    nodes = draw.most(1, 2, 16, 2048, None)
    walls = query.distance_to_wall(*draw.on_ground(n), draw.radius(), draw.filter(), max_nodes=nodes)
    without = {"points": ~walls.hit, "normals": ~walls.hit | (walls.distances == 0)}
    yield "distance_to_wall", n, sane(query, walls, n, without)
    around = query.polygons_around(
        *draw.on_ground(n), draw.radius(), draw.filter(), max_nodes=nodes, max_polygons=draw.most(1, 64, None)
    )
    yield "polygons_around", n, sane(query, around, n)
    references, points = draw.on_ground(n)
    shapes = points[:, None] + draw.rng.uniform(-3, 3, (n, draw.rng.integers(3, 7), 3)).astype(np.float32)
    around = query.polygons_around_shape(
        references, shapes, draw.filter(), max_nodes=nodes, max_polygons=draw.most(1, 64, None)
    )
    yield "polygons_around_shape", n, sane(query, around, n)
    for question in (query.local_neighborhood, query.flat_neighborhood):
        near = question(*draw.on_ground(n), draw.radius(), draw.filter(), max_polygons=draw.most(1, 64, None))
        yield question.__name__, n, sane(query, near, n)
    for like_detour in (False, True):
        chosen = query.random_points(n, draw.filter(), seed=int(draw.rng.integers(1 << 30)), like_detour=like_detour)
        yield "random_points", n, sane(query, chosen, n) + sane_points(query, chosen.references, chosen.points)
    reference, point = draw.on_ground(1)
    chosen = query.random_points_around(n, int(reference[0]), point, draw.radius(), draw.filter(), max_nodes=nodes)
    yield "random_points_around", n, sane(query, chosen, n) + sane_points(query, chosen.references, chosen.points)


def _of_ways(draw: Draw, n: int) -> Asked:
    query = draw.query
    for partial in ("detour", "closest"):
        options: dict[str, Any] = {
            "partial": partial, "heuristic": ("detour", "least_cost")[draw.rng.integers(0, 2)],
            "max_nodes": draw.most(1, 2, 16, 2048, 2048, None), "max_path": draw.most(1, 2, 256, 256, None),
        }  # fmt: skip
        crossings, rule = ("none", "areas", "all")[draw.rng.integers(0, 3)], draw.filter()
        ends, points = (draw.points(n), draw.points(n)), draw.most(1, 2, 256, None)
        options["extents"] = draw.extents() if draw.most(0, 1) else (2, 4, 2)
        paths = query.find_paths(*ends, rule, crossings=crossings, max_points=points, **options)
        wrong = sane(query, paths, n, {"missing": paths.status >= 4})
        if crossings == "none":  # those of lines along portals may lie beyond the portals' ends, as in Detour
            wrong += sane_line(query, paths)
            if points is None:  # with few of them, a line that is cut ends earlier
                cut = query.find_paths(*ends, rule, crossings="areas", max_points=None, **options)
                wrong += sane_costs(query, paths, cut, rule.costs)
        yield "find_paths", n, wrong
        (first, here), (last, there) = draw.on_ground(n), draw.on_ground(n)
        del options["extents"]
        corridors = query.find_corridors(first, last, here, there, draw.filter(), **options)
        yield "find_corridors", n, sane(query, corridors, n, aims_of=there)
        line = query.straight_paths(here, there, corridors.offsets, corridors.references, crossings=crossings)
        yield "straight_paths", n, sane(query, line, n)
    (first, here), there = draw.on_ground(n), draw.points(n)
    rays = query.raycast(first, here, there, draw.filter(), max_polygons=draw.most(1, 256, None))
    yield "raycast", n, sane(query, rays, n) + sane_ray(query, rays, first, here, there)
    (first, here), there = draw.on_ground(n), draw.points(n)
    there = np.where(draw.rng.random((n, 1)) < 0.5, there, here + draw.rng.normal(0, 1, (n, 3))).astype(np.float32)
    moves = query.move_along_surface(first, here, there, draw.filter(), max_visited=draw.most(1, 16, 100) or 16)
    yield "move_along_surface", n, sane(query, moves, n) + sane_move(query, moves, first, here)
    rule, ends = draw.filter(), (draw.points(n), draw.points(n))
    paths, cut = (query.find_long_paths(*ends, rule, crossings=crossings).paths for crossings in ("none", "areas"))
    wrong = sane(query, paths, n, {"missing": paths.status >= 4}) + sane_line(query, paths)
    yield "find_long_paths", n, wrong + sane_costs(query, paths, cut, rule.costs)


def _of_slices(draw: Draw, n: int) -> Asked:
    (first, here), (last, there) = draw.on_ground(n), draw.on_ground(n)
    wrong: list[str] = []
    for row in range(n):
        search = draw.query.sliced_search(
            int(first[row]), int(last[row]), here[row], there[row], draw.filter(),
            any_angle=("no", "detour", "yes")[draw.rng.integers(0, 3)], max_nodes=draw.most(1, 2, 16, 2048, None),
        )  # fmt: skip
        wrong += sane_sliced(draw.query, search, int(draw.rng.integers(1, 30)), draw.most(1, 2, 256, None))
    yield "sliced_search", n, wrong


def _guarded(asked: Asked) -> Asked:
    """The same; what is raised is a find, and ends the level."""
    try:
        yield from asked
    except Exception:  # noqa: BLE001 - the very thing that is looked for
        yield "raised", 1, [traceback.format_exc()]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--first", type=int, default=0, help="number of the first level")
    parser.add_argument("--questions", type=int, default=1_000_000, help="how many rows at least")
    parser.add_argument("--rows", type=int, default=ROWS, help="of each question of a level")
    parser.add_argument("--level", type=int, help="ask this one alone")
    arguments = parser.parse_args()
    faulthandler.enable()
    asked: Counter[str] = Counter()
    finds, levels, empty, began, seed = 0, 0, 0, time.monotonic(), arguments.first
    while asked.total() < arguments.questions and finds < ENOUGH:
        seed = seed if arguments.level is None else arguments.level
        faulthandler.dump_traceback_later(HANGS if levels else COMPILES, exit=True)
        if (query := query_of(seed)) is None:
            empty += 1
        else:
            levels += 1
            for name, rows, wrong in _guarded(ask(query, seed, arguments.rows)):
                asked[name] += rows
                finds += len(wrong)
                for what in wrong[:3]:
                    print(f"level {seed}, {name}: {what}", flush=True)
        if arguments.level is not None:
            break
        seed += 1
        if (seed - arguments.first) % TOLD == 0:
            print(f"{asked.total():,} questions, {finds:,} finds, up to level {seed - 1}", flush=True)
    faulthandler.cancel_dump_traceback_later()
    print(f"{asked.total():,} questions to {levels:,} levels; {empty:,} more have no navmesh")
    print(f"{finds:,} answers are wrong")
    print(", ".join(f"{name} {count:,}" for name, count in asked.most_common()))
    print(f"{time.monotonic() - began:,.0f} s")
    return 1 if finds else 0


if __name__ == "__main__":
    sys.exit(main())
