"""Small pictures of small levels with their navmeshes: seen from above and aside, drawn with NumPy alone."""

from __future__ import annotations

import colorsys
import struct
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

Image = NDArray[np.float64]  # (height, width, 3) from 0 to 1
FINER = 3  # times as many pixels are drawn as are kept: that smooths edges
GROUND = np.array([0.80, 0.76, 0.69])
SUN = np.array([0.45, 0.80, 0.40]) / np.linalg.norm([0.45, 0.80, 0.40])
LIFT = np.array([0.0, 0.03, 0.0])  # metres that the navmesh is drawn above its place


class Canvas:
    """Triangles and lines with a depth for each pixel."""

    def __init__(self, width: int, height: int, low: ArrayLike, high: ArrayLike, tilt: float = 52.0) -> None:
        """A view that holds the box from `low` to `high`; `tilt` is degrees above the horizon."""
        self.size = (height * FINER, width * FINER)
        self.pixels: Image = np.ones((*self.size, 3))
        self.depth = np.full(self.size, -np.inf)
        up = np.radians(tilt)
        turn = np.radians(-18.0)
        right = np.array([np.cos(turn), 0.0, np.sin(turn)])
        away = np.array([-np.sin(turn), 0.0, np.cos(turn)])
        toward = np.cos(up) * away + np.array([0.0, np.sin(up), 0.0])
        self.axes = np.stack([right, np.cross(toward, right) * -1, toward])  # across, down, near
        corners = np.array([[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])  # type: ignore[index]
        flat = corners @ self.axes.T
        self.middle = (flat.min(0) + flat.max(0))[:2] / 2
        self.scale = 0.95 * min(
            self.size[1] / np.ptp(flat[:, 0]), self.size[0] / np.ptp(flat[:, 1])
        )  # pixels for a metre

    def seen(self, points: ArrayLike) -> NDArray[np.float64]:
        """Pixel column, pixel row and nearness of points."""
        flat = np.asarray(points, np.float64) @ self.axes.T
        place = (flat[:, :2] - self.middle) * self.scale + np.array(self.size[::-1]) / 2
        return np.column_stack([place, flat[:, 2]])

    def solid(self, vertices: ArrayLike, triangles: ArrayLike) -> None:
        """Clay in sunlight."""
        corners = np.asarray(vertices, np.float64)[np.asarray(triangles)]
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
        light = 0.45 + 0.55 * np.clip(normals @ SUN, 0, 1)
        for triangle, shade in zip(corners, light, strict=True):
            self._triangle(triangle, GROUND * shade, 1.0)

    def veil(self, vertices: ArrayLike, triangles: ArrayLike, hues: ArrayLike) -> None:
        """The navmesh: what lies under it shines through."""
        lifted = np.asarray(vertices, np.float64) + LIFT
        for triangle, hue in zip(lifted[np.asarray(triangles)], np.asarray(hues), strict=True):
            self._triangle(triangle, np.array(colorsys.hsv_to_rgb(hue, 0.72, 0.86)), 0.72)

    def _triangle(self, corners: NDArray[np.float64], color: NDArray[np.float64], opacity: float) -> None:
        place = self.seen(corners)
        (x0, y0), (x1, y1) = np.floor(place[:, :2].min(0)).astype(int), np.ceil(place[:, :2].max(0)).astype(int) + 1
        x0, y0 = max(x0, 0), max(y0, 0)
        x1, y1 = min(x1, self.size[1]), min(y1, self.size[0])
        (ax, ay, _), (bx, by, _), (cx, cy, _) = place
        area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay)
        if x0 >= x1 or y0 >= y1 or abs(area) < 1e-9:
            return
        px, py = np.meshgrid(np.arange(x0, x1) + 0.5, np.arange(y0, y1) + 0.5)
        v = ((px - ax) * (cy - ay) - (cx - ax) * (py - ay)) / area
        w = ((bx - ax) * (py - ay) - (px - ax) * (by - ay)) / area
        near = place[0, 2] * (1 - v - w) + place[1, 2] * v + place[2, 2] * w
        block = np.s_[y0:y1, x0:x1]
        shown = (v >= 0) & (w >= 0) & (v + w <= 1) & (near > self.depth[block])
        self.pixels[block][shown] = self.pixels[block][shown] * (1 - opacity) + color * opacity
        self.depth[block][shown] = near[shown]

    def line(self, start: ArrayLike, end: ArrayLike, color: ArrayLike = (0.05, 0.20, 0.25), width: int = 3) -> None:
        """An edge of the navmesh, hidden where something stands before it."""
        ends = self.seen(np.array([start, end], np.float64) + 2 * LIFT)
        steps = int(np.abs(ends[1] - ends[0])[:2].max()) + 2
        way = ends[0] + (ends[1] - ends[0]) * np.linspace(0, 1, steps)[:, None]
        for dx in range(width):
            for dy in range(width):
                column, row = (way[:, :2] + [dx - width // 2, dy - width // 2]).astype(int).T
                inside = (column >= 0) & (row >= 0) & (column < self.size[1]) & (row < self.size[0])
                column, row, near = column[inside], row[inside], way[inside, 2]
                shown = near > self.depth[row, column] - 0.02
                self.pixels[row[shown], column[shown]] = color

    def image(self) -> Image:
        height, width = (side // FINER for side in self.size)
        return self.pixels.reshape(height, FINER, width, FINER, 3).mean((1, 3))


def beside(images: list[Image], gap: int = 12) -> Image:
    """Images in a row."""
    space = np.ones((len(images[0]), gap, 3))
    parts = [part for image in images for part in (space, image)][1:]
    return np.concatenate(parts, 1)


def write_png(path: Path, image: Image, levels: int = 48) -> None:
    """As a PNG; few levels of brightness keep it small."""
    values = (np.round(np.clip(image, 0, 1) * (levels - 1)) * (255 / (levels - 1))).round().astype(np.uint8)
    height, width = values.shape[:2]
    above = np.concatenate([np.zeros((1, *values.shape[1:]), np.uint8), values[:-1]])
    rows = np.concatenate([np.full((height, 1), 2, np.uint8), (values - above).reshape(height, -1)], 1)  # filter "up"
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes(), 9)), (b"IEND", b""))
    chunks = [
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts
    ]
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(chunks))
