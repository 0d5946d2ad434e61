"""Levels of walls whose places and heights are known, and a slow and obvious judge of what level lines meet there."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from navcore.types import F64
from tests import scenes
from tests.scenes import Mesh

SIZE = 24.0
GROUNDS = ("flat", "slope", "steps")


class MadeWall(NamedTuple):
    """An upright box."""

    middle: F64  # (2,) x and z
    along: F64  # (2,) of its longer sides
    length: float
    thickness: float
    top: float  # metres above 0

    @property
    def across(self) -> F64:
        return np.array([self.along[1], -self.along[0]])

    @property
    def mesh(self) -> Mesh:
        vertices, triangles = scenes.box(-0.5, 0, -0.5, 1, 1, 1)
        places = (
            self.middle + vertices[:, :1] * self.along * self.length + vertices[:, 2:] * self.across * self.thickness
        )
        height = np.where(vertices[:, 1] > 0.5, self.top, -4.0)
        return np.stack([places[:, 0], height, places[:, 1]], axis=1).astype(np.float32), triangles


class MadeLevel(NamedTuple):
    """Ground, and walls on it."""

    walls: list[MadeWall]
    ground: str
    mesh: Mesh

    def ground_at(self, x: F64) -> F64:
        """The height of the ground; its middle is at 0."""
        if self.ground == "slope":
            return np.asarray((x - SIZE / 2) * 0.1)
        return np.asarray(np.floor(x / 4 - SIZE / 8) * 0.3) if self.ground == "steps" else np.zeros_like(x)


def joined(*meshes: Mesh) -> Mesh:
    first = np.cumsum([0, *(len(vertices) for vertices, _ in meshes)])
    triangles = [triangles + begin for (_, triangles), begin in zip(meshes, first[:-1], strict=True)]
    return np.concatenate([vertices for vertices, _ in meshes]), np.concatenate(triangles).astype(np.int32)


def made_level(seed: int) -> MadeLevel:
    """Six walls anywhere, turned anyhow, from 0.3 m to 3 m high and from 5 cm to 1.5 m thick; around it drops."""
    rng = np.random.default_rng(seed)
    walls = []
    for _ in range(6):
        turn = rng.random() * np.pi * (seed % 4 > 0)
        walls.append(
            MadeWall(
                rng.uniform(4, SIZE - 4, 2), np.array([np.cos(turn), np.sin(turn)]), rng.uniform(1.5, 7),
                rng.choice([0.05, 0.2, 0.5, 1.5]), rng.choice([0.3, 0.6, 1.0, 1.3, 1.9, 2.6, 3.0]),
            )
        )  # fmt: skip
    level = MadeLevel(walls, GROUNDS[seed % 3], scenes.flat(SIZE))
    edges = np.linspace(0, SIZE, 7)
    parts = []
    for low, high in pairwise(edges):
        heights = level.ground_at(np.array([low + 1e-6, high - 1e-6]))
        vertices, triangles = scenes.box(low, -5, 0, high - low, 5, SIZE)
        upper = vertices[:, 1] > -2
        vertices[upper, 1] = np.where(vertices[upper, 0] > (low + high) / 2, heights[1], heights[0])
        parts.append((vertices, triangles))
    return level._replace(mesh=joined(*parts, *(wall.mesh for wall in walls)))


def blocked_parts(corners: F64, starts: F64, ways: F64) -> F64:
    """(N,) what part of each way is free before a triangle is met, 1 and more where none is; all by all in NumPy."""
    e, f = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    parts = np.full(len(starts), np.inf)
    for row, (start, way) in enumerate(zip(starts, ways, strict=True)):
        with np.errstate(all="ignore"):
            h = np.cross(way, f)
            size = (e * h).sum(1)
            offset = start - corners[:, 0]
            u, q = (offset * h).sum(1) / size, np.cross(offset, e)
            v, t = (q @ way) / size, (f * q).sum(1) / size
            met = (u >= -1e-9) & (v >= -1e-9) & (u + v <= 1 + 1e-9) & (t > 0)
        parts[row] = t[met].min(initial=np.inf)
    return parts
