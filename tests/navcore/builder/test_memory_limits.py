"""What a build is forecast to take, beside what it takes: each build in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from navcore import Settings, TooLarge, build_navmesh
from navcore.builder.build_limits import check_time, forecast
from navcore.builder.memory_and_time_forecast import Forecast
from navcore.types import Geometry, Grid
from tests import scenes

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = """
import json, sys
import numpy as np
from navcore import NavmeshError, Settings, build_navmesh
from navcore.stages.walkable import classify_triangles
from navcore.geometry.grid import bounds_of, solo_grid
from navcore.builder.checked_input import checked_geometry
from navcore.builder.build_limits import forecast, forecast_tiles
from navcore.kernels.kept_kernels import kernel_counts
from navcore.memory import peak_memory_mb
from navcore.threads import Workers
from navcore.geometry.tile_key import TileKey
from navcore.geometry.tile_grid import grid_of_tile, cut_into_tiles
from tests import scenes

file, partition, tile_size = sys.argv[1:]
with np.load(file) as stored:
    mesh = stored["vertices"], stored["triangles"]
settings = Settings(partition=partition, tile_size=int(tile_size))
build_navmesh(*scenes.terrain(100), Settings(partition=partition), threads=1)  # so that what a process needs is there
before = peak_memory_mb()
try:
    build_navmesh(*mesh, settings, threads=1)
except NavmeshError as refused:  # of too many corners for one mesh, when the peak is over
    assert "use tiles" in str(refused), refused
compiled = kernel_counts().compiled
geometry, voxels = checked_geometry(*mesh, None), settings.in_voxels()
box = bounds_of(geometry.vertices)
grid = solo_grid(*box, voxels.cell_size, voxels.cell_height)
expected = forecast(grid, classify_triangles(geometry, settings.agent_max_slope, Workers(1)))
if settings.tile_size:
    expected = forecast_tiles(grid_of_tile(cut_into_tiles(*box, settings, voxels), TileKey(0, 0)), expected, 1)
print(json.dumps([peak_memory_mb() - before, expected.bytes(partition) / 1e6, compiled]))
"""


LEVELS: dict[str, Callable[[], scenes.Mesh]] = {
    "flat": lambda: scenes.flat(600.0),
    "terrain": lambda: scenes.terrain(1001, 0.6, 0.03),
    "town": lambda: (scenes.city(24)[0] * np.float32(1.56), scenes.city(24)[1]),
    "floors": lambda: scenes.join([scenes.box(0, 3.0 * i, 0, 300, 0.3, 300) for i in range(4)]),
}


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the peak of a process is counted by other rules")
@pytest.mark.parametrize(
    ("level", "partition", "tile_size"),
    [*((level, "monotone", 0) for level in LEVELS), ("flat", "watershed", 0), ("floors", "layers", 0),
     ("floors", "watershed", 1024)],
)  # fmt: skip
def test_the_forecast_is_within_a_quarter_of_the_peak(
    level: str, partition: str, tile_size: int, tmp_path: Path
) -> None:
    vertices, triangles = LEVELS[level]()
    file = tmp_path / "level.npz"  # made here: what making it takes is not what building takes
    np.savez(file, vertices=vertices, triangles=triangles)
    command = [sys.executable, "-c", SCRIPT, str(file), partition, str(tile_size)]
    for _ in range(2):
        output = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
        measured, expected, compiled = json.loads(output)
        if not compiled:  # else the compiler has left memory that the build takes again
            break
    assert measured > 90, "less is the noise of allocators"
    assert 0.75 * measured < expected < 1.25 * measured


def grid_of(width: float, depth: float) -> Grid:
    low, high = np.zeros(3, np.float32), np.array([width, 1, depth], np.float32)
    return Grid(round(width), round(depth), 0, low, high, np.float32(1), np.float32(1))


def test_only_what_lies_within_the_bounds_counts() -> None:
    vertices, triangles = scenes.flat(20.0)
    walkable, steep = (Geometry(vertices, triangles, np.full(2, area, np.uint8)) for area in (63, 0))
    assert forecast(grid_of(20, 20), walkable) == Forecast(400, 400, 400, 2)
    assert forecast(grid_of(20, 20), steep) == Forecast(400, 400, 0, 2)
    assert forecast(grid_of(10, 5), walkable) == Forecast(50, 50, 50, 2)
    upright = walkable._replace(vertices=vertices[:, [1, 0, 2]])  # a wall along x = 0 covers nothing
    assert forecast(grid_of(20, 20), upright).solid == 0


def test_walls_outside_the_bounds_are_no_ground() -> None:
    """Seen from above they have no width, along x or along z: a share of it is not to be divided by."""
    ground, box = scenes.flat(20.0), scenes.box(30, 0, 30, 2, 3, 2)
    vertices, triangles = scenes.join([ground, box])
    bounds = (0, -1, 0, 20, 5, 20)
    alone = build_navmesh(*ground, bounds=bounds)
    assert build_navmesh(vertices, triangles, bounds=bounds).report.counts == alone.report.counts


def test_hours_are_told_and_days_refused_with_a_cell_size_that_will_do() -> None:
    assert check_time(3000, 0.3, 1) == check_time(6000, 0.3, 2) == ""
    assert check_time(4 * 3600 - 1, 0.3, 1) == (
        "A build like this would take about 4 hours on 1 thread. Raise Cell Size to 0.61 m for a build of "
        "one hour, or select less."
    )
    with pytest.raises(
        TooLarge, match=r"about 50 hours on 2 threads \(limit 24\)\. Raise Cell Size to 0\.44 m"
    ) as refused:
        check_time(100 * 3600, 0.3, 2)
    assert refused.value.code == "TAKES_TOO_LONG"


def test_a_build_of_days_is_refused_before_it_begins_and_one_of_hours_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TooLarge) as refused:
        build_navmesh(*scenes.flat(100_000.0), Settings(cell_size=0.1, tile_size=4096), threads=1)
    assert refused.value.code == "TAKES_TOO_LONG"
    monkeypatch.setattr("navcore.builder.build_limits.LONG_SECONDS", 1e-4)
    report = build_navmesh(*scenes.flat(20.0), Settings(tile_size=32), threads=1).report
    assert [warning.code for warning in report.warnings] == ["TAKES_LONG"]
