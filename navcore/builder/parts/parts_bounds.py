"""The bounds of all parts of a level as one array: what lies around all of them is known without asking each."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...types import F32
from .part import NO_BOX, Part

_FEWEST = 16  # rows


class PartsBounds:
    """One row for each part, and rows that are free."""

    def __init__(self) -> None:
        self._boxes: F32 = np.tile(NO_BOX, (_FEWEST, 1))
        self._rows: dict[str, int] = {}
        self._free = list(range(_FEWEST))

    def around_all(self, changed: Mapping[str, Part | None]) -> F32:
        """(6,) around all parts once some are others, or gone (None)."""
        boxes = self._boxes.copy()
        boxes[[self._rows[name] for name in changed if name in self._rows]] = NO_BOX
        boxes = np.concatenate([boxes, *(part.box[None] for part in changed.values() if part is not None)])
        return np.concatenate([boxes[:, :3].min(axis=0), boxes[:, 3:].max(axis=0)])

    def follow(self, changed: Mapping[str, Part | None]) -> None:
        """Some parts are others now, or gone."""
        for name, part in changed.items():
            row = self._rows.pop(name, None)
            if row is not None:
                self._boxes[row] = NO_BOX
                self._free.append(row)
            if part is not None:
                self._rows[name] = row = self._free_row()
                self._boxes[row] = part.box

    def _free_row(self) -> int:
        if not self._free:
            count = len(self._boxes)
            self._boxes = np.concatenate([self._boxes, np.tile(NO_BOX, (count, 1))])
            self._free = list(range(count, 2 * count))
        return self._free.pop()
