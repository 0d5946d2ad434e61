"""Whatever is done to a level: at rest the mesh objects hold what a full build gives, byte for byte."""

from __future__ import annotations

import gc
import json
from typing import Any

import numpy as np
import pytest

from tests.blender.scenes import add_cube, add_empty, add_instance, add_plane, add_scattered_cubes

TILED = {"tile_size": 16}


def turned_inside(bpy: Any) -> None:
    bpy.data.objects["Crate"].data.flip_normals()


def edited(bpy: Any) -> None:
    mesh = bpy.data.objects["Crate"].data
    for vertex in mesh.vertices:
        vertex.co.x *= 1.5
    mesh.update()


def painted(bpy: Any) -> None:
    material = bpy.data.materials.new("Mud")
    material.navmesh.area = 3
    bpy.data.objects["Ground"].data.materials.append(material)


def duplicated_in_the_middle(bpy: Any) -> None:
    first = bpy.data.collections.new("First")
    bpy.context.scene.collection.children.link(first)
    add_cube(bpy, "New", (5, 5, 0.3), first)


def scattered(bpy: Any) -> None:
    add_scattered_cubes(bpy)


def instanced(bpy: Any) -> None:
    kit = bpy.data.collections.new("Kit")
    add_cube(bpy, "Inner", (0, 0, 0), kit)
    add_instance(bpy, "Shown", kit, (6, -6, 0))


def volume(bpy: Any) -> None:
    box = add_cube(bpy, "Pond", (-5, -5, 0))
    box.navmesh.use, box.navmesh.area = "VOLUME", 1


def bounds(bpy: Any) -> None:
    box = add_cube(bpy, "Frame", (0, 0, 0))
    box.scale = (9, 9, 3)
    box.navmesh.use = "BOUNDS"


def linked(bpy: Any) -> None:
    end = add_empty(bpy, "End", (4, 9, 0))
    start = add_empty(bpy, "Start", (0, 9, 0))
    start.navmesh.use, start.navmesh.link_end = "LINK", end


def modified(bpy: Any) -> None:
    modifier = bpy.data.objects["Crate"].modifiers.new("Row", "ARRAY")
    modifier.count = 3


def edits(bpy: Any) -> None:
    for kind, x in (("BLOCK", -12), ("AREA", -6), ("PATCH", 0), ("KEEP", 6)):
        outline = f"[[{x}, 8], [{x + 4}, 8], [{x + 4}, 10.5], [{x}, 10.5]]"
        bpy.ops.navmesh.add_edit(kind=kind, outline=outline, min_height=-0.5, max_height=0.5, area=2)


CHANGES = {
    "moved": lambda bpy: setattr(bpy.data.objects["Crate"], "location", (7, 1, 0.5)),
    "turned": lambda bpy: setattr(bpy.data.objects["Crate 2"], "rotation_euler", (0, 0, 0.5)),
    "mirrored": lambda bpy: setattr(bpy.data.objects["Crate 2"], "scale", (-1, 1, 1.3)),
    "moved beyond": lambda bpy: setattr(bpy.data.objects["Ground"], "location", (-3, 4, 0.1)),
    "deleted": lambda bpy: bpy.data.objects.remove(bpy.data.objects["Crate 1"]),
    "hidden": lambda bpy: bpy.data.objects["Crate 1"].hide_set(True),
    "left out": lambda bpy: setattr(bpy.data.objects["Crate 1"].navmesh, "use", "EXCLUDE"),
    "an area": lambda bpy: setattr(bpy.data.objects["Crate 1"].navmesh, "area", 2),
    "other mesh": lambda bpy: setattr(bpy.data.objects["Crate 1"], "data", bpy.data.objects["Ground"].data),
    "parented": lambda bpy: setattr(bpy.data.objects["Crate 1"], "parent", bpy.data.objects["Crate 3"]),
    "duplicated": lambda bpy: add_cube(bpy, "Other", (9, 9, 0)),
    "duplicated in the middle": duplicated_in_the_middle, "shared mesh": edited, "inside out": turned_inside,
    "material": painted, "scattered": scattered, "instancer": instanced, "volume": volume, "bounds": bounds,
    "link": linked, "modifier": modified, "edits": edits,
}  # fmt: skip


@pytest.mark.parametrize("settings", [{}, TILED], ids=["one piece", "tiles"])
@pytest.mark.parametrize("what", CHANGES)
def test_at_rest_it_is_a_full_build(bpy: Any, addon: Any, level: Any, follow: Any, what: str, settings: Any) -> None:  # noqa: ARG001
    followed = follow(**settings)
    followed.settle()
    before = followed.content()
    CHANGES[what](bpy)
    if what in ("left out", "an area", "material", "hidden"):  # of which Blender says too little: our events do
        followed.following.looking.hints.something = True
    followed.settle()
    now = followed.content()
    assert now == followed.rebuilt()
    assert now != before, "the change changed nothing: the test tests nothing"


def test_what_depends_on_others_follows(bpy: Any, level: Any, follow: Any) -> None:  # noqa: ARG001
    """The source of an instancer, and what a link ends at."""
    instanced(bpy)
    linked(bpy)
    followed = follow(**TILED)
    followed.settle()
    for name, place in (("Inner", (1, 1, 0)), ("Shown", (2, 2, 0)), ("End", (6, 9, 0))):
        bpy.data.objects[name].location = place
        followed.settle()
        assert followed.content() == followed.rebuilt()


@pytest.mark.parametrize("settings", [{}, TILED], ids=["one piece", "tiles"])
def test_edits_are_followed_as_volumes_are(bpy: Any, level: Any, follow: Any, settings: Any) -> None:  # noqa: ARG001
    """One that comes, moves, is reshaped, is for something else, goes: and what each does is told as by a build."""
    followed = follow(**settings)
    followed.settle()
    seen = [followed.content()[0]]

    def settled() -> None:
        followed.settle()
        now = followed.content()
        told = json.loads(bpy.data.objects["Navmesh"]["navmesh_report"])["edits"]
        assert now == followed.rebuilt() and now[0] not in seen
        assert told == json.loads(bpy.data.objects["Navmesh"]["navmesh_report"])["edits"]
        seen.append(now[0])

    edits(bpy)
    settled()
    bpy.data.objects["Block"].location.y -= 5
    settled()
    bpy.data.objects["Block"].data.vertices[0].co.x -= 1
    bpy.data.objects["Block"].data.update()
    settled()
    bpy.data.objects["Area"].navmesh.use = "BLOCK"
    followed.following.looking.hints.something = True  # as our events say
    settled()
    bpy.data.objects.remove(bpy.data.objects["Patch"])
    settled()
    if settings:
        bpy.data.objects["Block"].location.y += 1
        followed.settle()
        assert 0 < len(followed.following._level._level.rebuilt) < followed.content()[1]["tiles"] / 2


def test_a_solo_level_is_followed_in_tiles(bpy: Any, level: Any, follow: Any) -> None:
    """A move far from everything else costs few of them."""
    followed = follow()
    followed.settle()
    followed.following.pictures.clear()
    level.location.x += 0.5
    bpy.context.view_layer.update()
    following = followed.following
    following._look_on(bpy.context, None)
    following._start_next(bpy.context, 0.0)
    following._job.wait()
    following._take_from_thread(0.0)
    assert 0 < len(following.pictures) < 9 < 30 / 0.3 / 32 * 30 / 0.3 / 32
    assert "written when" in following.status_line()


def test_part_without_numbers_is_left_out_until_it_is_mended(bpy: Any, level: Any, follow: Any) -> None:
    followed = follow(**TILED)
    followed.settle()
    assert bpy.data.objects["Crate"] == level
    level.location.x = float("nan")
    followed.settle()
    notes = followed.following.looking.last.request.gathered.notes
    assert [(note.code, note.name) for note in notes] == [("NOT_FINITE", "Crate")]
    assert followed.content()[0] == followed.rebuilt()[0]
    level.location.x = 2
    followed.settle()
    assert followed.content() == followed.rebuilt()


def test_without_its_mesh_objects_it_asks_for_a_build(bpy: Any, level: Any, follow: Any) -> None:
    followed = follow()
    followed.settle()
    bpy.data.objects.remove(bpy.data.objects["Navmesh Detail"])
    level.location.x += 1
    followed.settle()
    assert "Press Build once" in followed.following.status_line()
    assert "Navmesh Detail" not in bpy.data.objects
    bpy.data.objects.remove(bpy.data.objects["Navmesh"])
    followed.settle()
    assert "Build it first" in followed.following.status_line()
    bpy.ops.navmesh.build(scope="VISIBLE")
    followed.settle()
    assert followed.following.status_line() == "Live: following"
    assert followed.content() == followed.rebuilt()


def test_what_is_being_edited_is_not_written(bpy: Any, level: Any, follow: Any) -> None:
    followed = follow()
    followed.settle()
    navmesh = bpy.data.objects["Navmesh"]
    navmesh.hide_select = False
    bpy.context.view_layer.objects.active = navmesh
    bpy.ops.object.mode_set(mode="EDIT")
    count = len(navmesh.data.polygons)
    level.location.x += 1
    followed.settle()
    assert "being edited" in followed.following.status_line() and len(navmesh.data.polygons) == count
    bpy.ops.object.mode_set(mode="OBJECT")
    followed.settle()
    assert followed.content() == followed.rebuilt()


def test_what_was_written_here_is_no_change(bpy: Any, level: Any, follow: Any) -> None:
    """Or it would never rest."""
    followed = follow(**TILED)
    followed.settle()
    level.location.x += 1
    bpy.context.view_layer.update()
    assert followed.following.looking.hints.only_moved
    followed.settle()
    bpy.context.view_layer.update()
    assert not followed.following.looking.hints and followed.following.is_at_rest


def test_what_moved_beside_a_volume_is_not_forgotten(bpy: Any, addon: Any, level: Any, follow: Any) -> None:
    """Of the volume only a look tells, which has to find again what was found to have moved before it."""
    volume(bpy)
    followed = follow(**TILED)
    followed.settle()
    pond, looking = bpy.data.objects["Pond"], followed.following.looking
    level.location.x, pond.location.x = 5, 2
    bpy.context.view_layer.update()
    assert looking.hints.only_moved and looking.hints.moved == {level.session_uid, pond.session_uid}
    order = [level.session_uid, pond.session_uid]  # a set has one of its own
    assert addon("live.look").where_moved(bpy.context, looking.known, order, looking.last) is None
    followed.settle()
    assert followed.content() == followed.rebuilt()


def test_another_frame_is_followed(bpy: Any, level: Any, follow: Any) -> None:
    for frame, x in ((1, 2.0), (20, 6.0)):
        level.location.x = x
        level.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_set(1)
    followed = follow(**TILED)
    followed.settle()
    before = followed.content()
    bpy.context.scene.frame_set(20)
    followed.settle()
    assert followed.content() == followed.rebuilt() != before


def test_a_click_builds_nothing(bpy: Any, level: Any, follow: Any) -> None:
    followed = follow()
    followed.settle()
    built = bpy.data.objects["Navmesh"]["navmesh_build"]
    level.select_set(not level.select_get())
    bpy.context.view_layer.update()
    assert followed.following.looking.hints
    followed.settle()
    assert followed.following._job is None and followed.following.is_at_rest
    assert bpy.data.objects["Navmesh"]["navmesh_build"] == built


def test_what_refuses_to_be_built_is_followed_again_once_it_is_mended(bpy: Any, level: Any, follow: Any) -> None:
    """Nothing to build from, nothing to walk on, a setting that can't be."""
    followed = follow(**TILED)
    followed.settle()
    ground = bpy.data.objects["Ground"]
    shown = [one for one in bpy.data.objects if one.name.startswith(("Crate", "Ground"))]
    for one in shown:
        one.hide_set(True)
    followed.settle()
    assert "nothing" in followed.following.status_line()
    for one in shown:
        one.hide_set(False)
    followed.settle()
    assert followed.following.status_line() == "Live: following"
    assert followed.content() == followed.rebuilt()
    setup = bpy.context.scene.navmesh.setups[0]
    setup.agent_max_slope = 0.0
    followed.following.looking.hints.something = True
    followed.settle()
    assert followed.following.why_waiting
    setup.agent_max_slope = 45.0
    ground.location.z = 0.5
    followed.settle()
    assert followed.content() == followed.rebuilt()
    assert level.name == "Crate"


def test_undo_twenty_times(bpy: Any, level: Any, follow: Any) -> None:
    """What undo brings back, mesh or level, is followed."""
    followed = follow(**TILED)
    followed.settle()
    name = level.name
    for k in range(20):
        bpy.data.objects[name].location.x = 2 + 0.3 * k
        bpy.ops.ed.undo_push(message="Move")
        followed.settle()
    for _ in range(19):
        bpy.ops.ed.undo()
        followed.following.undone(0.0)
        followed.settle()
    assert bpy.data.objects[name].location.x == pytest.approx(2.0, abs=0.31)
    assert followed.content() == followed.rebuilt()
    add_plane(bpy, "More", 5, (0, 0, 2))
    followed.settle()
    assert followed.content() == followed.rebuilt()


@pytest.mark.parametrize("settings", [{}, TILED], ids=["one piece", "tiles"])
def test_found_links_follow_and_what_was_rejected_stays_away(
    bpy: Any, addon: Any, level: Any, follow: Any, settings: Any
) -> None:
    slab = add_cube(bpy, "Slab", (0, -8, 0))
    slab.scale = (4, 3, 1.2)
    followed = follow(generate_links=True, **settings)
    bpy.ops.navmesh.live()  # switched off and on: the mesh of links is there, whoever made it
    bpy.ops.navmesh.live()
    followed.settle()
    polygons, links = bpy.data.objects["Navmesh"], addon("stored.links_mesh")
    shown = links.links_object(polygons)
    before = links.read_links(shown).shown.corners.copy()
    assert len(before), "the slab is dropped from"
    slab.location.x += 2
    followed.settle()
    now = links.read_links(shown).shown.corners.copy()
    assert len(now) and (now.shape != before.shape or not np.allclose(now, before))
    live = followed.content(), now.tolist()
    assert (followed.rebuilt(), links.read_links(shown).shown.corners.tolist()) == live
    assert level.name == "Crate"


def test_too_large_a_level_is_not_followed(bpy: Any, follow: Any, level: Any) -> None:
    followed = follow(**TILED)
    known = followed.following.looking.known
    known.max_bytes = 1000
    level.location.x += 1
    bpy.context.view_layer.update()
    followed.following.looking.hints.tell_all()
    followed.following.settle(bpy.context)
    assert "Too large to follow: its 7 pieces take about 0 MB" in followed.following.problem
    assert followed.following.status_line() == followed.following.problem
    assert followed.following.looking.look is None


def test_many_that_come_are_placed_a_few_at_a_time(
    bpy: Any, addon: Any, follow: Any, level: Any, monkeypatch: Any
) -> None:
    """However many there are, no step of a look takes long."""
    followed, collector = follow(**TILED), addon("live.look")
    followed.settle()
    placed_level, counts = collector.PlacedLevel, []

    def counted(meshes: Any, instances: Any, ways: Any) -> Any:
        counts.append(len(instances))
        return placed_level(meshes, instances, ways)

    monkeypatch.setattr(collector, "PlacedLevel", counted)
    for k in range(450):
        copy = level.copy()
        copy.location.x, copy.location.y = k % 30 - 15, k // 30 - 8
        bpy.context.scene.collection.objects.link(copy)
    bpy.context.view_layer.update()
    followed.settle()
    assert counts == [200, 200, 50]
    assert followed.content() == followed.rebuilt()


@pytest.mark.parametrize("collects", [False, True])
def test_looks_that_hold_people_up_end_it_but_not_what_python_collects(
    bpy: Any, addon: Any, follow: Any, level: Any, monkeypatch: Any, collects: bool
) -> None:
    followed, look = follow(**TILED), addon("live.look").Look
    followed.settle()
    go_on = look.go_on

    def held_up(*given: Any) -> Any:
        if collects:
            gc.collect()
        return go_on(*given)

    monkeypatch.setattr(look, "go_on", held_up)
    monkeypatch.setattr(addon("live.look"), "TOO_LONG", -1.0)
    for _ in range(3):
        level.location.x += 1
        bpy.context.view_layer.update()
        followed.following.looking.hints.tell_all()
        followed.following.step(bpy.context, 1e9, False)
    assert followed.following.problem.startswith("Too large to follow: a look at the level took") != collects


@pytest.mark.parametrize("prune", [False, True])
def test_the_tested_path_follows_before_anything_is_written(
    bpy: Any, addon: Any, follow: Any, level: Any, prune: bool
) -> None:
    """A wall that is moved into the way cuts it at once; ground that is yet to be pruned is not asked."""
    wall = add_cube(bpy, "Wall", (0, 0, 40))
    wall.scale = (40, 1, 4)
    add_empty(bpy, "Seed", (12, -10, 0)).navmesh.use = "SEED"
    followed = follow(prune=prune, **TILED)
    followed.settle()
    scene, following, current = bpy.context.scene, followed.following, addon("ask.current_answer")
    scene.navmesh.test_start, scene.navmesh.test_end = (12, -10, 0), (12, 10, 0)
    current.forget()
    written = current.current(scene)
    assert written.answered.facts["status"] == "complete"
    wall.location.z = 0
    bpy.context.view_layer.update()
    following._look_on(bpy.context, None)
    following._start_next(bpy.context, 0.0)
    following._job.wait()
    following._take_from_thread(0.0)
    assert current.current(scene).answered.facts["status"] == ("complete" if prune else "partial")
    followed.settle()
    assert current.current(scene).answered.facts["status"] == ("no_end" if prune else "partial")
    assert addon("builds.finished_navmeshes").fresh(following.setup) is None
    assert level.name == "Crate"


def test_done_again_it_is_followed_again(bpy: Any, addon: Any, monkeypatch: Any) -> None:
    """Undone, it was off, and its timer ended: whoever did it again saw “press Build once”, whatever was built."""
    live, woken = addon("live.live_mode"), []
    monkeypatch.setattr(live, "_wake", lambda: woken.append(True))
    for is_on in (False, True):
        bpy.context.scene.navmesh["live"] = is_on  # as undo writes it: without a word to anybody
        live.end()
        live._before_undo()
        live._after_undo()
        assert bool(woken) == is_on
    bpy.context.scene.navmesh["live"] = False


def test_after_an_undo_that_updates_nothing_it_goes_on(addon: Any, monkeypatch: Any) -> None:
    """Redo brought the navmesh back and Blender told of no update: Live stood on “press Build once”."""
    live = addon("live.live_mode")
    now = [100.0]
    monkeypatch.setattr(live.time, "monotonic", lambda: now[0])
    live._before_undo()
    now[0] += 30.0
    assert live._mode.is_undoing, "while Blender undoes nothing is written, however long it takes"
    live._after_undo()
    assert live._mode.is_undoing
    now[0] += 5.0
    assert not live._mode.is_undoing
    live._before_undo()
    live._after_undo()
    live._after_update(None)
    assert not live._mode.is_undoing
