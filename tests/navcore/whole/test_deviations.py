"""docs/deviations.md, row by row: each test fails on Recast's behavior."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest

from navcore import BadInput, BadSettings, NavMesh, NavmeshError, NothingWalkable, Settings, TooLarge, build_navmesh
from navcore.result.navmesh import Tile
from navcore.stages.compact import build_compact_heightfield
from navcore.stages.walkable import _least_normal_y
from navcore.threads import Workers
from navcore.types import Heightfield
from tests import scenes

SMALL = {
    "cell_size": 1.0,
    "cell_height": 0.5,
    "agent_radius": 0.0,
    "agent_max_climb": 0.5,
    "region_min_size": 0,
    "detail_mesh": False,
}


def build(mesh: scenes.Mesh, **values: Any) -> NavMesh:
    return build_navmesh(*mesh, Settings(**(SMALL | values)))


def ground_area(navmesh: NavMesh | Tile) -> float:
    """Square metres of all polygons, seen from above."""
    mesh = navmesh.polygon_mesh
    total = 0
    for row in mesh.polygons.tolist():
        corners = [mesh.vertices[v].tolist() for v in row if v != 0xFFFF]
        total += sum(a[2] * b[0] - a[0] * b[2] for a, b in zip(corners, corners[1:] + corners[:1], strict=True))
    return abs(total) / 2 * float(mesh.grid.cell_size) ** 2


def floors(count: int, size: float = 12.0) -> scenes.Mesh:
    """Closed slabs above each other, 3 m apart."""
    return scenes.join([scenes.box(0, 3.0 * i, 0, size, 0.3, size) for i in range(count)])


@pytest.mark.parametrize("distance", [0.0, 0.5, 0.89])
def test_detail_without_samples(distance: float) -> None:
    navmesh = build(scenes.plaza(3), cell_size=0.3, detail_mesh=True, detail_sample_distance=distance)
    detail = navmesh.detail_mesh
    assert detail is not None
    corners = (navmesh.polygon_mesh.polygons != 0xFFFF).sum(1)
    assert (detail.meshes[:, 1] == corners).all()
    assert (detail.meshes[:, 3] == corners - 2).all()


@pytest.mark.parametrize("partition", ["monotone", "layers"])
@pytest.mark.parametrize("storeys", [25, 70])
def test_many_storeys(partition: str, storeys: int) -> None:
    navmesh = build(floors(storeys), partition=partition, filter_ledge_spans=False)
    assert ground_area(navmesh) == storeys * 12 * 12


def test_more_than_63_layers_and_255_spans_in_a_column() -> None:
    navmesh = build(floors(300), partition="monotone", filter_ledge_spans=False)
    assert navmesh.report.counts["open_spans"] == 300 * 12 * 12
    assert ground_area(navmesh) == 300 * 12 * 12


def test_more_than_2_to_the_24_spans() -> None:
    side = 4100
    count = side * side
    assert count > 2**24
    solid = Heightfield(
        side,
        side,
        np.arange(count + 1, dtype=np.int32),
        np.zeros(count, np.uint16),
        np.ones(count, np.uint16),
        np.full(count, 63, np.uint8),
    )
    with Workers(1) as workers:
        compact = build_compact_heightfield(solid, 10, 4, workers)
    assert len(compact.floor) == count
    inner = count - side - 2
    assert compact.neighbors[inner].tolist() == [inner - 1, inner + side, inner + 1, inner - side]


@pytest.mark.parametrize("radius", [0, 1, 127, 128, 129, 300])
def test_erosion_by_any_radius(radius: int) -> None:
    side = 700
    navmesh = build(scenes.flat(side), agent_radius=float(radius), filter_ledge_spans=False)
    assert ground_area(navmesh) == (side - 2 * radius) ** 2


@pytest.mark.parametrize("partition", ["watershed", "monotone", "layers"])
def test_an_outline_longer_than_40_000_steps(partition: str) -> None:
    teeth = 60
    navmesh = build(scenes.comb(teeth, 1.0), partition=partition, filter_ledge_spans=False, region_merge_size=1000)
    expected = teeth * 6 * 6 + teeth * 3 * 390
    assert math.isclose(ground_area(navmesh), expected, rel_tol=0.02)
    if partition == "layers":
        assert navmesh.report.counts["contours"] == 1


def test_geometry_above_the_highest_voxel_is_refused() -> None:
    tall = scenes.join([scenes.flat(20), scenes.box(5, 0, 5, 2, 5000, 2)])
    with pytest.raises(TooLarge, match=r"10,000 voxels .*limit 8,191.*Raise Cell Height to 0\.62 m"):
        build(tall)
    assert build(tall, cell_height=0.62).report.counts["polygons"] > 0


def test_geometry_above_the_highest_voxel_is_refused_within_given_bounds_too() -> None:
    tall = scenes.join([scenes.flat(20), scenes.box(5, 0, 5, 2, 5000, 2)])
    with pytest.raises(TooLarge, match="limit 8,191"):
        build_navmesh(*tall, Settings(**SMALL), bounds=[0, 0, 0, 20, 6000, 20])


def test_bounds_that_only_reach_higher_than_the_geometry_are_fine() -> None:
    low, high = scenes.flat(20), [0, 0, 0, 20, 6000, 20]
    assert ground_area(build_navmesh(*low, Settings(**SMALL), bounds=high)) == 18 * 18


def test_an_agent_taller_than_255_voxels_is_refused() -> None:
    with pytest.raises(BadSettings, match="limit 255"):
        build(scenes.flat(20), agent_height=150.0)


def test_too_many_regions_are_refused() -> None:
    with pytest.raises(TooLarge, match="tile"):
        build(islands(190), partition="monotone", region_merge_size=0, filter_ledge_spans=False)


def islands(side: int) -> scenes.Mesh:
    """side × side separate plates of 2 × 2 m."""
    x, z = (v.ravel() * 3.0 for v in np.meshgrid(np.arange(side), np.arange(side)))
    corners = np.array([[0, 0], [0, 2], [2, 2], [2, 0]], np.float32)
    vertices = np.zeros((side * side, 4, 3), np.float32)
    vertices[:, :, 0] = x[:, None] + corners[:, 0]
    vertices[:, :, 2] = z[:, None] + corners[:, 1]
    first = np.arange(side * side)[:, None] * 4
    return vertices.reshape(-1, 3), np.stack([first + np.array([0, 1, 2]), first + np.array([0, 2, 3])], 1).reshape(
        -1, 3
    ).astype(np.int32)


def test_too_many_vertices_are_refused() -> None:
    with pytest.raises(TooLarge, match=r"65,533.*tile"):
        build(islands(130), partition="monotone", filter_ledge_spans=False)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_coordinates_that_are_not_finite_are_refused(value: float) -> None:
    vertices, triangles = scenes.flat(20)
    vertices[1, 1] = value
    with pytest.raises(BadInput, match="1 of 4 vertices") as caught:
        build((vertices, triangles))
    assert caught.value.code == "NOT_FINITE"


def test_a_plane_far_from_the_origin_is_refused_or_right() -> None:
    vertices, triangles = scenes.flat(30)
    near = build((vertices, triangles), filter_ledge_spans=False)
    moved = build((vertices + np.float32(2**20), triangles), filter_ledge_spans=False)
    assert ground_area(moved) == ground_area(near) == 900
    with pytest.raises(BadInput, match="from the origin") as caught:
        build((vertices + np.float32(1e7), triangles), cell_size=0.3)
    assert caught.value.code == "TOO_FAR"


@pytest.mark.parametrize("index", [4, -1, 2**31 - 1, -(2**31)])
def test_indices_out_of_range_are_refused(index: int) -> None:
    vertices, triangles = scenes.flat(20)
    triangles[1, 1] = index
    with pytest.raises(BadInput) as caught:
        build((vertices, triangles))
    assert caught.value.code == "INDEX_OUT_OF_RANGE"


@pytest.mark.parametrize("flattened", [0, 2])
def test_zero_size_bounds_are_refused(flattened: int) -> None:
    vertices, triangles = scenes.flat(20)
    vertices[:, flattened] = 3
    with pytest.raises(BadInput) as caught:
        build((vertices, triangles))
    assert caught.value.code == "EMPTY_BOUNDS"


@pytest.mark.parametrize(
    ("cell", "error"),
    [(0.0, BadSettings), (-1.0, BadSettings), (1e-46, BadSettings), (1e-6, TooLarge), (1e-3, TooLarge)],
)
def test_cell_sizes_that_cannot_be_are_refused(cell: float, error: type[NavmeshError]) -> None:
    with pytest.raises(error):
        build(scenes.flat(20), cell_size=cell)


@pytest.mark.parametrize("count", [0, 1, 2, 13])
def test_vertices_per_polygon_out_of_range_are_refused(count: int) -> None:
    with pytest.raises(BadSettings, match="vertices_per_polygon must be a whole number from 3 to 12"):
        build(scenes.flat(20), vertices_per_polygon=count)


@pytest.mark.parametrize(
    ("change", "values", "reason", "ways_out"),
    [
        ("flip", {}, "look down", ()),
        (None, {"agent_max_slope": 0.0}, "Max Slope is 0°.*Raise it to 45°", (("agent_max_slope", 45.0),)),
        ("roof", {}, "Agent Height", (("agent_height", 1.0), ("agent_max_climb", 1.0))),
        (None, {"agent_radius": 15.0}, "Agent Radius", (("agent_radius", 7.5),)),
        (None, {"region_min_size": 50}, "Region Min Size", (("region_min_size", 18.0), ("cell_size", 0.5))),
    ],
)
def test_nothing_walkable_names_what_lost_the_last_surface(
    change: str | None, values: dict[str, Any], reason: str, ways_out: tuple[tuple[str, float], ...]
) -> None:
    """In words, and as settings with values for whoever offers to change them."""
    vertices, triangles = scenes.flat(20)
    if change == "flip":
        triangles = triangles[:, ::-1]
    if change == "roof":
        vertices, triangles = scenes.join(
            [(vertices, triangles), (vertices + np.float32([0, 1, 0]), triangles[:, ::-1])]
        )
    with pytest.raises(NothingWalkable, match=reason) as refused:
        build((vertices, np.ascontiguousarray(triangles)), **values)
    assert refused.value.ways_out == ways_out
    assert pickle.loads(pickle.dumps(refused.value)).ways_out == ways_out, "it travels with a tile"


@pytest.mark.parametrize("degrees", [45.4, 46.5, 49.0, 61.1, 64.0, 79.2])
def test_the_steepest_slope_is_the_correctly_rounded_cosine(degrees: float) -> None:
    radians = np.float32(np.float32(degrees) / np.float32(180)) * np.float32(3.14159265)
    assert _least_normal_y(degrees) == np.float32(math.cos(float(radians)))


def test_running_out_of_memory_is_a_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    def exhausted(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("navcore.builder.pipeline.rasterize_triangles", exhausted)
    with pytest.raises(TooLarge, match="not enough memory") as caught:
        build(scenes.flat(20))
    assert caught.value.code == "OUT_OF_MEMORY"
