"""What an edit of a large level costs: `python benchmarks/level.py`

A terrain of a million triangles is one part, crates of one metre are others. One crate moves some metres at a time;
timed are `Level.update`, a full build of the same triangles in tiles, and `rebuild_tiles` around the same crate, in
turns. Memory is that of the level's arrays beside those of its triangles. With `--links N` there are N blocks to jump
off as well, and links are found: how long that takes of it all is told.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parent.parent)]

from navcore import Level, NavMesh, Settings, build_navmesh, rebuild_tiles  # noqa: E402
from navcore.types import F64  # noqa: E402
from tests import scenes  # noqa: E402

_STEP = 0.5  # metres between corners of the terrain


class Site:
    """A terrain with crates on it, as a level of parts and as one mesh."""

    def __init__(self, side: int, crates: int, blocks: int = 0) -> None:
        self.ground = scenes.terrain(side, _STEP, 0.05)
        self.rng, self._size = np.random.default_rng(1), _STEP * (side - 1)
        self.crates = [self._crate_at(self.rng.uniform(5, self._size - 5, 2)) for _ in range(crates)]
        self.crates += [self._block_at(self.rng.uniform(5, self._size - 15, 2)) for _ in range(blocks)]

    def _crate_at(self, spot: F64) -> scenes.Mesh:
        corners, triangles = scenes.box(-0.5, -0.5, -0.5, 1, 1, 1)
        near = np.abs(self.ground[0][:, ::2] - spot).sum(axis=1).argmin()
        return (corners + np.array([spot[0], self.ground[0][near, 1], spot[1]])).astype(np.float32), triangles

    def _block_at(self, spot: F64) -> scenes.Mesh:
        """Wide enough to stand on, and too high to step onto."""
        near = np.abs(self.ground[0][:, ::2] - spot).sum(axis=1).argmin()
        width, height, depth = self.rng.uniform((4, 2.5, 4), (9, 4, 9))
        return scenes.box(spot[0], float(self.ground[0][near, 1]) - 1, spot[1], width, height, depth)

    def move(self) -> None:
        """The first crate, by some metres."""
        spot = self.crates[0][0][:, ::2].mean(axis=0) + self.rng.uniform(-3, 3, 2)
        self.crates[0] = self._crate_at(np.clip(spot, 5, self._size - 5))

    def whole(self) -> scenes.Mesh:
        return scenes.join([self.ground, *self.crates])

    def level(self, settings: Settings) -> Level:
        level = Level(settings)
        level.set_part("ground", *self.ground)
        for number, mesh in enumerate(self.crates):
            level.set_part(f"crate {number}", *mesh)
        return level


def timed(work: Callable[[], NavMesh], seconds: list[float]) -> NavMesh:
    began = time.perf_counter()
    navmesh = work()
    seconds.append(time.perf_counter() - began)
    return navmesh


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--side", type=int, default=708, help="corners of the terrain along a side")
    parser.add_argument("--crates", type=int, default=200)
    parser.add_argument("--moves", type=int, default=60)
    parser.add_argument("--tile-size", type=int, default=64)
    parser.add_argument("--links", type=int, default=0, metavar="N", help="find links around so many blocks")
    arguments = parser.parse_args()
    settings = Settings(tile_size=arguments.tile_size, generate_links=arguments.links > 0)
    site = Site(arguments.side, arguments.crates, arguments.links)
    level = site.level(settings)
    seconds: list[list[float]] = [[] for _ in range(5)]
    first, builds, boxes, moves, tiles = seconds
    links: list[float] = []
    timed(level.update, first)
    full = timed(lambda: build_navmesh(*site.whole(), settings), builds)

    def updated() -> NavMesh:
        level.set_part("crate 0", *site.crates[0])
        return level.update()

    for move in range(arguments.moves):
        before = site.crates[0][0]
        site.move()
        navmesh = timed(updated, moves)
        tiles.append(len(level.rebuilt))
        links.append(navmesh.report.seconds.get("links", 0.0))
        if move % 20 == 0:
            both, mesh = np.concatenate([before, site.crates[0][0]]), site.whole()
            box, old = [*both.min(axis=0), *both.max(axis=0)], full
            timed(lambda: rebuild_tiles(old, box, *mesh), boxes)  # noqa: B023
            full = timed(lambda: build_navmesh(*mesh, settings), builds)  # noqa: B023
            check_same(navmesh, full)
    middle, whole = statistics.median(moves), statistics.median(builds)
    print(f"{len(site.whole()[1]):,} triangles in {1 + len(site.crates):,} parts, {len(full.tiles)} tiles")
    again = 1000 * statistics.median(boxes)
    print(f"first update {first[0]:.2f} s, full build {whole:.2f} s, rebuild_tiles {again:.0f} ms")
    print(f"a crate moved: median {1000 * middle:.1f} ms, worst {1000 * max(moves):.1f} ms, "
          f"{statistics.mean(tiles):.1f} tiles, {middle / whole:.4f} of the full build")  # fmt: skip
    if settings.generate_links:
        again, anew = 1000 * statistics.median(links), full.report.seconds["links"]
        print(f"{len(full.wide_links):,} links: {again:.1f} ms of a move, {anew:.2f} s of a full build, "
              f"{span_bytes(level):.1f} bytes a cell kept for them")  # fmt: skip
    held, given = memory_of(level), sum(array.nbytes for mesh in (site.ground, *site.crates) for array in mesh)
    print(f"the level holds {held / 1e6:.0f} MB for {given / 1e6:.0f} MB of triangles, {held / given:.2f} times")
    return 0


def check_same(navmesh: NavMesh, full: NavMesh) -> None:
    for one, other in zip(navmesh.tiles, full.tiles, strict=True):
        if one.polygon_mesh.vertices.tobytes() != other.polygon_mesh.vertices.tobytes():
            raise RuntimeError("the level is not what a full build makes of it")
    if navmesh.wide_links != full.wide_links or navmesh.failing_ends != full.failing_ends:
        raise RuntimeError("its links are not those of a full build")


def span_bytes(level: Level) -> float:
    """Of the spans that are kept for links, by cells."""
    spans, grid = level._links.spans, level._seen.grid
    return 0.0 if spans is None else spans.bytes / (grid.columns * grid.rows * grid.size**2)


def memory_of(level: Level) -> int:
    """Bytes of the arrays of all parts, what they know of tiles included."""
    total = 0
    for part in level._parts.values():
        total += sum(array.nbytes for array in part.geometry)
        if part._selection is not None:
            total += part._selection.first.nbytes + part._selection.order.nbytes
    return total


if __name__ == "__main__":
    sys.exit(main())
