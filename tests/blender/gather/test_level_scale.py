"""A level that was drawn in centimetres: told by its rooms, scaled by a factor of the setup, and the same navmesh."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.blender.scenes import add_cube, add_plane, two_floors

CM = 100.0


def add_level(bpy: Any, times: float) -> None:
    """A floor, a step to climb, a room of 2.7 m and a pool; drawn `times` as large as it is.

    Nothing but the floor lies on a border of cells, where rounding would decide.
    """
    add_plane(bpy, size=20 * times)
    for name, at, half in (
        ("Step", (6, 0, 0.125), (2, 3, 0.125)),
        ("Roof", (-5.05, -5.05, 2.83), (4, 4, 0.1)),
        ("Block", (5, 7, 1.53), (1, 1, 1.53)),
    ):
        cube = add_cube(bpy, name, [part * times for part in at])
        cube.scale = [part * times for part in half]
    pool = add_cube(bpy, "Pool", [-5 * times, 6 * times, 0])
    pool.scale, pool.navmesh.use, pool.navmesh.area = [2 * times] * 3, "VOLUME", 1
    bpy.context.scene.navmesh.draft.scope = "VISIBLE"
    bpy.context.view_layer.update()


def content(bpy: Any, name: str = "Navmesh") -> tuple[Any, Any]:
    mesh = bpy.data.objects[name].data
    points = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", points)
    return points.reshape(-1, 3), [tuple(polygon.vertices) for polygon in mesh.polygons]


@pytest.fixture
def in_metres(bpy: Any, tmp_path: Path) -> tuple[Any, Any]:
    """The navmesh of the level as it is, and a file of it."""
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "empty.blend"))
    add_level(bpy, 1.0)
    bpy.ops.navmesh.build()
    bpy.ops.navmesh.export(filepath=str(tmp_path / "metres.bin"))
    made = content(bpy)
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "empty.blend"))
    return made


def test_a_level_in_centimetres_gives_the_file_of_the_level_in_metres(
    bpy: Any, addon: Any, in_metres: tuple[Any, Any], tmp_path: Path
) -> None:
    add_level(bpy, CM)
    scene = bpy.context.scene
    assert bpy.ops.navmesh.set_scale(scale="0.01") == {"FINISHED"}
    bpy.ops.navmesh.build()
    bpy.ops.navmesh.export(filepath=str(tmp_path / "cm.bin"))
    points, faces = content(bpy)
    assert faces == in_metres[1] and np.abs(0.01 * points - in_metres[0]).max() < 1e-3
    sizes = [(tmp_path / name).stat().st_size for name in ("cm.bin", "metres.bin")]
    assert sizes[0] == sizes[1]
    setup, navmesh = scene.navmesh.setups[0], bpy.data.objects["Navmesh"]
    assert setup.scale == pytest.approx(0.01) and setup.agent_height == pytest.approx(1.8, abs=0.21)
    assert 900 < points[:, 0].max() < 1000 and bpy.data.objects["Block"].scale[0] == CM, "objects stay as they are"
    assert navmesh["navmesh_scale"] == 0.01
    outdated = addon("watch.out_of_date").out_of_date
    assert outdated(navmesh, setup) == ""
    (island, *_) = addon("objects.island_list").island_rows(navmesh, 0.01)
    assert 250 < island.square_metres < 400
    setup.scale = 0.02
    assert outdated(navmesh, setup) == "Out of date: a setting changed"
    setup.scale = 0.01
    assert outdated(navmesh, setup) == ""
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "cm.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "cm.blend"))
    navmesh = bpy.data.objects["Navmesh"]
    assert outdated(navmesh, bpy.context.scene.navmesh.setups[0]) == ""
    bpy.ops.navmesh.rebuild()
    assert content(bpy)[0].tobytes() == points.tobytes()


def test_questions_are_asked_where_things_are(bpy: Any) -> None:
    add_level(bpy, CM)
    bpy.ops.navmesh.set_scale(scale="0.01")
    bpy.ops.navmesh.build()
    bpy.ops.navmesh.find_path(start=(-800, 0, 0), end=(800, -800, 0))
    facts = json.loads(bpy.context.scene.navmesh.path_answer)
    assert facts["status"] == "complete" and 15 < facts["length"] < 22, "metres"
    assert facts["points"][-1][0] == pytest.approx(800, abs=30), "units of the scene"
    bpy.ops.navmesh.why(location=(500, 700, 0))
    assert not json.loads(bpy.context.scene.navmesh.why_answer)["walkable"]
    bpy.ops.navmesh.why(location=(0, 0, 0))
    assert json.loads(bpy.context.scene.navmesh.why_answer)["walkable"]


def test_live_heeds_it(bpy: Any, addon: Any) -> None:
    add_level(bpy, CM)
    bpy.ops.navmesh.set_scale(scale="0.01")
    bpy.ops.navmesh.live()
    bpy.ops.navmesh.build()
    scene = bpy.context.scene
    followed = addon("live.followed_navmesh").FollowedNavmesh(scene, scene.navmesh.setups[0].uid)
    bpy.data.objects["Block"].location.x -= 3 * CM
    bpy.context.view_layer.update()
    followed.settle(bpy.context)
    assert followed.is_at_rest and followed.metres(scene) == 0.01
    live = content(bpy)
    bpy.ops.navmesh.rebuild()
    points, faces = content(bpy)
    assert live[1] == faces and live[0].tobytes() == points.tobytes() and points[:, 0].max() > 900


def test_rooms_tell_the_unit(bpy: Any, addon: Any) -> None:
    add_level(bpy, CM)
    forecast, setup = addon("gather.before_build.level_forecast").forecast_level, bpy.context.scene.navmesh.draft
    setup.cell_size = 0.1
    hint = forecast(bpy.context, setup).hints[0]
    assert hint.code == "WRONG_UNIT" and "Is the level in centimetres? Then they are 2.7 m" in hint.message
    assert not {one.code for one in forecast(bpy.context, setup).hints} & {"TOO_LARGE", "TAKES_LONG"}
    (fix,) = hint.fixes
    assert fix.label == "Scale 0.01" and fix.operator == "navmesh.set_scale"
    bpy.ops.navmesh.set_scale(**dict(fix.arguments))
    assert "WRONG_UNIT" not in {one.code for one in forecast(bpy.context, setup).hints}


@pytest.mark.parametrize("times", [1.0, 1 / 0.3])
def test_levels_of_metres_are_silent(bpy: Any, addon: Any, times: float) -> None:
    add_level(bpy, times)
    add_plane(bpy, "Terrain", 5000.0, (0, 0, -30))
    forecast = addon("gather.before_build.level_forecast").forecast_level
    bpy.context.view_layer.update()
    found = forecast(bpy.context, bpy.context.scene.navmesh.draft)
    hints = found.hints
    assert found.size and "WRONG_UNIT" not in {hint.code for hint in hints}


@pytest.mark.parametrize(
    ("rooms", "words"),
    [
        ([270.0] * 20, "centimetres"),
        ([128.0] * 20, "Quake units"),
        ([107.5] * 20, "inches"),
        ([2700.0] * 20, "millimetres"),
        ([2.7] * 20, None),
        ([12.0] * 20, None),
        ([270.0] * 3, None),
        ([2.7] * 20 + [270.0] * 5, None),
        ([], None),
    ],
)
def test_what_free_heights_say(addon: Any, rooms: list[float], words: str | None) -> None:
    unit = addon("gather.before_build.likely_unit").unit_of(rooms, 1.8)
    assert (unit.words if unit else None) == words


@pytest.mark.parametrize("scale", ["0", "-1", "many", "nan", "1e9"])
def test_no_factor_at_all_is_refused(bpy: Any, scale: str) -> None:
    assert bpy.ops.navmesh.set_scale(scale=scale) == {"CANCELLED"}
    assert bpy.context.scene.navmesh.draft.scale == 1.0


def test_warnings_of_the_builder_have_the_button(addon: Any) -> None:
    fixes = addon("gather.before_build.hints_and_fixes").fixes_of_warning
    (fix,) = fixes("WRONG_UNIT", "The level seems to be in feet, not in metres. Scale it by 0.3048 (--unit ft).")
    assert fix.label == "Scale 0.3048" and fixes("FLIPPED", "Scale it by 3") == ()


def test_path_tests_ask_the_navmesh_at_the_scale_that_it_was_built_with(bpy: Any, addon: Any) -> None:
    """They asked for other places once the setup said another scale, and failed on the navmesh that was there."""
    add_plane(bpy, size=20 * CM)
    scene = bpy.context.scene
    scene.navmesh.draft.scale, scene.navmesh.draft.scope = 0.01, "VISIBLE"
    bpy.ops.navmesh.build()
    scene.navmesh.test_start, scene.navmesh.test_end = (-800, -800, 0), (500, 500, 0)
    bpy.ops.navmesh.test_add(name="across")
    setup = scene.navmesh.setups[0]
    recheck = addon("objects.kept_outcome").recheck
    before = recheck(bpy.context, scene, setup).rows
    setup.scale = 0.02
    assert recheck(bpy.context, scene, setup).rows == before and before[0]["ok"]
    bpy.ops.navmesh.rebuild()
    assert json.loads(setup.outcome)["tests"][0]["length"] == pytest.approx(2 * before[0]["length"])


def test_links_that_buttons_make_have_the_radius_of_an_agent(bpy: Any, addon: Any) -> None:
    """It is not scaled with the level: that of a join was 60 m, and that of a found link a hundred times its own."""
    radii = []
    for times in (1, CM):
        bpy.ops.wm.read_homefile(use_empty=True)
        two_floors(bpy)
        for object_ in bpy.data.objects:
            object_.scale = (times,) * 3
        bpy.context.scene.navmesh.draft.scale, bpy.context.scene.navmesh.draft.scope = 1 / times, "VISIBLE"
        bpy.ops.navmesh.build()
        bpy.ops.navmesh.join_island(island=1)
        join = addon("interface.island_operators").join_of(bpy.data.objects["Navmesh"], 1)
        bpy.ops.navmesh.build(generate_links=True)
        bpy.ops.navmesh.link_to_object(link=0)
        radii.append([join.radius, bpy.data.objects["Jump Link"].navmesh.link_radius])
    assert radii[0][0] == 0.6 and radii[1] == pytest.approx(radii[0])
