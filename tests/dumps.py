"""Stage dumps of the C++ library, when a folder of them is at hand (NAVMESH_GOLDENS), and our bundles made of them.

Each stage can so be fed with the library's own previous stage, which shows in which stage a difference is born.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from navcore.result.navmesh import Tile
from navcore.settings import Settings
from navcore.types import (
    CompactHeightfield,
    Contours,
    DetailMesh,
    DistanceField,
    Grid,
    Heightfield,
    PolygonMesh,
    Regions,
)

FOLDER = Path(os.environ["NAVMESH_GOLDENS"]) if os.environ.get("NAVMESH_GOLDENS") else None
DX, DZ = np.array([-1, 0, 1, 0]), np.array([0, 1, 0, -1])

SETTING_OF = {
    "cs": "cell_size",
    "ch": "cell_height",
    "height": "agent_height",
    "radius": "agent_radius",
    "climb": "agent_max_climb",
    "slope": "agent_max_slope",
    "regionMin": "region_min_size",
    "regionMerge": "region_merge_size",
    "edgeMaxLen": "edge_max_length",
    "edgeMaxError": "edge_max_error",
    "vertsPerPoly": "vertices_per_polygon",
    "detailDist": "detail_sample_distance",
    "detailErr": "detail_sample_max_error",
    "partition": "partition",
    "tileSize": "tile_size",
    "median": "median_filter",
    "filterLowHanging": "filter_low_hanging_obstacles",
    "filterLedge": "filter_ledge_spans",
    "filterLowHeight": "filter_walkable_low_height_spans",
}


def variants(mode: str = "solo") -> list[tuple[str, str]]:
    """(mesh, variant) of every dump at hand."""
    if FOLDER is None:
        return []
    found = []
    for manifest in sorted(FOLDER.glob("*/manifest.json")):
        rows = json.loads(manifest.read_text()).get("variants", {})
        if isinstance(rows, dict):
            found += [(manifest.parent.name, name) for name, row in rows.items() if row.get("mode") == mode]
    return found


@cache
def _manifest(mesh: str) -> dict[str, Any]:
    assert FOLDER is not None
    return json.loads((FOLDER / mesh / "manifest.json").read_text())["variants"]


@lru_cache(maxsize=8)
def _file(mesh: str, name: str) -> dict[str, np.ndarray]:
    assert FOLDER is not None
    with np.load(FOLDER / mesh / f"{name}.npz") as data:
        return dict(data)


class Dump:
    """One variant: its settings, volumes and arrays (`dump["chf_y"]`)."""

    def __init__(self, mesh: str, variant: str) -> None:
        self.mesh, self.variant = mesh, variant
        self.row = _manifest(mesh)[variant]

    def __contains__(self, name: str) -> bool:
        return name in self.row["arrays"]

    def __getitem__(self, name: str) -> np.ndarray:
        return _file(self.mesh, self.row["arrays"][name]["file"])[name]

    def names(self) -> list[str]:
        return list(self.row["arrays"])

    def geometry(self) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        data = _file(self.mesh, "mesh")
        return data["verts"], data["tris"], data.get("areas")

    def settings(self) -> Settings:
        values: dict[str, Any] = {}
        for key, value in self.row["config"].items():
            if key in SETTING_OF:
                values[SETTING_OF[key]] = value
            elif key == "noDetail":
                values["detail_mesh"] = not value
            elif key == "contourFlags":
                values |= {"tessellate_wall_edges": bool(value & 1), "tessellate_area_edges": bool(value & 2)}
        for name in ("median_filter", *(n for n in values if n.startswith("filter_"))):
            if name in values:
                values[name] = bool(values[name])
        return Settings(repair=False, **values)

    def scene(self) -> dict[str, Any]:
        """Volumes and bounds, as `--scene` takes them."""
        scene: dict[str, Any] = {"volumes": [], "links": []}
        for extra in self.row["extra"]:
            kind, _, text = extra.partition("=")
            n = [float(v) for v in text.split(",")]
            if kind == "bounds":
                scene["bounds"] = n
            elif kind == "convex":
                points = [list(p) for p in zip(n[3::2], n[4::2], strict=True)]
                scene["volumes"].append(
                    {"shape": "convex", "area": int(n[0]), "min_height": n[1], "max_height": n[2], "points": points}
                )
            elif kind == "box":
                scene["volumes"].append({"shape": "box", "area": int(n[0]), "min": n[1:4], "max": n[4:7]})
            elif kind == "offmesh":
                way = {"start": n[:3], "end": n[3:6], "radius": n[6], "bidirectional": bool(n[7])}
                scene["links"].append(way | {"area": int(n[8]), "flags": int(n[9]), "id": int(n[10])})
            elif kind == "cyl":
                scene["volumes"].append(
                    {"shape": "cylinder", "area": int(n[0]), "base": n[1:4], "radius": n[4], "height": n[5]}
                )
        order = {"convex": 0, "box": 1, "cylinder": 2}
        scene["volumes"].sort(key=lambda v: order[v["shape"]])
        return scene

    # --- the library's arrays as our bundles

    def grid(self) -> Grid:
        config = self.row["info"]["rcConfig"]
        low, high = self["bounds"].astype(np.float32)
        return Grid(config["width"], config["height"], 0, low, high, np.float32(config["cs"]), np.float32(config["ch"]))

    def heightfield(self, area: str) -> Heightfield:
        """`area`: hf_area_raster, _lowhang, _ledge or _lowheight."""
        grid = self.grid()
        return Heightfield(
            grid.width, grid.depth, _offsets(self["hf_count"]), self["hf_smin"], self["hf_smax"], self[area]
        )

    def compact(self, area: str | None = None) -> CompactHeightfield:
        """`area`: chf_areas_build, _erode, _median, _marked; the last one there is by default."""
        grid = self.grid()
        if area is None:
            area = [
                n for n in ("chf_areas_build", "chf_areas_erode", "chf_areas_median", "chf_areas_marked") if n in self
            ][-1]
        first = _offsets(self["chf_count"])
        neighbors = unpacked_neighbors(grid.width, first, self["chf_con"])
        return CompactHeightfield(grid.width, grid.depth, first, self["chf_y"], self["chf_h"], neighbors, self[area])

    def distance(self) -> DistanceField:
        return DistanceField(self["chf_dist"], int(self["chf_maxDistance"]))

    def regions(self) -> Regions:
        return Regions(self["chf_reg"], int(self["chf_maxRegions"]))

    def contours(self) -> Contours:
        return Contours(
            _offsets(self["cset_nverts"]), self["cset_verts"], _offsets(self["cset_nrverts"]), self["cset_rverts"],
            self["cset_reg"], self["cset_area"],
        )  # fmt: skip

    def compact_grid(self) -> Grid:
        """The grid after the compact stage: raised by the agent's height."""
        low, high = self["chf_bounds"].astype(np.float32)
        return self.grid()._replace(bounds_min=low, bounds_max=high)

    def polygon_mesh(self) -> PolygonMesh:
        polys = self["pm_polys"]
        half = polys.shape[1] // 2
        error = np.float32(self.row["info"]["rcConfig"]["maxSimplificationError"])
        return PolygonMesh(
            self["pm_verts"], np.ascontiguousarray(polys[:, :half]), np.ascontiguousarray(polys[:, half:]),
            self["pm_regs"], self["pm_areas"], int(self["pm_maxpolys"]), error, self.compact_grid(),
        )  # fmt: skip

    def tiles(self) -> Iterator[Tile]:
        """The tiles of a tiled dump. Their areas are those of runtime data, so plain ground is 0."""
        config = self.row["info"]["rcConfig"]
        cs, ch, error = (np.float32(config[name]) for name in ("cs", "ch", "maxSimplificationError"))
        polys, half = self["pm_polys"], self["pm_polys"].shape[1] // 2
        ends = np.cumsum(self["pm_tiles_counts"], axis=0)
        for (x, y), end, count, bounds in zip(
            self["pm_tiles_xy"], ends, self["pm_tiles_counts"], self["pm_tile_bounds"], strict=True
        ):
            vertices, rows, meshes, points, triangles = (slice(e - c, e) for e, c in zip(end, count, strict=True))
            grid = Grid(config["tileSize"], config["tileSize"], config["borderSize"], bounds[:3], bounds[3:], cs, ch)
            mesh = PolygonMesh(
                self["pm_verts"][vertices], np.ascontiguousarray(polys[rows, :half]),
                np.ascontiguousarray(polys[rows, half:]), self["pm_regs"][rows], self["pm_areas_final"][rows], 0, error,
                grid,
            )  # fmt: skip
            detail = DetailMesh(self["dm_meshes"][meshes], self["dm_verts"][points], self["dm_tris"][triangles])
            yield Tile(int(x), int(y), mesh, detail)

    def detail_mesh(self) -> DetailMesh:
        return DetailMesh(self["dm_meshes"], self["dm_verts"], self["dm_tris"])


def _offsets(counts: np.ndarray) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]).astype(np.int32)


def unpacked_neighbors(width: int, first: np.ndarray, con: np.ndarray) -> np.ndarray:
    """Recast's packed connections as an (O, 4) array of span indices."""
    column = np.repeat(np.arange(len(first) - 1), np.diff(first))
    neighbors = np.full((len(con), 4), -1, np.int32)
    for direction in range(4):
        layer = (con >> (6 * direction)) & 63
        there = layer != 63
        target = column[there] + DX[direction] + DZ[direction] * width
        neighbors[there, direction] = first[target] + layer[there]
    return neighbors


def same_bytes(ours: np.ndarray, theirs: np.ndarray) -> bool:
    """Equal to the last bit: dtype, shape and bytes (so that -0.0 and NaN count)."""
    return ours.dtype == theirs.dtype and ours.shape == theirs.shape and ours.tobytes() == theirs.tobytes()
