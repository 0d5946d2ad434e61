"""Which found links the last build says that agents cannot take."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING

import bpy

from ..objects.navmesh_objects import REPORT
from ..stored.links_mesh import LEFT_OUT, links_object

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ..stored.link_rows import LinkRows


def blocked_rows(polygons: bpy.types.Object, rows: LinkRows) -> npt.NDArray[np.bool_]:
    """Of each link, whether the last build kept it and yet left it out, or warns of it: warnings say places."""
    from .fresh_links import blocked_of  # here: Blender's start does not wait for NumPy

    object_ = links_object(polygons)
    left_out = [] if object_ is None else json.loads(str(object_.get(LEFT_OUT, "[]")))
    return blocked_of(rows, left_out, _places(str(polygons.get(REPORT, ""))))


def why_blocked(polygons: bpy.types.Object, number: int) -> str:
    """What the last build says of the link with this id, "" for nothing."""
    named = f"with the id {number} "
    return next((text for text, _ in _warnings(str(polygons.get(REPORT, ""))) if named in text), "")


def _places(report: str) -> list[tuple[float, ...]]:
    return [place for _, place in _warnings(report) if place]


@lru_cache(8)  # drawings ask for it
def _warnings(report: str) -> tuple[tuple[str, tuple[float, ...]], ...]:
    """Sentences and places of all that is said of links that were kept."""
    from .fresh_links import CODES

    try:
        warnings = json.loads(report)["warnings"]
        return tuple(
            (str(one["message"]), tuple(map(float, one.get("place") or ()))) for one in warnings if one["code"] in CODES
        )
    except (KeyError, TypeError, ValueError):
        return ()
