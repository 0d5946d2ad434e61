"""What breaks navmesh builds elsewhere, one test for each row of docs/catalogue.md that no other test has.

`rn650` is issue 650 of Recast's repository, and so on.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from navcore import BadInput, BadSettings, NavMesh, NavmeshError, NothingWalkable, Settings, build_navmesh
from navcore.types import NO_INDEX
from tests import scenes
from tests.navcore.whole.test_deviations import SMALL, build, ground_area
from tests.soak.builds import settings_of
from tests.soak.invariants import violations
from tests.soak.levels import level_of

PARTITIONS = ["watershed", "monotone", "layers"]
FLAT_FLOOR: dict[str, Any] = {"filter_ledge_spans": False}


def sound(mesh: scenes.Mesh, volumes: Any = (), **values: Any) -> NavMesh:
    """A navmesh that breaks no invariant."""
    navmesh = build_navmesh(*mesh, Settings(**values), volumes=volumes, keep_stages=True, threads=1)
    assert violations(navmesh) == []
    return navmesh


def arrays(navmesh: NavMesh) -> list[bytes]:
    mesh, detail = navmesh.polygon_mesh, navmesh.detail_mesh
    assert detail is not None
    return [a.tobytes() for a in (mesh.vertices, mesh.polygons, mesh.neighbors, mesh.area, detail.triangles)]


# --- G: geometry


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("bounds", [None, [0, -1, 0, 20, 5, 20]])
def test_g2_g3_a_coordinate_that_is_none_on_any_axis(axis: int, value: float, bounds: Any) -> None:
    vertices, triangles = scenes.flat(20)
    vertices[2, axis] = value
    with pytest.raises(BadInput) as caught:
        build_navmesh(vertices, triangles, Settings(**SMALL), bounds=bounds)
    assert caught.value.code == "NOT_FINITE"


@pytest.mark.parametrize("far", [-1.58456325e29, 1.58456325e29, 3e38])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_rn687_one_corner_of_the_bounds_is_at_1e29(far: float, axis: int) -> None:
    bounds = [0.0, 0.0, 0.0, 20.0, 5.0, 20.0]
    bounds[axis if far < 0 else axis + 3] = far
    with pytest.raises(NavmeshError) as caught:
        build_navmesh(*scenes.flat(20), Settings(**SMALL), bounds=bounds)
    assert caught.value.code in ("TOO_LARGE", "TOO_FAR")


def test_g4_geometry_from_1e29_to_the_ground() -> None:
    vertices, triangles = scenes.flat(20)
    vertices[0, 1] = -1.58456325e29
    with pytest.raises(NavmeshError) as caught:
        build((vertices, triangles))
    assert caught.value.code in ("TOO_LARGE", "TOO_FAR")


def test_g7_triangles_that_are_a_point_or_a_line_change_nothing() -> None:
    vertices, triangles = scenes.plaza(3)
    more = np.array([[0, 0, 0], [1, 1, 2], [2, 1, 2], [0, 3, 0]], np.int32)
    plain = build_navmesh(vertices, triangles, threads=1)
    assert arrays(build_navmesh(vertices, np.concatenate([triangles, more]), threads=1)) == arrays(plain)


@pytest.mark.parametrize(
    ("corners", "code"),
    [
        ([], "NO_TRIANGLES"),
        ([[1, 2, 3]] * 3, "EMPTY_BOUNDS"),
        ([[0, 0, 0], [5, 0, 5], [10, 0, 10]], "NOTHING_WALKABLE"),
        ([[0, 0, 0], [5, 0, 0], [10, 0, 0]], "EMPTY_BOUNDS"),
        ([[0, 0, 0], [5, 9, 0], [10, 0, 0]], "EMPTY_BOUNDS"),
        ([[0, 0, 0], [0, 9, 5], [0, 0, 10]], "EMPTY_BOUNDS"),
    ],
    ids=["nothing", "a point", "a slanted line", "a line", "a wall in x", "a wall in z"],
)
def test_rn514_geometry_that_is_no_ground(corners: list[list[float]], code: str) -> None:
    vertices = np.array(corners, np.float32).reshape(-1, 3)
    triangles = np.arange(len(vertices), dtype=np.int32).reshape(-1, 3)
    with pytest.raises(NavmeshError) as caught:
        build((vertices, triangles))
    assert caught.value.code == code


def test_rn765_tiles_hold_the_spans_of_the_whole_level() -> None:
    """Cells of a power of two, corners on fractions of one: then no arithmetic rounds, wherever a tile begins."""
    random = np.random.default_rng(3)
    corners = random.integers(0, 64 * 40, (60, 3, 3)) / 64.0
    corners[:, :, 1] /= 8
    mesh = scenes.join([scenes.flat(40), (corners.reshape(-1, 3).astype(np.float32), np.arange(180).reshape(-1, 3))])
    values = {"cell_size": 0.5, "cell_height": 0.25, "agent_radius": 0.5}
    whole = build_navmesh(*mesh, Settings(**values), keep_stages=True).stages["rasterized"]
    cut = build_navmesh(*mesh, Settings(tile_size=16, **values), keep_stages=True)
    seen = 0
    for place, stages in cut.stages.items():
        x, z = (16 * int(word) for word in place[1:].split("_"))
        part, border = stages["rasterized"], stages["grid"].border
        for i in range(border, part.width - border):
            for j in range(border, part.depth - border):
                across, along = x + i - border, z + j - border
                if across < whole.width and along < whole.depth:
                    assert column(part, i, j) == column(whole, across, along)
                    seen += 1
    assert seen == whole.width * whole.depth


def column(solid: Any, x: int, z: int) -> list[list[int]]:
    """The spans of one column: bottom, top, area."""
    at = x + z * solid.width
    spans = slice(solid.first[at], solid.first[at + 1])
    return np.stack([solid.bottom[spans], solid.top[spans], solid.area[spans]], 1).tolist()


def test_g11_the_same_triangles_in_the_same_order_give_the_same_bytes() -> None:
    mesh = scenes.snapped_soup()
    assert arrays(build_navmesh(*mesh)) == arrays(build_navmesh(*mesh, threads=1))


# --- S: settings


@pytest.mark.parametrize(("high", "code"), [(0.0, "BAD_SETTINGS"), (1e-6, "BAD_SETTINGS"), (100.0, "")])
def test_s4_cell_heights_from_nothing_to_a_hundred_metres(high: float, code: str) -> None:
    values = SMALL | {"cell_height": high, "agent_max_climb": 1000.0, "agent_height": 2.0} | FLAT_FLOOR
    if code:
        with pytest.raises(BadSettings) as caught:
            build_navmesh(*scenes.flat(20), Settings(**values))
        assert caught.value.code == code
    else:
        assert ground_area(sound(scenes.flat(20), **values)) == 400


@pytest.mark.parametrize("height", [0.01, 1.0, 2.0, 51.0])
@pytest.mark.parametrize("climb", [0.0, 0.2, 8000.0])
def test_s6_agents_of_any_height_and_climb(height: float, climb: float) -> None:
    sound(scenes.stairs(), agent_height=height, agent_max_climb=climb)


@pytest.mark.parametrize("distance", [0.0, 0.01, 0.5, 0.89, 0.9])
@pytest.mark.parametrize("partition", PARTITIONS)
def test_rn650_detail_distance_zero(distance: float, partition: str) -> None:
    for mesh in (scenes.terrain(40, 0.6), scenes.stairs(), scenes.plaza(3)):
        navmesh = sound(mesh, detail_sample_distance=distance, partition=partition)
        assert navmesh.detail_mesh is not None
        assert len(navmesh.detail_mesh.meshes) == len(navmesh.polygon_mesh.polygons)


# --- R: regions


@pytest.mark.parametrize("partition", ["monotone", "layers"])
def test_rn317_more_storeys_than_the_grid_is_wide(partition: str) -> None:
    floors = scenes.join([scenes.box(0, 3.0 * i, 0, 20, 0.3, 20) for i in range(25)])
    navmesh = sound(floors, **SMALL | FLAT_FLOOR | {"partition": partition})
    assert ground_area(navmesh) == 25 * 20 * 20


@pytest.mark.parametrize("partition", PARTITIONS)
@pytest.mark.parametrize("per_turn", [8, 12, 16, 20])
def test_r5_stairs_that_wind_above_themselves(partition: str, per_turn: int) -> None:
    sound(scenes.spiral(2.5, per_turn), partition=partition, region_min_size=0)


@pytest.mark.parametrize("partition", PARTITIONS)
@pytest.mark.parametrize("tile_size", [0, 32])
def test_rn470_polygons_of_two_area_types_stay_apart(partition: str, tile_size: int) -> None:
    half = {"shape": "box", "area": 5, "min": [6, -1, -1], "max": [14, 1, 30]}
    navmesh = sound(scenes.flat(21), [half], partition=partition, tile_size=tile_size)
    found = {}
    for tile in navmesh.tiles:
        mesh = tile.polygon_mesh
        for row, area in zip(mesh.polygons, mesh.area.tolist(), strict=True):
            x = mesh.vertices[row[row != NO_INDEX], 0] * float(mesh.grid.cell_size) + float(mesh.grid.bounds_min[0])
            low, high = found.get(area, (np.inf, -np.inf))
            found[area] = min(low, x.min()), max(high, x.max())
            assert area == 63 or (x.min() > 5.5 and x.max() < 14.5)
    assert set(found) == {5, 63}


@pytest.mark.parametrize("partition", PARTITIONS)
def test_rn30_rn141_regions_that_touch_many_others(partition: str) -> None:
    """A floor under a checkered ceiling of plates, each of which touches four others at its corners."""
    plates = [
        scenes.box(i * 1.5, 2.4 + (i + j) % 4 * 0.1, j * 1.5, 1.5, 0.2, 1.5)
        for i in range(16) for j in range(16) if (i + j) % 2
    ]  # fmt: skip
    for merge in (0, 20):
        sound(
            scenes.join([scenes.flat(24), *plates]), partition=partition, agent_radius=0.0, region_min_size=0,
            region_merge_size=merge,
        )  # fmt: skip


# --- C: contours and polygons


@pytest.mark.parametrize("partition", PARTITIONS)
def test_rn38_rn442_holes_that_touch_at_their_corners(partition: str) -> None:
    """A checkerboard of pillars: every hole touches the next at a corner, some touch the outline."""
    cell = 0.5
    pillars = [
        scenes.box(i * cell, -0.5, j * cell, cell, 3, cell) for i in range(1, 12) for j in range(12) if (i + j) % 2
    ]
    for error in (0.0, 1.3):
        navmesh = sound(
            scenes.join([scenes.flat(8), *pillars]), partition=partition, cell_size=cell, agent_radius=0.0,
            region_min_size=0, edge_max_error=error, filter_ledge_spans=False,
        )  # fmt: skip
        assert ground_area(navmesh) > 8 * 8 - 6 * 6.5, "all around the pillars, and some of what lies between them"


@pytest.mark.parametrize("partition", PARTITIONS)
@pytest.mark.parametrize("error", [2.0, 3.0, 10.0])
def test_rn494_outlines_that_are_far_too_coarse(partition: str, error: float) -> None:
    for mesh in (scenes.city(1), scenes.plaza(5), scenes.terrain(48, 0.5, 0.3)):
        sound(mesh, partition=partition, edge_max_error=error, region_min_size=0, agent_radius=0.3)


@pytest.mark.parametrize(
    ("seed", "number", "broken"),
    [
        (263, 0, "BAD_CORNERS"),
        (15, 4, "ZERO_AREA"),  # rn414
        (18, 0, "FLIPPED"),  # rn494
        (990, 0, "CONCAVE"),  # rn734
        (177, 2, "SHARED_EDGE"),
        (303, 2, "BAD_NEIGHBORS"),
        (15, 0, "UNUSED_VERTEX"),
        (5, 0, "OVERLAP"),
        (112, 2, "OFF_GROUND"),
        (160, 3, "REGION_LOST"),
        (5, 4, "DISCONNECTED"),
        (18, 4, "AREA_CHANGED"),
        (52, 1, "BAD_DETAIL"),
        (5, 1, "DETAIL_OUT_OF_BOUNDS"),  # rn351
        (24, 1, "PORTAL_LOST"),
    ],
)
def test_rn734_rn414_rn494_what_recast_breaks_is_mended(seed: int, number: int, broken: str) -> None:
    """Levels of the soak of which Recast's rules make a broken mesh, one for each way to break it."""
    level = level_of(seed)
    values = settings_of(level, seed, number)

    def made(repair: bool) -> list[str]:
        settings = Settings.from_mapping(values | {"repair": repair})
        mesh = level.vertices, level.triangles
        return violations(build_navmesh(*mesh, settings, volumes=level.volumes, keep_stages=True, threads=1))

    assert broken in made(repair=False)
    assert made(repair=True) == []


# --- D: detail


@pytest.mark.parametrize("partition", PARTITIONS)
def test_rn351_rn153_no_pylons_on_stairs_without_erosion(partition: str) -> None:
    navmesh = sound(
        scenes.stairs(), partition=partition, cell_size=0.1, agent_radius=0.0, detail_sample_distance=1.0,
        detail_sample_max_error=0.0, filter_ledge_spans=False,
    )  # fmt: skip
    assert navmesh.detail_mesh is not None
    heights = navmesh.detail_mesh.vertices[:, 1]
    assert heights.min() > -1.0 and heights.max() < 4.5


def test_rn396_rn796_slivers_have_triangles() -> None:
    """A strip one cell wide and a long thin wedge."""
    strip = scenes._rectangle(0, 0, 30, 0.3)
    wedge = (np.array([[0, 0, 2], [0, 0, 2.4], [30, 0, 2]], np.float32), np.array([[0, 1, 2]], np.int32))
    values = {"agent_radius": 0.0, "region_min_size": 0, "edge_max_error": 0.5, "partition": "monotone"} | FLAT_FLOOR
    navmesh = sound(scenes.join([strip, wedge]), **values)
    assert navmesh.detail_mesh is not None and (navmesh.detail_mesh.meshes[:, 3] > 0).all()
    with pytest.raises(NothingWalkable, match=r"so narrow that no outline remains\. Lower Edge Max Error"):
        sound(strip, **values | {"partition": "watershed"})  # which begins where the ground is two cells wide
