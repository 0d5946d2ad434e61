"""Pruning: what no seed can reach is gone, everything else is as it was, runtime data included."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from navcore import BadInput, Link, NavMesh, Seed, Settings, build_navmesh, prune_navmesh
from navcore.detour.byte_layout import NO_LINK, sections
from navcore.detour.queries.islands import islands_of
from navcore.detour.queries.measure import measure_ground
from navcore.detour.queries.walk_graph import WalkGraph, reached_from, reaching, standing_on, walk_graph
from navcore.detour.reader import read_navmesh
from navcore.detour.tile_links import linked_tiles
from navcore.formats.mset import mset_bytes
from navcore.result.navmesh import world_vertices
from navcore.types import NO_INDEX
from tests import scenes

GROUND = (1.0, 0.0, 1.0)
ROOF = (7.0, 3.0, 7.0)
INSIDE = (7.0, 0.0, 7.0)
UP = Link(start=(2.5, 0, 7), end=(6, 3, 7), bidirectional=False)
DOWN = Link(start=(6, 3, 7), end=(2.5, 0, 7), bidirectional=False)
BOTH = Link(start=(2.5, 0, 7), end=(6, 3, 7))
KINDS = [
    Settings(),
    Settings(tile_size=16),
    Settings(tile_size=32, detail_mesh=False),
    Settings(vertices_per_polygon=12),
    Settings(tile_size=16, vertices_per_polygon=7),
]


def house() -> scenes.Mesh:
    """A floor of 20 × 20 m and on it a closed block of 6 × 6 m: nobody can climb its roof or get inside."""
    return scenes.join([scenes.box(0, -1, 0, 20, 1, 20), scenes.box(4, 0, 4, 6, 3, 6)])


def built(settings: Settings, *links: Link) -> NavMesh:
    return build_navmesh(*house(), settings, links=links)


def islands(navmesh: NavMesh) -> set[str]:
    """Where polygons lie."""
    found = set()
    for tile in navmesh.tiles:
        points = world_vertices(tile.polygon_mesh)
        for row in tile.polygon_mesh.polygons:
            x, y, z = points[row[row != NO_INDEX]].mean(axis=0)
            found.add("roof" if y > 1 else "inside" if 4 < x < 10 and 4 < z < 10 else "ground")
    return found


@pytest.mark.parametrize("settings", KINDS)
@pytest.mark.parametrize(
    ("links", "seed", "left"),
    [
        ((), GROUND, {"ground"}),
        ((), ROOF, {"roof"}),
        ((), INSIDE, {"inside"}),
        ((UP,), GROUND, {"ground", "roof"}),
        ((UP,), ROOF, {"roof"}),
        ((DOWN,), GROUND, {"ground"}),
        ((DOWN,), ROOF, {"ground", "roof"}),
        ((BOTH,), ROOF, {"ground", "roof"}),
    ],
)
def test_what_a_seed_reaches_is_left(settings: Settings, links: Any, seed: Any, left: set[str]) -> None:
    assert islands(prune_navmesh(built(settings, *links), [seed])) == left


@pytest.mark.parametrize("settings", KINDS)
def test_a_seed_on_every_island_keeps_all_as_it_was(settings: Settings) -> None:
    navmesh = built(settings)
    both = prune_navmesh(navmesh, [GROUND, ROOF, INSIDE])
    assert both.report.counts == {**navmesh.report.counts, "pruned_polygons": 0}
    assert all(a is b for a, b in zip(both.tiles, navmesh.tiles, strict=True))


@pytest.mark.parametrize("tile_size", [0, 32])
def test_a_city_against_a_flood_over_the_links_of_its_file(tile_size: int) -> None:
    """The twin floods over the bytes of the whole navmesh; polygons are compared corner by corner."""
    links = [Link(start=(0.9, 0, 0.9), end=(9, 3.2, 12), bidirectional=False)]
    navmesh = build_navmesh(*scenes.city(2), Settings(tile_size=tile_size), links=links)
    pruned = prune_navmesh(navmesh, [{"point": [0.9, 0, 0.9], "name": "Spawn"}])
    whole, left = mset_bytes(navmesh), mset_bytes(pruned)
    wanted = flooded(whole, (0.9, 0.9))
    assert polygons_of(left) == wanted
    assert 0 < len(wanted) < len(polygons_of(whole))
    assert pruned.report.counts["pruned_polygons"] == len(polygons_of(whole)) - len(wanted)


def polygons_of(content: bytes) -> set[Any]:
    """Every ground polygon by its corners, flags, and detail triangles."""
    return {key_of(tile.sections, p) for tile in read_navmesh(content).tiles for p in ground(tile)}


def ground(tile: Any) -> range:
    return range(int(tile.sections.header["first_connection"][0]))


def key_of(part: Any, polygon: int) -> Any:
    record, detail = part.polygons[polygon], part.detail_meshes[polygon]
    corners = part.vertices[record["vertices"][: record["corners"]]]
    own = part.detail_vertices[detail["first_vertex"] :][: detail["vertices"]]
    triangles = part.detail_triangles[detail["first_triangle"] :][: detail["triangles"]]
    return record["flags"], record["area_and_kind"], corners.tobytes(), own.tobytes(), triangles.tobytes()


def flooded(content: bytes, start: tuple[float, float]) -> set[Any]:
    file = read_navmesh(content)
    parts = [sections(data) for data in linked_tiles(file)]
    number_of = {tile.reference: k for k, tile in enumerate(file.tiles)}
    mask = (1 << file.parameters.polygon_bits) - 1
    waiting = [
        min(((distance(part, p, start), k, p) for k, part in enumerate(parts) for p in ground(file.tiles[k])))[1:]
    ]
    seen = set(waiting)
    while waiting:
        tile, polygon = waiting.pop()
        link = int(parts[tile].polygons["first_link"][polygon])
        while link != NO_LINK:
            target = int(parts[tile].links["target"][link])
            node = number_of[target & ~mask], target & mask
            if node not in seen:
                seen.add(node)
                waiting.append(node)
            link = int(parts[tile].links["next"][link])
    return {key_of(parts[k], p) for k, p in seen if p < int(parts[k].header["first_connection"][0])}


def distance(part: Any, polygon: int, point: tuple[float, float]) -> float:
    """From the point to the polygon's nearest corner on the lowest storey."""
    record = part.polygons[polygon]
    corners = part.vertices[record["vertices"][: record["corners"]]]
    if corners[:, 1].max() > 1:
        return float("inf")
    return float(np.hypot(corners[:, 0] - point[0], corners[:, 2] - point[1]).min())


def test_pruned_bytes_are_those_of_a_level_without_the_roof() -> None:
    """Vertices and polygons keep their order, so that a build which never had the roof gives the same polygons."""
    pruned = prune_navmesh(built(Settings()), [GROUND]).polygon_mesh
    roof = {"shape": "box", "area": 0, "min": [3, 2, 3], "max": [11, 4, 11]}
    inside = {"shape": "box", "area": 0, "min": [4, -1, 4], "max": [10, 1, 10]}
    bare = build_navmesh(*house(), volumes=[roof, inside]).polygon_mesh
    assert np.array_equal(pruned.polygons, bare.polygons) and np.array_equal(pruned.neighbors, bare.neighbors)
    assert np.array_equal(pruned.vertices, bare.vertices)


@pytest.mark.parametrize("settings", KINDS)
def test_every_index_of_the_result_is_in_range(settings: Settings) -> None:
    for tile in prune_navmesh(built(settings), [GROUND]).tiles:
        mesh, detail = tile.polygon_mesh, tile.detail_mesh
        inner = mesh.neighbors[mesh.neighbors & 0x8000 == 0]
        assert len(inner) == 0 or inner.max() < len(mesh.polygons)
        used = np.unique(mesh.polygons[mesh.polygons != NO_INDEX])
        assert np.array_equal(used, np.arange(len(mesh.vertices)))
        if detail is not None:
            assert len(detail.meshes) == len(mesh.polygons)
            assert detail.meshes[:, 1].sum() == len(detail.vertices)
            assert detail.meshes[:, 3].sum() == len(detail.triangles)


@pytest.mark.parametrize("seed", [(1, 1.9, 1), (0.1, 0, 0.1), (-0.2, 0.5, 10), (3.5, 0, 7)])
def test_a_seed_near_the_ground_counts(seed: Any) -> None:
    """Above it as high as a head, or beside it where the radius has been eroded."""
    assert islands(prune_navmesh(built(Settings()), [seed])) == {"ground"}


def test_of_two_storeys_the_nearest_is_meant() -> None:
    assert islands(prune_navmesh(built(Settings()), [(7, 2.2, 7)])) == {"roof"}


def test_a_seed_off_the_navmesh_is_told() -> None:
    navmesh = built(Settings())
    pruned = prune_navmesh(navmesh, [GROUND, Seed(point=(90, 0, 0), name="Far")])
    assert [w.code for w in pruned.report.warnings] == ["SEED_OFF_NAVMESH"]
    assert "“Far” stands on no navmesh" in pruned.report.warnings[0].message
    assert navmesh.report.warnings == []


def test_seeds_of_one_name_all_count() -> None:
    """As instances of one spawn point have it."""
    seeds = [Seed(point=point, name="Spawn") for point in (GROUND, ROOF)]
    navmesh = built(Settings())
    assert islands(prune_navmesh(navmesh, seeds)) == {"ground", "roof"}
    assert measure_ground(navmesh, seeds)["seeds"]["cut_off"] == ["“Spawn”"]


@pytest.mark.parametrize(
    ("seeds", "text"),
    [([], "there is no seed"), ([(1, 0)], r"must be \[x, y, z\]")],
)
def test_without_seeds_nothing_is_pruned(seeds: Any, text: str) -> None:
    with pytest.raises(BadInput, match=text):
        prune_navmesh(built(Settings()), seeds)


# ----------------------------------------------------------- what pipelines watch


def test_ground_islands_and_seeds() -> None:
    measured = measure_ground(built(Settings()), [Seed(point=GROUND, name="A"), Seed(point=ROOF, name="B")])
    assert measured["islands"] == 3 and measured["unlinked"] == 0
    assert measured["seeds"] == {
        "count": 2, "off_navmesh": [], "first": "“A”", "cut_off": ["“B”"], "no_way_back": [], "no_way_there": [],
    }  # fmt: skip
    ground, roof, inside = 18.2**2 - 7.2**2, 4.2**2, 4.8**2  # with a ledge 0.9 m away from edges, else 0.6
    assert measured["square_metres"] == pytest.approx(ground + roof + inside, rel=0.01)


@pytest.mark.parametrize(
    ("link", "back", "there"),
    [(UP, ["“Roof”"], []), (DOWN, [], ["“Roof”"]), (BOTH, [], [])],
    ids=["up", "down", "both"],
)
def test_seeds_must_get_there_and_back(link: Link, back: list[str], there: list[str]) -> None:
    seeds = [Seed(point=GROUND, name="Ground"), Seed(point=ROOF, name="Roof")]
    measured = measure_ground(built(Settings(), link), seeds)
    told = measured["seeds"]
    assert (told["first"], told["no_way_back"], told["no_way_there"]) == ("“Ground”", back, there)
    assert told["cut_off"] == back + there
    assert measured["islands"] == (3 if back or there else 2), "what only leads there makes no island of two"


@pytest.mark.parametrize("settings", KINDS)
def test_ground_is_the_sum_of_triangles(settings: Settings) -> None:
    navmesh = built(settings)
    total = 0.0
    for tile in navmesh.tiles:
        points = world_vertices(tile.polygon_mesh).astype(float)
        for row in tile.polygon_mesh.polygons:
            x, _, z = points[row[row != NO_INDEX]].T
            total += abs(np.dot(x, np.roll(z, 1)) - np.dot(z, np.roll(x, 1))) / 2
    assert measure_ground(navmesh)["square_metres"] == pytest.approx(total, rel=1e-5)


def test_wide_polygons_have_the_islands_of_narrow_ones() -> None:
    wide, narrow = (
        count_islands(walk_graph(build_navmesh(*scenes.city(2), Settings(tile_size=32, vertices_per_polygon=n))))
        for n in (12, 6)
    )
    assert wide == narrow > 1


# ------------------------------------------------------------------------ graph


def count_islands(graph: WalkGraph) -> int:
    return len(islands_of(graph).square_metres)


def octagon(*more: Any, **settings: Any) -> NavMesh:
    """A flat octagon, 10 m wide: with up to twelve corners a polygon, it is one of eight."""
    turn = (np.arange(8) + 0.5) * np.pi / 4
    corners = np.stack([5 * np.cos(turn), 0 * turn, 5 * np.sin(turn)], 1).astype(np.float32)
    fan = np.array([[0, i + 1, i] for i in range(1, 7)], np.int32)
    chosen = Settings(vertices_per_polygon=12, agent_radius=0.3, edge_max_error=0.8, **settings)
    return build_navmesh(corners, fan, chosen, links=more)


def test_a_polygon_with_more_corners_than_six_is_cut_into_pieces_that_know_each_other() -> None:
    mesh = octagon()
    (corners,) = (mesh.tiles[0].polygon_mesh.polygons != NO_INDEX).sum(axis=1).tolist()
    graph = walk_graph(mesh)
    assert corners == 8 and graph.polygon.tolist() == [0, 0]
    assert graph.starts.tolist() == [0, 1, 2] and graph.targets.tolist() == [1, 0]
    assert count_islands(graph) == 1 and reached_from(graph, [0]).all() and reaching(graph, 1).all()
    around = [standing_on(graph, (4 * np.cos(turn), 0.0, 4 * np.sin(turn)), 0.3, 1.0) for turn in np.arange(8)]
    assert set(around) == {0, 1}, "every place stands on one of the two"
    assert standing_on(graph, (0, 9, 0), 0.3, 1.0) == standing_on(graph, (9, 0, 0), 0.3, 1.0) == -1


def test_ways_between_tiles_are_the_neighbors_of_their_meshes() -> None:
    jump = Link(start=(-3, 0, -3), end=(3, 0, 3), bidirectional=False)
    mesh = octagon(jump, tile_size=16)
    graph = walk_graph(mesh)
    nodes = range(len(graph.polygon))
    pairs = {(a, int(b)) for a in nodes for b in graph.targets[graph.starts[a] : graph.starts[a + 1]]}
    (link,) = np.flatnonzero(graph.polygon < 0)
    start, end = (standing_on(graph, at, 0.3, 1.0) for at in (jump.start, jump.end))
    assert {pair for pair in pairs if link in pair} == {(start, link), (link, start), (link, end)}
    inside = {
        (first + p, first + int(q))
        for first, tile in zip(graph.first[:-1].tolist(), mesh.tiles, strict=True)
        for p, row in enumerate(tile.polygon_mesh.neighbors) for q in row if q < 0x8000
    }  # fmt: skip
    tile_of = np.searchsorted(graph.first, nodes, side="right")
    assert {(a, b) for a, b in pairs if tile_of[a] == tile_of[b] and link not in (a, b)} == inside
    assert all((b, a) in pairs for a, b in pairs if link not in (a, b)) and graph.unlinked == 0
    assert len(mesh.tiles) == 4 and count_islands(graph) == 1
