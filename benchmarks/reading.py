"""What it takes to read a level: `python benchmarks/reading.py [--triangles 10000000] [--before FOLDER]`.

The whole command, which reads one generated level and builds it in tiles, from an .npz and from an .obj of the same
triangles; with `--before` also from the .obj by the navcore in another folder. Seconds are of the processor.
"""

from __future__ import annotations

import argparse
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]

from tests import scenes  # noqa: E402

_SIDE = 300.0  # metres of ground
_AT_ONCE = 100_000  # lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--triangles", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--before", type=Path, help="a checkout of other sources, to compare with")
    arguments = parser.parse_args()
    side = math.isqrt(arguments.triangles // 2) + 1
    vertices, triangles = scenes.terrain(side, _SIDE / (side - 1), 0.07)
    with tempfile.TemporaryDirectory() as folder:
        npz, obj, small = (Path(folder) / name for name in ("level.npz", "level.obj", "small.obj"))
        np.savez(npz, verts=vertices.astype("<f4"), tris=triangles.astype("<i4"))
        write_obj(obj, vertices, triangles)
        write_obj(small, *scenes.terrain(200))
        ways = {"npz": (npz, HERE.parent), "obj": (obj, HERE.parent)}
        if arguments.before:
            ways["obj, before"] = (obj, arguments.before)
        for _, sources in ways.values():  # compiles what is not compiled yet
            built(small, sources)
        rows = {name: [built(*way) for _ in range(arguments.rounds)] for name, way in ways.items()}
    print(f"{len(triangles):,} triangles; best of {arguments.rounds}")
    for name, runs in rows.items():
        print(f"{name:<12} {min(s for s, _ in runs):6.1f} s {min(mb for _, mb in runs):8.0f} MB")
    return 0


def write_obj(path: Path, vertices: np.ndarray, triangles: np.ndarray) -> None:
    with path.open("w", encoding="ascii") as file:
        for rows, line in ((vertices.astype(np.float32), "v %.9g %.9g %.9g\n"), (triangles + 1, "f %d %d %d\n")):
            for part in np.array_split(rows, len(rows) // _AT_ONCE + 1):
                file.write(line * len(part) % tuple(part.ravel().tolist()))


def built(level: Path, sources: Path) -> tuple[float, float]:
    """Seconds of the processor and megabytes at most, of one command."""
    words = ["build", level, "-o", level.with_suffix(".bin"), "--tile-size", "64", "--threads", "1"]
    running = subprocess.Popen([sys.executable, "-m", "navcore", *map(str, words)], cwd=sources)
    _, status, used = os.wait4(running.pid, 0)
    running.returncode = os.waitstatus_to_exitcode(status)
    if running.returncode:
        raise SystemExit(f"the command ended with {running.returncode}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


if __name__ == "__main__":
    sys.exit(main())
