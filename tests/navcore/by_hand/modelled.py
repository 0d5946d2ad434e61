"""Modelled meshes for tests, sound ones and broken ones, and a slow judge of what they are."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

F64 = npt.NDArray[np.float64]


class Modelled(NamedTuple):
    vertices: F64
    faces: list[list[int]]


def patchwork(seed: int, cells: int = 6, side: float = 2.0, missing: float = 0.15, rise: float = 0.5) -> Modelled:
    """Quads, triangles and L-shapes of a bent grid, some of them missing; neighbors share corners."""
    rng = np.random.default_rng(seed)
    count = cells + 1
    x, z = np.meshgrid(np.arange(count) * side, np.arange(count) * side, indexing="ij")
    shift = rng.uniform(-0.2, 0.2, (2, count, count)) * side
    x, z = x + shift[0], z + shift[1]
    y = rise * np.sin(0.4 * x + seed) * np.cos(0.3 * z)
    vertices = np.stack([x.ravel(), y.ravel(), z.ravel()], axis=1)
    quads = {(i, j): [i * count + j, i * count + j + 1, (i + 1) * count + j + 1, (i + 1) * count + j]
             for i in range(cells) for j in range(cells) if rng.random() >= missing}  # fmt: skip
    faces: list[list[int]] = []
    taken: set[tuple[int, int]] = set()
    for (i, j), (a, b, c, d) in quads.items():
        if (i, j) in taken:
            continue
        kind = rng.random()
        corner = {(i + 1, j), (i, j + 1)}
        if kind < 0.3 and corner <= quads.keys() - taken and (i + 1, j + 1) not in taken:
            right, up = quads[i + 1, j], quads[i, j + 1]
            faces.append([a, b, up[1], up[2], c, right[2], right[3], d])  # an L
            taken |= corner
        elif kind < 0.6:
            faces += [[a, b, c], [a, c, d]]
        else:
            faces.append([a, b, c, d])
        taken.add((i, j))
    return Modelled(vertices, faces)


def plan_area(vertices: F64, ring: list[int]) -> float:
    """The area of a face from above; above 0 where it looks up."""
    x, z = vertices[ring, 0] - vertices[ring[0], 0], vertices[ring, 2] - vertices[ring[0], 2]
    return float((z * np.roll(x, -1) - x * np.roll(z, -1)).sum() / 2)


def perimeter(vertices: F64, ring: list[int]) -> float:
    along = vertices[np.roll(ring, -1)] - vertices[ring]
    return float(np.hypot(along[:, 0], along[:, 2]).sum())


def islands_by_edges(faces: list[list[int]]) -> int:
    """How many parts there are, by the edges that faces share."""
    parent = list(range(len(faces)))

    def root(k: int) -> int:
        while parent[k] != k:
            k = parent[k]
        return k

    owner: dict[frozenset[int], int] = {}
    for number, ring in enumerate(faces):
        for a, b in zip(ring, [*ring[1:], ring[0]], strict=True):
            parent[root(number)] = root(owner.setdefault(frozenset((a, b)), number))
    return len({root(k) for k in range(len(faces))})


def height_at(triangle: Any, x: float, z: float) -> float | None:
    """The height of a triangle at a place from above; None beside it."""
    (ax, ay, az), (bx, by, bz), (cx, cy, cz) = triangle
    det = (bz - cz) * (ax - cx) + (cx - bx) * (az - cz)
    if det == 0:
        return None
    s = ((bz - cz) * (x - cx) + (cx - bx) * (z - cz)) / det
    t = ((cz - az) * (x - cx) + (ax - cx) * (z - cz)) / det
    return s * ay + t * by + (1 - s - t) * cy if min(s, t, 1 - s - t) >= 0 else None


def without_welds(modelled: Modelled) -> Modelled:
    """The same, each face with corners of its own."""
    vertices = np.concatenate([modelled.vertices[ring] for ring in modelled.faces])
    ends = np.cumsum([0] + [len(ring) for ring in modelled.faces])
    return Modelled(vertices, [list(range(a, b)) for a, b in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)])
