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

_CODES = frozenset({"LINK_BLOCKED", "LINK_ENDS_NOWHERE"})
_NEAR = 0.1  # metres from the place of a warning to the edge that its link begins at


def blocked_rows(polygons: bpy.types.Object, rows: LinkRows) -> npt.NDArray[np.bool_]:
    """Of each link, whether the last build kept it and yet left it out, or warns of it: warnings say places."""
    import numpy as np

    from ...stored.links.link_rows import FOUND

    object_ = links_object(polygons)
    left_out = [] if object_ is None else json.loads(str(object_.get(LEFT_OUT, "[]")))
    blocked = np.asarray(np.isin(rows.ids, np.array(left_out, np.uint32)))
    if not len(rows.ids):
        return blocked
    starts = rows.corners[:, 0].astype(np.float64)
    edges = rows.corners[:, 1] - starts
    for place in _places(str(polygons.get(REPORT, ""))):
        part = ((np.array(place) - starts) * edges).sum(axis=1) / np.maximum((edges**2).sum(axis=1), 1e-12)
        away = np.linalg.norm(starts + part.clip(0, 1)[:, None] * edges - np.array(place), axis=1)
        away[rows.states == FOUND] = np.inf  # only what was kept is warned of
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
