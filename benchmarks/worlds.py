"""A world in sections, made by code: what building it costs, what a crate that moves costs, and how much memory.

python benchmarks/worlds.py [SECTIONS A SIDE] [CELLS A SIDE]     8 and 198: 64 sections of 78,000 triangles
python benchmarks/worlds.py memory [SECTIONS A SIDE] [CELLS A SIDE]
    of a world with one section that has four times as many triangles: the most memory that building it takes, and
    building that section alone, each in a process of its own (Linux)
"""

from __future__ import annotations

import json
import re
import resource
import subprocess
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


def memory(count: int = 8, cells: int = 198) -> None:
    with tempfile.TemporaryDirectory() as name:
        make(Path(name), count, cells)
        middle = f"{count // 2}-{count // 2}"
        x, z = (count // 2 * SIDE for _ in "xz")
        np.savez(Path(name) / f"{middle}.npz", **ground(x, z, 2 * cells))  # type: ignore[arg-type]
        most = []
        command = [sys.executable, __file__, "built", f"{name}/world.json", f"{name}/compiled", middle]
        subprocess.run(command, capture_output=True, check=True)  # compilers take more than worlds
        for what, only in (("its largest section alone", [middle]), ("the world", [])):
            command = [sys.executable, __file__, "built", f"{name}/world.json", f"{name}/{what}", *only]
            begun, peak = json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
            most.append((peak, peak - begun))
            print(f"{what}: at most {peak:,.0f} MB, {peak - begun:,.0f} MB beyond what kernels take")
        (alone, own), (whole, beyond) = most
        print(f"the world / the section: {whole / alone:.2f}, beyond kernels {beyond / own:.2f}")


def built(path: str, folder: str, *only: str) -> None:
    """Say how much memory was taken before a world was built, and at most by then."""
    world = read_world(path)
    with tempfile.TemporaryDirectory() as name:
        small = make(Path(name), 1, 8)
        build_world(small, Path(name) / "out", threads=1)  # kernels are loaded
    begun = megabytes("VmRSS")
    build_world(world, folder, only, threads=1)
    print(json.dumps([begun, megabytes("VmHWM")]))


def megabytes(what: str) -> float:
    """What this process takes, or took at most: what `getrusage` says begins at what its parent took."""
    found = re.search(rf"{what}:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert found is not None
    return int(found[1]) / 1024


if __name__ == "__main__":
    words = sys.argv[1:]
    if words[:1] == ["built"]:
        built(*words[1:])
    elif words[:1] == ["memory"]:
        memory(*map(int, words[1:]))
    else:
        main(*map(int, words))
