"""Views of a few cells: exact colors, counts, places, slices and what is said of a place."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from navcore.geometry.tile_key import TileKey
from navcore.views.catalog import VIEWS
from navcore.views.picture import LegendRow, Picture, Shown, ViewedPiece
from tests.navcore.stages.solid_worlds import Span
from tests.navcore.views.cell_worlds import SETTINGS, floor, piece_of

CELL_VIEWS = ("SLOPE", "VOXELS", "COMPACT", "REASONS", "DISTANCE", "WATER", "REGIONS", "CONNECTIONS")
ERODED = replace(SETTINGS, agent_radius=1.0)
GREEN, RED = (72, 168, 72, 255), (200, 64, 56, 255)
CYAN, BLACK, DRY = (0, 192, 255, 64), (0, 0, 0, 64), (104, 96, 84, 255)


def drawn(piece: ViewedPiece, name: str, **shown: object) -> Picture:
    return VIEWS[name].draw(piece, Shown(**shown))  # type: ignore[arg-type]


def said(piece: ViewedPiece, name: str, point: tuple[float, float, float], **shown: object) -> str:
    return VIEWS[name].value_at(piece, Shown(**shown), point)  # type: ignore[arg-type]


def two_storeys() -> ViewedPiece:
    """Ground at half a metre, and a slab over its inner 3 × 3 columns at 5 m."""
    columns: list[list[Span]] = [[(0, 1, 63)] for _ in range(49)]
    for x in (2, 3, 4):
        for z in (2, 3, 4):
            columns[x + 7 * z] = [(0, 1, 63), (9, 10, 63)]
    return piece_of(7, columns)


def test_the_catalog_has_the_views_of_cells_in_the_order_of_the_stages() -> None:
    assert tuple(name for name in VIEWS if name in CELL_VIEWS) == CELL_VIEWS


def test_compact_colors_what_is_walkable_and_what_is_not_any_more() -> None:
    picture = drawn(piece_of(7, floor(7, 7), ERODED), "COMPACT")
    assert picture.legend == (
        LegendRow("Open, but not walkable any more", BLACK, 16), LegendRow("Walkable", CYAN, 9)
    )  # fmt: skip
    cyan = picture.corners[(picture.face_colors == CYAN).all(axis=1)]
    assert cyan.tolist() == [[[2, 1, 2], [2, 1, 5], [5, 1, 5], [5, 1, 2]]]  # one voxel of half a metre above the floor


def test_areas_have_colors_of_their_own() -> None:
    columns = floor(4, 4)
    columns[5] = [(0, 1, 7)]
    rows = {row.label: row.count for row in drawn(piece_of(4, columns), "COMPACT").legend}
    assert rows == {"Area 7": 1, "Walkable": 3}


def test_what_is_said_of_open_space() -> None:
    piece = two_storeys()
    assert said(piece, "COMPACT", (1.5, 0.5, 1.5)) == "Open, 127.5 m high or more: walkable"
    assert said(piece, "COMPACT", (3.5, 0.6, 3.5)) == "Open, 4.0 m high: walkable"
    assert said(piece, "COMPACT", (0.5, 0.5, 0.5)) == ""  # a ledge at the rim is no open span
    assert said(piece, "COMPACT", (99, 0, 99)) == said(piece, "COMPACT", (-0.1, 0, 3)) == ""


def test_a_slice_cuts_storeys_away() -> None:
    piece = two_storeys()
    for name in ("COMPACT", "REASONS", "DISTANCE", "REGIONS"):
        low, high = drawn(piece, name, highest=2.0), drawn(piece, name, lowest=2.0)
        assert set(low.corners[:, :, 1].ravel().tolist()) == {1.0} or name == "VOXELS"
        assert set(high.corners[:, :, 1].ravel().tolist()) <= {5.5}
        assert said(piece, name, (3.5, 5.0, 3.5), highest=2.0) == said(piece, name, (3.5, 0.5, 3.5))
    assert sum(row.count for row in drawn(piece, "COMPACT", highest=2.0).legend) == 25
    assert sum(row.count for row in drawn(piece, "REASONS", highest=2.0).legend) == 49


@pytest.mark.parametrize(("limit", "there"), [(0.5, True), (0.49, False)])
def test_a_slice_ends_at_its_limit(limit: float, there: bool) -> None:
    assert bool(len(drawn(piece_of(4, floor(4, 4)), "COMPACT", highest=limit).corners)) == there


def test_voxels_are_green_and_red_boxes() -> None:
    columns = floor(3, 3)
    columns[4] = [(0, 3, 0)]
    picture = drawn(piece_of(3, columns), "VOXELS")
    assert picture.legend == (LegendRow("Not walkable on top", RED, 9),)  # all others are the rim
    picture = drawn(piece_of(4, floor(4, 4)), "VOXELS")
    assert picture.legend == (
        LegendRow("Walkable on top", GREEN, 4), LegendRow("Not walkable on top", RED, 12)
    )  # fmt: skip
    green = picture.corners[(picture.face_colors == GREEN).all(axis=1)]
    assert green.tolist() == [[[1, 0.5, 1], [1, 0.5, 3], [3, 0.5, 3], [3, 0.5, 1]]]  # at the top of the matter
    assert [label.text for label in picture.labels] == ["1"]


def test_boxes_are_cut_at_both_ends_of_a_slice() -> None:
    columns = floor(3, 3, top=8)
    piece = piece_of(3, [[(0, top, area)] for ((_, top, area),) in columns])
    heights = drawn(piece, "VOXELS", lowest=1.0, highest=3.0).corners[:, :, 1]
    assert (heights.min(), heights.max()) == (1.0, 3.0)
    assert len(drawn(piece, "VOXELS", lowest=4.0).corners) == len(drawn(piece, "VOXELS", highest=0.0).corners) == 0


def test_forms_of_voxels_say_what_memory_they_take() -> None:
    piece = piece_of(3, floor(3, 3))
    solid = "as solid spans 85 bytes, as open spans 60 bytes."
    for variant in ("dense", "solid", "compact"):
        notes = drawn(piece, "VOXELS", variant=variant).notes
        assert notes == (f"Memory: as dense voxels 360 bytes (3 × 3 × 40 cells of 1 byte), {solid}",)
    tile = piece._replace(tile=TileKey(0, 0))
    rows = {row.label: row.count for row in drawn(tile, "VOXELS", variant="solid").legend}
    assert rows["Bytes as dense voxels"] == 360 and not drawn(tile, "VOXELS", variant="solid").notes


def test_open_spans_are_boxes_as_high_as_the_agent() -> None:
    picture = drawn(piece_of(3, floor(3, 3)), "VOXELS", variant="compact")
    assert picture.corners[:, :, 1].min() == 0.5 and picture.corners[:, :, 1].max() == 2.5
    assert picture.legend[0] == LegendRow("Open space", CYAN, 1)


def test_what_is_said_of_matter() -> None:
    piece = two_storeys()
    assert said(piece, "VOXELS", (3.5, 5.0, 3.5)) == "Solid from 4.5 m to 5.0 m, walkable on top"
    assert said(piece, "VOXELS", (2.5, 5.0, 2.5)) == "Solid from 4.5 m to 5.0 m, not walkable on top"
    assert said(piece, "VOXELS", (3.5, 5.0, 3.5), highest=2.0) == "Solid from 0.0 m to 0.5 m, walkable on top"
    assert said(piece, "VOXELS", (3.5, 0.5, 3.5), variant="compact") == "Open from 0.5 m on, 4.0 m high"


def test_distances_are_grey_up_to_white() -> None:
    piece = piece_of(13, floor(13, 13))
    field = piece.stages["distance"]
    picture = drawn(piece, "DISTANCE")
    greys = {grey for grey, *_ in picture.face_colors.tolist()}
    assert greys == {int(d) * 255 // field.maximum for d in field.distance}
    assert sum(row.count for row in picture.legend) == 121
    assert said(piece, "DISTANCE", (6.5, 0.5, 6.5)) == f"Distance {int(field.distance[60]) / 2:.1f} m"
    assert said(piece, "DISTANCE", (1.5, 0.5, 1.5)) == "Distance 0.0 m"


def test_distances_in_few_greys_say_so() -> None:
    picture = drawn(piece_of(13, floor(13, 13)), "DISTANCE", most_faces=20)
    assert len(picture.corners) <= 20
    assert picture.notes[-1] == "Distances are drawn in 16 greys: in 256 there would be too many faces."
    assert all(color[0] % 17 == 0 for color in picture.face_colors.tolist())


def test_water_rises() -> None:
    """At level 0 all is dry; at 1 all is under water; between, what is farther from the edge than the shore."""
    piece = piece_of(13, floor(13, 13))
    wet = []
    for level in (0.0, 0.3, 0.6, 1.0):
        picture = drawn(piece, "WATER", level=level)
        dry = sum(row.count for row in picture.legend if row.label == "Dry")
        shore = piece.stages["distance"].maximum * (1 - level)
        wet.append(121 - dry)
        assert wet[-1] == 121 if level == 1 else wet[-1] == int((piece.stages["distance"].distance > shore).sum())
        assert {row.color for row in picture.legend} == {tuple(c) for c in picture.face_colors.tolist()}
    assert wet == sorted(wet) and wet[0] == 0 and 0 < wet[1] < wet[2] < 121
    assert drawn(piece, "WATER", level=0.0).legend == (LegendRow("Dry", DRY, 121),)
    assert drawn(piece, "WATER", level=1.0).notes == ("The water has risen to where the next edge is 0.0 m away.",)
    assert said(piece, "WATER", (1.5, 0.5, 1.5), level=0.5) == "Dry: reached at level 1.00"
    assert said(piece, "WATER", (6.5, 0.5, 6.5)).startswith("Under water, region 1: reached at level 0.")


def two_rooms() -> ViewedPiece:
    """A wall between two rooms, and a door in it."""
    columns: list[list[Span]] = floor(19, 11)
    for z in range(11):
        if z != 5:
            columns[9 + 19 * z] = [(0, 12, 0)]
    return piece_of(19, columns, replace(SETTINGS, region_merge_size=0, partition="watershed"))


def test_regions_have_numbers_and_colors() -> None:
    piece = two_rooms()
    regions = piece.stages["regions"]
    picture = drawn(piece, "REGIONS")
    counts = np.bincount(regions.region)
    assert [row.count for row in picture.legend] == sorted(counts[counts > 0].tolist(), reverse=True)
    assert len({row.color for row in picture.legend}) == len(picture.legend) == 2
    assert sorted(label.text for label in picture.labels) == ["1", "2"]
    number = int(regions.region[0])
    assert said(piece, "REGIONS", (1.5, 0.5, 1.5)) == f"Region {number}, {(regions.region == number).sum():,} cells"


def test_numbers_stand_in_the_middle_of_their_regions() -> None:
    columns = floor(9, 7)
    (label,) = drawn(piece_of(9, columns), "REGIONS").labels
    assert label == ((4.5, 1.5, 3.5), "1")  # a voxel above the cells, which are drawn a voxel above the floor
    columns[4 + 9 * 3] = [(0, 12, 0)]  # no cell there any more: the next ones are as good
    piece = piece_of(9, columns, replace(SETTINGS, partition="layers"))
    places = [np.array(label.place)[::2] for label in drawn(piece, "REGIONS").labels]
    assert places and all(not np.array_equal(place, (4.5, 3.5)) for place in places)


def test_what_belongs_to_no_region_is_black() -> None:
    piece = piece_of(4, floor(4, 4), replace(SETTINGS, region_min_size=3))
    assert drawn(piece, "REGIONS").legend == (LegendRow("No region", BLACK, 4),)
    assert said(piece, "REGIONS", (1.5, 0.5, 1.5)) == "No region" == said(piece, "CONNECTIONS", (1.5, 0.5, 1.5))


def test_regions_that_touch_are_connected_by_arcs() -> None:
    piece = two_rooms()
    region, neighbors = piece.stages["regions"].region, piece.stages["eroded"].neighbors
    pairs = {
        tuple(sorted((int(region[s]), int(region[n]))))
        for s in range(len(region))
        for n in neighbors[s].tolist()
        if n >= 0 and region[n] != region[s] and region[n] and region[s]
    }
    picture = drawn(piece, "CONNECTIONS")
    assert picture.legend[0] == LegendRow("Regions that touch", (255, 196, 0, 255), len(pairs)) and pairs
    assert picture.lines.shape == (12 * len(pairs), 2, 3)
    arcs = picture.lines.reshape(len(pairs), 12, 2, 3)
    assert np.array_equal(arcs[:, :-1, 1], arcs[:, 1:, 0])  # each goes on where the last piece ended
    ends = {tuple(np.round(label.place[::2], 3)): label.text for label in picture.labels}
    found = {tuple(sorted(int(ends[tuple(np.round(a[k, j, ::2], 3))]) for k, j in ((0, 0), (-1, 1)))) for a in arcs}
    assert found == pairs
    own, other = next(iter(pairs))
    place = next(label.place for label in picture.labels if label.text == str(own))
    assert f"touches {other}" in said(piece, "CONNECTIONS", place) or f", {other}" in said(piece, "CONNECTIONS", place)


def test_reasons_have_their_values() -> None:
    columns: list[list[Span]] = [[(0, 10, 63)] for _ in range(49)]
    columns[8] = [(0, 10, 63), (12, 13, 63)]
    columns[10] = [(0, 13, 63)]
    columns[24] = [(0, 10, 0)]
    piece = piece_of(7, columns)
    assert said(piece, "REASONS", (1.5, 5.0, 1.5)) == "Low ceiling: 1.0 m < 2.0 m"
    assert said(piece, "REASONS", (3.5, 6.5, 1.5)) == "Ledge: 1.5 m down > 1.0 m"
    assert said(piece, "REASONS", (0.5, 5.0, 3.5)) == "Ledge: nothing beside it"
    assert said(piece, "REASONS", (3.5, 5.0, 3.5)) == "Too steep (> 45°), or marked so"
    assert said(piece, "REASONS", (5.5, 5.0, 5.5)) == "Walkable"
    near = piece_of(7, floor(7, 7), ERODED)
    assert said(near, "REASONS", (1.5, 0.5, 3.5)) == "Too close to an edge or a wall: nearer than 1.0 m"
    small = piece_of(4, floor(4, 4), replace(SETTINGS, region_min_size=3))
    assert said(small, "REASONS", (1.5, 0.5, 1.5)) == "Region too small: fewer than 9 cells, or too narrow"
    steps: list[list[Span]] = [[(0, top, 63)] for top in (8, 10, 12)] * 3
    assert said(piece_of(3, steps), "REASONS", (1.5, 5, 1.5)) == "Uneven: floors beside it lie more than 1.0 m apart"


def test_a_surface_says_how_steep_it_is() -> None:
    rise = float(np.tan(np.radians(47.3)))
    steep = [[[3, 5, 3], [3, 5, 4], [4, 5 + rise, 3]]]
    columns: list[list[Span]] = [[(0, 10, 63)] for _ in range(49)]
    columns[24] = [(0, 10, 0)]
    assert said(piece_of(7, columns, triangles=steep), "REASONS", (3.5, 5.0, 3.5)) == "Too steep: 47.3° > 45°"
    even = [[[3, 5, 3], [3, 5, 4], [4, 5, 3]]]
    text = said(piece_of(7, columns, triangles=even), "REASONS", (3.5, 5.0, 3.5))
    assert text == "Marked as not walkable from the beginning"
