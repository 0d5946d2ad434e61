"""One navmesh for three sizes of agents beside a build for one: `python benchmarks/sizes.py [--rounds 7] [MESH.npz …]`.

In turns, one thread, in seconds of the processor: a build for all three, and one for each. Printed are medians
of all three / one, where one is the mean of the three builds, and their geometric mean. Three builds cost 3.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from navcore import Settings, build_navmesh
from navcore.builder.cold_builds import let_build_cold
from tests import scenes

SIZES = (("child", 0.4, 1.2), ("human", 0.6, 2.0), ("ogre", 1.2, 3.0))


def main() -> None:
    parser = argparse.ArgumentParser("sizes.py")
    parser.add_argument("meshes", type=Path, nargs="*", help=".npz with verts and tris")
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    levels: dict[str, Any] = {"terrain": scenes.terrain(224, 0.45, 0.07), "city": scenes.city(6, 120)}
    for path in options.meshes:
        with np.load(path) as file:
            levels[path.stem if path.stem != "mesh" else path.parent.name] = (
                file["verts"].reshape(-1, 3),
                file["tris"].reshape(-1, 3),
            )
    build_navmesh(*scenes.flat(20), Settings(), threads=1)
    let_build_cold(None)  # else levels of few tiles never have the kernel for whole tiles compiled, and take long
    ratios = []
    for tile_size in (0, 64):
        for name, mesh in levels.items():
            ratios.append(ratio(mesh, Settings(tile_size=tile_size), options.rounds))
            print(f"{name:<20} tile size {tile_size:<4} {ratios[-1]:.2f}")
    print(f"geometric mean {math.exp(statistics.fmean(map(math.log, ratios))):.2f}")


def ratio(mesh: Any, settings: Settings, rounds: int) -> float:
    """The median over the rounds; the first one compiles."""
    alone = [replace(settings, agent_radius=radius, agent_height=height) for _, radius, height in SIZES]
    found = []
    for _ in range(rounds + 1):
        joint = seconds(lambda: build_navmesh(*mesh, settings, sizes=SIZES, threads=1))
        single = [seconds(lambda own=own: build_navmesh(*mesh, own, threads=1)) for own in alone]  # type: ignore[misc]
        found.append(joint / statistics.fmean(single))
    return statistics.median(found[1:])


def seconds(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


if __name__ == "__main__":
    main()
