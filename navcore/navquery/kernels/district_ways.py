"""What ways cost inside of parts of districts: from a place, or from a gate, to the gates that lead out of its part."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...geometry.arrays import flatten, join
from ...jit import borrowing, kernel
from ...types import F32, I32, I64, AnyInt, Records
from ..query_filter import Rule
from ..query_mesh import SIDES, QueryMesh
from .node_pool import (
    CLOSED,
    NO_NODE,
    NODES,
    UNSEEN,
    WAITING,
    NodePool,
    begin_search,
    new_pool,
    node_of,
    offer,
    parent_polygon,
    place_of,
    polygon_of,
    settle,
    stand,
)
from .points import ZERO, Float32, Point32, admits, distance, passes, row_of

NO_PART, NO_GATE = -1, -1
NEVER = np.float32(np.inf)
_F, _I = np.float32, np.int32
GATE = np.dtype(
    (
        np.record,
        [
            ("x", _F), ("y", _F), ("z", _F),  # in the middle of what is shared there
            ("polygon", _I), ("target", _I),  # from one to the other
            ("part", _I), ("into", _I),
            ("twin", _I),  # the gate that leads back; NO_GATE: there is none
        ],
    )
)  # fmt: skip


class Districts(NamedTuple):
    """Squares of tiles are districts. What of one hangs together is a part, and gates lead from part to part."""

    part_of: I32  # (P,) of each polygon; NO_PART: it does not pass
    places: I32  # (K, 2) the column and row of the district of each of K parts
    masses: I32  # (K,) of parts with one number nobody knows whether ways lead there; from one to another none does
    first: I64  # (K + 1,) the gates that lead out of each part
    gates: Records  # (G,) by the parts from which they lead
    way_first: I64  # (G + 1,)
    ways: F32  # from behind gate g to gate k of the part there: ways[way_first[g] + k - first[part]]; NEVER: none


@kernel
def parts_of(mesh: QueryMesh, rule: Rule, district_of: I32, order: I64) -> I32:
    """The part of each polygon: what hangs together within a district, whichever way links lead.

    Parts are numbered by their first polygons in this order of polygons.
    """
    mesh, rule = QueryMesh(*mesh), Rule(*rule)
    polygons, links, count = mesh.polygons, mesh.links, len(mesh.polygons)
    parents = np.arange(count).astype(np.int32)
    for polygon in order:
        if not passes(polygons, polygon, rule.include, rule.exclude):
            continue
        own = district_of[polygons[polygon].tile]
        for k in range(polygons[polygon].first_link, polygons[polygon].end_link):
            target = links[k].target
            if admits(links[k].flags_there, rule.include, rule.exclude) and district_of[polygons[target].tile] == own:
                join(parents, np.int32(polygon), target)
    flatten(parents)
    part_of, number = np.full(count, np.int32(NO_PART)), np.full(count, np.int32(NO_PART))
    parts = np.int32(0)
    for polygon in order:
        if passes(polygons, polygon, rule.include, rule.exclude):
            root = parents[polygon]
            if number[root] < 0:
                number[root] = parts
                parts += np.int32(1)
            part_of[polygon] = number[root]
    return part_of


@kernel
def ways_between_gates(mesh: QueryMesh, rule: Rule, districts: Districts) -> F32:
    """The `ways`, gate after gate."""
    mesh, rule, districts = QueryMesh(*mesh), Rule(*rule), Districts(*districts)
    gates, first, way_first = districts.gates, districts.first, districts.way_first
    ways = np.empty(way_first[-1], np.float32)
    pool = new_pool(mesh, 0)
    for gate in range(len(gates)):
        it = gates[gate]
        spread(mesh, pool, rule, districts.part_of, it.target, (it.x, it.y, it.z))
        begin = way_first[gate] - first[it.into]
        for other in range(first[it.into], first[it.into + 1]):
            ways[begin + other] = cost_to_gate(mesh, pool, rule, gates[other])
    return ways


@borrowing
def spread(mesh: QueryMesh, pool: NodePool, rule: Rule, part_of: I32, start: AnyInt, here: Point32) -> None:
    """The cheapest ways from a place to all polygons of its part: Dijkstra's, as in `one_to_many.py`."""
    polygons, links, nodes, marks = mesh.polygons, mesh.links, pool.nodes, pool.marks
    begin_search(pool, start, here, ZERO)
    part = part_of[start]
    while pool.counts[WAITING] > 0:
        node = settle(pool)
        own, came_from = polygons[np.uint32(polygon_of(pool, node))], parent_polygon(pool, node)
        it = nodes[np.uint32(node)]
        place, so_far, price = place_of(it), it.cost, rule.costs[np.uint32(own.area)]
        for k in range(own.first_link, own.end_link):
            link = links[np.uint32(k)]
            if link.target == came_from or part_of[np.uint32(link.target)] != part:
                continue
            other = node_of(pool, link.key)
            if other == NO_NODE:
                continue
            state = marks[np.uint32(other)].state
            if state == CLOSED:
                continue
            if state == UNSEEN:
                stand(pool, other, row_of(mesh.middles, np.uint32(k)))
            cost = so_far + distance(place, place_of(nodes[np.uint32(other)])) * price
            offer(pool, other, node, cost, cost)


@borrowing
def cost_to_gate(mesh: QueryMesh, pool: NodePool, rule: Rule, gate: np.record) -> Float32:
    """What the way to a gate costs after `spread`, from whichever side its polygon is entered; NEVER: there is none."""
    best, place = NEVER, (gate.x, gate.y, gate.z)
    price = rule.costs[np.uint32(mesh.polygons[gate.polygon].area)]
    for side in range(SIDES):
        key = gate.polygon * SIDES + side
        node = pool.by_key[key]
        if 0 <= node < pool.counts[NODES] and pool.marks[node].key == key:
            it = pool.nodes[node]
            best = min(best, it.cost + distance(place_of(it), place) * price)
    return best
