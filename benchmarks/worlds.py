"""A world in sections, made by code: what building it costs, what a crate that moves costs, and how much memory.

python benchmarks/worlds.py [SECTIONS A SIDE] [CELLS A SIDE]     8 and 198: 64 sections of 78,000 triangles
"""

from __future__ import annotations

import json
import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).resolve().parent.parent)]

from navcore import World, build_world, read_world  # noqa: E402

SIDE = 38.4  # metres of a section: 2 × 2 tiles of 64 cells


def ground(x: float, z: float, cells: int) -> dict[str, object]:
    """A part of rolling ground."""
    lines = np.linspace(0, SIDE, cells + 1)
    xs, zs = np.meshgrid(x + lines, z + lines, indexing="ij")
    ys = 1.5 * np.sin(xs / 9) * np.cos(zs / 11) + 0.2 * np.sin(xs * 1.3)
    row = cells + 1
    first = (np.arange(cells)[:, None] * row + np.arange(cells)).ravel()
    triangles = np.concatenate([
        np.stack([first, first + 1, first + row + 1], 1), np.stack([first, first + row + 1, first + row], 1)
    ])  # fmt: skip
    return {"verts": np.stack([xs, ys, zs], -1).reshape(-1, 3).astype(np.float32), "tris": triangles.astype(np.int32)}


def crate(x: float, z: float) -> dict[str, object]:
    corners = np.float32([[x + 2 * i, 5 * j - 2, z + 2 * k] for i in (0, 1) for j in (0, 1) for k in (0, 1)])
    quads = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    return {"verts": corners, "tris": np.int32([[q[0], q[i], q[i + 1]] for q in quads for i in (1, 2)])}


def make(folder: Path, count: int, cells: int) -> World:
    rows = []
    for column in range(count):
        for row in range(count):
            x, z, name = column * SIDE, row * SIDE, f"{column}-{row}"
            np.savez(folder / f"{name}.npz", **ground(x, z, cells))  # type: ignore[arg-type]
            np.savez(folder / f"{name}-crate.npz", **crate(x + 18, z + 18))  # type: ignore[arg-type]
            meshes = [f"{name}.npz", f"{name}-crate.npz"]
            rows.append({"name": name, "meshes": meshes, "box": [x, z, x + SIDE, z + SIDE]})
    content = {
        "format": 1, "settings": {"cell_size": 0.3, "tile_size": 64}, "sections": rows,
        "bounds": [0, -4, 0, count * SIDE, 6, count * SIDE],
    }  # fmt: skip
    (folder / "world.json").write_text(json.dumps(content))
    return read_world(folder / "world.json")


def timed(what: str, world: World, *only: str) -> None:
    began = time.process_time()
    report = build_world(world, world.path.parent / "out", only, threads=1)
    seconds, megabytes = time.process_time() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    built = sum(row.built for row in report.sections)
    print(f"{what}: {built:,} built in {seconds:.2f} s of a processor, at most {megabytes:,.0f} MB so far")


def main(count: int = 8, cells: int = 198) -> None:
    with tempfile.TemporaryDirectory() as name:
        world = make(Path(name), count, cells)
        middle = f"{count // 2}-{count // 2}"
        timed("one section, kernels included", world, middle)
        timed("all others", world)
        timed("nothing has changed", world)
        np.savez(Path(name) / f"{middle}-crate.npz", **crate(count // 2 * SIDE + 21, count // 2 * SIDE + 19))  # type: ignore[arg-type]
        timed("a crate moved", world)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
