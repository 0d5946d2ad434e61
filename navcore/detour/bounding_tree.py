"""The tree of boxes that queries walk to find polygons: quantized boxes, halves by the longest axis, in preorder."""

from __future__ import annotations

import numpy as np

from ..jit import borrowing, kernel
from ..types import F32, FIRST_VERTEX, I32, U16, U32, VERTEX_COUNT, AnyArray, DetailMesh, PolygonMesh

_DEPTH = 64  # of the stack; each level halves the polygons
_LOW, _HIGH = 0, 1  # columns of the stack: a range of polygons
_RUN = 8  # polygons that are sorted by inserting
_LOW_16_BITS = 0xFFFF
_LOWEST_CELL, _HIGHEST_CELL = np.int32(0), np.int32(_LOW_16_BITS)


def leaf_boxes(mesh: PolygonMesh, detail: DetailMesh | None, corners: AnyArray) -> U16:
    """(P, 6) low and high corner of each polygon, in cells of the ground along all three axes.

    With detail the boxes are those of the detail vertices, cut off below; without, heights are rounded outwards.
    Recast: createBVTree.
    """
    boxes = np.empty((len(mesh.polygons), 6), np.uint16)
    grid = mesh.grid
    if detail is None:
        corner_boxes(mesh.vertices, mesh.polygons, corners, grid.cell_size, grid.cell_height, boxes)
    else:
        detail_boxes(detail.meshes, detail.vertices, grid.bounds_min, np.float32(1) / grid.cell_size, boxes)
    return boxes


def build_tree(boxes: U16, nodes: AnyArray) -> None:
    """Fill (2 P,) nodes from (P, 6) leaf boxes.

    The last node stays zero, which walkers take for one more leaf of polygon 0. Equal keys keep their order.
    Recast: subdivide.
    """
    order, scratch = np.arange(len(boxes), dtype=np.int32), np.empty(len(boxes), np.int32)
    tree_of_boxes(boxes, order, scratch, nodes["box"], nodes["polygon"])


@kernel
def detail_boxes(meshes: U32, vertices: F32, origin: F32, cells_per_metre: np.float32, boxes: U16) -> None:
    for polygon in range(len(boxes)):
        first = np.int64(meshes[polygon, FIRST_VERTEX])
        for axis in range(3):
            low = high = vertices[first, axis]
            for v in range(first + 1, first + np.int64(meshes[polygon, VERTEX_COUNT])):
                low = min(low, vertices[v, axis])
                high = max(high, vertices[v, axis])
            boxes[polygon, axis] = _cell(low, origin[axis], cells_per_metre)
            boxes[polygon, axis + 3] = _cell(high, origin[axis], cells_per_metre)


@borrowing
def _cell(value: np.float32, origin: np.float32, cells_per_metre: np.float32) -> np.uint16:
    return np.uint16(min(max(np.int32((value - origin) * cells_per_metre), _LOWEST_CELL), _HIGHEST_CELL))


@kernel
def corner_boxes(
    vertices: U16,
    polygons: U16,
    corners: AnyArray,
    cell_size: np.float32,
    cell_height: np.float32,
    boxes: U16,
) -> None:
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
            boxes[polygon, axis] = np.uint16(low & _LOW_16_BITS)
            boxes[polygon, axis + 3] = np.uint16(high & _LOW_16_BITS)


@kernel
def tree_of_boxes(boxes: U16, order: I32, scratch: I32, node_box: U16, node_polygon: I32) -> None:
    waiting = np.empty((_DEPTH, 2), np.int32)
    waiting[0, _LOW], waiting[0, _HIGH] = 0, len(boxes)
    depth = 1
    node = 0
    while depth > 0:
        depth -= 1
        low, high = waiting[depth, _LOW], waiting[depth, _HIGH]
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
            waiting[depth, _LOW], waiting[depth, _HIGH] = middle, high
            waiting[depth + 1, _LOW], waiting[depth + 1, _HIGH] = low, middle
            depth += 2
        node += 1


@borrowing
def _longest_axis(node_box: U16, node: int) -> int:
    axis = 0
    longest = np.int32(node_box[node, 3]) - np.int32(node_box[node, 0])
    for other in range(1, 3):
        extent = np.int32(node_box[node, other + 3]) - np.int32(node_box[node, other])
        if extent > longest:
            axis, longest = other, extent
    return axis


@borrowing
def _sort(order: I32, scratch: I32, boxes: U16, axis: int, low: int, high: int) -> None:
    """Sort order[low:high] by the low corner along `axis`, keeping the order of equals: runs of eight, then merges."""
    for begin in range(low, high, _RUN):
        for k in range(begin + 1, min(begin + _RUN, high)):
            polygon = order[k]
            key = boxes[polygon, axis]
            place = k
            while place > begin and boxes[order[place - 1], axis] > key:
                order[place] = order[place - 1]
                place -= 1
            order[place] = polygon
    run = _RUN
    while run < high - low:
        for begin in range(low, high, 2 * run):
            _merge(order, scratch, boxes, axis, begin, min(begin + run, high), min(begin + 2 * run, high))
        run *= 2


@borrowing
def _merge(order: I32, scratch: I32, boxes: U16, axis: int, begin: int, middle: int, end: int) -> None:
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
