"""The arrays after every stage under Recast's names and packing, to compare a build with the C++ library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..area_types import area_flags, runtime_areas
from ..errors import BadInput, BadSettings, TooLarge
from ..geometry.grid import without_border
from ..result.navmesh import NavMesh, Tile
from ..types import U32, AnyArray, CompactHeightfield, Contours, DetailMesh, Heightfield, PolygonMesh
from .mset import mset_bytes, tile_blobs

Arrays = dict[str, AnyArray]

_STEP_X, _STEP_Z = (-1, 0, 1, 0), (0, 1, 0, -1)
_NOT_CONNECTED = 63  # Recast: RC_NOT_CONNECTED


def dumped(navmesh: NavMesh) -> Arrays:
    """Everything of a build with `keep_stages`: of tiles the meshes, merged too, and the stages under `t<x>_<y>/`.

    With the runtime data of the finished navmesh, where that has room for it. Raises BadInput where nothing was kept.
    """
    if not navmesh.stages:
        raise BadInput("The build kept no stages to dump: build with keep_stages=True.", "NO_STAGES")
    if navmesh.tile_grid is None:
        return packed_stages(navmesh.stages) | _runtime_data(navmesh)
    bounds = np.stack([navmesh.tile_grid.bounds_min, navmesh.tile_grid.bounds_max])
    out: Arrays = {"bounds": bounds} | packed_tiles(navmesh.tiles) | _merged(navmesh)
    for place, stages in navmesh.stages.items():
        out |= {f"{place}/{name}": array for name, array in packed_stages(stages).items()}
    return out | _runtime_data(navmesh)


def packed_tiles(tiles: Sequence[Tile]) -> Arrays:
    """The meshes of all tiles, one after the other; indices stay local to their tile."""
    meshes = [tile.polygon_mesh for tile in tiles]
    details = [tile.detail_mesh for tile in tiles if tile.detail_mesh is not None]
    counts = [[len(m.vertices), len(m.polygons), 0, 0, 0] for m in meshes]
    for row, detail in zip(counts, details, strict=False):
        row[2:] = len(detail.meshes), len(detail.vertices), len(detail.triangles)
    packed = [_polygons(mesh) for mesh in meshes] if not details else [
        _polygons(m) | _detail(d) for m, d in zip(meshes, details, strict=True)
    ]  # fmt: skip
    joined = {n: np.concatenate([p[n] for p in packed]) for n in packed[0] if n not in ("pm_bounds", "pm_maxpolys")}
    return {
        "pm_tiles_xy": np.array([[tile.x, tile.y] for tile in tiles], np.int32),
        "pm_tiles_counts": np.array(counts, np.int32),
        "pm_tile_bounds": np.stack([p["pm_bounds"].ravel() for p in packed]),
        **joined,
    }


def _merged(navmesh: NavMesh) -> Arrays:
    try:
        packed = _polygons(navmesh.polygon_mesh)
    except TooLarge:
        return {}  # more vertices than one mesh can hold
    packed["pm_areas"], packed["pm_flags"] = packed.pop("pm_areas_final"), packed.pop("pm_flags_final")
    del packed["pm_maxpolys"]
    if navmesh.detail_mesh is not None:
        packed |= _detail(navmesh.detail_mesh)
    return {f"merged_{name}": array for name, array in packed.items()}


def _runtime_data(navmesh: NavMesh) -> Arrays:
    """Each tile as it is before linking, and the whole file with its live links."""
    try:
        blobs = [np.frombuffer(blob, np.uint8) for blob in tile_blobs(navmesh)]
        out = {"mset": np.frombuffer(mset_bytes(navmesh), np.uint8)}
    except (BadSettings, BadInput, TooLarge):
        return {}  # polygons of more than six corners, more of them than a tile has room for
    if navmesh.tile_grid is None:
        return {"navdata": blobs[0], **out}
    out |= {
        "tiles_xy": np.array([[tile.x, tile.y] for tile in navmesh.tiles], np.int32),
        "tiles_navsize": np.array([len(blob) for blob in blobs], np.uint32),
        "tiles_navdata": np.concatenate(blobs),
    }
    return out | {f"t{tile.x}_{tile.y}/navdata": blob for tile, blob in zip(navmesh.tiles, blobs, strict=True)}


def packed_stages(stages: Mapping[str, Any]) -> Arrays:
    """The stages that `build_navmesh(…, keep_stages=True)` kept, as Recast's arrays. No Recast ancestor."""
    grid = stages["grid"]
    out: Arrays = {"bounds": np.stack([grid.bounds_min, grid.bounds_max]), "tri_areas": stages["triangle_areas"]}
    out |= _solid(stages)
    if "compact" in stages:
        out |= _compact(stages)
    if "distance" in stages:
        out |= {
            "chf_dist": stages["distance"].distance,
            "chf_maxDistance": np.array(stages["distance"].maximum, np.uint16),
        }
    if "regions" in stages:
        out |= {"chf_reg": stages["regions"].region, "chf_maxRegions": np.array(stages["regions"].count, np.uint16)}
    if "contours" in stages:
        out |= _contours(stages["contours"], without_border(stages["compact_grid"]))
    if "polygon_mesh" in stages:
        out |= _polygons(stages["polygon_mesh"])
    if stages.get("detail_mesh") is not None:
        out |= _detail(stages["detail_mesh"])
    return out


def _solid(stages: Mapping[str, Any]) -> Arrays:
    field: Heightfield = stages["rasterized"]
    return {
        "hf_count": np.diff(field.first).astype(np.uint16),
        "hf_smin": field.bottom,
        "hf_smax": field.top,
        "hf_area_raster": field.area,
        "hf_area_lowhang": stages["low_hanging"].area,
        "hf_area_ledge": stages["ledges"].area,
        "hf_area_lowheight": stages["low_height"].area,
    }


def _compact(stages: Mapping[str, Any]) -> Arrays:
    compact: CompactHeightfield = stages["compact"]
    solid_count = np.diff(stages["rasterized"].first)
    grid = stages["compact_grid"]
    out: Arrays = {
        "chf_index": np.where(solid_count > 0, compact.first[:-1], 0).astype(np.uint32),
        "chf_count": np.diff(compact.first).astype(np.uint8),
        "chf_y": compact.floor,
        "chf_h": compact.clearance,
        "chf_con": packed_neighbors(compact),
        "chf_areas_build": compact.area,
        "chf_bounds": np.stack([grid.bounds_min, grid.bounds_max]),
    }
    names = {"eroded": "chf_areas_erode", "median": "chf_areas_median", "marked": "chf_areas_marked"}
    return out | {name: stages[stage].area for stage, name in names.items() if stage in stages}


def packed_neighbors(compact: CompactHeightfield) -> U32:
    """Neighbor indices as layers, six bits a direction; a layer beyond the 62nd can't be packed: not connected."""
    column = np.repeat(np.arange(len(compact.first) - 1), np.diff(compact.first))
    con = np.zeros(len(compact.floor), np.uint32)
    for direction in range(4):
        there = compact.neighbors[:, direction] >= 0
        target = column[there] + _STEP_X[direction] + _STEP_Z[direction] * compact.width
        layer = np.full(len(con), _NOT_CONNECTED, np.uint32)
        layer[there] = np.minimum(compact.neighbors[there, direction] - compact.first[target], _NOT_CONNECTED)
        con |= layer << np.uint32(6 * direction)
    return con


def _contours(contours: Contours, inner: Any) -> Arrays:
    return {
        "cset_rverts": contours.raw,
        "cset_nrverts": np.diff(contours.raw_first).astype(np.int32),
        "cset_verts": contours.points,
        "cset_nverts": np.diff(contours.first).astype(np.int32),
        "cset_reg": contours.region,
        "cset_area": contours.area,
        "cset_bounds": np.stack([inner.bounds_min, inner.bounds_max]),
        "cset_wh": np.array([inner.width, inner.depth, inner.border], np.int32),
    }


def _polygons(mesh: PolygonMesh) -> Arrays:
    return {
        "pm_verts": mesh.vertices,
        "pm_polys": np.concatenate([mesh.polygons, mesh.neighbors], axis=1),
        "pm_regs": mesh.region,
        "pm_areas": mesh.area,
        "pm_areas_final": runtime_areas(mesh.area),
        "pm_flags_final": area_flags(runtime_areas(mesh.area)),
        "pm_bounds": np.stack([mesh.grid.bounds_min, mesh.grid.bounds_max]),
        "pm_maxpolys": np.array(mesh.capacity, np.int32),
    }


def _detail(mesh: DetailMesh) -> Arrays:
    return {"dm_meshes": mesh.meshes, "dm_verts": mesh.vertices, "dm_tris": mesh.triangles}
