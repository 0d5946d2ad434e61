"""What the kept stages of a full build say about a point, found without the room that is tested."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from navcore import Settings, WhyHere, build_navmesh
from navcore.builder.checked_input import checked_geometry
from navcore.builder.ground_window import ground_in_window, window_around
from navcore.builder.pipeline import mark_ground
from navcore.builder.recipe import recipe_of
from navcore.result.navmesh import NavMesh
from navcore.scene import as_volumes
from navcore.threads import Workers
from tests import scenes

TRIANGLES = {"TOO_STEEP", "FACES_DOWN", "DEGENERATE", "MARKED", "COVERED"}
NO_POLYGON = {"OUTLINE_SIMPLIFIED", "POLYGON_DROPPED"}


class Lost(NamedTuple):
    """Which codes the stages allow at a point, and where the point lies."""

    codes: set[str]
    column: tuple[int, int]
    stages: dict[str, Any]


def on_surface(mesh: scenes.Mesh, count: int, seed: int) -> npt.NDArray[np.float64]:
    """Random points on triangles, by area, none on those that stand upright."""
    vertices, triangles = mesh
    rng = np.random.default_rng(seed)
    corners = vertices[triangles].astype(np.float64)
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    weight = np.abs(normal[:, 1])
    chosen = rng.choice(len(triangles), count, p=weight / weight.sum())
    cuts = np.sort(rng.random((count, 2)), axis=1)
    shares = np.stack([cuts[:, 0], cuts[:, 1] - cuts[:, 0], 1 - cuts[:, 1]], axis=1)
    points: npt.NDArray[np.float64] = (corners[chosen] * shares[:, :, None]).sum(axis=1)
    return points


def built(mesh: scenes.Mesh, settings: Settings, **more: Any) -> NavMesh:
    """With one more stage: the detail that its polygons have with the usual settings."""
    navmesh, kept = build_navmesh(*mesh, settings, keep_stages=True, **more), Settings()
    usual = replace(
        settings, detail_mesh=True, detail_sample_distance=kept.detail_sample_distance,
        detail_sample_max_error=kept.detail_sample_max_error,
    )  # fmt: skip
    other = navmesh if settings == usual else build_navmesh(*mesh, usual, keep_stages=True, **more)
    for stages, those in zip(_pieces(navmesh), _pieces(other), strict=True):
        if "detail_mesh" in those:
            assert np.array_equal(stages["polygon_mesh"].polygons, those["polygon_mesh"].polygons)
            stages["usual_detail"] = those["detail_mesh"]
    return navmesh


def _pieces(navmesh: NavMesh) -> list[dict[str, Any]]:
    return [navmesh.stages] if navmesh.tile_grid is None else list(navmesh.stages.values())


def compared(
    mesh: scenes.Mesh, settings: Settings, count: int = 200, **more: Any
) -> tuple[Counter[str], list[tuple[list[float], str, set[str]]]]:
    """How often each reason was given at random points, and where it is not what the stages say."""
    navmesh, level = built(mesh, settings, **more), WhyHere(*mesh, settings, **more)
    judgements, wrong = Counter[str](), []
    for point in on_surface(mesh, count, seed=11):
        lost = judged(navmesh, point)
        if lost is None:
            continue
        reason = level.ask(point.tolist())
        judgements[reason.code] += 1
        if reason.code not in lost.codes or reason.walkable != (reason.code == "WALKABLE"):
            wrong.append((point.tolist(), reason.code, lost.codes))
    return judgements, wrong


def different_windows(mesh: scenes.Mesh, settings: Settings, **more: Any) -> list[tuple[str, int, int]]:
    """The stage and the column of each random window that is not what its whole grid has there."""
    navmesh, recipe, rng = built(mesh, settings, **more), recipe_of(settings), np.random.default_rng(5)
    volumes = as_volumes(more.get("volumes", ()))
    tiles = [navmesh.stages] if navmesh.tile_grid is None else list(navmesh.stages.values())
    different = []
    with Workers(1) as workers:
        level = mark_ground(checked_geometry(*mesh, more.get("areas")), settings, workers)
        for stages in [tiles[i] for i in rng.integers(0, len(tiles), 4)]:
            grid = stages["grid"]
            for x, z in zip(*(rng.integers(0, side, 8).tolist() for side in (grid.width, grid.depth)), strict=True):
                window = window_around(grid, x, z, recipe)
                ours = ground_in_window(grid, level, recipe, volumes, window, workers)
                inside = (x - window.x0) + (z - window.z0) * (window.x1 - window.x0)
                for stage in sorted(set(ours) & set(stages)):
                    if _column(ours[stage], inside) != _column(stages[stage], x + z * grid.width):
                        different.append((stage, x, z))
    return different


def _column(bundle: Any, number: int) -> list[list[int]]:
    spans = slice(bundle.first[number], bundle.first[number + 1])
    names = ("bottom", "top", "area") if hasattr(bundle, "bottom") else ("floor", "clearance", "area")
    return [getattr(bundle, name)[spans].tolist() for name in names]


def judged(navmesh: NavMesh, point: npt.NDArray[np.float64]) -> Lost | None:
    """None where the point lies so close to a border between columns or tiles that rounding decides."""
    stages = _stages_at(navmesh, point)
    if stages is None:
        return None
    grid = stages["grid"]
    cells = (point - grid.bounds_min.astype(np.float64)) / [grid.cell_size, grid.cell_height, grid.cell_size]
    if np.abs(cells[[0, 2]] - np.round(cells[[0, 2]])).min() < 1e-3:
        return None
    x, z = int(cells[0]), int(cells[2])
    if x >= grid.width or z >= grid.depth:
        return Lost({"OUTSIDE_BOUNDS"}, (x, z), stages)
    solid, column = stages["rasterized"], x + z * grid.width
    spans = range(solid.first[column], solid.first[column + 1])
    held = [s for s in spans if solid.bottom[s] - 1e-3 <= cells[1] <= solid.top[s] + 1e-3]
    if len(held) != 1:
        return None
    return Lost(_codes(navmesh, stages, (x, z), held[0], cells), (x, z), stages)


def _stages_at(navmesh: NavMesh, point: npt.NDArray[np.float64]) -> dict[str, Any] | None:
    tile_grid = navmesh.tile_grid
    if tile_grid is None:
        return navmesh.stages
    side = tile_grid.size * float(tile_grid.cell_size)
    tiles = (point - tile_grid.bounds_min)[[0, 2]] / side
    if np.abs(tiles - np.round(tiles)).min() < 1e-3:
        return None
    found: dict[str, Any] | None = navmesh.stages.get(f"t{int(tiles[0])}_{int(tiles[1])}")
    return found


def _codes(
    navmesh: NavMesh, stages: dict[str, Any], place: tuple[int, int], span: int, cells: npt.NDArray[np.float64]
) -> set[str]:
    """The codes that are right for the first stage after which the span is not walkable."""
    climb = navmesh.settings.in_voxels().climb_vx
    solid, grid = stages["rasterized"], stages["grid"]
    deep = solid.top[span] - cells[1]
    if deep > climb + 1 and not stages["low_hanging"].area[span]:
        return TRIANGLES
    if stages["low_hanging"].area[span] == 0:
        return TRIANGLES
    # A point so deep below the top that the triangle's own top may be beyond the climb, too.
    covered = {"COVERED"} if deep > climb else set()
    if stages["ledges"].area[span] == 0:
        ring = place[0] in (0, grid.width - 1) or place[1] in (0, grid.depth - 1)
        return covered | ({"OUTSIDE_BOUNDS"} if ring else {"LEDGE", "UNEVEN"})
    if stages["low_height"].area[span] == 0:
        return covered | {"LOW_CEILING"}
    compact = stages["compact"]
    column = place[0] + place[1] * grid.width
    (number,) = [
        s for s in range(compact.first[column], compact.first[column + 1]) if compact.floor[s] == solid.top[span]
    ]
    for stage, code in (("eroded", "TOO_CLOSE"), ("marked", "MARKED")):
        if stage in stages and stages[stage].area[number] == 0:
            return covered | {code}
    if stages["regions"].region[number] == 0:
        return covered | {"REGION_TOO_SMALL", "POLYGON_DROPPED"}
    return covered | _of_polygons(stages, number, cells, navmesh.settings)


def _of_polygons(stages: dict[str, Any], span: int, cells: npt.NDArray[np.float64], settings: Settings) -> set[str]:
    """Whether a polygon of the span's ground lies over the point: of its region, or at its height with its area.

    How high one of another region lies there is told by its corners, as triangles around the first of them, and by the
    detail that the usual settings give it, whatever those of the build are.
    """
    ground = stages.get("marked", stages.get("median", stages["eroded"]))
    mesh, border, reach = stages["polygon_mesh"], stages["grid"].border, settings.in_voxels().climb_vx + 2
    x, z = cells[0] - border, cells[2] - border
    for number, (polygon, region, area) in enumerate(zip(mesh.polygons, mesh.region, mesh.area, strict=True)):
        corners = mesh.vertices[polygon[polygon != 0xFFFF]].astype(np.float64)
        ring = list(zip(corners, np.roll(corners, -1, axis=0), strict=True))
        turns = [(b[0] - a[0]) * (z - a[2]) - (b[2] - a[2]) * (x - a[0]) for a, b in ring]
        if min(turns) < -1e-6 and max(turns) > 1e-6:
            continue
        near = np.abs(corners[:, 1] - cells[1]).min() < 8
        if region == stages["regions"].region[span] or (near and region == 0):
            return {"WALKABLE"}
        if area == ground.area[span]:
            flat = [corners[[0, k, k + 1]] for k in range(1, len(corners) - 1)]
            heights = [*_heights(flat, x, z), *_detail_heights(stages, number, cells)]
            if any(abs(height - int(ground.floor[span])) <= reach for height in heights):
                return {"WALKABLE"}
    return NO_POLYGON


def _detail_heights(stages: dict[str, Any], polygon: int, cells: npt.NDArray[np.float64]) -> list[float]:
    """The heights, in voxels, of a polygon's detail triangles over or under the point."""
    detail, grid = stages["usual_detail"], stages["grid"]
    vertex, _, triangle, count = detail.meshes[polygon].tolist()
    corners = detail.vertices[vertex + detail.triangles[triangle : triangle + count, :3].astype(np.int64)]
    corners = (corners - grid.bounds_min.astype(np.float64)) / [grid.cell_size, grid.cell_height, grid.cell_size]
    return _heights(list(corners), cells[0], cells[2])


def _heights(triangles: list[npt.NDArray[np.float64]], x: float, z: float) -> list[float]:
    """Of those that lie over or under a place."""
    heights = []
    for a, b, c in triangles:
        sides = np.array([[b[0] - a[0], c[0] - a[0]], [b[2] - a[2], c[2] - a[2]]])
        if abs(np.linalg.det(sides)) > 1e-9:
            to_b, to_c = np.linalg.solve(sides, [x - a[0], z - a[2]])
            if min(to_b, to_c, 1 - to_b - to_c) >= -1e-6:
                heights.append(float(a[1] + to_b * (b[1] - a[1]) + to_c * (c[1] - a[1])))
    return heights
