"""Gathering a slice at a time gives what gathering at once does; and it takes its time only once for each object."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

from tests.blender.scenes import (
    CUBE,
    CUBE_FACES,
    add_cube,
    add_empty,
    add_instance,
    add_mesh,
    add_plane,
    add_scattered_cubes,
    link,
    new_collection,
)


def make_mixed_level(bpy: Any) -> None:
    """Something of everything whose order could change."""
    wet = bpy.data.materials.new("Wet")
    wet.navmesh.area = 1
    kit, grass = bpy.data.collections.new("Kit"), new_collection(bpy, "Grass")
    grass.navmesh.area = 4
    add_cube(bpy, "Block", (1, 0, 0), kit).scale = (1, -2, 1)
    first = add_cube(bpy, "First", collection=grass)
    first.data.materials.append(wet)
    for k in range(20):
        copy = link(bpy, bpy.data.objects.new(f"Copy {k}", first.data), grass if k % 3 else None)
        copy.location, copy.rotation_euler, copy.scale = (3 * k, k, 0), (0.1 * k, 0, 0.3), (1, 1, -1 if k % 4 else 0.5)
    bpy.data.objects["Copy 5"].scale = (1, 1, 0)
    bpy.data.objects["Copy 6"].location.x = np.nan
    bpy.data.objects["Copy 7"].modifiers.new("Round", "SUBSURF").levels = 1
    for k in range(3):
        add_instance(bpy, f"Instance {k}", kit, (0, 9 * k, 0)).scale = (1, 1, (-1) ** k)
    add_scattered_cubes(bpy)
    particles = add_plane(bpy).modifiers.new("Particles", "PARTICLE_SYSTEM").particle_system.settings
    particles.type, particles.count, particles.render_type = "HAIR", 7, "OBJECT"
    particles.instance_object, particles.use_advanced_hair = first, True
    bpy.ops.object.text_add()
    bpy.ops.curve.primitive_bezier_circle_add()
    bpy.context.object.data.bevel_depth = 0.1
    add_cube(bpy, "Lake", (3, 4, 5)).navmesh.use = "VOLUME"
    add_empty(bpy, "Spawn").navmesh.use = "SEED"


def contents(gathered: Any) -> list[Any]:
    """All that a build depends on, and all that is told."""
    arrays = [None if part is None else part.tobytes() for part in gathered[:3]]
    return [*arrays, *gathered._replace(seconds=0.0)[3:]]


@pytest.mark.parametrize("scope", ["VISIBLE", "SELECTED"])
def test_slices_give_what_one_look_gives(bpy: Any, addon: Any, gather: Any, scope: str) -> None:
    make_mixed_level(bpy)
    for object_ in list(bpy.context.view_layer.objects)[::2]:
        object_.select_set(True)
    at_once = gather(scope)
    gathering = addon("gather.gather_scene").Gathering(addon("stored.setup_properties").Sources(scope=scope))
    seen = []
    while not gathering.go_on(bpy.context, seconds=0.0):
        seen.append((gathering.done, gathering.total))
    assert len(seen) > 20 and seen == sorted(seen) and len({total for _, total in seen}) == 1
    assert contents(gathering.gathered()) == contents(at_once)
    assert gathering.gathered().seconds > 0 and {note.code for note in at_once.notes} >= {"NOT_FINITE", "ZERO_SCALE"}


def test_an_object_that_goes_away_between_two_slices(bpy: Any, addon: Any, gather: Any) -> None:
    """One that no scene has: Blender tells nobody."""
    make_mixed_level(bpy)
    lost = bpy.data.objects.new("Lost", bpy.data.objects["First"].data)
    lost.use_fake_user = True
    gathering = addon("gather.gather_scene").Gathering(addon("stored.setup_properties").Sources(scope="VISIBLE"))
    for _ in range(3):
        assert not gathering.go_on(bpy.context, seconds=0.0)
    bpy.data.objects.remove(lost)
    while not gathering.go_on(bpy.context, seconds=0.0):
        pass
    assert contents(gathering.gathered()) == contents(gather("VISIBLE"))


def test_a_slice_is_as_long_as_it_was_asked_for(bpy: Any, addon: Any) -> None:
    for k in range(300):
        add_cube(bpy, f"Cube {k}").modifiers.new("Round", "SUBSURF").levels = 1
    bpy.context.view_layer.update()
    gathering = addon("gather.gather_scene").Gathering(addon("stored.setup_properties").Sources(scope="VISIBLE"))
    slices = 1
    while not gathering.go_on(bpy.context, seconds=0.004):
        slices += 1
    assert slices > 2
    assert gathering.gathered().seconds < slices * 0.05


def test_gathering_takes_as_long_as_there_are_objects(bpy: Any, gather: Any) -> None:
    """Twice as many take twice as long, and not four times; in a file of many collections, too."""

    def seconds(count: int) -> float:
        bpy.ops.wm.read_homefile(use_empty=True)
        collections = [new_collection(bpy, f"Part {k}") for k in range(20)]
        mesh = add_mesh(bpy, "Crate", CUBE, CUBE_FACES).data
        for k in range(count):
            link(bpy, bpy.data.objects.new(f"Crate {k}", mesh), collections[k % 20]).location.x = 3 * k
        gather()
        took = []
        for _ in range(2):
            began = time.process_time()
            assert len(gather().triangles) == 12 * (count + 1)
            took.append(time.process_time() - began)
        return min(took)

    few, many = seconds(1500), seconds(6000)
    print(f"{few:.3f} s for 1,500 objects, {many:.3f} s for 6,000")
    assert many < 8 * few, "four times as many objects"
    assert many < 2.5, "0.3 s on a machine that does nothing else"


def test_a_mesh_that_objects_share_is_read_once(bpy: Any, addon: Any, gather: Any, monkeypatch: Any) -> None:
    collector = addon("gather.triangle_collector")
    read, raw_mesh = [], collector.raw_mesh

    def counted(*arguments: Any) -> Any:
        read.append(arguments)
        return raw_mesh(*arguments)

    monkeypatch.setattr(collector, "raw_mesh", counted)
    first = add_cube(bpy)
    for k in range(5):
        link(bpy, bpy.data.objects.new(f"Copy {k}", first.data)).location.x = 5 * k
    assert len(gather().triangles) == 72 and len(read) == 1


def test_the_first_collection_with_an_area_counts(bpy: Any, gather: Any) -> None:
    """In the order of the file, whichever the object was linked to first; also for what is only instanced."""
    first, second, plain = (new_collection(bpy, name) for name in ("A", "B", "Plain"))
    first.navmesh.area, second.navmesh.area = 2, 3
    both = add_cube(bpy, "Both", collection=plain)
    second.objects.link(both)
    first.objects.link(both)
    kit = bpy.data.collections.new("Kit")
    kit.navmesh.area = 5
    add_cube(bpy, "Inner", collection=kit)
    add_instance(bpy, "Copy", kit, (9, 0, 0))
    bpy.context.scene.collection["navmesh_area"] = 7
    add_cube(bpy, "Root")
    found = gather()
    areas = {part.name: int(found.areas[part.first]) for part in found.parts}
    assert areas == {"Both": 2, "Copy": 5, "Root": 7}
