"""Agents that walk the tested way: the thread, what ends a walk, places to set out from, and baked actions."""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np
import pytest

from tests.blender.scenes import CUBE, CUBE_FACES, add_mesh, add_plane

AGENTS, SECONDS = 5, 4.0
LONG = 20.0  # seconds until a walk has ended at the latest
PATHS = (("location", 0), ("location", 1), ("location", 2), ("rotation_euler", 2))


@pytest.fixture
def level(bpy: Any) -> Any:
    """A floor of 20 m with a wall across: the way leads around it."""
    add_plane(bpy)
    wall = add_mesh(bpy, "Wall", [(x * 8, y * 0.5, z) for x, y, z in CUBE], CUBE_FACES)
    wall.location = (-2, 0, 1)
    bpy.ops.navmesh.build(scope="VISIBLE")
    bpy.context.scene.navmesh.test_start = (-5, -5, 0)
    bpy.context.scene.navmesh.test_end = (-5, 5, 0)
    return bpy


def walkers(bpy: Any) -> list[Any]:
    """In the order of their numbers."""
    return sorted(
        (object_ for object_ in bpy.data.objects if object_.get("navmesh_role") == "walker"),
        key=lambda object_: int(object_["navmesh_walker"]),
    )


def curves_of(object_: Any) -> list[Any]:
    action = object_.animation_data.action
    if hasattr(action, "fcurve_ensure_for_datablock"):
        return [action.fcurve_ensure_for_datablock(object_, path, index=index) for path, index in PATHS]
    return [action.fcurves.find(path, index=index) for path, index in PATHS]


def keyframes(bpy: Any) -> list[Any]:
    """(4, frames, 2) of each agent."""
    every = []
    for object_ in walkers(bpy):
        values = []
        for curve in curves_of(object_):
            flat = np.zeros(2 * len(curve.keyframe_points), np.float32)
            curve.keyframe_points.foreach_get("co", flat)
            values.append(flat.reshape(-1, 2))
        every.append(np.array(values))
    return every


def bake(bpy: Any, **more: Any) -> list[Any]:
    asked = {"agents": AGENTS, "seconds": SECONDS, **more}
    assert bpy.ops.navmesh.bake_walk(**asked) == {"FINISHED"}
    return keyframes(bpy)


def test_the_panel_holds_all_that_the_button_takes(bpy: Any, addon: Any) -> None:
    """In a window the button takes each of its settings from there; in background Blender only executes operators."""
    operator = addon("interface.questions.walk_operators").NAVMESH_OT_bake_walk
    assert operator.__annotations__
    for name in operator.__annotations__:
        assert hasattr(bpy.context.scene.navmesh, f"walk_{name}"), name


def test_the_same_seed_is_the_same_bytes(level: Any) -> None:
    first = bake(level)
    frames = round(SECONDS * 24) + 1
    assert len(first) == AGENTS and all(one.shape == (4, frames, 2) for one in first)
    actions = len(level.data.actions)
    again = bake(level)
    assert [one.tobytes() for one in again] == [one.tobytes() for one in first]
    assert len(level.data.actions) == actions and len(walkers(level)) == AGENTS
    one, other = (bake(level, agents=20, seconds=8.0, seed=seed) for seed in (0, 7))  # chances are for who waits
    assert [agent.tobytes() for agent in one] != [agent.tobytes() for agent in other]


def test_agents_stay_on_the_navmesh_and_come_forward(level: Any, addon: Any) -> None:
    baked = bake(level, agents=20, seconds=25.0)
    query = addon("ask.asked_navmesh").asked_navmesh(level.context.scene)
    climb = level.context.scene.navmesh.setups[0].agent_max_climb
    for one in baked:
        x, y, z = one[:3, :, 1]
        points = np.stack([x, z, -y], axis=1)
        near = query.nearest(points, (0.1, 0.1 + climb, 0.1))
        assert (near.references != 0).all()
        assert np.abs(near.points - points)[:, ::2].max() <= 0.1
        assert y[-1] > 1  # beyond the wall
    assert np.median([math.dist(one[:2, -1, 1], (-5, 5)) for one in baked]) < 3
    x, y = baked[0][0, :, 1], baked[0][1, :, 1]
    assert np.hypot(np.diff(x), np.diff(y)).max() < 1.5 / 24 * 1.05
    assert x.max() > 6  # around the end of the wall


def test_it_ends_when_all_have_arrived(level: Any, addon: Any) -> None:
    """Twenty seconds ended in the middle of the way."""
    scene = level.context.scene
    assert scene.navmesh.walk_seconds == 0.0
    (one,) = bake(level, agents=1, seconds=0.0)
    assert math.dist(one[:2, -1, 1], (-5, 5)) < 0.2 and one.shape[1] < 60 * 24
    baked = addon("ask.walking.baked_walk")
    order = baked.order_of(scene, 1, 0.0, 1.5, 0)
    fine, said = baked.bake_job(scene, order).here_and_now().said
    assert fine and said.startswith("1 agent baked, ") and "did not arrive" not in said
    fine, said = baked.bake_job(scene, order._replace(seconds=1.0)).here_and_now().said
    assert not fine and "1 agent did not arrive. Bake more seconds." in said


def test_baking_on_a_thread_gives_the_same_and_can_be_stopped(level: Any, addon: Any) -> None:
    baked, scene = addon("ask.walking.baked_walk"), level.context.scene
    order = baked.order_of(scene, 2, 0.0, 1.5, 0)
    job = baked.bake_job(scene, order).start()
    assert job.wait(300) and job.error is None and job.stage == "walking" and 0 < job.fraction <= 1
    baked.write_walk(scene, job.result)
    on_thread = [one.tobytes() for one in keyframes(level)]
    assert on_thread == [one.tobytes() for one in bake(level, agents=2, seconds=0.0)]
    job = baked.bake_job(scene, order._replace(agents=50, seconds=600.0)).start()
    job.cancel()
    assert job.wait(300) and type(job.error).__name__ == "Cancelled"


def test_fifty_agents_are_fifty(level: Any, addon: Any) -> None:
    walk = addon("ask.walking.current_walk")
    assert walk.more_until(50) == 50
    walk.start(level.context.scene, 1)
    try:
        assert walk.more_until(50) == 49
        walk.add(level.context.scene, 49)
        assert walk.current().job.asked == 50 and walk.more_until(50) == 50 and walk.more_until(60) == 10
    finally:
        walk.stop()


def test_agents_look_where_they_go(level: Any) -> None:
    """Objects look along −y where nothing turns them."""
    one = bake(level, agents=1, seconds=8.0)[0]
    x, y, turn = one[0, :, 1], one[1, :, 1], one[3, :, 1]
    moved = np.hypot(np.diff(x), np.diff(y)) > 0.03
    ahead = np.arctan2(np.diff(x), -np.diff(y))
    apart = np.abs((turn[1:] - ahead + np.pi) % (2 * np.pi) - np.pi)[moved]
    assert len(apart) > 100 and np.median(apart) < 0.05


def test_keyframes_are_linear_and_move_the_objects(level: Any) -> None:
    bake(level, agents=1)
    (agent,) = walkers(level)
    for curve in curves_of(agent):
        assert {point.interpolation for point in curve.keyframe_points} == {"LINEAR"}
    level.context.scene.frame_set(60)
    at = keyframes(level)[0][:3, 60 - level.context.scene.frame_start, 1]
    assert math.dist(agent.matrix_world.translation, at) < 1e-5
    size = agent.dimensions
    setup = level.context.scene.navmesh.setups[0]
    assert abs(size.z - setup.agent_height) < 1e-4 and abs(size.x - 2 * setup.agent_radius) < 1e-4


def test_fewer_agents_leave_none_behind(level: Any) -> None:
    bake(level)
    bake(level, agents=2)
    assert len(walkers(level)) == 2 and len(level.data.actions) == 2
    assert [c.name for c in level.data.collections if c.get("navmesh_role") == "walker"] == ["Navmesh Walk"]


def test_a_build_takes_no_baked_agent_as_input(level: Any) -> None:
    before = len(level.data.objects["Navmesh"].data.polygons)
    bake(level)
    level.context.scene.frame_set(60)  # when they stand on the way
    level.ops.navmesh.build(scope="VISIBLE")
    assert len(level.data.objects["Navmesh"].data.polygons) == before


def test_units_and_frame_rate_of_the_scene(bpy: Any) -> None:
    scene = bpy.context.scene
    scene.unit_settings.scale_length, scene.render.fps = 0.01, 60
    add_plane(bpy, size=2000)
    bpy.ops.navmesh.build(scope="VISIBLE")
    scene.navmesh.test_start, scene.navmesh.test_end = (-500, 0, 0), (500, 0, 0)
    (one,) = bake(bpy, agents=1, seconds=2.0)
    assert one.shape[1] == 121
    assert 200 < one[0, -1, 1] - one[0, 0, 1] <= 300  # two seconds of 1.5 m, less what it takes to start


def test_without_a_way_it_says_what_to_do(level: Any) -> None:
    level.context.scene.navmesh.property_unset("test_start")
    with pytest.raises(RuntimeError, match="There is no way to walk yet"):
        level.ops.navmesh.bake_walk()
    level.context.scene.navmesh.test_start = (-5, -5, 0)
    add_plane(level, "Island", 6.0, (40, 0, 0))
    level.ops.navmesh.build(scope="VISIBLE")
    level.context.scene.navmesh.test_end = (40, 0, 0)
    with pytest.raises(RuntimeError, match="No way leads from the start to the end"):
        level.ops.navmesh.bake_walk()
    assert not walkers(level)


def test_places_to_set_out_from_are_free_and_near(level: Any, addon: Any) -> None:
    scene = level.context.scene
    query, wanted = addon("ask.asked_navmesh").asked_navmesh(scene), addon("ask.walking.current_walk").wanted_in(scene)
    places = addon("ask.walking.walk_job").free_places
    taken = np.zeros((0, 3), np.float32)
    found = places(query, wanted.start, 200, 0.3, wanted.filter, taken)
    apart = np.linalg.norm(found[:, None] - found[None], axis=2) + np.eye(len(found)) * 9
    assert len(found) > 60 and apart.min() >= 0.6
    assert np.linalg.norm(found[0] - (-5, found[0][1], 5)) < 0.3
    more = places(query, wanted.start, 200, 0.3, wanted.filter, found[:3])
    assert np.linalg.norm(more[:, None] - found[None, :3], axis=2).min() >= 0.6


def stepped(walk: Any, until: Any) -> Any:
    """The first frame that is as wanted. It walks in real time."""
    job = walk.current().job
    for _ in range(2000):
        if job.error is not None:
            raise job.error
        if job.frame is not None and until(job.frame):
            return job.frame
        time.sleep(0.02)
    raise AssertionError(job.frame)


def test_a_walk_on_its_thread(level: Any, addon: Any) -> None:
    walk, scene = addon("ask.walking.current_walk"), level.context.scene
    walk.start(scene, 1)
    frame = stepped(walk, lambda frame: frame.seconds > 0.5)
    assert len(frame.states) == 1 and walk.said().startswith("1 agent, 0 arrived")
    walk.add(scene, 3)
    frame = stepped(walk, lambda frame: len(frame.states) == 4 and frame.seconds > 1)
    apart = np.linalg.norm(frame.places[:, None] - frame.places[None], axis=2) + np.eye(4) * 9
    assert apart.min() > 2 * walk.current().job.radius - 0.01
    assert len(walk.current().job.trails.lines)
    data = addon("ask.walking.drawn_walk").agent_data(frame, frame.when, 1.0)
    assert np.allclose(data[0, :4, 0], frame.before[:, 0]) and data[1, 3, :3].any() and not data[:, 4:].any()
    job = walk.current().job
    walk.stop()
    assert job.wait(LONG) and walk.current() is None and walk.said() == ""


def test_it_ends_with_undo_with_another_file_and_with_its_navmesh(level: Any, addon: Any, tmp_path: Any) -> None:
    walk = addon("ask.walking.current_walk")
    level.ops.wm.save_as_mainfile(filepath=str(tmp_path / "level.blend"))
    walk.start(level.context.scene, 1)
    job = walk.current().job
    level.ops.wm.open_mainfile(filepath=str(tmp_path / "level.blend"))
    assert walk.current() is None and job.wait(LONG)
    level.ops.navmesh.rebuild()
    level.ops.ed.undo_push(message="Before")
    level.ops.ed.undo_push(message="After")
    walk.start(level.context.scene, 1)
    level.ops.ed.undo()
    assert walk.current() is None
    level.ops.ed.redo()
    walk.start(level.context.scene, 1)
    level.data.objects.remove(level.data.objects["Navmesh"])
    walk._looked.value = 0.0
    walk._tick()
    assert walk.current() is None and "its navmesh is gone" in walk.said()
    walk.stop()


def test_what_the_thread_cannot_do_is_said(level: Any, addon: Any) -> None:
    walk, scene = addon("ask.walking.current_walk"), level.context.scene
    add_plane(level, "Island", 6.0, (40, 0, 0))
    level.ops.navmesh.build(scope="VISIBLE")
    scene.navmesh.test_end = (40, 0, 0)
    walk.start(scene, 250)
    frame = stepped(walk, lambda frame: len(frame.states) > 0)
    assert frame.rests and "No way leads to the end" in walk.said() and "no free ground" in walk.said()
    walk.stop()


def test_the_panel_has_its_buttons(level: Any, draw: Any) -> None:
    level.ops.navmesh.find_path(start=(-5, -5, 0), end=(-5, 5, 0))
    assert {"navmesh.walk", "navmesh.walk_add", "navmesh.bake_walk"} <= set(draw().operator_names())


def test_agents_go_to_the_end_where_it_is_now(level: Any, addon: Any) -> None:
    walk, scene = addon("ask.walking.current_walk"), level.context.scene
    walk.start(scene, 2)
    stepped(walk, lambda frame: frame.seconds > 0.5)
    scene.navmesh.test_end = (-3, -4, 0)
    walk._tick()
    frame = stepped(walk, lambda frame: frame.rests)
    away = np.hypot(*(frame.places - (-3, 0, 4))[:, ::2].T)
    # Two share the end: the nearer one stands over it (0.21 m from it in an open place), the other one beside.
    assert away.min() < 0.3 and away.max() < 2.0 and "2 arrived" in walk.said()
    scene.navmesh.test_start, scene.navmesh.test_end = (5, -5, 0), (6, -8, 0)
    walk._tick()
    walk.add(scene, 1)
    frame = stepped(walk, lambda frame: len(frame.states) == 3)
    assert np.hypot(*(frame.places[2] - (5, 0, 5))[::2]) < 0.5, "who is added sets out from where the start is now"
    frame = stepped(walk, lambda frame: frame.rests)
    assert np.hypot(*(frame.places - (6, 0, 8))[:, ::2].T).max() < 2.0
    walk.stop()


def test_an_end_in_the_sky_and_back_is_no_error_while_agents_walk(level: Any, addon: Any) -> None:
    walk, scene = addon("ask.walking.current_walk"), level.context.scene
    walk.start(scene, 1)
    stepped(walk, lambda frame: frame.seconds > 0.5)
    for end in ((0, 0, 500), (-3, -4, 0)):
        scene.navmesh.test_end = end
        walk._tick()
        time.sleep(0.2)
    frame = stepped(walk, lambda frame: frame.rests and frame.states[0] == 2)
    assert np.hypot(*(frame.places[0] - (-3, 0, 4))[::2]) < 0.2
    walk.stop()
