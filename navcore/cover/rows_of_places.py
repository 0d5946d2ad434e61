"""Which of the places that hide somebody become cover: rows of them along what stands there, from end to end."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..types import F64, I64
from .hiding_places import NONE
from .walls_to_hide_at import AlongWalls

_NARROWEST = 0.19  # metres: posts and rails hide nobody
_STRAIGHT = np.cos(np.radians(40.0))  # of a turn within a row
_ROUNDED = 1e-6  # metres


def chosen_places(walls: AlongWalls, kinds: I64, towards: F64, spacing: float) -> I64:
    """The places of cover, at most about `spacing` apart: of each row both ends, and what lies even between them.

    A row is of one kind, and has no sharp turn: around a corner another begins. Of one that is shorter than half of
    the spacing the middle is taken.
    """
    rows = _rows(walls.chain, kinds, towards)
    chosen: list[npt.NDArray[np.int64]] = []
    for begin, end in rows[kinds[rows[:, 0]] != NONE].tolist():
        along, width = walls.along[begin:end], walls.width[begin:end]
        if width.sum() < _NARROWEST:
            continue
        far = along[-1] - along[0]
        count = int(np.ceil(far / spacing - _ROUNDED)) if far > spacing / 2 else 0
        wanted = along[0] + (far * np.arange(count + 1) / count if count else np.array([far / 2]))
        nearest = np.searchsorted((along[:-1] + along[1:]) / 2, wanted)
        chosen.append(begin + np.unique(nearest))
    return np.concatenate(chosen) if chosen else np.zeros(0, np.int64)


def _rows(chain: I64, kinds: I64, towards: F64) -> I64:
    """(R, 2) where each row begins, and where it ends."""
    if not len(chain):
        return np.zeros((0, 2), np.int64)
    same = (chain[1:] == chain[:-1]) & (kinds[1:] == kinds[:-1])
    same &= (towards[1:] * towards[:-1]).sum(axis=1) >= _STRAIGHT
    cuts = np.flatnonzero(~same) + 1
    return np.stack([np.concatenate([[0], cuts]), np.concatenate([cuts, [len(chain)]])], axis=1)
