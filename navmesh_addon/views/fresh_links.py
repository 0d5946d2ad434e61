"""Links that live mode has found and not written yet: drawn in the place of those that the mesh has. Needs no bpy."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from ..stored.link_rows import FOUND, LinkRows, rows_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...navcore.result.navmesh import NavMesh

CODES = frozenset({"LINK_BLOCKED", "LINK_ENDS_NOWHERE"})
_NEAR = 0.1  # metres from the place of a warning to the edge that its link begins at


class FreshLinks(NamedTuple):
    """What a navmesh says of its links."""

    rows: LinkRows  # as they were found
    joined: tuple[int, ...]  # ids of those that are attached to something
    places: tuple[tuple[float, ...], ...]  # of warnings of links that were kept


def fresh_links(navmesh: NavMesh) -> FreshLinks:
    """Those of a navmesh that nothing was written of."""
    warned = [warning.place for warning in navmesh.report.warnings if warning.code in CODES and warning.place]
    return FreshLinks(
        rows_of(navmesh.wide_links), tuple(wide.id for wide in navmesh.wide_links if wide.points), tuple(warned)
    )


def blocked_of(rows: LinkRows, left_out: Sequence[int], places: Sequence[Sequence[float]]) -> npt.NDArray[np.bool_]:
    """Of each link, whether it was kept and yet left out, or is warned of: warnings say places."""
    blocked = np.asarray(np.isin(rows.ids, np.array(left_out, np.uint32)))
    if not len(rows.ids):
        return blocked
    starts = rows.corners[:, 0].astype(np.float64)
    edges = rows.corners[:, 1] - starts
    for place in places:
        part = ((np.array(place) - starts) * edges).sum(axis=1) / np.maximum((edges**2).sum(axis=1), 1e-12)
        away = np.linalg.norm(starts + part.clip(0, 1)[:, None] * edges - np.array(place), axis=1)
        away[rows.states == FOUND] = np.inf  # only what was kept is warned of
        if away.min() < _NEAR:
            blocked |= away <= away.min()
    return blocked


def blocked_now(fresh: FreshLinks, rows: LinkRows) -> npt.NDArray[np.bool_]:
    """The same of rows that show what was found just now."""
    kept = rows.ids[rows.states != FOUND].tolist()
    return blocked_of(rows, [number for number in kept if number not in fresh.joined], fresh.places)
