"""Area volumes: their outline, and a word where it is not what an artist sees."""

from __future__ import annotations

import math
from typing import Any

import pytest

from tests.blender.scenes import add_cube, add_empty, add_mesh, add_plane

L_SHAPE = [(0, 0), (6, 0), (6, 2), (2, 2), (2, 6), (0, 6)]
HEXAGON = [(math.cos(k * math.pi / 3), math.sin(k * math.pi / 3)) for k in range(6)]
HEXAGON_POINTS = [(x, y, z) for x, y in HEXAGON for z in (0, 1)]


def add_prism(bpy: Any, name: str, outline: Any) -> Any:
    """A volume: an outline on the ground, three metres high."""
    count = len(outline)
    points = [(x, y, z) for z in (-1, 2) for x, y in outline]
    sides = [(k, (k + 1) % count, count + (k + 1) % count, count + k) for k in range(count)]
    object_ = add_mesh(bpy, name, points, [range(count - 1, -1, -1), range(count, 2 * count), *sides])
    object_.navmesh.use, object_.navmesh.area = "VOLUME", 1
    return object_


@pytest.mark.parametrize("scale", [(1, 1, 1), (-1, 1, 1), (0.001, 0.001, 1), (400, 30, 1)])
def test_a_volume_that_is_not_convex_is_told_by_name(bpy: Any, gather: Any, scale: Any) -> None:
    """Its hull is used, which is more than it shows."""
    add_plane(bpy)
    add_prism(bpy, "Bend", L_SHAPE).scale = scale
    notes = gather().notes
    assert [(note.code, note.name) for note in notes] == [("NOT_CONVEX", "Bend")]
    assert "Divide it" in notes[0].message


def test_volumes_that_are_convex_are_not_told(bpy: Any, gather: Any) -> None:
    add_plane(bpy)
    add_prism(bpy, "Six Sides", HEXAGON).rotation_euler = (0.2, 0.3, 0.4)
    add_prism(bpy, "Mirrored", HEXAGON).scale = (-1, 1, 1)
    add_cube(bpy, "Cube").navmesh.use = "VOLUME"
    add_cube(bpy, "Rounded").modifiers.new("Round", "SUBSURF").levels = 3
    bpy.data.objects["Rounded"].navmesh.use = "VOLUME"
    add_plane(bpy, "Flat").navmesh.use = "VOLUME"
    add_mesh(bpy, "Points", HEXAGON_POINTS, []).navmesh.use = "VOLUME"
    add_empty(bpy, "Box").navmesh.use = "VOLUME"
    given = gather()
    assert given.notes == ()
    assert len(given.volumes) == 7


@pytest.mark.parametrize(("outline", "told"), [(HEXAGON, 0), (L_SHAPE, 1)])
def test_walls_alone_are_judged_by_where_they_stand(bpy: Any, gather: Any, outline: Any, told: int) -> None:
    """Seen from above they cover nothing."""
    add_plane(bpy)
    count = len(outline)
    points = [(x, y, z) for z in (-1, 2) for x, y in outline]
    sides = [(k, (k + 1) % count, count + (k + 1) % count, count + k) for k in range(count)]
    add_mesh(bpy, "Fence", points, sides).navmesh.use = "VOLUME"
    assert [note.code for note in gather().notes] == ["NOT_CONVEX"] * told


def test_two_volumes_in_one_mesh_are_told(bpy: Any, gather: Any) -> None:
    """Joined objects: the ground between them would get the area, too."""
    add_plane(bpy)
    boxes = [[(x + a, y, z) for x, y, z in HEXAGON_POINTS] for a in (0, 9)]
    faces = [range(0, 12, 2), range(12, 24, 2)]
    add_mesh(bpy, "Pair", boxes[0] + boxes[1], faces).navmesh.use = "VOLUME"
    assert [(note.code, note.name) for note in gather().notes] == [("NOT_CONVEX", "Pair")]


def test_a_curve_as_a_volume_is_what_it_shows(bpy: Any, gather: Any) -> None:
    """Its points, not the box around them."""
    add_plane(bpy)
    curve = bpy.data.curves.new("Pond", "CURVE")
    curve.dimensions = "2D"
    spline = curve.splines.new("POLY")
    spline.points.add(2)
    for point, place in zip(spline.points, [(0, 0), (4, 0), (0, 4)], strict=True):
        point.co = (*place, 0, 1)
    spline.use_cyclic_u = True
    pond = bpy.data.objects.new("Pond", curve)
    bpy.context.scene.collection.objects.link(pond)
    pond.navmesh.use = "VOLUME"
    (volume,) = gather().volumes
    assert len(volume["points"]) == 3
