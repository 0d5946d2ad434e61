"""Outlines cut into triangles, merged into polygons, and divided by Meadow mapping: the same ground each time."""

from __future__ import annotations

import numpy as np
import pytest

from navcore.path_comparison.meadow import MeadowStatus
from navcore.result.navmesh import world_vertices
from navcore.stages.polygons.triangulate import triangulate_ring
from navcore.types import NO_INDEX, Contours, X, Z
from navcore.views.contour_rings import rings_of
from navcore.views.meadow_view import divided
from navcore.views.picture import Shown, ViewedPiece
from navcore.views.polygon_views import triangulate_contours
from tests.navcore.views.outline_examples import (
    LEVELS,
    LEVELS_AND_SEEDS,
    VIEWS,
    WHOLE,
    counts,
    drawn,
    face_areas,
    level,
    pieces,
    said,
)

AFTER = Shown(variant="after")


def polygon_area(name: str) -> float:
    """Square metres of all polygons, by their corners."""
    total = 0.0
    for tile in level(name).tiles:
        points = world_vertices(tile.polygon_mesh).astype(np.float64)
        for row in tile.polygon_mesh.polygons:
            x, _, z = points[row[row != NO_INDEX]].T
            total += abs(float(x @ np.roll(z, -1) - z @ np.roll(x, -1))) / 2
    return total


def outline_areas(contours: Contours) -> list[float]:
    """In cells, of contours that have points."""
    found = []
    for begin, end in zip(contours.first, contours.first[1:], strict=False):
        x, z = contours.points[begin:end][:, [X, Z]].astype(np.int64).T
        if end > begin:
            found.append(abs(int(x @ np.roll(z, -1) - z @ np.roll(x, -1))) / 2)
    return found


@pytest.mark.parametrize("name", LEVELS_AND_SEEDS)
def test_triangles_cover_what_polygons_cover(name: str) -> None:
    wanted = polygon_area(name)
    for shown in (Shown(), AFTER):
        assert face_areas(drawn(name, "TRIANGLES", shown)).sum() == pytest.approx(wanted, rel=1e-5)


@pytest.mark.parametrize("name", LEVELS)
def test_contours_are_cut_as_the_stage_cuts_them(name: str) -> None:
    for piece in pieces(level(name), VIEWS["TRIANGLES"]):
        contours = piece.stages["contours"]
        found = triangulate_contours(contours.first, contours.points, np.zeros(1, np.uint8))
        for k in np.flatnonzero(np.diff(contours.first) > 2).tolist():
            begin, end = contours.first[k], contours.first[k + 1]
            triangles, finished = triangulate_ring(contours.points[begin:end][:, [X, Z]])
            assert (found.corners[found.contour == k] - begin == triangles).all()
            assert len(triangles) == end - begin - 2 and finished and not found.unfinished[k]


def test_a_square_is_two_triangles_and_one_polygon() -> None:
    before, after = drawn("square", "TRIANGLES"), drawn("square", "TRIANGLES", AFTER)
    same = {"Triangles before merging": 2, "Polygons after merging": 1, "Outlines": 4, "Region 1": 2}
    assert counts(before) == {**same, "Cuts": 1} and counts(after) == same
    assert said("square", "TRIANGLES", (2, 0, 3)) == "Triangle 0 of region 1, 19.8 m²"
    assert said("square", "TRIANGLES", (3, 0, 2)) == "Triangle 1 of region 1, 19.8 m²"
    assert said("square", "TRIANGLES", (2, 0, 3), AFTER) == "Polygon 0 of region 1, 39.7 m²"
    assert said("square", "TRIANGLES", (0, 0, 3), AFTER) == ""


@pytest.mark.parametrize("name", LEVELS)
def test_cuts_and_outlines_are_there_once(name: str) -> None:
    """A ring of n points has n edges and n - 3 cuts; a bridge, which is walked twice, is two outlines in one place."""
    for piece in pieces(level(name), VIEWS["TRIANGLES"]):
        sizes = np.diff(piece.stages["contours"].first)
        found = counts(VIEWS["TRIANGLES"].draw(piece, Shown()))
        assert found["Outlines"] == sizes.sum()
        assert found.get("Cuts", 0) == (sizes[sizes > 0] - 3).sum()


def by_island(piece: ViewedPiece, shown: Shown) -> tuple[np.ndarray, np.ndarray]:
    """The area of each island's pieces, in cells, and how many groups of them are not split apart yet."""
    found = divided(piece, shown)
    meadow, cells = found.meadow, rings_of(piece).cells.astype(np.int64)
    areas, groups = [], []
    for begin, end in zip(meadow.pieces, meadow.pieces[1:], strict=False):
        own = 0.0
        for k in range(begin, end):
            x, z = cells[meadow.given[meadow.corners[meadow.offsets[k] : meadow.offsets[k + 1]]]][:, [X, Z]].T
            own += abs(int(x @ np.roll(z, -1) - z @ np.roll(x, -1))) / 2
        areas.append(own)
        groups.append(len(set(found.group[begin:end].tolist())))
    return np.array(areas), np.array(groups)


@pytest.mark.parametrize("name", LEVELS_AND_SEEDS)
def test_islands_of_meadow_are_as_large_as_their_outlines(name: str) -> None:
    for piece in pieces(level(name), VIEWS["MEADOW"]):
        assert (divided(piece, Shown()).meadow.status == MeadowStatus.DIVIDED).all()
        assert by_island(piece, Shown())[0].tolist() == outline_areas(piece.stages["contours"])


@pytest.mark.parametrize("name", ["plaza", "town", "town in tiles"])
def test_every_split_makes_one_piece_more(name: str) -> None:
    for piece in pieces(level(name), VIEWS["MEADOW"]):
        splits = np.diff(divided(piece, Shown()).meadow.diagonal_offsets)
        most = int(splits.max())
        for step in range(most + 1):
            shown = Shown(level=step / max(most, 1))
            assert by_island(piece, shown)[1].tolist() == (1 + np.minimum(splits, step if most else 0)).tolist()
            picture = VIEWS["MEADOW"].draw(piece, shown)
            assert counts(picture).get("Splits", 0) == np.minimum(splits, step).sum()


def test_splits_are_numbered_and_counted_beside_merging() -> None:
    picture = drawn("town", "MEADOW")
    found, polygons = counts(picture), len(level("town").tiles[0].polygon_mesh.polygons)
    assert found["Polygons of the build"] == polygons and found["Pieces"] < polygons
    assert sorted({int(label.text) for label in picture.labels}) == list(range(1, 14))
    none = drawn("town", "MEADOW", Shown(level=0))
    assert counts(none)["Pieces"] == 11 and not none.labels and counts(none)["Splits to come"] == found["Splits"]
    assert face_areas(none).sum() == pytest.approx(polygon_area("town"), rel=1e-5)


def test_the_piece_of_a_place_is_as_large_as_it_is_split() -> None:
    place = tuple(drawn("town", "MEADOW").corners[0, :3].mean(axis=0).tolist())
    whole, part = said("town", "MEADOW", place, Shown(level=0)), said("town", "MEADOW", place)
    assert whole.startswith("ViewedPiece 1 of 1 of region ") and part.startswith("ViewedPiece ")
    assert float(part.split()[-2]) < float(whole.split()[-2])


@pytest.mark.parametrize("name", [name for name in WHOLE if name != "square"])
def test_colors_tell_pieces_apart_that_were_split(name: str) -> None:
    assert len(np.unique(drawn(name, "MEADOW").face_colors, axis=0)) > 1
