"""What a navmesh is drawn of, in memory or as mesh objects alone; and volumes, bounds and seeds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.blender.scenes import CUBE, CUBE_FACES, add_empty, add_mesh, add_plane


@pytest.fixture
def level(bpy: Any) -> Any:
    """A floor with a block on it."""
    add_plane(bpy)
    add_mesh(bpy, "Block", [(x * 2, y * 2, z * 2) for x, y, z in CUBE], CUBE_FACES)
    return bpy


def built(bpy: Any, addon: Any) -> Any:
    return addon("builds.finished_navmeshes").find(bpy.data.objects["Navmesh"]["navmesh_build"])


def lengths(picture: Any, color: Any) -> float:
    """Of all lines of a color, seen from above."""
    lines = picture.lines[(picture.line_colors == np.array(color)).all(axis=1)].astype(np.float64)
    return float(np.linalg.norm((lines[:, 1] - lines[:, 0])[:, ::2], axis=1).sum())


def outline_of(bpy: Any) -> float:
    """Edges of the polygon mesh that only one face has."""
    mesh = bpy.data.objects["Navmesh"].data
    faces = [key for polygon in mesh.polygons for key in polygon.edge_keys]
    ends = [[np.array(mesh.vertices[v].co) for v in key] for key in faces if faces.count(key) == 1]
    return float(sum(np.linalg.norm((a - b)[:2]) for a, b in ends))


@pytest.mark.parametrize("tile_size", [0, 32])
def test_walls_are_the_outline_and_borders_of_tiles_are_white(level: Any, addon: Any, tile_size: int) -> None:
    level.ops.navmesh.build(scope="VISIBLE")
    outline = outline_of(level)
    level.ops.navmesh.build(scope="VISIBLE", tile_size=tile_size)
    parts = addon("views.navmesh_pictures")
    drawn = parts.parts_of_result(built(level, addon).navmesh)
    assert lengths(drawn.walls, parts.WALL) == pytest.approx(outline, abs=0.5 if tile_size else 0.05)
    assert (lengths(drawn.walls, parts.PORTAL) > 10) == (tile_size > 0)
    assert lengths(drawn.edges, parts.INNER_EDGE) > 10
    assert len(drawn.vertices.lines) >= len(level.data.objects["Navmesh"].data.vertices)


def test_mesh_objects_alone_give_the_same_lines(level: Any, addon: Any) -> None:
    """As of a file that was opened again."""
    level.ops.navmesh.build(scope="VISIBLE")
    parts, drawn = addon("views.navmesh_pictures"), addon("views.drawn_navmeshes")
    objects = [level.data.objects[name] for name in ("Navmesh", "Navmesh Detail")]
    arrays = drawn._arrays(level.context.scene, drawn.DrawnNavmesh("", True, *objects, False))
    alone, whole = parts.parts_of_arrays(arrays), parts.parts_of_result(built(level, addon).navmesh)
    for name, color in (("walls", parts.WALL), ("edges", parts.INNER_EDGE)):
        one, other = getattr(alone, name), getattr(whole, name)
        assert lengths(one, color) == pytest.approx(lengths(other, color), abs=0.05)
    corners = parts.surface(arrays).corners
    ground = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])[:, 1].sum() / 2
    assert ground == pytest.approx(sum(p.area for p in objects[0].data.polygons), rel=1e-3)


def test_the_surface_has_the_colors_that_faces_show(level: Any, addon: Any) -> None:
    pond = add_mesh(level, "Pond", [(x * 2 + 7, y * 2 + 7, z) for x, y, z in CUBE], CUBE_FACES)
    pond.navmesh.use, pond.navmesh.area = "VOLUME", 1
    level.ops.navmesh.build(scope="VISIBLE")
    drawn = addon("views.drawn_navmeshes")
    found = drawn.DrawnNavmesh("", True, level.data.objects["Navmesh"], level.data.objects["Navmesh Detail"], False)
    plain, water = (0, 179, 225), (89, 63, 243)  # as screens have the default colors of both
    colors = {tuple(row[:3]) for row in drawn._arrays(level.context.scene, found).colors.tolist()}
    assert colors == {plain, water}
    level.context.scene.navmesh.color_by = "ISLAND"
    assert {tuple(row[:3]) for row in drawn._arrays(level.context.scene, found).colors.tolist()} != colors


def test_volumes_bounds_and_seeds_are_drawn_as_what_they_are(level: Any, addon: Any) -> None:
    pond = add_mesh(level, "Pond", [(x * 2 + 7, y * 2 + 7, z) for x, y, z in CUBE], CUBE_FACES)
    pond.navmesh.use, pond.navmesh.area = "VOLUME", 1
    add_empty(level, "Spawn", (-8, -8, 0)).navmesh.use = "SEED"
    level.ops.navmesh.build(scope="VISIBLE")
    pictures, request = addon("views.navmesh_pictures"), built(level, addon).request
    gathered = request.gathered
    bounds = [-5.0, -1.0, -5.0, 5.0, 3.0, 5.0]
    agent = request.settings.agent_radius, request.settings.agent_height
    picture = pictures.helper_picture(gathered.volumes, bounds, gathered.seeds, agent, {1: (0.0, 0.0, 1.0)})

    def box_of(color: Any) -> list[list[float]]:
        points = picture.lines[(picture.line_colors == np.array(color)).all(axis=1)].reshape(-1, 3)
        return [points.min(axis=0).tolist(), points.max(axis=0).tolist()]

    assert box_of(pictures.BOUNDS) == [bounds[:3], bounds[3:]]
    low, high = box_of((0, 0, 255, 255))
    assert low[::2] == pytest.approx([5, -9], abs=1e-3) and high[::2] == pytest.approx([9, -5], abs=1e-3)
    low, high = box_of(pictures.SEED)
    assert low == pytest.approx([-8 - agent[0], 0, 8 - agent[0]], abs=1e-3)
    assert high == pytest.approx([-8 + agent[0], agent[1], 8 + agent[0]], abs=1e-3)
