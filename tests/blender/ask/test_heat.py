"""Where a walk loses time: what its thread notes, what is drawn and listed, and a place that one looks at."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.blender.drawn_panels import Drawn, Layout
from tests.blender.scenes import CUBE, CUBE_FACES, add_mesh, add_plane

DOOR = 2.0  # metres, in the middle of a wall along x
TICK = 1 / 30


@pytest.fixture
def level(bpy: Any) -> Any:
    """A floor of 20 m, and a wall across with a door."""
    add_plane(bpy)
    for side in (-1, 1):
        wall = add_mesh(bpy, "Wall", [(x * (5 - DOOR / 4), y * 0.2, z) for x, y, z in CUBE], CUBE_FACES)
        wall.location = (side * (5 + DOOR / 4), 0, 1)
    bpy.ops.navmesh.build(scope="VISIBLE")
    bpy.context.scene.navmesh.test_start = (0, -6, 0)
    bpy.context.scene.navmesh.test_end = (0, 6, 0)
    return bpy


def walked(level: Any, addon: Any, wanted: str, steps: int, count: int = 30) -> tuple[Any, Any]:
    """A crowd that walks as fast as it can, noted as its thread does it."""
    scene = level.context.scene
    query, order = addon("ask.asked_navmesh").asked_navmesh(scene), addon("ask.walking.current_walk").wanted_in(scene)
    crowd = addon("crowd.crowd", "navcore").Crowd(query, height=order.height, max_speed=order.speed, step=TICK)
    places = addon("ask.walking.walk_job").free_places
    heat = addon("ask.walking.heat_of_walk").HeatOfWalk(query, order.speed, order.height, order.filter)
    heat.wanted = wanted
    for step in range(steps):
        if step in (0, 40):  # half of them come later
            free = places(query, order.start, count // 2, crowd.radius, order.filter, crowd.positions)
            crowd.add_many(free, np.tile(np.array(order.end, np.float32), (len(free), 1)), order.filter)
        crowd.step(TICK)
        heat.note(crowd.seconds, crowd.positions, order.end)
        heat.update()
    return heat, order


def test_a_door_holds_them_up_whenever_one_asks(level: Any, addon: Any) -> None:
    heat, _ = walked(level, addon, "time_lost", 600)
    late, _ = walked(level, addon, "", 600)
    assert late.shown is None
    late.wanted = "time_lost"
    late.update()
    for shown in (heat.shown, late.shown):
        assert shown.what == "time_lost" and shown.mean_time_lost > 1
        worst = shown.chokepoints[0]
        assert abs(worst.at[0]) < DOOR / 2 and abs(worst.at[2]) < 0.5 and DOOR - 0.8 < worst.width <= DOOR + 0.01
        faces = shown.picture.corners
        assert len(faces) > 10 and len(shown.picture.face_colors) == len(faces) and np.isfinite(faces).all()
        assert len(shown.picture.lines) == 32 * len(shown.chokepoints)
    assert late.shown.mean_time_lost == pytest.approx(heat.shown.mean_time_lost, abs=0.5)


def test_what_is_shown_can_be_changed_and_put_away(level: Any, addon: Any) -> None:
    heat, _ = walked(level, addon, "density", 120, count=6)
    before = heat.shown
    heat.update()
    assert heat.shown is before and before.what == "density"  # within a second it is not made anew
    heat.wanted = "waiting"
    heat.update()
    assert heat.shown.what == "waiting"
    heat.wanted = ""
    heat.update()
    assert heat.shown is None


def test_on_its_thread_it_follows_the_scene(level: Any, addon: Any) -> None:
    walk, scene = addon("ask.walking.current_walk"), level.context.scene
    walk.start(scene, 3)
    job = walk.current().job
    try:
        assert walk.current().heat is None
        job.show_heat("density")
        for _ in range(1500):
            if job.error is not None:
                raise job.error
            if walk.current().heat is not None:
                break
            time.sleep(0.05)
        assert walk.current().heat.what == "density" and len(walk.current().heat.picture.corners)
    finally:
        walk.stop()
    assert job.wait(60)


def test_a_baked_walk_has_a_map_until_its_navmesh_is_another(level: Any, addon: Any) -> None:
    walk, scene = addon("ask.walking.current_walk"), level.context.scene
    baked = addon("ask.walking.baked_walk")
    made = baked.bake_job(scene, baked.order_of(scene, 30, 0.0, 1.5, 0)).here_and_now()
    baked.write_walk(scene, made)
    fine, said = made.said
    assert fine and "s are lost by" in said and said.endswith("at the worst chokepoint: see Heat.")
    assert walk.heat_in(scene) is None  # nobody asks for one
    scene.navmesh.walk_heat = "WAITING"
    first = walk.heat_in(scene)
    assert first.what == "waiting" and first is walk.heat_in(scene)
    scene.navmesh.walk_heat = "TIME_LOST"
    heat = walk.heat_in(scene)
    worst = heat.chokepoints[0]
    assert heat.what == "time_lost" and len(heat.picture.corners) > 10
    assert abs(worst.at[0]) < DOOR / 2 and abs(worst.at[2]) < 0.5 and DOOR - 0.8 < worst.width <= DOOR + 0.01
    panel, drawn = addon("interface.panels.ask_panel").NAVMESH_PT_heat, Drawn()
    panel.draw(SimpleNamespace(layout=Layout(drawn.texts, drawn.operators), room=lambda: 300.0), level.context)
    assert "1: " in "\n".join(drawn.texts)
    level.ops.navmesh.build(scope="VISIBLE")
    assert walk.heat_in(scene) is None


def test_the_popover_lists_places_to_look_at(level: Any, addon: Any, monkeypatch: Any) -> None:
    scene, panel = level.context.scene, addon("interface.panels.ask_panel").NAVMESH_PT_heat
    level.data.objects["Navmesh"]["navmesh_metres"] = 0.5
    place = SimpleNamespace(at=(1.0, 2.0, -3.0), width=1.25, seconds=71.4, agents=32)
    heat = SimpleNamespace(mean_time_lost=4.25, chokepoints=(place,) * 9)
    walk = SimpleNamespace(scene=scene.session_uid, heat=heat, height=2.0)
    monkeypatch.setattr(addon("ask.walking.current_walk"), "current", lambda: walk)
    drawn = Drawn()
    panel.draw(SimpleNamespace(layout=Layout(drawn.texts, drawn.operators), room=lambda: 300.0), level.context)
    said = "\n".join(drawn.texts)
    assert "4.2 s lost on average." in said and "1: 71 s lost by 32 agents, 1.2 m wide" in said
    looks = [properties.location for name, properties in drawn.operators if name == "navmesh.look_at"]
    assert len(looks) == 6 and looks[0] == pytest.approx((2.0, 6.0, 4.0))
    heat.chokepoints = ()
    drawn = Drawn()
    panel.draw(SimpleNamespace(layout=Layout(drawn.texts, drawn.operators), room=lambda: 300.0), level.context)
    assert "Nothing holds them up." in "\n".join(drawn.texts)


def test_every_map_of_the_scene_is_one_of_a_heat(bpy: Any) -> None:
    from navcore.crowd.heat.heat_shades import WHAT

    names = {item.identifier for item in bpy.context.scene.navmesh.bl_rna.properties["walk_heat"].enum_items}
    assert names == {"NONE"} | {name.upper() for name in WHAT} and bpy.context.scene.navmesh.walk_heat == "NONE"
