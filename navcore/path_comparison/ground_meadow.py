"""Meadow mapping of a navmesh's ground, in metres, beside the polygons that are there."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..navquery.query_mesh import QueryMesh
from ..progress import Progress
from ..types import F32, I64, U8
from .meadow import Meadow, MeadowStatus, divide_rings
from .outlines import outlines_of


class GroundMeadow(NamedTuple):
    """A navmesh's ground as Meadow mapping divides it."""

    meadow: Meadow
    points: F32  # (C, 3) metres, of each corner
    areas: U8  # (islands,) area id
    polygons: I64  # (islands,) how many polygons of the navmesh each island has


def ground_meadow(
    mesh: QueryMesh, include: int, exclude: int, vertices_per_polygon: int, threads: int | None,
    progress: Progress | None,
) -> GroundMeadow:  # fmt: skip
    """Divide all ground that a filter lets pass."""
    outlines = outlines_of(mesh, include, exclude)
    meadow = divide_rings(
        outlines.places, outlines.ring_offsets, outlines.island_offsets, vertices_per_polygon=vertices_per_polygon,
        threads=threads, progress=progress,
    )  # fmt: skip
    meadow.status[~outlines.simple] = MeadowStatus.NOT_SIMPLE
    polygon, number = outlines.corners[meadow.given].T
    used = outlines.island >= 0
    islands = len(meadow.status)
    areas = np.zeros(islands, np.uint8)
    areas[outlines.island[used]] = mesh.polygons["area"][used]
    counts = np.bincount(outlines.island[used], minlength=islands).astype(np.int64)
    return GroundMeadow(meadow, mesh.outline[polygon, number], areas, counts)
