"""What polygons are: their areas and outlines, by reference."""

from __future__ import annotations

import numpy as np
import pytest

from navcore import BoxVolume, Link, NavQuery, Settings, build_navmesh
from navcore.result.navmesh import world_vertices
from tests import scenes


@pytest.mark.parametrize("tile_size", [0, 32])
def test_areas_and_outlines_are_those_of_the_mesh(tile_size: int) -> None:
    pond = BoxVolume(area=1, min=(5, -1, 5), max=(9, 1, 9))
    link = Link(start=(2, 0, 2), end=(14, 0, 14), radius=0.6, area=5)
    navmesh = build_navmesh(*scenes.flat(18, 4), Settings(tile_size=tile_size), volumes=[pond], links=[link])
    query = NavQuery(navmesh)
    references = query.polygons_in_box([9, 0, 9], [20, 20, 20], max_polygons=None).references
    ground = references[~query.is_link(references)]
    outlines, areas = query.outlines(ground), query.areas(ground)
    found = {
        (int(area), *sorted(map(tuple, np.round(outlines.points[a:b], 3).tolist())))
        for area, a, b in zip(areas, outlines.offsets, outlines.offsets[1:], strict=False)
    }
    expected = set()
    for tile in navmesh.tiles:
        mesh, corners = tile.polygon_mesh, world_vertices(tile.polygon_mesh)
        for row, area in zip(mesh.polygons, mesh.area.tolist(), strict=True):
            points = corners[row[row != 0xFFFF]]
            expected.add((0 if area == 63 else area, *sorted(map(tuple, np.round(points, 3).tolist()))))
    assert found == expected and {row[0] for row in found} == {0, 1}


def test_links_have_two_corners_and_what_is_no_polygon_has_none() -> None:
    link = Link(start=(2, 0, 2), end=(14, 0, 14), radius=0.6, area=5)
    query = NavQuery(build_navmesh(*scenes.flat(18, 4), Settings(), links=[link]))
    way = query.find_paths([2, 0, 2], [14, 0, 14])
    links = way.polygons[query.is_link(way.polygons)]
    asked = [links[0], 0, 12345]
    assert query.areas(asked).tolist() == [5, 255, 255]
    outlines = query.outlines(asked)
    assert outlines.offsets.tolist() == [0, 2, 2, 2]
    assert np.abs(outlines.points[:, ::2] - [[2, 2], [14, 14]]).max() < 0.5
