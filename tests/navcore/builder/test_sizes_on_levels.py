"""Several sizes of agents on whole levels, made ones and those that lie outside: each size has the ground of its own
build, and its filtered paths keep to it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from navcore import BoxVolume, NavQuery, PathStatus, QueryFilter, Settings, build_navmesh
from tests import scenes

from .test_sizes import own_spans, spans_of

GOLDENS = os.environ.get("NAVMESH_GOLDENS")
SIZES = (("child", 0.4, 1.2), ("human", 0.6, 2.0), ("ogre", 1.2, 3.0))
SETTINGS = Settings(region_min_size=0)
MADE = {
    "terrain": scenes.terrain(90, 0.45, 0.12), "city": scenes.city(3, 14), "plaza": scenes.plaza(5),
    "tower": scenes.tower(4), "slabs": scenes.slabs(5, 24, 14), "hall": scenes.comb(9), "stairs": scenes.stairs(),
}  # fmt: skip
_MOST = 60_000  # triangles


def levels() -> Iterator[str]:
    yield from MADE
    if GOLDENS is not None:
        found = [*Path(GOLDENS, "levels").glob("*.npz"), *Path(GOLDENS).glob("*/mesh.npz")]
        yield from sorted(str(path.relative_to(GOLDENS)) for path in found)


def mesh_of(name: str) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """With a plain beside it, so that there is ground for every size."""
    if name in MADE:
        vertices, triangles = MADE[name]
    else:
        with np.load(Path(str(GOLDENS), name)) as file:
            vertices, triangles = file["verts"].reshape(-1, 3), file["tris"].reshape(-1, 3)
    triangles = triangles[:_MOST]
    x, y, z = vertices[triangles].reshape(-1, 3).min(axis=0).tolist()
    return scenes.join([(vertices, triangles), scenes.box(x - 16, y, z - 16, 14, 0.5, 14)])


@pytest.mark.parametrize("volumes", [False, True], ids=["plain", "with volumes"])
@pytest.mark.parametrize("name", levels())
def test_spans_are_those_of_own_builds(name: str, volumes: bool) -> None:
    mesh = mesh_of(name)
    low, high = mesh[0].min(axis=0), mesh[0].max(axis=0)
    middle = (low + high) / 2
    marks = (BoxVolume(area=1, min=tuple(low.tolist()), max=(*middle[:2].tolist(), float(high[2]))),) if volumes else ()
    stages = build_navmesh(*mesh, SETTINGS, sizes=SIZES, volumes=marks, keep_stages=True).stages
    ground, compact = stages["sizes"], stages["compact"]
    for bit, (_, radius, height) in enumerate(SIZES):
        alone = replace(SETTINGS, agent_radius=radius, agent_height=height)
        assert spans_of(compact, ground.mask >> bit & 1, ground.area) == own_spans(mesh, alone, marks)


@pytest.mark.parametrize("name", levels())
def test_filtered_paths_keep_to_own_ground(name: str) -> None:
    """To the edge error and a cell, as seen from above along each axis: outlines are simplified in both.

    Asked are ways between places of its own ground: islands of a few cells, which have no outline there, stay here.
    """
    mesh, cell = mesh_of(name), SETTINGS.cell_size
    query = NavQuery(navmesh := build_navmesh(*mesh, SETTINGS, sizes=SIZES))
    for size in navmesh.sizes:
        alone = replace(SETTINGS, agent_radius=size.radius, agent_height=size.height)
        own = NavQuery(build_navmesh(*mesh, alone))
        points = own.random_points(120, seed=4).points
        paths = query.find_paths(points[:60], points[60:], filter=QueryFilter(exclude=size.exclude))
        assert (paths.status == PathStatus.COMPLETE).any(), size.name
        near = own.nearest(paths.points, extents=(2, 4, 2))
        assert (near.references != 0).all()
        apart = np.abs(near.points - paths.points)[:, ::2].max(axis=1)
        assert apart.max() <= cell * (SETTINGS.edge_max_error + 1), (size.name, float(apart.max()) / cell)
