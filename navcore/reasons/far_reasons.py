"""Reasons that no window shows: regions, outlines and polygons. The piece is built for them."""

from __future__ import annotations

import math
from collections import deque

import numpy as np

from ..settings import Settings
from ..stages.regions import build_regions
from ..threads import Workers
from ..types import I32, NOT_WALKABLE, PolygonMesh, Regions
from .reason import Reason
from .surface import Surface
from .whereabouts import ALMOST, Whereabouts, distance_to_polygons, whereabouts

_USUAL_ERROR = Settings().edge_max_error


def reason_of_piece(surface: Surface) -> Reason | None:
    """Why ground that is walkable got no polygon; None where it has one."""
    found = whereabouts(surface)
    region = int(found.regions.region[found.span])
    if region == 0:
        return _no_region(surface, found)
    distance = distance_to_polygons(found.built.stages["polygon_mesh"], surface, found)
    return None if distance <= ALMOST else _no_polygon(surface, found, region, distance)


def is_covered(mesh: PolygonMesh, surface: Surface) -> bool:
    """Whether a polygon of the surface's region lies over the point, in what pruning has left of its tile."""
    return distance_to_polygons(mesh, surface, whereabouts(surface)) <= ALMOST


def _no_region(surface: Surface, found: Whereabouts) -> Reason:
    """Ground below the least size, by itself or as what areas and heights make of it, or that no region rises to."""
    settings, least = surface.level.settings, surface.level.recipe.voxels.region_min_area_vx
    if _was_left_out(surface, found):
        return _left_out(surface)
    rest = _rest(found)
    size, own = len(rest), len(rest)
    cut = size >= least or settings.partition == "layers" or len(np.unique(found.ground.area[rest])) > 1
    if cut or settings.tile_size:
        own = _size_of_its_own(surface, found)
    if own == 0:
        return Reason(
            "REGION_TOO_SMALL", "regions",
            f"Region too small: this strip of {size:,} cells is too narrow for a region of its own. Smaller cells "
            "help.",
            float(size), float(least), "cell_size", _halved(settings.cell_size), surface.culprit,
        )  # fmt: skip
    said = f"this island has {size:,} cells"
    if size >= least:
        said = f"this ground of {size:,} cells is cut by its areas and heights, the part here has {own:,}"
    return Reason(
        "REGION_TOO_SMALL", "regions", f"Region too small: {said}, and {least:,} are the least.",
        float(own if size >= least else size), float(least), "region_min_size", float(math.isqrt(own)),
        surface.culprit,
    )  # fmt: skip


def _was_left_out(surface: Surface, found: Whereabouts) -> bool:
    """Whether there was a region before polygons were mended, which left cells out."""
    piece, settings = found.built.piece, surface.level.settings
    if piece is None or all(warning.code != "GROUND_LEFT_OUT" for warning in piece.warnings):
        return False
    areas_vx = surface.level.recipe.polygons.region_areas_vx
    return bool(_divided(found, settings.partition, areas_vx).region[found.span])


def _size_of_its_own(surface: Surface, found: Whereabouts) -> int:
    """How many cells the region has that is there where none is too small; 0 where there is none."""
    region = _divided(found, surface.level.settings.partition, (0, 0)).region
    return int((region == region[found.span]).sum()) if region[found.span] else 0


def _divided(found: Whereabouts, partition: str, areas_vx: tuple[int, int]) -> Regions:
    stages = found.built.stages
    with Workers(1) as workers:
        return build_regions(found.ground, stages.get("distance"), partition, stages["grid"].border, *areas_vx, workers)


def _rest(found: Whereabouts) -> I32:
    """The walkable spans without a region that hang together here."""
    region, area, neighbors = found.regions.region, found.ground.area, found.ground.neighbors
    seen, waiting = {found.span}, deque([found.span])
    while waiting:
        for near in neighbors[waiting.popleft()].tolist():
            if near >= 0 and near not in seen and region[near] == 0 and area[near] != NOT_WALKABLE:
                seen.add(near)
                waiting.append(near)
    return np.array(sorted(seen), np.int32)


def _no_polygon(surface: Surface, found: Whereabouts, region: int, distance: float) -> Reason:
    """An outline left the place out, or nothing was made of it."""
    settings = surface.level.settings
    if not np.isin(found.built.stages["polygon_mesh"].region, (region, 0)).any():
        return _left_out(surface, not np.isin(region, found.built.stages["contours"].region))
    metres = f"{distance * settings.cell_size:.2f} m" if math.isfinite(distance) else "far"
    return Reason(
        "OUTLINE_SIMPLIFIED", "contours",
        f"Outline simplified: edges may leave the true outline by {settings.edge_max_error:g} cells, and this place "
        f"lies {metres} outside of them.",
        distance if math.isfinite(distance) else None, settings.edge_max_error, "edge_max_error",
        _sharper(distance, settings.edge_max_error), surface.culprit,
    )  # fmt: skip


def _left_out(surface: Surface, no_outline: bool = False) -> Reason:
    """No polygon of the region is there: its outline came to less than a triangle, or its polygons to nothing sound."""
    error, triangle = surface.level.settings.edge_max_error, surface.culprit
    if no_outline and error > 0:
        return Reason(
            "POLYGON_DROPPED", "contours",
            f"Polygon dropped: with an Edge Max Error of {error:g} cells nothing is left of this ground's outline.",
            None, error, "edge_max_error", _USUAL_ERROR if error > _USUAL_ERROR else 0.0, triangle,
        )  # fmt: skip
    return Reason(
        "POLYGON_DROPPED", "polygon_mesh",
        "Polygon dropped: no sound polygon could be made here. Smaller cells or a lower Edge Max Error help.",
        setting="cell_size", suggested=_halved(surface.level.settings.cell_size), triangle=triangle,
    )  # fmt: skip


def _sharper(distance: float, error: float) -> float:
    """An error that keeps what lies so far outside."""
    half = math.floor(min(distance, error) * 5) / 10
    return half if half < error else 0.0


def _halved(value: float) -> float:
    return float(f"{value / 2:.3g}")
