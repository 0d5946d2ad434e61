"""A mesh whose faces are the polygons: nothing of it is lost, moved, joined or parted."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from navcore import (
    BadInput,
    Link,
    NavMesh,
    NavQuery,
    NothingWalkable,
    Settings,
    find_islands,
    navmesh_from_polygons,
    read_navmesh,
    stitch_tiles,
    write_navmesh,
)
from navcore.difference.compare import navmesh_difference
from navcore.formats.plain_navmesh import plain_navmesh
from navcore.result.navmesh import world_vertices
from navcore.result.stitch import edge_violations
from tests.validated import validate

from .modelled import (
    Modelled,
    height_at,
    islands_by_edges,
    patchwork,
    perimeter,
    plan_area,
    without_welds,
)

SQUARE = [[0, 0, 0], [0, 0, 4], [4, 0, 4], [4, 0, 0]]


def told(navmesh: NavMesh) -> dict[str, Any]:
    assert navmesh.report.conversion is not None
    return navmesh.report.conversion


def assert_sound(navmesh: NavMesh) -> None:
    """Every invariant of a polygon mesh, but that regions do not lie above themselves: a spiral may."""
    for tile in navmesh.tiles:
        found = validate(tile.polygon_mesh, tile.detail_mesh)
        assert [one for one in found if one.code != "OVERLAP"] == []
    if navmesh.tile_grid is not None:
        assert edge_violations(stitch_tiles(navmesh)) == 0


def area_of(navmesh: NavMesh) -> float:
    return float(find_islands(navmesh).square_metres.sum())


@pytest.mark.parametrize("keep_faces", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_a_patchwork_is_its_navmesh(seed: int, keep_faces: bool, tmp_path: Path) -> None:
    modelled = patchwork(seed)
    navmesh = navmesh_from_polygons(*modelled, Settings(), keep_faces=keep_faces)
    assert_sound(navmesh)
    wanted = sum(plan_area(modelled.vertices, ring) for ring in modelled.faces)
    around = sum(perimeter(modelled.vertices, ring) for ring in modelled.faces)
    conversion = told(navmesh)
    assert abs(area_of(navmesh) - wanted) <= max(1e-4 * wanted, around * conversion["cell_size"] / 2)
    assert len(find_islands(navmesh).square_metres) == islands_by_edges(modelled.faces)
    assert conversion["dropped"] == [] and conversion["mended"] == []
    assert conversion["faces"] == len(modelled.faces) == conversion["kept"] + conversion["split"]
    write_navmesh(navmesh, tmp_path / "own.bin")
    again = read_navmesh(tmp_path / "own.bin")
    assert np.allclose(find_islands(again).square_metres, find_islands(navmesh).square_metres)


def test_the_largest_move_is_told_and_true() -> None:
    for seed in range(4):
        modelled = patchwork(seed)
        navmesh = navmesh_from_polygons(*modelled, keep_faces=True)
        there = np.concatenate([world_vertices(tile.polygon_mesh) for tile in navmesh.tiles]).astype(np.float64)
        used = modelled.vertices[sorted({corner for ring in modelled.faces for corner in ring})]
        apart = np.linalg.norm(used[:, None] - there[None], axis=2).min(axis=1)
        assert apart.max() == pytest.approx(told(navmesh)["moved"], abs=1e-9)
        assert told(navmesh)["moved"] < 0.0015


@pytest.mark.parametrize("tile", [False, True])
def test_heights_are_those_of_the_faces(tile: bool) -> None:
    modelled = patchwork(3, cells=8, side=12.0 if tile else 2.0, rise=1.0)
    triangles = [[ring[0], ring[k], ring[k + 1]] for ring in modelled.faces for k in range(1, len(ring) - 1)]
    flat = [t for t in triangles if plan_area(modelled.vertices, t) > 0]
    modelled = Modelled(modelled.vertices, flat if len(flat) == len(triangles) else _convex_alone(modelled))
    navmesh = navmesh_from_polygons(*modelled, Settings(agent_height=0.5))
    assert (navmesh.tile_grid is not None) == tile
    query = NavQuery(navmesh)
    rng = np.random.default_rng(0)
    places, heights = [], []
    for ring in modelled.faces * 20:
        corners = modelled.vertices[ring[:3]]
        weights = rng.dirichlet([1, 1, 1])
        places.append(weights @ corners)
    for place in places:
        found = [height_at(modelled.vertices[ring], place[0], place[2]) for ring in modelled.faces]
        heights.append(next(height for height in found if height is not None))
    found = query.nearest(np.array(places), extents=(0.01, 2, 0.01))
    answered = query.heights(found.references, np.array(places)).heights
    step = told(navmesh)["cell_size"]
    assert np.abs(answered - heights).max() <= max(step, 1e-3) * (1.5 if tile else 1)


def _convex_alone(modelled: Modelled) -> list[list[int]]:
    return [ring[:3] for ring in modelled.faces if len(ring) <= 4]


def test_without_shared_corners_it_is_the_same_navmesh() -> None:
    for seed in range(4):
        modelled = patchwork(seed)
        one, other = (navmesh_from_polygons(*some) for some in (modelled, without_welds(modelled)))
        assert area_of(one) == pytest.approx(area_of(other))
        assert len(find_islands(one).square_metres) == len(find_islands(other).square_metres)
        assert told(other)["mended"] == []  # corners at one place are one without a word


def test_what_is_wide_is_cut_into_tiles_and_hangs_together() -> None:
    for seed in range(3):
        modelled = patchwork(seed, cells=9, side=17.0, rise=2.0)
        navmesh = navmesh_from_polygons(*modelled)
        assert navmesh.tile_grid is not None and told(navmesh)["tiles"] == len(navmesh.tiles) > 4
        assert told(navmesh)["cell_size"] <= 0.001
        assert_sound(navmesh)
        assert len(find_islands(navmesh).square_metres) == islands_by_edges(modelled.faces)
        wanted = sum(plan_area(modelled.vertices, ring) for ring in modelled.faces)
        assert area_of(navmesh) == pytest.approx(wanted, rel=1e-4)
        tiles = {tile.key: tile.polygon_mesh for tile in navmesh.tiles}
        for tile in navmesh.tiles:  # every way on into the next tile is there from the other side, too
            sides = {0: (-1, 0), 1: (0, 1), 2: (1, 0), 3: (0, -1)}
            mesh = tile.polygon_mesh
            for polygon, corner in np.argwhere((mesh.neighbors >= 0x8000) & (mesh.neighbors < 0x8004)):
                dx, dy = sides[int(mesh.neighbors[polygon, corner]) & 3]
                ring = [v for v in mesh.polygons[polygon].tolist() if v != 0xFFFF]
                ends = world_vertices(mesh)[[ring[corner], ring[(corner + 1) % len(ring)]]]
                other = tiles[type(tile.key)(tile.x + dx, tile.y + dy)]
                there = {tuple(v) for v in world_vertices(other).tolist()}
                assert {tuple(v) for v in ends.tolist()} <= there


def test_a_wide_mesh_far_from_the_origin() -> None:
    modelled = patchwork(1, cells=5, side=10.0)
    moved = Modelled(modelled.vertices + np.array([20_000, 50, -30_000]), modelled.faces)
    navmesh = navmesh_from_polygons(*moved)
    assert_sound(navmesh)
    assert len(find_islands(navmesh).square_metres) == islands_by_edges(modelled.faces)
    assert told(navmesh)["moved"] < 0.01


def test_a_tall_mesh_keeps_heights_that_runtime_data_can_ask_for() -> None:
    steps = [[[k * 2.0, k * 10.0, 0], [k * 2.0, k * 10.0, 2], [k * 2.0 + 2, k * 10.0, 2], [k * 2.0 + 2, k * 10.0, 0]]
             for k in range(30)]  # fmt: skip
    vertices = [corner for step in steps for corner in step]
    navmesh = navmesh_from_polygons(vertices, [list(range(4 * k, 4 * k + 4)) for k in range(30)])
    query = NavQuery(navmesh)
    found = query.nearest([[k * 2.0 + 1, k * 10.0, 1] for k in range(30)], extents=(0.1, 0.5, 0.1))
    assert (found.references != 0).all() and len(set(found.references.tolist())) == 30


def test_merging_stays_within_areas_and_planes_and_keeping_merges_nothing() -> None:
    vertices = [[0, 0, 0], [0, 0, 4], [4, 0, 4], [4, 0, 0], [8, 0, 4], [8, 0, 0], [12, 3, 4], [12, 3, 0]]
    faces = [[0, 1, 2, 3], [3, 2, 4, 5], [5, 4, 6, 7]]
    merged = navmesh_from_polygons(vertices, faces)
    assert len(merged.polygon_mesh.polygons) == 2  # the slope is not of the plane
    assert len(navmesh_from_polygons(vertices, faces, keep_faces=True).polygon_mesh.polygons) == 3
    apart = navmesh_from_polygons(vertices, faces, areas=[63, 2, 2])
    assert len(apart.polygon_mesh.polygons) == 3 and sorted(apart.polygon_mesh.area.tolist()) == [2, 2, 63]
    assert told(merged)["kept"] == 3


def test_a_concave_face_with_a_hole_on_a_bridge() -> None:
    outer = [[0, 0, 0], [0, 0, 10], [10, 0, 10], [10, 0, 0]]
    hole = [[3, 0, 3], [6, 0, 3], [6, 0, 6], [3, 0, 6]]
    ring = [0, 1, 2, 3, 0, 4, 5, 6, 7, 4]
    navmesh = navmesh_from_polygons(outer + hole, [ring], keep_faces=True)
    assert_sound(navmesh)
    assert area_of(navmesh) == pytest.approx(91)
    assert len(find_islands(navmesh).square_metres) == 1 and told(navmesh)["split"] == 1
    query = NavQuery(navmesh)
    around = query.find_paths([[1, 0, 4.5]], [[9, 0, 4.5]])
    assert float(np.linalg.norm(np.diff(around.points, axis=0), axis=1).sum()) > 8.2


def test_polygons_have_no_more_corners_than_the_settings_say() -> None:
    many = [[5 + 5 * math.sin(k * math.tau / 40), 0, 5 + 5 * math.cos(k * math.tau / 40)] for k in range(40)]
    for most in (3, 6, 12):
        navmesh = navmesh_from_polygons(many, [list(range(40))], Settings(vertices_per_polygon=most))
        assert navmesh.polygon_mesh.polygons.shape[1] == most
        assert_sound(navmesh)
        assert len(find_islands(navmesh).square_metres) == 1


def test_no_detail_where_none_is_wanted_and_links_and_areas_come_along(tmp_path: Path) -> None:
    vertices = [*SQUARE, [6, 0, 0], [6, 0, 4], [9, 0, 4], [9, 0, 0]]
    link = Link(start=(3, 0, 2), end=(7, 0, 2), radius=0.5)
    navmesh = navmesh_from_polygons(
        vertices, [[0, 1, 2, 3], [4, 5, 6, 7]], Settings(detail_mesh=False), [63, 1], links=[link]
    )
    assert navmesh.detail_mesh is None and plain_navmesh(navmesh).area.tolist() == [0, 1]
    assert len(find_islands(navmesh).square_metres) == 1
    write_navmesh(navmesh, tmp_path / "linked.bin")
    assert len(find_islands(read_navmesh(tmp_path / "linked.bin")).square_metres) == 1


def test_faces_of_no_ground_are_left_out_and_told() -> None:
    vertices = [*SQUARE, [4, 3, 4], [4, 3, 0]]
    navmesh = navmesh_from_polygons(
        vertices, [[0, 1, 2, 3], [3, 2, 4, 5], [2, 1, 0, 3], [0, 0, 1], [0, 1, 2]], areas=[63, 63, 63, 63, 0]
    )
    assert {(row["face"], row["reason"]) for row in told(navmesh)["dropped"]} == {
        (1, "vertical"), (2, "double"), (3, "no area"), (4, "not walkable"),
    }  # fmt: skip
    assert told(navmesh)["kept"] == 1
    with pytest.raises(NothingWalkable, match="1 vertical"):
        navmesh_from_polygons(vertices, [[3, 2, 4, 5]])


def test_it_is_compared_with_another_and_the_same_twice() -> None:
    modelled = patchwork(5)
    one, other = (navmesh_from_polygons(*modelled) for _ in range(2))
    difference = navmesh_difference(plain_navmesh(one), plain_navmesh(other))
    assert difference.added == difference.removed == 0
    assert [t.polygon_mesh.vertices.tobytes() for t in one.tiles] == [
        t.polygon_mesh.vertices.tobytes() for t in other.tiles
    ]


@pytest.mark.parametrize("tiled", [False, True])
def test_again_from_its_own_polygons_it_is_the_same(tiled: bool) -> None:
    modelled = patchwork(2, side=17.0 if tiled else 2.0)
    first = plain_navmesh(navmesh_from_polygons(*modelled))
    second = plain_navmesh(navmesh_from_polygons(first.vertices, first.rings(), keep_faces=True))

    def outlines(plain: Any) -> list[Any]:
        rings = [[tuple(plain.vertices[corner].tolist()) for corner in ring] for ring in plain.rings()]
        return sorted(ring[ring.index(min(ring)) :] + ring[: ring.index(min(ring))] for ring in rings)

    assert outlines(first) == outlines(second)


@pytest.mark.parametrize(
    ("given", "code"),
    [
        (([[0, 0, 0]], [[0, 1, 2]]), "INDEX_OUT_OF_RANGE"),
        (([[0, 0, 0], [0, 0, math.nan], [1, 0, 0]], [[0, 1, 2]]), "NOT_FINITE"),
        ((SQUARE, []), "NO_TRIANGLES"),
        ((SQUARE, [[0, "a", 2]]), "WRONG_KIND"),
        ((SQUARE, [[0, 1.5, 2]]), "WRONG_KIND"),
        (([[0, 0], [1, 1]], [[0, 1, 0]]), "BAD_INPUT"),
        (([[0, 0, 0], [0, 0, 1e7], [1e7, 0, 1e7]], [[0, 1, 2]]), "TOO_FAR"),
    ],
)
def test_wrong_input_is_refused_by_name(given: Any, code: str) -> None:
    with pytest.raises(BadInput) as refused:
        navmesh_from_polygons(*given)
    assert refused.value.code == code


def test_wrong_options_are_refused() -> None:
    for options in ({"weld": -1}, {"weld": math.nan}, {"areas": [1, 2]}, {"areas": [99]}, {"settings": {}}):
        with pytest.raises(BadInput):
            navmesh_from_polygons(SQUARE, [[0, 1, 2, 3]], **options)  # type: ignore[arg-type]


def test_mended_faces_are_those_that_a_navmesh_is_made_of() -> None:
    """Welded, turned up, without doubles, with the corner on an edge: of corners that were given."""
    from navcore.by_hand.from_polygons import mended_faces

    corners = [(0, 0, 0), (0, 0, 4), (4, 0, 4), (4, 0, 0), (4.0005, 0, 0), (8, 0, 4), (8, 0, 0), (4, 0, 2)]
    mended = mended_faces(corners, [(0, 1, 2, 3), (0, 1, 2, 3), (4, 6, 5, 7), (7, 2, 5)], Settings())
    assert mended.faces == [[0, 1, 2, 7, 3], [3, 7, 5, 6], [7, 2, 5]] and mended.given == [0, 2, 3]
    assert [(row.face, row.reason) for row in mended.dropped] == [(1, "double")]
    again = mended_faces(corners, mended.faces, Settings())
    assert again.faces == mended.faces and not again.dropped


SQUARES = [[0, 0, 0], [0, 0, 4], [4, 0, 4], [4, 0, 0], [8, 0, 4], [8, 0, 0]], [[0, 1, 2, 3], [3, 2, 4, 5]]


def test_links_that_nobody_takes_are_told() -> None:
    """As a build tells them: over the heads of all, without flags, and farther than tiles are wide, which are given."""
    strip = (
        [[5 * x, 0, z] for x in range(41) for z in (0, 5)],
        [[2 * x, 2 * x + 1, 2 * x + 3, 2 * x + 2] for x in range(40)],
    )
    links = [Link(start=(1, 0, 1), end=(150, 0, 2), name="Far"), Link(start=(1, 0, 1), end=(30, 0, 2), name="Near")]
    [warning] = navmesh_from_polygons(*strip, links=links).report.warnings
    assert (warning.code, warning.name) == ("LINK_UNATTACHED", "Far")
    assert warning.message.endswith("Detour joins neighboring tiles only. Make the link shorter.")
    odd = [Link(start=(1, 9, 1), end=(3, 0, 3)), Link(start=(1, 0, 1), end=(3, 0, 3), flags=0)]
    navmesh = navmesh_from_polygons(*SQUARES, links=odd)
    assert [warning.code for warning in navmesh.report.warnings] == ["NO_FLAGS", "LINK_UNATTACHED"]


@pytest.mark.parametrize(
    "given", [{"trusted": [True]}, {"area_types": {2: {}}}, {"weld": True}], ids=["trusted", "area_types", "weld"]
)
def test_what_a_call_cannot_mean_is_refused_by_name(given: dict[str, Any]) -> None:
    with pytest.raises(BadInput, match=r"trusted must be one truth|area 2 must have a name|weld must be metres"):
        navmesh_from_polygons(*SQUARES, **given)
    types = {2: {"name": "mud", "flags": 1}}
    more: dict[str, Any] = {"area_types": types, "weld": np.float32(0.001), "trusted": [True, False]}
    assert navmesh_from_polygons(*SQUARES, areas=[2, 63], **more).area_types[2].name == "mud"
