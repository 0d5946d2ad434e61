"""What finding links costs beside the build: `python benchmarks/links.py [LEVEL…]`, one thread, best of several.

Seconds are those of the processor, as links are found on one thread here. Builds with and without links take turns, so
that what else the machine does slows down both.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from navcore import NavMesh, Settings, build_navmesh, read_mesh
from tests import scenes

ROUNDS = 15
VARIANTS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("defaults", {}),
    ("half the cell", {"cell_size": 0.15, "cell_height": 0.1}),
    ("far jumps", {"link_jump_distance": 4.0, "link_jump_height": 1.4, "link_drop_height": 6.0}),
    ("tiles of 64", {"tile_size": 64}),
)


def main(names: list[str]) -> None:
    """Print a table."""
    levels = {Path(name).stem: _read(Path(name)) for name in names} or {
        "city": scenes.city(6, 120), "terrain": scenes.terrain(400), "slabs": scenes.slabs(3, 40, 40),
    }  # fmt: skip
    print(f"{'level':<12} {'settings':<14} {'build ms':>9} {'links ms':>9} {'share':>6} {'links':>6}")
    for level, mesh in levels.items():
        for variant, settings in VARIANTS:
            (plain, _), (whole, navmesh) = _best(
                partial(build_navmesh, *mesh, Settings(**settings), threads=1),
                partial(build_navmesh, *mesh, Settings(generate_links=True, **settings), threads=1),
            )
            links = whole - plain
            found = len(navmesh.wide_links)
            print(f"{level:<12} {variant:<14} {1e3 * plain:9.1f} {1e3 * links:9.1f} {links / plain:6.0%} {found:6d}")


def _read(path: Path) -> scenes.Mesh:
    mesh = read_mesh(path)
    return mesh.vertices, mesh.triangles


def _best(*builds: Callable[[], NavMesh]) -> list[tuple[float, NavMesh]]:
    """The least seconds of each build, and what came of it."""
    results = [(float("inf"), build()) for build in builds]
    for _ in range(ROUNDS):
        for number, build in enumerate(builds):
            began = time.thread_time()
            navmesh = build()
            results[number] = min(results[number][0], time.thread_time() - began), navmesh
    return results


if __name__ == "__main__":
    main(sys.argv[1:])
