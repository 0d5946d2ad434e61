"""Convex shapes that come in: their corners one after the other, and which of them can be asked with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np

from ..errors import BadInput
from ..types import F32, F64, I64, ArrayLike, Bools
from .batches import as_points, offsets_of, usable

_TURN = 2 * np.pi
_STRAIGHT = 1e-6  # what a corner may be bent inwards, as a part of the product of its edges


def as_shapes(
    given: ArrayLike | Sequence[ArrayLike],
) -> tuple[F32, I64, F32, Bools]:
    """The corners of all shapes, where each is cut out, their means, and which are convex and have an area.

    All come out turning the way that polygons of a navmesh do.
    """
    shapes = _apart(given)
    counts = np.array([len(shape) for shape in shapes], np.int64)
    cuts = offsets_of(counts.astype(np.int32))
    corners = np.concatenate([np.zeros((0, 3), np.float32), *shapes])
    owner = np.repeat(np.arange(len(shapes)), counts)
    good = np.bincount(owner, ~usable(corners), len(shapes)) == 0
    corners[~good[owner]] = 0
    sums = np.zeros((len(shapes), 3), np.float32)
    np.add.at(sums, owner, corners)  # in float32, corner after corner
    centers = sums * (np.float32(1) / np.maximum(counts, 1).astype(np.float32))[:, None]
    area, bent, turned = _turns(corners.astype(np.float64), cuts, owner)
    good &= (counts >= 3) & (area != 0) & ~bent & (np.abs(np.abs(turned) - _TURN) < 1)
    backwards = area < 0
    place = np.arange(len(corners))
    mirrored = (cuts[:-1] + cuts[1:] - 1)[owner] - place
    return corners[np.where(backwards[owner], mirrored, place)], cuts, centers, good


def _apart(given: ArrayLike | Sequence[ArrayLike]) -> list[F32]:
    """(K, 3) corners of each shape; an array of two dimensions is one shape."""
    try:
        together = np.asarray(given, np.float32)
    except (TypeError, ValueError):  # shapes of different numbers of corners
        return [as_points("corners of a shape", shape) for shape in cast("Sequence[ArrayLike]", given)]
    if together.ndim not in (2, 3) or together.shape[-1] != 3:
        if together.size == 0:
            return []
        raise BadInput(
            f"shapes have the shape {together.shape}. Give (K, 3) corners for each, or (N, K, 3).", "WRONG_QUESTION"
        )
    return [shape.copy() for shape in together.reshape(-1, *together.shape[-2:])]


def _turns(corners: F64, cuts: I64, owner: I64) -> tuple[F64, Bools, F64]:
    """Of each shape twice its area, whether a corner is bent the other way, and by which angle it turns in all."""
    shapes = len(cuts) - 1
    place = np.arange(len(corners))
    following = np.where(place + 1 == cuts[1:][owner], cuts[:-1][owner], place + 1)
    flat = corners[:, ::2] - corners[cuts[:-1][owner], ::2]  # from the first corner: the area is that of small numbers
    edge = flat[following] - flat
    cross, dot = _cross(edge, edge[following]), (edge * edge[following]).sum(axis=1)
    area: F64 = np.bincount(owner, _cross(flat, flat[following]), shapes).astype(np.float64)
    angle: F64 = np.bincount(owner, np.arctan2(cross, dot), shapes).astype(np.float64)
    lengths = np.sqrt((edge**2).sum(axis=1))
    wrong = cross * np.sign(area)[owner] < -_STRAIGHT * lengths * lengths[following]
    return area, np.bincount(owner, wrong, shapes) > 0, angle


def _cross(a: F64, b: F64) -> F64:
    """Positive where b turns away from a as the outlines of a navmesh's polygons turn."""
    product: F64 = b[:, 0] * a[:, 1] - a[:, 0] * b[:, 1]
    return product
