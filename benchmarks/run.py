"""Ratios of build time against Recast as WebAssembly, measured side by side: `python benchmarks/run.py [MESH.obj …]`.

All build from arrays in memory to polygon and detail mesh, in processes that take turns; the figure is the best run of
each. With `--navcat`, levels in one piece are also built by navcat, a port of Recast to JavaScript. Needs Node.js; the
peers are installed by npm into a folder that git ignores.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]

from navcore import Settings  # noqa: E402
from navcore.formats.obj.obj_reader import read_obj  # noqa: E402
from navcore.geometry.grid import bounds_of, solo_grid  # noqa: E402
from navcore.geometry.tile_grid import cut_into_tiles, grid_of_tile, select_triangles  # noqa: E402
from navcore.geometry.tile_key import TileKey  # noqa: E402
from navcore.threads import Workers  # noqa: E402
from navcore.types import Grid  # noqa: E402
from tests import scenes  # noqa: E402

SCENES = {
    "terrain_100k": (lambda: scenes.terrain(224, 0.45, 0.07), 10),
    "terrain_1m": (lambda: scenes.terrain(725, 0.45, 0.07), 3),
    "city": (lambda: scenes.city(8), 10),
}
LARGE = {"city_480k": (lambda: scenes.city(44), 3)}  # in tiles alone: as one piece it has too many vertices


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("meshes", nargs="*", type=Path, help=".obj files (default: generated scenes)")
    parser.add_argument("--partition", default="watershed")
    parser.add_argument("--tile-size", type=int, default=0)
    parser.add_argument("--rounds", type=int, default=3, help="how often the two sides take turns")
    parser.add_argument("--repeat", type=int, default=0, help="builds a process (default: by the size of the scene)")
    parser.add_argument("--threads", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--navcat", action="store_true", help="compare with navcat, too (watershed, in one piece)")
    parser.add_argument("--json", type=Path, help="write the rows here as well")
    arguments = parser.parse_args()
    install_peer()
    chosen = {m.stem: (lambda m=m: read_obj(m)[:2], 15) for m in arguments.meshes} or (
        SCENES | LARGE if arguments.tile_size else SCENES
    )
    rows = [
        compare(
            name,
            make(),
            Settings(partition=arguments.partition, tile_size=arguments.tile_size),
            Turns(arguments.rounds, arguments.repeat or repeat, tuple(arguments.threads), arguments.navcat),
        )
        for name, (make, repeat) in chosen.items()
    ]
    sys.stdout.write(table(rows))
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=2) + "\n")
    return 0


class Turns(NamedTuple):
    """How the sides take turns."""

    rounds: int
    repeat: int  # builds a process
    threads: tuple[int, ...] = (1, 2)
    navcat: bool = False


def install_peer(seconds: float | None = None) -> None:
    """Fetch the npm packages once, within so many seconds. The command is npm's own; it needs none of their scripts."""
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        raise SystemExit("The benchmarks compare with an npm package: install Node.js 20 or newer, then run again.")
    wanted = json.loads((HERE / "peer/package.json").read_text())["dependencies"]
    if not all((HERE / "peer/node_modules" / name / "package.json").is_file() for name in wanted):
        command = [npm, "install", "--ignore-scripts", "--no-package-lock"]
        subprocess.run(command, cwd=HERE / "peer", check=True, timeout=seconds)


def compare(name: str, mesh: scenes.Mesh, settings: Settings, turns: Turns) -> dict[str, Any]:
    """Let the peers and navcore take turns on one scene; best seconds of each, and whether the counts agree."""
    row: dict[str, Any] = {"scene": name, "triangles": len(mesh[1]), "partition": settings.partition}
    row |= {"tile_size": settings.tile_size, "same_counts": True}
    peer: list[float] = []
    navcat: list[float] = []
    ours: dict[int, list[float]] = {threads: [] for threads in turns.threads}
    middle: dict[int, list[float]] = {threads: [] for threads in turns.threads}
    with tempfile.TemporaryDirectory() as folder:
        job = write_job(Path(folder), mesh, settings, turns.repeat)
        for _ in range(turns.rounds):
            counts = run_peer("peer.mjs", job)
            peer += counts["seconds"]
            if turns.navcat:
                navcat += run_peer("navcat.mjs", job)["seconds"]
            for threads, best in ours.items():
                report = run_ours(Path(folder), settings, turns.repeat, threads)
                best.append(report["seconds"]["repeat"]["best"])
                middle[threads].append(report["seconds"]["repeat"]["median"])
                row["peak_memory_mb"] = report["peak_memory_mb"]
                row["same_counts"] &= all(report["counts"][k] == counts[k] for k in ("polygons", "detail_triangles"))
    row |= {"peer": min(peer), "ours": {threads: min(best) for threads, best in ours.items()}}
    row["medians"] = {t: statistics.median(m) / statistics.median(peer) for t, m in middle.items()}  # to the peer's
    return row | ({"navcat": min(navcat)} if navcat else {})


def write_job(folder: Path, mesh: scenes.Mesh, settings: Settings, repeat: int) -> Path:
    vertices, triangles = np.ascontiguousarray(mesh[0], "<f4"), np.ascontiguousarray(mesh[1], "<i4")
    np.savez(folder / "mesh.npz", verts=vertices, tris=triangles)
    pieces, order = cut(vertices, triangles, settings)
    vertices.tofile(folder / "vertices.bin")
    triangles[order].tofile(folder / "triangles.bin")
    job = {
        "vertices": str(folder / "vertices.bin"),
        "triangles": str(folder / "triangles.bin"),
        "pieces": pieces,
        "partition": settings.partition,
        "max_slope": settings.agent_max_slope,
        "vertices_per_polygon": settings.vertices_per_polygon,
        "voxels": {k: float(v) for k, v in settings.in_voxels()._asdict().items()},
        "warm_up": 2 if repeat > 1 else 0,  # one build alone is of a level that takes the peer minutes
        "repeat": repeat,
    }
    (folder / "job.json").write_text(json.dumps(job))
    return folder / "job.json"


def cut(vertices: Any, triangles: Any, settings: Settings) -> tuple[list[dict[str, Any]], Any]:
    """The pieces of the peer's build, and the order of triangles that their ranges count in."""
    voxels = settings.in_voxels()
    low, high = bounds_of(vertices)
    if settings.tile_size == 0:
        whole = solo_grid(low, high, voxels.cell_size, voxels.cell_height)
        return [{"grid": plain(whole), "first": 0, "end": len(triangles)}], np.arange(len(triangles))
    tiles = cut_into_tiles(low, high, settings, voxels)
    with Workers(1) as workers:
        chosen = select_triangles(tiles, vertices, triangles, (0, 0), (tiles.columns, tiles.rows), workers)
    pieces = []
    for t in range(tiles.columns * tiles.rows):
        first, end = int(chosen.first[t]), int(chosen.first[t + 1])
        if end > first:
            grid = grid_of_tile(tiles, TileKey(t % tiles.columns, t // tiles.columns))
            pieces.append({"grid": plain(grid), "first": first, "end": end})
    return pieces, chosen.order


def plain(grid: Grid) -> dict[str, Any]:
    corners = {"low": grid.bounds_min.astype(float).tolist(), "high": grid.bounds_max.astype(float).tolist()}
    return {"width": grid.width, "depth": grid.depth, "border": grid.border, **corners}


def run_peer(script: str, job: Path) -> dict[str, Any]:
    done = subprocess.run(["node", str(HERE / "peer" / script), str(job)], check=True, capture_output=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def run_ours(folder: Path, settings: Settings, repeat: int, threads: int) -> dict[str, Any]:
    report = folder / "report.json"
    command = [sys.executable, "-m", "navcore", "build", str(folder / "mesh.npz"), "--partition", settings.partition]
    command += ["--quiet", "--tile-size", str(settings.tile_size)]
    command += ["--threads", str(threads), "--repeat", str(repeat), "--report", str(report)]
    subprocess.run(command, cwd=HERE.parent, check=True)
    return json.loads(report.read_text())


def table(rows: list[dict[str, Any]]) -> str:
    """Rows as text: milliseconds of the peer, then ours and the ratio for each number of threads."""
    lines = [f"{'scene':<14}{'partition':<11}{'triangles':>10}{'peer ms':>9}  ours (ratio)"]
    for row in rows:
        ours = "  ".join(
            f"{t} thr {s * 1e3:.1f} ms ({s / row['peer']:.3f}, medians {row['medians'][t]:.3f})"
            for t, s in row["ours"].items()
        )
        mark = "" if row["same_counts"] else "  counts differ: something was mended"
        if "navcat" in row:
            ours += f"  navcat {row['navcat'] / row['peer']:.2f}"
        lines.append(
            f"{row['scene']:<14}{row['partition']:<11}{row['triangles']:>10,}{row['peer'] * 1e3:>9.1f}  {ours}"
            f"  peak {row['peak_memory_mb']:.0f} MB{mark}"
        )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
