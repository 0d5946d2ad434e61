"""Builds from a tile store against full builds, measured side by side: `python benchmarks/store.py`.

Four builds take turns: a full one without a store, one that fills an empty store, one of a level that has not changed,
and one in which a box has moved. The figures are the processor's seconds of the best turn, so that other programs don't
matter; writing outputs is not part of any.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]

from navcore import NavMesh, Settings, build_navmesh  # noqa: E402
from navcore.geometry.grid import bounds_of  # noqa: E402
from tests import scenes  # noqa: E402

LEVELS: dict[str, tuple[Callable[[], scenes.Mesh], int]] = {
    "city_480k": (lambda: scenes.city(44), 64),
    "terrain_1m": (lambda: scenes.terrain(725, 0.45, 0.07), 64),
}
UNCHANGED, MOVED = 0.05, 0.1  # of a full build's time, at most, for a level of 1,000 tiles and more


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("levels", nargs="*", help=f"of {', '.join(LEVELS)} (default: all)")
    parser.add_argument("--rounds", type=int, default=3, help="how often they take turns")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json", type=Path, help="write the rows here as well")
    arguments = parser.parse_args()
    rows = [measured(name, arguments.rounds, arguments.threads) for name in arguments.levels or LEVELS]
    for row in rows:
        sys.stdout.write(
            f"{row['level']:<12}{row['tiles']:>6,} tiles  full {row['full'] * 1e3:,.0f} ms  first {row['first']:.3f}  "
            f"unchanged {row['unchanged']:.3f}  one moved box {row['moved']:.3f} ({row['built']} tiles)  "
            f"{row['bytes_per_tile']:,.0f} bytes a tile\n"
        )
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=2) + "\n")
    return int(any(row["tiles"] >= 1000 and (row["unchanged"] > UNCHANGED or row["moved"] > MOVED) for row in rows))


def measured(name: str, rounds: int, threads: int) -> dict[str, Any]:
    """Ratios for one level: the best turn of each kind against the best full build."""
    make, tile_size = LEVELS[name]
    level, settings = make(), Settings(tile_size=tile_size)
    low, high = bounds_of(level[0])
    low[1], high[1] = low[1] - 2, high[1] + 2
    bounds = [*low.tolist(), *high.tolist()]
    best: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:

        def build(kind: str, mesh: scenes.Mesh, store: Path | None) -> NavMesh:
            began = time.process_time()
            navmesh = build_navmesh(*mesh, settings, bounds=bounds, threads=threads, store=store)
            best[kind] = min(best.get(kind, 1e9), time.process_time() - began)
            return navmesh

        for _ in range(2):  # kernels are loaded, and the code is hashed
            build("warm-up", scenes.flat(30), Path(folder) / "other")
        for number in range(rounds):
            store = Path(folder) / str(number)
            build("full", with_box(level, 40), None)
            build("first", with_box(level, 40), store)
            stored = sum(path.stat().st_size for path in store.iterdir())
            build("unchanged", with_box(level, 40), store)
            moved = build("moved", with_box(level, 150), store)
    tiles = moved.report.counts["tiles"]
    assert moved.report.store is not None
    row: dict[str, Any] = {"level": name, "triangles": len(level[1]), "tiles": tiles, "full": best["full"]}
    row |= {kind: best[kind] / best["full"] for kind in ("first", "unchanged", "moved")}
    return row | {"built": moved.report.store["built"], "bytes_per_tile": stored / tiles}


def with_box(level: scenes.Mesh, x: float) -> scenes.Mesh:
    """The level with a box in it that all other triangles come after."""
    return scenes.join([scenes.box(x, -1, 60, 2, 3, 2), level])


if __name__ == "__main__":
    sys.exit(main())
