"""How long the pictures of stages take, and how large they are: `python benchmarks/views.py`.

The level is rolling ground with crates, made by rule, in one piece or in tiles. Printed are the seconds of the best of
some rounds, those of all processors together (other programs don't add to them), faces, and the bytes of a picture; its
place on the GPU comes on top. The first round, which compiles what is not compiled yet, is left out.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]

from navcore import NavMesh, Settings, build_navmesh  # noqa: E402
from navcore.views.catalog import VIEWS, stage_picture  # noqa: E402
from navcore.views.picture import Picture, Shown  # noqa: E402
from tests import scenes  # noqa: E402

CELL = 0.3  # metres
COLUMNS = (1415, 3000)  # along each side: two million cells, nine million
FEW_CORNERS = {"edge_max_length": 0, "edge_max_error": 3.0, "detail_mesh": False}  # so many cells may be one piece
ALLOWED = 0.5  # seconds for two million cells


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("columns", nargs="*", type=int, help=f"along each side (default: {COLUMNS})")
    parser.add_argument("--views", nargs="*", help="names (default: all)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tile-size", type=int, default=0)
    parser.add_argument("--rise", type=float, default=0.03, help="how steep the ground is; 0 is flat")
    parser.add_argument("--json", type=Path, help="write the rows here as well")
    arguments = parser.parse_args()
    rows = []
    for columns in arguments.columns or COLUMNS:
        level = terrain_with_crates(columns * CELL, arguments.rise)
        settings = Settings(cell_size=CELL, tile_size=arguments.tile_size, **FEW_CORNERS)
        navmesh = build_navmesh(*level, settings, keep_stages=True)
        print(f"{columns:,} × {columns:,} cells, {len(level[1]):,} triangles, {navmesh.report.counts['spans']:,} spans")
        for name in arguments.views or [view.name for view in VIEWS.values() if view.needs]:
            for variant in [variant for variant, _ in VIEWS[name].variants] or [""]:
                rows.append(measured(navmesh, level, name, variant, arguments.rounds) | {"columns": columns})
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=2) + "\n")
    late = [row for row in rows if row["columns"] ** 2 <= 2.1e6 and row["seconds"] > ALLOWED]
    return int(bool(late))


def terrain_with_crates(side: float, rise: float) -> scenes.Mesh:
    """Ground in triangles of one metre and a half, and a crate on every 10 × 10 m."""
    ground = scenes.terrain(int(side / 1.5) + 1, 1.5, rise)
    rng = np.random.default_rng(3)
    count = int((side / 10) ** 2)
    places, sizes = rng.uniform(2, side - 5, (count, 2)), rng.uniform(0.8, 3, (count, 3))
    heights = ground[0][:, 1].reshape(int(side / 1.5) + 1, -1)
    crates = [
        scenes.box(x, float(heights[int(z / 1.5), int(x / 1.5)]) - 0.5, z, w, h, d)
        for (x, z), (w, h, d) in zip(places.tolist(), sizes.tolist(), strict=True)
    ]
    return scenes.join([ground, *crates])


def measured(navmesh: NavMesh, level: scenes.Mesh, name: str, variant: str, rounds: int) -> dict[str, Any]:
    """One view, printed and returned."""
    seconds, processor = [], []
    for _ in range(rounds + 1):
        began, used = time.perf_counter(), time.process_time()
        picture = stage_picture(navmesh, name, Shown(variant=variant), level if name == "SLOPE" else None)
        seconds.append(time.perf_counter() - began)
        processor.append(time.process_time() - used)
    row = {"view": name, "variant": variant, "seconds": min(seconds[1:]), "processor": min(processor[1:])}
    row |= {"faces": len(picture.corners), "bytes": bytes_of(picture)}
    print(
        f"  {name:<12}{variant:<10}{row['seconds']:>7.3f} s ({row['processor']:.3f} of all processors)"
        f"{row['faces']:>12,} faces{row['bytes'] / 1e6:>9,.1f} MB"
        f"  {' '.join(note for note in picture.notes if note.startswith('Cells'))}"
    )
    return row


def bytes_of(picture: Picture) -> int:
    """Of its arrays."""
    return sum(array.nbytes for array in picture[:4])


if __name__ == "__main__":
    raise SystemExit(main())
