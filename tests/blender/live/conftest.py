"""A level with a navmesh that is followed by hand: in background mode no timer ever fires."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

from tests.blender.scenes import add_cube, add_plane


class Followed(NamedTuple):
    """What tests of it need."""

    following: Any
    settle: Callable[[], None]
    content: Callable[[], Any]
    rebuilt: Callable[[], Any]


def mesh_content(mesh: Any) -> dict[str, Any]:
    """All numbers that a mesh holds."""
    found: dict[str, Any] = {"starts": [polygon.loop_start for polygon in mesh.polygons]}
    for attribute in mesh.attributes:
        if attribute.name.startswith((".edge", ".select", ".hide")) or attribute.domain == "EDGE":
            continue
        key = "vector" if attribute.data_type == "FLOAT_VECTOR" else "value"
        if attribute.data_type not in ("FLOAT_VECTOR", "FLOAT", "INT"):
            continue
        values = np.empty(
            len(attribute.data) * (3 if key == "vector" else 1),
            np.int32 if attribute.data_type == "INT" else np.float32,
        )
        attribute.data.foreach_get(key, values)
        found[attribute.name] = values.tobytes()
    return found


@pytest.fixture
def follow(bpy: Any, addon: Any) -> Any:
    """follow(): builds everything visible, and follows it from now on."""
    ended: list[Any] = []

    def begin(**settings: Any) -> Followed:
        bpy.ops.navmesh.live()
        bpy.ops.navmesh.build(scope="VISIBLE", **settings)
        setup = bpy.context.scene.navmesh.setups[0]
        following = addon("live.followed_navmesh").FollowedNavmesh(bpy.context.scene, setup.uid)
        hints = [following]

        def heard(update: Any) -> None:
            hints[0].note(update, 0.0)

        addon("events").scene_updated.subscribe(heard)
        ended.append(heard)

        def settle() -> None:
            bpy.context.view_layer.update()
            following.settle(bpy.context)
            assert following.problem == ""

        def content() -> Any:
            names = ("Navmesh", "Navmesh Detail")
            objects = [bpy.data.objects[name] for name in names if name in bpy.data.objects]
            report = json.loads(objects[0]["navmesh_report"])
            return [mesh_content(one.data) for one in objects], report["counts"], objects[0]["navmesh_fingerprint"]

        def rebuilt() -> Any:
            bpy.ops.navmesh.rebuild()
            return content()

        return Followed(following, settle, content, rebuilt)

    yield begin
    for heard in ended:
        addon("events").scene_updated.unsubscribe(heard)


@pytest.fixture
def level(bpy: Any) -> Any:
    """A ground, and crates that share a mesh; returns the first crate."""
    add_plane(bpy, size=30)
    crate = add_cube(bpy, "Crate", (2, 3, 0))
    for k in range(5):
        copy = bpy.data.objects.new(f"Crate {k}", crate.data)
        copy.location = (-8 + 4 * k, -5 + k, 0)
        bpy.context.scene.collection.objects.link(copy)
    return crate
