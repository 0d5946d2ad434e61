"""Tile caches beside the peer's, Recast's as WebAssembly: `python benchmarks/obstacles.py`.

Both build a cache of the same level and load the same file of one; in it the same obstacles come one after the other,
each until nothing waits, and go again. One thread; the sides take turns. Needs Node.js; the peer is installed by npm
into a folder that git ignores.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]

from benchmarks.run import install_peer  # noqa: E402
from navcore import NavQuery, Settings, TileCache  # noqa: E402
from tests import scenes  # noqa: E402

_OBSTACLES = 100  # as many as there is room for, and some left over
SETTINGS = Settings(tile_size=48)
SCENES = {"city": lambda: scenes.city(4), "terrain": lambda: scenes.terrain(224, 0.45, 0.07)}


def obstacles_on(cache: TileCache) -> list[list[float]]:
    """Cylinders at random places of its ground."""
    points = NavQuery(cache.navmesh).random_points(_OBSTACLES, seed=1).points
    return [[*map(float, point - [0, 0.3, 0]), 0.8, 1.5] for point in points]


def peer_config(settings: Settings) -> dict[str, Any]:
    """What `generateTileCache` is asked for."""
    voxels = settings.in_voxels()
    return {
        "cs": settings.cell_size, "ch": settings.cell_height, "walkableSlopeAngle": settings.agent_max_slope,
        "walkableHeight": voxels.height_vx, "walkableClimb": voxels.climb_vx, "walkableRadius": voxels.radius_vx,
        "maxSimplificationError": settings.edge_max_error, "tileSize": settings.tile_size, "expectedLayersPerTile": 4,
        "maxObstacles": 128, "maxVertsPerPoly": 6,
    }  # fmt: skip


def ours(mesh: scenes.Mesh, content: bytes, obstacles: list[list[float]], turns: tuple[int, int]) -> dict[str, Any]:
    """The same as the peer says of itself."""
    builds, rounds = turns
    found: dict[str, Any] = {"build": [], "put": [], "taken": [], "tiles": 0}
    for _ in range(builds):
        began = time.perf_counter()
        TileCache(*mesh, SETTINGS, exact=True, threads=1)
        found["build"].append(time.perf_counter() - began)
    cache = TileCache.from_bytes(content, exact=True)
    for _ in range(rounds):
        put, taken, standing = list[float](), list[float](), list[int]()
        for x, y, z, radius, height in obstacles:
            began = time.perf_counter()
            standing.append(cache.add_cylinder((x, y, z), radius, height))
            found["tiles"] += cache.update()
            put.append(time.perf_counter() - began)
        for obstacle in standing:
            began = time.perf_counter()
            cache.remove(obstacle)
            found["tiles"] += cache.update()
            taken.append(time.perf_counter() - began)
        found["put"].append(put)
        found["taken"].append(taken)
    return found


def compare(mesh: scenes.Mesh, turns: tuple[int, int], repeat: int) -> dict[str, tuple[float, float]]:
    """Seconds of ours and of the peer's, for one build, one obstacle that comes and one that goes."""
    cache = TileCache(*mesh, SETTINGS, exact=True, threads=1)
    content, obstacles = cache.files()[0], obstacles_on(cache)
    ours(mesh, content, obstacles, (1, 1))  # everything is compiled
    sides: tuple[list[dict[str, Any]], list[dict[str, Any]]] = ([], [])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "level.bin").write_bytes(content)
        np.ascontiguousarray(mesh[0], "<f4").tofile(folder / "vertices.bin")
        np.ascontiguousarray(mesh[1], "<i4").tofile(folder / "triangles.bin")
        job = {
            "cache": str(folder / "level.bin"), "vertices": str(folder / "vertices.bin"),
            "triangles": str(folder / "triangles.bin"), "config": peer_config(SETTINGS), "obstacles": obstacles,
            "builds": turns[0], "rounds": turns[1],
        }  # fmt: skip
        (folder / "job.json").write_text(json.dumps(job))
        for _ in range(repeat):
            sides[0].append(ours(mesh, content, obstacles, turns))
            sides[1].append(peer(folder / "job.json"))
    assert sides[0][0]["tiles"] == sides[1][0]["tiles"], "both build the same tiles"
    return {what: (best(sides[0], what), best(sides[1], what)) for what in ("build", "put", "taken")}


def best(runs: list[dict[str, Any]], what: str) -> float:
    """Seconds: the best of all builds; of obstacles the mean of each one's best."""
    rounds = np.array([row for run in runs for row in run[what]])
    return float(rounds.min(axis=0).mean())


def peer(job: Path) -> dict[str, Any]:
    """What the peer says; see peer/obstacles.mjs."""
    command = ["node", str(HERE / "peer" / "obstacles.mjs"), str(job)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"the peer failed: {done.stderr.strip()[-2000:]}")
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser("obstacles.py", description="Tile caches beside the peer's.")
    parser.add_argument("--repeat", type=int, default=3, help="turns that each side takes")
    parser.add_argument("--scene", choices=[*SCENES], action="append", help="one of the levels; all of them by default")
    options = parser.parse_args(argv)
    install_peer()
    for name in options.scene or SCENES:
        for what, (mine, its) in compare(SCENES[name](), (5, 6), options.repeat).items():
            label = {"build": "a cache built", "put": "an obstacle put", "taken": "an obstacle taken away"}[what]
            print(f"{name}: {label}: {mine * 1e3:.3f} ms, the peer {its * 1e3:.3f} ms: {mine / its:.2f} of its time")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
