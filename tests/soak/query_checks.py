"""What must hold of every answer of a NavQuery, whatever was asked: each check returns what is wrong, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from navcore import NavQuery
from navcore.navquery.answers import Moves, Paths, Rays
from navcore.navquery.sliced_search import SlicedSearch
from navcore.types import F32, F64

SUCCESS, FAILURE, INVALID, PARTIAL = 1 << 30, 1 << 31, 1 << 31 | 8, 64
_LONG = ("references", "parents", "costs", "points", "flags", "segments", "polygons")
_ROW_BY_ROW = {"Moves": ("points",), "Walls": ("points",), "Rays": ("costs",)}
"""What is long in other answers, and has one item a row in these."""
_LINK_BEGINS = 4
_STEPS = 255  # in which Detour cuts an edge on a tile border
_SAMPLES = 9  # of each piece of a line
_SAME = 1e-4  # metres: corners so near to each other are one


def sane(
    query: NavQuery, answer: Any, rows: int, may_be_nan: dict[str, Any] | None = None, aims_of: F32 | None = None
) -> list[str]:
    """Rows, offsets, statuses, references, and no number that is not finite where there should be one.

    `may_be_nan` names rows of some arrays. A corridor that is refused keeps the asked end, of `aims_of`.
    """
    fields = answer._asdict()
    finite = dict(may_be_nan or {})
    if aims_of is not None:
        finite["aims"] = ~np.isfinite(aims_of).all(axis=1)
    wrong = []
    status = fields.get("detour_status", fields["status"])
    if not ((status & SUCCESS != 0) ^ (status & FAILURE != 0)).all():
        wrong.append("a status is neither success nor failure")
    for name, values in fields.items():
        if name.endswith("offsets"):
            if values[0] != 0 or (np.diff(values) < 0).any() or len(values) != rows + 1:
                wrong.append(f"{name} do not cut")
            continue
        offsets = fields.get("polygon_offsets" if name == "polygons" else "offsets")
        long = offsets is not None and name in _LONG and name not in _ROW_BY_ROW.get(type(answer).__name__, ())
        if len(values) != (offsets[-1] if long else rows):
            wrong.append(f"there are {len(values)} {name}")
        elif values.dtype.kind == "f":
            bad = ~np.isfinite(values)
            bad[finite.get(name, slice(0, 0))] = False
            if bad.any():
                wrong.append(f"{name} are not finite in item {int(np.argwhere(bad)[0][0])}")
        elif name in ("references", "parents", "polygons") and (query._names.polygons(values[values != 0]) < 0).any():
            wrong.append(f"{name} name no polygon")
    return wrong


def sane_points(query: NavQuery, references: Any, points: F32) -> list[str]:
    """Points lie on their polygons: the closest point of the polygon is that point."""
    found = references != 0
    on = query.closest_points(references[found], points[found])
    scale = 1 + np.abs(points[found]).max(initial=0)
    away = np.abs(on.points - points[found])[:, [0, 2]].max(initial=0)
    return [f"a point lies {away:g} m beside its polygon"] if away > 1e-4 * scale else []


def _depth(query: NavQuery, polygon: int, points: F64) -> F64:
    """By how much points lie inside a polygon seen from above; of a link how far they are from its line, below 0."""
    count = int(query._mesh.polygons["corners"][polygon])
    corners = query._mesh.outline[polygon, :count, ::2].astype(np.float64)
    if query._mesh.polygons["kind"][polygon] == 1:
        edge, way = corners[1] - corners[0], points - corners[0]
        part = np.clip(way @ edge / max(float(edge @ edge), 1e-300), 0, 1)
        distance: F64 = -np.sqrt(((way - part[:, None] * edge) ** 2).sum(axis=1))
        return distance
    edges = np.roll(corners, -1, axis=0) - corners
    lengths = np.sqrt((edges**2).sum(axis=1))
    ways = points[:, None] - corners[None]
    sides = (ways[:, :, 0] * edges[:, 1] - edges[:, 0] * ways[:, :, 1]) / np.maximum(lengths, 1e-12)
    depth: F64 = sides[:, lengths > 1e-9].min(axis=1, initial=np.inf)
    return depth


def _slack(query: NavQuery) -> float:
    """Metres that floats may be beside an edge."""
    return 1e-3 + 4e-6 * float(np.abs(query._mesh.outline).max(initial=0))


def _portal_step(query: NavQuery, polygons: npt.NDArray[np.int32]) -> float:
    """Metres by which Detour's portals on tile borders may reach beyond a neighbor: it knows them in 255 steps."""
    if len(query._mesh.tiles) < 2:
        return 0.0
    outline = query._mesh.outline[polygons]
    return float(np.sqrt(((np.roll(outline, -1, axis=1) - outline) ** 2).sum(axis=2)).max()) / _STEPS


def sane_line(query: NavQuery, paths: Paths) -> list[str]:
    """Every place of a line lies on a polygon of its corridor, but on the way over a link.

    A link that begins in a corner where the line turns leaves no mark there.
    """
    wrong = []
    numbers = query._names.polygons(paths.polygons)
    for row in np.flatnonzero(np.diff(paths.offsets) > 1).tolist():
        part = slice(paths.offsets[row], paths.offsets[row + 1])
        line, flags = paths.points[part, ::2].astype(np.float64), paths.flags[part]
        polygons = numbers[paths.polygon_offsets[row] : paths.polygon_offsets[row + 1]]
        ends = query._mesh.outline[polygons[query._mesh.polygons["kind"][polygons] == 1], :2, ::2].reshape(1, -1, 2)
        at_links = (np.abs(line[:, None] - ends).max(axis=2, initial=0) < _SAME).any(axis=1)
        ground = (flags[:-1] & _LINK_BEGINS == 0) & ~at_links[:-1]
        parts = np.linspace(0, 1, _SAMPLES)[None, :, None]
        places = (line[:-1, None] * (1 - parts) + line[1:, None] * parts)[ground].reshape(-1, 2)
        depth = np.max([_depth(query, polygon, places) for polygon in polygons.tolist()], axis=0, initial=-np.inf)
        if len(depth) and depth.min() < -_slack(query) - _portal_step(query, polygons):
            wrong.append(f"row {row} leaves its corridor by {-depth.min():g} m")
    return wrong


def sane_costs(query: NavQuery, paths: Paths, cut: Paths, costs: Mapping[int, float]) -> list[str]:
    """A line costs neither less than its cheapest area all along, nor more than its dearest one.

    `cut` is the same line with a point where areas meet, at the height of the ground there, and so longer on uneven
    ground. Costs are those of `cut`, where areas cost differently.
    """
    wrong = []
    areas = query._mesh.polygons["area"][query._names.polygons(paths.polygons)]
    prices = np.array([costs.get(area, 1.0) for area in range(64)])[areas]
    if (paths.length > cut.length * 1.001 + 1e-3).any():
        wrong.append("points more on a line make it shorter")
    for row in np.flatnonzero(np.diff(paths.polygon_offsets) > 0).tolist():
        own = prices[paths.polygon_offsets[row] : paths.polygon_offsets[row + 1]]
        low, high = own.min() * paths.length[row], own.max() * cut.length[row]
        if not low * 0.999 - 1e-3 <= paths.cost[row] <= high * 1.001 + 1e-3:
            wrong.append(f"row {row} costs {paths.cost[row]:g}, not {low:g} to {high:g}")
    return wrong


def sane_ray(query: NavQuery, rays: Rays, first: Any, here: F32, there: F32) -> list[str]:
    """Where a ray that began on its polygon ends lies on the last of those that it crosses."""
    whole = (np.diff(rays.offsets) > 0) & (rays.status == SUCCESS) & _inside(query, first, here)
    rows = np.flatnonzero(whole)
    last = query._names.polygons(rays.references[rays.offsets[1:][rows] - 1])
    part = np.minimum(rays.parts[rows].astype(np.float64), 1)[:, None]
    ends = here[rows].astype(np.float64) * (1 - part) + there[rows].astype(np.float64) * part
    return _beside(query, rows, last, ends, np.abs(there[rows]).max(axis=1), "a ray")


def sane_move(query: NavQuery, moves: Moves, first: Any, here: F32) -> list[str]:
    """Where a walk that began on its polygon ends lies on the last polygon that it has visited."""
    started = _inside(query, first, here)
    rows = np.flatnonzero((np.diff(moves.offsets) > 0) & (moves.status == SUCCESS) & started)
    last = query._names.polygons(moves.references[moves.offsets[1:][rows] - 1])
    return _beside(query, rows, last, moves.points[rows].astype(np.float64), np.zeros(len(rows)), "a walk")


def _inside(query: NavQuery, references: Any, points: F32) -> npt.NDArray[np.bool_]:
    found = np.zeros(len(points), bool)
    for row, polygon in enumerate(query._names.polygons(np.asarray(references)).tolist()):
        if polygon >= 0 and np.isfinite(points[row]).all() and query._mesh.polygons["kind"][polygon] == 0:
            found[row] = _depth(query, polygon, points[row : row + 1, ::2].astype(np.float64))[0] >= 0
    return found


def _beside(query: NavQuery, rows: Any, polygons: Any, ends: F64, far: Any, what: str) -> list[str]:
    wrong = []
    for row, polygon, end, size in zip(rows.tolist(), polygons.tolist(), ends, far.tolist(), strict=True):
        if query._mesh.polygons["kind"][polygon] == 1:  # a link has no ground
            continue
        depth = _depth(query, polygon, end[None, ::2])[0]
        if depth < -_slack(query) - 1e-5 * size:
            wrong.append(f"row {row}: {what} ends {-depth:g} m beside its polygon")
    return wrong


def sane_sliced(query: NavQuery, search: SlicedSearch, steps: int, most: int | None) -> list[str]:
    """A search comes to an end, and its corridor leads from polygon to polygon."""
    while not search.done:
        if not 0 <= search.update(steps) <= steps:
            return ["more steps were made than asked for"]
    references, status = search.finalize(most)
    numbers = query._names.polygons(references)
    if (status == INVALID) != (len(references) == 0) or (numbers < 0).any():
        return [f"{len(references)} polygons with status {status:x}"]
    return ["more polygons than asked for"] if most is not None and len(references) > most else []
