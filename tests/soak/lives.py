"""Many builds in one Blender session, and the extension enabled and disabled many times: `dev.py soak --blender 4.2`

Prints how much more memory the session holds afterwards than when it had warmed up, and fails where it is too much.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from tests.blender.conftest import MODULE, known_to

from .levels import PARTITIONS, Level, level_of

MOST_GROWTH = 50.0  # MB that 500 builds may add
MOST_GROWTH_ENABLING = 10.0  # MB that enabling and disabling 100 times may add
LEVELS = 25  # built in turn; each once before anything is measured


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--builds", type=int, default=500)
    parser.add_argument("--times", type=int, default=100, help="enabled and disabled")
    parser.add_argument("--first", type=int, default=0, help="number of the first level")
    arguments = parser.parse_args()
    import bpy  # first: it makes Blender's own modules findable

    with tempfile.TemporaryDirectory() as folder:
        addon_utils = known_to(bpy, Path(folder))
        turned = switch(addon_utils, arguments.times)
        grown, ends = build(bpy, [level_of(arguments.first + i) for i in range(LEVELS)], arguments.builds)
        addon_utils.disable(MODULE, default_set=False)
    print(f"Blender {bpy.app.version_string}, levels {arguments.first} to {arguments.first + LEVELS - 1}")
    print(f"{arguments.times} times enabled and disabled: {turned:+.1f} MB (at most {MOST_GROWTH_ENABLING:g})")
    print(f"{arguments.builds} builds: {grown:+.1f} MB (at most {MOST_GROWTH:g}); {ends}")
    return int(grown > MOST_GROWTH or turned > MOST_GROWTH_ENABLING)


def switch(addon_utils: Any, times: int) -> float:
    """Enable and disable; left enabled. MB that it took after the first time."""
    addon_utils.enable(MODULE, default_set=False)
    before = _held_mb()
    for _ in range(times):
        addon_utils.disable(MODULE, default_set=False)
        addon_utils.enable(MODULE, default_set=False)
    return _held_mb() - before


def build(bpy: Any, levels: list[Level], builds: int) -> tuple[float, str]:
    """Build the levels in turn; MB that it took after each had been built once, and how the builds ended."""
    bpy.ops.wm.read_homefile(use_empty=True)
    ends: Counter[str] = Counter()
    before, began = 0.0, time.process_time()
    for number in range(len(levels) + builds):
        if number == len(levels):
            before, began = _held_mb(), time.process_time()
            ends.clear()
        ends[_build(bpy, levels[number % len(levels)], PARTITIONS[number % 3], 32 * (number % 2))] += 1
    told = ", ".join(f"{count} {end}" for end, count in sorted(ends.items()))
    return _held_mb() - before, f"{told}; {time.process_time() - began:.0f} s of CPU"


def _build(bpy: Any, level: Level, partition: str, tile_size: int) -> str:
    """Put the level in place of the last one and press Build."""
    last = bpy.data.objects.get("Level")
    if last is not None:
        bpy.data.meshes.remove(last.data)
    mesh = bpy.data.meshes.new("Level")
    mesh.from_pydata(level.vertices[:, [0, 2, 1]].tolist(), [], level.triangles[:, ::-1].tolist())
    level_object = bpy.data.objects.new("Level", mesh)
    bpy.context.scene.collection.objects.link(level_object)
    level_object.select_set(True)
    try:
        done = bpy.ops.navmesh.build(**level.settings, partition=partition, tile_size=tile_size)
    except (TypeError, ValueError):  # a hostile value: text for a number, say, or more than a whole number holds
        return "refused by Blender"
    except RuntimeError as told:  # what an operator reports as an error reaches a script so
        if "Traceback" in str(told):
            raise
        return "refused"
    return "built" if done == {"FINISHED"} else "refused"


def _held_mb() -> float:
    """MB that this process holds now; where the system does not tell, the most it has ever held."""
    gc.collect()
    statm = Path("/proc/self/statm")
    if statm.exists():
        return int(statm.read_text().split()[1]) * 4096 / 1e6
    peak = importlib.import_module(f"{MODULE}.navcore.report").peak_memory_mb
    return float(peak())


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    raise SystemExit(status)
