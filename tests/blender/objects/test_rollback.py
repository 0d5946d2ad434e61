"""Whatever breaks in the middle of writing, the scene is what it was: every step fails once here."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.blender.scenes import add_cube, add_plane, link

ONCE, TWICE = (
    ["add_setup", "_home", "show_colors", "remember", "report_of"],
    ["new_object", "fill_mesh", "add_slots", "material_for"],
)

WHERE = {"material_for": "objects.face_colors", "report_of": "objects.build_report"}  # where it is looked up


def state(bpy: Any) -> dict[str, Any]:
    """Everything that a build could leave behind."""
    stored = bpy.context.scene.navmesh
    found: dict[str, Any] = {
        "setups": [(s.name, s.uid, s.listed, s.agent_radius) for s in stored.setups],
        "active": stored.active,
        "home": stored.collection and stored.collection.name,
        "tree": [(c.name, [o.name for o in c.objects]) for c in bpy.context.scene.collection.children_recursive],
        "materials": sorted((m.name, tuple(m.diffuse_color)) for m in bpy.data.materials),
    }
    for object_ in bpy.data.objects:
        metadata = {key: object_[key] for key in object_.keys() if key.startswith("navmesh_")}  # noqa: SIM118 - no mapping
        modifiers = [m.name for m in object_.modifiers]
        found[f"object {object_.name}"] = (
            metadata,
            modifiers,
            object_.parent and object_.parent.name,
            object_.data.name,
        )
    for mesh in bpy.data.meshes:
        points = np.empty(len(mesh.vertices) * 3, np.float32)
        mesh.vertices.foreach_get("co", points)
        attributes = {}
        for attribute in mesh.attributes:
            if attribute.data_type == "INT":
                values = np.empty(len(attribute.data), np.int32)
                attribute.data.foreach_get("value", values)
                attributes[attribute.name] = values.tobytes()
        corners = [tuple(p.vertices) for p in mesh.polygons]
        slots = [m and m.name for m in mesh.materials]
        found[f"mesh {mesh.name}"] = (points.tobytes(), attributes, corners, slots, mesh.users)
    return found


def differences(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    return sorted(key for key in before.keys() | after.keys() if before.get(key) != after.get(key))


def break_step(addon: Any, monkeypatch: Any, step: str, calls: int) -> None:
    """Let a step do its work so many times, and then raise what nobody expects."""
    module = addon(WHERE.get(step, "objects.write_navmeshes"))
    real, done = getattr(module, step), [0]

    def broken(*given: Any, **named: Any) -> Any:
        result = real(*given, **named)
        done[0] += 1
        if done[0] == calls:
            raise ZeroDivisionError("of all things")
        return result

    monkeypatch.setattr(module, step, broken)


@pytest.mark.parametrize(("step", "calls"), [(s, 1) for s in ONCE + TWICE] + [(s, 2) for s in TWICE])
def test_a_first_build_that_breaks(bpy: Any, addon: Any, monkeypatch: Any, step: str, calls: int) -> None:
    add_plane(bpy)
    before = state(bpy)
    break_step(addon, monkeypatch, step, calls)
    with pytest.raises(RuntimeError, match=r"ZeroDivisionError: of all things .*Nothing was changed"):
        bpy.ops.navmesh.build(scope="VISIBLE")
    assert differences(before, state(bpy)) == []
    monkeypatch.undo()
    assert bpy.ops.navmesh.build(scope="VISIBLE") == {"FINISHED"}


@pytest.mark.parametrize(
    ("step", "calls"),
    [
        *((step, calls) for step in ("fill_mesh", "add_slots") for calls in (1, 2, 3, 4)),
        *((step, calls) for step in ("remember", "report_of") for calls in (1, 2)),
    ],
)
def test_building_two_setups_again_that_breaks(bpy: Any, addon: Any, monkeypatch: Any, step: str, calls: int) -> None:
    """With everything that a navmesh may have got: a name, a modifier, a parent, materials, another user."""
    ground = add_plane(bpy)
    for name in ("Thin", "Wide"):
        bpy.ops.navmesh.setup_add(name=name)
        bpy.context.scene.navmesh.setups[-1].scope = "VISIBLE"
    bpy.ops.navmesh.build(all_setups=True)
    object_ = bpy.data.objects["Navmesh Thin"]
    object_.name, object_.parent = "Mine", add_cube(bpy, "Parent")
    object_.modifiers.new("Mine", "WIREFRAME")
    object_.data.materials[0] = bpy.data.materials.new("Mine")
    link(bpy, bpy.data.objects.new("Linked Copy", object_.data)).navmesh.use = "EXCLUDE"
    ground.scale = (2, 2, 1)
    add_lake(bpy)  # asks for a new material, too
    before = state(bpy)
    break_step(addon, monkeypatch, step, calls)
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        bpy.ops.navmesh.build(all_setups=True)
    assert differences(before, state(bpy)) == []
    assert object_.data.users == 2 and object_.name == "Mine"
    monkeypatch.undo()
    assert bpy.ops.navmesh.build(all_setups=True) == {"FINISHED"}
    assert object_.modifiers["Mine"] and {"Mine", "Navmesh Water"} == {m.name for m in object_.data.materials}


def add_lake(bpy: Any) -> None:
    lake = add_cube(bpy, "Lake")
    lake.scale, lake.navmesh.use, lake.navmesh.area = (4, 4, 1), "VOLUME", 1


def test_a_detail_mesh_that_was_turned_off_comes_back(bpy: Any, addon: Any, monkeypatch: Any) -> None:
    add_plane(bpy)
    bpy.ops.navmesh.build(scope="VISIBLE")
    before = state(bpy)
    break_step(addon, monkeypatch, "remember", 1)
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        bpy.ops.navmesh.build(scope="VISIBLE", detail_mesh=False)
    assert differences(before, state(bpy)) == []


def test_a_collection_that_was_taken_out_of_the_scene_stays_out(bpy: Any, addon: Any, monkeypatch: Any) -> None:
    add_plane(bpy)
    bpy.ops.navmesh.build(scope="VISIBLE")
    bpy.context.scene.collection.children.unlink(bpy.data.collections["Navmesh"])
    before = state(bpy)
    break_step(addon, monkeypatch, "fill_mesh", 2)
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        bpy.ops.navmesh.build(scope="VISIBLE")
    assert differences(before, state(bpy)) == []


def test_nothing_is_kept_of_a_build_that_broke(bpy: Any, addon: Any, monkeypatch: Any) -> None:
    add_plane(bpy)
    results = addon("builds.finished_navmeshes")
    before = results.known(bpy.context.scene.session_uid)
    break_step(addon, monkeypatch, "add_slots", 1)
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        bpy.ops.navmesh.build(scope="VISIBLE")
    assert results.known(bpy.context.scene.session_uid) == before
