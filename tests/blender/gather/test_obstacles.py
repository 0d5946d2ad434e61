"""Obstacles of a scene as boxes, turned boxes and cylinders; and with them the navmesh, shown and written."""

from __future__ import annotations

import json
from math import cos, pi, sin
from typing import Any

import numpy as np
import pytest

from tests.blender.scenes import add_cube, add_empty, add_instance, add_plane, new_collection


def obstacle(bpy: Any, name: str = "Crate", at: Any = (0, 0, 1), shape: str = "BOX", collection: Any = None) -> Any:
    cube = add_cube(bpy, name, at, collection)
    cube.navmesh.use, cube.navmesh.obstacle_shape = "OBSTACLE", shape
    return cube


def items(gather: Any) -> list[Any]:
    return [item for one in gather().obstacles for item in one.items]


def covers(item: Any, x: float, z: float) -> bool:
    """Whether a place lies in an obstacle, as seen from above."""
    if item["kind"] == "cylinder":
        return bool(np.hypot(x - item["at"][0], z - item["at"][2]) <= item["radius"])
    if item["kind"] == "aabb":
        return bool(item["min"][0] <= x <= item["max"][0] and item["min"][2] <= z <= item["max"][2])
    dx, dz = x - item["at"][0], z - item["at"][2]
    cosine, sine = cos(item["angle"]), sin(item["angle"])
    return abs(dx * cosine - dz * sine) <= item["half"][0] and abs(dx * sine + dz * cosine) <= item["half"][2]


def test_a_box_along_the_axes(bpy: Any, gather: Any) -> None:
    add_plane(bpy)
    obstacle(bpy, at=(3, 4, 1)).scale = (2, 1, 1)
    [item] = items(gather)
    assert item["kind"] == "aabb"
    assert item["min"] == pytest.approx([1, 0, -5]) and item["max"] == pytest.approx([5, 2, -3])
    assert gather().used == ["Ground"] and not gather().volumes, "no part of the level"


@pytest.mark.parametrize("degrees", [30, 90, -135, 180])
def test_a_turned_box_covers_what_the_object_does(bpy: Any, gather: Any, degrees: float) -> None:
    add_plane(bpy)
    crate = obstacle(bpy, at=(3, 4, 1))
    crate.scale, crate.rotation_euler = (2, 0.5, 1), (0, 0, degrees * pi / 180)
    [item] = items(gather)
    assert (item["kind"] == "aabb") == (degrees in (90, 180))
    inverse = crate.matrix_world.inverted()
    rng = np.random.default_rng(1)
    for x, y in rng.uniform((0, 1), (6, 7), (200, 2)):
        local = inverse @ type(crate.location)((x, y, 1))
        if all(abs(abs(part) - 1) > 1e-3 for part in local[:2]):
            assert covers(item, x, -y) == (abs(local.x) < 1 and abs(local.y) < 1), (x, y)


def test_a_cylinder_and_an_empty(bpy: Any, gather: Any) -> None:
    add_plane(bpy)
    obstacle(bpy, at=(3, 4, 1), shape="CYLINDER")
    [item] = items(gather)
    assert item["kind"] == "cylinder" and item["at"] == pytest.approx([3, 0, -4])
    assert (item["radius"], item["height"]) == pytest.approx((2**0.5, 2))
    empty = add_empty(bpy, "Spot", (-3, 0, 0))
    empty.navmesh.use = "OBSTACLE"
    assert len(items(gather)) == 2


def test_an_outline_is_covered_by_strips_that_go_no_farther(bpy: Any, gather: Any) -> None:
    """A disk of 12 corners: all of it is covered, and outside no more than a strip is wide, or what it is slant."""
    add_plane(bpy)
    angles = np.arange(12) * pi / 6
    corners = [(cos(a), sin(a), z) for z in (0, 1) for a in angles]
    mesh = bpy.data.meshes.new("Disk")
    faces = [list(range(11, -1, -1)), list(range(12, 24))]
    faces += [[k, (k + 1) % 12, 12 + (k + 1) % 12, 12 + k] for k in range(12)]
    mesh.from_pydata(corners, [], faces)
    disk = bpy.data.objects.new("Disk", mesh)
    bpy.context.scene.collection.objects.link(disk)
    disk.navmesh.use, disk.navmesh.obstacle_shape = "OBSTACLE", "CUT"
    disk.rotation_euler.z = 0.3
    found = items(gather)
    assert 1 < len(found) <= 16
    inner = cos(pi / 12)
    for angle in np.linspace(0, 2 * pi, 90):
        for radius in (0.2, 0.6, inner - 0.001):
            assert any(covers(item, radius * cos(angle), radius * sin(angle)) for item in found)
        assert not any(covers(item, 1.5 * cos(angle), 1.5 * sin(angle)) for item in found)


def test_what_covers_no_ground_is_told(bpy: Any, gather: Any) -> None:
    add_plane(bpy)
    obstacle(bpy).scale = (0, 1, 1)
    assert not gather().obstacles and [note.code for note in gather().notes] == ["BAD_MARKER"]


def test_each_instance_stands_for_itself(bpy: Any, gather: Any, addon: Any) -> None:
    add_plane(bpy)
    kit = new_collection(bpy, "Stall")
    obstacle(bpy, collection=kit)
    bpy.context.view_layer.layer_collection.children["Stall"].exclude = True
    for name, x in (("First", -5), ("Second", 5)):
        add_instance(bpy, name, kit, (x, 0, 0))
    assert sorted((one.shown_by, one.items[0]["min"][0]) for one in gather().obstacles) == [
        ("First", -6),
        ("Second", 4),
    ]
    now = addon("gather.gather_scene").gather_obstacles(bpy.context, 1.0)
    assert sorted(one.shown_by for one in now) == ["First", "Second"]


def test_no_navmesh_is_out_of_date_by_an_obstacle(bpy: Any, addon: Any) -> None:
    add_plane(bpy)
    crate = obstacle(bpy)
    bpy.ops.navmesh.build(scope="VISIBLE")
    crate.location.x = 4
    bpy.context.view_layer.update()
    navmesh, setup = bpy.data.objects["Navmesh"], bpy.context.scene.navmesh.setups[0]
    assert not addon("watch.out_of_date").out_of_date(navmesh, setup)


# --- shown


@pytest.fixture
def shown(bpy: Any, addon: Any) -> Any:
    """shown(): what With Obstacles shows now."""
    with_obstacles = addon("live.with_obstacles")
    yield lambda: with_obstacles.settle(bpy.context)
    with_obstacles.end()


def test_with_obstacles_follows_what_is_dragged_tile_by_tile(bpy: Any, addon: Any, shown: Any) -> None:
    add_plane(bpy, size=40)
    crate = obstacle(bpy, at=(-5, -5, 1))
    bpy.ops.navmesh.build(scope="VISIBLE", tile_size=16)
    polygons = len(bpy.data.objects["Navmesh"].data.polygons)
    assert bpy.ops.navmesh.with_obstacles() == {"FINISHED"}
    assert bpy.data.objects["Navmesh"].hide_get() and bpy.context.scene.navmesh.with_obstacles
    before = {kind: len(getattr(bpy.data, kind)) for kind in ("objects", "meshes", "materials", "collections")}
    now = shown()
    tiles = len(now.pictures)
    assert tiles >= 16 and now.rebuilt == tiles and not now.error
    query = addon("ask.asked_navmesh")
    assert not on_ground(now.followed.navmesh, -5, -5, query) and on_ground(now.followed.navmesh, 5, 5, query)
    crate.location = (5, 5, 1)
    assert shown() is now and 0 < now.rebuilt <= 8 < tiles / 2, "only the tiles that it touched and touches"
    assert on_ground(now.followed.navmesh, -5, -5, query) and not on_ground(now.followed.navmesh, 5, 5, query)
    shown()
    assert now.rebuilt <= 8 and now.job is None, "nothing to do"
    assert before == {kind: len(getattr(bpy.data, kind)) for kind in before}
    assert len(bpy.data.objects["Navmesh"].data.polygons) == polygons, "the navmesh itself is without"
    assert bpy.ops.navmesh.with_obstacles() == {"FINISHED"}
    assert not bpy.data.objects["Navmesh"].hide_get() and not bpy.context.scene.navmesh.with_obstacles


def on_ground(navmesh: Any, x: float, y: float, of_navcore: Any) -> bool:
    """Whether agents stand at a place of Blender's, by the navcore that the extension has."""
    import importlib

    name = of_navcore.__name__.partition(".navmesh_addon")[0]
    query = importlib.import_module(f"{name}.navcore").NavQuery(navmesh)
    near = query.nearest([[x, 0.0, -y]], (0.05, 1.0, 0.05))
    return bool(near.references[0]) and abs(near.points[0][0] - x) < 0.01 and abs(near.points[0][2] + y) < 0.01


def test_what_is_shown_is_what_is_left_after_all_moves(bpy: Any, shown: Any) -> None:
    """Dragged about, deleted and undone: in the end as if it had never been anywhere else."""
    add_plane(bpy)
    crate = obstacle(bpy, at=(-5, -5, 1))
    bpy.ops.navmesh.build(scope="VISIBLE", tile_size=16)
    bpy.ops.navmesh.with_obstacles()
    first = {key: picture.corners.tobytes() for key, picture in shown().pictures.items()}
    bpy.ops.ed.undo_push(message="first")
    rng = np.random.default_rng(3)
    for x, y, turn in rng.uniform((-9, -9, 0), (9, 9, 3), (12, 3)):
        crate.location, crate.rotation_euler.z = (x, y, 1), turn
        shown()
    assert {k: p.corners.tobytes() for k, p in shown().pictures.items()} != first
    bpy.ops.ed.undo_push(message="dragged")
    bpy.ops.ed.undo()
    assert {k: p.corners.tobytes() for k, p in shown().pictures.items()} == first
    bpy.data.objects.remove(bpy.data.objects["Crate"])
    assert not shown().standing


def test_a_level_in_one_piece_and_one_without_a_navmesh(bpy: Any, addon: Any, shown: Any) -> None:
    add_plane(bpy)
    obstacle(bpy)
    with pytest.raises(RuntimeError, match="no navmesh to show with obstacles yet"):
        bpy.ops.navmesh.with_obstacles()
    bpy.ops.navmesh.build(scope="VISIBLE")
    bpy.ops.navmesh.with_obstacles()
    assert shown().rebuilt and not shown().error
    say = addon("live.with_obstacles").state
    assert say(bpy.context.scene).startswith("1 obstacle, ")


def test_what_is_refused_is_shown_again_once_it_is_mended(bpy: Any, addon: Any, shown: Any) -> None:
    add_plane(bpy)
    crate, other = obstacle(bpy, at=(-5, -5, 1)), obstacle(bpy, at=(5, -5, 1))
    bpy.ops.navmesh.build(scope="VISIBLE", tile_size=16)
    bpy.ops.navmesh.with_obstacles()
    first = {key: picture.corners.tobytes() for key, picture in shown().pictures.items()}
    say, query = addon("live.with_obstacles").state, addon("ask.asked_navmesh")
    crate.scale.x, other.location = 1e20, (5, 5, 1)
    assert "must be a number up to" in shown().error and say(bpy.context.scene) == shown().error
    crate.scale.x = 1
    now = shown()
    assert not now.error and say(bpy.context.scene).startswith("2 obstacles, ")
    assert on_ground(now.followed.navmesh, 5, -5, query) and not on_ground(now.followed.navmesh, 5, 5, query)
    other.location = (5, -5, 1)
    assert {key: picture.corners.tobytes() for key, picture in shown().pictures.items()} == first


# --- written


def test_exported_with_its_sidecar(bpy: Any, tmp_path: Any) -> None:
    add_plane(bpy)
    crate = obstacle(bpy, at=(-5, -5, 1))
    path = tmp_path / "level.tilecache.bin"
    bpy.ops.navmesh.build(scope="VISIBLE")
    with pytest.raises(RuntimeError, match="tile_size is 0"):
        bpy.ops.navmesh.export(filepath=str(path))
    bpy.ops.navmesh.build(scope="VISIBLE", tile_size=16)
    crate.location.x = 5
    bpy.ops.object.empty_add(location=(0, 0, 0))
    bpy.context.object.navmesh.use = "SEED"
    bpy.ops.navmesh.build(scope="VISIBLE", tile_size=16, prune=True)
    with pytest.raises(RuntimeError, match="untick Only What Seeds Reach"):
        bpy.ops.navmesh.export(filepath=str(path))
    bpy.ops.navmesh.build(scope="VISIBLE", tile_size=16, prune=False)
    assert bpy.ops.navmesh.export(filepath=str(path)) == {"FINISHED"}
    assert path.read_bytes()[:4] == b"TSET"[::-1] or path.read_bytes()[:4] == b"TSET"
    sidecar = json.loads((tmp_path / "level.tilecache.json").read_text(encoding="utf-8"))
    [item] = sidecar["obstacles"]
    assert item["kind"] == "aabb" and item["min"][0] == pytest.approx(4), "where it stands now"
    navmesh = tmp_path / "level.bin"
    assert bpy.ops.navmesh.export(filepath=str(navmesh)) == {"FINISHED"}
    assert navmesh.stat().st_size


def test_what_stands_on_no_ground_is_told_by_object_where_it_stands(bpy: Any, addon: Any) -> None:
    """In Blender's coordinates, once for all boxes of an outline, and beside it nothing that the build has told."""
    add_plane(bpy)
    crate = obstacle(bpy, at=(5, -5, 30))
    crate.name, crate.navmesh.obstacle_shape = "Crate", "CUT"
    obstacle(bpy, at=(-5, -5, 1))
    gate = add_cube(bpy, "Gate", (0, 0, 40))
    gate.navmesh.use = "DOOR"
    bpy.ops.navmesh.build(scope="VISIBLE", tile_size=16)
    built = addon("objects.built_from").finished_navmesh(bpy.context)
    obstacles = addon("gather.gather_scene").gather_obstacles(bpy.context, 1.0)
    cache = addon("builds.tile_caches").cache_with(built.request, obstacles, 1)
    rows = addon("objects.build_report").cache_rows(cache, obstacles, built)
    assert [(row["code"], row["object"]) for row in rows] == [("OBSTACLE_OFF_LEVEL", "Crate")]
    assert rows[0]["message"].startswith("“Crate” stands on no ground") and rows[0]["message"].endswith(", 29).")
