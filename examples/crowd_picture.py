"""The picture of docs/guide/crowd.md: two groups that change sides through two doors, and where each agent went.

    .venv-nox/core/bin/python examples/crowd_picture.py

Needs navcore alone. Every run draws the same picture.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from solids import Builder

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from navcore import NavQuery, Settings, Track, build_navmesh, walk  # noqa: E402
from navcore.commands.picture_command import plan_of  # noqa: E402
from navcore.formats.plain_navmesh import plain_navmesh  # noqa: E402
from navcore.pictures.drawing import Dots, LegendEntry, Lines, line_sample  # noqa: E402
from navcore.pictures.plan_view import plan_view  # noqa: E402
from navcore.pictures.svg import svg_bytes  # noqa: E402

FOLDER = ROOT / "docs/guide/pictures"
WALLS = tuple((9.6, low, 10.4, high) for low, high in ((0, 1.5), (4.5, 7.5), (10.5, 12)))
COLORS = ("#4060c0", "#c05020")


def main(folder: Path = FOLDER) -> list[Path]:
    """Draw it; returns which picture that is."""
    build = Builder()
    build.box(0, 0, 20, 12, -0.3, 0)
    for wall in WALLS:
        build.box(*wall, 0, 1.6)
    navmesh = build_navmesh(*build.part(), Settings(cell_size=0.1, agent_radius=0.3))
    rows = np.array([[x, 0, z] for x in (2.0, 4.0) for z in (2, 4, 6, 8, 10)])
    across = rows * [-1, 1, 1] + [20, 0, 0]
    track = walk(NavQuery(navmesh), np.concatenate([rows, across]), np.concatenate([across, rows]), 40, 10)
    shapes, entries = [], []
    for name, group, color in zip(("to the right", "to the left"), np.split(np.arange(20), 2), COLORS, strict=True):
        shapes += [_lines(track, group, color), Dots(track.positions[group, 0, ::2].astype(float), color, 3.0)]
        entries.append(LegendEntry(line_sample(color, 1.2), name))
    plan = plan_of(plain_navmesh(navmesh))._replace(area_names={0: "ground"})
    drawing = plan_view("Twenty agents change sides", plan).over(tuple(shapes), tuple(entries))
    picture = folder / "crowd.svg"
    picture.write_bytes(svg_bytes(drawing, 900))
    return [picture]


def _lines(track: Track, group: np.ndarray, color: str) -> Lines:
    frames = track.positions.shape[1]
    points = track.positions[group].reshape(-1, 3)[:, ::2].astype(np.float64)
    return Lines(points, np.arange(0, len(points) + 1, frames), color, 1.2)


if __name__ == "__main__":
    print(*main())
