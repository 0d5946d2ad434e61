"""This checkout beside another one: `python benchmarks/against.py OTHER [--rounds 7] [--only WORD] [MESH.npz …]`.

Builds, edits, links, questions and a crowd, one thread, by public names alone. Each round starts both once, in turns,
in processes of their own; of each case a process says its fastest of many, in seconds of the processor. Printed are the
medians of the ratios this/other, per case and their geometric mean. Kernels are compiled before the first round.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve()
SECONDS = 0.4  # for the repeats of a case
LEAST = 3  # repeats


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser("against.py")
    parser.add_argument("other", type=Path)
    parser.add_argument("meshes", type=Path, nargs="*", help=".npz with verts and tris")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", default="", help="cases whose name contains this")
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.measure is not None:
        sys.path[:0] = [str(options.measure), str(HERE.parents[1])]
        chosen = {name: case for name, case in cases(options.meshes) if options.only in name}
        print(json.dumps({name: fastest(case) for name, case in chosen.items()}))
        return 0
    sides = [HERE.parents[1], options.other.resolve()]
    found: list[list[dict[str, float]]] = [[], []]
    for turn in range(options.rounds + 1):
        for side in (0, 1) if turn % 2 else (1, 0):
            figures = measured(sides[side], arguments)
            if turn:  # the first compiles
                found[side].append(figures)
    tell(*found)
    return 0


def measured(side: Path, arguments: list[str]) -> dict[str, float]:
    command = [sys.executable, str(HERE), *arguments, "--measure", str(side)]
    figures: dict[str, float] = json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    return figures


def tell(this: list[dict[str, float]], other: list[dict[str, float]]) -> None:
    ratios = []
    print(f"{'case':<36} {'this ms':>9} {'other ms':>9} {'ratio':>6}")
    for name in this[0]:
        pairs = [(a[name], b[name]) for a, b in zip(this, other, strict=True)]
        ratios.append(statistics.median(a / b for a, b in pairs))
        a, b = (1e3 * statistics.median(side) for side in zip(*pairs, strict=True))
        print(f"{name:<36} {a:9.3f} {b:9.3f} {ratios[-1]:6.3f}{'  <' if ratios[-1] > 1.03 else ''}")
    print(f"{'geometric mean of ' + str(len(ratios)):<56} {math.exp(statistics.fmean(map(math.log, ratios))):6.3f}")


def fastest(case: Callable[[], Any]) -> float:
    case()
    times: list[float] = []
    started = time.perf_counter()
    while len(times) < LEAST or time.perf_counter() - started < SECONDS:
        begun = time.process_time()
        case()
        times.append(time.process_time() - begun)
    return min(times)


def cases(meshes: list[Path]) -> Iterator[tuple[str, Callable[[], Any]]]:
    from tests import scenes

    levels: dict[str, Any] = {
        "terrain": scenes.terrain(224, 0.45, 0.07), "plaza": scenes.plaza(12), "city": scenes.city(6, 120),
        "slabs": scenes.slabs(3, 40, 40),
    }  # fmt: skip
    for path in meshes:
        with np.load(path) as file:
            levels[path.parent.name if path.stem in ("mesh", "input") else path.stem] = file["verts"], file["tris"]
    for name, mesh in levels.items():
        yield from builds(name, *mesh)
    for name in ("plaza", "city"):
        yield from questions(name, *levels[name])
    yield from edits(*levels["city"])
    yield from crowds(*levels["plaza"])


def builds(name: str, vertices: Any, triangles: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    from navcore import Settings, build_navmesh

    variants = {
        "build": {}, "build, monotone": {"partition": "monotone"}, "build, layers": {"partition": "layers"},
        "build, tiles": {"tile_size": 48}, "build, links": {"generate_links": True},
    }  # fmt: skip
    for variant, changed in variants.items():
        settings = Settings(**changed)
        yield f"{variant}: {name}", lambda s=settings: build_navmesh(vertices, triangles, s, threads=1)


def questions(name: str, vertices: Any, triangles: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    from navcore import NavQuery, Settings, build_navmesh

    navmesh = build_navmesh(vertices, triangles, Settings(tile_size=48))
    query = NavQuery(navmesh)
    yield f"NavQuery: {name}", lambda: NavQuery(navmesh)
    points = query.random_points(2000, seed=3).points
    starts, ends = points[:1000], points[1000:]
    near = query.nearest(starts, threads=1).references
    few = slice(0, 200)
    asked: dict[str, Callable[[], Any]] = {
        "nearest": lambda: query.nearest(points, threads=1),
        "paths": lambda: query.find_paths(starts, ends, threads=1),
        "paths, exact": lambda: query.find_paths(starts[few], ends[few], exact=True, threads=1),
        "rays": lambda: query.raycast(near, starts, ends, threads=1),
        "moves": lambda: query.move_along_surface(near, starts, ends, threads=1),
        "walls": lambda: query.distance_to_wall(near, starts, 5.0, threads=1),
        "heights": lambda: query.heights(near, starts, threads=1),
        "to many": lambda: query.path_costs(starts[:20], ends[few], threads=1),
        "narrowest": lambda: query.narrowest(starts[few], ends[few], threads=1),
        "one path": lambda: query.find_paths(starts[:1], ends[:1], threads=1),
    }
    asked |= single_rows(query, near, starts, ends)
    for question, ask in asked.items():
        yield f"{question}: {name}", ask


def single_rows(query: Any, near: Any, starts: Any, ends: Any) -> dict[str, Callable[[], Any]]:
    """Questions of one row, each many times over: what a call costs."""
    one, here, there = near[:1], starts[:1], ends[:1]
    far = query.nearest(there, threads=1).references
    way = query.find_corridors(one, far, here, there, threads=1)
    cuts = way.offsets, way.references
    few = query.find_corridors(near[:20], query.nearest(ends[:20]).references, starts[:20], ends[:20], threads=1)
    calls: dict[str, Callable[[], Any]] = {
        "nearest": lambda: query.nearest(here, threads=1),
        "box": lambda: query.polygons_in_box(here, threads=1),
        "closest": lambda: query.closest_points(one, here, threads=1),
        "height": lambda: query.heights(one, here, threads=1),
        "ray": lambda: query.raycast(one, here, there, threads=1),
        "move": lambda: query.move_along_surface(one, here, there, threads=1),
        "wall": lambda: query.distance_to_wall(one, here, 5.0, threads=1),
        "corridor": lambda: query.find_corridors(one, far, here, there, threads=1),
        "straight": lambda: query.straight_paths(here, there, *cuts, threads=1),
        "refined": lambda: query.refined_paths(here, there, *cuts, threads=1),
        "exact": lambda: query.find_paths(here, there, exact=True, threads=1),
    }

    def many(call: Callable[[], Any]) -> Callable[[], Any]:
        return lambda: [call() for _ in range(100)]

    found = {f"one row, {name}": many(call) for name, call in calls.items()}
    found["refined, 20 rows"] = lambda: query.refined_paths(
        starts[:20], ends[:20], few.offsets, few.references, way="choice", threads=1
    )
    found["meadow"] = lambda: query.meadow(threads=1)
    return found


def edits(vertices: Any, triangles: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    from navcore import Level, Settings

    box = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], np.float32) + vertices.mean(0)
    faces = np.array([[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [1, 5, 7], [1, 7, 3], [0, 2, 6], [0, 6, 4]], np.int32)
    for name, changed in (("edit", {}), ("edit, links", {"generate_links": True})):
        level = Level(Settings(tile_size=48, **changed))
        level.set_part("level", vertices, triangles)
        level.set_part("box", box, faces)
        level.update()
        moved = iter(range(1, 1 << 30))

        def edit(level: Level = level, moved: Iterator[int] = moved) -> None:
            level.set_part("box", box + np.float32(next(moved) % 7 * 0.1), faces)
            level.update()

        yield f"{name}: city", edit


def crowds(vertices: Any, triangles: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    from navcore import Crowd, NavQuery, Settings, build_navmesh

    query = NavQuery(build_navmesh(vertices, triangles, Settings()))
    points = query.random_points(100, seed=5).points

    def step() -> None:
        crowd = Crowd(query)
        for start, end in zip(points[:50], points[50:], strict=True):
            crowd.add(start, end)
        for _ in range(20):
            crowd.step(0.05)

    yield "crowd of 50, 20 steps: plaza", step


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
