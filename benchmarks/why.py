"""How long `why` takes on a level of a million triangles: `python benchmarks/why.py`.

The first answer includes preparing the level, in one piece with its polygons. Then random points of its surface are
asked one by one; kernels are loaded before. Where no local rule removed a place, its tile is built for it once.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parent.parent)]

from navcore import Settings, WhyHere  # noqa: E402
from tests import scenes  # noqa: E402


def measure(mesh: scenes.Mesh, settings: Settings, count: int) -> str:
    """One line of figures."""
    places = np.random.default_rng(1).integers(0, len(mesh[0]), count)
    began, worked = time.perf_counter(), time.process_time()
    level = WhyHere(*mesh, settings)
    level.prepare()
    level.ask(mesh[0][places[0]].tolist())
    first, first_work = (time.perf_counter() - began) * 1e3, (time.process_time() - worked) * 1e3
    seconds, codes = [], Counter[str]()
    for place in places[1:]:
        point = mesh[0][place].tolist()
        began, worked = time.perf_counter(), time.process_time()
        codes[level.ask(point).code] += 1
        seconds.append((time.perf_counter() - began, time.process_time() - worked))
    (middle, _), (most, work) = np.median(seconds, axis=0) * 1e3, np.max(seconds, axis=0) * 1e3
    return (
        f"first {first:.0f} ms ({first_work:.0f} ms of processor time), then {middle:.1f} ms (median), {most:.0f} ms "
        f"(slowest; {work:.0f} ms of processor time): {dict(codes)}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=200, help="how many places are asked about")
    count = parser.parse_args().points
    mesh = scenes.terrain(710)
    for settings in (Settings(), Settings(tile_size=64)):
        measure(scenes.terrain(60), settings, 40)
        tiles = f"tiles of {settings.tile_size} cells" if settings.tile_size else "in one piece"
        print(f"{len(mesh[1]):,} triangles, {tiles}: {measure(mesh, settings, count)}")


if __name__ == "__main__":
    main()
