"""The pictures of docs/guide/crowd.md: two groups that change sides through two doors, and where each agent went;
where a crowd that has to get through two doors loses time; and moments of a crowd before a door.

    .venv-nox/core/bin/python examples/crowd_picture.py
    .venv-nox/core/bin/python examples/crowd_picture.py door.png  # all of the last one, as a film that browsers show

Needs navcore alone. Every run draws the same pictures.
"""

from __future__ import annotations

import itertools
import struct
import sys
import zlib
from pathlib import Path

import numpy as np
from solids import Builder

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from navcore import NavQuery, Settings, Track, build_navmesh, walk, walk_heat  # noqa: E402
from navcore.commands.picture_command import plan_of  # noqa: E402
from navcore.formats.plain_navmesh import plain_navmesh  # noqa: E402
from navcore.pictures.colors import INK  # noqa: E402
from navcore.pictures.drawing import (  # noqa: E402
    Dots,
    Drawing,
    Labels,
    LegendEntry,
    Lines,
    Patches,
    Shape,
    line_sample,
    patch_sample,
)
from navcore.pictures.heat_marks import heat_marks  # noqa: E402
from navcore.pictures.plan_view import plan_view  # noqa: E402
from navcore.pictures.png import png_bytes  # noqa: E402
from navcore.pictures.svg import svg_bytes  # noqa: E402

RADIUS, RATE = 0.3, 20  # metres; frames a second
MOMENTS = (0, 6, 12, 20, 30, 45)  # seconds
FOLDER = ROOT / "docs/guide/pictures"
WALLS = tuple((9.6, low, 10.4, high) for low, high in ((0, 1.5), (4.5, 7.5), (10.5, 12)))
COLORS = ("#4060c0", "#c05020")
DOORS = ((9, 3.5, 8.5), (17, 2, 3.3), (17, 8.6, 10.4))  # x of a wall, z of a door's sides; the first is wide


def main(folder: Path = FOLDER) -> list[Path]:
    """Draw them; returns which pictures these are."""
    return [_paths(folder), _heat(folder), _door(folder)]


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


def _door_walk() -> tuple[Track, Drawing]:
    """A hundred agents before a door, and the ground around it."""
    build = Builder()
    build.box(0, 0, 26, 14, -0.3, 0)
    for low, high in ((0, 6.4), (7.6, 14)):
        build.box(13, low, 13.4, high, 0, 2)
    navmesh = build_navmesh(*build.part(), Settings(cell_size=0.1, agent_radius=RADIUS))
    starts = np.array([[1.5 + 0.9 * x, 0, 2.5 + z] for x in range(10) for z in range(10)])
    track = walk(NavQuery(navmesh), starts, starts + np.array([13.5, 0, 0]), 60, RATE)
    plan = plan_of(plain_navmesh(navmesh))._replace(area_names={0: "ground"})
    return track, plan_view("A hundred agents before a door of 1.2 m", plan)


def _bodies(track: Track, frame: int, beside: tuple[float, float] = (0.0, 0.0)) -> tuple[Patches, ...]:
    """Circles as wide as agents, with a nose where each looks; those who came from the upper half have a color."""
    turns = np.linspace(0, 2 * np.pi, 13)[:-1]
    rings = track.headings[:, frame, None] + turns
    wide = np.where(np.arange(12) == 0, 1.6 * RADIUS, RADIUS)
    circles = np.stack([np.sin(rings), np.cos(rings)], axis=-1) * wide[:, None]
    circles = circles + track.positions[:, frame, None, ::2] + np.array(beside)
    upper = track.positions[:, 0, 2] < 7
    return tuple(
        Patches(circles[mine].reshape(-1, 2), np.arange(0, 12 * mine.sum() + 1, 12), color, color)
        for mine, color in zip((upper, ~upper), COLORS, strict=True)
    )


def _moved(shape: Shape, beside: tuple[float, float]) -> Shape:
    return shape._replace(points=shape.points + np.array(beside))


def _door(folder: Path) -> Path:
    """Six moments, two in a row."""
    track, ground = _door_walk()
    wide, deep = ground.high[0] - ground.low[0], ground.high[1] - ground.low[1]
    shapes: list[Shape] = []
    for k, second in enumerate(MOMENTS):
        beside = (k % 2 * wide, k // 2 * (deep + 1.2))
        shapes += [_moved(shape, beside) for shape in ground.shapes]
        shapes += _bodies(track, round(second * RATE), beside)
        shapes.append(Labels(np.array([[beside[0] + 2.5, beside[1] + 1.2]]), (f"{second} s",), INK))
    entries = tuple(
        LegendEntry(patch_sample(color, color), name)
        for name, color in zip(("from the upper half", "from the lower half"), COLORS, strict=True)
    )
    high = (ground.low[0] + 2 * wide, ground.low[1] + len(MOMENTS) // 2 * (deep + 1.2))
    picture = folder / "crowd-door.svg"
    picture.write_bytes(svg_bytes(Drawing(ground.title, ground.low, high, tuple(shapes), entries), 900))
    return picture


def film(path: Path) -> None:
    """Every frame of it as one PNG that moves (APNG): each is a PNG whose pixels are taken over."""
    track, ground = _door_walk()
    frames = [
        png_bytes(ground._replace(shapes=(*ground.shapes, *_bodies(track, k))), 700)
        for k in range(0, track.positions.shape[1], 2)
    ]
    numbers = itertools.count()
    parts = [_chunk(b"acTL", struct.pack(">II", len(frames), 0))]
    for k, frame in enumerate(frames):
        size, data = frame[16:24], frame[frame.index(b"IDAT") + 4 : -16]
        control = struct.pack(">I", next(numbers)) + size + struct.pack(">IIHHBB", 0, 0, 2, RATE, 0, 0)
        parts.append(_chunk(b"fcTL", control))
        parts.append(_chunk(b"IDAT", data) if k == 0 else _chunk(b"fdAT", struct.pack(">I", next(numbers)) + data))
    path.write_bytes(frames[0][:33] + b"".join(parts) + _chunk(b"IEND", b""))


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _lines(track: Track, group: np.ndarray, color: str) -> Lines:
    frames = track.positions.shape[1]
    points = track.positions[group].reshape(-1, 3)[:, ::2].astype(np.float64)
    return Lines(points, np.arange(0, len(points) + 1, frames), color, 1.2)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        film(Path(sys.argv[1]))
    else:
        print(*main())
