"""The pieces that are compiled side by side are all that a usual build needs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from navcore import Settings, build_navmesh
from navcore.builder.sample_stages import flat_ground
from navcore.compile_ahead.usual_kernels import is_small

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = """
import json
from navcore import Settings, build_navmesh
from navcore.builder.cold_builds import stage_by_stage
from navcore.kernels.kernel_store import STORE
from navcore.compile_ahead.usual_kernels import LAST, pieces
from tests import scenes

def asked():
    return {name for names in (STORE.tally.compiled, STORE.tally.loaded) for name in names}

def build(mesh, threads=2, links=(), volumes=(), **values):
    navmesh = build_navmesh(*mesh, Settings(**values), threads=threads, links=links, volumes=volumes)
    # Where a process prepares and another builds, what was prepared is loaded, and nothing is left to be compiled.
    return {warning.code for warning in (*navmesh.report.warnings, *navmesh.report.notes)}

def made_first():
    with stage_by_stage():  # as a cold build goes; the kernel for bands of rows is one of the last pieces'
        return build(scenes.city(4))

crowded = {"agent_height": 0.6, "agent_radius": 0, "agent_max_climb": 0.9, "region_min_size": 0, "region_merge_size": 0}
link = {"start": [2, 0, 2], "end": [5, 0, 5]}
high, box = {**link, "start": [2, 50, 2]}, {"shape": "box", "area": 3, "min": [1, -1, 1], "max": [5, 2, 5]}
convex = {"shape": "convex", "area": 4, "min_height": -1, "max_height": 3, "points": [[9, 2], [9, 7], [14, 7], [14, 2]]}
drum = {"shape": "cylinder", "area": 2, "base": [18, -1, 18], "radius": 3, "height": 3}
todo = pieces(2)
steps = {
    **{f"piece {number}": piece for number, piece in enumerate(todo[:-LAST])},
    "a level as it is made first": made_first,
    **{f"last piece {number}": piece for number, piece in enumerate(todo[-LAST:])},
    "a small one": lambda: build(scenes.flat(9)),
    "a large one": lambda: build(scenes.terrain(700)),
    "pillars": lambda: build(scenes.plaza(8)),
    "many pillars": lambda: build(scenes.plaza(40)),
    "storeys": lambda: build(scenes.tower(8)),
    "a heap": lambda: build(scenes.snapped_soup()),
    "winding stairs": lambda: build(scenes.spiral(3)),
    "floors near each other": lambda: build(scenes.slabs(852), **crowded),
    "ground left out": lambda: build(scenes.slabs(498), **crowded),
    "links": lambda: build(scenes.city(4), links=[link, high]),
    "volumes": lambda: build(scenes.city(4), volumes=[box, drum, convex]),
    "more cells": lambda: build(scenes.city(4), cell_size=0.15, cell_height=0.1),
}
found = {}
for name, step in steps.items():
    before = asked()
    codes = step()
    found[name] = {"asked": sorted(asked() - before), "codes": sorted(codes or ())}
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def findings() -> dict[str, dict[str, list[str]]]:
    """What each piece, and each build after them, asked for that nothing before it had."""
    done = subprocess.run([sys.executable, "-c", SCRIPT], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_usual_build_needs_nothing_else(findings: dict[str, dict[str, list[str]]]) -> None:
    pieces = [found["asked"] for name, found in findings.items() if "piece" in name]
    assert all(pieces)
    assert findings["a level as it is made first"]["asked"] == []


def test_no_level_with_usual_settings_has_to_compile_in_the_middle_of_its_build(
    findings: dict[str, dict[str, list[str]]],
) -> None:
    """Mending above all: where that had to be compiled, outlines of one level took 17 seconds."""
    missed = {name: found["asked"] for name, found in findings.items() if "piece" not in name and found["asked"]}
    assert missed == {}
    codes = {code for found in findings.values() for code in found["codes"]}
    assert {"REPAIRED", "GROUND_LEFT_OUT", "LINK_UNATTACHED"} <= codes, "or the levels no longer ask for it"


@pytest.mark.parametrize("stage", ["eroded", "distance", "regions", "contours", "polygon_mesh", "detail_mesh"])
def test_the_ground_is_what_the_stages_make_of_it(stage: str) -> None:
    """But for its rim, which a build takes away."""
    flat = flat_ground(40)
    radius_zero = Settings(agent_radius=0, filter_ledge_spans=False)
    made = build_navmesh(flat.vertices, flat.triangles, radius_zero, threads=1, keep_stages=True).stages[stage]
    bundle = {
        "eroded": flat.compact, "distance": flat.distance, "regions": flat.regions, "contours": flat.contours,
        "polygon_mesh": flat.mesh, "detail_mesh": flat.detail,
    }[stage]  # fmt: skip
    for name, given, found in zip(bundle._fields, bundle, made, strict=True):
        if isinstance(given, np.ndarray):
            assert (given.dtype, given.ndim) == (found.dtype, found.ndim), name
    if stage == "eroded":
        assert all(np.array_equal(a, b) for a, b in zip(bundle[2:5], made[2:5], strict=True))
        assert np.array_equal(flat.compact.neighbors, made.neighbors)


SQUARE = np.array([[0, 0, 0], [100, 0, 0], [100, 5, 100]], np.float32)


@pytest.mark.parametrize(
    ("settings", "vertices", "bounds", "small"),
    [
        (Settings(cell_size=0.3), SQUARE, None, True),
        (Settings(cell_size=0.2), SQUARE, None, False),
        (Settings(cell_size=0.2), SQUARE, (0, 0, 0, 50, 9, 100), True),
        (Settings(cell_size=0.3, tile_size=64), SQUARE, None, False),
        (Settings(), SQUARE[:0], None, False),
        (Settings(), SQUARE * np.float32("nan"), None, False),
    ],
)
def test_small_is_what_python_gets_through_in_seconds(
    settings: Settings, vertices: np.ndarray, bounds: tuple[float, ...] | None, small: bool
) -> None:
    assert is_small(vertices, settings, bounds) == small
