"""Which found links the last build says that agents cannot take."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING

import bpy

from ...objects.navmesh_objects import REPORT
from ...stored.links.links_mesh import LEFT_OUT, links_object

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ...stored.links.link_rows import LinkRows


def blocked_rows(polygons: bpy.types.Object, rows: LinkRows) -> npt.NDArray[np.bool_]:
    """Of each link, whether the last build kept it and yet left it out, or warns of it: warnings say places."""
    from .fresh_links import blocked_of  # here: Blender's start does not wait for NumPy

    object_ = links_object(polygons)
    left_out = [] if object_ is None else json.loads(str(object_.get(LEFT_OUT, "[]")))
    return blocked_of(rows, left_out, _places(str(polygons.get(REPORT, ""))))


@lru_cache(8)  # drawings ask for it
def _places(report: str) -> tuple[tuple[float, ...], ...]:
    from .fresh_links import CODES

    try:
        warnings = json.loads(report)["warnings"]
        return tuple(tuple(map(float, w["place"])) for w in warnings if w["code"] in CODES and w.get("place"))
    except (KeyError, TypeError, ValueError):
        return ()
