"""What the scenarios build on."""

import bpy
import driver
import numpy as np

SIDE = 150.0  # m
FINE = SIDE / 5000  # m of cell size: three seconds of work for one processor


def import_level(path: str) -> None:
    """The level of an .obj file, selected; nothing else is in the scene."""
    clear()
    bpy.ops.wm.obj_import(filepath=path)
    bpy.ops.ed.undo_push(message="Level")


def clear() -> None:
    for object_ in list(bpy.data.objects):
        bpy.data.objects.remove(object_)


def make_hills() -> None:
    """A square of gentle hills, selected; nothing else is in the scene."""
    clear()
    count = 200
    along = np.linspace(-SIDE / 2, SIDE / 2, count)
    x, y = (values.ravel() for values in np.meshgrid(along, along))
    height = 3 * np.sin(x / 7) * np.cos(y / 9)
    first = (np.arange(count - 1)[:, None] * count + np.arange(count - 1)).ravel()
    quads = np.stack((first, first + 1, first + count + 1, first + count), axis=1)
    mesh = bpy.data.meshes.new("Hills")
    mesh.from_pydata(np.stack((x, y, height), axis=1).tolist(), [], quads.tolist())
    hills = bpy.data.objects.new("Hills", mesh)
    bpy.context.scene.collection.objects.link(hills)
    hills.select_set(True)
    bpy.context.view_layer.objects.active = hills
    driver.viewport().spaces.active.region_3d.view_distance = 120
    bpy.ops.ed.undo_push(message="Level")


def make_rooms() -> None:
    """A yard with pillars that a giant hardly fits between, and a pond as an area volume; all selected."""
    clear()
    ground = add_box("Yard", (0, 0, -0.5), (12, 9, 0.5))
    for k in range(5):
        add_box(f"Pillar {k}", (-8 + 4 * k, 3 - 1.5 * (k % 2), 1.5), (0.6, 0.6, 1.5))
    pond = add_box("Pond", (5, -4, 0.5), (4, 3, 1))
    pond.navmesh.use, pond.navmesh.area, pond.display_type = "VOLUME", 1, "WIRE"
    bpy.context.view_layer.objects.active = ground
    view = driver.viewport().spaces.active.region_3d
    view.view_distance, view.view_location = 30, (0, 0, 0)
    bpy.ops.ed.undo_push(message="Level")


def add_box(name: str, middle: tuple[float, float, float], half: tuple[float, float, float]) -> bpy.types.Object:
    corners = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata((np.array(corners) * half).tolist(), [], faces)
    object_ = bpy.data.objects.new(name, mesh)
    object_.location = middle
    bpy.context.scene.collection.objects.link(object_)
    object_.select_set(True)
    return object_


CRATE_TRIANGLES = 200


def make_crates(count: int) -> None:
    """Crates in rows, each with a mesh of its own; everything visible is built, coarsely."""
    clear()
    side = int((CRATE_TRIANGLES // 2) ** 0.5)
    x, y = (values.ravel() for values in np.meshgrid(np.linspace(-1, 1, side + 1), np.linspace(-1, 1, side + 1)))
    first = (np.arange(side)[:, None] * (side + 1) + np.arange(side)).ravel()
    quads = np.stack((first, first + 1, first + side + 2, first + side + 1), axis=1)
    mesh = bpy.data.meshes.new("Crate")
    mesh.from_pydata(np.stack((x, y, 0 * x), axis=1).tolist(), [], quads.tolist())
    for number in range(count):
        crate = bpy.data.objects.new(f"Crate {number}", mesh.copy())
        crate.location = (2 * (number % 100), 2 * (number // 100), 0)
        bpy.context.scene.collection.objects.link(crate)
    draft = bpy.context.scene.navmesh.draft
    draft.scope, draft.cell_size, draft.tile_size = "VISIBLE", 0.3, 64
    driver.viewport().spaces.active.region_3d.view_distance = 400
    bpy.ops.ed.undo_push(message="Level")
