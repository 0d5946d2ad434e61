"""Finer cells in some tiles beside everywhere: `python benchmarks/resolution.py [--rounds 5]`.

In turns, one thread, in seconds of the processor: a city with the usual cells, the same with 16 of its 100 tiles at
each resolution, and a build with such cells everywhere. Printed are ratios to the usual build, their medians over the
rounds, what a tile takes, in seconds and megabytes, as reports have it, and bytes of the file.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from navcore import BoxVolume, NavMesh, Settings, build_navmesh, settings_at_resolution
from navcore.formats.mset import mset_bytes
from tests import scenes

SETTINGS = Settings(cell_size=0.2, cell_height=0.1, tile_size=64, agent_radius=0.4, agent_max_climb=0.4)
TILES = 3.2  # along each side of what has other cells: four are touched


def main() -> None:
    parser = argparse.ArgumentParser("resolution.py")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    mesh = scenes.city(8, 60)
    wide = TILES * SETTINGS.tile_size * SETTINGS.cell_size
    builds: dict[str, Callable[[], NavMesh]] = {"usual": lambda: build_navmesh(*mesh, SETTINGS, threads=1)}
    for scale in (0.25, 0.5, 2.0):
        place = BoxVolume(min=(1, 0, 1), max=(wide, 0, wide), resolution=scale)
        builds[f"{scale:g} in part"] = lambda own=place: build_navmesh(*mesh, SETTINGS, volumes=[own], threads=1)  # type: ignore[misc]
        everywhere = settings_at_resolution(SETTINGS, scale)
        builds[f"{scale:g} everywhere"] = lambda own=everywhere: build_navmesh(*mesh, own, threads=1)  # type: ignore[misc]
    found: dict[str, list[float]] = {name: [] for name in builds}
    made: dict[str, NavMesh] = {}
    for _ in range(options.rounds + 1):
        for name, build in builds.items():
            begun = time.process_time()
            made[name] = build()
            found[name].append(time.process_time() - begun)
    usual = statistics.median(found["usual"][1:])
    for name, seconds in found.items():
        navmesh = made[name]
        print(
            f"{name:<16} {statistics.median(seconds[1:]) / usual:5.2f} × the time, "
            f"{len(mset_bytes(navmesh)) / len(mset_bytes(made['usual'])):5.2f} × the file"
        )
        for cost in navmesh.report.resolutions.values():
            print(
                f"    {cost.scale:g}: {cost.tiles} tiles, {1000 * cost.seconds / cost.tiles:.2f} ms each, "
                f"at most {cost.tile_mb:.2f} MB"
            )


if __name__ == "__main__":
    main()
