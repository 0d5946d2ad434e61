"""Two small tiles whose answers were worked out by hand, to the last bit."""

from __future__ import annotations

import numpy as np

from navcore import NavQuery
from tests.navcore.navquery.query_examples import by_hand, town

SUCCESS, INVALID = 1 << 30, 1 << 31 | 8
START, END = [0.5, 0.4, 0.5], [5, 0.6, 2.5]


def test_nearest_polygons() -> None:
    near = by_hand().nearest([START, END, [50, 0, 0]])
    assert near.references.tolist() == [256, 321, 0] and near.over.tolist() == [1, 1, 0]
    assert near.points[1].tolist() == [5, np.float32(0.5444444417953491), 2.5]


def test_a_path_over_the_tile_border() -> None:
    query = by_hand()
    near = query.nearest([START, END])
    way = query.find_corridors(near.references[:1], near.references[1:], near.points[:1], near.points[1:])
    assert way.references.tolist() == [256, 257, 321] and way.status.tolist() == [SUCCESS]
    line = query.straight_paths(near.points[:1], near.points[1:], way.offsets, way.references, crossings="all")
    inside = np.array([[1.8000001, 0.4, 1.0777779], [3, 0.4, 1.6111112]], np.float32)
    assert line.points[1:3].tolist() == inside.tolist()
    assert line.flags.tolist() == [1, 0, 0, 2] and line.references.tolist() == [256, 257, 321, 0]


def test_a_ray_that_meets_a_wall() -> None:
    ray = by_hand().raycast([256], [START], [[5, 0, 5]])
    assert ray.parts.tolist() == [np.float32(0.5555555)] and ray.normals.tolist() == [[0, 0, -1]]
    assert ray.edges.tolist() == [1] and ray.references.tolist() == [256, 257]
    assert ray.costs.tolist() == [np.float32(3.5355334)]


def test_a_walk_a_wall_and_a_circle() -> None:
    query = by_hand()
    walk = query.move_along_surface([256], [START], [[5, 0.6, 5]])
    assert walk.points.tolist() == [[5, np.float32(0.6), 3]] and walk.references.tolist() == [256, 257, 321]
    wall = query.distance_to_wall([256], [START], 10)
    assert wall.distances.tolist() == [0.5] and wall.hit.all() and wall.normals.tolist() == [[1, 0, 0]]
    assert wall.points.tolist() == [[0, np.float32(0.4), 0.5]]
    circle = query.polygons_around([256], [START], 5)
    assert circle.references.tolist() == [256, 257, 321, 320] and circle.parents.tolist() == [0, 256, 257, 257]
    assert circle.costs.tolist() == np.array([0, 1.6401219, 2.9817626, 3.140122], np.float32).tolist()


def test_no_wall_within_the_radius() -> None:
    wall = by_hand().distance_to_wall([257], [[2.4, 0.4, 1.5]], 0.25)
    assert not wall.hit.any() and np.isnan(wall.points).all() and np.isnan(wall.normals).all()
    assert wall.distances.tolist() == [0.25] and wall.status.tolist() == [SUCCESS]


def test_heights_and_closest_points() -> None:
    query = by_hand()
    heights = query.heights([256, 321, 256], [START, END, [9, 0, 9]])
    assert heights.status.tolist() == [SUCCESS, SUCCESS, INVALID]
    assert heights.heights[:2].tolist() == np.array([0.4, 0.5444444417953491], np.float32).tolist()
    inside, outside = [1, 7, 1], [-2, 7, 1]
    on = query.closest_points([256, 256], [inside, outside])
    assert on.points.tolist() == np.array([[1, 0.4, 1], [0, 0.4, 1]], np.float32).tolist()
    assert on.over.tolist() == [1, 0]
    outline = query.closest_points([256, 256], [inside, outside], boundary=True)
    assert outline.points.tolist() == np.array([inside, [0, 0.4, 1]], np.float32).tolist()


def test_polygons_in_a_box() -> None:
    boxes = by_hand().polygons_in_box([[2.9, 0.5, 1.5]], (0.2, 1, 0.2))
    assert boxes.references.tolist() == [257, 320, 321] and boxes.offsets.tolist() == [0, 3]
    cut = by_hand().polygons_in_box([[2.9, 0.5, 1.5]], (0.2, 1, 0.2), max_polygons=2)
    assert cut.references.tolist() == [257, 320] and cut.status.tolist() == [SUCCESS | 16]


def test_the_first_polygon_of_each_tile_is_found_twice() -> None:
    """The last node of Detour's trees is that polygon again, so that a box may hold more than there are."""
    query = by_hand()
    assert query.polygons_in_box([3, 0, 1.5], [1e9] * 3).references.tolist() == [256, 257, 256, 320, 321, 320]
    query = NavQuery(town(16))
    tiles, polygons = len(query._mesh.tiles), int((query._mesh.polygons["kind"] == 0).sum())
    found = query.polygons_in_box(np.zeros((200, 3)), [1e9] * 3, max_polygons=None, threads=1)
    assert tiles > 20 and np.diff(found.offsets).tolist() == [tiles + polygons] * 200
    assert query.nearest(np.zeros((200, 3)), [1e9] * 3, threads=1).references.all()
