"""Any-angle search for the shortest path over polygons (Polyanya): cones of what is seen from the path's last corner.

A node is a cone that enters a polygon over an edge. What the cone sees of the polygon's other edges is entered next,
and what lies past either of its ends, where the path may turn around a wall's corner: that corner is the next root.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import borrowing, inlined, kernel
from ..navquery.kernels.heap import Heap, new_heap, pop, push
from ..types import AnyBool, AnyInt, Records
from .shortest_lattice import LatticePoint, cross, is_ahead, steps_between
from .shortest_mesh import ShortestMesh, spot_of

NOBODY = -1
TO_LEFT, NO_TURN, TO_RIGHT = -1, 0, 1
ENDS, JUMPS = -2, -3  # in the place of `right`, in nodes of another kind: the path ends here, or jumps
# The cone: its root and where that is, and past which vertices it is seen; in nodes of another kind `left` is what the
# path passes on the way there. The edge by which it enters a polygon (or the jump), the node before, the polygon. The
# root before the last one, and to which side the path turned at the last: the cone is wanted on that side alone. In
# steps: the path to the root, and the whole of it at least; that of the first node is the shortest whole path so far.
_NODE = ("root", "x", "z", "left", "right", "entry", "parent", "place", "before", "before_x", "before_z", "turn")
NODE = np.dtype((np.record, [(n, np.int32) for n in _NODE] + [("so_far", np.float64), ("total", np.float64)]))
# The shortest path to a root so far, in which search that was, and coming from which root.
_ROOT = np.dtype((np.record, [("best", np.float64), ("search", np.int32), ("holder", np.int32)]))
# How many nodes there are, the search's number, and a node that perhaps need not wait.
_STATE = np.dtype((np.record, [(name, np.int64) for name in ("nodes", "search", "held")]))

NOT_FOUND = np.int64(-1)
ENDED, OUT_OF_NODES, NO_ROOM = range(3)  # how a search comes to its end; the last: it wants a larger pool
_MIN_CAP, _CAP_PER_EDGE = 1 << 16, 64  # nodes: a search of a sound mesh stays far below
_SEEN, _PAST_RIGHT, _PAST_LEFT = range(3)
# Nothing, a cone, an edge at the corner around which the path goes, an edge farther on in line with it.
_NONE, _CONE, _ALONG_CORNER, _ALONG = range(4)


class SearchPool(NamedTuple):
    """Room for M nodes, over a mesh of V vertices."""

    nodes: Records  # (M,)
    heap: Heap  # of nodes, by their totals
    roots: Records  # (V + 1,)
    state: Records  # (1,)


class Aim(NamedTuple):
    """Where a search goes."""

    polygon: np.int64
    spot: LatticePoint
    number: np.int64  # the polygon's


class Cone(NamedTuple):
    """What is seen from a root between two vertices, and how the path came there."""

    root: np.int64
    spot: LatticePoint
    left: np.int64
    right: np.int64
    before: np.int64  # the root before
    before_spot: LatticePoint
    turn: np.int64  # to which side the path turned at the root
    so_far: float  # steps to the root


@kernel
def new_pool(vertices: int) -> SearchPool:
    room = 4096
    return SearchPool(
        np.empty(room, NODE), new_heap(room), np.zeros(vertices + 1, _ROOT), np.zeros(1, _STATE),
    )  # fmt: skip


@kernel
def larger(pool: SearchPool) -> SearchPool:
    """A pool with room for twice as many nodes, and none in it."""
    room = 2 * len(pool.nodes)
    return SearchPool(np.empty(room, NODE), new_heap(room), pool.roots, pool.state)


@borrowing
def search(
    mesh: ShortestMesh, pool: SearchPool, start: AnyInt, spot: LatticePoint, aim: Aim, max_nodes: int
) -> tuple[np.int64, int]:
    """A*: the node in which the shortest path ends, or NOT_FOUND, and how the search came to its end."""
    nodes, state, vertices = pool.nodes, pool.state, len(mesh.vertices)
    pool.heap.size[0], state[0].held = 0, NOBODY
    state[0].search += 1
    cap = max_nodes if max_nodes > 0 else _MIN_CAP + _CAP_PER_EDGE * len(mesh.edges)
    _first_node(pool, start, spot, vertices)
    node, looks_around = np.int64(0), True
    while True:
        if looks_around:
            has_room = _begin(mesh, pool, node, aim)
        else:
            polygon = mesh.polygons[nodes[node].place]
            leads = polygon.end_jump - polygon.first_jump
            wanted = 3 * (polygon.end_edge - polygon.first_edge + mesh.copies) + leads
            has_room = state[0].nodes + wanted <= len(nodes)
            if has_room and leads > 0:
                _jump_from(mesh, pool, node, aim)
            if has_room:
                _expand(mesh, pool, node, aim)
        if not has_room:
            return NOT_FOUND, NO_ROOM
        while True:
            node = _next_of(pool)
            if node < 0 or nodes[node].right == ENDS:
                return node, ENDED
            root = nodes[node].root
            if root >= vertices:
                break
            if nodes[node].so_far == pool.roots[root].best and pool.roots[root].holder == nodes[node].before:
                break
        if state[0].nodes >= cap:
            return NOT_FOUND, OUT_OF_NODES
        looks_around = nodes[node].right == JUMPS


@borrowing
def _first_node(pool: SearchPool, start: AnyInt, spot: LatticePoint, root: AnyInt) -> None:
    node = pool.nodes[0]
    node.x, node.z, node.root = spot.x, spot.z, root
    node.left, node.right, node.entry, node.parent = NOBODY, NOBODY, NOBODY, NOBODY
    node.place, node.before, node.turn = start, NOBODY, NO_TURN
    node.so_far, node.total = 0, np.inf
    pool.state[0].nodes = 1


# Waiting nodes, and who holds a root ---------------------------------------------------------------------------------


@borrowing
def _claims(pool: SearchPool, root: AnyInt, so_far: float, holder: AnyInt) -> bool:
    """Whether a path to a root is the best so far, or goes on as that one does.

    Of two paths of one length the first is kept: where the other would lead on tautly, there is a shorter one still.
    """
    held = pool.roots[root]
    if held.search == pool.state[0].search and not so_far < held.best:
        return so_far == held.best and held.holder == holder
    held.best, held.search, held.holder = so_far, pool.state[0].search, holder
    return True


@borrowing
def _hold(pool: SearchPool, node: AnyInt, total: float) -> None:
    """Of new nodes the most promising one does not wait: often it is next."""
    held = pool.state[0].held
    if held >= 0 and not total < pool.nodes[held].total:
        push(pool.heap, node, total)
        return
    pool.state[0].held = node
    if held >= 0:
        push(pool.heap, held, pool.nodes[held].total)


@borrowing
def _next_of(pool: SearchPool) -> np.int64:
    """The most promising node; NOBODY where there is none."""
    held = pool.state[0].held
    pool.state[0].held = NOBODY
    if held >= 0:
        if pool.heap.size[0] == 0 or pool.nodes[held].total <= pool.heap.keys[0]:
            return held
        push(pool.heap, held, pool.nodes[held].total)
    return np.int64(pop(pool.heap)) if pool.heap.size[0] > 0 else np.int64(NOBODY)


# Looking around: at the start, and where a jump lands ----------------------------------------------------------------


@borrowing
def _begin(mesh: ShortestMesh, pool: SearchPool, node: AnyInt, aim: Aim) -> bool:
    """Look around from a place: from all polygons that it touches, where it lies on an edge or a corner.

    Whether there was room for it.
    """
    nodes, state = pool.nodes, pool.state
    spot, root = LatticePoint(np.int64(nodes[node].x), np.int64(nodes[node].z)), np.int64(nodes[node].root)
    first = state[0].nodes
    touched = first - 1  # the first one is `node` itself
    while touched < state[0].nodes:
        here = node if touched < first else touched
        polygon = mesh.polygons[nodes[here].place]
        if state[0].nodes + polygon.end_edge - polygon.first_edge + mesh.copies > len(nodes):
            return False
        for edge in range(polygon.first_edge, polygon.end_edge):
            if mesh.edges[edge].across >= 0 and _touches(mesh, edge, spot):
                _touch(mesh, pool, edge, node, here, first)
        touched += 1
    for k in range(first - 1, touched):
        here = node if k < first else k
        polygon = mesh.polygons[nodes[here].place]
        wanted = polygon.end_edge - polygon.first_edge + mesh.copies + 1 + polygon.end_jump - polygon.first_jump
        if state[0].nodes + wanted > len(nodes):
            return False
        _look_around(mesh, pool, here, spot, root, aim)
    return True


@borrowing
def _touches(mesh: ShortestMesh, edge: AnyInt, spot: LatticePoint) -> AnyBool:
    """Whether a spot of a polygon lies on one of its edges."""
    p, q = _ends_of(mesh, edge)
    a, b = spot_of(mesh.vertices, p), spot_of(mesh.vertices, q)
    return cross(a, b, spot) <= 0 and not (is_ahead(b, a, spot) or is_ahead(a, b, spot))


@borrowing
def _touch(mesh: ShortestMesh, pool: SearchPool, edge: AnyInt, node: AnyInt, here: AnyInt, first: AnyInt) -> None:
    """Nodes for the polygons across an edge, unless they have one."""
    nodes, edges, copy = pool.nodes, mesh.edges, np.int64(edge)
    while copy >= 0:
        entry = edges[copy].across
        polygon = edges[entry].polygon
        has_one = polygon == nodes[node].place
        for other in range(first, pool.state[0].nodes):
            has_one |= polygon == nodes[other].place
        if not has_one:
            new = _copied(pool, node)
            nodes[new].left = nodes[new].right = NOBODY
            nodes[new].entry, nodes[new].place, nodes[new].parent = entry, polygon, here
        copy = np.int64(edges[copy].also)


@borrowing
def _copied(pool: SearchPool, node: AnyInt) -> np.int64:
    """A new node that is as another one."""
    new = pool.state[0].nodes
    pool.state[0].nodes = new + 1
    pool.nodes[new] = pool.nodes[node]
    return new


@borrowing
def _look_around(
    mesh: ShortestMesh, pool: SearchPool, here: AnyInt, spot: LatticePoint, root: np.int64, aim: Aim
) -> None:
    """From a spot inside a polygon or on its outline: a cone for each edge that it does not lie on."""
    place, so_far = pool.nodes[here].place, pool.nodes[here].so_far
    polygon = mesh.polygons[place]
    if place == aim.polygon:
        _end_at(pool, here, so_far + steps_between(spot, aim.spot))
        return
    for jump in range(polygon.first_jump, polygon.end_jump):
        begins = spot_of(mesh.vertices, mesh.jumps[jump].vertex)
        _jump_to(mesh, pool, here, jump, np.int64(NOBODY), so_far + steps_between(spot, begins), aim)
    for edge in range(polygon.first_edge, polygon.end_edge):
        if mesh.edges[edge].across < 0 or _touches(mesh, edge, spot):
            continue
        p, q = _ends_of(mesh, edge)
        cone = Cone(root, spot, q, p, np.int64(pool.nodes[here].before), spot, np.int64(NO_TURN), so_far)
        if cross(spot, spot_of(mesh.vertices, p), spot_of(mesh.vertices, q)) <= 0:  # in line: turn at the nearer end
            turns, cone = _turned_at_nearer(mesh, pool, cone, p, q)
            if not turns:
                continue
        _enter(mesh, pool, here, edge, cone, aim)


# New nodes: at the end of the path, at the end of a jump, behind an edge ---------------------------------------------


@borrowing
def _end_at(pool: SearchPool, parent: AnyInt, total: float) -> None:
    """The path ends in the polygon of a node, straight on."""
    new = _copied(pool, parent)
    node = pool.nodes[new]
    node.left, node.right, node.parent = NOBODY, ENDS, parent
    node.so_far, node.total = total, total
    pool.nodes[0].total = min(pool.nodes[0].total, total)
    push(pool.heap, new, total)


@borrowing
def _jump_to(
    mesh: ShortestMesh, pool: SearchPool, parent: AnyInt, jump: AnyInt, past: AnyInt, path: float, aim: Aim
) -> None:
    """A node at the end of a jump, which begins after `path`."""
    new, lands = pool.state[0].nodes, mesh.jumps[jump].vertex + 1
    so_far = path + mesh.prices[jump]
    holder = -2 - new
    if not _claims(pool, lands, so_far, holder):
        return
    pool.state[0].nodes = new + 1
    node, spot = pool.nodes[new], spot_of(mesh.vertices, lands)
    node.root, node.x, node.z = lands, spot.x, spot.z
    node.left, node.right, node.parent = past, JUMPS, parent
    node.entry, node.place = jump, mesh.jumps[jump].end
    node.before, node.turn = holder, NO_TURN
    total = so_far + steps_between(spot, aim.spot)
    node.so_far, node.total = so_far, total
    push(pool.heap, new, total)


@borrowing
def _jump_from(mesh: ShortestMesh, pool: SearchPool, node: AnyInt, aim: Aim) -> None:
    """Jumps that begin in a node's polygon, where its cone leads to them."""
    polygon, cone, entry = mesh.polygons[pool.nodes[node].place], _cone_of(pool, node), pool.nodes[node].entry
    on_edge = _is_on(mesh, entry, cone.spot)
    for jump in range(polygon.first_jump, polygon.end_jump):
        begins = spot_of(mesh.vertices, mesh.jumps[jump].vertex)
        path, past = _reach(mesh, cone, entry, on_edge, begins)
        if path >= 0:
            _jump_to(mesh, pool, node, jump, past, cone.so_far + path, aim)


@borrowing
def _enter(mesh: ShortestMesh, pool: SearchPool, parent: AnyInt, edge: AnyInt, cone: Cone, aim: Aim) -> None:
    """Nodes for what lies across an edge. A cone that cannot be that of the path is left out."""
    nodes, edges, copy = pool.nodes, mesh.edges, np.int64(edge)
    while copy >= 0:
        entry = edges[copy].across
        place = edges[entry].polygon
        polygon = mesh.polygons[place]
        wanted = edges[copy].dead_end == 0 or polygon.number <= aim.number < polygon.end_number
        copy = np.int64(edges[copy].also)
        if not wanted or _has_been(pool, parent, cone.root, place):
            continue
        left, right, on_edge = cone.left, cone.right, _is_on(mesh, entry, cone.spot)
        if place == aim.polygon:
            path, left = _reach(mesh, cone, entry, on_edge, aim.spot)
            right = np.int64(ENDS)
            if path < 0 or cone.so_far + path >= nodes[0].total:
                continue
            nodes[0].total = cone.so_far + path
        else:
            path = _least_path(mesh, cone, entry, on_edge, aim.spot)
            if cone.so_far + path >= nodes[0].total:
                continue
        new = pool.state[0].nodes
        pool.state[0].nodes = new + 1
        node = nodes[new]
        node.root, node.x, node.z, node.left, node.right = cone.root, cone.spot.x, cone.spot.z, left, right
        node.entry, node.parent, node.place, node.before = entry, parent, place, cone.before
        node.before_x, node.before_z, node.turn = cone.before_spot.x, cone.before_spot.z, cone.turn
        node.so_far, node.total = cone.so_far, cone.so_far + path
        _hold(pool, new, cone.so_far + path)


@borrowing
def _has_been(pool: SearchPool, node: AnyInt, root: AnyInt, place: AnyInt) -> bool:
    """Whether what is seen from a root has come full circle: no line of sight enters a polygon twice."""
    at = np.int64(node)
    while at >= 0 and pool.nodes[at].root == root:
        if pool.nodes[at].place == place:
            return True
        at = np.int64(pool.nodes[at].parent)
    return False


# From a cone that enters a polygon to the cones that leave it --------------------------------------------------------


@borrowing
def _expand(mesh: ShortestMesh, pool: SearchPool, node: AnyInt, aim: Aim) -> None:
    """Nodes for all that a cone leads to."""
    edges, entry, cone = mesh.edges, np.int64(pool.nodes[node].entry), _cone_of(pool, node)
    a, b = _ends_of(mesh, entry)
    on_edge, limit = _is_on(mesh, entry, cone.spot), _limit_of(mesh, cone)
    left, right = spot_of(mesh.vertices, cone.left), spot_of(mesh.vertices, cone.right)
    may_left = not on_edge and cone.left == a and _bends(cone, left, limit)
    may_right = not on_edge and cone.right == b and _bends(cone, right, limit)
    may_left = may_left and _may_turn(mesh, cone.spot, a, TO_LEFT)
    may_right = may_right and _may_turn(mesh, cone.spot, b, TO_RIGHT)
    to_left, to_right = cone.so_far + steps_between(cone.spot, left), cone.so_far + steps_between(cone.spot, right)
    edge = np.int64(edges[entry].following)
    while edge != entry:
        here = edge
        edge = np.int64(edges[edge].following)
        if edges[here].across < 0:
            continue
        p, q = _ends_of(mesh, here)
        for part in range(3):
            if part == _SEEN:
                found, out = _around(mesh, cone, p, q, limit) if on_edge else _seen(mesh, cone, p, q)
            elif part == _PAST_RIGHT:
                found = _past_right(mesh, cone.spot, b, p, q) if may_right else _NONE
                out = Cone(b, right, q, p, cone.root, cone.spot, np.int64(TO_RIGHT), to_right)
            else:
                found = _past_left(mesh, cone.spot, a, p, q) if may_left else _NONE
                out = Cone(a, left, q, p, cone.root, cone.spot, np.int64(TO_LEFT), to_left)
            if found == _NONE or (part == _SEEN and found == _CONE and not _is_taut(mesh, cone, p, q, limit)):
                continue
            if part != _SEEN and not _claims(pool, out.root, out.so_far, out.before):
                continue
            if found == _ALONG:  # the path is along the line to its nearer end, and turns there
                turns, out = _turned_at_nearer(mesh, pool, out, p, q)
                if not turns:
                    continue
            _enter(mesh, pool, node, here, out, aim)


@borrowing
def _seen(mesh: ShortestMesh, cone: Cone, p: np.int64, q: np.int64) -> tuple[int, Cone]:
    """What of the edge from p to q a cone sees: its new ends are those of the edge where they lie inside."""
    left, right = spot_of(mesh.vertices, cone.left), spot_of(mesh.vertices, cone.right)
    at_p, at_q = spot_of(mesh.vertices, p), spot_of(mesh.vertices, q)
    if cross(cone.spot, right, at_q) <= 0 or cross(cone.spot, left, at_p) >= 0:
        return _NONE, cone
    new_right = p if cross(cone.spot, right, at_p) >= 0 else cone.right
    new_left = q if cross(cone.spot, left, at_q) <= 0 else cone.left
    return _CONE, _with_ends(cone, new_left, new_right)


@borrowing
def _around(mesh: ShortestMesh, cone: Cone, p: np.int64, q: np.int64, limit: np.int64) -> tuple[int, Cone]:
    """An edge seen from a corner of its polygon. The path goes on around it, by half a turn where that is the limit."""
    at_p, at_q = spot_of(mesh.vertices, p), spot_of(mesh.vertices, q)
    if at_p.x == cone.spot.x and at_p.z == cone.spot.z:
        found = _ALONG_CORNER if cone.turn == TO_RIGHT and _goes_on(cone, at_q, limit) else _NONE
    elif at_q.x == cone.spot.x and at_q.z == cone.spot.z:
        found = _ALONG_CORNER if cone.turn == TO_LEFT and _goes_on(cone, at_p, limit) else _NONE
    else:
        found = _CONE if cross(cone.spot, at_p, at_q) > 0 else _ALONG
    return found, _with_ends(cone, q, p)


@inlined
def _with_ends(cone: Cone, left: np.int64, right: np.int64) -> Cone:
    return Cone(cone.root, cone.spot, left, right, cone.before, cone.before_spot, cone.turn, cone.so_far)


@borrowing
def _past_right(mesh: ShortestMesh, root: LatticePoint, b: AnyInt, p: AnyInt, q: AnyInt) -> int:
    """What of an edge lies to the right of the ray from the root through b, seen from b."""
    at_b, at_p, at_q = spot_of(mesh.vertices, b), spot_of(mesh.vertices, p), spot_of(mesh.vertices, q)
    far = cross(root, at_b, at_q)
    if at_p.x == at_b.x and at_p.z == at_b.z:
        return _ALONG_CORNER if far <= 0 else _NONE
    near = cross(root, at_b, at_p)
    if near > 0 or (near == 0 and far > 0):
        return _NONE
    return _CONE if cross(at_b, at_p, at_q) > 0 else _ALONG


@borrowing
def _past_left(mesh: ShortestMesh, root: LatticePoint, a: AnyInt, p: AnyInt, q: AnyInt) -> int:
    """The same to the left of the ray through a."""
    at_a, at_p, at_q = spot_of(mesh.vertices, a), spot_of(mesh.vertices, p), spot_of(mesh.vertices, q)
    far = cross(root, at_a, at_p)
    if at_q.x == at_a.x and at_q.z == at_a.z:
        return _ALONG_CORNER if far >= 0 else _NONE
    near = cross(root, at_a, at_q)
    if near < 0 or (near == 0 and far < 0):
        return _NONE
    return _CONE if cross(at_a, at_p, at_q) > 0 else _ALONG


@borrowing
def _turned_at_nearer(
    mesh: ShortestMesh, pool: SearchPool, cone: Cone, p: np.int64, q: np.int64
) -> tuple[AnyBool, Cone]:
    """A path goes to the nearer end of an edge that lies in line with a root, and turns there to cross the edge.

    Whether it may, and the cone from there.
    """
    at_p, at_q = spot_of(mesh.vertices, p), spot_of(mesh.vertices, q)
    to_p, to_q = steps_between(cone.spot, at_p), steps_between(cone.spot, at_q)
    near, spot, so_far, turn = q, at_q, cone.so_far + to_q, np.int64(TO_LEFT)
    if to_p < to_q:
        near, spot, so_far, turn = p, at_p, cone.so_far + to_p, np.int64(TO_RIGHT)
    turned = Cone(near, spot, cone.left, cone.right, cone.root, cone.spot, turn, so_far)
    return _may_turn(mesh, cone.spot, near, turn) and _claims(pool, near, so_far, cone.root), turned


@borrowing
def _is_taut(mesh: ShortestMesh, cone: Cone, p: AnyInt, q: AnyInt, turn: AnyInt) -> AnyBool:
    """Whether some of an edge lies on the side to which the path has turned."""
    end = spot_of(mesh.vertices, p if turn == TO_RIGHT else q)
    return turn == NO_TURN or cross(cone.before_spot, cone.spot, end) * turn < 0


@inlined
def _bends(cone: Cone, to: LatticePoint, turn: AnyInt) -> AnyBool:
    """Whether a path is taut that turns at its root towards another corner: it goes on to the side of its turn."""
    return turn == NO_TURN or cross(cone.before_spot, cone.spot, to) * turn <= 0


@inlined
def _goes_on(cone: Cone, to: LatticePoint, turn: AnyInt) -> AnyBool:
    """Whether a direction lies on the side to which the path has turned, or straight ahead."""
    bend = cross(cone.before_spot, cone.spot, to) * turn
    return turn == NO_TURN or bend < 0 or (bend == 0 and is_ahead(cone.before_spot, cone.spot, to))


# What cones see ------------------------------------------------------------------------------------------------------


@borrowing
def _cone_of(pool: SearchPool, node: AnyInt) -> Cone:
    row = pool.nodes[node]
    spot, before = (
        LatticePoint(np.int64(row.x), np.int64(row.z)),
        LatticePoint(np.int64(row.before_x), np.int64(row.before_z)),
    )
    left, right, turn = np.int64(row.left), np.int64(row.right), np.int64(row.turn)
    return Cone(np.int64(row.root), spot, left, right, np.int64(row.before), before, turn, row.so_far)


@borrowing
def _ends_of(mesh: ShortestMesh, edge: AnyInt) -> tuple[np.int64, np.int64]:
    row = mesh.edges[edge]
    return np.int64(row.vertex), np.int64(mesh.edges[row.following].vertex)


@borrowing
def _is_on(mesh: ShortestMesh, entry: AnyInt, spot: LatticePoint) -> AnyBool:
    """Whether a root lies on the edge by which its cone enters a polygon."""
    a, b = _ends_of(mesh, entry)
    return cross(spot_of(mesh.vertices, a), spot_of(mesh.vertices, b), spot) >= 0


@borrowing
def _limit_of(mesh: ShortestMesh, cone: Cone) -> np.int64:
    """To which side the path has to go on; NO_TURN where it may turn at its root to any side, by any angle."""
    winds = cone.root < len(mesh.vertices) and mesh.vertices[cone.root].wall_behind == cone.root
    return np.int64(NO_TURN) if winds else cone.turn


@borrowing
def _may_turn(mesh: ShortestMesh, spot: LatticePoint, vertex: AnyInt, side: AnyInt) -> AnyBool:
    """Whether a path that comes straight to a vertex may turn there: the wall lies on that side of it."""
    here = mesh.vertices[vertex]
    if here.wall_behind < 0:
        return False
    corner = spot_of(mesh.vertices, vertex)
    return (
        cross(spot, corner, spot_of(mesh.vertices, here.wall_behind)) * side <= 0
        and cross(spot, corner, spot_of(mesh.vertices, here.wall_ahead)) * side <= 0
    )


@borrowing
def _reach(mesh: ShortestMesh, cone: Cone, entry: AnyInt, on_edge: AnyBool, to: LatticePoint) -> tuple[float, np.int64]:
    """How far a spot of the polygon that a cone enters is from its root, and past which vertex.

    Below 0: it is seen from another cone.
    """
    a, b = _ends_of(mesh, entry)
    left, right = spot_of(mesh.vertices, cone.left), spot_of(mesh.vertices, cone.right)
    if not on_edge and cross(cone.spot, right, to) < 0:
        if cone.right != b or not _may_turn(mesh, cone.spot, b, TO_RIGHT):
            return -1.0, np.int64(NOBODY)
        return steps_between(cone.spot, right) + steps_between(right, to), b
    if not on_edge and cross(cone.spot, left, to) > 0:
        if cone.left != a or not _may_turn(mesh, cone.spot, a, TO_LEFT):
            return -1.0, np.int64(NOBODY)
        return steps_between(cone.spot, left) + steps_between(left, to), a
    return steps_between(cone.spot, to), np.int64(NOBODY)


@borrowing
def _least_path(mesh: ShortestMesh, cone: Cone, entry: AnyInt, on_edge: AnyBool, goal: LatticePoint) -> float:
    """The shortest path from a root to a goal over what of an edge its cone sees, were there no walls beyond.

    After a turn only what lies on its side is wanted: not all that the cone sees. A goal on the root's side of the edge
    is reached as if it were its mirror image. Polyanya's h-value.
    """
    rx, rz = np.float64(cone.spot.x), np.float64(cone.spot.z)
    tx, tz = np.float64(goal.x) - rx, np.float64(goal.z) - rz
    if on_edge:
        return np.sqrt(tx * tx + tz * tz)
    a, b = _ends_of(mesh, entry)
    at_a, at_b = spot_of(mesh.vertices, a), spot_of(mesh.vertices, b)
    px, pz = np.float64(at_a.x) - rx, np.float64(at_a.z) - rz
    ex, ez = np.float64(at_b.x) - np.float64(at_a.x), np.float64(at_b.z) - np.float64(at_a.z)
    aside = ex * (tz - pz) - ez * (tx - px)
    if aside < 0:
        part = 2.0 * aside / (ex * ex + ez * ez)
        tx, tz = tx + part * ez, tz - part * ex
    left, right, side = spot_of(mesh.vertices, cone.left), spot_of(mesh.vertices, cone.right), _limit_of(mesh, cone)
    ahead = LatticePoint(2 * cone.spot.x - cone.before_spot.x, 2 * cone.spot.z - cone.before_spot.z)
    if side == TO_RIGHT and cross(cone.before_spot, cone.spot, left) > 0:
        left = ahead
    if side == TO_LEFT and cross(cone.before_spot, cone.spot, right) < 0:
        right = ahead
    lx, lz = np.float64(left.x) - rx, np.float64(left.z) - rz
    qx, qz = np.float64(right.x) - rx, np.float64(right.z) - rz
    if qx * tz - qz * tx >= 0 and lx * tz - lz * tx <= 0:
        return np.sqrt(tx * tx + tz * tz)
    ux, uz = (qx, qz) if qx * tz - qz * tx < 0 else (lx, lz)
    below = ux * ez - uz * ex
    part = (px * ez - pz * ex) / below if below != 0 else np.float64(1)
    ix, iz = ux * part, uz * part
    wx, wz = tx - ix, tz - iz
    return np.sqrt(ix * ix + iz * iz) + np.sqrt(wx * wx + wz * wz)
