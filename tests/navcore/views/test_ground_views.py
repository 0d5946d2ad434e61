"""Polygons, detail, trees and tiles of finished navmeshes: on the ground, whole, and named at every place."""

from __future__ import annotations

import re

import numpy as np
import pytest

from navcore import NavMesh, Settings, build_navmesh, rebuild_tiles
from navcore.detour.byte_layout import sections
from navcore.detour.tile_data import Agent, tile_data
from navcore.geometry.tile_key import TileKey
from navcore.result.draped_edges import draped_edges
from navcore.result.navmesh import Tile, detail_triangles, world_vertices
from navcore.types import NO_INDEX, PORTAL
from navcore.views.outline_picture import INNER_COLOR, PORTAL_COLOR, WALL_COLOR
from navcore.views.picture import Shown, ViewedPiece
from navcore.views.region_colors import color_of_region
from navcore.views.tree_view import tree_of
from tests import scenes
from tests.navcore.views.outline_examples import (
    LEVELS,
    LEVELS_AND_SEEDS,
    VIEWS,
    counts,
    drawn,
    face_areas,
    level,
    said,
)


def middles(tile: Tile) -> list[tuple[float, float, float]]:
    """A place on each polygon, as high as its detail."""
    points, found = world_vertices(tile.polygon_mesh), []
    for number, row in enumerate(tile.polygon_mesh.polygons):
        place = points[row[row != NO_INDEX]].astype(np.float64).mean(axis=0)
        if tile.detail_mesh is not None:
            triangles, owner = detail_triangles(tile.detail_mesh)
            corners = tile.detail_mesh.vertices[triangles[owner == number]]
            place[1] = corners[np.abs(corners[:, :, ::2] - place[::2]).sum(axis=(1, 2)).argmin(), :, 1].mean()
        found.append((float(place[0]), float(place[1]), float(place[2])))
    return found


@pytest.mark.parametrize("name", LEVELS_AND_SEEDS)
def test_every_polygon_is_named_at_its_middle(name: str) -> None:
    navmesh = level(name)
    for tile in navmesh.tiles:
        where = "" if navmesh.tile_grid is None else f" of tile ({tile.x}, {tile.y})"
        for number, place in enumerate(middles(tile)):
            found = said(name, "POLYGONS", place)
            assert re.fullmatch(
                rf"Polygon {number}{re.escape(where)}, area ground, [\d.]+ m², (region \d+|several regions)", found
            )
            if tile.detail_mesh is not None:
                assert f", polygon {number}{where}, slope " in said(name, "DETAIL", place)
            if tile.polygon_mesh.region[number]:
                assert said(name, "CONTOURS", place).startswith(
                    f"Contour of region {tile.polygon_mesh.region[number]}, "
                )
            assert said(name, "TREE", place).startswith("Box of ")
            assert said(name, "TILES", place).startswith(f"Tile ({tile.x}, {tile.y}): ")


@pytest.mark.parametrize("name", LEVELS)
def test_polygons_are_drawn_whole(name: str) -> None:
    navmesh = level(name)
    picture = drawn(name, "POLYGONS")
    wanted = 0.0
    for tile in navmesh.tiles:
        for row in tile.polygon_mesh.polygons:
            x, _, z = world_vertices(tile.polygon_mesh)[row[row != NO_INDEX]].astype(np.float64).T
            wanted += abs(float(x @ np.roll(z, -1) - z @ np.roll(x, -1))) / 2
    assert face_areas(picture).sum() == pytest.approx(wanted, rel=1e-4)
    assert counts(picture)["Corners"] == sum(len(tile.polygon_mesh.vertices) for tile in navmesh.tiles)


@pytest.mark.parametrize("name", ["town", "town in tiles"])
def test_polygons_have_the_colors_of_their_regions(name: str) -> None:
    picture = drawn(name, "POLYGONS")
    seen = set()
    for corners, color in zip(picture.corners[:, :3], picture.face_colors.tolist(), strict=True):
        x, y, z = corners.mean(axis=0).tolist()
        words = said(name, "POLYGONS", (x, y, z))
        tile, region = re.search(r"tile \((\d+), (\d+)\)", words), re.search(r"region (\d+)", words)
        if region is not None:
            place = None if tile is None else TileKey(int(tile[1]), int(tile[2]))
            assert color[:3] == list(color_of_region(int(region[1]), place)[:3])
            seen.add(words.split("m², ")[1])
    assert len(seen) > 3


def test_a_square_has_four_walls_and_its_size() -> None:
    picture = drawn("square", "POLYGONS")
    assert counts(picture) == {"Walls": 4, "Corners": 4, "Region 1": 1}
    assert (picture.line_colors[:4] == WALL_COLOR).all()
    assert said("square", "POLYGONS", (3, 0.2, 3)) == "Polygon 0, area ground, 39.7 m², region 1"
    assert said("square", "POLYGONS", (3, 0.2, 3), Shown(lowest=5.0)) == ""
    assert len(drawn("square", "POLYGONS", Shown(lowest=5.0)).lines) == 0


def test_borders_of_tiles_are_white() -> None:
    navmesh = level("two tiles")
    picture = drawn("two tiles", "POLYGONS")
    white = (picture.line_colors == PORTAL_COLOR).all(axis=1)
    portals = sum(
        int(((t.polygon_mesh.neighbors != NO_INDEX) & (t.polygon_mesh.neighbors & PORTAL != 0)).sum())
        for t in navmesh.tiles
    )
    assert white.sum() == portals == 8 and counts(picture)["Edges on a tile's border"] == 8
    line = 16 * 0.3
    on_border = np.isclose(picture.lines[white][:, :, [0, 2]], line, atol=1e-4).all(axis=1).any(axis=1)
    assert on_border.all()


@pytest.mark.parametrize("name", ["hills", "hills in tiles", "no detail"])
def test_edges_lie_on_the_ground(name: str) -> None:
    navmesh = level(name)
    picture = drawn(name, "POLYGONS")
    edges = np.concatenate([draped_edges(tile).points for tile in navmesh.tiles])
    lift = picture.lines[: len(edges)] - edges
    assert np.allclose(lift, [0, navmesh.settings.cell_height / 2, 0], atol=1e-5)
    kinds = {tuple(color) for color in picture.line_colors[: len(edges)].tolist()}
    assert {WALL_COLOR, INNER_COLOR} <= kinds


@pytest.mark.parametrize("name", ["hills", "town in tiles"])
def test_detail_has_every_triangle_and_each_inner_edge_once(name: str) -> None:
    navmesh, picture = level(name), drawn(name, "DETAIL")
    found = counts(picture)
    details = [tile.detail_mesh for tile in navmesh.tiles if tile.detail_mesh is not None]
    triangles = sum(len(detail.triangles) for detail in details)
    outer = sum(int(((detail.triangles[:, 3:] >> [0, 2, 4]) & 3 != 0).sum()) for detail in details)
    assert found["Triangles"] == len(picture.corners) == triangles
    assert found["Edges on outlines"] == outer
    assert 2 * found["Edges inside polygons"] == 3 * triangles - outer
    corners = sum(int((tile.polygon_mesh.polygons != NO_INDEX).sum()) for tile in navmesh.tiles)
    samples = sum(len(detail.vertices) for detail in details) - corners
    assert found["Samples"] == samples > 0
    assert picture.notes == ("Samples lie 1.80 m apart, and heights are kept to 0.20 m.",)


def test_a_build_without_detail_says_so() -> None:
    picture = drawn("no detail", "DETAIL")
    assert len(picture.corners) == 0 and "turn on detail_mesh" in picture.notes[0]
    assert said("no detail", "DETAIL", (3, 0, 3)) == ""


@pytest.mark.parametrize("name", LEVELS)
def test_the_tree_is_that_of_runtime_data(name: str) -> None:
    navmesh = level(name)
    tree = tree_of(list(navmesh.tiles))
    at = 0
    for tile in navmesh.tiles:
        nodes = sections(tile_data(tile.polygon_mesh, tile.detail_mesh, Agent.of(navmesh.settings))).nodes[:-1]
        own = slice(at, at + len(nodes))
        at += len(nodes)
        grid = tile.polygon_mesh.grid
        cells = (tree.low[own] - grid.bounds_min) / grid.cell_size
        assert np.abs(cells - nodes["box"][:, :3]).max() < 1e-3
        ends: list[int] = []
        for k, skip in enumerate(nodes["polygon"].tolist()):
            while ends and ends[-1] <= k:
                ends.pop()
            assert tree.depth[own][k] == len(ends)
            if skip < 0:
                ends.append(k - skip)
                assert tree.polygons[own][k] == (1 - skip) // 2 and tree.polygon[own][k] == -1
            else:
                assert tree.polygons[own][k] == 1 and tree.polygon[own][k] == skip
    assert at == len(tree.depth)


def test_each_depth_shows_all_polygons_in_boxes() -> None:
    tree = tree_of(list(level("town").tiles))
    deepest, polygons = int(tree.depth.max()), len(level("town").tiles[0].polygon_mesh.polygons)
    assert counts(drawn("town", "TREE", Shown(level=0))) == {"Boxes at depth 0": 1}
    assert counts(drawn("town", "TREE")) == {"Boxes of one polygon": polygons}
    for depth in range(deepest + 1):
        picture = drawn("town", "TREE", Shown(level=depth / deepest))
        at_depth, leaves = tree.depth == depth, (tree.depth < depth) & (tree.polygon >= 0)
        assert tree.polygons[at_depth | leaves].sum() == polygons
        assert len(picture.lines) == 12 * int((at_depth | leaves).sum())
        assert picture.notes[0].startswith(f"Depth {depth} of {deepest}; ")
    place = middles(level("town").tiles[0])[0]
    assert said("town", "TREE", place, Shown(level=0)) == f"Box of {polygons} polygons, depth 0"
    assert re.fullmatch(r"Box of polygon \d+, depth \d+", said("town", "TREE", place))


def with_seconds(navmesh: NavMesh, seconds: list[float]) -> ViewedPiece:
    from dataclasses import replace

    report = replace(
        navmesh.report, tile_seconds={tile[:2]: taken for tile, taken in zip(navmesh.tiles, seconds, strict=True)}
    )
    return ViewedPiece(replace(navmesh, report=report), {}, np.zeros((0, 3, 3), np.float32), None)


def test_tiles_have_boxes_labels_and_colors_of_their_time() -> None:
    piece = with_seconds(level("two tiles"), [0.010, 0.034, 0.0, 2.0])
    picture = VIEWS["TILES"].draw(piece, Shown())
    assert [label.text for label in picture.labels] == [
        "(0, 0): 1, 10 ms", "(1, 0): 1, 34 ms", "(0, 1): 1", "(1, 1): 1, 2.0 s",
    ]  # fmt: skip
    assert len(picture.lines) == 4 * 12 and counts(picture)["Tiles"] == 4
    by_color = counts(picture)
    assert by_color["Taken from where tiles are kept"] == 1
    assert sum(by_color.values()) == 4 + 4
    assert len(np.unique(picture.face_colors, axis=0)) == 4, "one slow tile does not make all others alike"
    assert VIEWS["TILES"].value_at(piece, Shown(), (6.0, 0.2, 2.0)) == "Tile (1, 0): 1 polygon, 34 ms"


def test_tiles_without_polygons_are_counted() -> None:
    far = scenes.flat(8.0)
    island = scenes.join([far, (far[0] + np.array([30, 0, 0], np.float32), far[1])])
    navmesh = build_navmesh(*island, Settings(tile_size=16))
    picture = VIEWS["TILES"].draw(ViewedPiece(navmesh, {}, np.zeros((0, 3, 3), np.float32), None), Shown())
    grid = navmesh.tile_grid
    assert grid is not None
    total = grid.columns * grid.rows
    assert f"{total - len(navmesh.tiles)} of {total} tiles have no polygons." in picture.notes
    assert counts(picture)["Tiles"] == len(navmesh.tiles) < total


def test_tiles_keep_how_long_they_took() -> None:
    built = level("two tiles")
    taken = built.report.tile_seconds
    assert taken.keys() == {tile[:2] for tile in built.tiles} and min(taken.values()) > 0
    assert level("square").report.tile_seconds[0, 0] > 0
    again = rebuild_tiles(built, (0, -1, 0, 0.5, 1, 0.5), *scenes.flat(8.0)).report.tile_seconds
    assert again[1, 1] == taken[1, 1] and again[0, 0] != taken[0, 0]


@pytest.mark.parametrize("view", ["POLYGONS", "DETAIL", "TREE", "TILES"])
def test_one_tile_is_drawn_alone(view: str) -> None:
    navmesh = level("town in tiles")
    tile = navmesh.tiles[3]
    alone = VIEWS[view].draw(ViewedPiece(navmesh, {}, np.zeros((0, 3, 3), np.float32), tile.key), Shown())
    grid = tile.polygon_mesh.grid
    inside = alone.lines.reshape(-1, 3)
    slack = grid.cell_size  # crosses, and boxes in whole cells
    assert len(inside) > 0
    assert (inside[:, ::2] >= grid.bounds_min[::2] - slack).all() and (
        inside[:, ::2] <= grid.bounds_max[::2] + slack
    ).all()
