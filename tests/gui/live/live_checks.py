"""What scenarios ask of live mode."""

import bpy
import driver
import numpy as np
from driver import Steps


def mode() -> object:
    return driver.ours("live.live_mode")


def now() -> object:
    """What follows for the active setup."""
    followed = mode().following()
    return None if followed is None else next(iter(followed), None)


def state() -> str:
    return mode().state(bpy.context.scene)


def at_rest(what: str) -> Steps:
    """Until everything is built and written, of all setups; then it is what a full build gives."""
    yield 0.3
    yield from driver.wait(lambda: now() is not None and mode().following().is_at_rest, f"{what}: {state()}", 120)
    assert not any(one.problem for one in mode().following()), [one.problem for one in mode().following()]
    yield 0.3
    same_as_a_build(what)


def same_as_a_build(what: str) -> None:
    """To the last byte: what mesh objects hold, of the navmesh of each setup."""
    built_from, builder = driver.ours("objects.built_from"), driver.ours("builds.run_builds")
    objects, scene = driver.ours("objects.navmesh_objects").navmesh_objects(bpy.context.scene), bpy.context.scene
    polygons = [object_ for (_, role), object_ in objects.items() if role == "polygon_mesh"]
    assert polygons, what
    for object_ in polygons:
        plans = built_from.plans_again(bpy.context, object_.name)
        requests = driver.ours("builds.level_gathering").gather_at_once(bpy.context, plans)
        full = builder.build_all(requests, driver.ours("builds.threads_and_kernel_folder").usual_means())[0]
        arrays = driver.ours("objects.navmesh_to_arrays").surfaces(
            full.navmesh, full.islands, full.values, driver.ours("stored.area_types").area_rows(scene), 1.0
        )
        for role, surface in zip(("polygon_mesh", "detail_mesh"), arrays, strict=True):
            mesh_holds(objects[object_["navmesh_setup"], role], surface, what)


def mesh_holds(object_: bpy.types.Object, surface: object, what: str) -> None:
    mesh = object_.data
    points = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.attributes["position"].data.foreach_get("vector", points)
    assert points.tobytes() == surface.vertices.tobytes(), (what, object_.name)
    for attribute, wanted in surface.attributes.items():
        values = np.empty(len(mesh.polygons), wanted.dtype)
        mesh.attributes[attribute].data.foreach_get("value", values)
        assert values.tobytes() == wanted.tobytes(), (what, object_.name, attribute)
