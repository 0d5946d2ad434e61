"""The flags of `navcore build`. Light, so that `--help` does not wait for NumPy and Numba."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..formats import ENDINGS
from .acceptance_gates import add_gate_flags
from .settings_flags import add_setting_flags
from .what_is_written import add_saying_flags


def add_build_flags(build: argparse.ArgumentParser) -> None:
    """The input, the outputs, and how to get from one to the others."""
    build.add_argument(
        "input",
        type=Path,
        metavar="INPUT",
        help="mesh, y up: .obj, .glb, .gltf, .npz (verts, tris, areas); with trimesh .ply, .stl, .off, .3mf",
    )
    build.add_argument(
        "-o",
        dest="outputs",
        type=Path,
        action="append",
        default=[],
        metavar="OUTPUT",
        help=f"{', '.join(ENDINGS)}, or NAME.TARGET.ENDING; may be given several times",
    )
    build.add_argument(
        "--target", metavar="NAME", help="what outputs are for whose ending several targets have: pathfinding for .glb"
    )
    build.add_argument("--settings", type=Path, metavar="FILE.json", help="settings by name; flags stand above it")
    build.add_argument(
        "--scene", type=Path, metavar="FILE.json", help="bounds, area volumes, links, seeds, areas by name"
    )
    build.add_argument("--threads", type=int, metavar="N", help="threads to build with (default: all cores)")
    build.add_argument("--dask", metavar="ADDRESS", help="build the tiles on the Dask cluster with this scheduler")
    build.add_argument(
        "--repeat", type=int, metavar="N", help="build N times after a warm-up; the report holds best and median"
    )
    build.add_argument("--dump-stages", type=Path, metavar="FILE.npz", help="write the arrays after every stage")
    build.add_argument(
        "--report", type=Path, metavar="FILE.json", help="write what happened, also when the build fails"
    )
    build.add_argument(
        "--failures",
        type=Path,
        metavar="FOLDER",
        help="where a mesh that can't be mended leaves what shows it again (default: the user's cache)",
    )
    build.add_argument(
        "--store",
        type=Path,
        metavar="FOLDER",
        help="keep built tiles there, and take those that would come out the same from there",
    )
    build.add_argument("--prune", action="store_true", help="leave out islands that no seed of the scene can reach")
    build.add_argument(
        "--skip-unchanged",
        action="store_true",
        help="do nothing where the outputs are still what would be built; stamps beside them tell",
    )
    add_saying_flags(build)
    add_gate_flags(build)
    add_setting_flags(build)
