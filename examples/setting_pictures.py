"""The pictures of docs/guide/which-setting-when.md: small levels, each built with three values of one setting.

    .venv-nox/core/bin/python examples/setting_pictures.py

Needs navcore alone. Every run draws the same pictures.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from small_picture import Canvas, Image, beside, write_png
from solids import Builder, Part

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from navcore import NavMesh, Settings, build_navmesh  # noqa: E402

FOLDER = ROOT / "docs/guide/pictures"
WIDTH, HEIGHT = 240, 200


class Row(NamedTuple):
    """One picture: a level, and what changes from left to right."""

    level: Callable[[], Part]
    settings: tuple[dict[str, Any], ...]
    by_region: bool = False
    detail_lines: bool = False


def doors() -> Part:
    """A wall with a narrow door and a wide one."""
    build = Builder()
    build.box(0, 0, 12, 9, -0.3, 0)
    for x0, x1 in ((0, 2.5), (4.1, 7.0), (9.6, 12)):
        build.box(x0, 4.2, x1, 4.8, 0, 2.2)
    return build.part()


def pillars() -> Part:
    """Round pillars, and a gap between two walls."""
    build = Builder()
    build.box(0, 0, 12, 9, -0.3, 0)
    for x, z in ((2.5, 2.5), (5.5, 2.0), (3.6, 6.3)):
        build.cylinder(x, z, 0.7, 0, 1.6)
    build.box(8, 0, 8.5, 9, 0, 1.6)
    build.box(10.1, 0, 10.6, 9, 0, 1.6)
    return build.part()


def steps() -> Part:
    """Stairs of 25 cm to a platform, and a crate of 60 cm."""
    build = Builder()
    build.box(0, 0, 12, 9, -0.3, 0)
    for number in range(6):
        build.box(3 + number * 0.6, 1.0, 7.5, 4.0, 0, 0.25 * (number + 1))
    build.box(6.6, 1.0, 11, 4.0, 0, 1.5)
    build.box(3.5, 5.8, 6.5, 8.2, 0, 0.6)
    return build.part()


def ramps() -> Part:
    """Ramps of 25, 40 and 55 degrees to one platform."""
    build = Builder()
    build.box(0, 0, 13, 10, -0.3, 0)
    build.box(0.5, 0.5, 12.5, 3, 0, 2.4)
    for x, degrees in ((1.0, 25), (5.2, 40), (9.4, 55)):
        length = 2.4 / np.tan(np.radians(degrees))
        build.loft([(x, 3), (x, 3 + length), (x + 2.6, 3 + length), (x + 2.6, 3)], 0, [2.4, 0.001, 0.001, 2.4])
    return build.part()


def rooms() -> Part:
    """Rooms around a corner, with furniture."""
    build = Builder()
    build.box(0, 0, 14, 11, -0.3, 0)
    for box in ((6, 0, 6.4, 4), (6, 6, 6.4, 11), (8.6, 5.5, 14, 5.9), (2.2, 3, 4, 4.6), (9.5, 8, 11.5, 9.4)):
        build.box(*box, 0, 1.2)
    build.cylinder(10.5, 2.6, 0.9, 0, 1.2)
    return build.part()


def pool() -> Part:
    """A round table in a round room's worth of ground."""
    build = Builder()
    build.cylinder(6, 5, 5.6, -0.3, 0, sides=48)
    build.cylinder(6, 5, 2.0, 0, 1.8, sides=32)
    return build.part()


def platforms() -> Part:
    """Table tops of three sizes over a floor."""
    build = Builder()
    build.box(0, 0, 13, 9, -0.3, 0)
    for x, z, side in ((1.0, 3.4, 2.2), (4.2, 2.8, 3.4), (8.4, 2.4, 4.2)):
        build.box(x, z, x + side, z + side, 0, 1.4)
    return build.part()


def hills() -> Part:
    """Ground in waves."""
    line = np.linspace(0, 14, 43)
    x, z = (axis.ravel() for axis in np.meshgrid(line, line[:34], indexing="ij"))
    a = (np.arange(42)[:, None] * 34 + np.arange(33)).ravel()
    faces = np.concatenate([np.stack([a, a + 1, a + 35], 1), np.stack([a, a + 35, a + 34], 1)])
    build = Builder()
    build.add(np.stack([x, 1.1 * np.sin(x / 1.9) * np.cos(z / 2.3), z], 1), faces)
    return build.part()


AGENT: dict[str, Any] = {"cell_size": 0.1, "cell_height": 0.1, "agent_radius": 0.4, "region_min_size": 4}
ROWS = {
    "agent-radius": Row(doors, tuple({"agent_radius": r} for r in (0.3, 0.9, 1.4))),
    "agent-climb": Row(steps, tuple({"agent_max_climb": c} for c in (0.2, 0.4, 0.9))),
    "agent-slope": Row(ramps, tuple({"agent_max_slope": s, "agent_max_climb": 0.3} for s in (30, 45, 60))),
    "cell-size": Row(pillars, tuple({"cell_size": c} for c in (0.6, 0.3, 0.1))),
    "partition": Row(rooms, tuple({"partition": p} for p in ("watershed", "monotone", "layers")), by_region=True),
    "tile-size": Row(rooms, tuple({"tile_size": t} for t in (0, 64, 32))),
    "edge-error": Row(pool, tuple({"edge_max_error": e, "edge_max_length": 0} for e in (0.5, 1.3, 6))),
    "region-size": Row(platforms, tuple({"region_min_size": s} for s in (2, 20, 31))),
    "detail": Row(
        hills,
        ({"detail_mesh": False}, {"detail_sample_distance": 12}, {"detail_sample_distance": 4}),
        detail_lines=True,
    ),
}


def drawn(row: Row, changed: dict[str, Any]) -> Image:
    """One level with its navmesh."""
    part = row.level()
    navmesh = build_navmesh(part.vertices, part.triangles, Settings(**(AGENT | changed)))
    canvas = Canvas(WIDTH, HEIGHT, part.vertices.min(0), part.vertices.max(0))
    canvas.solid(part.vertices, part.triangles)
    draw_navmesh(canvas, navmesh, row)
    return canvas.image()


def draw_navmesh(canvas: Canvas, navmesh: NavMesh, row: Row) -> None:
    mesh = navmesh.polygon_mesh
    corners = mesh.vertices * [mesh.grid.cell_size, mesh.grid.cell_height, mesh.grid.cell_size] + mesh.grid.bounds_min
    rings = [polygon[polygon != 0xFFFF] for polygon in mesh.polygons]
    spread = [(0.30, 0.45, region) if row.by_region else (0.53, 0.10, p) for p, region in enumerate(mesh.region)]
    hue = [low + width * ((number * 0.618) % 1) for low, width, number in spread]
    detail = navmesh.detail_mesh
    if detail is None:
        fans = [(ring[0], ring[k], ring[k + 1]) for ring in rings for k in range(1, len(ring) - 1)]
        hues = [hue[p] for p, ring in enumerate(rings) for _ in range(len(ring) - 2)]
        canvas.veil(corners, fans, hues)
    else:
        for p, (first, _, begin, count) in enumerate(detail.meshes.tolist()):
            corners[rings[p]] = detail.vertices[first : first + len(rings[p])]
            faces = detail.triangles[begin : begin + count, :3].astype(int) + first
            canvas.veil(detail.vertices, faces, [hue[p]] * count)
            if row.detail_lines:
                for face in faces:
                    for a, b in zip(face, np.roll(face, -1), strict=True):
                        canvas.line(detail.vertices[a], detail.vertices[b], width=1)
    if detail is None or not row.detail_lines:
        for ring in rings:
            for a, b in zip(ring, np.roll(ring, -1), strict=True):
                canvas.line(corners[a], corners[b])


def main(folder: Path = FOLDER) -> list[Path]:
    """Draw all of them; returns which."""
    pictures = [folder / f"{name}.png" for name in ROWS]
    for picture, row in zip(pictures, ROWS.values(), strict=True):
        write_png(picture, beside([drawn(row, changed) for changed in row.settings]))
    return pictures


if __name__ == "__main__":
    print(*main(), sep="\n")
