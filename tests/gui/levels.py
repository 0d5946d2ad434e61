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
