"""Libraries, linked data and files that a level is made of and that are not there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.blender.scenes import add_cube, add_instance, add_plane, new_collection, save

Link = Callable[..., None]


@pytest.fixture
def link(bpy: Any, tmp_path: Path) -> Link:
    """link(objects=[...], collections=[...]): from a library with a cube “Single”, a cube “Block” in the collection
    “Kit” and a material “Paint”."""
    add_cube(bpy, "Single")
    add_cube(bpy, "Block", collection=new_collection(bpy, "Kit"))
    bpy.data.materials.new("Paint").use_fake_user = True
    save(bpy, tmp_path / "kit.blend")

    def run(**names: list[str]) -> None:
        with bpy.data.libraries.load(str(tmp_path / "kit.blend"), link=True, relative=False) as (_, wanted):
            for kind, chosen in names.items():
                setattr(wanted, kind, list(chosen))
        root = bpy.context.scene.collection
        for name in names.get("objects", []):
            root.objects.link(bpy.data.objects[name])
        for name in names.get("collections", []):
            root.children.link(bpy.data.collections[name])

    return run


@pytest.fixture
def found(bpy: Any, gather: Any, tmp_path: Path) -> Any:
    """found(): what is gathered after the library was lost; with a change, after that was made to the library."""

    def run(change: Callable[[], None] | None = None, scope: str = "VISIBLE", **sources: Any) -> Any:
        library, level = tmp_path / "kit.blend", save(bpy, tmp_path / "level.blend")
        if change is None:
            library.unlink()
        else:
            bpy.ops.wm.open_mainfile(filepath=str(library))
            change()
            save(bpy, library)
        bpy.ops.wm.open_mainfile(filepath=str(level))
        return gather(scope, **sources)

    return run


def codes(gathered: Any) -> list[tuple[str, str]]:
    return [(note.code, note.name) for note in gathered.notes]


def test_objects_and_meshes_of_a_missing_library_are_told_by_name(bpy: Any, link: Link, found: Any) -> None:
    add_plane(bpy)
    link(objects=["Single"], meshes=["Block"])
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("Own", bpy.data.meshes["Block"]))
    given = found()
    (note,) = given.notes
    assert note.code == "MISSING_LIBRARY" and {note.name} < {"Single", "Own"} and given.used == ["Ground"]
    assert "kit.blend, which is missing; as do " in note.message
    assert "Put it back, or choose another place for it" in note.message
    assert ("Single" in note.message) != (note.name == "Single")
    assert "kit.blend" in dict(given.skipped)["Single"]


@pytest.mark.parametrize("instanced", [False, True])
def test_a_collection_of_a_missing_library_is_told(bpy: Any, link: Link, found: Any, instanced: bool) -> None:
    add_plane(bpy)
    link(collections=["Kit"])
    if instanced:
        bpy.context.scene.collection.children.unlink(bpy.data.collections["Kit"])
        add_instance(bpy, "Copy", bpy.data.collections["Kit"])
    assert codes(found()) == [("MISSING_LIBRARY", "Copy" if instanced else "Kit")]


def test_a_missing_object_within_a_collection_that_is_instanced(bpy: Any, link: Link, found: Any) -> None:
    add_plane(bpy)
    link(objects=["Single"])
    inner, outer = bpy.data.collections.new("Inner"), bpy.data.collections.new("Outer")
    bpy.context.scene.collection.objects.unlink(bpy.data.objects["Single"])
    inner.objects.link(bpy.data.objects["Single"])
    outer.children.link(inner)
    add_instance(bpy, "Copy", outer)
    assert codes(found()) == [("MISSING_LIBRARY", "Copy")]


def test_what_a_modifier_takes_from_a_missing_library(bpy: Any, link: Link, found: Any) -> None:
    add_plane(bpy)
    link(objects=["Single"])
    new_collection(bpy, "Cutters").objects.link(bpy.data.objects["Single"])
    bpy.context.scene.collection.objects.unlink(bpy.data.objects["Single"])
    bpy.context.view_layer.layer_collection.children["Cutters"].exclude = True
    add_cube(bpy, "Wall").modifiers.new("Arch", "BOOLEAN").object = bpy.data.objects["Single"]
    assert codes(found()) == [("MISSING_LIBRARY", "Wall")]


def test_data_that_a_library_no_longer_has(bpy: Any, link: Link, found: Any) -> None:
    add_plane(bpy)
    link(objects=["Single"], collections=["Kit"])
    given = found(lambda: bpy.data.objects.remove(bpy.data.objects["Single"]))
    assert codes(given) == [("MISSING_DATA", "Single")]
    assert "needs “Single” of" in given.notes[0].message and sorted(given.used) == ["Block", "Ground"]


def test_what_no_build_uses_may_be_missing(bpy: Any, link: Link, found: Any) -> None:
    """A material, the shape of a parent, data that nothing shows, what lies outside of the collection that is built."""
    level = new_collection(bpy, "Level")
    ground = add_plane(bpy, collection=level)
    link(objects=["Single"], collections=["Kit"], materials=["Paint"], meshes=["Block"])
    ground.data.materials.append(bpy.data.materials["Paint"])
    bpy.data.objects.new("Nowhere", bpy.data.meshes["Block"]).use_fake_user = True
    child = add_cube(bpy, "Child", collection=level)
    child.parent = bpy.data.objects.new("Rig", bpy.data.meshes["Block"])
    assert codes(found(scope="COLLECTION", collection="Level")) == []


def test_hidden_objects_may_be_missing(bpy: Any, link: Link, found: Any) -> None:
    add_plane(bpy)
    link(objects=["Single"], collections=["Kit"])
    bpy.context.scene.collection.objects.unlink(bpy.data.objects["Single"])
    aside = new_collection(bpy, "Aside")
    aside.objects.link(bpy.data.objects["Single"])
    aside.navmesh.exclude = True
    bpy.context.view_layer.layer_collection.children["Kit"].exclude = True
    assert codes(found()) == []


def test_names_that_were_built_from_and_a_collection_that_is_missing(bpy: Any, link: Link, found: Any) -> None:
    """What the collection held nobody knows any more; what was built from is not all there."""
    add_plane(bpy)
    link(collections=["Kit"])
    assert codes(found(scope="LISTED", names=("Ground", "Block"))) == [("MISSING_LIBRARY", "Kit")]


def test_a_level_of_which_nothing_is_left_says_why(addon: Any, link: Link, found: Any) -> None:
    link(objects=["Single"])
    with pytest.raises(addon("errors", "navcore").BadInput, match=r"“Single” was not used: missing from .*kit.blend"):
        found()


# -------------------------------------------------------------------- modifiers


@pytest.mark.parametrize(
    ("kind", "told"),
    [("BOOLEAN", "object"), ("SHRINKWRAP", "target"), ("LATTICE", "object"), ("NODES", "node group")],
)
def test_a_modifier_without_what_it_takes(bpy: Any, gather: Any, kind: str, told: str) -> None:
    wall = add_cube(bpy, "Wall")
    modifier = wall.modifiers.new("Arch", kind)
    (note,) = gather().notes
    assert (note.code, note.name) == ("MODIFIER_FAILED", "Wall") and f"modifier Arch has no {told}" in note.message
    modifier.show_viewport = False
    assert gather().notes == ()


def test_a_modifier_of_an_object_that_is_only_instanced(bpy: Any, gather: Any) -> None:
    kit = bpy.data.collections.new("Kit")
    add_cube(bpy, "Wall", collection=kit).modifiers.new("Arch", "BOOLEAN")
    for k in range(2):
        add_instance(bpy, f"Copy {k}", kit, (9 * k, 0, 0))
    assert codes(gather()) == [("MODIFIER_FAILED", "Wall")]


def test_modifiers_of_what_is_not_built_may_fail(bpy: Any, gather: Any) -> None:
    add_plane(bpy)
    kit = bpy.data.collections.new("Kit")
    add_instance(bpy, "Copy", kit)
    hidden, left_out, helper = (add_cube(bpy, name) for name in ("Hidden", "Left Out", "Helper"))
    inner, inner_left_out = (add_cube(bpy, name, collection=kit) for name in ("Inner", "Inner Left Out"))
    hidden.hide_set(True)
    inner.hide_viewport = True
    left_out.navmesh.use = inner_left_out.navmesh.use = "EXCLUDE"
    helper.display_type, helper.hide_render = "WIRE", True
    for object_ in (hidden, left_out, helper, inner, inner_left_out):
        object_.modifiers.new("Arch", "BOOLEAN")
    assert codes(gather()) == []


def test_caches_that_are_missing(bpy: Any, gather: Any, tmp_path: Path) -> None:
    moved = add_cube(bpy, "Moved").modifiers.new("Cache", "MESH_CACHE")
    moved.filepath = str(tmp_path / "moved.pc2")
    (tmp_path / "wave.abc").touch()
    bpy.ops.cachefile.open(filepath=str(tmp_path / "wave.abc"))
    add_cube(bpy, "Wave", (9, 0, 0)).modifiers.new("Cache", "MESH_SEQUENCE_CACHE").cache_file = bpy.data.cache_files[0]
    assert codes(gather()) == [("MISSING_DATA", "Moved")]
    (tmp_path / "wave.abc").unlink()
    notes = gather().notes
    assert [(note.code, note.name) for note in notes] == [("MISSING_DATA", "Moved"), ("MISSING_DATA", "Wave")]
    assert "moved.pc2, which is missing" in notes[0].message and "wave.abc, which is missing" in notes[1].message
    assert all(note.message.endswith("Put it back, or choose another") for note in notes)


def test_a_mesh_that_cannot_be_had(bpy: Any, addon: Any) -> None:
    add_plane(bpy)

    class Broken:
        """An evaluated object whose mesh Blender refuses to give."""

        data = bpy.data.objects["Ground"].data
        material_slots = ()

        @staticmethod
        def to_mesh() -> None:
            raise RuntimeError("Error: Object does not have geometry data")

    collector = addon("gather.triangle_collector").TriangleCollector(1.0)
    ground = bpy.data.objects["Ground"]
    collector.add(Broken(), ground, ground, ground.matrix_world)
    assert [note[::2] for note in collector.notes] == [("MISSING_DATA", "Ground")]


# ------------------------------------------------------------------------ shown


def test_what_is_missing_is_told_before_and_after_the_build(bpy: Any, link: Link, found: Any, draw: Any) -> None:
    add_plane(bpy)
    bpy.ops.navmesh.setup_add()
    bpy.context.scene.navmesh.setups[0].scope = "VISIBLE"
    link(objects=["Single"])
    found()
    assert bpy.ops.navmesh.check() == {"FINISHED"}
    assert draw().text.count("kit.blend, which is missing") == 1
    assert bpy.ops.navmesh.build() == {"FINISHED"}
    drawn = draw()
    assert drawn.text.count("kit.blend, which is missing") == 2
    assert [p.name for name, p in drawn.operators if name == "navmesh.select_object"] == ["Single"] * 3
