"""What a build takes in bytes and seconds: plain arithmetic, so that a panel need not wait for Numba."""

from __future__ import annotations

from typing import NamedTuple

# Measured 1.4e-7 to 3.5e-7 a span on a quiet core, twice that on a busy one; tiles take as long as one piece.
_SECONDS_PER_SPAN, _SECONDS_PER_TRIANGLE = 4e-7, 1e-7


class Forecast(NamedTuple):
    """What a build is expected to deal with."""

    columns: int
    solid: float  # spans of matter
    open: float  # spans that something can stand on
    triangles: int

    def bytes(self, partition: str) -> float:
        """The peak of a build in one piece: while triangles become spans, spans open space, or open space regions.

        Bytes of the arrays that live then. From 100 MB on this was within a quarter of the measured peak.
        """
        rasterized = 8 * max(self.columns, self.solid) + 4 * self.columns + 5 * self.solid
        opened = 8 * self.columns + 5 * self.solid + 20 * self.open
        divided = 4 * self.columns + (34 if partition == "watershed" else 24) * self.open
        return max(rasterized, opened, divided)

    @property
    def seconds(self) -> float:
        """Seconds of computing on one thread of an ordinary machine; no more than an order of size."""
        return self.solid * _SECONDS_PER_SPAN + self.triangles * _SECONDS_PER_TRIANGLE
