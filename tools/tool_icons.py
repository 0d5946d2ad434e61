"""Icons of the extension's tools, drawn by code into Blender's icon geometry: `python tools/tool_icons.py`.

A file holds colored triangles on a square of 255 units, the origin below on the left. Light shapes have a dark rim, so
that they are seen in light and in dark themes.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from itertools import pairwise
from math import cos, hypot, pi, sin
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "navmesh_addon/icons"
MAGIC, SIDE = b"VCO\0", 255
Point = tuple[float, float]
Color = tuple[int, int, int, int]
RIM, LIGHT, GROUND, GROUND_2 = (20, 26, 32, 255), (240, 240, 240, 255), (70, 150, 215, 255), (48, 116, 178, 255)
WAY, START, END = (255, 214, 60, 255), (80, 205, 95, 255), (240, 95, 55, 255)
WIDTH, AROUND = 9.0, 9.0  # of rims


class Drawing:
    """Triangles with colors, those that were added last over the others."""

    def __init__(self) -> None:
        self.corners: list[Point] = []
        self.colors: list[Color] = []

    def polygon(self, outline: Sequence[Point], color: Color) -> None:
        """A convex one."""
        for one, other in pairwise(outline[1:]):
            self.corners += [outline[0], one, other]
            self.colors += [color] * 3

    def line(self, points: Sequence[Point], width: float, color: Color) -> None:
        """With round ends and corners."""
        for (ax, ay), (bx, by) in pairwise(points):
            length = hypot(bx - ax, by - ay)
            dx, dy = -(by - ay) / length * width / 2, (bx - ax) / length * width / 2
            self.polygon([(ax + dx, ay + dy), (ax - dx, ay - dy), (bx - dx, by - dy), (bx + dx, by + dy)], color)
        for point in points:
            self.disc(point, width / 2, color, 8)

    def disc(self, middle: Point, radius: float, color: Color, sides: int = 14) -> None:
        turns = [2 * pi * k / sides for k in range(sides)]
        self.polygon([(middle[0] + radius * cos(t), middle[1] + radius * sin(t)) for t in turns], color)

    def content(self) -> bytes:
        """As Blender reads it."""
        places = b"".join(struct.pack("BB", round(x), round(y)) for x, y in self.corners)
        return MAGIC + bytes((SIDE, SIDE, 0, 0)) + places + b"".join(map(bytes, self.colors))


def rimmed(drawing: Drawing, points: Sequence[Point], width: float, color: Color) -> None:
    """A line with a dark rim."""
    drawing.line(points, width + 2 * AROUND, RIM)
    drawing.line(points, width, color)


def ground(drawing: Drawing) -> None:
    """Three polygons of a navmesh, seen aslant."""
    a, b, c, d, e, f = (18, 72), (92, 122), (206, 112), (238, 66), (150, 18), (104, 62)
    drawing.line([a, b, c, d, e, a], 2 * WIDTH, RIM)
    for outline, color in (((a, b, f), GROUND), ((b, c, d, f), GROUND_2), ((a, f, d, e), GROUND)):
        drawing.polygon(outline, color)
    for edge in ((a, f), (f, b), (f, d)):
        drawing.line(edge, 6, RIM)


def pin(drawing: Drawing, tip: Point, color: Color) -> None:
    """It stands on its tip."""
    x, y = tip
    drawing.polygon([(x, y - 14), (x + 38, y + 62), (x - 38, y + 62)], RIM)
    drawing.disc((x, y + 74), 42, RIM)
    drawing.polygon([(x, y + 4), (x + 27, y + 60), (x - 27, y + 60)], color)
    drawing.disc((x, y + 74), 31, color)
    drawing.disc((x, y + 76), 12, RIM, 10)


def test_tool(drawing: Drawing) -> None:
    """A way over a navmesh, between two pins."""
    ground(drawing)
    rimmed(drawing, [(62, 76), (112, 62), (150, 84), (196, 84)], 15, WAY)
    pin(drawing, (62, 80), START)
    pin(drawing, (196, 112), END)


def edit_tool(drawing: Drawing) -> None:
    """A navmesh and a pencil on it."""
    ground(drawing)
    rimmed(drawing, [(128, 92), (214, 226)], 30, LIGHT)
    rimmed(drawing, [(198, 200), (214, 226)], 30, END)
    drawing.polygon([(112, 62), (150, 88), (120, 106)], RIM)


ICONS: dict[str, Callable[[Drawing], None]] = {"navmesh.test": test_tool, "navmesh.edit": edit_tool}


def drawn(name: str) -> bytes:
    """The file of an icon."""
    drawing = Drawing()
    ICONS[name](drawing)
    return drawing.content()


def main() -> int:
    FOLDER.mkdir(exist_ok=True)
    for name in ICONS:
        (FOLDER / f"{name}.dat").write_bytes(drawn(name))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
