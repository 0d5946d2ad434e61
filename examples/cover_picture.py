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

from navcore import Settings, Sight, build_navmesh, find_cover  # noqa: E402
from navcore.commands.picture_command import plan_of  # noqa: E402
from navcore.formats.plain_navmesh import plain_navmesh  # noqa: E402
from navcore.pictures.cover_marks import cover_marks  # noqa: E402
from navcore.pictures.drawing import LegendEntry, Patches, patch_sample  # noqa: E402
from navcore.pictures.plan_view import plan_view  # noqa: E402
from navcore.pictures.svg import svg_bytes  # noqa: E402

FOLDER = ROOT / "docs/guide/pictures"
SIZE = (22, 13)  # metres
HIGH = ((9.6, 0, 10.2, 4.5), (9.6, 7.5, 10.2, 13), (15, 3.2, 19, 3.8))  # x, z, x, z of walls of 2.5 m
LOW = ((3, 3, 6.5, 3.5), (3, 8, 3.6, 10.5), (6, 9.6, 7.4, 11), (13, 6.2, 14.2, 7.4), (16.5, 8.5, 20, 9.1))  # of 1.1 m


def main(folder: Path = FOLDER) -> list[Path]:
    """Draw it; returns which picture that is."""
    build = Builder()
    build.box(0, 0, *SIZE, -0.3, 0)
    for walls, height in ((HIGH, 2.5), (LOW, 1.1)):
        for wall in walls:
            build.box(*wall, 0, height)
    level = build.part()
    navmesh = build_navmesh(*level, Settings(cell_size=0.15, agent_radius=0.4))
    plan = plan_of(plain_navmesh(navmesh))._replace(area_names={0: "ground"})
    shapes, entries = solids()
    more, more_entries = cover_marks(find_cover(navmesh, Sight(*level)))
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


if __name__ == "__main__":
    print(*main())
