"""Measures everything anew and writes the figures into docs/performance.md: `python benchmarks/page.py [MESH.obj …]`.

Meshes that are given are measured beside the generated levels. Takes half an hour on a quiet machine.
"""

from __future__ import annotations

import argparse
import platform
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent)]

from benchmarks.run import LARGE, SCENES, Turns, compare, install_peer  # noqa: E402
from navcore import Settings  # noqa: E402
from navcore.formats.obj.obj_reader import read_obj  # noqa: E402
from tests import scenes  # noqa: E402

PAGE = HERE.parent / "docs" / "performance.md"
BEGIN, END = "<!-- measured: python benchmarks/page.py -->", "<!-- end of what is measured -->"
TILE = 64


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("meshes", nargs="*", type=Path, help=".obj files")
    parser.add_argument("--rounds", type=int, default=3, help="how often the sides take turns")
    arguments = parser.parse_args()
    install_peer()
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    table = "\n".join([*machine(), "", *lines(rows(arguments.meshes, arguments.rounds))])
    PAGE.write_text(f"{before}{BEGIN}\n\n{table}\n\n{END}{after}", encoding="utf-8")
    return 0


def rows(meshes: list[Path], rounds: int) -> list[dict[str, Any]]:
    """Levels in one piece, then with the layers partition, then large ones in tiles."""
    given: dict[str, tuple[scenes.Mesh, int]] = {mesh.stem: (read_obj(mesh)[:2], 15) for mesh in meshes}
    given |= {name: (make(), repeat) for name, (make, repeat) in SCENES.items()}
    told = [compare(n, mesh, Settings(), Turns(rounds, repeat, navcat=True)) for n, (mesh, repeat) in given.items()]
    layers = Settings(partition="layers")
    told += [
        compare(n, mesh, layers, Turns(rounds, repeat)) for n, (mesh, repeat) in given.items() if n != "terrain_1m"
    ]
    large = {"terrain_1m": given["terrain_1m"][0]} | {name: make() for name, (make, _) in LARGE.items()}
    tiles = Settings(tile_size=TILE)
    return told + [compare(name, mesh, tiles, Turns(rounds, 2)) for name, mesh in large.items()]


def machine() -> list[str]:
    """What was measured on, without what tells one machine from another."""
    names = [line.split(":")[1].strip() for line in _cpu_lines() if line.startswith("model name")]
    node = subprocess.run([shutil.which("node") or "node", "--version"], capture_output=True, text=True, check=True)
    import numba
    import numpy

    return [
        f"{platform.system()} {platform.machine()}, {len(names) or 'some'} cores ({names[0] if names else 'unknown'}), "
        f"Python {platform.python_version()}, NumPy {numpy.__version__}, Numba {numba.__version__}, "
        f"Node {node.stdout.strip()}."
    ]


def _cpu_lines() -> list[str]:
    file = Path("/proc/cpuinfo")
    return file.read_text().splitlines() if file.is_file() else []


def lines(told: list[dict[str, Any]]) -> list[str]:
    """A table in Markdown; ratios to the WebAssembly peer."""
    heads = "level", "partition", "triangles", "peer", "1 thread", "2 threads", "2 threads, medians", "navcat"
    table = [f"| {' | '.join(heads)} |", "| --- | --- |" + " ---: |" * 6]
    for row in told:
        one, two = (f"{row['ours'][threads] / row['peer']:.2f}" for threads in (1, 2))
        level = row["scene"] + (f" in tiles of {row['tile_size']}" if row["tile_size"] else "")
        navcat = f"{row['navcat'] / row['peer']:.1f}" if "navcat" in row else ""
        peer = f"{row['peer'] * 1e3:,.1f} ms"
        cells = level, row["partition"], f"{row['triangles']:,}", peer, one, two, f"{row['medians'][2]:.2f}", navcat
        table.append(f"| {' | '.join(cells)} |")
    return table


if __name__ == "__main__":
    sys.exit(main())
