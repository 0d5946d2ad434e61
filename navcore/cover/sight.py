"""`Sight`: the triangles of a level, made ready once, and whether one place sees another."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..errors import BadInput
from ..navquery.batches import in_pieces
from ..progress import Progress
from ..types import F32, F64, I32
from .rays import seen_rows
from .triangle_tree import TriangleTree, tree_of

_AT_ONCE = 1 << 14  # rays between two looks at the cancel flag


class Sight:
    """What can be seen through the triangles of a level. They hide from both sides, whichever way they face.

    `vertices` (V, 3) in metres, y up, kept as float32; `triangles` (T, 3) vertex numbers. Made once, in a fraction of a
    second for 100,000 triangles, and asked as often as wanted, also by several threads at the same time.
    """

    def __init__(self, vertices: npt.ArrayLike, triangles: npt.ArrayLike) -> None:
        self.vertices, self.triangles = checked_triangles(vertices, triangles)
        self._tree = tree_of(self.vertices, self.triangles)

    def __repr__(self) -> str:
        return f"<Sight: {len(self.triangles):,} triangles>"

    def can_see(
        self, starts: npt.ArrayLike, ends: npt.ArrayLike, *, threads: int | None = None,
        progress: Progress | None = None,
    ) -> npt.NDArray[np.bool_]:  # fmt: skip
        """(N,) whether no triangle lies across the straight line from each start to its end.

        A single point is one row, and on one side it stands for as many as there are on the other. A triangle is met at
        its corners and edges, too, and hides only what lies on its other side: it does not where a line begins or ends
        on it, where a line lies in its plane, and where it has no area. So lift eyes off the ground. Lines are float64;
        one that is not finite sees nothing. Who sees is seen: both ways the answer is the same, as it is for every
        number of `threads`.
        """
        first, last = _rays("starts", starts), _rays("ends", ends)
        rows = max(len(first), len(last)) if min(len(first), len(last)) > 0 else 0
        for name, given in (("starts", first), ("ends", last)):
            if len(given) not in (1, rows):
                raise BadInput(
                    f"{name} have {len(given):,} rows, and the others {rows:,}. Give one for each, or one for all.",
                    "WRONG_QUESTION",
                )
        shape, seen = (rows, 3), np.zeros(rows, np.int64)
        first, last = (np.ascontiguousarray(np.broadcast_to(given, shape)) for given in (first, last))
        in_pieces(seen_rows, rows, (self._tree, first, last), (seen,), threads, progress, _AT_ONCE)
        return seen != 0


def checked_triangles(vertices: npt.ArrayLike, triangles: npt.ArrayLike) -> tuple[F32, I32]:
    """The corners and the triangles of a level. Raises BadInput for what is none."""
    points = _array("vertices", vertices, "fiu")
    if not np.isfinite(points).all():
        raise BadInput("vertices holds a coordinate that is not a finite number. Remove it.", "NOT_FINITE")
    numbers = _array("triangles", triangles, "iu")
    if len(numbers) and not (numbers.min() >= 0 and numbers.max() < len(points)):
        raise BadInput(
            f"triangles names vertices from {numbers.min():,} to {numbers.max():,}, and there are "
            f"{len(points):,}, counted from 0. Give the vertices that belong to these triangles.",
            "INDEX_OUT_OF_RANGE",
        )
    return np.ascontiguousarray(points, np.float32), np.ascontiguousarray(numbers, np.int32)


def tree_in(sight: Sight) -> TriangleTree:
    """What kernels ask. Raises BadInput for what is no Sight."""
    if not isinstance(sight, Sight):
        raise BadInput(
            f"sight must be a Sight(vertices, triangles) of the level, not {type(sight).__name__}.", "WRONG_KIND"
        )
    return sight._tree


def _array(name: str, given: npt.ArrayLike, kinds: str) -> npt.NDArray[np.generic]:
    try:
        array = np.asarray(given)
    except (TypeError, ValueError):
        array = np.zeros(0, object)
    if array.size == 0 and array.dtype.kind == "f":  # an empty list of triangles
        array = np.zeros((0, 3), array.dtype if "f" in kinds else np.int32)
    if array.dtype.kind not in kinds or array.ndim != 2 or array.shape[1] != 3:
        wanted = "numbers" if "f" in kinds else "whole numbers"
        raise BadInput(f"{name} must be (N, 3) {wanted}; these are {array.dtype} of shape {array.shape}.", "BAD_INPUT")
    return array


def _rays(name: str, given: npt.ArrayLike) -> F64:
    try:
        points = np.array(given, np.float64, order="C", ndmin=2)
    except (TypeError, ValueError):
        raise BadInput(f"{name} are not numbers. Give (N, 3) coordinates.", "WRONG_QUESTION") from None
    if points.ndim != 2 or (points.shape[1] != 3 and points.size):
        raise BadInput(f"{name} have the shape {points.shape}. Give (N, 3) coordinates.", "WRONG_QUESTION")
    return points.reshape(-1, 3)
