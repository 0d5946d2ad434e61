"""Compiling every kernel ahead leaves none out, and no build after it compiles or loads anything."""

from __future__ import annotations

import importlib
import json
import pkgutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def findings() -> dict[str, list[str]]:
    """What this file does when it is run: in a process of its own, where nothing was called before."""
    done = subprocess.run([sys.executable, __file__], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_every_kernel_is_called(findings: dict[str, list[str]]) -> None:
    assert findings["left out"] == [], "let navcore/compile_ahead/every_kernel.py call them"


def test_no_build_after_it_needs_another_kernel(findings: dict[str, list[str]]) -> None:
    assert findings["missed"] == [], "these argument types did not turn up in navcore/compile_ahead/every_kernel.py"


def test_every_kernel_that_python_calls_is_kept(findings: dict[str, list[str]]) -> None:
    assert findings["not kept"] == [], "these are compiled in every process"


def left_out(modules: dict[str, Any]) -> list[str]:
    """Kernels that neither Python has called nor any kernel that Python has called."""
    from navcore.kernels.compile_results import is_part
    from navcore.kernels.dispatcher import KernelDispatcher

    kernels = {
        id(value): value
        for module in modules.values()
        for value in vars(module).values()
        if isinstance(value, KernelDispatcher)
    }
    waiting = [k for k in kernels.values() if any(not is_part(result) for result in k.overloads.values())]
    found: set[int] = set()
    while waiting:
        kernel = waiting.pop()
        if id(kernel) not in found:
            found.add(id(kernel))
            waiting += called_by(kernel, kernels)
    return sorted(f"{k.__module__}.{k.__qualname__}" for number, k in kernels.items() if number not in found)


def called_by(kernel: Any, kernels: dict[int, Any]) -> list[Any]:
    names = kernel.py_func.__code__.co_names
    used = [kernel.py_func.__globals__.get(name) for name in names]
    # A kernel of another module may be named as an attribute of that module.
    modules = [value for value in used if isinstance(value, type(json)) and value.__name__.startswith("navcore.")]
    used += [getattr(module, name, None) for module in modules for name in names]
    return [value for value in used if id(value) in kernels]


def other_builds() -> Iterator[Any]:
    """Levels and settings that were not used to compile every kernel."""
    from navcore import Settings, build_navmesh, stitch_tiles
    from tests import scenes

    levels = {
        "terrain": scenes.terrain(60), "city": scenes.city(2), "stairs": scenes.stairs(), "spiral": scenes.spiral(),
        "plaza": scenes.plaza(), "soup": scenes.snapped_soup(),
    }  # fmt: skip
    for name, (vertices, triangles) in levels.items():
        for partition in ("watershed", "monotone", "layers"):
            yield name, lambda v=vertices, t=triangles, p=partition: build_navmesh(v, t, Settings(partition=p))
        tiled = Settings(tile_size=40, cell_size=0.25, agent_radius=0.3, repair=False, tessellate_area_edges=True)
        yield name, lambda v=vertices, t=triangles, s=tiled: stitch_tiles(build_navmesh(v, t, s, threads=3))
        for threads in (1, 2, 3):
            cells = Settings(
                cell_size=0.04, agent_radius=0.3, partition=("watershed", "monotone", "layers")[threads - 1]
            )
            yield name, lambda v=vertices, t=triangles, s=cells, n=threads: build_navmesh(v, t, s, threads=n)
        linked = [{"start": v[a].tolist(), "end": v[b].tolist()} for v in (vertices,) for a, b in ((0, 5), (3, 90))]
        yield name, lambda v=vertices, t=triangles, k=linked: build_navmesh(v, t, links=k)
        yield name, lambda v=vertices, t=triangles, k=linked: build_navmesh(v, t, Settings(tile_size=48), links=k)
        fine = Settings(cell_size=0.15, cell_height=0.1, agent_max_climb=0.4, detail_sample_distance=3)
        yield name, lambda v=vertices, t=triangles, s=fine: build_navmesh(v.tolist(), t.tolist(), s, threads=1)

    crowded = {"agent_height": 0.6, "agent_radius": 0, "region_min_size": 0, "region_merge_size": 0}
    for seed in (852, 498, 305, 1):  # each takes other steps of mending
        for tile_size in (0, 16):
            broken = Settings(tile_size=tile_size, **crowded)
            yield f"slabs {seed}", lambda s=broken, n=seed: build_navmesh(*scenes.slabs(n), s)


def main() -> None:
    import navcore
    from navcore.compile_ahead.every_kernel import compile_every_kernel
    from navcore.errors import NavmeshError
    from navcore.kernels.kernel_store import STORE

    compile_every_kernel()
    names = [module.name for module in pkgutil.walk_packages(navcore.__path__, "navcore.")]
    modules = {name: importlib.import_module(name) for name in names if not name.endswith("__main__")}
    tally, missed = STORE.tally, []
    for name, build in other_builds():
        before = len(tally.compiled), len(tally.loaded)
        try:
            build()
        except NavmeshError as refused:
            missed.append(f"{name}: {refused}")
        missed += [f"{name}: {k}" for k in (*tally.compiled[before[0] :], *tally.loaded[before[1] :])]
    not_kept = [name for name in tally.not_kept if name.startswith("kernel ")]
    print(json.dumps({"left out": left_out(modules), "missed": missed, "not kept": not_kept}))


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    main()
