"""Rows that lie one after the other in one array, each given by its first number and by how many it has."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..types import I64


def numbers_in_ranges(first: npt.NDArray[Any], counts: npt.NDArray[Any]) -> I64:
    """first[0], first[0] + 1, … counts[0] of them, then those of the next range."""
    ends = np.cumsum(counts, dtype=np.int64)
    return np.repeat(first - (ends - counts), counts) + np.arange(int(ends[-1]) if len(ends) else 0)
