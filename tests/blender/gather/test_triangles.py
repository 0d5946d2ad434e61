"""Scene → triangles: every kind of object, where it is, and which way it faces."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

from tests.blender.scenes import (
    add_cube,
    add_empty,
    add_mesh,
    add_plane,
    add_scattered_cubes,
    link,
    new_collection,
    triangle_set,
    volume_of,
)


def test_axes(bpy: Any, gather: Any) -> None:
    """Blender's (x, y, z) is (x, z, −y); a face that looks up keeps looking up."""
    add_mesh(bpy, "T", [(1, 2, 3), (4, 2, 3), (1, 7, 3)], [(0, 1, 2)])
    found = gather()
    assert found.vertices.tolist() == [[1, 3, -2], [4, 3, -2], [1, 3, -7]]
    assert found.triangles.tolist() == [[0, 1, 2]]
    assert (found.vertices.dtype, found.triangles.dtype) == (np.float32, np.int32)
    a, b, c = found.vertices
    assert np.cross(b - a, c - a)[1] > 0


def test_axes_there_and_back(addon: Any) -> None:
    axes = addon("axes")
    points = np.random.default_rng(1).normal(size=(100, 3)).astype(np.float32)
    for metres in (1.0, 0.01):
        there = axes.to_navcore(np.eye(4), metres).points(points)
        np.testing.assert_allclose(axes.to_blender(there, metres), points, rtol=1e-6)
    assert (axes.to_blender(axes.to_navcore(np.eye(4)).points(points)) == points).all()


def test_quarter_turns_are_exact(bpy: Any, gather: Any) -> None:
    """Importers turn Y-up files by 90°, which leaves 7.5e-8 in the matrix: the file's own numbers must come out."""
    points = np.random.default_rng(2).uniform(-500, 500, (30, 3)).astype(np.float32)
    object_ = add_mesh(bpy, "Imported", points, np.arange(30).reshape(-1, 3))
    object_.rotation_euler = (np.pi / 2, 0, 0)
    assert (gather().vertices == points).all()


def test_unit_scale(bpy: Any, gather: Any) -> None:
    """In a scene of centimetres, 200 units are two metres."""
    bpy.context.scene.unit_settings.scale_length = 0.01
    add_plane(bpy, size=200.0, at=(0, 0, 300))
    found = gather()
    assert np.abs(found.vertices).max(0).tolist() == [1, 3, 1]


def test_modifiers_scales_and_parents_as_if_applied_by_hand(bpy: Any, gather: Any) -> None:
    parent = add_empty(bpy, "Parent", (3, 1, 2))
    parent.scale, parent.rotation_euler = (1, 2, 0.5), (0.2, 0.4, 0.6)
    child = add_cube(bpy, "Sheared", (1, 2, 3))
    child.parent, child.rotation_euler = parent, (0.5, 0.1, 0.9)
    mirrored = add_cube(bpy, "Mirrored", (-5, 0, 0))
    mirrored.scale = (-1, 2, 3)
    smooth = add_cube(bpy, "Smooth", (9, 0, 0))
    smooth.modifiers.new("Subdivision", "SUBSURF").levels = 2
    smooth.modifiers.new("Array", "ARRAY").count = 3
    edited = add_cube(bpy, "Edited", (0, 9, 0))
    bpy.context.view_layer.objects.active = edited
    bpy.ops.object.select_all(action="DESELECT")
    edited.select_set(True)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.transform.translate(value=(0, 0, 5))
    before = gather()
    bpy.ops.object.mode_set(mode="OBJECT")

    bpy.ops.object.select_all(action="SELECT")
    bpy.ops.object.convert(target="MESH")
    bpy.context.view_layer.update()
    matrices = {t.name: t.matrix_world.copy() for t in bpy.data.objects if t.type == "MESH"}
    for name, matrix in matrices.items():
        object_ = bpy.data.objects[name]
        object_.parent = None  # clearing it by operator would drop the shear
        object_.data.transform(matrix)
        if matrix.determinant() < 0:
            object_.data.flip_normals()
        object_.matrix_world.identity()
    after = gather()
    assert len(before.triangles) == 12 * 3 + 3 * 16 * 6 * 2
    assert triangle_set(before, 3) == triangle_set(after, 3)
    assert volume_of(before) > 8 * 3


@pytest.mark.parametrize("scale", [(-1, 1, 1), (1, -1, 1), (1, 1, -1), (-1, -1, 1), (-1, -1, -1), (2, -3, 4)])
def test_mirrored_objects_keep_facing_outward(bpy: Any, gather: Any, scale: Any) -> None:
    add_cube(bpy).scale = scale
    assert volume_of(gather()) == pytest.approx(8 * abs(np.prod(scale)))


def test_collection_instances(bpy: Any, gather: Any) -> None:
    inner = bpy.data.collections.new("Kit")  # not in the scene by itself
    add_cube(bpy, "Block", (1, 0, 0), inner)
    for k in range(3):
        instance = add_empty(bpy, f"Copy {k}", (10 * k, 0, 0))
        instance.instance_type, instance.instance_collection = "COLLECTION", inner
        instance.scale = (1, 1, -1) if k == 2 else (1, 1, 1)
    found = gather()
    assert len(found.triangles) == 36
    assert found.used == ["Copy 0", "Copy 1", "Copy 2"]
    assert volume_of(found) == pytest.approx(24)
    assert found.vertices[:, 0].max() == 22


def test_selected_instances_only(bpy: Any, gather: Any) -> None:
    inner = bpy.data.collections.new("Kit")
    add_cube(bpy, "Block", collection=inner)
    copies = [add_empty(bpy, f"Copy {k}", (10 * k, 0, 0)) for k in range(2)]
    for instance in copies:
        instance.instance_type, instance.instance_collection = "COLLECTION", inner
    bpy.ops.object.select_all(action="DESELECT")
    copies[1].select_set(True)
    found = gather("SELECTED")
    assert found.used == ["Copy 1"]
    assert found.sources.scope == "LISTED" and found.sources.names == ("Copy 1",)


def test_geometry_nodes_instances(bpy: Any, gather: Any) -> None:
    add_scattered_cubes(bpy)
    found = gather()
    assert len(found.triangles) == 16 * 12
    assert found.used == ["Host"]
    assert volume_of(found) == pytest.approx(16)
    assert np.ptp(found.vertices, axis=0) == pytest.approx([31, 1, 31])


def test_particle_instances(bpy: Any, gather: Any) -> None:
    ground = add_plane(bpy)
    stone = add_cube(bpy, "Stone", (100, 0, 0))
    settings = ground.modifiers.new("Particles", "PARTICLE_SYSTEM").particle_system.settings
    settings.type, settings.count, settings.render_type, settings.instance_object = "HAIR", 7, "OBJECT", stone
    settings.use_advanced_hair = True
    found = gather()
    assert len(found.triangles) == 2 + 12 + 7 * 12


@pytest.mark.parametrize("kind", ["CURVE", "SURFACE", "FONT", "META"])
def test_other_geometry(bpy: Any, gather: Any, kind: str) -> None:
    """As many triangles as Blender's own conversion gives, once."""
    if kind == "CURVE":
        bpy.ops.curve.primitive_bezier_circle_add()
        bpy.context.object.data.bevel_depth = 0.1
    elif kind == "SURFACE":
        bpy.ops.surface.primitive_nurbs_surface_sphere_add()
    elif kind == "FONT":
        bpy.ops.object.text_add()
        bpy.context.object.data.extrude = 0.1
    else:
        bpy.ops.object.metaball_add()
    object_ = bpy.context.object
    assert object_.type == kind
    found = gather()
    mesh = bpy.data.meshes.new_from_object(object_.evaluated_get(bpy.context.evaluated_depsgraph_get()))
    mesh.calc_loop_triangles()
    assert len(found.triangles) == len(mesh.loop_triangles) > 10
    assert found.used == [object_.name]


def test_linked_data_is_read_once_and_placed_twice(bpy: Any, gather: Any) -> None:
    first = add_cube(bpy, "First")
    link(bpy, bpy.data.objects.new("Second", first.data)).location = (50, 0, 0)
    assert len(gather().triangles) == 24


def test_edit_mode_of_several_objects(bpy: Any, gather: Any) -> None:
    objects = [add_cube(bpy, f"Cube {k}", (5 * k, 0, 0)) for k in range(2)]
    for object_ in objects:
        object_.select_set(True)
    bpy.context.view_layer.objects.active = objects[0]
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.mesh.subdivide()
    assert len(gather().triangles) == 2 * 48
    assert bpy.context.mode == "EDIT_MESH", "gathering must not leave edit mode"


def test_linked_libraries_are_read_and_left_alone(bpy: Any, gather: Any, tmp_path: Any) -> None:
    kit = new_collection(bpy, "Kit")
    add_cube(bpy, "Block", collection=kit)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"))
    bpy.ops.wm.read_homefile(use_empty=True)
    with bpy.data.libraries.load(str(tmp_path / "library.blend"), link=True) as (_, wanted):
        wanted.collections = ["Kit"]
    bpy.context.scene.collection.children.link(bpy.data.collections["Kit"])
    instance = add_empty(bpy, "Copy", (10, 0, 0))
    instance.instance_type, instance.instance_collection = "COLLECTION", bpy.data.collections["Kit"]
    found = gather()
    assert len(found.triangles) == 24 and sorted(found.used) == ["Block", "Copy"]
    add_plane(bpy)
    bpy.ops.navmesh.build(scope="VISIBLE")
    assert bpy.data.objects["Navmesh"].library is None


def test_an_object_in_edit_mode_that_another_scene_shows_too(bpy: Any, gather: Any) -> None:
    object_ = add_cube(bpy)
    first, other = bpy.context.scene, bpy.data.scenes.new("Other")
    other.collection.objects.link(object_)
    bpy.context.view_layer.objects.active = object_
    object_.select_set(True)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.context.window.scene = other
    assert len(gather().triangles) == 12
    bpy.context.window.scene = first
    assert bpy.context.mode == "EDIT_MESH"
    bpy.ops.object.mode_set(mode="OBJECT")


def test_a_million_triangles_quickly(bpy: Any, gather: Any) -> None:
    side = 709
    x, y = np.meshgrid(np.arange(side), np.arange(side))
    corner = (np.arange(side - 1)[:, None] * side + np.arange(side - 1)).ravel()
    quads = np.stack([corner, corner + 1, corner + side + 1, corner + side], 1).astype(np.int32)
    mesh = bpy.data.meshes.new("Big")
    mesh.vertices.add(side * side)
    mesh.loops.add(quads.size)
    mesh.polygons.add(len(quads))
    points = np.stack([x.ravel(), y.ravel(), np.sin(x.ravel() * 0.1)], 1).astype(np.float32)
    mesh.attributes["position"].data.foreach_set("vector", points.ravel())
    mesh.attributes[".corner_vert"].data.foreach_set("value", quads.ravel())
    mesh.polygons.foreach_set("loop_start", np.arange(0, quads.size, 4, dtype=np.int32))
    mesh.update(calc_edges=True)
    object_ = link(bpy, bpy.data.objects.new("Big", mesh))
    object_.rotation_euler = (0.1, 0.2, 0.3)
    best = np.inf
    for _ in range(3):
        begin = time.process_time()
        found = gather()
        best = min(best, time.process_time() - begin)
    assert len(found.triangles) == 2 * 708 * 708
    print(f"{best:.3f} s for {len(found.triangles):,} triangles")
    assert best < 1.5, "0.5 s is the aim; a slow machine gets thrice that"
