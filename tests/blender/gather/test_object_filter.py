"""What is used of a scene, what is left out and why, and what is wrong with objects."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.blender.gather.conftest import refused
from tests.blender.scenes import (
    add_cube,
    add_mesh,
    add_plane,
    new_collection,
    save,
    triangle_set,
)


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
    [("SELECTED", "Nothing is selected"), ("VISIBLE", "nothing visible"), ("LISTED", "was not built yet")],
)
def test_nothing_to_build_from(addon: Any, gather: Any, scope: str, text: str) -> None:
    with pytest.raises(refused(addon), match=text):
        gather(scope)


def test_what_was_built_from_is_gone(addon: Any, gather: Any) -> None:
    with pytest.raises(refused(addon), match="there any more"):
        gather("LISTED", names=("Ground",))


def test_an_unknown_collection_is_refused(addon: Any, gather: Any) -> None:
    with pytest.raises(refused(addon), match="no collection named “Nowhere”"):
        gather("COLLECTION", collection="Nowhere")


def test_names_of_any_kind(bpy: Any, gather: Any) -> None:
    names = ["é" * 31, "🗿" * 15, "a" * 62, "with\nnewline"]
    for name in names:
        add_cube(bpy, name)
    assert sorted(gather().used) == sorted(names)


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


def test_a_linked_collection_that_is_called_as_one_of_the_file(bpy: Any, addon: Any, tmp_path: Path) -> None:
    """The setup points to it, and the other one was built from."""
    add_plane(bpy, "Yard", 30.0, collection=new_collection(bpy, "Level"))
    path = save(bpy, tmp_path / "yard.blend")
    add_plane(bpy, "Ground", collection=new_collection(bpy, "Level"))
    with bpy.data.libraries.load(str(path), link=True) as (_, wanted):
        wanted.collections = ["Level"]
    (linked,) = (one for one in bpy.data.collections if one.library is not None)
    bpy.context.scene.collection.children.link(linked)
    draft = bpy.context.scene.navmesh.draft
    for collection, used in ((linked, "Yard"), (bpy.data.collections["Level", None], "Ground")):
        setup = bpy.context.scene.navmesh.setups[0] if bpy.context.scene.navmesh.setups else draft
        setup.scope, setup.collection = "COLLECTION", collection
        for build in (bpy.ops.navmesh.build, bpy.ops.navmesh.rebuild):
            build()
            built = addon("objects.built_from").finished_navmesh(bpy.context)
            assert [part.name for part in built.request.gathered.parts] == [used]


def test_no_collection_at_all_is_said(bpy: Any) -> None:
    add_plane(bpy)
    with pytest.raises(RuntimeError, match="No collection is chosen to build from"):
        bpy.ops.navmesh.build(scope="COLLECTION")


def test_a_setup_that_was_never_built_has_no_last_time(bpy: Any) -> None:
    """It was told that what it was built from is there no more."""
    add_plane(bpy)
    bpy.context.scene.navmesh.draft.scope = "LISTED"
    with pytest.raises(RuntimeError, match="This setup was not built yet"):
        bpy.ops.navmesh.build()
