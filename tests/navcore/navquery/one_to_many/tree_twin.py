"""Dijkstra's search as one would write it down, over the nodes of Detour's paths: slow, and obvious."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from navcore import NavQuery, QueryFilter
from navcore.types import F32


class Node(NamedTuple):
    """A polygon entered from one side."""

    polygon: int
    cost: np.float32
    place: F32
    parent: Node | None


def away(a: F32, b: F32) -> np.float32:
    x, y, z = (b - a).astype(np.float32)
    return np.sqrt(x * x + y * y + z * z)


def settled(query: NavQuery, start: int, here: F32, who: QueryFilter) -> list[Node]:
    """All nodes that can be reached, the cheapest first. A node lies where it was seen first, as Detour has it."""
    mesh, rule = query._mesh, who.rule()
    first_seen: dict[int, F32] = {}
    waiting: dict[int, Node] = {4 * start: Node(start, np.float32(0), here, None)}
    done: dict[int, Node] = {}
    while waiting:
        key = min(waiting, key=lambda k: waiting[k].cost)
        node = done[key] = waiting.pop(key)
        price = rule.costs[mesh.polygons["area"][node.polygon]]
        for link in range(mesh.polygons[node.polygon].first_link, mesh.polygons[node.polygon].end_link):
            target, other = int(mesh.links["target"][link]), int(mesh.links["key"][link])
            flags = int(mesh.polygons["flags"][target])
            if not flags & rule.include or flags & rule.exclude or other in done:
                continue
            if node.parent is not None and node.parent.polygon == target:
                continue
            left, right = mesh.portals[link]
            place = first_seen.setdefault(other, (left + right) * np.float32(0.5))
            cost = node.cost + away(node.place, place) * price
            if other not in waiting or cost < waiting[other].cost:
                waiting[other] = Node(target, cost, place, node)
    return list(done.values())


def cheapest(nodes: list[Node], end: int, there: F32, query: NavQuery, who: QueryFilter) -> tuple[float, list[int]]:
    """What the way to an end costs, and its polygons; infinity and none where no way leads there."""
    start = nodes[0]
    ways = [start] if end == start.polygon else [node for node in nodes if node.polygon == end]
    if not ways:
        return np.inf, []
    price = who.rule().costs[query._mesh.polygons["area"][end]]
    costs = [node.cost + away(node.place, there) * price for node in ways]
    node, polygons = ways[int(np.argmin(costs))], []
    while node is not None:
        polygons.append(node.polygon)
        node = node.parent
    return float(min(costs)), polygons[::-1]
