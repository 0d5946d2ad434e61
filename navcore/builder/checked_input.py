"""What came in, checked once at the border: after this, kernels may index without looking."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any

import numpy as np
import numpy.typing as npt

from ..area_types import AREA_TYPES
from ..errors import BadInput
from ..jit import kernel
from ..progress import Progress
from ..result.wide_links import LinkEdits
from ..settings import Settings
from ..types import F32, I32, U8, WALKABLE, Geometry

_MOST_SHOWN = 80  # characters of what was given instead


@kernel
def _count_unusable_kernel(vertices: F32, triangles: I32) -> tuple[int, int, int, int]:
    """Triangles with an index out of range, triangles with a coordinate that is not finite, and the first of each."""
    out_of_range = 0
    not_finite = 0
    first_out = -1
    first_not_finite = -1
    for t in range(triangles.shape[0]):
        inside = True
        finite = True
        for corner in range(3):
            v = triangles[t, corner]
            if v < 0 or v >= vertices.shape[0]:
                inside = False
            else:
                for axis in range(3):
                    if not np.isfinite(vertices[v, axis]):
                        finite = False
        if not inside:
            out_of_range += 1
            if first_out < 0:
                first_out = t
        elif not finite:
            not_finite += 1
            if first_not_finite < 0:
                first_not_finite = t
    return out_of_range, first_out, not_finite, first_not_finite


@kernel
def _count_not_finite_kernel(vertices: F32) -> int:
    count = 0
    for v in range(vertices.shape[0]):
        if not (np.isfinite(vertices[v, 0]) and np.isfinite(vertices[v, 1]) and np.isfinite(vertices[v, 2])):
            count += 1
    return count


def checked_geometry(vertices: npt.ArrayLike, triangles: npt.ArrayLike, areas: npt.ArrayLike | None) -> Geometry:
    """(V, 3) and (T, 3) arrays of any kind as contiguous float32 and int32, or BadInput saying what is wrong."""
    points = _array(vertices, "vertices", "fiu").astype(np.float32, order="C", copy=False)
    indices = _array(triangles, "triangles", "iu")
    if len(indices) == 0:
        raise BadInput("There are no triangles to build from. Select at least one object with faces.", "NO_TRIANGLES")
    if indices.dtype != np.int32:
        # Compared before the cast: a 64-bit index could wrap into range.
        indices = np.where((indices < 0) | (indices >= len(points)), -1, indices).astype(np.int32)
    indices = np.ascontiguousarray(indices)
    outside, first, broken, first_broken = _count_unusable_kernel(points, indices)
    if outside:
        raise BadInput(
            f"{outside:,} of {len(indices):,} triangles use a vertex that does not exist (there are {len(points):,}); "
            f"the first is triangle {first}. Check the file or the exporter.",
            "INDEX_OUT_OF_RANGE",
        )
    loose = _count_not_finite_kernel(points)
    if loose:
        which = f"; the first of {broken:,} triangles that use them is triangle {first_broken}" if broken else ""
        raise BadInput(
            f"{loose:,} of {len(points):,} vertices have a coordinate that is not a finite number{which}. "
            "Remove them (in Blender: Mesh > Clean Up) and build again.",
            "NOT_FINITE",
        )
    return Geometry(points, indices, _checked_areas(areas, len(indices)))


def checked_bounds(bounds: Sequence[float] | None) -> tuple[F32, F32] | None:
    """Six numbers, minimum then maximum, as two float32 corners."""
    if bounds is None:
        return None
    try:
        corners = np.asarray(bounds, np.float64).reshape(2, 3)
    except (TypeError, ValueError):
        given = repr(bounds) if len(repr(bounds)) <= _MOST_SHOWN else type(bounds).__name__
        raise BadInput(f"bounds must be six numbers (minimum x, y, z, then maximum), not {given}.") from None
    if not np.isfinite(corners).all() or not (corners[0] <= corners[1]).all():
        raise BadInput(f"bounds must be finite with minimum ≤ maximum on every axis, not {corners.ravel().tolist()}.")
    low, high = corners.astype(np.float32)
    return low, high


def checked_boxes(changed_bounds: npt.ArrayLike) -> list[tuple[F32, F32]]:
    """One box of six numbers, or several, each as two corners."""
    try:
        boxes = np.asarray(changed_bounds, np.float64)
    except (TypeError, ValueError):
        boxes = np.zeros(0)
    if boxes.ndim not in (1, 2) or boxes.size == 0:
        raise BadInput(
            "changed_bounds must be six numbers (minimum x, y, z, then maximum), or rows of six, not "
            f"{type(changed_bounds).__name__}."
        )
    rows = boxes.reshape(1, -1) if boxes.ndim == 1 else boxes
    return [box for row in rows if (box := checked_bounds(row.tolist())) is not None]


def check_kinds(
    *,
    settings: object = None,
    threads: object = None,
    executor: object = None,
    progress: object = None,
    failures: object = None,
    on_tile: object = None,
    area_types: object = AREA_TYPES,
    store: object = None,
    link_edits: object = None,
) -> None:
    """Refuse what a build was given where something else belongs. What is None was left out."""
    submit = getattr(executor, "submit", None)
    rows = (
        ("settings", settings, isinstance(settings, Settings), "Settings; Settings.from_mapping makes them of a dict"),
        ("threads", threads, isinstance(threads, Integral), "a whole number"),
        ("executor", executor, callable(submit), "an Executor of concurrent.futures"),
        ("progress", progress, isinstance(progress, Progress) or callable(progress), "a Progress or a function"),
        ("failures", failures, isinstance(failures, (str, os.PathLike)), "the path of a folder"),
        ("store", store, isinstance(store, (str, os.PathLike)), "the path of a folder"),
        ("link_edits", link_edits, isinstance(link_edits, LinkEdits), "LinkEdits"),
        ("on_tile", on_tile, callable(on_tile), "a function of a tile grid and a tile"),
    )
    if not isinstance(area_types, Mapping):
        wanted = "a mapping from area ids to AreaType"
        raise BadInput(f"area_types must be {wanted}, not {type(area_types).__name__}.", "WRONG_KIND")
    for name, value, right, wanted in rows:
        if value is not None and not right:
            raise BadInput(f"{name} must be {wanted}, not {type(value).__name__}.", "WRONG_KIND")


def _array(values: npt.ArrayLike, name: str, kinds: str) -> npt.NDArray[Any]:
    try:
        array = np.asarray(values)
    except ValueError as reason:
        raise BadInput(f"{name} must be an array of shape (n, 3): {reason}.") from None
    if array.size == 0:
        return np.empty((0, 3), np.int32 if "f" not in kinds else np.float32)
    if array.ndim != 2 or array.shape[1] != 3 or array.dtype.kind not in kinds:
        raise BadInput(f"{name} must be numbers of shape (n, 3), not {array.dtype} of shape {array.shape}.")
    return array


def _checked_areas(areas: npt.ArrayLike | None, count: int) -> U8:
    if areas is None:
        return np.empty(0, np.uint8)
    try:
        ids = np.asarray(areas)
    except ValueError as reason:
        raise BadInput(f"areas must be one whole number per triangle ({count:,}): {reason}.") from None
    if ids.shape != (count,) or ids.dtype.kind not in "iu":
        raise BadInput(
            f"areas must be one whole number per triangle ({count:,}), not {ids.dtype} of shape {ids.shape}."
        )
    if count and (ids.min() < 0 or ids.max() > WALKABLE):
        raise BadInput(
            f"area ids go from 0 (not walkable) to {WALKABLE}, but the input has {ids.min()} to {ids.max()}."
        )
    return ids.astype(np.uint8)
