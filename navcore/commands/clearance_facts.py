"""How wide agents may be, for `navcore path --clearance` and `navcore info --clearance`."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from ..build_warning import Point, place_in_words
from ..clearance.clearance_answers import NarrowestAt, WidestWays, Widths
from ..detour.reader import read_navmesh
from ..navquery.answers import Paths
from ..questions.nav_query import NavQuery
from ..types import F32

_FROM = {
    "outline": "agent radius and the way to the navmesh's outline: up to two cells off",
    "field": "measured to the cells of walls",
}
_MOST_PLACES = 5


def clearance_on(query: NavQuery, paths: Paths, start: Point, end: Point) -> dict[str, Any]:
    """The widest agent on a path, and on any way between the same points."""
    along = query.corridor_clearances(start, end, paths.polygon_offsets, paths.polygons)
    widest = query.narrowest(start, end)
    return {
        "clearance": _number(along.clearances[0]),
        "narrowest": _narrowest(along),
        "gap": _number(along.gaps[0]),
        "widest_way": {
            "clearance": _number(widest.clearances[0]),
            "narrowest": _narrowest(widest),
            "gap": _number(widest.gaps[0]),
        },
        "clearance_from": query.clearance_from,
    }


def clearance_lines(answer: dict[str, Any]) -> list[str]:
    """The same in words."""
    if answer["clearance"] is None:
        return []
    widest = answer["widest_way"]
    lines = [f"clearance {answer['clearance']:.2f} m: the radius of the widest agent, {_where(answer['narrowest'])}"]
    if answer["gap"] is not None and answer["narrowest"]["at"] in ("start", "end"):
        lines.append(f"between start and end {answer['gap']:.2f} m")
    if widest["clearance"] is not None and widest["clearance"] > answer["clearance"] + 0.01:
        lines.append(f"the widest way there lets {widest['clearance']:.2f} m pass, {_where(widest['narrowest'])}")
    return [*lines, f"({_FROM[answer['clearance_from']]})"]


def clearance_facts(path: Path) -> dict[str, Any]:
    """How wide agents may be on a navmesh, and where it is narrowest. Raises NavmeshError."""
    query = NavQuery(read_navmesh(path))
    polygons, portals = query.polygon_clearances(), query.portals()
    closing = query.chokepoints()
    narrowest = [
        {"clearance": _number(clearance), "place": _place(point), "square_metres": round(float(size), 1)}
        for clearance, point, size in zip(*closing[:2], closing.square_metres, strict=True)
    ]
    return {
        "from": query.clearance_from,
        "polygons": _spread(polygons.clearances),
        "portals": _spread(portals.clearances),
        "chokepoints": narrowest,
    }


def info_rows(facts: dict[str, Any]) -> list[tuple[str, str]]:
    """The same in words, as `navcore info` prints it."""
    rows = [("clearance", _FROM[facts["from"]])]
    for name in ("polygons", "portals"):
        numbers = facts[name]
        if numbers is not None:
            said = f"{numbers['least']:.2f} m at least, half {numbers['median']:.2f} m, {numbers['most']:.2f} m at most"
            rows.append((f"  {name}", said))
    for gap in facts["chokepoints"][:_MOST_PLACES]:
        behind = f"{gap['square_metres']:,.1f} m² are cut off for wider agents"
        rows.append(("  closes", f"at {gap['clearance']:.2f} m, {place_in_words(gap['place'])}: {behind}"))
    left = len(facts["chokepoints"]) - _MOST_PLACES
    return [*rows, ("  closes", f"{left:,} wider gaps")] if left > 0 else rows


def _narrowest(answer: Widths | WidestWays) -> dict[str, Any] | None:
    if math.isnan(answer.clearances[0]):
        return None
    return {"at": NarrowestAt(int(answer.narrowest_at[0])).name.lower(), "place": _place(answer.points[0])}


def _where(narrowest: dict[str, Any]) -> str:
    words = {"start": "at the start", "end": "at the end", "gap": "between walls at", "link": "at the end of a link"}
    return f"{words[narrowest['at']]} {place_in_words(narrowest['place'])}"


def _number(value: Any) -> float | None:
    return round(float(value), 4) if math.isfinite(value) else None


def _place(point: F32) -> list[float]:
    return [round(float(value), 3) for value in point]


def _spread(clearances: F32) -> dict[str, float] | None:
    finite = clearances[np.isfinite(clearances)]
    if not len(finite):
        return None
    return {
        "least": round(float(finite.min()), 4), "median": round(float(np.median(finite)), 4),
        "most": round(float(finite.max()), 4),
    }  # fmt: skip
