"""What can be reached at all, however far."""

from __future__ import annotations

import numpy as np

from ...jit import kernel
from ...types import I32, U32
from ..kernels.nearest import roomy
from ..kernels.points import admits
from ..query_mesh import QueryMesh
from ..status import INVALID, SUCCESS


@kernel
def reachable_rows(
    mesh: QueryMesh, starts: I32, everything: bool, include: int, exclude: int, begin: int, end: int, status: U32,
    counts: I32,
) -> I32:  # fmt: skip
    """The polygons to which ways lead from each start, itself included, fewest steps first. Recast: Prune's flood."""
    found = np.empty(1024, np.int32)
    total = 0
    polygons, links = mesh.polygons, mesh.links
    last_row = np.full(len(polygons), -1, np.int64)  # in which each polygon was found
    for row in range(begin, end):
        status[row], counts[row] = INVALID, 0
        if starts[row] < 0:
            continue
        found = roomy(found, total, total + 1)
        first = done = total
        found[total], last_row[starts[row]] = starts[row], row
        total += 1
        while done < total:
            polygon = found[done]
            done += 1
            for link in range(polygons[polygon].first_link, polygons[polygon].end_link):
                target = links[link].target
                if last_row[target] != row and (everything or admits(links[link].flags_there, include, exclude)):
                    last_row[target] = row
                    if total == len(found):
                        found = roomy(found, total, total + 1)
                    found[total] = target
                    total += 1
        status[row], counts[row] = SUCCESS, total - first
    return found[:total].copy()
