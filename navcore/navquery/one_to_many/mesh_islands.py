"""The islands of a mesh that is asked; with a filter, those of the agents that it is for."""

from __future__ import annotations

import numpy as np

from ...detour.byte_layout import GROUND
from ...geometry.connected_parts import numbered_by_ground, sizes_from_above, strong_parts
from ...types import F64, I32
from ..query_filter import Rule
from ..query_mesh import QueryMesh


def mesh_islands(mesh: QueryMesh, rule: Rule | None) -> tuple[I32, F64]:
    """The island of each polygon, and the square metres of each island. Polygons that do not pass are on none."""
    polygons = mesh.polygons
    starts = np.append(polygons["first_link"], len(mesh.links)).astype(np.int64)
    targets, passes = np.ascontiguousarray(mesh.links["target"]), np.ones(len(polygons), bool)
    if rule is not None:
        passes = (polygons["flags"] & rule.include != 0) & (polygons["flags"] & rule.exclude == 0)
        open_ways = passes[targets] & np.repeat(passes, np.diff(starts))
        starts, targets = np.concatenate([[0], np.cumsum(open_ways)])[starts], targets[open_ways]
    ground = (polygons["kind"] == GROUND) & passes
    return numbered_by_ground(
        strong_parts(starts, targets), ground, sizes_from_above(mesh.outline, polygons["corners"])
    )
