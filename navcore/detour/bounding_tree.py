"""The tree of boxes that queries walk to find polygons: quantized boxes, halves by the longest axis, in preorder."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..jit import kernel
from ..types import U16, DetailMesh, PolygonMesh

_DEPTH = 64  # of the stack; each level halves the polygons


def leaf_boxes(mesh: PolygonMesh, detail: DetailMesh | None, corners: npt.NDArray[Any]) -> U16:
    """(P, 6) low and high corner of each polygon, in cells of the ground along all three axes.

    With detail the boxes are those of the detail vertices, cut off below; without, heights are rounded outwards.
    Recast: createBVTree.
    """
    boxes = np.empty((len(mesh.polygons), 6), np.uint16)
    grid = mesh.grid
    if detail is None:
        _corner_boxes(mesh.vertices, mesh.polygons, corners, grid.cell_size, grid.cell_height, boxes)
    else:
        _detail_boxes(detail.meshes, detail.vertices, grid.bounds_min, np.float32(1) / grid.cell_size, boxes)
    return boxes


def build_tree(boxes: U16, nodes: npt.NDArray[Any]) -> None:
    """Fill (2 P,) nodes from (P, 6) leaf boxes.

    The last node stays zero, which walkers take for one more leaf of polygon 0. Equal keys keep their order.
    Recast: subdivide.
    """
    order, scratch = np.arange(len(boxes), dtype=np.int32), np.empty(len(boxes), np.int32)
    _tree_kernel(boxes, order, scratch, nodes["box"], nodes["polygon"])


@kernel
def _detail_boxes(meshes, vertices, origin, cells_per_metre, boxes):
    for polygon in range(len(boxes)):
        first = np.int64(meshes[polygon, 0])
        for axis in range(3):
            low = high = vertices[first, axis]
            for v in range(first + 1, first + np.int64(meshes[polygon, 1])):
                low = min(low, vertices[v, axis])
                high = max(high, vertices[v, axis])
            boxes[polygon, axis] = _cell(low, origin[axis], cells_per_metre)
            boxes[polygon, axis + 3] = _cell(high, origin[axis], cells_per_metre)


@kernel
def _cell(value, origin, cells_per_metre):
    return np.uint16(min(max(np.int32((value - origin) * cells_per_metre), 0), 65535))


@kernel
def _corner_boxes(vertices, polygons, corners, cell_size, cell_height, boxes):
    for polygon in range(len(boxes)):
        for axis in range(3):
            low = high = np.int32(vertices[polygons[polygon, 0], axis])
            for corner in range(1, corners[polygon]):
                value = np.int32(vertices[polygons[polygon, corner], axis])
                low = min(low, value)
                high = max(high, value)
            if axis == 1:
                low = np.int32(np.floor(np.float32(low) * cell_height / cell_size))
                high = np.int32(np.ceil(np.float32(high) * cell_height / cell_size))
            boxes[polygon, axis] = np.uint16(low & 0xFFFF)
            boxes[polygon, axis + 3] = np.uint16(high & 0xFFFF)


@kernel
def _tree_kernel(boxes, order, scratch, node_box, node_polygon):
    waiting = np.empty((_DEPTH, 2), np.int32)
    waiting[0, 0], waiting[0, 1] = 0, len(boxes)
    depth = 1
    node = 0
    while depth > 0:
        depth -= 1
        low, high = waiting[depth, 0], waiting[depth, 1]
        for side in range(6):
            bound = boxes[order[low], side]
            for k in range(low + 1, high):
                value = boxes[order[k], side]
                if (side < 3 and value < bound) or (side >= 3 and value > bound):
                    bound = value
            node_box[node, side] = bound
        if high - low == 1:
            node_polygon[node] = order[low]
        else:
            node_polygon[node] = 1 - 2 * (high - low)
            _sort(order, scratch, boxes, _longest_axis(node_box, node), low, high)
            middle = low + (high - low) // 2
            waiting[depth, 0], waiting[depth, 1] = middle, high
            waiting[depth + 1, 0], waiting[depth + 1, 1] = low, middle
            depth += 2
        node += 1


@kernel
def _longest_axis(node_box, node):
    axis = 0
    longest = np.int32(node_box[node, 3]) - np.int32(node_box[node, 0])
    for other in range(1, 3):
        extent = np.int32(node_box[node, other + 3]) - np.int32(node_box[node, other])
        if extent > longest:
            axis, longest = other, extent
    return axis


@kernel
def _sort(order, scratch, boxes, axis, low, high):
    """Sort order[low:high] by the low corner along `axis`, keeping the order of equals: runs of eight, then merges."""
    for begin in range(low, high, 8):
        for k in range(begin + 1, min(begin + 8, high)):
            polygon = order[k]
            key = boxes[polygon, axis]
            place = k
            while place > begin and boxes[order[place - 1], axis] > key:
                order[place] = order[place - 1]
                place -= 1
            order[place] = polygon
    run = 8
    while run < high - low:
        for begin in range(low, high, 2 * run):
            _merge(order, scratch, boxes, axis, begin, min(begin + run, high), min(begin + 2 * run, high))
        run *= 2


@kernel
def _merge(order, scratch, boxes, axis, begin, middle, end):
    for k in range(begin, middle):
        scratch[k] = order[k]
    left, right, place = begin, middle, begin
    while left < middle and right < end:
        if boxes[order[right], axis] < boxes[scratch[left], axis]:
            order[place] = order[right]
            right += 1
        else:
            order[place] = scratch[left]
            left += 1
        place += 1
    for k in range(left, middle):
        order[place] = scratch[k]
        place += 1
