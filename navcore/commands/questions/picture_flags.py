"""What `navcore compare-paths` and `navcore picture` take. Light: neither NumPy nor Numba is imported."""

from __future__ import annotations

import argparse
import math
from pathlib import Path

from ..settings_flags import add_setting_flags
from .flags import ENDS, Run, point

_MOST_PAIRS = 1_000_000


def add_comparison_flags(compare: argparse.ArgumentParser, run: Run) -> None:
    compare.add_argument("file", type=Path, metavar="NAVMESH", help="a Detour navmesh, .bin: a set of tiles or one")
    compare.add_argument(
        "--pairs", type=_count, default=1000, metavar="N", help="how many random pairs of points (default: 1000)"
    )
    compare.add_argument("--seed", type=int, default=1, metavar="S", help="which random points (default: 1)")
    for name, dest in zip(ENDS, ("start", "end"), strict=True):
        compare.add_argument(name, dest=dest, type=point, metavar="X,Y,Z", help="this pair instead; metres, y up")
    compare.add_argument("-o", "--output", type=Path, metavar="PICTURE", help="draw one path in every way")
    compare.add_argument("--json", action="store_true", help="as JSON")
    compare.set_defaults(run=run)


def add_picture_flags(picture: argparse.ArgumentParser, run: Run) -> None:
    picture.add_argument(
        "file", type=Path, metavar="FILE",
        help="a navmesh: .bin, .json, .glb, .tres or .tscn; with --view a level, as `navcore build` takes it",
    )  # fmt: skip
    picture.add_argument("-o", "--output", type=Path, required=True, metavar="PICTURE", help=".svg or .png")
    picture.add_argument(
        "--width", type=int, default=1000, metavar="POINTS", help="of the whole picture (default: 1000)"
    )
    picture.add_argument(
        "--view", metavar="NAME", help="what a stage makes of the level: REASONS, REGIONS, CONTOURS, POLYGONS, TILES …"
    )
    picture.add_argument("--variant", default="", metavar="NAME", help="another form of the view")
    for name, default, text in (("lowest", -math.inf, "lower"), ("highest", math.inf, "higher")):
        picture.add_argument(
            f"--{name}", type=float, default=default, metavar="M", help=f"cut away from the view what lies {text}"
        )
    picture.add_argument(
        "--level", type=float, default=1.0, metavar="PART", help="how far a view that shows steps is, 0 to 1"
    )
    picture.add_argument("--settings", type=Path, metavar="FILE.json", help="settings by name; flags stand above it")
    picture.add_argument("--scene", type=Path, metavar="FILE.json", help="bounds, area volumes, links, areas by name")
    add_setting_flags(picture)
    picture.set_defaults(run=run)


def _count(text: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = 0
    if not 1 <= number <= _MOST_PAIRS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of pairs from 1 to {_MOST_PAIRS:,}")
    return number
