"""What happens after every click costs next to nothing; what that leaves out is found later, and nothing is missed."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from tests.blender.scenes import add_cube, add_empty, add_mesh, add_plane, new_collection


class Counted:
    """Entries of Blender's list of updates, which count how many are read."""

    def __init__(self, count: int, rebuilt: bool, kinds: tuple[str, ...] = ()) -> None:
        self.count, self.read, self._flagged = count, 0, {*kinds, *(["COLLECTION"] if rebuilt else [])}

    @property
    def updates(self) -> Iterator[Any]:
        for k in range(self.count):
            self.read += 1
            nothing = SimpleNamespace(original=SimpleNamespace(session_uid=-k))
            yield SimpleNamespace(id=nothing, is_updated_geometry=True, is_updated_transform=False)

    def id_type_updated(self, kind: str) -> bool:
        return kind in self._flagged

    @property
    def view_layer(self) -> Any:
        raise AssertionError("the handler must not look at the objects of the view layer")


@pytest.fixture
def built(bpy: Any) -> Any:
    """A level with many objects and its navmesh; returns the ground."""
    ground = add_plane(bpy)
    mesh = add_cube(bpy, "Rock").data
    for k in range(12):
        bpy.context.scene.collection.objects.link(bpy.data.objects.new(f"Rock {k}", mesh))
        bpy.data.objects[f"Rock {k}"].location = (k - 6, 5, 0)
    bpy.context.scene.navmesh.draft.scope = "VISIBLE"
    bpy.ops.navmesh.build()
    return ground


@pytest.fixture
def crowded(addon: Any, monkeypatch: Any) -> None:
    """As in a scene with more objects than the handler reads entries of."""
    monkeypatch.setattr(addon("watch.listed_changes"), "MAX_READ", 3)


def test_the_handler_reads_few_entries_and_no_objects(bpy: Any, addon: Any, built: Any) -> None:  # noqa: ARG001
    changes, handlers = addon("watch.level_changes"), addon("watch.blender_handlers")
    most = addon("scene_update").MAX_READ
    for updates, read, is_all in (
        (Counted(1, rebuilt=False), 1, True),
        (Counted(1, rebuilt=False, kinds=("OBJECT", "SCENE")), 0, False),  # a click
        (Counted(most, rebuilt=False), most, True),
        (Counted(10**6, rebuilt=False, kinds=("MESH",)), most + 1, False),
        (Counted(10**6, rebuilt=True, kinds=("MESH",)), most + 1, False),
        (Counted(5, rebuilt=True, kinds=("MESH",)), 5, True),  # a mesh was edited, or written by Live
    ):
        changes._memory.since_then.forget()
        handlers._after_update(None, updates)
        assert updates.read == read and changes._memory.since_then.not_read != is_all


def test_where_nothing_is_watched_the_handler_reads_nothing(bpy: Any, addon: Any) -> None:  # noqa: ARG001
    updates = Counted(10, rebuilt=False)
    addon("watch.blender_handlers")._after_update(None, updates)
    assert updates.read == 0


def hook(bpy: Any) -> Any:
    """An empty that the ground's shape depends on."""
    hook = bpy.data.objects.get("Hook") or add_empty(bpy, "Hook")
    if not bpy.data.objects["Ground"].modifiers:
        modifier = bpy.data.objects["Ground"].modifiers.new("Hook", "HOOK")
        modifier.object = hook
        modifier.vertex_indices_set([0])
    return hook


@pytest.mark.parametrize("how", ["moved", "moved and selected", "deleted"])
@pytest.mark.parametrize("many", [False, True], ids=["few objects", "many objects"])
def test_what_a_shape_depends_on_is_not_missed(
    bpy: Any, addon: Any, why: Any, built: Any, request: Any, how: str, many: bool
) -> None:
    """Blender lists the ground as changed, but says only that some object was; with a click, not even that is read."""
    empty = hook(bpy)
    bpy.ops.navmesh.build()
    if many:
        request.getfixturevalue("crowded")
        addon("watch.level_changes").begin_anew(frozenset())
    assert why() == ""
    if how == "deleted":
        empty.location.z = 0.25  # (where it was, the ground would have its own shape without it)
        bpy.context.view_layer.update()
        bpy.ops.navmesh.build()
        assert why() == ""
        bpy.data.objects.remove(empty)
    else:
        empty.location.z = 2
        built.select_set(how == "moved and selected")
    assert "level" in why()


@pytest.mark.parametrize("many", [False, True], ids=["few objects", "many objects"])
def test_what_only_instances_show_is_not_missed(bpy: Any, why: Any, request: Any, many: bool) -> None:
    kit = bpy.data.collections.new("Kit")
    inner = add_plane(bpy, "Inner", collection=kit)
    shown = add_empty(bpy, "Shown")
    shown.instance_type, shown.instance_collection = "COLLECTION", kit
    bpy.context.scene.navmesh.draft.scope = "VISIBLE"
    bpy.ops.navmesh.build()
    if many:
        request.getfixturevalue("crowded")
    assert why() == ""
    inner.location.x = 3
    assert "level" in why()
    bpy.ops.navmesh.build()
    assert why() == ""
    shown.location.z = 1
    assert "level" in why()
    bpy.ops.navmesh.build()
    shown.hide_set(True)
    assert "level" in why()


CHANGES = {
    "moved": lambda bpy: setattr(bpy.data.objects["Rock 3"], "location", (0, 0, 1)),
    "all moved": lambda bpy: [setattr(o, "location", (0, 0, 1)) for o in bpy.data.objects if "Rock" in o.name],
    "hidden": lambda bpy: bpy.data.objects["Rock 3"].hide_set(True),
    "disabled": lambda bpy: setattr(bpy.data.objects["Rock 3"], "hide_viewport", True),
    "renamed": lambda bpy: setattr(bpy.data.objects["Rock 3"], "name", "Stone-noimp"),
    "added": lambda bpy: add_cube(bpy, "Wall"),
    "deleted": lambda bpy: bpy.data.objects.remove(bpy.data.objects["Rock 3"]),
    "modifier": lambda bpy: bpy.data.objects["Ground"].modifiers.new("Thick", "SOLIDIFY"),
    "other mesh": lambda bpy: setattr(bpy.data.objects["Rock 3"], "data", bpy.data.objects["Ground"].data),
    "parented": lambda bpy: setattr(bpy.data.objects["Rock 3"], "parent", add_empty(bpy, "P", (0, 0, 4))),
    "collection excluded": lambda bpy: setattr(
        bpy.context.view_layer.layer_collection.children["Own"], "exclude", True
    ),
}


@pytest.mark.parametrize("what", CHANGES)
@pytest.mark.parametrize("many", [False, True], ids=["few objects", "many objects"])
def test_nothing_is_missed(bpy: Any, addon: Any, why: Any, request: Any, what: str, many: bool) -> None:
    if what == "collection excluded":
        add_cube(bpy, "Inside", (7, 7, 0), new_collection(bpy, "Own"))
    request.getfixturevalue("built")
    if many:
        request.getfixturevalue("crowded")
        addon("watch.level_changes").begin_anew(frozenset())
    assert why() == ""
    CHANGES[what](bpy)
    assert "level" in why()


def edited(bpy: Any) -> None:
    """Both copies of a mesh that 13 objects share, by the same numbers of points."""
    mesh = bpy.data.objects["Rock"].data
    mesh.vertices[0].co.z -= 0.5
    mesh.update()


def test_an_edit_of_what_many_objects_share_is_not_missed(bpy: Any, why: Any, built: Any, crowded: Any) -> None:  # noqa: ARG001
    """The list is longer than what is read, and all places and counts are as before."""
    assert why() == ""
    edited(bpy)
    assert "level" in why()


@pytest.mark.parametrize("what", ["lamp", "selected", "paint", "other mesh hidden"])
def test_what_does_not_matter_changes_nothing_in_a_large_scene(
    bpy: Any,
    addon: Any,
    why: Any,
    built: Any,
    crowded: Any,  # noqa: ARG001
    monkeypatch: Any,
    what: str,
) -> None:
    """Adding a lamp makes Blender list all objects, and nobody may take them for changed."""
    add_mesh(bpy, "Aside-noimp", [(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)])
    assert why() == ""
    monkeypatch.setattr(addon("watch.out_of_date"), "MAX_TRIANGLES", 0)  # what is compared anew counts as changed
    if what == "lamp":
        bpy.context.scene.collection.objects.link(bpy.data.objects.new("Lamp", bpy.data.lights.new("Lamp", "POINT")))
    elif what == "selected":
        built.select_set(True)
    elif what == "paint":
        bpy.data.objects["Aside-noimp"].color = (1, 0, 0, 1)
    else:
        bpy.data.objects["Aside-noimp"].data.materials.append(bpy.data.materials.new("Paint"))
    assert why() == ""


def test_another_scene_is_no_change(bpy: Any, why: Any, built: Any, addon: Any) -> None:  # noqa: ARG001
    """Each scene is compared with itself."""
    assert why() == ""
    other = bpy.data.scenes.new("Other")
    # (Not in the window: in background, to show another scene there has crashed Blender 4.2 itself.)
    with bpy.context.temp_override(scene=other, view_layer=other.view_layers[0]):
        assert bpy.context.scene == other
        addon("watch.level_changes").begin_anew(frozenset())
    addon("watch.level_changes").begin_anew(frozenset())
    finished, scene = addon("builds.finished_navmeshes"), bpy.context.scene.session_uid
    assert finished.known(scene) and finished.stale(scene) == []


@pytest.mark.parametrize("how", ["added", "hidden", "mesh of many edited"])
def test_the_level_changes_while_it_is_built_in_a_large_scene(
    bpy: Any,
    addon: Any,
    built: Any,  # noqa: ARG001
    crowded: Any,  # noqa: ARG001
    how: str,
) -> None:
    from tests.blender.builds.stepped_operator import Stepped

    stepped = Stepped(bpy, addon)
    if how == "added":
        add_cube(bpy, "Wall", (3, 3, 0))
    elif how == "hidden":
        bpy.data.objects["Rock 3"].hide_set(True)
    else:
        edited(bpy)
    bpy.context.view_layer.update()
    assert stepped.run() == {"FINISHED"}
    setup = bpy.context.scene.navmesh.setups[0]
    assert "level" in addon("watch.out_of_date").out_of_date(bpy.data.objects["Navmesh"], setup)
