"""The example level: a ruined fort by a river, on a slab of hills 64 m wide. Needs NumPy alone.

Y is up and up-facing triangles run counter-clockwise seen from above, as Recast wants them. Every run makes the same
level. `blender_axes` turns points for Blender, where Z is up.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .solids import Builder, Points, SolidPart, circle, smooth

SIZE = 64.0  # metres along x and z
CELLS = 64  # of the terrain, along each side
FORT = (11.0, 16.0, 39.0, 44.0)  # x0, z0, x1, z1 of the outer faces of its walls
WALL, WALK = 3.0, 4.0  # thickness of the fort's walls, height of the walk on them
TOWER = (57.5, 13.5)  # x, z of the round tower across the river
TOWER_TOP = 8.0
WATER = -0.45  # height of the river's surface
WATER_AREA = 1


# --------------------------------------------------------------------- terrain


def river(z: ArrayLike) -> Points:
    """x of the river's middle."""
    along = np.asarray(z, float)
    return 48.5 + 2.2 * np.sin(along / 9.0 + 0.6)


def ground(x: ArrayLike, z: ArrayLike) -> Points:
    """Height of the terrain: hills, made flat under the fort and the tower, and cut by the river."""
    px, pz = np.asarray(x, float), np.asarray(z, float)
    hills = 1.1 * np.sin(px / 7.5 + 1.0) * np.cos(pz / 8.5) + 0.45 * np.sin(px / 3.1 + pz / 4.3) + 0.9
    rim = smooth(14.0, 42.0, np.hypot(px - 27.0, pz - 32.0))
    height = hills * (0.35 + 2.1 * rim)
    x0, z0, x1, z1 = FORT
    outside = np.hypot(np.maximum(np.maximum(x0 - px, px - x1), 0), np.maximum(np.maximum(z0 - pz, pz - z1), 0))
    height = height * smooth(1.0, 9.0, outside)
    near_tower = np.hypot(px - TOWER[0], pz - TOWER[1])
    height = height + (1.4 - height) * (1 - smooth(6.0, 9.5, near_tower))
    across = np.abs(px - river(pz))
    height = height * smooth(3.0, 8.0, across)
    return height - 1.15 * (1 - smooth(1.6, 4.2, across))


def terrain() -> SolidPart:
    """The slab: a grid of ground, four sides, and a floor."""
    n = CELLS + 1
    line = np.linspace(0.0, SIZE, n)
    x, z = (grid.ravel() for grid in np.meshgrid(line, line, indexing="ij"))
    a = (np.arange(CELLS)[:, None] * n + np.arange(CELLS)).ravel()  # corners: a, b along z, c along x, d both
    b, c, d = a + 1, a + n, a + n + 1
    build = Builder()
    build.add(np.stack([x, ground(x, z), z], 1), np.concatenate([np.stack([a, b, d], 1), np.stack([a, d, c], 1)]))
    corners = [(0.0, 0.0), (0.0, SIZE), (SIZE, SIZE), (SIZE, 0.0)]  # counter-clockwise seen from above
    for (x0, z0), (x1, z1) in itertools.pairwise([*corners, corners[0]]):
        px, pz = np.linspace(x0, x1, n), np.linspace(z0, z1, n)
        rim, foot = np.stack([px, ground(px, pz), pz], 1), np.stack([px, np.full(n, -3.5), pz], 1)
        i = np.arange(CELLS)
        build.add(
            np.concatenate([foot, rim]),
            np.concatenate([np.stack([i, i + 1, i + 1 + n], 1), np.stack([i, i + 1 + n, i + n], 1)]),
        )
    build.add([(x, -3.5, z) for x, z in corners], [(0, 2, 1), (0, 3, 2)])
    return build.part()


def water() -> SolidPart:
    """The river's surface: for the picture only, nobody walks on it."""
    z = np.linspace(0.0, SIZE, 65)
    build = Builder()
    left, right = (np.stack([river(z) + side, np.full(65, WATER), z], 1) for side in (-4.0, 4.0))
    i = np.arange(64)
    build.add(
        np.concatenate([left, right]),
        np.concatenate([np.stack([i, i + 1, i + 66], 1), np.stack([i, i + 66, i + 65], 1)]),
    )
    return build.part()


# ------------------------------------------------------------------------ fort


def wall_blocks() -> list[tuple[float, float, float, float]]:
    """x0, z0, x1, z1 of the fort's walls, with a gate in the south and one in the east."""
    x0, z0, x1, z1 = FORT
    middle_x, middle_z = (x0 + x1) / 2, (z0 + z1) / 2
    return [
        (x0, z0, x1, z0 + WALL),
        (x0, z0 + WALL, x0 + WALL, z1 - WALL),
        (x0, z1 - WALL, middle_x - 2, z1),
        (middle_x + 2, z1 - WALL, x1, z1),
        (x1 - WALL, z0 + WALL, x1, middle_z - 2),
        (x1 - WALL, middle_z + 2, x1, z1 - WALL),
    ]


def fort_walls(build: Builder) -> None:
    """Walls with a walk on top, also over the gates, and eight-sided towers at the corners."""
    x0, z0, x1, z1 = FORT
    middle_x, middle_z = (x0 + x1) / 2, (z0 + z1) / 2
    for block in wall_blocks():
        build.box(*block, -1, WALK)
    build.box(middle_x - 2, z1 - WALL, middle_x + 2, z1, 3.1, WALK)
    build.box(x1 - WALL, middle_z - 2, x1, middle_z + 2, 3.1, WALK)
    for x, z in ((x0, z0), (x0, z1), (x1, z0), (x1, z1)):
        inset_x, inset_z = x + np.sign(middle_x - x) * 1.4, z + np.sign(middle_z - z) * 1.4
        build.loft(circle(inset_x, inset_z, 3.4, 8, np.pi / 8), -1, WALK + 0.6)
    for gate_x in (middle_x - 3.0, middle_x + 3.0):
        build.cylinder(gate_x, z1 + 0.2, 1.1, -1, WALK + 1.8, 12)
        build.cylinder(gate_x, z1 + 0.2, 1.35, WALK + 1.8, WALK + 4.4, 12, 0.02)


def battlements(build: Builder) -> None:
    x0, z0, x1, z1 = FORT
    for along in np.arange(5.0, 23.5, 2.0):
        build.box(x0 + along, z0, x0 + along + 1.1, z0 + 0.45, WALK, WALK + 1.1)
        build.box(x0, z0 + along, x0 + 0.45, z0 + along + 1.1, WALK, WALK + 1.1)
        build.box(x1 - 0.45, z0 + along, x1, z0 + along + 1.1, WALK, WALK + 1.1)
        if abs(x0 + along - 24.5) > 4.0:
            build.box(x0 + along, z1 - 0.45, x0 + along + 1.1, z1, WALK, WALK + 1.1)


def stairs(
    build: Builder, start: tuple[float, float], step: tuple[float, float], width: float, rise: float, base: float = 0.0
) -> None:
    """Steps of 0.25 m from `start`, each moved on by `step` (along x or z); solid down to the ground.

    No two steps overlap: faces that lie in each other flicker in a picture.
    """
    x, z = start
    dx, dz = step
    count = round(rise / 0.25)
    for k in range(1, count + 1):
        x0, x1 = sorted((x + (k - 1) * dx, x + k * dx if dx else x + width))
        z0, z1 = sorted((z + (k - 1) * dz, z + k * dz if dz else z + width))
        build.box(x0, z0, x1, z1, base - 0.4, base + rise * k / count)


def fort_stairs(build: Builder) -> None:
    x0, z0, x1, z1 = FORT
    stairs(build, (x0 + WALL, z1 - 13.0), (0.0, 0.42), 2.4, WALK)
    build.box(x0 + WALL, z1 - 13.0 + 16 * 0.42, x0 + WALL + 2.4, z1 - WALL, -0.4, WALK)
    stairs(build, (x1 - 10.9, z0 + WALL), (0.42, 0.0), 2.4, WALK)
    build.box(x1 - 10.9 + 16 * 0.42, z0 + WALL, x1 - WALL, z0 + WALL + 2.4, -0.4, WALK)


def keep(build: Builder) -> None:
    """A roofless house of two storeys: two doors, a hall, stairs, and an upper floor over half of it."""
    x0, z0, x1, z1 = 15.0, 20.0, 27.0, 29.0
    thick, top = 0.5, 5.6
    build.box(x0, z0, x1, z0 + thick, -0.5, top)
    build.box(x0, z0 + thick, x0 + thick, z1 - thick, -0.5, top)
    for a, b in ((x0, 17.0), (19.4, 21.6), (23.8, x1)):
        build.box(a, z1 - thick, b, z1, -0.5, 3.4)
    build.box(x1 - thick, z0 + thick, x1, 23.0, -0.5, top)
    build.box(x1 - thick, 25.4, x1, z1 - thick, -0.5, 4.2)
    build.box(x1 - thick, 23.0, x1, 25.4, 2.6, top - 0.6)
    build.box(x0 + thick, z0 + thick, 20.5, z1 - thick - 2.6, 2.75, 3.0)
    build.box(20.2, z0 + thick + 2.4, 20.5, z1 - thick - 2.6, 3.0, 3.9)
    for z in (22.5, 25.8):
        build.cylinder(20.0, z, 0.22, -0.3, 2.75, 8)
    stairs(build, (25.1, z0 + thick), (-4.6 / 12, 0.0), 2.4, 3.0)


def dais(build: Builder) -> None:
    """Three round steps with a ring of pillars and a fountain."""
    x, z = 24.5, 34.5
    for radius, height in ((5.2, 0.3), (4.6, 0.6), (4.0, 0.9)):
        build.cylinder(x, z, radius, -0.5, height, 32)
    for px, pz in circle(x, z, 3.45, 8, np.pi / 8):
        build.cylinder(px, pz, 0.42, 0.9, 1.15, 12)
        build.cylinder(px, pz, 0.3, 1.15, 3.7, 12, 0.85)
        build.cylinder(px, pz, 0.42, 3.7, 3.95, 12)
    build.cylinder(x, z, 1.3, 0.9, 1.5, 24)
    build.cylinder(x, z, 0.35, 1.5, 2.6, 12, 0.6)


def colonnade(build: Builder) -> None:
    """Pillars along the east wall that carry a terrace, with stairs up to it and from it to the wall."""
    build.box(32.6, 33.6, 36.0, 41.0, 2.5, 2.8)
    for z in (33.95, 37.0):
        build.cylinder(32.95, z, 0.3, -0.3, 2.5, 12)
    for z in np.arange(34.0, 38.5, 1.6):
        build.box(32.6, z, 32.85, z + 0.8, 2.8, 3.5)
    stairs(build, (32.6 - 11 * 0.42, 38.7), (0.42, 0.0), 2.2, 2.75, 0.05)
    for k in range(1, 5):
        build.box(33.8 + 0.44 * k, 38.9, 34.24 + 0.44 * k, 41.0, 2.8, 2.8 + 0.3 * k)


# ------------------------------------------------------------- across the river


def arch_bridge(build: Builder) -> None:
    """From the fort's east gate over the river."""
    x = np.linspace(41.5, 55.5, 19)
    height = 0.05 + 1.9 * np.sin(np.linspace(0, np.pi, 19)) ** 1.3 + np.linspace(0, 1, 19) * float(ground(55.5, 30.0))
    for z0, z1, raised, depth in ((28.2, 31.8, 0.0, 0.7), (28.2, 28.55, 0.9, 0.95), (31.45, 31.8, 0.9, 0.95)):
        left, right = (np.stack([x, np.full(19, z)], 1) for z in (z0, z1))
        build.strip(left, right, list(height + raised), depth)
    for at in (45.6, 51.4):
        build.box(at - 0.5, 28.3, at + 0.5, 31.7, -2, 1.2)


def round_tower(build: Builder) -> None:
    """A tower with a spiral ramp around it, and a high bridge from it to the fort's wall."""
    x, z = TOWER
    build.cylinder(x, z, 3.2, 0, TOWER_TOP, 32)
    turns = np.linspace(-2.5 * np.pi, 0.0, 46)
    heights = np.linspace(1.35, TOWER_TOP, 46)
    around = np.stack([np.cos(turns), np.sin(turns)], 1)
    build.strip((x, z) + around * 3.1, (x, z) + around * 5.4, list(heights), 0.4)
    for px, pz in circle(x, z, 2.95, 12, np.pi / 12)[[1, 2, 3, 4, 7, 8, 9, 10]]:
        build.cylinder(px, pz, 0.22, TOWER_TOP, TOWER_TOP + 1.0, 8)


def high_bridge(build: Builder) -> None:
    start, end = np.array([FORT[2] - 1.0, FORT[1] + 1.4]), np.array([TOWER[0] - 2.7, TOWER[1]])
    ahead = (end - start) / np.linalg.norm(end - start)
    side = np.array([-ahead[1], ahead[0]])
    stops = [0.0, 0.34, 0.67, 1.0]
    middle = np.array([start + (end - start) * t for t in stops])
    heights = np.array([WALK + 0.6 + (TOWER_TOP - WALK - 0.6) * t for t in stops])
    build.strip(middle - side * 1.5, middle + side * 1.5, list(heights), 0.4)
    for edge in (-1.5, 1.25):
        rail = slice(0, 4)
        from_fort = middle[rail] + ahead * np.array([[2.6], [0], [0], [0]])
        rise = heights + np.array([0.3, 0, 0, 0]) + 0.8
        build.strip(from_fort + side * edge, from_fort + side * (edge + 0.25), list(rise), 0.9)
    for t in stops[1:3]:
        px, pz = start + (end - start) * t
        build.cylinder(px, pz, 0.7, -2.5, WALK + 0.3 + (TOWER_TOP - WALK - 0.6) * t, 12)


# --------------------------------------------------------------------- outside


def chapel(build: Builder, random: np.random.Generator) -> None:
    """A ruin in the south-west: a floor, broken walls, two rows of columns of which some have fallen short."""
    x0, z0, x1, z1 = 12.0, 50.5, 27.0, 59.0
    base = float(max(ground(x, z) for x in np.linspace(x0, x1, 9) for z in np.linspace(z0, z1, 9))) + 0.1
    build.box(x0, z0, x1, z1, -1.5, base)
    for k in range(1, 6):
        build.box(x1 + 0.45 * (k - 1), z0 + 2.5, x1 + 0.45 * k, z1 - 2.5, -1.5, base * (1 - k / 6))
    for k in np.arange(0.0, 15.0, 1.5):
        low, high = random.uniform(0.5, 2.2), random.uniform(2.0, 4.6)
        build.box(x0 + k, z0, x0 + k + 1.5, z0 + 0.6, base, base + high)
        if k not in (6.0, 7.5):
            build.box(x0 + k, z1 - 0.6, x0 + k + 1.5, z1, base, base + low)
    build.box(x0, z0 + 0.6, x0 + 0.6, z1 - 0.6, base, base + 4.2)
    for x in np.arange(15.0, 26.0, 2.6):
        for z in (z0 + 2.6, z1 - 2.6):
            build.cylinder(x, z, 0.34, base, base + random.uniform(0.9, 3.6), 12, 0.9)
    build.box(13.4, 54.0, 14.6, 55.6, base, base + 0.95)


def crates(build: Builder, random: np.random.Generator) -> None:
    for x, z, count in (
        (30.0, 26.0, 5),
        (17.0, 33.0, 4),
        (33.0, 24.0, 3),
        (42.0, 38.0, 4),
        (31.0, 50.0, 4),
        (58.0, 33.0, 4),
    ):
        for k in range(count):
            px, pz = x + random.uniform(-1.5, 1.5), z + random.uniform(-1.5, 1.5)
            base = float(ground(px, pz))
            half = random.uniform(0.4, 0.6)
            if k % 3 == 2:
                build.cylinder(px, pz, half * 0.8, base - 0.5, base + 1.1, 14)
            else:
                build.loft(circle(px, pz, half * 1.41, 4, random.uniform(0, np.pi)), base - 0.5, base + 2 * half)
    build.loft(circle(30.2, 25.8, 0.6, 4, 0.4), 0.9, 1.8)


def clear_of_buildings(x: float, z: float) -> bool:
    x0, z0, x1, z1 = FORT
    return not (
        (x0 - 3 < x < x1 + 3 and z0 - 3 < z < z1 + 3)
        or (9 < x < 32 and 47 < z < 62)
        or abs(x - float(river(z))) < 4.5
        or np.hypot(x - TOWER[0], z - TOWER[1]) < 7.5
        or (26 < z < 34 and x > 38)
        or (20 < x < 30 and z > 40)
    )


def scatter(random: np.random.Generator, count: int, apart: float) -> list[tuple[float, float]]:
    """Places in the open, none closer to another than `apart`."""
    places: list[tuple[float, float]] = []
    while len(places) < count:
        x, z = random.uniform(1.5, SIZE - 1.5, 2)
        if clear_of_buildings(x, z) and all(np.hypot(x - px, z - pz) > apart for px, pz in places):
            places.append((float(x), float(z)))
    return places


def trees(build: Builder, random: np.random.Generator) -> None:
    for x, z in scatter(random, 34, 2.6):
        base, size = float(ground(x, z)), random.uniform(0.8, 1.3)
        build.cylinder(x, z, 0.16 * size, base - 0.3, base + 0.9 * size, 7)
        for low, high, radius in ((0.7, 2.3, 1.15), (1.7, 3.2, 0.9), (2.6, 4.1, 0.62)):
            build.cylinder(x, z, radius * size, base + low * size, base + high * size, 9, 0.03)


def rocks(build: Builder, random: np.random.Generator) -> None:
    for x, z in scatter(random, 16, 4.0):
        base, size = float(ground(x, z)), random.uniform(0.5, 1.1)
        outline = circle(x, z, size, 7, random.uniform(0, 1))
        build.loft(outline, base - 0.4, base + size * random.uniform(0.5, 1.0, 7), 0.6)


# ----------------------------------------------------------------------- whole


def level() -> dict[str, SolidPart]:
    """The level's parts by name."""
    parts = {"terrain": terrain()}
    solids: dict[str, list[Callable[..., None]]] = {
        "fort": [fort_walls, battlements, fort_stairs, keep, dais, colonnade],
        "crossing": [arch_bridge, round_tower, high_bridge],
        "chapel": [chapel],
        "crates": [crates],
        "trees": [trees],
        "rocks": [rocks],
    }
    scattered = (chapel, crates, trees, rocks)
    for seed, (name, makers) in enumerate(solids.items()):
        build = Builder()
        for make in makers:
            make(build, *([np.random.default_rng(seed)] if make in scattered else []))
        parts[name] = build.part()
    return parts


def scene() -> dict[str, Any]:
    """What `navcore --scene` takes: the river is an area of its own, and nobody walks inside walls.

    (Solids are hollow to a rasterizer: without the second kind the ground within the fort's walls would be walkable.)
    """
    volumes: list[dict[str, Any]] = []
    for z0, z1 in itertools.pairwise(np.linspace(0.0, SIZE, 17).tolist()):
        x0, x1 = float(river(z0)), float(river(z1))
        points = [[x0 - 4.5, z0], [x0 + 4.5, z0], [x1 + 4.5, z1], [x1 - 4.5, z1]]
        shape = {"shape": "convex", "area": WATER_AREA, "min_height": -3.0, "max_height": WATER}
        volumes.append({**shape, "points": np.round(points, 3).tolist()})
    for bx0, bz0, bx1, bz1 in wall_blocks():
        volumes.append({"shape": "box", "area": 0, "min": [bx0, -1.0, bz0], "max": [bx1, WALK - 0.5, bz1]})
    base = [TOWER[0], 0.0, TOWER[1]]
    volumes.append({"shape": "cylinder", "area": 0, "base": base, "radius": 3.2, "height": TOWER_TOP - 1.0})
    return {"volumes": volumes}


def blender_axes(points: NDArray[Any]) -> NDArray[Any]:
    """(x, y, z) with Y up becomes (x, -z, y) with Z up."""
    return np.stack([points[:, 0], -points[:, 2], points[:, 1]], 1)
