"""Mending: what Recast leaves broken becomes sound, and what is sound stays as it is, to the bit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from navcore import NavMesh, Settings, build_navmesh
from navcore.__main__ import main
from navcore.builder import pipeline
from navcore.builder.repair import BrokenMesh
from navcore.builder.repair.repair_steps import redrawn_details
from navcore.builder.repair.sharper_outlines import sharpened, with_level_corners
from navcore.builder.validate import Findings, PolygonSources
from navcore.formats.mset import mset_bytes
from navcore.formats.stage_dump import dumped
from navcore.stages.contours import build_contours
from navcore.stages.detail import build_detail_mesh
from navcore.stages.polygons import PolygonMemory
from navcore.threads import Workers
from navcore.types import Contours, DetailMesh, Grid, Regions
from tests import scenes
from tests.golden import scene_builds
from tests.validated import validate

from ...dumps import same_bytes
from ..stages.regions.region_worlds import drawn

VOLUME = {"shape": "box", "area": 5, "min": [-7, -1, -7], "max": [-5, 1, -5]}


def pieces(navmesh: NavMesh) -> list[dict[str, Any]]:
    """The stages of every tile."""
    found = [navmesh.stages] if navmesh.tile_grid is None else list(navmesh.stages.values())
    return [stages for stages in found if len(stages["polygon_mesh"].polygons)]


def violations(navmesh: NavMesh) -> list[str]:
    climb_vx = navmesh.settings.in_voxels().climb_vx
    found = []
    for stages in pieces(navmesh):
        compact = next(stages[name] for name in ("marked", "median", "eroded") if name in stages)
        ground = PolygonSources(compact, stages["regions"], stages["contours"])
        found += validate(stages["polygon_mesh"], stages.get("detail_mesh"), ground, climb_vx)
    return [violation.code for violation in found]


def codes(navmesh: NavMesh) -> set[str]:
    return {warning.code for warning in (*navmesh.report.warnings, *navmesh.report.notes)} - {"CLIMB_ABOVE_HEIGHT"}


@pytest.mark.parametrize(
    "build", [build for _, build in scene_builds.builds()], ids=[n for n, _ in scene_builds.builds()]
)
def test_sound_scenes_are_the_same_bytes_and_the_others_are_mended(build: dict[str, Any]) -> None:
    mesh, settings, extra = scene_builds.inputs(build)
    as_recast = build_navmesh(*mesh, settings, keep_stages=True, **extra)
    mended = build_navmesh(*mesh, Settings(**settings.to_mapping() | {"repair": True}), keep_stages=True, **extra)
    broken = violations(as_recast)
    assert violations(mended) == []
    assert ("BROKEN" in codes(as_recast)) == ("REPAIRED" in codes(mended)) == bool(broken)
    if not broken:
        before, after = dumped(as_recast), dumped(mended)
        assert before.keys() == after.keys()
        assert all(before[name].tobytes() == after[name].tobytes() for name in before)


CROWDED = {"agent_height": 0.6, "agent_radius": 0, "agent_max_climb": 0.9, "region_min_size": 0, "region_merge_size": 0}


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    ("seed", "partition", "left_out"),
    [(1, "monotone", False), (305, "layers", False), (852, "watershed", False), (498, "watershed", True)],
)
def test_floors_closer_than_a_climb_are_mended(seed: int, partition: str, left_out: bool, threads: int) -> None:
    """They take every step there is: smaller errors, regions divided in all ways, at last single cells left out."""
    broken, mended = (
        build_navmesh(
            *scenes.slabs(seed),
            Settings(partition=partition, repair=repair, **CROWDED),
            keep_stages=True,
            threads=threads,
        )
        for repair in (False, True)
    )
    assert violations(broken) and "BROKEN" in codes(broken)
    assert violations(mended) == []
    assert codes(mended) == ({"REPAIRED", "GROUND_LEFT_OUT"} if left_out else {"REPAIRED"})
    ground = [int((navmesh.stages["regions"].region != 0).sum()) for navmesh in (broken, mended)]
    assert (ground[1] < ground[0]) == left_out and ground[1] > 0.9 * ground[0]


def never(*_: object) -> bool:
    return False


@pytest.mark.parametrize("tile_size", [0, 64])
def test_what_cannot_be_mended_fails_with_its_place_and_files_that_show_it_again(
    tile_size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(tile_size=tile_size)
    monkeypatch.setattr("navcore.builder.repair.RepairSteps.advance", never)
    with pytest.raises(BrokenMesh) as caught:
        build_navmesh(*scenes.spiral(1.5), settings, failures=tmp_path, volumes=[VOLUME], threads=1)
    assert caught.value.code == "BROKEN_MESH"
    said = str(caught.value)
    assert "near (" in said and ("Tile (" in said) == (tile_size > 0)
    (mesh,) = tmp_path.glob("*.npz")
    assert str(mesh) in said
    arguments = [mesh, "--settings", mesh.with_suffix(".json"), "--scene", mesh.with_suffix(".scene.json")]
    report = tmp_path / "report.json"
    assert main(["build", *map(str, arguments), "--failures", str(tmp_path), "--report", str(report)]) == 1
    written = json.loads(report.read_text())
    assert written["error"] == {"code": "BROKEN_MESH", "message": said}
    assert len(list(tmp_path.glob("*.npz"))) == 1, "the same failure takes no more room"


def test_a_failure_that_cannot_be_kept_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("navcore.builder.repair.RepairSteps.advance", never)
    with pytest.raises(BrokenMesh, match="could not be kept"):
        build_navmesh(*scenes.spiral(1.5), failures=tmp_path / "missing")


def test_our_own_folder_keeps_the_newest_failures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("navcore.builder.repair.RepairSteps.advance", never)
    monkeypatch.setattr("navcore.builder.failure_files.users_cache_folder", lambda: tmp_path)
    monkeypatch.setattr("navcore.builder.failure_files._MAX_CASES", 2)
    for edge in (0.0, 5.0, 12.0):
        with pytest.raises(BrokenMesh):
            build_navmesh(*scenes.spiral(1.5), Settings(edge_max_length=edge))
    assert len(list((tmp_path / "navmesh-failures").iterdir())) == 2 * 3


def test_a_warning_tells_where_something_was_mended() -> None:
    navmesh = build_navmesh(*scenes.spiral(1.5))
    mended = [warning for warning in navmesh.report.to_mapping()["notes"] if warning["code"] == "REPAIRED"]
    assert mended and navmesh.report.warnings == [], "nobody has to act"
    low, high = np.min(scenes.spiral(1.5)[0], axis=0) - 1, np.max(scenes.spiral(1.5)[0], axis=0) + 3
    for warning in mended:
        assert (low <= warning["place"]).all() and (warning["place"] <= high).all()


@pytest.mark.parametrize("mesh", [scenes.city(2, seed=6), scenes.city(8)], ids=["small", "large"])
def test_mending_begins_with_the_outlines_that_are_there(mesh: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are not walked again as long as ground and regions stay what they were, and nothing else comes out."""
    walks: list[Regions] = []
    outlined: list[Regions] = []
    simplified, join = pipeline.simplified_outlines, pipeline.with_holes_joined

    def counted(compact: Any, regions: Regions, *rest: Any) -> Contours:
        walks.append(regions)
        return simplified(compact, regions, *rest)

    def joined(*arguments: Any) -> Contours:
        outlined.append(walks[-1])
        return join(*arguments)

    monkeypatch.setattr(pipeline, "simplified_outlines", counted)
    monkeypatch.setattr(pipeline, "with_holes_joined", joined)
    mended = build_navmesh(*mesh, Settings(), keep_stages=True)
    assert "REPAIRED" in codes(mended)
    assert 2 <= len(outlined) > len(walks)
    monkeypatch.setattr(pipeline._Outlines, "_of", lambda outlines, *of: _walked_again(outlines, simplified, *of))
    again = build_navmesh(*mesh, Settings(), keep_stages=True)
    one, other = dumped(mended), dumped(again)
    assert one.keys() == other.keys() and all(same_bytes(one[key], other[key]) for key in one)


def _walked_again(outlines: Any, simplified: Any, compact: Any, regions: Regions) -> Contours:
    recipe, border = outlines._recipe, outlines._grid.border
    error, splitting = recipe.voxels.edge_max_error_vx, recipe.polygons.splitting
    made: Contours = simplified(compact, regions, error, splitting, border, outlines._workers)
    return made


class Forgetful(PolygonMemory):
    """One that has nothing."""

    before = property(lambda _: None, lambda *_: None)  # type: ignore[assignment]


SIZES = (("child", 0.4, 1.2), ("human", 0.6, 2.0), ("ogre", 1.2, 3.0))


@pytest.mark.parametrize(("tile_size", "sizes"), [(0, ()), (0, SIZES), (48, SIZES)])
@pytest.mark.parametrize("mesh", [scenes.city(2, seed=6), scenes.plaza(7)], ids=["city", "plaza"])
def test_what_mending_keeps_changes_nothing(
    mesh: Any, tile_size: int, sizes: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Polygons and rings of outlines that stay are those from before, and would be the same if they were made anew."""
    kept: list[bool] = []
    build = pipeline.build_polygon_mesh

    def counted(*arguments: Any) -> Any:
        kept.append(arguments[-1].before is not None)
        return build(*arguments)

    monkeypatch.setattr(pipeline, "build_polygon_mesh", counted)
    settings = Settings(tile_size=tile_size)
    mended = build_navmesh(*mesh, settings, sizes=sizes, threads=1)
    if not tile_size and "REPAIRED" in codes(mended):
        assert kept[:2] == [False, True]
    monkeypatch.setattr(pipeline, "PolygonMemory", Forgetful)
    monkeypatch.setattr(pipeline, "JoinedBefore", lambda *_: None)
    again = build_navmesh(*mesh, settings, sizes=sizes, threads=1)
    assert mset_bytes(mended) == mset_bytes(again) and mended.report.notes == again.report.notes


# --- one part of it after the other


def two_regions() -> Contours:
    """Six by six cells, cut along a staircase: region 1 is on and above the diagonal, region 2 below it."""
    compact, zero = drawn("/".join(["######"] * 6)), np.zeros(3, np.float32)
    region = np.where(np.arange(6) >= np.arange(6)[:, None], 1, 2).astype(np.uint16).ravel()
    grid = Grid(6, 6, 0, zero, zero, np.float32(1), np.float32(1))
    with Workers(1) as workers:
        return build_contours(grid, compact, Regions(region, 2), np.float32(0.5), (0, True, False), workers)


def outline(contours: Contours, k: int) -> set[tuple[int, int]]:
    points = contours.points[contours.first[k] : contours.first[k + 1]]
    return {(x, z) for x, _, z, _ in points.tolist()}


STEPS = {(k, k) for k in range(1, 6)} | {(k, k + 1) for k in range(6)}  # along which the regions meet
CORNERS = {(0, 0), (6, 0), (6, 6)}  # of region 1 elsewhere


def test_an_edge_between_regions_is_sharpened_alike_on_both_sides() -> None:
    contours = two_regions()
    assert contours.region.tolist() == [1, 2]
    assert outline(contours, 0) == CORNERS | {(0, 1), (5, 6)} and outline(contours, 1) == {(0, 1), (0, 6), (5, 6)}
    untouched = sharpened(contours, np.full(3, np.inf, np.float32), 10)
    assert all(same_bytes(a, b) for a, b in zip(untouched, contours, strict=True))
    for error in ([0, np.inf, 0], [0, 0, np.inf]):
        found = sharpened(contours, np.array(error, np.float32), 10)
        assert outline(found, 0) - CORNERS == outline(found, 1) - {(0, 6)} == STEPS
    loose = sharpened(contours, np.array([0, 2, 2], np.float32), 10)
    assert outline(loose, 0) == outline(contours, 0) and outline(loose, 1) == outline(contours, 1)
    every = sharpened(contours, np.array([0, np.inf, -1], np.float32), 10)
    assert outline(every, 1) == STEPS | {(0, z) for z in range(1, 7)} | {(x, 6) for x in range(6)}
    assert outline(every, 0) == STEPS | CORNERS, "its other edges are not touched"


def test_an_outline_that_meets_no_region_keeps_its_extreme_points() -> None:
    contours, no_links = two_regions(), np.array([1, 1, 1, 0], np.int32)
    alone = contours._replace(
        first=contours.first[:2], points=contours.points[: contours.first[1]] * no_links,
        raw_first=contours.raw_first[:2], raw=contours.raw[: contours.raw_first[1]] * no_links,
        region=contours.region[:1], area=contours.area[:1],
    )  # fmt: skip
    assert outline(alone, 0) == CORNERS | {(0, 1), (5, 6)}
    assert outline(sharpened(alone, np.array([0, 0], np.float32), 10), 0) == STEPS | CORNERS


def test_points_of_one_place_get_one_height_where_their_regions_meet() -> None:
    """Unless a floor lies between them, or regions do not touch: those keep their own."""

    def heights(*floors: int, height_vx: int = 10, links: tuple[int, ...] = (2, 1)) -> list[int]:
        corners = [(0, 0), (0, 4), (4, 0)]
        points = [(x, y, z, link) for y, link in zip(floors, links, strict=True) for x, z in corners]
        first = np.arange(len(floors) + 1, dtype=np.int32) * 3
        count = len(floors)
        rings = np.array(points, np.int32)
        region, area = np.arange(1, count + 1, dtype=np.uint16), np.full(count, 63, np.uint8)
        contours = Contours(first, rings, first, rings, region, area)
        found = with_level_corners(contours, np.array([1, *[0] * (count - 1)], np.uint8), height_vx).points
        assert (found[:, [0, 2, 3]] == rings[:, [0, 2, 3]]).all()
        return found[::3, 1].tolist()

    assert heights(5, 8) == [8, 8]
    assert heights(5, 80) == [80, 80], "all that lie there touch each other"
    assert heights(5, 8, links=(0, 0)) == [5, 8]
    assert heights(5, 8, 90, links=(2, 3, 2)) == [8, 8, 90], "1 and 3 do not touch, and are too far apart"
    assert heights(5, 8, 90, links=(2, 3, 2), height_vx=100) == [90, 90, 90]


def test_detail_that_is_wrong_is_drawn_anew_and_no_other() -> None:
    """With larger errors first, at last between the polygon's own corners."""
    settings = Settings(partition="monotone", detail_sample_distance=1, detail_sample_max_error=0.1, **CROWDED)
    hill = scenes.terrain(17, seed=2)
    navmesh = build_navmesh(*hill, settings, keep_stages=True, threads=1)
    mesh, detail = navmesh.stages["polygon_mesh"], navmesh.stages["detail_mesh"]
    compact, voxels = navmesh.stages["eroded"], settings.in_voxels()
    worst = int(detail.meshes[:, 1].argmax())
    most = int(detail.meshes[worst, 1])
    assert len(mesh.polygons) > 1 and most > 7

    def redrawn(allowed: int) -> tuple[DetailMesh, int]:
        """`worst` may have so many vertices."""
        looks = []

        def find(made: DetailMesh) -> Findings:
            looks.append(int(made.meshes[worst, 1]))
            polygons = np.zeros(len(mesh.polygons), np.uint32)
            polygons[worst] = looks[-1] > allowed
            return Findings(polygons, np.zeros(0, np.uint8), np.zeros(0, np.uint8), bool(polygons.any()))

        sampling = voxels.detail_sample_distance, voxels.detail_sample_max_error
        with Workers(1) as workers:
            made = redrawn_details(mesh, detail, sampling, (compact, navmesh.stages["regions"]), find, workers)
        return made, len(set(looks))

    assert all(same_bytes(a, b) for a, b in zip(redrawn(most)[0], detail, strict=True))
    with Workers(1) as workers:
        zero = np.float32(0)
        bare = build_detail_mesh(mesh, compact, navmesh.stages["regions"], zero, zero, workers)
    without, _ = redrawn(0)
    looser, steps = redrawn(most - 1)
    assert bare.meshes[worst, 1] < looser.meshes[worst, 1] < most and steps >= 2
    for polygon in range(len(mesh.polygons)):
        same = bare if polygon == worst else detail
        assert rows_of(without, polygon) == rows_of(same, polygon)
        if polygon != worst:
            assert rows_of(looser, polygon) == rows_of(detail, polygon)


def rows_of(detail: DetailMesh, polygon: int) -> tuple[Any, Any]:
    first, vertices, begin, triangles = detail.meshes[polygon].tolist()
    return detail.vertices[first:][:vertices].tolist(), detail.triangles[begin:][:triangles].tolist()
