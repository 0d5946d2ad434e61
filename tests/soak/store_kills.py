"""Builds that are killed while they fill one tile store, two at a time: `python -m tests.soak.store_kills --kills 50`

After every pair builds from the store are compared with full builds, byte for byte. Prints how many tiles were reused,
and fails where a byte differs or where anything but a cut-off end was found.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random

import numpy as np

from navcore import NavMesh, Settings, build_navmesh
from tests import scenes

ROOT = Path(__file__).resolve().parents[2]
_BLOCKS = 6  # of the city that is built
_SETTINGS = Settings(tile_size=24)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child is not None:
        return _build_aloud(arguments.seed, arguments.child)
    wrong = [number for number in range(0, arguments.kills, 2) if not _sound(arguments.seed + number)]
    print(
        f"{arguments.kills} builds were killed; wrong after numbers {wrong}" if wrong else "all bytes as they should be"
    )
    return int(bool(wrong))


def kill_soon(process: subprocess.Popen[str], random: Random, tiles: int) -> None:
    """Kill a build that writes a line for each tile, a moment after so many of them."""
    assert process.stdout is not None
    for _ in range(tiles):
        process.stdout.readline()
    time.sleep(random.uniform(0, 0.003))
    process.kill()
    process.communicate()


def _sound(seed: int) -> bool:
    """Kill two builds of two levels at random moments; whether builds from what they left are right."""
    random = Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        store, reused, sound = Path(folder) / "store", 0, True
        processes = [_start(seed + i, store) for i in range(2)]
        for process in processes:
            kill_soon(process, random, random.randrange(0, 120))
        for number in (seed, seed + 1):
            for _ in range(2):
                stored = _built(number, store)
                sound &= _bytes(stored) == _bytes(_built(number, None)) and not stored.report.warnings
                reused += 0 if stored.report.store is None else stored.report.store["reused"]
        print(f"seed {seed}: {'sound' if sound else 'WRONG'}, {reused} tiles reused", flush=True)
    return sound


def _start(seed: int, store: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.soak.store_kills", "--seed", str(seed), "--child", str(store)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def _build_aloud(seed: int, store: Path) -> int:
    """What is killed: it says when a tile is done."""
    build_navmesh(*scenes.flat(20), _SETTINGS)  # kernels are loaded before anybody counts
    mesh, bounds = _level(seed)
    build_navmesh(*mesh, _SETTINGS, bounds=bounds, store=store, threads=1, on_tile=lambda *_: print("tile", flush=True))
    return 0


def _level(seed: int) -> tuple[scenes.Mesh, list[float]]:
    """The level of this number: a city with a box that others don't have, and its bounds."""
    random, side = Random(seed), 16.0 * _BLOCKS
    box = scenes.box(random.uniform(1, side - 5), 0, random.uniform(1, side - 5), 2, 1, 3)
    return scenes.join([box, scenes.city(_BLOCKS)]), [0, -1, 0, side, 9, side]


def _built(seed: int, store: Path | None) -> NavMesh:
    mesh, bounds = _level(seed)
    return build_navmesh(*mesh, _SETTINGS, bounds=bounds, store=store)


def _bytes(navmesh: NavMesh) -> bytes:
    parts = [b"%d %d" % tile[:2] for tile in navmesh.tiles]
    for tile in navmesh.tiles:
        parts += [np.asarray(part).tobytes() for part in (*tile.polygon_mesh[:7], *tile.polygon_mesh.grid)]
        parts += [part.tobytes() for part in tile.detail_mesh or ()]
    return b"".join(parts)


if __name__ == "__main__":
    sys.exit(main())
