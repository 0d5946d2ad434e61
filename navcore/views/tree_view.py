"""TREE: the boxes that Detour's queries walk through to find polygons, one depth at a time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..build_warning import Point
from ..detour.bounding_tree import build_tree, leaf_boxes
from ..detour.byte_layout import NODE
from ..result.navmesh import Tile
from ..types import F32, F64, I64, NO_INDEX, Bools
from .ground_triangles import named_polygon, tiles_of
from .outline_picture import box_edges, picture_of
from .picture import Color, LegendRow, Picture, Shown, ViewedPiece

_LEAF: Color = (255, 255, 255, 128)
_ROOT, _DEEP = np.array([255.0, 64, 32, 220]), np.array([64.0, 200, 255, 220])  # colors from the root downwards
_NO_FACES = np.zeros((0, 3, 3), np.float32), np.zeros((0, 4), np.uint8)


class Tree(NamedTuple):
    """The nodes of all tiles."""

    low: F64  # (N, 3) metres
    high: F64
    depth: I64
    polygons: I64  # how many lie below
    polygon: I64  # of a leaf, -1 of others
    tile: I64


def tree_of(tiles: list[Tile]) -> Tree:
    """The trees that runtime data of these tiles has, without the empty node behind the last one."""
    parts = [_nodes_of(tile, number) for number, tile in enumerate(tiles)]
    none = Tree(np.zeros((0, 3)), np.zeros((0, 3)), *(np.zeros(0, np.int64) for _ in range(4)))
    return Tree(*(np.concatenate(columns) for columns in zip(none, *parts, strict=True)))


def _nodes_of(tile: Tile, number: int) -> Tree:
    mesh = tile.polygon_mesh
    corners = (mesh.polygons != NO_INDEX).sum(axis=1)
    nodes = np.zeros(2 * len(corners), NODE)
    build_tree(leaf_boxes(mesh, tile.detail_mesh, corners), nodes)
    nodes = nodes[: max(len(nodes) - 1, 0)]
    skip = nodes["polygon"].astype(np.int64)
    sizes = np.where(skip < 0, -skip, 1)
    origin, cell = mesh.grid.bounds_min.astype(np.float64), float(mesh.grid.cell_size)
    box = nodes["box"].astype(np.float64) * cell
    return Tree(
        origin + box[:, :3], origin + box[:, 3:], _depths(sizes), (sizes + 1) // 2, np.where(skip < 0, -1, skip),
        np.full(len(nodes), number),
    )  # fmt: skip


def _depths(sizes: I64) -> I64:
    """How many nodes each lies below; a node is followed by all that lie below it."""
    steps = np.zeros(len(sizes) + 1, np.int64)
    inner = np.flatnonzero(sizes > 1)
    np.add.at(steps, inner + 1, 1)
    np.add.at(steps, inner + sizes[inner], -1)
    return np.cumsum(steps)[:-1]


def draw_tree(piece: ViewedPiece, shown: Shown) -> Picture:
    """The boxes at one depth, and leaves that end above it, so that all polygons are in a box."""
    tree = tree_of(tiles_of(piece))
    deepest, depth = _asked(tree, shown)
    drawn = np.flatnonzero(_is_drawn(tree, depth, shown))
    leaf = tree.polygon[drawn] >= 0
    color = _color(depth, deepest)
    colors = np.where(leaf[:, None], np.array(_LEAF), np.array(color)).astype(np.uint8)
    legend = [
        LegendRow(f"Boxes at depth {depth}", color, int((~leaf).sum())),
        LegendRow("Boxes of one polygon", _LEAF, int(leaf.sum())),
    ]
    note = f"Depth {depth} of {deepest}; {len(tree.depth):,} boxes in all."
    lines: F32 = box_edges(tree.low[drawn], tree.high[drawn])
    return picture_of(*_NO_FACES, lines, np.repeat(colors, 12, axis=0), legend, notes=(note,))


def _asked(tree: Tree, shown: Shown) -> tuple[int, int]:
    """The greatest depth, and the one that is shown."""
    deepest = int(tree.depth.max(initial=0))
    return deepest, round(min(max(shown.level, 0.0), 1.0) * deepest)


def _is_drawn(tree: Tree, depth: int, shown: Shown) -> Bools:
    at_depth = (tree.depth == depth) | ((tree.depth < depth) & (tree.polygon >= 0))
    return np.asarray(at_depth & (tree.high[:, 1] >= shown.lowest) & (tree.low[:, 1] <= shown.highest))


def _color(depth: int, deepest: int) -> Color:
    share = depth / max(deepest, 1)
    red, green, blue, opacity = np.rint(_ROOT + (_DEEP - _ROOT) * share).astype(int).tolist()
    return red, green, blue, opacity


def tree_at(piece: ViewedPiece, shown: Shown, point: Point) -> str:
    """The box that a point lies in or is nearest to, the smallest of several.

    Boxes are cut off at whole cells, and those of flat ground have no height.
    """
    tiles = tiles_of(piece)
    tree = tree_of(tiles)
    _, depth = _asked(tree, shown)
    settings = piece.settings
    outside = np.maximum(np.maximum(tree.low - np.array(point), np.array(point) - tree.high), 0)
    near = np.all(outside <= [settings.cell_size, settings.agent_height, settings.cell_size], axis=1)
    found: npt.NDArray[np.intp] = np.flatnonzero(_is_drawn(tree, depth, shown) & near)
    if len(found) == 0:
        return ""
    sizes = np.prod((tree.high - tree.low)[found][:, [0, 2]], axis=1)
    box = found[np.lexsort((sizes, outside[found].sum(axis=1)))[0]]
    if tree.polygon[box] >= 0:
        name = named_polygon(piece, tiles[int(tree.tile[box])], int(tree.polygon[box]))
        return f"Box of {name[0].lower()}{name[1:]}, depth {tree.depth[box]}"
    return f"Box of {tree.polygons[box]:,} polygons, depth {tree.depth[box]}"
