"""Islands: one answer for a built navmesh, its file and its questions; against a flood there and back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from navcore import (
    BadInput,
    Link,
    NavMesh,
    NavQuery,
    Seed,
    Settings,
    build_navmesh,
    find_islands,
    prune_navmesh,
    read_navmesh,
)
from navcore.detour.byte_layout import SET_HEADER, TILE_ENTRY, sections
from navcore.detour.file_contents import contents_of
from navcore.detour.queries.islands import Islands, islands_of
from navcore.detour.queries.measure import measure_ground
from navcore.detour.queries.walk_graph import reached_from, reaching, standing_on, walk_graph
from navcore.formats.mesh_measures import plain_islands
from navcore.formats.mset import mset_bytes
from navcore.formats.plain_from_detour import plain_of_file
from navcore.formats.plain_navmesh import plain_navmesh
from navcore.result.navmesh import world_vertices
from navcore.types import NO_INDEX
from tests import scenes
from tests.navcore.detour.test_prune import BOTH, DOWN, UP, house

CIRCLE = [
    Link(start=(6, 3, 7), end=(2.5, 0, 7), bidirectional=False),
    Link(start=(2.5, 0, 6), end=(6, 3, 6), bidirectional=False),
]
KINDS = [
    Settings(),
    Settings(tile_size=16),
    Settings(tile_size=32, detail_mesh=False),
    Settings(vertices_per_polygon=12),
]


def built(settings: Settings, *links: Link) -> NavMesh:
    return build_navmesh(*house(), settings, links=links)


def where(navmesh: NavMesh) -> list[str]:
    """Which part of the house each polygon is, tile after tile."""
    found = []
    for tile in navmesh.tiles:
        points = world_vertices(tile.polygon_mesh)
        for row in tile.polygon_mesh.polygons:
            x, y, z = points[row[row != NO_INDEX]].mean(axis=0)
            found.append("roof" if y > 1 else "inside" if 4 < x < 10 and 4 < z < 10 else "ground")
    return found


def same(one: Islands, other: Islands) -> bool:
    return (
        one.square_metres.tolist() == other.square_metres.tolist()
        and [a.tolist() for a in one.of_tile] == [b.tolist() for b in other.of_tile]
    )  # fmt: skip


@pytest.mark.parametrize("settings", KINDS)
@pytest.mark.parametrize(
    ("links", "numbers"),
    [
        ([], {"ground": 0, "inside": 1, "roof": 2}),
        ([UP], {"ground": 0, "inside": 1, "roof": 2}),
        ([DOWN], {"ground": 0, "inside": 1, "roof": 2}),
        ([BOTH], {"ground": 0, "inside": 1, "roof": 0}),
        (CIRCLE, {"ground": 0, "inside": 1, "roof": 0}),
    ],
    ids=["none", "up", "down", "both ways", "a circle"],
)
def test_the_house(settings: Settings, links: list[Link], numbers: dict[str, int]) -> None:
    """Who falls from the roof and cannot get back has left an island."""
    navmesh = built(settings, *links)
    islands = find_islands(navmesh)
    assert [len(part) for part in islands.of_tile] == [len(tile.polygon_mesh.polygons) for tile in navmesh.tiles]
    assert islands.of_polygon.tolist() == [numbers[place] for place in where(navmesh)]
    assert len(islands.square_metres) == len(set(numbers.values())) == measure_ground(navmesh)["islands"]
    assert (np.diff(islands.square_metres) <= 0).all()
    assert islands.square_metres.sum() == pytest.approx(measure_ground(navmesh)["square_metres"], rel=1e-5)


LINKS = [
    Link(start=(3, 0, 3), end=(12, 0, 12), radius=2.0, bidirectional=False),
    Link(start=(20, 0, 4), end=(4, 0, 20), radius=2.0),
    Link(start=(0.9, 0, 0.9), end=(9, 3.2, 12), bidirectional=False),
]


@pytest.mark.parametrize("links", [[], LINKS], ids=["no links", "links"])
@pytest.mark.parametrize("tile_size", [0, 16, 32])
def test_a_city_has_one_answer(tile_size: int, links: Any) -> None:
    """The same from the navmesh, from its file, from what reads the file, by a flood there and back, and counted."""
    navmesh = build_navmesh(*scenes.city(3, seed=4), Settings(tile_size=tile_size), links=links)
    islands, graph = find_islands(navmesh), walk_graph(navmesh)
    assert same(islands, islands_of(graph))
    file = read_navmesh(mset_bytes(navmesh))
    assert same(islands, find_islands(file))
    numbers, metres = plain_islands(plain_of_file(file))
    assert numbers.tolist() == islands.of_polygon.tolist() and metres.tolist() == islands.square_metres.tolist()
    assert contents_of(file).islands == measure_ground(navmesh)["islands"] == len(islands.square_metres) > 2
    ground = np.flatnonzero(graph.polygon >= 0)
    for node in ground[:: max(1, len(ground) // 50)]:
        both = reached_from(graph, [int(node)]) & reaching(graph, int(node))
        mine = islands.of_polygon[np.searchsorted(ground, node)]
        assert both[ground].tolist() == (islands.of_polygon == mine).tolist()


@pytest.mark.parametrize("tile_size", [0, 32])
def test_islands_by_edges_are_those_of_a_level_without_links(tile_size: int) -> None:
    """What a JSON or a Godot file holds; here no border leaves polygons unlinked."""
    navmesh = build_navmesh(*scenes.city(3, seed=4), Settings(tile_size=tile_size))
    numbers, metres = plain_islands(plain_navmesh(navmesh))
    islands = find_islands(navmesh)
    assert numbers.tolist() == islands.of_polygon.tolist()
    assert metres.tolist() == pytest.approx(islands.square_metres.tolist(), rel=1e-5)


@pytest.mark.parametrize("links", [[], [UP], [BOTH]], ids=["none", "up", "both"])
def test_seeds_on_one_island_reach_each_other(links: list[Link]) -> None:
    navmesh = built(Settings(), *links)
    graph, islands = walk_graph(navmesh), find_islands(navmesh)
    points = {"ground": (1.0, 0.0, 1.0), "roof": (7.0, 3.0, 7.0), "inside": (7.0, 0.0, 7.0)}
    seeds = [Seed(point=point, name=name) for name, point in points.items()]
    told = measure_ground(navmesh, seeds)["seeds"]
    island_of = {
        name: islands.of_polygon[graph.polygon[standing_on(graph, point, 0.5, 1.0)]] for name, point in points.items()
    }
    assert told["cut_off"] == [f"“{name}”" for name in points if island_of[name] != island_of["ground"]]
    left = prune_navmesh(navmesh, [points["ground"]])
    assert find_islands(left).square_metres[0] == islands.square_metres[0]


def test_what_lies_in_unused_corners_is_never_looked_at() -> None:
    """A sound file may hold anything there."""
    content = bytearray(mset_bytes(built(Settings())))
    begin = SET_HEADER.itemsize + TILE_ENTRY.itemsize
    polygons = sections(np.frombuffer(content, np.uint8)[begin:]).polygons
    polygons["vertices"][np.arange(6) >= polygons["corners"][:, None]] = 0xFFFF
    assert (polygons["vertices"] == 0xFFFF).any()
    file = read_navmesh(content)
    assert same(find_islands(file), find_islands(built(Settings())))
    assert NavQuery(file).find_paths([1, 0, 1], [18, 0, 18]).status.tolist() == [0]


def test_what_has_no_islands() -> None:
    with pytest.raises(BadInput, match="find_islands takes a navmesh that was built"):
        find_islands("level.bin")  # type: ignore[arg-type]
    empty = read_navmesh(mset_bytes(built(Settings(tile_size=16))))._replace(tiles=())
    assert find_islands(empty).of_tile == () and len(find_islands(empty).square_metres) == 0
    assert len(find_islands(empty).of_polygon) == 0
