"""Connected components of graphs, strongly connected ones too, and islands, the parts numbered by their ground.

From everywhere in an island one comes to everywhere else in it, and back.
"""

from __future__ import annotations

import numpy as np

from ..jit import kernel
from ..types import F32, F64, I32, I64, AnyArray, Bools

NO_ISLAND = -1
_DECIMALS = 4  # of square metres: what differs by less is one size, however its sum was rounded
_NEVER = np.int32(-1)


@kernel
def strong_parts(starts: I64, targets: I32) -> I32:
    """The part of each node; nodes of one part can be reached from each other. Ways lead as `targets` say.

    Node n leads to targets[starts[n]:starts[n + 1]]. Tarjan, "Depth-first search and linear graph algorithms", 1972,
    with a stack of its own in place of recursion.
    """
    count = len(starts) - 1
    part, seen, low = np.full(count, _NEVER), np.full(count, _NEVER), np.empty(count, np.int32)
    path, waiting = np.empty(count, np.int32), np.empty(count, np.int32)  # where the walk is; nodes without a part
    following = starts[:count].copy()  # the edge to look at next
    parts, visited, depth, left = 0, 0, 0, 0
    for root in range(count):
        if seen[root] != _NEVER:
            continue
        path[0], depth = root, 1
        while depth > 0:
            node = path[depth - 1]
            if seen[node] == _NEVER:
                seen[node] = low[node] = visited
                visited += 1
                waiting[left] = node
                left += 1
            if following[node] < starts[node + 1]:
                target = targets[following[node]]
                following[node] += 1
                if seen[target] == _NEVER:
                    path[depth] = target
                    depth += 1
                elif part[target] == _NEVER:
                    low[node] = min(low[node], seen[target])
                continue
            depth -= 1
            if depth > 0:
                low[path[depth - 1]] = min(low[path[depth - 1]], low[node])
            if low[node] == seen[node]:
                while part[node] == _NEVER:
                    left -= 1
                    part[waiting[left]] = parts
                parts += 1
    return part


def joined_parts(count: int, one: AnyArray, other: AnyArray) -> I32:
    """The part of each of `count` nodes, where ways lead both ways between one[k] and other[k]. NumPy alone."""
    label = np.arange(count)
    while len(one):
        np.minimum.at(label, np.maximum(one, other), np.minimum(one, other))
        while (label != label[label]).any():  # a chain of a thousand takes ten rounds
            label = label[label]
        one, other = label[one], label[other]
        apart = one != other
        one, other = one[apart], other[apart]
    return np.unique(label, return_inverse=True)[1].astype(np.int32)


def numbered_by_ground(part: I32, ground: Bools, square_metres: F64) -> tuple[I32, F64]:
    """The island of each node, and the square metres of each island.

    Island 0 has the most ground; of those with as much, the one whose first node comes first. Parts without ground, as
    links to nowhere are, get NO_ISLAND.
    """
    count = int(part.max(initial=-1)) + 1
    size = np.bincount(part[ground], square_metres[ground], minlength=count)
    first = np.full(count, len(part))
    np.minimum.at(first, part[ground], np.flatnonzero(ground))
    order = np.lexsort((first, -np.round(size, _DECIMALS)))
    order = order[first[order] < len(part)]
    number = np.full(count, NO_ISLAND, np.int32)
    number[order] = np.arange(len(order), dtype=np.int32)
    return number[part], size[order]


def sizes_from_above(outlines: F32, corners: AnyArray) -> F64:
    """(P,) square metres of polygons with so many of the corners (P, W, 3); 0 for what has only two."""
    used = np.arange(outlines.shape[1]) < corners[:, None]
    x, z = (np.where(used, outlines[..., axis], outlines[:, :1, axis]).astype(np.float64) for axis in (0, 2))
    x, z = x - x[:, :1], z - z[:, :1]
    doubled: F64 = np.abs((x[:, 2:] * z[:, 1:-1] - x[:, 1:-1] * z[:, 2:]).sum(axis=1))
    return doubled / 2
