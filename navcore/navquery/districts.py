"""Districts of a navmesh in tiles, and gates between them: what searches for long ways look at first.

Hierarchical search is that of HPA* (Botea, Müller and Schaeffer, "Near optimal hierarchical path-finding", Journal of
Game Development 1, 2004): entrances between clusters, what ways between the entrances of a cluster cost, a search over
entrances, and its refinement. Here clusters are squares of tiles, divided into what hangs together; what polygons share
across the border of two such parts is gathered to gates, some for each border.
"""

from __future__ import annotations

import numpy as np

from ..geometry.arrays import numbers_in_ranges
from ..geometry.connected_parts import joined_parts
from ..types import I32, I64, AnyArray
from .kernels.district_ways import GATE, NO_GATE, Districts, parts_of, ways_between_gates
from .query_filter import Rule
from .query_mesh import QueryMesh, handed

_POLYGONS = 32  # of a district, about
_GATES_ALONG = 3  # a side of a district


def districts_of(mesh: QueryMesh, rule: Rule) -> Districts:
    """All of it for one filter. It is the same for a mesh that follows and for a new one: tile after tile."""
    tiles = mesh.tiles
    order = numbers_in_ranges(tiles["first_polygon"], tiles["end_polygon"] - tiles["first_polygon"])
    side = _tiles_along(mesh, len(order))
    columns, rows = tiles["x"] // side, tiles["y"] // side
    district_of = _numbered(columns, rows)
    part_of = parts_of(handed(mesh), handed(rule), district_of, order)
    parts = int(part_of.max(initial=-1)) + 1
    places = np.zeros((parts, 2), np.int32)
    passing = np.flatnonzero(part_of >= 0)
    tile_of = mesh.polygons["tile"][passing]
    places[part_of[passing], 0], places[part_of[passing], 1] = columns[tile_of], rows[tile_of]
    gates = _gates(mesh, order, part_of, float(mesh.tiling["width"][0]) * side / _GATES_ALONG)
    first = np.searchsorted(gates["part"], np.arange(parts + 1)).astype(np.int64)
    counts = np.diff(first)[gates["into"]]
    way_first = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)])
    masses = joined_parts(parts, gates["part"].astype(np.int64), gates["into"].astype(np.int64))
    districts = Districts(part_of, places, masses, first, gates, way_first, np.zeros(0, np.float32))
    return districts._replace(ways=ways_between_gates(handed(mesh), handed(rule), handed(districts)))


def _tiles_along(mesh: QueryMesh, polygons: int) -> int:
    """How many tiles a side of a district has."""
    squares = int(_numbered(mesh.tiles["x"], mesh.tiles["y"]).max(initial=0)) + 1
    return max(1, round(np.sqrt(_POLYGONS * squares / max(polygons, 1))))


def _numbered(columns: I32, rows: I32) -> I32:
    """The number of each place, row after row."""
    keys = rows.astype(np.int64) << 32 | columns.astype(np.int64) & 0xFFFFFFFF
    return np.unique(keys, return_inverse=True)[1].astype(np.int32)


def _gates(mesh: QueryMesh, order: I64, part_of: I32, stride: float) -> AnyArray:
    """The gates: of what two parts share in each stretch of a border, the piece in the middle stands for all."""
    begin = mesh.polygons["first_link"][order]
    counts = mesh.polygons["end_link"][order] - begin
    links, source = numbers_in_ranges(begin, counts), np.repeat(order, counts)
    target, parts = mesh.links["target"][links], int(part_of.max(initial=-1)) + 1
    here, there = part_of[source], part_of[target]
    chosen = (here >= 0) & (there >= 0) & (here != there)
    crossing, source, target, here, there = (values[chosen] for values in (links, source, target, here, there))
    middles, shared = mesh.middles[crossing].astype(np.float64), np.ptp(mesh.portals[crossing], axis=1)
    tiling = mesh.tiling[0]
    along = np.where(
        shared[:, 0] >= shared[:, 2], middles[:, 0] - float(tiling.origin_x), middles[:, 2] - float(tiling.origin_z)
    )
    stretch = np.floor(along / stride).astype(np.int64) if len(along) else np.zeros(0, np.int64)
    stretch -= stretch.min(initial=0)
    stretches = int(stretch.max(initial=0)) + 1

    def keys(of: I32, to: I32) -> I64:
        return (of.astype(np.int64) * parts + to) * stretches + stretch

    own = keys(here, there)
    found, group = np.unique(own, return_inverse=True)
    count = np.bincount(group, minlength=len(found))[:, None]
    means = np.stack([np.bincount(group, middles[:, axis], len(found)) for axis in range(3)], 1) / np.maximum(count, 1)
    away = ((middles - means[group]) ** 2).sum(axis=1)
    order = np.lexsort((away, group))
    chosen = order[np.searchsorted(group[order], np.arange(len(found)))]
    back = keys(there, here)[chosen]
    twin = np.minimum(np.searchsorted(found, back), max(len(found) - 1, 0))
    gates = np.zeros(len(found), GATE)
    gates["x"], gates["y"], gates["z"] = mesh.middles[crossing[chosen]].T
    gates["polygon"], gates["target"] = source[chosen], target[chosen]
    gates["part"], gates["into"] = here[chosen], there[chosen]
    gates["twin"] = np.where(found[twin] == back, twin, NO_GATE) if len(found) else twin
    return gates
