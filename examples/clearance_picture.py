"""The picture of docs/guide/clearance.md: two rooms, a narrow door and a wide one, the path and the widest way.

    .venv-nox/core/bin/python examples/clearance_picture.py

Needs navcore alone. Every run draws the same picture.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from solids import Builder

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from navcore import NavMesh, NavQuery, Settings, build_navmesh  # noqa: E402

FOLDER = ROOT / "docs/guide/pictures"
SCALE, SIZE = 30, (20, 9)  # pixels a metre; metres
WALLS = tuple((9.4, low, 10.6, high) for low, high in ((0, 2.5), (4.3, 5.6), (8.2, 9)))
START, END = (3, 0, 3.4), (17, 0, 3.4)


def main(folder: Path = FOLDER) -> list[Path]:
    """Draw it; returns which picture that is."""
    navmesh = level()
    query = NavQuery(navmesh)
    paths, widest = query.find_paths(START, END), query.narrowest(START, END)
    along = query.corridor_clearances(START, END, paths.polygon_offsets, paths.polygons)
    wide = query.straight_paths(START, END, widest.offsets, widest.polygons)
    shapes = ['<rect width="100%" height="100%" fill="#e8e6e1"/>', *ground(navmesh)]
    for low_x, low_z, high_x, high_z in WALLS:
        place = f'x="{SCALE * low_x:.1f}" y="{SCALE * low_z:.1f}"'
        size = f'width="{SCALE * (high_x - low_x):.1f}" height="{SCALE * (high_z - low_z):.1f}"'
        shapes.append(f'<rect {place} {size} fill="#8a8378"/>')
    for line, color in ((paths.points, "#4060c0"), (wide.points, "#c05020")):
        shapes.append(f'<polyline points="{points(line)}" fill="none" stroke="{color}" stroke-width="2"/>')
    for answer, color in ((along, "#4060c0"), (widest, "#c05020")):
        x, z = SCALE * answer.gap_points[0, [0, 2]]
        radius = SCALE * answer.clearances[0]
        shapes.append(f'<circle cx="{x:.1f}" cy="{z:.1f}" r="{radius:.1f}" fill="{color}" fill-opacity="0.3"/>')
        label = f"{answer.clearances[0]:.2f} m"
        shapes.append(f'<text x="{x + radius + 6:.1f}" y="{z + 22:.1f}" fill="{color}">{label}</text>')
    width, height = (SCALE * side for side in SIZE)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif">'
    picture = folder / "clearance.svg"
    picture.write_text("\n".join([head, *shapes, "</svg>"]) + "\n", encoding="utf-8")
    return [picture]


def level() -> NavMesh:
    """A wall with a narrow door, and a wide one out of the way."""
    build = Builder()
    build.box(0, 0, 20, 9, -0.3, 0)
    for wall in WALLS:
        build.box(*wall, 0, 1.6)
    return build_navmesh(*build.part(), Settings(cell_size=0.1, agent_radius=0.4))


def ground(navmesh: NavMesh) -> list[str]:
    """The polygons."""
    mesh = navmesh.polygon_mesh
    grid = mesh.grid
    places = mesh.vertices[:, [0, 2]] * float(grid.cell_size) + grid.bounds_min[[0, 2]]
    style = 'fill="#9fc5b0" stroke="#6f9f85" stroke-width="1"'
    shapes = []
    for polygon in mesh.polygons:
        corners = places[polygon[polygon != 0xFFFF].astype(int)]
        if mesh.vertices[polygon[0], 1] * float(grid.cell_height) + grid.bounds_min[1] < 1:
            shapes.append(f'<polygon points="{points(corners[:, [0, 0, 1]])}" {style}/>')
    return shapes


def points(line: np.ndarray) -> str:
    return " ".join(f"{SCALE * x:.1f},{SCALE * z:.1f}" for x, z in line[:, [0, 2]])


if __name__ == "__main__":
    print(*main())
