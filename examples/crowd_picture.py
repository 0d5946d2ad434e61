"""The pictures of docs/guide/crowd.md: two groups that change sides through two doors, and where each agent went; and
where a crowd that has to get through two doors loses time.

    .venv-nox/core/bin/python examples/crowd_picture.py

Needs navcore alone. Every run draws the same pictures.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from solids import Builder

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from navcore import NavQuery, Settings, Track, build_navmesh, walk, walk_heat  # noqa: E402
from navcore.commands.picture_command import plan_of  # noqa: E402
from navcore.formats.plain_navmesh import plain_navmesh  # noqa: E402
from navcore.pictures.drawing import Dots, LegendEntry, Lines, line_sample  # noqa: E402
from navcore.pictures.heat_marks import heat_marks  # noqa: E402
from navcore.pictures.plan_view import plan_view  # noqa: E402
from navcore.pictures.svg import svg_bytes  # noqa: E402

FOLDER = ROOT / "docs/guide/pictures"
WALLS = tuple((9.6, low, 10.4, high) for low, high in ((0, 1.5), (4.5, 7.5), (10.5, 12)))
COLORS = ("#4060c0", "#c05020")
DOORS = ((9, 3.5, 8.5), (17, 2, 3.3), (17, 8.6, 10.4))  # x of a wall, z of a door's sides; the first is wide


def main(folder: Path = FOLDER) -> list[Path]:
    """Draw them; returns which pictures these are."""
    return [_paths(folder), _heat(folder)]


def _paths(folder: Path) -> Path:
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
    return picture


def _heat(folder: Path) -> Path:
    """Where sixty agents lose time that walk from the left to the right."""
    build = Builder()
    build.box(0, 0, 26, 12, -0.3, 0)
    for x in sorted({door[0] for door in DOORS}):
        edges = [0.0, *(edge for door in DOORS if door[0] == x for edge in door[1:]), 12.0]
        for low, high in zip(edges[::2], edges[1::2], strict=True):
            build.box(x, low, x + 0.4, high, 0, 2)
    navmesh = build_navmesh(*build.part(), Settings(cell_size=0.1, agent_radius=0.3))
    starts = np.array([[1.0 + 0.9 * x, 0, 2 + 0.8 * z] for x in range(6) for z in range(10)])
    ends = starts + np.array([18.5, 0, 0])
    query = NavQuery(navmesh)
    heat = walk_heat(query, walk(query, starts, ends, 60), ends)
    plan = plan_of(plain_navmesh(navmesh))._replace(area_names={0: "ground"})
    picture = folder / "heat.svg"
    picture.write_bytes(svg_bytes(plan_view("Where sixty agents lose time", plan).over(*heat_marks(heat)), 900))
    return picture


def _lines(track: Track, group: np.ndarray, color: str) -> Lines:
    frames = track.positions.shape[1]
    points = track.positions[group].reshape(-1, 3)[:, ::2].astype(np.float64)
    return Lines(points, np.arange(0, len(points) + 1, frames), color, 1.2)


if __name__ == "__main__":
    print(*main())
