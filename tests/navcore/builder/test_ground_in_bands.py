"""Ground by bands of rows is the ground of the whole grid, and builds are the same bytes for any number of threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from navcore import Cancelled, NavMesh, NavmeshError, NothingWalkable, Progress, Settings, build_navmesh
from navcore.builder import cold_builds, ground_in_bands, pipeline
from navcore.builder.checked_input import checked_geometry
from navcore.builder.ground_in_bands import open_ground_in_bands
from navcore.builder.pipeline import forget, open_ground
from navcore.builder.recipe import recipe_of
from navcore.builder.repair import check_and_mend_polygons
from navcore.geometry.grid import bounds_of, solo_grid
from navcore.stages.detail import build_detail_mesh
from navcore.stages.rasterize import rasterize_level, rasterize_triangles
from navcore.stages.walkable import classify_triangles
from navcore.threads import Workers
from navcore.types import DetailMesh, PolygonMesh
from tests import scenes

Mesh = tuple[Any, Any]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Levels of a test are shared, too."""
    monkeypatch.setattr(ground_in_bands, "_SHARED_FROM", 1)
    monkeypatch.setattr(rasterize_level, "_MIN_RECORDS", 1)


def rubble(seed: int, count: int = 400, side: float = 24.0) -> Mesh:
    """Triangles of all sizes above one another, over a floor with gaps: ledges, steps and low rooms everywhere."""
    random = np.random.default_rng(seed)
    middle = random.uniform((0, 0, 0), (side, 4, side), (count, 1, 3))
    size = random.choice([0.3, 1.0, 4.0], (count, 1, 1))
    corners = middle + random.uniform(-1, 1, (count, 3, 3)) * size * (1, random.choice([0.05, 0.3]), 1)
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    corners[normal[:, 1] < 0] = corners[normal[:, 1] < 0][:, [0, 2, 1]]
    floor = np.array([[0, 0, 0], [0, 0, side], [side, 0, side], [0, 0, 0], [side, 0, side], [side, 0, 0]], float)
    vertices = np.concatenate([floor, corners.reshape(-1, 3)]).astype(np.float32)
    return vertices, np.arange(len(vertices), dtype=np.int32).reshape(-1, 3)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(
    "values",
    [
        {}, {"agent_radius": 0.0}, {"agent_radius": 1.3}, {"filter_ledge_spans": False}, {"agent_max_climb": 0.0},
        {"filter_low_hanging_obstacles": False, "filter_walkable_low_height_spans": False, "agent_radius": 0.31},
    ],
)  # fmt: skip
def test_bands_are_the_ground_of_the_whole_grid(seed: int, values: dict[str, Any]) -> None:
    recipe = recipe_of(Settings(**values))
    geometry = checked_geometry(*rubble(seed), None)
    grid = solo_grid(*bounds_of(geometry.vertices), recipe.voxels.cell_size, recipe.voxels.cell_height)
    with Workers(1) as workers:
        geometry = classify_triangles(geometry, 45.0, workers)
        assert open_ground_in_bands(grid, geometry, recipe, workers) is None
        whole, spans = open_ground(
            lambda: rasterize_triangles(grid, *geometry, recipe.voxels.climb_vx, workers), recipe, workers, forget
        )
    for count in (2, 3, 7):
        with Workers(count) as workers:
            shared = open_ground_in_bands(grid, geometry, recipe, workers)
        if shared is None:  # bands are to be larger than what is looked at beyond them
            assert count == 7
            continue
        assert shared[1] == spans
        arrays: tuple[Any, ...] = whole, shared[0]
        for name, one, other in zip(whole._fields, *arrays, strict=True):
            assert np.array_equal(one, other), (count, name)
            assert getattr(one, "dtype", None) == getattr(other, "dtype", None)


def content(navmesh: NavMesh) -> list[bytes]:
    return [
        np.ascontiguousarray(part).tobytes()
        for tile in navmesh.tiles
        for part in (*tile.polygon_mesh[:5], *(tile.detail_mesh or ()))
    ]


def built(mesh: Mesh, settings: Settings, threads: int, **more: Any) -> tuple[Any, ...]:
    try:
        navmesh = build_navmesh(*mesh, settings, threads=threads, **more)
    except NavmeshError as reason:
        return type(reason), str(reason)
    return content(navmesh), navmesh.report.counts, navmesh.report.warnings


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("partition", ["watershed", "monotone", "layers"])
@pytest.mark.parametrize("values", [{}, {"median_filter": True}, {"repair": False}, {"detail_mesh": False}])
def test_any_number_of_threads_builds_the_same(partition: str, values: dict[str, Any]) -> None:
    settings = Settings(partition=partition, **values)
    for mesh in (rubble(11), scenes.city(2)):
        one = built(mesh, settings, 1)
        assert built(mesh, settings, 2) == one
        assert built(mesh, settings, 5) == one


@pytest.mark.usefixtures("small")
def test_what_somebody_looks_at_is_built_stage_by_stage() -> None:
    seen = build_navmesh(*rubble(3), Settings(), threads=2, keep_stages=True)
    assert {"rasterized", "low_hanging", "ledges", "low_height", "compact", "eroded"} <= set(seen.stages)
    assert content(seen) == content(build_navmesh(*rubble(3), Settings(), threads=2))


@pytest.mark.usefixtures("small")
def test_links_are_found_on_shared_ground_as_well() -> None:
    settings = Settings(generate_links=True)
    assert built(scenes.city(2), settings, 2) == built(scenes.city(2), settings, 1)


@pytest.mark.usefixtures("small")
def test_where_nothing_is_walkable_it_says_the_same() -> None:
    steep = np.array([[0, 0, 0], [0, 30, 8], [8, 30, 8], [8, 0, 0]], np.float32)
    mesh = steep, np.array([[0, 1, 2], [0, 2, 3]], np.int32)
    found = [built(mesh, Settings(), threads) for threads in (1, 2)]
    assert found[0] == found[1]
    assert found[0][0] is NothingWalkable


@pytest.mark.usefixtures("small")
def test_a_detail_that_was_made_in_vain_is_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where polygons had to be mended: the mesh is another one then."""
    checked = check_and_mend_polygons
    monkeypatch.setattr(
        pipeline, "check_and_mend_polygons", lambda first, *rest: checked(first._replace(warnings=[]), *rest)
    )
    assert built(rubble(5), Settings(), 2) == built(rubble(5), Settings(), 1)


@pytest.mark.usefixtures("small")
def test_no_detail_is_finished_of_polygons_that_are_to_be_mended(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[int] = []
    finished: list[int] = []

    def watched(mesh: PolygonMesh, *rest: Any) -> DetailMesh:
        begun.append(len(mesh.polygons))
        made = build_detail_mesh(mesh, *rest)
        finished.append(len(mesh.polygons))
        return made

    monkeypatch.setattr(pipeline, "build_detail_mesh", watched)
    monkeypatch.setattr(cold_builds._WHO, "cold", None)  # where kernels are missing, a build is begun again
    navmesh = build_navmesh(*scenes.spiral(1.5), Settings(), threads=2)
    assert "REPAIRED" in {note.code for note in navmesh.report.notes}
    assert len(begun) == 2
    assert finished == [len(navmesh.tiles[0].polygon_mesh.polygons)]
    assert built(scenes.spiral(1.5), Settings(), 2) == built(scenes.spiral(1.5), Settings(), 1)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("stage", ["ground", "regions", "detail"])
def test_cancelling_ends_a_shared_build(stage: str) -> None:
    def stop(now: str, _: float) -> None:
        if now == stage:
            progress.cancel()

    progress = Progress(stop)
    with pytest.raises(Cancelled):
        build_navmesh(*rubble(7), Settings(), threads=2, progress=progress)
