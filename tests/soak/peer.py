"""The soak's legal levels through Recast itself (npm, WebAssembly): `python -m tests.soak.peer --levels 1000`

Tells how many of its results break an invariant, by the checks that judge ours, and how many of the rest are the same
as ours without repair, to the last bit. Levels without detail samples are compared without detail: Recast reads out of
bounds there. The peer's C library breaks ties among bridges of one length in another order, so that holes may be joined
elsewhere: only where no hole was joined is another result a find. Needs Node.js.
"""

from __future__ import annotations

import argparse
import json
import queue
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from benchmarks.run import HERE, install_peer, plain
from navcore import NavmeshError, Settings, build_navmesh
from navcore.geometry.grid import raised, without_border
from navcore.result.navmesh import NavMesh, Tile
from navcore.types import DetailMesh, Grid, PolygonMesh

from .builds import BUILDS, settings_of
from .invariants import tile_violations
from .levels import Level, level_of

SECONDS = 10  # that one piece may take, before it hangs
DETAIL_FROM = 0.9  # cells
SAME, JOINED, DIFFERENT = "the same as ours", "holes joined elsewhere", "another result than ours without repair"


class Piece(NamedTuple):
    """A level, or one tile of it: what the peer is given, and what became of it here without repair."""

    grid: Grid
    triangles: np.ndarray[Any, Any]
    stages: dict[str, Any]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--first", type=int, default=0, help="number of the first level")
    parser.add_argument("--levels", type=int, default=100, help="how many")
    arguments = parser.parse_args()
    install_peer()
    ends, codes = soak(range(arguments.first, arguments.first + arguments.levels))
    print(f"{sum(ends.values()):,} builds of levels {arguments.first} to {arguments.first + arguments.levels - 1}")
    for end, count in ends.most_common():
        print(f"{count:>8,}  {end}")
    print("broken: " + ", ".join(f"{code} {count:,}" for code, count in codes.most_common()))
    return int(ends[DIFFERENT] > 0)


def soak(seeds: Iterable[int]) -> tuple[Counter[str], Counter[str]]:
    """How the peer's builds of these levels ended, and how many break which invariant."""
    ends: Counter[str] = Counter()
    codes: Counter[str] = Counter()
    peer = Peer()
    for seed in seeds:
        level = level_of(seed)
        for number in range(BUILDS if seed % 10 != 9 else 0):
            ours = strict(level, Settings.from_mapping(settings_of(level, seed, number) | {"repair": False}))
            if ours is None:
                continue
            end, found = compare(peer, level, ours)
            ends[end] += 1
            codes.update(found)
            if end == DIFFERENT:
                print(f"level {seed}, build {number}: {end}", flush=True)
    peer.end()
    return ends, codes


def strict(level: Level, settings: Settings) -> NavMesh | None:
    try:
        mesh = level.vertices, level.triangles
        return build_navmesh(*mesh, settings, volumes=level.volumes, threads=1, keep_stages=True)
    except NavmeshError:
        return None


def pieces(level: Level, ours: NavMesh) -> Iterator[Piece]:
    if ours.tile_grid is None:
        yield Piece(ours.stages["grid"], level.triangles, dict(ours.stages))
        return
    for stages in ours.stages.values():
        grid = stages["grid"]
        corners = level.vertices[level.triangles][:, :, [0, 2]]
        low, high = corners.min(1), corners.max(1)
        inside = (low <= grid.bounds_max[[0, 2]]).all(1) & (high >= grid.bounds_min[[0, 2]]).all(1)
        yield Piece(grid, level.triangles[inside], stages)


def compare(peer: Peer, level: Level, ours: NavMesh) -> tuple[str, set[str]]:
    """How the peer's build ended, and which invariants its result breaks."""
    found: set[str] = set()
    end = SAME
    for piece in pieces(level, ours):
        told = peer.ask(job(level, ours.settings, piece))
        if "failed" in told:
            return told["failed"], set()
        mesh, detail = meshes(told, ours.settings, piece.grid)
        if len(mesh.polygons):
            found |= set(tile_violations(Tile(0, 0, mesh, detail), piece.stages, ours.settings))
        same = equal(mesh, piece.stages["polygon_mesh"])
        if detail is not None and "detail_mesh" in piece.stages:
            same &= equal(detail, piece.stages["detail_mesh"])
        if not same and end != DIFFERENT:
            joined = np.diff(piece.stages["contours"].first) == 0  # a hole's slot is empty after it was joined
            end = JOINED if joined.any() else DIFFERENT
    return ("breaks an invariant", found) if found else (end, found)


def equal(one: Any, other: Any) -> bool:
    """Whether all arrays of two bundles hold the same."""
    names = [name for name, value in other._asdict().items() if isinstance(value, np.ndarray)]
    return all(np.array_equal(getattr(one, name), getattr(other, name), equal_nan=name == "vertices") for name in names)


def job(level: Level, settings: Settings, piece: Piece) -> dict[str, Any]:
    return {
        "vertices": level.vertices.ravel().astype(float).tolist(),
        "triangles": piece.triangles.ravel().tolist(),
        "grid": plain(piece.grid),
        "voxels": {name: float(value) for name, value in settings.in_voxels()._asdict().items()},
        "max_slope": settings.agent_max_slope,
        "partition": settings.partition,
        "vertices_per_polygon": settings.vertices_per_polygon,
        "filters": {
            "low_hanging": settings.filter_low_hanging_obstacles,
            "ledges": settings.filter_ledge_spans,
            "low_height": settings.filter_walkable_low_height_spans,
        },
        "median": settings.median_filter,
        "volumes": level.volumes,
        "tessellation": settings.tessellate_wall_edges + 2 * settings.tessellate_area_edges,
        "detail": settings.detail_mesh and settings.detail_sample_distance >= DETAIL_FROM,
    }


def meshes(told: dict[str, Any], settings: Settings, grid: Grid) -> tuple[PolygonMesh, DetailMesh | None]:
    """The peer's answer as bundles of ours."""
    most = settings.vertices_per_polygon
    mesh = {name: np.array(values, np.uint16) for name, values in told["mesh"].items()}
    rows = mesh["polygons"].reshape(-1, 2 * most)
    polygons, neighbors = np.ascontiguousarray(rows[:, :most]), np.ascontiguousarray(rows[:, most:])
    own = without_border(raised(grid, settings.in_voxels().height_vx))
    made = PolygonMesh(
        mesh["vertices"].reshape(-1, 3), polygons, neighbors, mesh["region"], mesh["area"].astype(np.uint8),
        len(rows), np.float32(settings.edge_max_error), own,
    )  # fmt: skip
    detail = told["detail"]
    if not detail:
        return made, None
    vertices = np.array([np.nan if v is None else v for v in detail["vertices"]], np.float32).reshape(-1, 3)
    triangles = np.array(detail["triangles"], np.uint8).reshape(-1, 4)
    return made, DetailMesh(np.array(detail["meshes"], np.uint32).reshape(-1, 4), vertices, triangles)


class Peer:
    """A Node process that builds what it is asked; a new one after a crash or a hang."""

    def __init__(self) -> None:
        self._start()

    def _start(self) -> None:
        command = ["node", "meshes.mjs"]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, cwd=HERE / "peer", stdin=pipe, stdout=pipe, text=True)
        self._answers: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, args=(self._process, self._answers), daemon=True).start()

    @staticmethod
    def _read(process: subprocess.Popen[str], answers: queue.Queue[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            answers.put(line)
        answers.put("")

    def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(question) + "\n")
            self._process.stdin.flush()
            line = self._answers.get(timeout=SECONDS)
        except queue.Empty:
            line = json.dumps({"failed": f"hangs (no answer for {SECONDS} s)"})
        except BrokenPipeError:
            line = ""
        told: dict[str, Any] = json.loads(line) if line else {"failed": "crashes (the process ended)"}
        if "RuntimeError" in told.get("failed", ""):
            told = {"failed": "crashes (out of bounds)"}
        if "crashes" in told.get("failed", "") or "hangs" in told.get("failed", ""):
            self.end()
            self._start()
        return told

    def end(self) -> None:
        self._process.kill()
        self._process.wait()


if __name__ == "__main__":
    sys.exit(main())
