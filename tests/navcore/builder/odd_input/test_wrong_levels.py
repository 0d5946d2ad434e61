"""Levels turned over, in other units, with another axis up, with strays and skies: a code, a place, a way out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from navcore import BadInput, NothingWalkable, Settings, TooLarge, build_navmesh, rebuild_tiles
from navcore.build_warning import BuildWarning
from navcore.builder.checked_input import CheckedLevel, checked_bounds, checked_geometry
from navcore.builder.odd_input import InputLook
from tests import scenes
from tests.navcore.builder.odd_input.sane_levels import KINDS, sane_level, sheet, turned_over
from tests.scenes import Mesh

ODD = {
    "CLIMB_ABOVE_HEIGHT", "CLIMB_BELOW_CELL", "EDGE_ERROR_TOO_LARGE", "FACES_DOWN", "HEIGHT_BELOW_CELLS",
    "INDICES_FROM_ONE", "NO_FLAGS", "OUTLIER", "SLOPE_IN_RADIANS", "VOLUME_UNUSED", "WRONG_AXIS", "WRONG_UNIT",
}  # fmt: skip
AGENTS: tuple[dict[str, float], ...] = (
    {},
    {"agent_height": 0.5, "agent_radius": 0.2, "agent_max_climb": 0.2, "cell_size": 0.1, "cell_height": 0.05},
    {"agent_height": 4.0, "agent_radius": 1.5, "cell_size": 0.6, "cell_height": 0.3},
    {"agent_max_slope": 60.0},
)
SEEDS = 6  # 30 and more were looked at once


def told(mesh: Mesh, bounds: Any = None, **settings: Any) -> list[BuildWarning]:
    """What a build would say of a level, without building it."""
    level = CheckedLevel(checked_geometry(*mesh, None), bounds=checked_bounds(bounds))
    return InputLook(level, Settings(**settings)).warnings


def codes(mesh: Mesh, **settings: Any) -> set[str]:
    return {warning.code for warning in told(mesh, **settings)}


def scaled(mesh: Mesh, times: float) -> Mesh:
    return (mesh[0] * np.float32(times)).astype(np.float32), mesh[1]


def z_up(mesh: Mesh) -> Mesh:
    """As a file whose z is up holds it."""
    x, y, z = mesh[0].T
    return np.stack([x, -z, y], axis=1), mesh[1]


def stray(mesh: Mesh, *places: tuple[float, float, float]) -> Mesh:
    """With a triangle of a metre at each place."""
    extra = [
        (np.array([p, np.add(p, (0, 0, 1)), np.add(p, (1, 0, 0))], np.float32), np.array([[0, 1, 2]])) for p in places
    ]
    return scenes.join([mesh, *extra])


# --- sane levels


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_said_of_sane_levels(kind: str) -> None:
    for seed in range(SEEDS):
        for agent in AGENTS:
            assert told(sane_level(kind, seed), **agent) == [], (seed, agent)


# --- faces


@pytest.mark.parametrize("kind", ["terrain", "town", "house", "slopes", "open_boxes"])
def test_levels_that_are_turned_over_are_told_with_area_share_and_place(kind: str) -> None:
    for seed in range(SEEDS):
        mesh = sane_level(kind, seed)
        found = {warning.code: warning for warning in told(turned_over(mesh))}
        assert set(found) == {"FACES_DOWN"}, seed
        assert found["FACES_DOWN"].place is not None and " m² of ground (" in found["FACES_DOWN"].message
        mirrored = (mesh[0] * np.array([-1, 1, 1], np.float32), mesh[1])  # by a matrix that nobody undid
        assert codes(mirrored) == {"FACES_DOWN"}, seed


def test_one_of_two_triangles_is_half_of_the_ground() -> None:
    points, triangles = sheet(0, 0, 20, 20, 0.0)
    triangles = triangles.copy()
    triangles[1] = triangles[1][[0, 2, 1]]
    navmesh = build_navmesh(points, triangles)
    (warning,) = navmesh.report.warnings
    assert warning.code == "FACES_DOWN" and warning.place is not None
    words = warning.message.split()
    assert abs(float(words[1]) - 200) < 10 and any(share in warning.message for share in ("(49 %", "(50 %", "(51 %"))
    corners = points[triangles[1]]
    x, _, z = warning.place
    assert corners[:, 0].min() <= x <= corners[:, 0].max() and corners[:, 2].min() <= z <= corners[:, 2].max()


@pytest.mark.parametrize("height", [3.5, 8.0])
def test_a_floor_below_a_right_one_is_told(height: float) -> None:
    lower = sheet(0, 0, 20, 20, 0.0, 2)
    assert codes(scenes.join([turned_over(lower), sheet(0, 0, 20, 20, height)])) == {"FACES_DOWN"}
    assert codes(scenes.join([lower, sheet(0, 0, 20, 20, height)])) == set()


def test_part_of_a_level_is_told_and_its_ceilings_are_not() -> None:
    """A half of the slab of a town; the floor of one room of three, whose ceilings look down rightly."""
    points, triangles = scenes.city(2)
    ground = (points[triangles][:, :, 1] == 0).all(axis=1)
    triangles = triangles.copy()
    triangles[np.flatnonzero(ground)[:1]] = triangles[np.flatnonzero(ground)[:1]][:, [0, 2, 1]]
    assert codes((points, triangles)) == {"FACES_DOWN"}
    rooms = [turned_over(scenes.box(10.5 * k, 0, 0, 10, 3, 10)) for k in range(3)]
    points, triangles = rooms[0]
    floor = (points[triangles][:, :, 1] == 0).all(axis=1)
    triangles = triangles.copy()
    triangles[floor] = triangles[floor][:, [0, 2, 1]]
    found = told(scenes.join([(points, triangles), *rooms[1:]]))
    assert [warning.code for warning in found] == ["FACES_DOWN"]
    place = found[0].place
    assert place is not None and 0 < place[0] < 10


def test_areas_of_no_ground_are_not_missed() -> None:
    points, triangles = turned_over(scenes.flat(20))
    geometry = checked_geometry(points, triangles, np.zeros(len(triangles), np.uint8))
    assert InputLook(CheckedLevel(geometry), Settings()).warnings == []


# --- what lies far away


@pytest.mark.parametrize("place", [(5000, 0, 0), (0, 3000, 0), (-900, 0, 1200), (0, 0, -20_000)])
def test_a_stray_triangle_is_named_with_its_place(place: tuple[float, float, float]) -> None:
    (warning,) = told(stray(scenes.city(2), place))
    assert warning.code == "OUTLIER" and warning.place is not None
    assert np.linalg.norm(np.subtract(warning.place, place)) < 2


def test_several_strays_at_several_distances_are_named() -> None:
    places = [(5000.0, 0.0, 0.0), (-50_000.0, 0.0, 0.0)]
    found = told(stray(scenes.city(2), *places))
    assert [warning.code for warning in found] == ["OUTLIER"] * 2
    assert told(stray(scenes.city(2), *places), bounds=[0, -2, 0, 32, 10, 32]) == [], "bounds leave them out"


@pytest.mark.parametrize("inwards", [True, False])
@pytest.mark.parametrize("size", [200.0, 4000.0])
def test_a_sky_is_told(size: float, inwards: bool) -> None:
    sky = scenes.box(16 - size / 2, -size / 2, 16 - size / 2, size, size, size)
    (warning,) = told(scenes.join([scenes.city(2), turned_over(sky) if inwards else sky]))
    assert warning.code == "OUTLIER" and "as a sky does" in warning.message


def test_a_vertex_that_nobody_uses_is_told_where_it_is_far_away() -> None:
    points, triangles = scenes.city(2)
    (warning,) = told((np.concatenate([points, [[7000, 0, 0]]]).astype(np.float32), triangles))
    assert warning.code == "OUTLIER" and warning.place == (7000, 0, 0)


# --- units, axes, indices


@pytest.mark.parametrize(
    ("times", "unit"), [(100, "cm"), (1000, "mm"), (39.37, "in"), (10, "--scale 0.1"), (3.2808, "ft")]
)
def test_units_are_told_by_rooms_and_steps(times: float, unit: str) -> None:
    for mesh in (scenes.stairs(), scenes.tower(5)):
        (warning,) = told(scaled(mesh, times))
        assert warning.code == "WRONG_UNIT" and unit in warning.message
    assert told(scaled(scenes.terrain(30), times)) == [], "open ground tells nothing"


def test_quake_units_are_told_by_their_grid() -> None:
    parts = [scenes.box(0, -16, 0, 640, 16, 640)]
    parts += [scenes.box(64 * k, 128, 0, 56, 16, 640) for k in range(9)]
    (warning,) = told(scenes.join(parts))
    assert warning.code == "WRONG_UNIT" and "--unit quake" in warning.message


@pytest.mark.parametrize("mesh", [scenes.city(2), scenes.stairs(), scenes.terrain(30), scenes.flat(20)])
def test_another_axis_is_told(mesh: Mesh) -> None:
    found = told(z_up(mesh))
    assert [warning.code for warning in found] == ["WRONG_AXIS"] and "--up z" in found[0].message


def test_indices_from_one_are_told() -> None:
    points, triangles = scenes.city(2)
    spare = np.zeros((1, 3), np.float32)
    for vertices in (np.concatenate([spare, points]), np.concatenate([points, spare])):
        (warning,) = told((vertices, triangles + 1))
        assert warning.code == "INDICES_FROM_ONE"
    with pytest.raises(BadInput, match="count from 1") as refused:
        build_navmesh(points, triangles + 1)
    assert refused.value.code == "INDEX_OUT_OF_RANGE"


# --- what errors begin with


def test_too_large_begins_with_the_cause() -> None:
    with pytest.raises(TooLarge, match=r"^1 triangle lies 49,968 m.* \(OUTLIER\) The grid .*\.$") as refused:
        build_navmesh(*stray(scenes.city(2), (50_000, 0, 0)))
    assert refused.value.code == "TOO_LARGE" and "aise " not in str(refused.value)
    assert [warning.code for warning in refused.value.warnings] == ["OUTLIER"]
    with pytest.raises(TooLarge, match=r"centimetres.*--unit cm.*\(WRONG_UNIT\)"):
        build_navmesh(*scaled(scenes.stairs(), 100), Settings(tile_size=0, cell_size=0.3))


@pytest.mark.parametrize("tile_size", [0, 32])
def test_nothing_walkable_begins_with_the_cause(tile_size: int) -> None:
    settings = Settings(tile_size=tile_size)
    with pytest.raises(NothingWalkable, match=r"^About 400 m² of ground \(100 %.* \(FACES_DOWN\) Nothing is walkable"):
        build_navmesh(*turned_over(scenes.flat(20)), settings)
    with pytest.raises(NothingWalkable, match=r"^z seems to be.*--up z\)\. \(WRONG_AXIS\)"):
        build_navmesh(*z_up(scenes.terrain(30)), settings)
    with pytest.raises(NothingWalkable, match=r"^Is the level 100 times too small\?.*WRONG_UNIT.*Every floor is"):
        build_navmesh(
            *scaled(scenes.tower(5), 0.01), Settings(tile_size=tile_size, cell_size=0.02, agent_max_climb=0.01)
        )


def test_slope_0_and_areas_of_0_are_named() -> None:
    points, triangles = scenes.flat(20)
    with pytest.raises(NothingWalkable, match="Max Slope is 0°"):
        build_navmesh(points, triangles, Settings(agent_max_slope=0), areas=[3, 3])
    with pytest.raises(NothingWalkable, match="have area 0"):
        build_navmesh(points, triangles, areas=[0, 0])


def test_tiles_that_are_built_again_say_it_as_well() -> None:
    points, triangles = scenes.flat(20)
    navmesh = build_navmesh(points, triangles, Settings(tile_size=32))
    assert navmesh.report.warnings == []
    half = triangles.copy()
    half[1] = half[1][[0, 2, 1]]
    again = rebuild_tiles(navmesh, [0, -1, 0, 20, 1, 20], points, half)
    assert [warning.code for warning in again.report.warnings] == ["FACES_DOWN"]


# --- whoever looks, and whenever


def _odd_ways(threads: int, mesh: Mesh, **settings: Any) -> list[tuple[str, str, Any]]:
    """All that a build says, of what comes of it or of why nothing does."""
    volume = {"shape": "box", "area": 2, "min": [900, 0, 900], "max": [901, 1, 901]}
    given = Settings(**{"agent_max_climb": 3.0, **settings})
    try:
        found = build_navmesh(*mesh, given, volumes=[volume], threads=threads).report.warnings
        said = ""
    except (NothingWalkable, TooLarge) as reason:
        found, said = list(reason.warnings), str(reason)
    return [*((warning.code, warning.message, warning.place) for warning in found), ("", said, None)]


@pytest.mark.parametrize(
    ("mesh", "settings"),
    [
        (scenes.tower(4), {}),
        (turned_over(scenes.plaza(4)), {}),
        (stray(scenes.plaza(4), (4000.0, 0.0, 0.0)), {}),
        (z_up(scenes.tower(4)), {}),
        (turned_over(scenes.flat(8.0)), {}),
        (scenes.plaza(4), {"tile_size": 32}),
    ],
    ids=["sound", "down", "stray", "z up", "nothing", "tiles"],
)
def test_a_helper_that_looks_changes_nothing_of_what_is_said(mesh: Mesh, settings: dict[str, Any]) -> None:
    """On several threads a helper looks while one alone has something to do; where it does not come to that, we do."""
    one = _odd_ways(1, mesh, **settings)
    assert one[0][0] == "CLIMB_ABOVE_HEIGHT"
    for threads in (2, 3):
        for _ in range(3):
            assert _odd_ways(threads, mesh, **settings) == one
