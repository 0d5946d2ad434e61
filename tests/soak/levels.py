"""Random levels and settings, as nasty as levels get: a number makes the same ones on every machine.

Half of all corners lie on cell borders, so that ties are common; holes, touching corners, stacked floors, combs and
spirals are. Everything is drawn from a `random.Random`: the soak seeds one, hypothesis hands in one that it can shrink.
"""

from __future__ import annotations

import math
from random import Random
from typing import Any, NamedTuple

import numpy as np

from navcore import Settings
from tests import scenes
from tests.scenes import Mesh

PARTITIONS = ("watershed", "monotone", "layers")
_NOT_NUMBERS = (math.nan, math.inf, -math.inf)


class Level(NamedTuple):
    """What one build is given; settings as names and values, because hostile ones are no Settings."""

    vertices: np.ndarray[Any, Any]
    triangles: np.ndarray[Any, Any]
    settings: dict[str, Any]
    volumes: list[dict[str, Any]]


def level_of(seed: int) -> Level:
    """The level of this number: nine in ten are legal, however strange; one in ten is hostile."""
    random = Random(f"navmesh-{seed}")
    return hostile_level(random) if seed % 10 == 9 else legal_level(random)


def legal_level(random: Random) -> Level:
    """A level that must be built, or be without a place to stand on."""
    settings = legal_settings(random)
    cell = settings["cell_size"]
    size = random.choice((12, 20, 32, 32, 48, 64, 96))  # cells
    parts = [_ground(random, size, cell)] if random.random() < 0.9 else []
    for _ in range(random.randint(1, 3)):
        parts.append(random.choice(_PARTS)(random, size, cell))
    mesh = scenes.join(parts)
    for change in _CHANGES:
        if random.random() < 0.08:
            mesh = change(random, mesh, cell)
    volumes = [_volume(random, size * cell) for _ in range(random.choice((0, 0, 0, 1, 3)))]
    return Level(*mesh, settings, volumes)


def legal_settings(random: Random) -> dict[str, Any]:
    """Settings within their ranges, drawn more often from the ends and from where rules change."""
    cell = random.choice((0.3, 0.25, 1.0, 0.1))
    high = random.choice((0.2, 0.1, 0.5)) * max(cell / 0.3, 0.5)
    return {
        "cell_size": cell,
        "cell_height": high,
        "agent_height": high * random.choice((1, 3, 6, 10, 10, 10, 25)),
        "agent_radius": cell * random.choice((0, 0, 0, 0.5, 1, 2, 3)),
        "agent_max_climb": high * random.choice((0, 1, 4, 4, 4, 12)),
        "agent_max_slope": random.choice((0.0, 10.0, *(30.0, 45.0, 45.0, 60.0, 90.0) * 4)),
        "region_min_size": random.choice((0, 0, 0, 1, 2, 3, 8)),
        "region_merge_size": random.choice((0, 2, 4, 20, 20)),
        "edge_max_length": cell * random.choice((0, 1, 5, 12, 40)),
        "edge_max_error": random.choice((0.0, 0.5, 1.0, 1.3, 1.3, 1.3, 2.0, 3.0, 10.0)),
        "vertices_per_polygon": random.choice((3, 4, 6, 6, 6, 12)),
        "detail_sample_distance": random.choice((0.0, 0.5, 0.9, 1.0, 2.0, 6.0, 6.0, 16.0)),
        "detail_sample_max_error": random.choice((0.0, 1.0, 1.0, 3.0)),
        "filter_low_hanging_obstacles": random.random() < 0.8,
        "filter_ledge_spans": random.random() < 0.8,
        "filter_walkable_low_height_spans": random.random() < 0.8,
        "median_filter": random.random() < 0.2,
        "tessellate_wall_edges": random.random() < 0.8,
        "tessellate_area_edges": random.random() < 0.3,
        "detail_mesh": random.random() < 0.9,
    }


def hostile_level(random: Random) -> Level:
    """A legal level with something in it that no build can take, or that looks like it."""
    level = legal_level(random)
    settings, vertices, triangles = dict(level.settings), level.vertices.copy(), level.triangles.copy()
    kind = random.randint(0, 5)
    if kind == 0:
        for _ in range(random.randint(1, 3)):
            name = random.choice([f for f in Settings().to_mapping() if f not in ("partition", "tile_size")])
            settings[name] = random.choice((0, -1, 1e-30, 1e-6, 1e30, 5e-324, 2**31, True, "x", None, *_NOT_NUMBERS))
    elif kind == 1 and len(vertices):
        for _ in range(random.randint(1, 3)):
            vertices[random.randrange(len(vertices)), random.randrange(3)] = random.choice(_NOT_NUMBERS)
    elif kind == 2 and len(vertices):
        far = random.choice((1e4, 1e7, 1e20, 3e38, -1e29, 1e-42))
        vertices[random.randrange(len(vertices)), random.randrange(3)] = far
    elif kind == 3 and len(triangles):
        wrong = random.choice((-1, len(vertices), 2**31 - 1, -(2**31)))
        triangles[random.randrange(len(triangles)), random.randrange(3)] = wrong
    elif kind == 4:
        shift = random.choice((1e3, 1e5, 1e7, 1e20))
        vertices = (vertices + np.array([shift, 0, -shift])).astype(np.float32)
    else:
        axis = random.randrange(3)
        vertices[:, axis] = random.choice((0.0, -0.0, 1e-40, 7.0))
        triangles = triangles[: random.choice((0, 1, len(triangles)))]
    return Level(vertices, triangles, settings, level.volumes)


# --- parts


def _place(random: Random, low: float, high: float, cell: float) -> float:
    """Somewhere in a range, half of the time on a cell's border."""
    value = random.uniform(low, high)
    return round(value / cell) * cell if random.random() < 0.5 else value


def _ground(random: Random, size: int, cell: float) -> Mesh:
    if random.random() < 0.6:
        return scenes.flat(size * cell)
    side = random.choice((5, 9, 17))
    return scenes.terrain(side, size * cell / (side - 1), random.choice((0.02, 0.1, 0.3)), random.randint(0, 9))


def _boxes(random: Random, size: int, cell: float) -> Mesh:
    def box() -> Mesh:
        x, z = (_place(random, -2 * cell, size * cell, cell) for _ in range(2))
        width, depth = (_place(random, cell, size * cell / 3, cell) + cell for _ in range(2))
        return scenes.box(x, random.choice((-1.0, 0.0, 0.3, 2.0)), z, width, random.choice((0.1, 0.4, 1.0, 4.0)), depth)

    return scenes.join([box() for _ in range(random.randint(1, 12))])


def _pillars(random: Random, size: int, cell: float) -> Mesh:
    """A grid of holes in one region; with a gap as wide as the pillars their corners touch diagonally."""
    wide = random.choice((1, 1, 2, 3))
    step = wide + random.choice((1, 2, 4))
    many = max(1, min(8, size // step - 1))
    checkered = random.random() < 0.4

    def at(i: int) -> float:
        return (i * (wide if checkered else step) + 2) * cell

    chosen = [(i, j) for i in range(many) for j in range(many) if not checkered or (i + j) % 2]
    parts = [scenes.box(at(i), -0.5, at(j), wide * cell, 3, wide * cell) for i, j in chosen]
    return scenes.join(parts or [scenes.box(at(0), -0.5, at(0), wide * cell, 3, wide * cell)])


def _floors(random: Random, size: int, cell: float) -> Mesh:
    """Storeys, some of them closer together than an agent is tall or than it climbs, half of them offset."""
    gap = random.choice((0.3, 0.9, 2.2, 3.0))
    parts = []
    for i in range(random.randint(2, 12)):
        x, z = (_place(random, 0, size * cell / 3, cell) if random.random() < 0.5 else 0.0 for _ in range(2))
        parts.append(scenes.box(x, i * gap, z, size * cell * 0.6, 0.2, size * cell * random.choice((0.3, 0.6))))
    return scenes.join(parts)


def _comb(random: Random, size: int, cell: float) -> Mesh:
    teeth, wide = random.randint(2, 8), random.choice((1, 2, 3)) * cell
    parts = [scenes.box(0, -0.1, 0, teeth * 2 * wide, 0.2, 2 * wide)]
    parts += [scenes.box(i * 2 * wide, -0.1, 2 * wide, wide, 0.2, size * cell / 2) for i in range(teeth)]
    return scenes.join(parts)


def _winding(random: Random, size: int, cell: float) -> Mesh:
    """A corridor that winds inward, flat or as a spiral staircase that ends above where it began."""
    if random.random() < 0.5:
        return scenes.spiral(random.choice((0.7, 1.5, 2.5)), random.choice((8, 12, 20)))
    wide, parts, length, x, z = 2 * cell, [], size * cell * 0.8, 0.0, 0.0
    for turn in range(random.randint(3, 10)):
        if length < 2 * wide:
            break
        across, along = (length, wide) if turn % 2 == 0 else (wide, length)
        forward = 1 if turn % 4 < 2 else -1
        low_x, low_z = min(x, x + forward * across), min(z, z + forward * along)
        parts.append(scenes.box(low_x, -0.1, low_z, across, 0.2, along))
        x, z = (x + forward * (across - wide), z) if turn % 2 == 0 else (x, z + forward * (along - wide))
        length -= wide if turn % 2 else 0.0
    return scenes.join(parts)


def _stairs(random: Random, size: int, cell: float) -> Mesh:
    rise, run = random.choice((0.1, 0.2, 0.4, 1.0)), random.choice((1, 2, 3)) * cell
    x, z = (_place(random, 0, size * cell / 2, cell) for _ in range(2))
    count = random.randint(2, 14)
    return scenes.join([scenes.box(x + i * run, 0, z, run, rise * (i + 1), size * cell / 4) for i in range(count)])


def _islands(random: Random, _size: int, cell: float) -> Mesh:
    """Many plates that touch at their corners, or nearly."""
    wide, gap = random.choice((2, 3, 5)), random.choice((0, 0, 1, 2))
    step = wide + gap
    chosen = [(i, j) for i in range(7) for j in range(7) if (i + j) % 2 == 0 and random.random() < 0.8] or [(0, 0)]
    high = random.choice((0.0, 0.0, 0.15, 1.5))
    return scenes.join(
        [scenes.box(i * step * cell, (i % 3) * high, j * step * cell, wide * cell, 0.2, wide * cell) for i, j in chosen]
    )


def _soup(random: Random, size: int, cell: float) -> Mesh:
    """Unrelated triangles, half of their corners on the grid."""
    count = random.randint(1, 40)
    corners = []
    for _ in range(count):
        x, z = random.uniform(0, size * cell), random.uniform(0, size * cell)
        for _ in range(3):
            across, along = (_place(random, v - 4 * cell, v + 8 * cell, cell) for v in (x, z))
            corners.append((across, random.choice((0.0, 0.2, random.uniform(0, 2))), along))
    return np.array(corners, np.float32), np.arange(3 * count, dtype=np.int32).reshape(-1, 3)


_PARTS = (_boxes, _boxes, _pillars, _pillars, _floors, _comb, _winding, _stairs, _islands, _soup)


# --- changes to whole meshes


def _degenerate(random: Random, mesh: Mesh, _cell: float) -> Mesh:
    """Triangles that are a point or a line."""
    vertices, triangles = mesh
    v, w = (random.randrange(len(vertices)) for _ in range(2))
    more = [[v, v, v], [v, v, w], [v, w, v]]
    return vertices, np.concatenate([triangles, np.array(more, np.int32)])


def _doubled(_random: Random, mesh: Mesh, _cell: float) -> Mesh:
    return mesh[0], np.concatenate([mesh[1], mesh[1]])


def _flipped(random: Random, mesh: Mesh, _cell: float) -> Mesh:
    triangles = mesh[1].copy()
    some = random.randrange(len(triangles))
    triangles[some:] = triangles[some:, ::-1]
    return mesh[0], triangles


def _moved(random: Random, mesh: Mesh, cell: float) -> Mesh:
    away = np.array([random.choice((-1000, 7, 1000)) * cell, random.choice((-50.0, 50.0)), random.uniform(-99, 99)])
    return (mesh[0] + away).astype(np.float32), mesh[1]


def _shaken(random: Random, mesh: Mesh, cell: float) -> Mesh:
    """Every corner by less than a hundredth of a cell: ties become near ties."""
    noise = np.random.default_rng(random.randint(0, 2**31)).uniform(-0.01, 0.01, mesh[0].shape) * cell
    return (mesh[0] + noise).astype(np.float32), mesh[1]


_CHANGES = (_degenerate, _doubled, _flipped, _moved, _shaken)


def _volume(random: Random, size: float) -> dict[str, Any]:
    area = random.choice((0, 1, 2, 62, 63))
    x, z = random.uniform(0, size), random.uniform(0, size)
    wide = random.choice((0.0, size / 8, size / 3, size))
    shape = random.choice(("box", "cylinder", "convex"))
    if shape == "box":
        return {"shape": shape, "area": area, "min": [x, -1, z], "max": [x + wide, 3, z + wide]}
    if shape == "cylinder":
        return {"shape": shape, "area": area, "base": [x, -1, z], "radius": wide, "height": 3}
    points = [[x, z], [x + wide, z + wide / 3], [x + wide / 2, z + wide], [x - wide / 4, z + wide / 2]]
    return {"shape": shape, "area": area, "min_height": -1, "max_height": 3, "points": points}
