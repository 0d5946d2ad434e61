"""Which found links the last build says that agents cannot take."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING

import bpy

from ...objects.navmesh_objects import REPORT

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ...stored.links.link_rows import LinkRows

_CODES = frozenset({"LINK_BLOCKED", "LINK_ENDS_NOWHERE", "LINK_UNATTACHED"})
_NEAR = 0.5  # metres from the place of a warning to a corner of its link, or to the middle of an edge


def blocked_rows(polygons: bpy.types.Object, rows: LinkRows) -> npt.NDArray[np.bool_]:
    """Of each link, whether a warning of the last build tells of it: warnings say places."""
    import numpy as np

    blocked = np.zeros(len(rows.ids), bool)
    if not len(rows.ids):
        return blocked
    places = np.concatenate([rows.corners, rows.starts[:, None], rows.ends[:, None]], axis=1)
    for place in _places(str(polygons.get(REPORT, ""))):
        away = np.linalg.norm(places - np.array(place), axis=2).min(axis=1)
        if away.min() < _NEAR:
            blocked |= away <= away.min()
    return blocked


@lru_cache(8)  # drawings ask for it
def _places(report: str) -> tuple[tuple[float, ...], ...]:
    try:
        warnings = json.loads(report)["warnings"]
        return tuple(tuple(map(float, w["place"])) for w in warnings if w["code"] in _CODES and w.get("place"))
    except (KeyError, TypeError, ValueError):
        return ()
