"""The scenes and settings whose stage arrays are pinned by hash in scenes.json.

    python -m tests.golden.scene_builds            compare, and list what differs
    python -m tests.golden.scene_builds --write    write the hashes of this build (after an independent comparison)

When the hashes were written, every build was compared with the C++ library (compiled to WebAssembly) array for array:
98 of 105 were equal; in the other 7 equally distant hole bridges were tried in another order, because that library's
qsort is not stable, and with its sort in place of ours those were equal too.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from navcore import Settings, build_navmesh
from navcore.formats.stage_dump import dumped
from tests import scenes

FILE = Path(__file__).with_name("scenes.json")

SCENES: dict[str, Callable[[], scenes.Mesh]] = {
    "plaza": lambda: scenes.plaza(4),
    "stairs": scenes.stairs,
    "tower": lambda: scenes.tower(5),
    "spiral": lambda: scenes.spiral(1.5),
    "soup": scenes.snapped_soup,
    "hills": lambda: scenes.terrain(64, 0.5),
    "city": lambda: scenes.city(2),
}
VARIANTS: dict[str, dict[str, Any]] = {
    "default": {},
    "fine": {"cell_size": 0.15, "cell_height": 0.1, "detail_sample_distance": 2.0},
    "plain": {
        "filter_ledge_spans": False,
        "filter_low_hanging_obstacles": False,
        "agent_radius": 0.0,
        "region_min_size": 0,
    },
    "triangles": {"vertices_per_polygon": 3, "edge_max_error": 0.5, "edge_max_length": 3.0, "median_filter": True},
    "areas": {"vertices_per_polygon": 12, "tessellate_area_edges": True},
}
VOLUMES = [
    {"shape": "convex", "area": 2, "min_height": -1, "max_height": 3, "points": [[2, 2], [9, 3], [8, 9], [3, 8]]},
    {"shape": "box", "area": 0, "min": [4, -1, 4], "max": [5, 2, 6]},
    {"shape": "cylinder", "area": 5, "base": [7, -1, 7], "radius": 2.0, "height": 6},
]


def builds() -> Iterator[tuple[str, dict[str, Any]]]:
    """Name of each pinned build, and what `build_stages` needs for it."""
    for scene in SCENES:
        for variant, values in VARIANTS.items():
            for partition in ("watershed", "monotone", "layers"):
                yield (
                    f"{scene}/{variant}/{partition}",
                    {"scene": scene, "variant": variant, "values": values | {"partition": partition}},
                )


def inputs(build: dict[str, Any]) -> tuple[scenes.Mesh, Settings, dict[str, Any]]:
    """Geometry, settings and keyword arguments of one pinned build; the variant `areas` has area ids and volumes."""
    mesh = SCENES[build["scene"]]()
    extra: dict[str, Any] = {}
    if build["variant"] == "areas":
        extra = {"areas": 1 + np.arange(len(mesh[1])) % 4 * 20, "volumes": VOLUMES}
    return mesh, Settings(repair=False, **build["values"]), extra


def hashes(build: dict[str, Any], threads: int | None = None) -> dict[str, str]:
    """The start of the SHA-256 of every array's bytes, in Recast's packing."""
    mesh, settings, extra = inputs(build)
    return digests(dumped(build_navmesh(*mesh, settings, keep_stages=True, threads=threads, **extra)))


def digests(arrays: Mapping[str, Any]) -> dict[str, str]:
    """The start of the SHA-256 of every array's bytes."""
    return {name: hashlib.sha256(np.ascontiguousarray(a).tobytes()).hexdigest()[:16] for name, a in arrays.items()}


def compared(found: dict[str, dict[str, str]], file: Path) -> int:
    """The exit status of comparing with what is pinned, after listing what differs; or of pinning it anew: --write."""
    if "--write" in sys.argv:
        file.write_text(json.dumps(found, indent=0, sort_keys=True) + "\n")
        return 0
    pinned = json.loads(file.read_text())
    for name, arrays in found.items():
        different = [a for a in arrays if arrays[a] != pinned.get(name, {}).get(a)]
        if different:
            sys.stdout.write(f"{name}: {', '.join(different)}\n")
    return int(found != pinned)


if __name__ == "__main__":
    sys.exit(compared({name: hashes(build) for name, build in builds()}, FILE))
