"""Bands of spans that threads take turns at, and copies of areas made so."""

from __future__ import annotations

import numpy as np

from ...geometry.columns import copy
from ...threads import Workers
from ...types import U8

MIN_SPANS, MAX_SPANS = 100_000, 500_000  # in one band


def bands_of_spans(spans: int, workers: Workers) -> list[tuple[int, int]]:
    """Cut 0:spans into bands that are worth a thread each, and short enough that cancelling is seen."""
    return workers.bands(spans, MIN_SPANS, MAX_SPANS)


def copied(area: U8, workers: Workers) -> U8:
    """A copy, made band by band: cancelling is seen."""
    copied = np.empty_like(area)
    bands = bands_of_spans(len(area), workers)
    workers.run(copy, [(area[begin:end], copied[begin:end]) for begin, end in bands])
    return copied
