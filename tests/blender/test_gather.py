"""Scene → triangles: every kind of object, where it is, which way it faces, and what is left out."""

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
    link,
    new_collection,
    triangle_set,
    volume_of,
)


@pytest.fixture
def gather(bpy: Any, addon: Any) -> Any:
    """gather(scope="VISIBLE", **sources)"""
    Sources = addon("stored.sources").Sources  # noqa: N806 - a class

    def run(scope: str = "VISIBLE", **sources: Any) -> Any:
        bpy.context.view_layer.update()
        return addon("gather.gather_scene").gather(bpy.context, Sources(scope=scope, **sources))

    return run


def refused(addon: Any) -> Any:
    return addon("errors", "navcore").BadInput


# ----------------------------------------------------------------- coordinates


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
    thing = add_mesh(bpy, "Imported", points, np.arange(30).reshape(-1, 3))
    thing.rotation_euler = (np.pi / 2, 0, 0)
    assert (gather().vertices == points).all()


def test_unit_scale(bpy: Any, gather: Any) -> None:
    """In a scene of centimetres, 200 units are two metres."""
    bpy.context.scene.unit_settings.scale_length = 0.01
    add_plane(bpy, size=200.0, at=(0, 0, 300))
    found = gather()
    assert np.abs(found.vertices).max(0).tolist() == [1, 3, 1]


# ------------------------------------------------------------- kinds of objects


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
        thing = bpy.data.objects[name]
        thing.parent = None  # clearing it by operator would drop the shear
        thing.data.transform(matrix)
        if matrix.determinant() < 0:
            thing.data.flip_normals()
        thing.matrix_world.identity()
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
    tree = bpy.data.node_groups.new("Scatter", "GeometryNodeTree")
    tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    cube, grid, instances, out = (
        tree.nodes.new(kind)
        for kind in ("GeometryNodeMeshCube", "GeometryNodeMeshGrid", "GeometryNodeInstanceOnPoints", "NodeGroupOutput")
    )
    grid.inputs["Vertices X"].default_value = grid.inputs["Vertices Y"].default_value = 4
    grid.inputs["Size X"].default_value = grid.inputs["Size Y"].default_value = 30
    tree.links.new(grid.outputs["Mesh"], instances.inputs["Points"])
    tree.links.new(cube.outputs["Mesh"], instances.inputs["Instance"])
    tree.links.new(instances.outputs[0], out.inputs[0])
    host = add_mesh(bpy, "Host", [(0, 0, 0)], [])
    host.modifiers.new("Nodes", "NODES").node_group = tree
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
    thing = bpy.context.object
    assert thing.type == kind
    found = gather()
    mesh = bpy.data.meshes.new_from_object(thing.evaluated_get(bpy.context.evaluated_depsgraph_get()))
    mesh.calc_loop_triangles()
    assert len(found.triangles) == len(mesh.loop_triangles) > 10
    assert found.used == [thing.name]


def test_linked_data_is_read_once_and_placed_twice(bpy: Any, gather: Any) -> None:
    first = add_cube(bpy, "First")
    link(bpy, bpy.data.objects.new("Second", first.data)).location = (50, 0, 0)
    assert len(gather().triangles) == 24


def test_edit_mode_of_several_objects(bpy: Any, gather: Any) -> None:
    things = [add_cube(bpy, f"Cube {k}", (5 * k, 0, 0)) for k in range(2)]
    for thing in things:
        thing.select_set(True)
    bpy.context.view_layer.objects.active = things[0]
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
    thing = add_cube(bpy)
    first, other = bpy.context.scene, bpy.data.scenes.new("Other")
    other.collection.objects.link(thing)
    bpy.context.view_layer.objects.active = thing
    thing.select_set(True)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.context.window.scene = other
    assert len(gather().triangles) == 12
    bpy.context.window.scene = first
    assert bpy.context.mode == "EDIT_MESH"
    bpy.ops.object.mode_set(mode="OBJECT")


# -------------------------------------------------------------------- bad input


def test_triangles_that_are_not_finite_are_dropped_by_name(bpy: Any, gather: Any) -> None:
    add_plane(bpy)
    broken = add_mesh(bpy, "Broken", [(0, 0, 0), (1, 0, 0), (0, 1, 0), (5, 5, 0)], [(0, 1, 2), (1, 3, 2)])
    broken.data.vertices[3].co = (np.nan, 0, np.inf)
    found = gather()
    assert len(found.triangles) == 3
    assert np.isfinite(found.vertices).all()
    assert [(note.code, note.name) for note in found.notes] == [("NOT_FINITE", "Broken")]


def test_loose_vertices_do_not_inflate_the_bounds(bpy: Any, gather: Any) -> None:
    add_mesh(bpy, "Loose", [(0, 0, 0), (9999, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 2, 3)])
    found = gather()
    assert found.vertices[:, 0].max() == 1 and found.triangles.tolist() == [[0, 1, 2]]


def test_zero_scale_warns(bpy: Any, gather: Any) -> None:
    add_cube(bpy, "Flat").scale = (1, 1, 0)
    assert [(note.code, note.name) for note in gather().notes] == [("ZERO_SCALE", "Flat")]


@pytest.mark.parametrize(
    ("scope", "text"),
    [("SELECTED", "Nothing is selected"), ("VISIBLE", "nothing visible"), ("LISTED", "there any more")],
)
def test_nothing_to_build_from(addon: Any, gather: Any, scope: str, text: str) -> None:
    with pytest.raises(refused(addon), match=text):
        gather(scope)


def test_an_unknown_collection_is_refused(addon: Any, gather: Any) -> None:
    with pytest.raises(refused(addon), match="no collection named “Nowhere”"):
        gather("COLLECTION", collection="Nowhere")


def test_names_of_any_kind(bpy: Any, gather: Any) -> None:
    names = ["é" * 31, "🗿" * 15, "a" * 62, "with\nnewline"]
    for name in names:
        add_cube(bpy, name)
    assert sorted(gather().used) == sorted(names)


# ------------------------------------------------------------------ what is used


def test_what_is_not_used_is_told_with_its_reason(bpy: Any, gather: Any) -> None:
    add_plane(bpy)
    add_cube(bpy, "Tree-noimp.001")
    add_cube(bpy, "UCX_House_01")
    add_cube(bpy, "Wall-colonly")
    add_cube(bpy, "By Panel").navmesh.use = "EXCLUDE"
    add_cube(bpy, "By Property")["navmesh_use"] = False
    left_out = new_collection(bpy, "Props")
    left_out.navmesh.exclude = True
    add_cube(bpy, "In Props", collection=left_out)
    add_cube(bpy, "UCX_But Wanted", collection=left_out)["navmesh_use"] = True
    add_cube(bpy, "Hidden").hide_set(True)
    add_mesh(bpy, "Wire", [(0, 0, 0), (1, 0, 0)], [])
    found = gather()
    assert sorted(found.used) == ["Ground", "UCX_But Wanted"]
    why = dict(found.skipped)
    assert why == {
        "Tree-noimp.001": "its name fits *-noimp",
        "UCX_House_01": "its name fits UCX_*",
        "Wall-colonly": "its name fits *-colonly",
        "By Panel": "left out on the object",
        "By Property": "left out on the object",
        "In Props": "its collection Props is left out",
        "Hidden": "hidden",
        "Wire": "has no faces",
    }


def test_only_names_and_kinds(bpy: Any, gather: Any) -> None:
    add_plane(bpy)
    add_cube(bpy, "UCX_House")
    assert gather(skip_names="", only_names="UCX_*").used == ["UCX_House"]
    bpy.ops.object.text_add()
    assert "Text" in gather().used
    assert "Text" not in gather(kinds=("MESH",)).used


def test_a_collection(bpy: Any, gather: Any) -> None:
    level, nested = new_collection(bpy, "Level"), bpy.data.collections.new("Nested")
    level.children.link(nested)
    add_cube(bpy, "Outside")
    add_cube(bpy, "Inside", collection=level)
    add_cube(bpy, "Deep", collection=nested)
    assert sorted(gather("COLLECTION", collection="Level").used) == ["Deep", "Inside"]


def test_our_own_navmesh_is_never_input(bpy: Any, gather: Any) -> None:
    add_plane(bpy)
    before = gather()
    bpy.ops.navmesh.build(scope="VISIBLE")
    home = bpy.data.collections["Navmesh"]
    bpy.context.scene.collection.objects.link(home.objects[0])  # dragged elsewhere
    home.objects[0].hide_select = False
    assert triangle_set(gather()) == triangle_set(before)


# ------------------------------------------------------------------------ areas


def areas_by_name(found: Any) -> dict[str, list[int]]:
    return {p.name: sorted(set(found.areas[p.first : p.first + p.size].tolist())) for p in found.parts}


def test_areas_of_objects_collections_materials_and_faces(bpy: Any, gather: Any) -> None:
    add_plane(bpy, "Plain")
    add_plane(bpy, "Object").navmesh.area = 2
    add_plane(bpy, "Property")["navmesh_area"] = 3
    add_plane(bpy, "Forbidden").navmesh.area = -1
    grass = new_collection(bpy, "Grass")
    grass.navmesh.area = 4
    add_plane(bpy, "Collection", collection=grass)
    add_plane(bpy, "Object Wins", collection=grass).navmesh.area = 63
    wet = bpy.data.materials.new("Wet")
    wet.navmesh.area = 1
    mixed = add_cube(bpy, "Material")
    mixed.data.materials.append(None)
    mixed.data.materials.append(wet)
    for face in list(mixed.data.polygons)[:2]:
        face.material_index = 1
    painted = add_cube(bpy, "Face")
    painted.navmesh.area = 2
    values = [0, 0, 5, 5, -1, 63]
    painted.data.attributes.new("navmesh_area", "INT", "FACE").data.foreach_set("value", values)
    assert areas_by_name(gather()) == {
        "Plain": [63], "Object": [2], "Property": [3], "Forbidden": [0], "Collection": [4], "Object Wins": [63],
        "Material": [1, 63], "Face": [0, 2, 5, 63],
    }  # fmt: skip


def test_without_areas_there_is_no_array(bpy: Any, gather: Any) -> None:
    add_plane(bpy)
    assert gather().areas is None


def test_an_attribute_of_the_wrong_kind_is_told(bpy: Any, gather: Any) -> None:
    add_plane(bpy).data.attributes.new("navmesh_area", "FLOAT", "POINT")
    assert [note.code for note in gather().notes] == ["ODD_ATTRIBUTE"]


def test_area_volumes(bpy: Any, gather: Any) -> None:
    add_plane(bpy)
    volume = add_cube(bpy, "Lake", (3, 4, 5))
    volume.scale, volume.rotation_euler = (2, 1, 0.5), (0, 0, np.pi / 4)
    volume.navmesh.use, volume.navmesh.area = "VOLUME", 1
    blocked = add_empty(bpy, "Blocked", (-3, 0, 0))
    blocked.navmesh.use, blocked.navmesh.area = "VOLUME", -1
    found = gather()
    assert found.used == ["Ground"]
    lake, block = sorted(found.volumes, key=lambda v: -v["area"])
    assert (lake["area"], lake["min_height"], lake["max_height"]) == (1, 4.5, 5.5)
    assert len(lake["points"]) == 4
    x, z = np.array(lake["points"]).T
    assert abs(np.dot(x, np.roll(z, -1)) - np.dot(z, np.roll(x, -1))) / 2 == pytest.approx(8)
    assert (np.mean(x), np.mean(z)) == pytest.approx((3, -4))
    assert block["area"] == 0 and np.array(block["points"]).min(0).tolist() == [-4, -1]


def test_links(bpy: Any, gather: Any) -> None:
    add_plane(bpy)
    start, end = add_empty(bpy, "Start", (1, 2, 3)), add_empty(bpy, "End", (4, 5, 6))
    start.navmesh.use, start.navmesh.link_end, start.navmesh.link_bidirectional = "LINK", end, False
    curve = bpy.data.curves.new("Jump", "CURVE")
    curve.dimensions = "3D"
    spline = curve.splines.new("POLY")
    spline.points.add(2)
    spline.points.foreach_set("co", [0, 0, 0, 1, 0, 1, 5, 1, 0, 2, 0, 1])
    jump = link(bpy, bpy.data.objects.new("Jump", curve))
    jump.navmesh.use, jump.navmesh.link_radius, jump.location = "LINK", 1.5, (10, 0, 0)
    lonely = add_empty(bpy, "Lonely")
    lonely.navmesh.use = "LINK"
    found = gather()
    one_way, both = sorted(found.links, key=lambda link: link["bidirectional"])
    assert one_way["start"] == [1, 3, -2] and one_way["end"] == pytest.approx([4, 6, -5])
    assert one_way["radius"] == 0.6 and one_way["area"] == 5 and one_way["flags"] == 8
    assert both["start"] == [10, 0, 0] and both["end"] == [10, 0, -2] and both["radius"] == 1.5
    assert [note.name for note in found.notes] == ["Lonely"]


def test_bounds(bpy: Any, gather: Any) -> None:
    add_plane(bpy)
    box = add_cube(bpy, "Box", (1, 2, 3))
    box.navmesh.use = "BOUNDS"
    assert gather().bounds == (0, 2, -3, 2, 4, -1)


# ------------------------------------------------------------------------- speed


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
    thing = link(bpy, bpy.data.objects.new("Big", mesh))
    thing.rotation_euler = (0.1, 0.2, 0.3)
    best = np.inf
    for _ in range(3):
        begin = time.perf_counter()
        found = gather()
        best = min(best, time.perf_counter() - begin)
    assert len(found.triangles) == 2 * 708 * 708
    print(f"{best:.3f} s for {len(found.triangles):,} triangles")
    assert best < 1.5, "0.5 s is the aim; a busy machine gets thrice that"
