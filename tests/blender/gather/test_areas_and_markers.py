"""Areas of faces, and objects that mark something: volumes, links, bounds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.blender.scenes import (
    add_cube,
    add_empty,
    add_plane,
    link,
    new_collection,
)


def areas_by_name(found: Any) -> dict[str, list[int]]:
    return {p.name: sorted(set(found.areas[p.first : p.first + p.size].tolist())) for p in found.parts}


def test_areas_of_objects_collections_materials_and_faces(bpy: Any, gather: Any) -> None:
    add_plane(bpy, "Plain")
    add_plane(bpy, "Object").navmesh.area = 2
    add_plane(bpy, "Property")["navmesh_area"] = 3
    add_plane(bpy, "Forbidden").navmesh.area = -1
    grass = new_collection(bpy, "Grass")
    grass.navmesh.area = 4
    add_plane(bpy, "Collection", collection=grass)
    add_plane(bpy, "Object Wins", collection=grass).navmesh.area = 63
    wet = bpy.data.materials.new("Wet")
    wet.navmesh.area = 1
    mixed = add_cube(bpy, "Material")
    mixed.data.materials.append(None)
    mixed.data.materials.append(wet)
    for face in list(mixed.data.polygons)[:2]:
        face.material_index = 1
    painted = add_cube(bpy, "Face")
    painted.navmesh.area = 2
    values = [0, 0, 5, 5, -1, 63]
    painted.data.attributes.new("navmesh_area", "INT", "FACE").data.foreach_set("value", values)
    assert areas_by_name(gather()) == {
        "Plain": [63], "Object": [2], "Property": [3], "Forbidden": [0], "Collection": [4], "Object Wins": [63],
        "Material": [1, 63], "Face": [0, 2, 5, 63],
    }  # fmt: skip


def test_without_areas_there_is_no_array(bpy: Any, gather: Any) -> None:
    add_plane(bpy)
    assert gather().areas is None


def test_an_attribute_of_the_wrong_kind_is_told(bpy: Any, gather: Any) -> None:
    add_plane(bpy).data.attributes.new("navmesh_area", "FLOAT", "POINT")
    assert [note.code for note in gather().notes] == ["ODD_ATTRIBUTE"]


def test_area_volumes(bpy: Any, gather: Any) -> None:
    add_plane(bpy)
    volume = add_cube(bpy, "Lake", (3, 4, 5))
    volume.scale, volume.rotation_euler = (2, 1, 0.5), (0, 0, np.pi / 4)
    volume.navmesh.use, volume.navmesh.area = "VOLUME", 1
    blocked = add_empty(bpy, "Blocked", (-3, 0, 0))
    blocked.navmesh.use, blocked.navmesh.area = "VOLUME", -1
    found = gather()
    assert found.used == ["Ground"]
    lake, block = sorted(found.volumes, key=lambda v: -v["area"])
    assert (lake["area"], lake["min_height"], lake["max_height"]) == (1, 4.5, 5.5)
    assert len(lake["points"]) == 4
    x, z = np.array(lake["points"]).T
    assert abs(np.dot(x, np.roll(z, -1)) - np.dot(z, np.roll(x, -1))) / 2 == pytest.approx(8)
    assert (np.mean(x), np.mean(z)) == pytest.approx((3, -4))
    assert block["area"] == 0 and np.array(block["points"]).min(0).tolist() == [-4, -1]


def test_links(bpy: Any, gather: Any) -> None:
    add_plane(bpy)
    start, end = add_empty(bpy, "Start", (1, 2, 3)), add_empty(bpy, "End", (4, 5, 6))
    start.navmesh.use, start.navmesh.link_end, start.navmesh.link_bidirectional = "LINK", end, False
    curve = bpy.data.curves.new("Jump", "CURVE")
    curve.dimensions = "3D"
    spline = curve.splines.new("POLY")
    spline.points.add(2)
    spline.points.foreach_set("co", [0, 0, 0, 1, 0, 1, 5, 1, 0, 2, 0, 1])
    jump = link(bpy, bpy.data.objects.new("Jump", curve))
    jump.navmesh.use, jump.navmesh.link_radius, jump.location = "LINK", 1.5, (10, 0, 0)
    lonely = add_empty(bpy, "Lonely")
    lonely.navmesh.use = "LINK"
    found = gather()
    one_way, both = sorted(found.links, key=lambda link: link["bidirectional"])
    assert one_way["start"] == [1, 3, -2] and one_way["end"] == pytest.approx([4, 6, -5])
    assert one_way["radius"] == 0.6 and one_way["area"] == 5 and one_way["flags"] == 8
    assert both["start"] == [10, 0, 0] and both["end"] == [10, 0, -2] and both["radius"] == 1.5
    assert [note.name for note in found.notes] == ["Lonely"]


def test_bounds(bpy: Any, gather: Any) -> None:
    add_plane(bpy)
    box = add_cube(bpy, "Box", (1, 2, 3))
    box.navmesh.use = "BOUNDS"
    assert gather().bounds == (0, 2, -3, 2, 4, -1)


@pytest.mark.parametrize(("of", "channel"), [("Start", "location"), ("Start", "scale"), ("End", "location")])
def test_a_link_that_is_at_no_number_is_told(bpy: Any, gather: Any, of: str, channel: str) -> None:
    """The whole build was refused, with the number of the link."""
    add_plane(bpy)
    start, end = add_empty(bpy, "Start", (1, 2, 3)), add_empty(bpy, "End", (4, 5, 6))
    start.navmesh.use, start.navmesh.link_end = "LINK", end
    setattr(bpy.data.objects[of], channel, (float("nan"), 1, 1))
    found = gather()
    assert found.links == () and [(note.code, note.name) for note in found.notes] == [("BAD_MARKER", "Start")]
    assert "no number" in found.notes[0].message


@pytest.mark.parametrize("radius", [0.0, -1.0, float("nan")])
def test_a_link_that_no_agent_reaches_is_told(bpy: Any, gather: Any, radius: float) -> None:
    """The same, for a radius that somebody typed."""
    add_plane(bpy)
    start = add_empty(bpy, "Start", (1, 2, 3))
    start.navmesh.use, start.navmesh.link_end = "LINK", add_empty(bpy, "End", (4, 5, 6))
    start.navmesh.link_radius = radius
    found = gather()
    assert found.links == () and [(note.code, note.name) for note in found.notes] == [("BAD_MARKER", "Start")]
    assert "it links nothing. Give it one above 0" in found.notes[0].message


def test_a_link_without_a_size_says_so(bpy: Any, gather: Any) -> None:
    """It said that its end should be chosen, which was."""
    add_plane(bpy)
    start = add_empty(bpy, "Start", (1, 2, 3))
    start.navmesh.use, start.navmesh.link_end, start.scale = "LINK", add_empty(bpy, "End"), (0, 0, 0)
    assert [note.message for note in gather().notes] == ["links nothing, as its scale is 0. Clear it (Alt S)"]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("scale", [(0, 0, 0), (1, 0, 1), (float("nan"), 1, 1)])
def test_bounds_that_cover_no_ground_bound_nothing(bpy: Any, gather: Any, scale: Any) -> None:
    """They refused every build, with a question about the level's up axis."""
    add_plane(bpy)
    box = add_cube(bpy, "Box")
    box.navmesh.use, box.scale = "BOUNDS", scale
    found = gather()
    assert found.bounds is None and [(note.code, note.name) for note in found.notes] == [("BAD_MARKER", "Box")]


@pytest.mark.filterwarnings("error")
def test_a_place_that_is_no_number_is_no_warning_of_numpy(bpy: Any, gather: Any) -> None:
    add_plane(bpy)
    add_cube(bpy, "Odd").scale = (float("nan"), 1, 1)
    assert [note.name for note in gather().notes] == ["Odd"]
