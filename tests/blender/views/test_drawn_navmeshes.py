"""Pictures of navmeshes: one for each that is there, of what it is now, and none of those that are gone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.blender.scenes import add_plane


@pytest.fixture
def drawn(bpy: Any, addon: Any) -> Iterator[Any]:
    add_plane(bpy)
    bpy.ops.navmesh.build(scope="VISIBLE")
    module = addon("views.drawn_navmeshes")
    module.forget()
    yield module
    module.forget()


def found(bpy: Any, drawn: Any) -> Any:
    polygons, detail = bpy.data.objects["Navmesh"], bpy.data.objects["Navmesh Detail"]
    return drawn.DrawnNavmesh(polygons["navmesh_setup"], True, polygons, detail, False)


def draw(bpy: Any, drawn: Any) -> dict[str, Any]:
    """As a viewport does, and again when the picture is there."""
    drawn.uploads_of(bpy.context.scene, found(bpy, drawn))
    for future in list(drawn._coming.values()):
        future.result()
    uploads: dict[str, Any] = drawn.uploads_of(bpy.context.scene, found(bpy, drawn))
    drawn.forget_unused()
    return uploads


def test_the_picture_has_every_part_and_is_made_once(bpy: Any, drawn: Any) -> None:
    uploads = draw(bpy, drawn)
    assert {"surface", "edges", "walls", "vertices", "links", "dead_ends", "helpers"} == uploads.keys()
    assert draw(bpy, drawn) is uploads and not drawn.is_coming()


def test_while_a_color_is_dragged_only_the_last_one_is_waited_for(bpy: Any, drawn: Any) -> None:
    """What nobody will fetch would have the viewport drawn again for ever."""
    first = draw(bpy, drawn)
    [material] = {slot.material for slot in bpy.data.objects["Navmesh Detail"].material_slots[:1]}
    for red in range(1, 20):
        material.diffuse_color[0] = red / 20
        shown = drawn.uploads_of(bpy.context.scene, found(bpy, drawn))
        drawn.forget_unused()
        assert shown.keys() == first.keys(), "the older picture stays until then"
        assert len(drawn._coming) <= 1
    assert draw(bpy, drawn) is not first and not drawn.is_coming()
    assert len(drawn._kept) == 1


def test_one_that_is_built_again_replaces_its_picture(bpy: Any, drawn: Any) -> None:
    first = draw(bpy, drawn)
    for _ in range(5):
        bpy.ops.navmesh.build()
        assert draw(bpy, drawn) is not first
    assert len(drawn._kept) == 1 and len(drawn._asked) == 1


def test_nothing_is_kept_of_navmeshes_that_are_gone(bpy: Any, drawn: Any) -> None:
    draw(bpy, drawn)
    material = bpy.data.objects["Navmesh Detail"].material_slots[0].material
    material.diffuse_color[0] = 0.123
    drawn.uploads_of(bpy.context.scene, found(bpy, drawn))  # one is there, one on its way
    for name in ("Navmesh", "Navmesh Detail"):
        bpy.data.objects.remove(bpy.data.objects[name])
    for _ in range(drawn._UNUSED + 1):
        drawn.forget_unused()
    assert not drawn._kept and not drawn._asked and not drawn.is_coming()


@pytest.mark.parametrize("name", ["Navmesh", "Navmesh Detail"])
def test_nothing_is_drawn_of_a_navmesh_that_somebody_edits(bpy: Any, drawn: Any, name: str) -> None:
    """The detail mesh alone may be in edit mode, and its attributes are empty there."""
    scene, layer = bpy.context.scene, bpy.context.view_layer
    [one] = drawn.found(scene, None, layer)
    layer.objects.active = bpy.data.objects[name]
    bpy.ops.object.mode_set(mode="EDIT")
    assert list(drawn.found(scene, None, layer)) == []
    bpy.ops.object.mode_set(mode="OBJECT")
    assert [other.polygons for other in drawn.found(scene, None, layer)] == [one.polygons]


def test_an_island_alone_of_a_navmesh_whose_faces_somebody_deleted(bpy: Any, drawn: Any) -> None:
    one = found(bpy, drawn)
    before = drawn._arrays(bpy.context.scene, one, 0)
    mesh = one.polygons.data
    mesh.clear_geometry()
    mesh.attributes.new("navmesh_island", "INT", "FACE")
    assert len(before.triangles) and not len(drawn._arrays(bpy.context.scene, one, 0).triangles)
