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
    """Until everything is built and written; then it is what a full build gives."""
    yield 0.3
    yield from driver.wait(lambda: now() is not None and now().is_at_rest, f"{what}: {state()}", 120)
    assert not now().problem, now().problem
    yield 0.3
    same_as_a_build(what)


def same_as_a_build(what: str) -> None:
    """To the last byte: what is in memory, and what the mesh object holds."""
    built_from, builder = driver.ours("objects.built_from"), driver.ours("builds.builder")
    requests = driver.ours("builds.level_gathering").gather_at_once(bpy.context, built_from.plans_again(bpy.context))
    full = builder.build_all(requests, driver.ours("builds.threads_and_kernel_folder").usual_means())[0]
    arrays = driver.ours("objects.navmesh_to_arrays").surfaces(
        full.navmesh, full.islands, full.values, driver.ours("stored.area_types").area_rows(bpy.context.scene), 1.0
    )
    for name, surface in zip(("Navmesh", "Navmesh Detail"), arrays, strict=True):
        mesh = bpy.data.objects[name].data
        points = np.empty(3 * len(mesh.vertices), np.float32)
        mesh.attributes["position"].data.foreach_get("vector", points)
        assert points.tobytes() == surface.vertices.tobytes(), (what, name)
        for attribute, wanted in surface.attributes.items():
            values = np.empty(len(mesh.polygons), wanted.dtype)
            mesh.attributes[attribute].data.foreach_get("value", values)
            assert values.tobytes() == wanted.tobytes(), (what, name, attribute)
