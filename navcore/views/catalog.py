"""Every view, in the order of the stages, and the pictures that they make of whole navmeshes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ..errors import BadInput
from ..geometry.tile_grid import keys_of_grid, select_triangles
from ..geometry.tile_key import TileKey
from ..result.navmesh import NavMesh
from ..threads import Workers
from ..types import F32, I32, ArrayLike
from .contour_view import CONTOUR_VARIANTS, contours_at, draw_contours, draw_raw_contours, raw_contour_at
from .detail_view import detail_at, draw_detail
from .meadow_view import draw_meadow, meadow_at
from .open_cells import compact_at, distance_at, draw_compact, draw_distance, draw_water, water_at
from .picture import Picture, Shown, View, ViewedPiece, joined
from .polygon_views import TRIANGLE_VARIANTS, draw_polygons, draw_triangles, polygons_at, triangles_at
from .reason_cells import draw_reasons, reason_at
from .region_cells import BORDER, connections_at, draw_connections, draw_regions, regions_at
from .slope_view import draw_slope, slope_at
from .tile_view import draw_tiles, tiles_at
from .tree_view import draw_tree, tree_at
from .voxel_view import VARIANTS, draw_voxels, voxels_at

# --- The views of cells, in the order of the stages.

_OPEN = ("grid", "eroded")
_ALL_FILTERS = ("grid", "low_hanging", "ledges", "low_height", "compact", "eroded", "regions")

CELL_VIEWS: tuple[View, ...] = (
    View(
        "SLOPE", "Slope", "The level's own triangles in grey; amber where they are too steep",
        ("grid", "triangle_areas"), draw_slope, slope_at,
    ),
    View(
        "VOXELS", "Voxels", "Matter as boxes: green where an agent can stand on it, red where it can't",
        ("grid", "low_height", "eroded"), draw_voxels, voxels_at, VARIANTS,
    ),
    View(
        "COMPACT", "Open Space", "Floors with room for an agent; black where its center can't stand",
        _OPEN, draw_compact, compact_at,
    ),
    View(
        "REASONS", "Reasons", "Of every surface, why there is no navmesh on it",
        _ALL_FILTERS, draw_reasons, reason_at,
    ),
    View(
        "DISTANCE", "Distance", "How far it is to the nearest edge: white is farthest",
        (*_OPEN, "distance"), draw_distance, distance_at,
    ),
    View(
        "WATER", "Water", "The watershed at work: water rises from the spots farthest from any edge",
        (*_OPEN, "distance", "regions"), draw_water, water_at,
    ),
    View(
        "REGIONS", "Regions", "Which cells one outline goes around",
        (*_OPEN, "regions"), draw_regions, regions_at, (("regions", "Regions"), (BORDER, "With Borders of Tiles")),
    ),
    View(
        "CONNECTIONS", "Connections", "Which regions touch",
        (*_OPEN, "regions"), draw_connections, connections_at,
    ),
)  # fmt: skip


# --- The views of outlines and meshes, in the order of the stages.

_CONTOURS = ("grid", "contours")
_MESH = (*_CONTOURS, "polygon_mesh")

OUTLINE_VIEWS: tuple[View, ...] = (
    View(
        "RAW_CONTOURS", "Raw Contours", "Every step of the walk around each region, and what lies across",
        _CONTOURS, draw_raw_contours, raw_contour_at,
    ),
    View(
        "CONTOURS", "Contours", "Outlines after simplifying, holes joined to them",
        _CONTOURS, draw_contours, contours_at, CONTOUR_VARIANTS,
    ),
    View(
        "TRIANGLES", "Triangles", "What outlines are cut into, and the polygons that triangles are merged into",
        _MESH, draw_triangles, triangles_at, TRIANGLE_VARIANTS,
    ),
    View(
        "POLYGONS", "Polygons", "Polygons in the colors of their regions; walls stand out, borders of tiles are white",
        (), draw_polygons, polygons_at,
    ),
    View(
        "DETAIL", "Detail", "The triangles that follow the ground, and the samples they were made of",
        (), draw_detail, detail_at,
    ),
    View(
        "TREE", "Tree", "The boxes that queries walk through to find polygons; the level chooses the depth",
        (), draw_tree, tree_at,
    ),
    View(
        "TILES", "Tiles", "Bounds of tiles, how many polygons each has, and how long it took to build",
        (), draw_tiles, tiles_at,
    ),
    View(
        "MEADOW", "Meadow", "Outlines divided by Meadow mapping, split by split; the level chooses how many splits",
        _MESH, draw_meadow, meadow_at,
    ),
)  # fmt: skip


VIEWS: dict[str, View] = {view.name: view for view in (*CELL_VIEWS, *OUTLINE_VIEWS)}
LevelArrays = tuple[ArrayLike, ArrayLike]  # vertices (V, 3) and triangles (T, 3), as they were built from
_NO_TRIANGLES = np.zeros((0, 3, 3), np.float32)


def stage_picture(navmesh: NavMesh, view: str, shown: Shown = Shown(), level: LevelArrays | None = None) -> Picture:  # noqa: B008
    """What one of the VIEWS shows of a navmesh that was built with `keep_stages`, of all its tiles together.

    `level` are the vertices and triangles that it was built from: SLOPE draws them, and REASONS says how steep they
    are. Raises BadInput where there is no such view or variant, and where the stages that it needs are not there.
    """
    row = VIEWS.get(view)
    if row is None:
        raise BadInput(f"There is no view named {view!r}. There are {', '.join(VIEWS)}.")
    variants = [name for name, _ in row.variants]
    if shown.variant and shown.variant not in variants:
        way_out = f"It has {', '.join(variants)}." if variants else "It has no variants: leave it empty."
        raise BadInput(f"The view {view} has no variant {shown.variant!r}. {way_out}")
    return joined(draw_pieces(row, list(pieces_of(navmesh, row, level)), shown))


def draw_pieces(view: View, pieces: Sequence[ViewedPiece], shown: Shown) -> list[Picture]:
    """A picture of each piece. Together they have no more than `shown.most_faces`, where cells can be drawn so."""
    pictures = [view.draw(piece, shown) for piece in pieces]
    total = sum(len(picture.corners) for picture in pictures)
    if len(pieces) < 2 or total <= shown.most_faces:
        return pictures
    share = shown.most_faces / total
    fewer = [shown._replace(most_faces=int(len(picture.corners) * share)) for picture in pictures]
    return [view.draw(piece, less) for piece, less in zip(pieces, fewer, strict=True)]


def pieces_of(navmesh: NavMesh, view: View, level: LevelArrays | None = None) -> Iterator[ViewedPiece]:
    """What a view draws: the level, or its tiles. A view of the finished navmesh is drawn at once."""
    soup = None if level is None else (np.asarray(level[0], np.float32), np.asarray(level[1], np.int32))
    if navmesh.tile_grid is None or not view.needs:
        _check(view, navmesh, navmesh.stages if view.needs else None)
        yield ViewedPiece(navmesh, navmesh.stages, _NO_TRIANGLES if soup is None else soup[0][soup[1]], None)
        return
    _check(view, navmesh, next(iter(navmesh.stages.values()), {}))
    for place, triangles in _triangles_of_tiles(navmesh, soup):
        stages = navmesh.stages.get(place.stages_name, {})
        if all(name in stages for name in view.needs):  # a tile on which nothing is walkable has not come so far
            yield ViewedPiece(navmesh, stages, triangles, place)


def _check(view: View, navmesh: NavMesh, stages: object) -> None:
    """Refuse where stages are missing."""
    missing = [] if stages is None else [name for name in view.needs if name not in dict(stages)]  # type: ignore[call-overload]
    if not missing:
        return
    if missing == ["distance"]:
        raise BadInput(
            f"The view {view.name} shows distances, which the partition {navmesh.settings.partition!r} does without. "
            "Build with partition='watershed'.",
            "NO_STAGES",
        )
    raise BadInput(
        f"The view {view.name} needs what stages made, and the build kept none of that ({', '.join(missing)}): build "
        "with keep_stages=True.",
        "NO_STAGES",
    )


def _triangles_of_tiles(navmesh: NavMesh, soup: tuple[F32, I32] | None) -> Iterator[tuple[TileKey, F32]]:
    """Every tile's place with the triangles that touch it."""
    grid = navmesh.tile_grid
    assert grid is not None
    places = list(keys_of_grid(grid))
    if soup is None:
        yield from ((place, _NO_TRIANGLES) for place in places)
        return
    vertices, triangles = soup
    with Workers(1) as workers:
        selection = select_triangles(grid, vertices, triangles, (0, 0), (grid.columns, grid.rows), workers)
    for place in places:
        yield place, vertices[triangles[selection.of(place)]]
