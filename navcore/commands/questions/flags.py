"""What `navcore query`, `path`, `walk`, `compare` and `why` take. Light: neither NumPy nor Numba is imported."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Sequence
from pathlib import Path

_MOST_AREA = 63
ENDS, AT = ("--from", "--to"), "--at"
POINTS = (*ENDS, AT)

Run = Callable[[argparse.Namespace], int]


def add_query_flags(query: argparse.ArgumentParser, run: Run) -> None:
    query.add_argument("file", type=Path, metavar="NAVMESH.bin", help="a Detour navmesh: a set of tiles or one")
    query.add_argument(
        "questions", type=Path, metavar="QUESTIONS.npz",
        help="points (N, 6), each a start and an end; and extents, include, exclude, costs, max_nodes, max_path",
    )  # fmt: skip
    query.add_argument("-o", "--output", type=Path, required=True, metavar="ANSWERS.npz", help="where answers go")
    query.add_argument("--threads", type=int, metavar="N", help="threads to ask with (default: all cores)")
    query.set_defaults(run=run)


def add_path_flags(path: argparse.ArgumentParser, run: Run) -> None:
    path.add_argument("file", type=Path, metavar="NAVMESH", help="a Detour navmesh, .bin: a set of tiles or one")
    for name, dest in zip(ENDS, ("start", "end"), strict=True):
        path.add_argument(name, dest=dest, type=point, required=True, metavar="X,Y,Z", help="metres, y up")
    path.add_argument(
        "--exact", action="store_true",
        help="the truly shortest path as seen from above, instead of Detour's; one that cannot reach its end ends at "
        "the closest point it can reach",
    )  # fmt: skip
    path.add_argument(
        "--partial", choices=("detour", "closest"), default="detour",
        help="where a path ends that cannot reach its end: as Detour does it, or at the closest point it can reach",
    )  # fmt: skip
    path.add_argument(
        "--cost", type=_cost, action="append", default=[], metavar="AREA=COST",
        help="what a metre costs in an area (default: 1)",
    )  # fmt: skip
    path.add_argument(
        "--clearance", action="store_true",
        help="also tell how wide an agent may be on this path, where it is narrowest, and how wide any way there is",
    )  # fmt: skip
    path.add_argument("--json", action="store_true", help="as JSON")
    path.set_defaults(run=run)


def add_walk_flags(walk: argparse.ArgumentParser, run: Run) -> None:
    walk.add_argument("file", type=Path, metavar="NAVMESH", help="a Detour navmesh, .bin: a set of tiles or one")
    for name, dest in zip(ENDS, ("starts", "ends"), strict=True):
        walk.add_argument(
            name, dest=dest, type=point, action="append", required=True, metavar="X,Y,Z",
            help="metres, y up; once for each agent",
        )  # fmt: skip
    for name, default, text in (
        ("seconds", 30.0, "how long they walk"),
        ("frames-per-second", 24.0, "frames of the track"),
        ("radius", None, "metres (default: the agent that the navmesh was built for)"),
        ("height", 2.0, "metres"),
        ("max-speed", 1.5, "metres a second"),
        ("max-acceleration", 8.0, "metres a second, each second"),
        ("time-horizon", 1.5, "seconds ahead that collisions are seen"),
    ):
        said = "" if default is None else f" (default: {default:g})"
        walk.add_argument(f"--{name}", type=_metres, default=default, metavar="N", help=text + said)
    walk.add_argument("--seed", type=int, default=0, metavar="N", help="who gives way to which side (default: 0)")
    walk.add_argument("-o", "--output", type=Path, metavar="TRACK.json", help="where every frame goes")
    walk.add_argument("--json", action="store_true", help="as JSON")
    walk.set_defaults(run=run)


def add_compare_flags(compare: argparse.ArgumentParser, run: Run) -> None:
    for name, metavar, text in (("before", "A", "a navmesh of any format that is read"), ("after", "B", "another")):
        compare.add_argument(name, type=Path, metavar=metavar, help=text)
    for what in ("added", "removed"):
        compare.add_argument(
            f"--max-{what}", type=_metres, metavar="M2", help=f"end with status 3 if more square metres were {what}"
        )
    compare.add_argument("--cell", type=_metres, metavar="M", help="how finely to look (default: the smaller cells)")
    compare.add_argument(
        "--moved-by", type=_metres, metavar="M",
        help="ground that lies higher or lower by more has moved (default: a cell's height, 0.2 where no file says)",
    )  # fmt: skip
    compare.add_argument("--json", action="store_true", help="as JSON")
    compare.set_defaults(run=run)


def add_why_flags(why: argparse.ArgumentParser, run: Run) -> None:
    why.add_argument("level", type=Path, metavar="LEVEL", help="mesh, y up, as for build")
    why.add_argument(
        AT, type=point, required=True, metavar="X,Y,Z",
        help="the place in metres, y up: the highest surface at or below it, within the agent's height",
    )  # fmt: skip
    why.add_argument("--settings", type=Path, metavar="FILE.json", help="settings by name; flags stand above it")
    why.add_argument("--scene", type=Path, metavar="FILE.json", help="bounds, area volumes, links, seeds")
    why.add_argument("--threads", type=int, metavar="N", help="threads to build with (default: all cores)")
    why.add_argument("--json", action="store_true", help="as JSON")
    why.set_defaults(run=run)


def with_points(words: Sequence[str]) -> list[str]:
    """A command's words, points bound to their flags: argparse takes one that begins with a minus for a flag."""
    bound: list[str] = []
    for word in words:
        if bound and bound[-1] in POINTS and word[:1] == "-" and word[1:2] in "0123456789.":
            bound[-1] += f"={word}"
        else:
            bound.append(word)
    return bound


def point(text: str) -> tuple[float, float, float]:
    try:
        x, y, z = map(float, text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not three numbers such as 1,0,-2.5") from None
    if not (math.isfinite(x) and math.isfinite(y) and math.isfinite(z)):
        raise argparse.ArgumentTypeError(f"{text!r} is not a finite point")
    return x, y, z


def _metres(text: str) -> float:
    try:
        metres = float(text)
    except ValueError:
        metres = math.nan
    if not (math.isfinite(metres) and metres >= 0):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of 0 or more")
    return metres


def _cost(text: str) -> tuple[int, float]:
    area, _, cost = text.partition("=")
    try:
        number, price = int(area), float(cost)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not an area and its cost, such as 1=10") from None
    if not (0 <= number <= _MOST_AREA and math.isfinite(price) and price >= 0):
        raise argparse.ArgumentTypeError(f"{text!r}: areas are 0 to {_MOST_AREA}, and costs finite, 0 or more")
    return number, price
