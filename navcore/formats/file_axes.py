"""Which axis points up in a mesh file, and what its numbers count: how its points become metres with y up.

Light: flags are made of these names before NumPy is there.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..errors import BadInput

if TYPE_CHECKING:
    from ..build_warning import BuildWarning, Point
    from ..types import AnyArray

UPS = {
    "y": ((0, 1), (1, 1), (2, 1)), "z": ((0, 1), (2, 1), (1, -1)), "x": ((1, -1), (0, 1), (2, 1)),
    "-y": ((0, 1), (1, -1), (2, -1)), "-z": ((0, 1), (2, -1), (1, 1)), "-x": ((1, 1), (0, -1), (2, 1)),
}  # fmt: skip
"""The axis that points up → for the new x, y and z the axis that it comes from, and its sign. All of them are turns."""
UNITS = {"m": 1.0, "cm": 0.01, "mm": 0.001, "in": 0.0254, "ft": 0.3048, "quake": 0.03125}
"""Metres of each unit; 32 of Quake's are one."""


class FileAxes(NamedTuple):
    """How a mesh file is to be read; the default takes it as it is."""

    up: str = "y"
    unit: str = "m"
    scale: float = 1.0  # multiplied after the unit

    @property
    def factor(self) -> float:
        """What coordinates are multiplied with."""
        return UNITS[self.unit] * self.scale

    def rows(self) -> list[list[float]]:
        """(3, 3) what a point is multiplied with from the left."""
        return [[sign * self.factor * (axis == n) for n in range(3)] for axis, sign in UPS[self.up]]

    def points(self, vertices: AnyArray) -> AnyArray:
        """(V, 3) coordinates of the file as metres, y up: computed in float64, rounded once. Others stay as they are,
        so that the build can say what is wrong with them."""
        import numpy as np  # here, because flags do not wait for it

        if self == FileAxes() or vertices.ndim != 2 or vertices.shape[1] != 3:
            return vertices
        order = [axis for axis, _ in UPS[self.up]]
        signs = np.array([sign for _, sign in UPS[self.up]], np.float64)
        kind = vertices.dtype if vertices.dtype.kind == "f" else np.dtype(np.float64)
        with np.errstate(all="ignore"):  # what overflows is refused by the build
            return (vertices.astype(np.float64)[:, order] * (signs * self.factor)).astype(kind)

    def place(self, point: Point) -> Point:
        """The same of one place."""
        x, y, z = (point[axis] * (sign * self.factor) for axis, sign in UPS[self.up])
        return x, y, z

    def warnings(self, told: Sequence[BuildWarning]) -> tuple[BuildWarning, ...]:
        """Warnings of a reader, which knows its file alone, with their places in metres."""
        return tuple(w if w.place is None else w._replace(place=self.place(w.place)) for w in told)


AS_READ = FileAxes()


def file_axes(up: object = "y", unit: object = "m", scale: object = 1.0) -> FileAxes:
    """As somebody asks for it. Raises BadInput."""
    if not isinstance(up, str) or up not in UPS:
        raise BadInput(f"up must be one of {', '.join(UPS)}, not {up!r:.40}.", "BAD_AXES")
    if not isinstance(unit, str) or unit not in UNITS:
        raise BadInput(f"unit must be one of {', '.join(UNITS)}, not {unit!r:.40}.", "BAD_AXES")
    if not isinstance(scale, numbers.Real) or isinstance(scale, bool) or not 0 < float(scale) < math.inf:
        raise BadInput(f"scale must be a number above 0, not {scale!r:.40}.", "BAD_AXES")
    return FileAxes(up, unit, float(scale))
