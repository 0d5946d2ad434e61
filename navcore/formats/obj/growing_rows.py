"""An array that grows at its end."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

_GROWTH = 1.25  # times as long as before, so that a level's arrays never need much more than they hold


class GrowingRows:
    """Rows of numbers; `array` has more of them than `count`, which are the ones in use."""

    def __init__(self, columns: int, kind: type[np.generic]) -> None:
        self.array: npt.NDArray[Any] = np.empty((0, columns), kind)
        self.count = 0

    def make_room(self, more: int) -> None:
        """Let so many rows be written behind those in use."""
        length, columns = self.array.shape
        if self.count + more > length:
            # In place: the system moves pages of large arrays instead of copying them. Nobody holds a view meanwhile.
            self.array.resize((max(self.count + more, int(length * _GROWTH)), columns), refcheck=False)

    def append(self, rows: npt.NDArray[Any]) -> None:
        self.make_room(len(rows))
        self.array[self.count : self.count + len(rows)] = rows
        self.count += len(rows)

    def finished(self) -> npt.NDArray[Any]:
        """The rows in use alone."""
        self.array.resize((self.count, self.array.shape[1]), refcheck=False)
        return self.array
