"""Queries beside those of the peer, Detour as WebAssembly, and how long they take: `python benchmarks/queries.py`.

Both get the same file and the same pairs of points. The peer's raw calls run in a loop with buffers used again; navcore
answers all rows in one call. The sides take turns; the figure is the best run of each. Whole paths, from points to
points and without limits, have no peer; the ratios of exact ones are to those by the funnel. Needs Node.js; the peer is
installed by npm into a folder that git ignores.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]

from benchmarks.run import install_peer  # noqa: E402
from navcore import NavQuery, QueryFilter, Settings, build_navmesh, read_navmesh  # noqa: E402
from navcore.formats.mset import mset_bytes  # noqa: E402
from navcore.formats.obj.obj_reader import read_obj  # noqa: E402
from navcore.questions.question_files import Questions, answers_to  # noqa: E402
from tests import scenes  # noqa: E402

EXTENTS = np.array([2, 4, 2], np.float32)
COSTS = {1: 10.0, 4: 2.0, 5: 1.5}
_NOT_THE_PEER_S = ("ray_status", "ray_edge", "ray_count", "ray_refs", "points")  # its ray keeps no polygons
EXACT, WHOLE = "whole path, exact", "whole path, funnel"
_RANDOM, _SEED, _SUCCESS = 50, 7, 1 << 30
SCENES: dict[str, Callable[[], tuple[scenes.Mesh, int]]] = {
    "terrain": lambda: (scenes.terrain(224, 0.45, 0.07), 0),
    "plaza": lambda: (scenes.plaza(12), 0),
    "city": lambda: (scenes.city(4), 0),
    "large city": lambda: (scenes.city(20), 64),
}


def ask_peer(navmesh: bytes, points: Any, **more: Any) -> dict[str, Any]:
    """What the peer answers and how long it takes; see peer/queries.mjs."""
    usual = {"include": 0xFFFF, "exclude": 0, "costs": [1.0] * 64, "max_nodes": 2048, "max_path": 256, "seed": 1}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "navmesh.bin").write_bytes(navmesh)
        np.ascontiguousarray(points, "<f4").tofile(folder / "points.bin")
        job = {**usual, "random": 0, "repeat": 0, **more}
        job |= {"navmesh": str(folder / "navmesh.bin"), "points": str(folder / "points.bin")}
        (folder / "job.json").write_text(json.dumps(job))
        command = ["node", str(HERE / "peer" / "queries.mjs"), str(folder / "job.json")]
        done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"the peer failed: {done.stderr.strip()[-2000:]}")
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def differences(navmesh: bytes, points: Any, costs: QueryFilter, max_nodes: int, max_path: int) -> list[str]:
    """The arrays of answers in which the peer and navcore differ, by name."""
    rule = costs.rule()
    theirs = ask_peer(
        navmesh, points, include=rule.include, exclude=rule.exclude, costs=rule.costs.astype(float).tolist(),
        max_nodes=max_nodes, max_path=max_path, seed=_SEED, random=_RANDOM,
    )["answers"]  # fmt: skip
    asked = Questions(points[:, :3].copy(), points[:, 3:].copy(), EXTENTS, costs, max_nodes, max_path)
    query = NavQuery(read_navmesh(navmesh))
    ours = answers_to(query, asked)
    ours |= at_random(query, ours, costs, max_nodes)
    return [
        name
        for name, mine in ours.items()
        if name not in _NOT_THE_PEER_S and not name.startswith("wall_") and not same(mine, theirs.get(name, []))
    ]


def at_random(query: NavQuery, ours: Mapping[str, Any], costs: QueryFilter, max_nodes: int) -> dict[str, Any]:
    """Random points anywhere, and then around the first start, with the peer's numbers."""
    points = query.random_points(_RANDOM, costs, seed=_SEED, like_detour=True)
    found = {"random_ref": points.references, "random_pts": points.points}
    first = np.flatnonzero(ours["start_ref"])[:1]
    if len(first) and (points.status == _SUCCESS).all():
        start, center = int(ours["start_ref"][first[0]]), ours["start_nearest"][first[0]]
        around = query.random_points_around(_RANDOM, start, center, 6.0, costs, seed=_SEED, max_nodes=max_nodes)
        found |= {"circle_point_ref": around.references, "circle_point_pts": around.points}
    return found


def same(mine: Any, its: list[float]) -> bool:
    """Whether the peer's numbers, which JSON holds as float64, are these."""
    other = np.array(its, np.float64)
    if mine.dtype.kind != "f":
        return bool(np.array_equal(mine.reshape(-1).astype(np.int64), other.astype(np.int64) & 0xFFFFFFFF))
    return bool(np.array_equal(mine.reshape(-1).astype(np.float64), other))


def timed(query: NavQuery, points: Any, threads: int, repeat: int) -> dict[str, float]:
    """Microseconds a row, the best of so many runs."""
    here, there = query.nearest(points[:, :3]), query.nearest(points[:, 3:])
    both = (here.references != 0) & (there.references != 0)
    first, last, a, b = here.references[both], there.references[both], here.points[both], there.points[both]

    def find() -> None:
        way = query.find_corridors(first, last, a, b, threads=threads)
        query.straight_paths(a, b, way.offsets, way.references, threads=threads)

    unlimited: Mapping[str, Any] = {"max_nodes": None, "max_path": None, "max_points": None}
    calls: Mapping[str, tuple[int, Callable[[], object]]] = {
        "find and straight": (len(a), find),
        EXACT: (len(a), lambda: query.find_paths(a, b, exact=True, threads=threads)),
        WHOLE: (
            len(a),
            lambda: query.find_paths(a, b, **unlimited, threads=threads),
        ),
        "nearest": (len(points), lambda: query.nearest(points[:, :3], threads=threads)),
        "ray": (len(a), lambda: query.raycast(first, a, b, threads=threads)),
        "move": (len(a), lambda: query.move_along_surface(first, a, b, threads=threads)),
    }
    found = {}
    for name, (rows, call) in calls.items():
        best = float("inf")
        for _ in range(repeat + 1):  # the first loads kernels
            began = time.perf_counter()
            call()
            best = min(best, time.perf_counter() - began)
        found[name] = 1e6 * best / rows
    return found


def compare(name: str, mesh: scenes.Mesh, tile_size: int, rows: int, rounds: int) -> None:
    navmesh = mset_bytes(build_navmesh(*mesh, Settings(tile_size=tile_size)))
    query = NavQuery(read_navmesh(navmesh))
    low, high = mesh[0].min(0), mesh[0].max(0)
    points = np.random.default_rng(1).uniform([*low, *low], [*high, *high], (rows, 6)).astype(np.float32)
    best: dict[str, dict[str, float]] = {}
    for _ in range(rounds):
        sides = {
            "peer": ask_peer(navmesh, points, repeat=3)["microseconds"],
            **{f"{threads}": timed(query, points, threads, 3) for threads in (1, 2)},
        }
        for side, figures in sides.items():
            for what, figure in figures.items():
                row = best.setdefault(what, {})
                row[side] = min(figure, row.get(side, figure))
    for what, row in best.items():
        beside = best[WHOLE] if what == EXACT else {side: row.get("peer", np.nan) for side in ("1", "2")}
        ratios = "".join(f"{row[side]:>9.2f} {row[side] / beside[side]:>5.2f}" for side in ("1", "2"))
        print(f"{name:<12}{what:<20}{row.get('peer', np.nan):>8.2f}{ratios}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("meshes", nargs="*", type=Path, help=".obj files (default: generated scenes)")
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=2, help="how often the sides take turns")
    arguments = parser.parse_args()
    install_peer()
    print(f"{'':<12}{'microseconds a row':<20}{'peer':>8}{'1 thread':>15}{'2 threads':>15}")
    chosen = {mesh.stem: (lambda mesh=mesh: (read_obj(mesh)[:2], 0)) for mesh in arguments.meshes} or SCENES
    for name, make in chosen.items():
        compare(name, *make(), arguments.rows, arguments.rounds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
