"""What every stage makes of a small level, as text: to compare processes that run kernels in different ways."""

from __future__ import annotations

import hashlib
import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from navcore import Settings, build_navmesh
from navcore.kernels.kept_kernels import keep_kernels_in, kernel_counts
from navcore.kernels.plain_python import standing_in
from tests import scenes

SETTINGS = {
    "watershed": Settings(cell_size=0.5),
    "monotone, no borders": Settings(cell_size=0.5, partition="monotone", agent_radius=0, region_min_size=0),
    "layers, samples close by": Settings(cell_size=0.5, partition="layers", detail_sample_distance=1.5),
    "median, triangles": Settings(cell_size=0.6, median_filter=True, vertices_per_polygon=3, edge_max_error=0.4),
    "tiles": Settings(cell_size=0.6, tile_size=20),
}
BUILDING = {"shape": "box", "min": (2, -1, 2), "max": (9, 5, 6), "area": 3}


def answers() -> dict[str, Any]:
    """By settings, everything that a build makes."""
    found = {}
    for name, settings in SETTINGS.items():
        made = build_navmesh(*scenes.city(1), settings, volumes=[BUILDING], threads=2, keep_stages=True)
        found[name] = {stage: digest(bundle) for stage, bundle in made.stages.items()}
        found[name] |= {"tiles": digest(made.tiles), "counts": digest(sorted(made.report.counts.items()))}
    return found


def digest(value: Any) -> Any:
    """Types, shapes and bytes."""
    if isinstance(value, np.ndarray):
        return [str(value.dtype), list(value.shape), hashlib.sha256(value.tobytes()).hexdigest()]
    if isinstance(value, (tuple, list)):
        return [digest(part) for part in value]
    return [digest(part) for part in vars(value).items()] if hasattr(value, "__dict__") else repr(value)


def main() -> None:
    """Print the answers of this process; Python stands in for the kernels that the named folder does not hold."""
    keep_kernels_in(Path(sys.argv[1]))
    import_module("navcore.builder.loops_by_arrays")
    with standing_in():
        found = answers()
    sys.stdout.write(json.dumps([found, kernel_counts()]))


if __name__ == "__main__":
    main()
