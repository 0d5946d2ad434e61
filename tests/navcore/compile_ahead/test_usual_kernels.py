"""The pieces that are compiled side by side are all that a usual build needs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from navcore import Settings, build_navmesh
from navcore.builder.stages_apart import flat_ground
from navcore.compile_ahead.usual_kernels import is_small

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = """
import json
from navcore import build_navmesh
from navcore.kernels.kernel_store import STORE
from navcore.compile_ahead.usual_kernels import pieces
from tests import scenes

def asked():
    return {name for names in (STORE.tally.compiled, STORE.tally.loaded) for name in names}

asked_by_piece = []
for step in (*pieces(2), lambda: build_navmesh(*scenes.city(4), threads=2)):
    before = asked()
    step()
    asked_by_piece.append(sorted(asked() - before))
print(json.dumps(asked_by_piece))
"""


def test_a_usual_build_needs_nothing_else() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    *stages, level = json.loads(done.stdout)
    assert all(stages)
    assert level == []


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
