"""The sliced search as its rules say it, node by node: dictionaries, a list that is sorted, double precision."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import count

from tests.navcore.navquery.plain_graph import Corner, PlainGraph

OPEN, CLOSED = "open", "closed"


class Node:
    def __init__(self, polygon: int, place: Corner) -> None:
        self.polygon, self.place, self.state = polygon, place, ""
        self.parent: Node | None = None
        self.cost = self.total = 0.0
        self.left_over, self.turn = math.inf, 0
        self.crossed: list[int] = []  # on the way from the parent, beginning with its polygon


def corridor(
    graph: PlainGraph,
    start: int,
    goal: int,
    here: Corner,
    there: Corner,
    straight: Callable[[Node, Node, Corner, int], tuple[list[int], float] | None] | None = None,
) -> tuple[list[int], int]:
    """The polygons from the start to the goal, or to what is nearest to it, and how many nodes were looked at.

    `straight` says what a straight line crosses from the parent of a node to the entry of a polygon, and its cost.
    """
    first = Node(start, here)
    first.left_over = first.total = 0.999 * math.dist(here, there)
    first.state = OPEN
    nodes, best, turns, looked_at = {start: first}, first, count(1), 0
    while waiting := [node for node in nodes.values() if node.state == OPEN]:
        node = min(waiting, key=lambda n: (n.total, n.turn))
        node.state, looked_at = CLOSED, looked_at + 1
        if node.polygon == goal:
            best = node
            break
        for link in graph.links[node.polygon]:
            target = link.target
            if (node.parent and node.parent.polygon == target) or not graph.passes[target]:
                continue
            middle = tuple((a + b) / 2 for a, b in zip(link.left, link.right, strict=True))
            other = nodes.setdefault(target, Node(target, middle))
            if other.parent is not None and other.parent is node.parent:
                continue
            price = graph.filter.costs.get
            parent, crossed = node, [node.polygon]
            cost = node.cost + math.dist(node.place, other.place) * price(graph.areas[node.polygon], 1.0)
            if straight and node.parent and (line := straight(node.parent, node, other.place, target)):
                parent, (crossed, more) = node.parent, line
                cost = parent.cost + more
            left_over = 0.999 * math.dist(other.place, there)
            if target == goal:
                cost, left_over = cost + math.dist(other.place, there) * price(graph.areas[target], 1.0), 0.0
            if other.state and cost + left_over >= other.total:
                continue
            other.parent, other.cost, other.total, other.left_over = parent, cost, cost + left_over, left_over
            other.crossed = crossed
            if other.state != OPEN:
                other.state, other.turn = OPEN, next(turns)
            if left_over < best.left_over:
                best = other
    found, last = [best.polygon], best
    while last.parent is not None:
        ahead = last.crossed[:-1] if last.crossed[-1] == last.polygon else last.crossed
        found, last = ahead + found, last.parent
    return found, looked_at
