"""Long ways over districts beside the whole search: `python benchmarks/long_ways.py [--rows 1000] [--rounds 5]`.

One thread, processor time, both searches in turns; of each the best round. Pairs are random points of the ground;
*joined* are those that a way joins, *far* those of them that lie at least half of the level's side apart. Districts are
made before, and their time is told by itself. The ratio of costs is the mean over all complete ways, with the largest
one; both ways are pulled straight.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]

from navcore import NavQuery, PathStatus, QueryFilter, Settings, build_navmesh  # noqa: E402
from navcore.navquery.districts import districts_of  # noqa: E402
from tests import scenes  # noqa: E402

WATER = {"shape": "box", "area": 1, "min": [100, -9, 40], "max": [140, 9, 400]}
LEVELS: dict[str, Callable[[], scenes.Mesh]] = {
    "city": lambda: scenes.city(29),
    "terrain": lambda: scenes.terrain(1024, 0.45, 0.07),
    "plaza": lambda: scenes.plaza(152),
}
_HALF = (2.0, 100.0, 2.0)  # points are of the ground: their heights are not asked for
_UNLIMITED: Any = {
    "max_nodes": None,
    "max_path": None,
    "max_points": None,
    "heuristic": "least_cost",
    "partial": "closest",
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("levels", nargs="*", default=list(LEVELS), help=", ".join(LEVELS))
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    print(f"{'':<30}{'whole':>9}{'long':>9}{'faster':>9}{'cost':>9}{'at most':>9}{'found':>8}")
    for name in arguments.levels:
        query = NavQuery(build_navmesh(*LEVELS[name](), Settings(tile_size=64), volumes=[WATER]))
        columns, rows = (int(getattr(query.tiles(), axis).max()) + 1 for axis in ("x", "y"))
        print(f"{name}, {columns} x {rows} tiles, {len(query.references()):,} polygons")
        for told, costs in (("one cost", {}), ("water costs 5", {1: 5.0})):
            compare(query, QueryFilter(costs), told, arguments.rows, arguments.rounds)
    return 0


def compare(query: NavQuery, who: QueryFilter, told: str, rows: int, rounds: int) -> None:
    points = query.random_points(2 * rows, seed=1).points
    pairs = {"all": (points[:rows], points[rows:])}
    side = np.ptp(query.tiles().low[:, [0, 2]], axis=0).max()
    away = np.linalg.norm((points[:rows] - points[rows:])[:, [0, 2]], axis=1)
    is_joined = query.find_paths(*pairs["all"], who, extents=_HALF, **_UNLIMITED).status == PathStatus.COMPLETE
    for name, chosen in (("joined", is_joined), ("far", is_joined & (away > side / 2))):
        pairs[name] = tuple(half[chosen] for half in pairs["all"])
    made = min(seconds(partial(districts_of, query._mesh, who.rule()))[0] for _ in range(rounds))
    for name, (here, there) in pairs.items():
        best, answers = [np.inf, np.inf], [None, None]
        for _ in range(rounds + 1):
            for number, ask in enumerate((partial(query.find_paths, **_UNLIMITED), query.find_long_paths)):
                took, answers[number] = seconds(partial(ask, here, there, who, extents=_HALF, threads=1))
                best[number] = min(best[number], took)
        whole, long = answers
        assert whole.status.tolist() == long.paths.status.tolist(), "a way is missed"
        complete = (whole.status == PathStatus.COMPLETE) & (whole.cost > 0)
        ratio = (long.paths.cost / whole.cost)[complete].astype(np.float64)
        figures = "".join(f"{1e6 * each / len(here):>9.1f}" for each in best)
        print(
            f"  {told + ', ' + name:<28}{figures}{best[0] / best[1]:>9.2f}{ratio.mean():>9.4f}{ratio.max():>9.3f}"
            f"{long.by_districts.mean():>8.2f}", flush=True,
        )  # fmt: skip
    print(f"  districts made in {1e3 * made:.1f} ms")


def seconds(call: Callable[[], Any]) -> tuple[float, Any]:
    began = time.process_time()
    found = call()
    return time.process_time() - began, found


if __name__ == "__main__":
    sys.exit(main())
