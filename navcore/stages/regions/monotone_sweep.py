"""Row by row: runs of spans along x, each continuing the region it alone follows. For monotone and layers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...geometry.columns import BEFORE, LEFT
from ...jit import kernel
from ...types import BORDER_REGION, I16, NOT_WALKABLE, U8, CompactHeightfield
from .region_facts import LAST_ID, STOPPED, TOO_MANY

_SEVERAL = 0xFFFF  # a run that touches several regions of the row before


@kernel
def sweep_rows(compact: CompactHeightfield, border: int, region: I16, next_id: int, cancelled: U8) -> int:
    """Fill `region` (O,) with ids from `next_id` on; returns the next free id, or why there is none.

    `region` holds the numbers of runs while a row is swept, ids afterwards; below 0 it is a tile's border.
    Recast: rcBuildRegionsMonotone.
    """
    width, depth, first = compact.width, compact.depth, compact.first
    neighbors, area = compact.neighbors, compact.area
    # Each run has its own id in the end, so a row can't have more runs than there are ids.
    capacity = min(BORDER_REGION, region.shape[0] + next_id) + 1
    behind, contacts, id_of = np.empty(capacity, np.int32), np.empty(capacity, np.int32), np.empty(capacity, np.int32)
    followers, touched = np.zeros(capacity, np.int32), np.empty(capacity, np.int32)
    for z in range(border, depth - border):
        if cancelled[0] != 0:
            return STOPPED
        begin, end = first[border + z * width], first[width - border + z * width]
        count, touches = 0, 0
        for span in range(begin, end):
            if area[span] == NOT_WALKABLE:
                continue
            run: Any = 0  # an int or an np.int32
            left = neighbors[span, LEFT]
            if left >= 0 and region[left] > 0 and area[left] == area[span]:
                run = np.int32(region[left])
            else:
                if count == LAST_ID:
                    return TOO_MANY
                count += 1
                run = count
                behind[run] = 0
                contacts[run] = 0
            region[span] = run
            back = neighbors[span, BEFORE]
            if back >= 0 and region[back] > 0 and area[back] == area[span]:
                other = np.int32(region[back])
                if behind[run] == 0 or behind[run] == other:
                    behind[run] = other
                    contacts[run] += 1
                    if followers[other] == 0:
                        touched[touches] = other
                        touches += 1
                    followers[other] += 1
                else:
                    behind[run] = _SEVERAL
        for run in range(1, count + 1):
            other = behind[run]
            if other != 0 and other != _SEVERAL and followers[other] == contacts[run]:
                id_of[run] = other
            elif next_id > LAST_ID:
                return TOO_MANY
            else:
                id_of[run] = next_id
                next_id += 1
        for j in range(touches):
            followers[touched[j]] = 0
        for span in range(begin, end):
            if region[span] > 0:
                region[span] = id_of[region[span]]
    return next_id
