"""For each reason the smallest scene where it is the answer; the change that it suggests makes the place walkable."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pytest

from navcore import BadInput, BoxVolume, NavQuery, Reason, Settings, WhyHere, build_navmesh, why
from navcore.codes import codes, rows_of
from tests import scenes

ISLANDS = scenes.join([scenes.flat(8), (scenes.flat(8)[0] + np.float32([14, 0, 0]), scenes.flat(8)[1])])


class Scene(NamedTuple):
    """A level, what is asked, and the answer that is expected."""

    mesh: scenes.Mesh
    at: tuple[float, float, float]
    settings: Settings = Settings()
    more: dict[str, Any] = {}  # noqa: RUF012 - never written to
    setting: str | None = None
    value: float | None = None
    said: str = ""


def slope(degrees: float, side: float = 10.0) -> scenes.Mesh:
    vertices, triangles = scenes.flat(side)
    vertices = vertices.copy()
    vertices[:, 1] = vertices[:, 0] * np.tan(np.radians(degrees))
    return vertices, triangles


def flipped() -> scenes.Mesh:
    vertices, triangles = scenes.flat(10)
    return vertices, np.ascontiguousarray(triangles[:, ::-1])


def strip(x: float, z: float, width: float, depth: float) -> scenes.Mesh:
    vertices, triangles = scenes.flat(1)
    return (vertices * [width, 1, depth] + [x, 0, z]).astype(np.float32), triangles


LINE = (np.float32([[4, 3, 5], [5, 3, 5], [6, 3, 5]]), np.int32([[0, 1, 2]]))
SPECK = scenes.join([scenes.flat(9), strip(4.5, 4.5, 0.29, 0.29)])
STRIP = (5.25, -6.63, 21.15)  # a row of cells along the border of a tile
CROWDED = Settings(
    repair=True, agent_height=0.6, agent_radius=0, agent_max_climb=0.9, region_min_size=0, region_merge_size=0
)

SCENES = {
    "WALKABLE": Scene(scenes.flat(10), (5, 0, 5)),
    "OUTSIDE_BOUNDS": Scene(scenes.flat(10), (-5, 0, 5), said="10.00 m by 10.00 m seen from above, ends 5 m from here"),
    "OUTSIDE_BOUNDS, ring": Scene(scenes.flat(10), (0.1, 0, 5), said="outermost"),
    "OUTSIDE_BOUNDS, height": Scene(
        scenes.join([scenes.flat(10), scenes.box(4, 5, 4, 2, 1, 2)]), (5, 6, 5), more={"bounds": [0, -1, 0, 10, 3, 10]}
    ),
    "NOTHING_HERE": Scene(scenes.flat(10), (5, 9, 5), said="within 2 m"),
    "TOO_STEEP": Scene(
        slope(50), (5, 6, 5), Settings(agent_max_climb=2), setting="agent_max_slope", value=50, said="at 50.0°"
    ),
    "FACES_DOWN": Scene(flipped(), (2.5, 0, 2.5), value=180),
    "DEGENERATE": Scene(scenes.join([scenes.flat(10), LINE]), (5, 3, 5.1), value=None),
    "COVERED": Scene(
        scenes.join([scenes.flat(12), scenes.box(5.1, -1, 5.1, 0.2, 2, 0.2)]), (5.2, 0, 5.2),
        setting="agent_max_climb", value=1,
    ),
    "LEDGE": Scene(
        scenes.join([scenes.flat(12), scenes.box(3, 0, 3, 6, 1, 6)]), (6, 1, 3.1),
        setting="agent_max_climb", value=1.0, said="Ledge: the ground drops 1.00 m to the north, the",
    ),
    "LEDGE, end": Scene(
        scenes.join([strip(0, 0, 12, 6), scenes.box(11, -0.1, 11, 1, 0.1, 1)]), (6, 0, 5.9), said="ends to the south"
    ),
    "UNEVEN": Scene(
        slope(45), (5, 6, 5), Settings(agent_max_climb=0.4, agent_max_slope=60), setting="agent_max_climb",
        said="From",
    ),
    "LOW_CEILING": Scene(
        scenes.join([scenes.flat(10), scenes.box(2, 1.5, 2, 6, 0.3, 6)]), (5, 0, 5), setting="agent_height", value=1.2,
        said="m of room, the agent needs 2.00 m",
    ),
    "TOO_CLOSE": Scene(scenes.flat(10), (0.75, 0, 5), setting="agent_radius", value=0.3, said="to the west"),
    "TOO_CLOSE, wall": Scene(
        scenes.join([scenes.flat(12), scenes.box(5.9, -1, 5.9, 1, 9, 1)]), (5.2, 0, 6.4), setting="agent_radius",
        said="to the east is a",
    ),
    "MARKED": Scene(
        scenes.flat(10), (5, 0, 5), more={"volumes": [BoxVolume(min=(3, -1, 3), max=(7, 1, 7), area=0)]},
        value=0, said="volume 0 (box)",
    ),
    "MARKED, triangle": Scene(scenes.flat(10), (2.5, 0, 2.5), more={"areas": [0, 63]}, value=0, said="triangle"),
    "REGION_TOO_SMALL": Scene(
        scenes.join([scenes.flat(12), strip(14, 0, 3.3, 3.3)]), (15.6, 0, 1.6), setting="region_min_size",
        said="and 64 are the least",
    ),
    "REGION_TOO_SMALL, cut by areas": Scene(
        scenes.join([scenes.flat(12), strip(14, 0, 4.2, 4.2)]), (14.75, 0, 2.1),
        more={"volumes": [BoxVolume(min=(15.8, -1, 1.8), max=(16.4, 1, 2.4), area=5)]},
        setting="region_min_size", said="this ground of 72 cells is cut by its areas and heights, the part here has",
    ),
    "REGION_TOO_SMALL, speck of an area": Scene(
        scenes.join([scenes.flat(12), strip(14, 0, 3, 3)]), (15.5, 0, 1.5),
        more={"volumes": [BoxVolume(min=(15.2, -1, 1.2), max=(15.8, 1, 1.8), area=5)]},
        setting="region_min_size", said="this island has 20 cells",
    ),
    "REGION_TOO_SMALL, strip": Scene(
        scenes.terrain(80, rise=0.2), STRIP, Settings(tile_size=16, region_min_size=0, agent_radius=0.3),
        setting="cell_size", said="too narrow for a region of its own",
    ),
    "OUTLINE_SIMPLIFIED": Scene(
        scenes.join([scenes.flat(15), strip(15, 6, 2.1, 3.9)]), (16, 0, 7.9), Settings(edge_max_error=8),
        setting="edge_max_error",
    ),
    "POLYGON_DROPPED": Scene(
        scenes.join([scenes.flat(40), strip(42, 0, 12, 2.7)]), (48, 0, 1.35),
        Settings(edge_max_error=20, edge_max_length=0, region_min_size=2), setting="edge_max_error",
    ),
    "POLYGON_DROPPED, repair": Scene(scenes.slabs(498), (1.05, 2.02, 1.65), CROWDED, setting="cell_size"),
    "UNREACHABLE": Scene(ISLANDS, (18, 0, 4), more={"seeds": [(4, 0, 4)]}, value=0, said="from the seed"),
}  # fmt: skip


@pytest.mark.parametrize("name", SCENES)
def test_the_smallest_scene(name: str) -> None:
    scene = SCENES[name]
    reason = ask(scene, scene.settings)
    assert reason.code == name.split(",")[0], reason
    assert scene.said.lower() in reason.sentence.lower() and reason.sentence.endswith(".")
    assert reason.setting == scene.setting and reason.walkable == (name == "WALKABLE")
    if scene.value is not None:
        assert reason.value == pytest.approx(scene.value, abs=1e-3)
    assert reason.code in codes()


@pytest.mark.parametrize("name", [name for name, scene in SCENES.items() if scene.setting])
def test_the_suggested_change_makes_it_walkable(name: str) -> None:
    scene = SCENES[name]
    reason = ask(scene, scene.settings)
    assert reason.setting is not None and reason.suggested is not None
    assert reason.next is None, "nothing is said to be behind it"
    changed = replace(scene.settings, **{reason.setting: reason.suggested})
    assert ask(scene, changed).walkable


@pytest.mark.parametrize(
    ("mesh", "at", "setting"),
    [
        (scenes.join([scenes.flat(12), scenes.box(5.1, -1, 5.1, 0.2, 4, 0.2)]), (5.2, 0, 5.2), "agent_max_climb"),
        (scenes.join([scenes.flat(12), scenes.box(3, 0, 3, 6, 2, 6)]), (6, 2, 3.1), "agent_max_climb"),
        (scenes.join([scenes.flat(12), scenes.box(5.9, -1, 5.9, 1, 9, 1)]), (5.5, 0, 6.4), "agent_radius"),
        (scenes.join([scenes.flat(10), scenes.box(2, 0.5, 2, 6, 0.3, 6)]), (5, 0, 5), "agent_height"),
    ],
)
def test_nothing_is_suggested_that_no_agent_is(mesh: scenes.Mesh, at: tuple[float, float, float], setting: str) -> None:
    """A climb of three metres for a pole, a radius of nothing at a tree."""
    reason = why(*mesh, Settings(), at=at)
    assert reason.setting == setting and reason.suggested is None and reason.next is None


def test_what_stands_in_the_way_is_named() -> None:
    ground, tree = scenes.flat(12), scenes.box(5.9, -1, 5.9, 1, 9, 1)
    reason = why(*scenes.join([ground, tree]), Settings(), at=(5.5, 0, 6.4))
    assert reason.obstacle is not None and reason.obstacle >= len(ground[1])
    assert why(*ground, Settings(), at=(0.75, 0, 5)).obstacle is None, "the end of the ground stands in nobody's way"


def ask(scene: Scene, settings: Settings) -> Reason:
    return why(*scene.mesh, settings, at=scene.at, **scene.more)


def test_every_code_of_the_table_is_an_answer() -> None:
    answered = {name.split(",")[0] for name in SCENES} | {"SMOOTHED"}
    answered |= {"NOT_GATHERED", "STALE"}  # Blender's, which knows objects and what changed
    answered |= {"NO_WAY", "REACHABLE", "OFF_NAVMESH"}  # of what must be there
    answered |= {"HOVERING", "INSIDE_SOLID"}  # of walkable places: test_odd_places.py
    answered |= {"DROPPED"}  # of islands: whole/test_dropped_islands.py
    assert {row.code for row in rows_of("reasons")} == answered


def test_smoothing_takes_no_place_away_but_tells_what_it_changed() -> None:
    areas = [3, 3, 5, 5]
    reason = why(*SPECK, Settings(median_filter=True), areas=areas, at=(4.6, 0, 4.6))
    assert reason.walkable and reason.code == "WALKABLE" and reason.next is not None
    assert (reason.next.code, reason.next.value, reason.next.limit) == ("SMOOTHED", 3, 5)
    assert reason.next.setting is None, "without smoothing it is a hole of one cell"
    assert why(*SPECK, Settings(), areas=areas, at=(4.6, 0, 4.6)).code == "POLYGON_DROPPED", "a hole of one cell"


def test_flat_ground_that_is_turned_over_is_walkable_once_it_is_flipped() -> None:
    assert ask(SCENES["FACES_DOWN"], Settings()).next is None
    assert why(*scenes.flat(10), at=(2.5, 0, 2.5)).walkable


def test_the_obstacle_behind_the_first_one_is_told() -> None:
    """Under a low roof, and at the rim of the ground."""
    mesh, bounds = scenes.join([scenes.flat(10), scenes.box(-1, 1.5, 2, 12, 0.3, 6)]), [-0.9, -1, 0, 9.9, 4, 9.9]
    reason = why(*mesh, Settings(), at=(0.1, 0, 5), bounds=bounds)
    assert reason.next is not None, reason
    assert (reason.code, reason.next.code) == ("LOW_CEILING", "TOO_CLOSE") and reason.next.next is None
    changed = replace(Settings(), **{str(reason.setting): reason.suggested})
    assert why(*mesh, changed, at=(0.1, 0, 5), bounds=bounds)._replace(next=None) == reason.next


def test_the_culprit_is_named() -> None:
    mesh = SCENES["LOW_CEILING"].mesh
    vertices, triangles = mesh
    culprit = ask(SCENES["LOW_CEILING"], Settings()).triangle
    assert culprit is not None and vertices[triangles[culprit], 1].max() == np.float32(1.5), "the underside of the roof"


def test_seeds_that_reach_a_place_leave_it_walkable() -> None:
    scene = SCENES["UNREACHABLE"]
    assert why(*scene.mesh, at=scene.at, seeds=[(18, 0, 4)]).walkable
    link = {"start": [7, 0, 4], "end": [15, 0, 4], "radius": 0.6, "bidirectional": False, "id": 1}
    assert why(*scene.mesh, at=scene.at, seeds=[(4, 0, 4)], links=[link]).walkable


def test_a_level_is_prepared_once_and_asked_many_times() -> None:
    level = WhyHere(*scenes.flat(10), Settings(tile_size=16))
    assert [level.ask(at).code for at in ((5, 0, 5), (0.1, 0, 5), (5, 9, 5), (5, 0, 5))] == [
        "WALKABLE", "LEDGE", "NOTHING_HERE", "WALKABLE",
    ]  # fmt: skip


@pytest.mark.parametrize("at", [(1, 2), "somewhere", (1, float("nan"), 2), None])
def test_what_is_no_point_is_refused(at: Any) -> None:
    with pytest.raises(BadInput, match="A point must be"):
        why(*scenes.flat(10), at=at)


def test_what_a_polygon_of_the_next_region_covers_is_walkable() -> None:
    """Between two regions a border is one straight line, which here leaves the cells' border by twelve cells."""
    floor = np.array([[-10, 0, 10], [10, 0, 10], [10, 0, -10], [-10, 0, -10]], np.float32), [[0, 1, 2], [0, 2, 3]]
    ramp = np.array([[-9, 0, 9], [-5, 6, 9], [-5, 6, 5], [-9, 0, 5]], np.float32), [[0, 1, 2], [0, 2, 3]]
    mesh = scenes.join([(floor[0], np.array(floor[1])), scenes.box(4, 0, -6, 2, 2, 2), (ramp[0], np.array(ramp[1]))])
    settings = Settings(cell_size=1 / 6, cell_height=0.1, agent_radius=0.5, agent_max_climb=0.4)
    for x in np.linspace(-4, 2, 13):
        for z in np.linspace(-3, 3, 7):
            assert why(*mesh, settings, at=(x, 0, z)).walkable, (x, z)


def test_a_hill_under_the_polygon_of_the_next_region_is_walkable_where_only_its_detail_follows_the_ground() -> None:
    mesh, settings = scenes.terrain(120, step=0.6, rise=0.09), Settings(edge_max_length=0)
    point = mesh[0][95 * 120 + 54]
    (near,) = NavQuery(build_navmesh(*mesh, settings)).nearest([point], extents=(0.05, 1.2, 0.05)).points
    assert np.abs(near - point)[1] < 1.2, "the finished navmesh lies there"
    assert why(*mesh, settings, at=point.tolist()).walkable
