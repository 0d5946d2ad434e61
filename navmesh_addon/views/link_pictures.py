"""Links as they are drawn over the viewport: arcs with arrowheads, red where one is attached to nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from .overlay_colors import ATTACHED_LINK, UNATTACHED_LINK

if TYPE_CHECKING:
    from ...navcore.result.navmesh import NavMesh

F32 = npt.NDArray[np.float32]
F64 = npt.NDArray[np.float64]
U8 = npt.NDArray[np.uint8]
_ABOVE = 2.5  # cell heights, so that the navmesh, which is shown above the ground, hides no end
_STEPS = 24  # lines in an arc
_RISE = 0.25  # how far an arc rises above the line between its ends, as a part of its length
_MIN_RISE = 0.5  # metres
_HEAD = 0.12  # an arrowhead's length, as a part of its link's
_MAX_HEAD = 0.5  # metres
_MIN_STAR = 0.3  # metres
_STAR = np.concatenate([np.eye(3), np.ones((1, 3)), [[1, -1, 1], [-1, 1, 1], [-1, -1, 1]]])  # the arms of a mark


class LinkLines(NamedTuple):
    """Lines in metres, y up."""

    lines: F32  # (L, 2, 3)
    colors: U8  # (L, 4)


def link_lines(navmesh: NavMesh) -> tuple[LinkLines, LinkLines]:
    """Links that agents can take; and those that are attached to nothing, with a star at each end that fails.

    Where it is not known which are attached, all are drawn alike.
    """
    attached: list[F64] = []
    unattached: list[F64] = []
    above = np.array([0, _ABOVE * navmesh.settings.cell_height, 0])
    given = navmesh.given_links  # those that were found are drawn as wide as they are
    states = navmesh.failing_ends[: len(given)] or ((False, False),) * len(given)
    for link, failing in zip(given, states, strict=True):
        ends = np.array([link.start, link.end])
        arc = _arc(ends if any(failing) else ends + above)
        drawn = unattached if any(failing) else attached
        drawn += [np.repeat(arc, 2, axis=0)[1:-1], _arrowhead(arc)]
        if link.bidirectional:
            drawn.append(_arrowhead(arc[::-1]))
        unattached += [_star(end, link.radius) for end, fails in zip(ends, failing, strict=True) if fails]
    return _lines(attached, ATTACHED_LINK), _lines(unattached, UNATTACHED_LINK)


def _lines(parts: list[F64], color: tuple[int, ...]) -> LinkLines:
    lines = np.concatenate([np.zeros((0, 3)), *parts]).reshape(-1, 2, 3).astype(np.float32)
    return LinkLines(lines, np.tile(np.array(color, np.uint8), (len(lines), 1)))


def _arc(ends: F64) -> F64:
    """(_STEPS + 1, 3) a parabola from the first end to the second, y up."""
    t = np.linspace(0, 1, _STEPS + 1)[:, None]
    rise = max(_MIN_RISE, _RISE * float(np.linalg.norm(ends[1] - ends[0])))
    points: F64 = ends[0] * (1 - t) + ends[1] * t + np.array([0, 4 * rise, 0]) * t * (1 - t)
    return points


def _arrowhead(arc: F64) -> F64:
    """Two lines back from the last point of an arc, in the upright plane that the arc lies in."""
    tip, back = arc[-1], arc[-3] - arc[-1]
    length = min(_MAX_HEAD, _HEAD * float(np.linalg.norm(arc[0] - tip)))
    along = back / max(float(np.linalg.norm(back)), 1e-9)
    aside = np.cross(along, [0.0, 1.0, 0.0])
    aside = aside / max(float(np.linalg.norm(aside)), 1e-9)
    return np.array([tip, tip + length * (along + aside / 2), tip, tip + length * (along - aside / 2)])


def _star(place: F64, radius: float) -> F64:
    """Lines through a point, as long as the link's radius to either side."""
    arms = _STAR / np.linalg.norm(_STAR, axis=1, keepdims=True) * max(radius, _MIN_STAR)
    return np.stack([place - arms, place + arms], axis=1).reshape(-1, 3)
