"""The picture of docs/guide/cover.md: walls and crates, the places of cover along them, and how exposed they are.

    .venv-nox/core/bin/python examples/cover_picture.py

Needs navcore alone. Every run draws the same picture.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from solids import Builder

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from navcore import Cover, Settings, Sight, build_navmesh, find_cover  # noqa: E402
from navcore.commands.picture_command import plan_of  # noqa: E402
from navcore.formats.plain_navmesh import plain_navmesh  # noqa: E402
from navcore.pictures.drawing import Dots, LegendEntry, Lines, Patches, line_sample, patch_sample  # noqa: E402
from navcore.pictures.plan_view import plan_view  # noqa: E402
from navcore.pictures.svg import svg_bytes  # noqa: E402
from navcore.types import F64  # noqa: E402

FOLDER = ROOT / "docs/guide/pictures"
SIZE = (22, 13)  # metres
HIGH = ((9.6, 0, 10.2, 4.5), (9.6, 7.5, 10.2, 13), (15, 3.2, 19, 3.8))  # x, z, x, z of walls of 2.5 m
LOW = ((3, 3, 6.5, 3.5), (3, 8, 3.6, 10.5), (6, 9.6, 7.4, 11), (13, 6.2, 14.2, 7.4), (16.5, 8.5, 20, 9.1))  # of 1.1 m
SHADES = ((0.25, "#1a7f37", "seen from less than a quarter"), (0.5, "#d4a72c", "from a quarter to a half"),
          (1.01, "#cf222e", "from a half and more"))  # fmt: skip
KINDS = (("high", "#24292f", 2.2), ("low", "#57606a", 1.0))
STEP = 0.34  # metres of the line towards a wall, and of those of a lean


def main(folder: Path = FOLDER) -> list[Path]:
    """Draw it; returns which picture that is."""
    build = Builder()
    build.box(0, 0, *SIZE, -0.3, 0)
    for walls, height in ((HIGH, 2.5), (LOW, 1.1)):
        for wall in walls:
            build.box(*wall, 0, height)
    level = build.part()
    navmesh = build_navmesh(*level, Settings(cell_size=0.15, agent_radius=0.4))
    cover = find_cover(navmesh, Sight(*level))
    plan = plan_of(plain_navmesh(navmesh))._replace(area_names={0: "ground"})
    shapes, entries = solids()
    more, more_entries = marks(cover)
    drawing = plan_view("Where to hide", plan).over((*shapes, *more), (*entries, *more_entries))
    picture = folder / "cover.svg"
    picture.write_bytes(svg_bytes(drawing, 900))
    return [picture]


def solids() -> tuple[list[Patches], list[LegendEntry]]:
    """What stands there, from above."""
    shapes, entries = [], []
    for walls, fill, name in ((HIGH, "#57534e", "2.5 m high"), (LOW, "#a8a29e", "1.1 m high")):
        corners = np.array([[(a, b), (c, b), (c, d), (a, d)] for a, b, c, d in walls], np.float64).reshape(-1, 2)
        shapes.append(Patches(corners, np.arange(0, len(corners) + 1, 4), fill, fill))
        entries.append(LegendEntry(patch_sample(fill, fill), name))
    return shapes, entries


def marks(cover: Cover) -> tuple[list[Lines | Dots], list[LegendEntry]]:
    """A dot for each place, a line to what hides there, and lines to where one leans."""
    at, towards = cover.at[:, [0, 2]], cover.towards[:, [0, 2]]
    left = towards[:, ::-1] * [1, -1]
    shapes: list[Lines | Dots] = []
    entries = []
    for kind, color, width in KINDS:
        rows = cover.kind == kind
        shapes.append(lines(at[rows], towards[rows], color, width))
        entries.append(LegendEntry(line_sample(color, width), f"{kind} cover, towards the wall"))
    for side, turn in enumerate((1, -1)):
        rows = cover.lean[:, side]
        shapes.append(lines(at[rows], turn * left[rows], "#8250df", 1.6))
    entries.append(LegendEntry(line_sample("#8250df", 1.6), "lean out to this side"))
    least = 0.0
    for most, color, name in SHADES:
        rows = (cover.exposure >= least) & (cover.exposure < most)
        shapes.append(Dots(at[rows], color, 3.2))
        entries.append(LegendEntry(Dots(np.zeros((0, 2)), color, 3.2), name))
        least = most
    return shapes, entries


def lines(at: F64, way: F64, color: str, width: float) -> Lines:
    ends = np.stack([at, at + STEP * way], axis=1).reshape(-1, 2)
    return Lines(ends, np.arange(0, len(ends) + 1, 2), color, width)


if __name__ == "__main__":
    print(*main())
