"""How build time and peak memory grow: `python benchmarks/growth.py` writes pictures and figures into docs/.

Every point is a process of its own that builds one generated terrain in tiles on one thread: more triangles on the
same ground, then more and smaller cells under the same triangles.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]

from benchmarks.plot import log_plot  # noqa: E402
from tests import scenes  # noqa: E402

DOCS = HERE.parent / "docs"
TRIANGLES = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
CELLS = (10_000, 100_000, 1_000_000, 10_000_000, 100_000_000)
_SIDE = 300.0  # metres of ground
_FEW = 100_000  # triangles under which cells grow


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, default=100_000_000, help="leave out what is larger, for a quick look")
    arguments = parser.parse_args()
    by_triangles = [measured(n, 1_000_000, tile=64) for n in TRIANGLES if n <= arguments.most]
    by_cells = [measured(_FEW, cells, tile=256) for cells in CELLS if cells <= arguments.most]
    DOCS.joinpath("growth.json").write_text(json.dumps({"triangles": by_triangles, "cells": by_cells}, indent=1) + "\n")
    for name, unit, figure in (("time", "seconds", "seconds"), ("memory", "MB above an idle process", "memory_mb")):
        lines = {
            "triangles on 10⁶ cells": [(row["triangles"], row[figure]) for row in by_triangles],
            "cells under 10⁵ triangles": [(row["cells"], row[figure]) for row in by_cells],
        }
        picture = log_plot(f"Build {name}", "triangles, or cells", unit, lines)
        DOCS.joinpath(f"growth-{name}.svg").write_text(picture, encoding="utf-8")
    return 0


def measured(triangles: int, cells: int, tile: int) -> dict[str, Any]:
    """Seconds and memory of one level with about so many triangles and cells."""
    side = math.isqrt(triangles // 2) + 1
    mesh = scenes.terrain(side, _SIDE / (side - 1), 0.07)
    cell = _SIDE / math.sqrt(cells)
    with tempfile.TemporaryDirectory() as folder:
        file, idle = Path(folder) / "mesh.npz", Path(folder) / "idle.npz"
        np.savez(file, verts=mesh[0].astype("<f4"), tris=mesh[1].astype("<i4"))
        flat = scenes.flat(60.0)
        np.savez(idle, verts=flat[0].astype("<f4"), tris=flat[1].astype("<i4"))
        base = built(idle, 1.0, 16)["peak_memory_mb"]  # first: it may have to compile kernels
        report = built(file, cell, tile)
    row = {"triangles": len(mesh[1]), "cells": cells, "seconds": report["seconds"]["repeat"]["best"]}
    row |= {"memory_mb": max(report["peak_memory_mb"] - base, 0.1), "tiles": report["counts"]["tiles"]}
    sys.stdout.write(f"{row}\n")
    return row


def built(file: Path, cell: float, tile: int) -> dict[str, Any]:
    """What a build in a process of its own reports. The agent grows with the cells, so that slopes stay the same."""
    report = file.with_suffix(".json")
    high = cell / 2
    sizes = {"cell-size": cell, "cell-height": high, "agent-radius": 2 * cell, "agent-height": 10 * high}
    sizes["agent-max-climb"] = 4 * high
    flags = [word for name, value in sizes.items() for word in (f"--{name}", f"{value:.6g}")]
    command = [sys.executable, "-m", "navcore", "build", str(file), "--tile-size", str(tile)]
    command += ["--quiet", "--threads", "1", "--repeat", "1"]  # after one that loads the kernels
    subprocess.run([*command, *flags, "--report", str(report)], cwd=HERE.parent, check=True)
    result: dict[str, Any] = json.loads(report.read_text())
    return result


if __name__ == "__main__":
    sys.exit(main())
