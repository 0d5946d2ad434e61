"""Settings, flags, volumes and parts that are accepted and hardly meant."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from navcore import Level, Link, Settings, build_navmesh
from navcore.area_types import AREA_TYPES, AreaType
from navcore.builder.odd_input import without_flags
from tests import scenes


def warned(settings: Settings | None = None, **keywords: Any) -> list[str]:
    navmesh = build_navmesh(*scenes.plaza(3), settings or Settings(), **keywords)
    return [warning.code for warning in navmesh.report.warnings if warning.code != "LINK_UNATTACHED"]


@pytest.mark.parametrize(
    ("values", "codes"),
    [
        ({"edge_max_error": 100}, ["EDGE_ERROR_TOO_LARGE"]),
        ({"edge_max_error": 3.1}, ["EDGE_ERROR_TOO_LARGE"]),
        ({"edge_max_error": 2.9}, []),
        ({"agent_radius": 0}, []),  # the usual error of 1.3 cells
        ({"agent_radius": 0, "edge_max_error": 1.4}, ["EDGE_ERROR_TOO_LARGE"]),
        ({"agent_max_climb": 5}, ["CLIMB_ABOVE_HEIGHT"]),
        ({"agent_max_climb": 2}, []),
        ({"cell_height": 0.91, "agent_height": 3}, ["CLIMB_BELOW_CELL"]),
        ({"cell_height": 2}, ["CLIMB_BELOW_CELL", "HEIGHT_BELOW_CELLS"]),
        ({"agent_max_climb": 0}, []),
        ({"agent_height": 0.05, "agent_max_climb": 0.05}, ["CLIMB_BELOW_CELL", "HEIGHT_BELOW_CELLS"]),
        ({"agent_height": 0.55, "agent_max_climb": 0.5}, []),
        ({"agent_max_slope": 0.7854}, ["SLOPE_IN_RADIANS"]),
        ({"agent_max_slope": 1.6}, []),
    ],
)
def test_settings(values: dict[str, float], codes: list[str]) -> None:
    assert warned(Settings(**values)) == codes


def test_flags() -> None:
    link = {"start": (1, 0, 1), "end": (3, 0, 3)}
    assert warned(links=[{**link, "flags": 0}]) == ["NO_FLAGS"] and warned(links=[link]) == []
    assert warned(links=[Link(**link, flags=0, name="Ladder")] * 3) == ["NO_FLAGS"]  # one line for all
    assert warned(area_types={0: AreaType("ground", 1), 7: AreaType("mud", 0)}) == ["NO_FLAGS"]
    assert warned(area_types={0: AreaType("ground", 1), 5: AreaType("jump", 0)}) == [], "the table's own row"
    drops, climbs = (Settings(generate_links=True, **{f"link_{kind}_flags": 0}) for kind in ("drop", "climb"))
    assert [told.code for told in without_flags((), AREA_TYPES, drops)] == ["NO_FLAGS"]
    assert list(without_flags((), AREA_TYPES, climbs)) == [], "no climbs are looked for"


def test_volumes() -> None:
    on = {"shape": "box", "area": 2, "min": [2, -1, 2], "max": [4, 1, 4]}
    above = {"shape": "cylinder", "area": 0, "base": [5, 9, 5], "radius": 1, "height": 2}
    beside = {"shape": "convex", "area": 3, "min_height": -1, "max_height": 1, "points": [[90, 90], [95, 90], [90, 95]]}
    low = {"shape": "box", "area": 2, "min": [2, -9, 2], "max": [4, -2, 4]}
    assert warned(volumes=[on]) == []
    for wrong in (above, beside, low):
        assert warned(volumes=[on, wrong]) == ["VOLUME_UNUSED"]
    navmesh = build_navmesh(*scenes.plaza(3), Settings(tile_size=32), volumes=[on, above, beside, low])
    (warning,) = navmesh.report.warnings
    assert warning.message.startswith("Volume 2 (cylinder) (and 2 more) marks nothing") and warning.place == (5, 10, 5)
    for seed in range(40):  # a volume on the ground is used, wherever it is
        rng = np.random.default_rng(seed)
        x, z = rng.uniform(0, 11, 2).tolist()
        size = float(rng.uniform(0.01, 3))
        volume = {"shape": "box", "area": 2, "min": [x, -0.1, z], "max": [x + size, 0.1, z + size]}
        if seed < 6 or size < 0.05:
            assert warned(volumes=[volume]) == [], seed


@pytest.mark.parametrize("tile_size", [0, 32])
def test_parts_without_volume_and_what_a_level_says_the_second_time(tile_size: int) -> None:
    level = Level(Settings(tile_size=tile_size))
    level.set_part("ground", *scenes.flat(20))
    box = scenes.box(0, 0, 0, 2, 2, 2)
    level.set_part("crate", *box, matrix=np.eye(4))
    assert level.update().report.warnings == []
    for matrix in (
        np.zeros((4, 4)),
        np.diag([1.0, 0.0, 1.0, 1.0]),
        np.array([[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]),
    ):
        level.set_part("crate", *box, matrix=matrix)
        (warning,) = level.update().report.warnings
        assert (warning.code, warning.name) == ("ZERO_SCALE", "crate")
        assert [w.code for w in level.update().report.warnings] == ["ZERO_SCALE"]
    level.set_part("crate", *box, matrix=np.diag([1.0, 1.0, -1.0, 1.0]))
    assert level.update().report.warnings == [], "mirrored parts are turned around"


def test_a_level_in_tiles_says_what_a_build_says() -> None:
    points, triangles = scenes.flat(40)
    half = triangles.copy()
    half[1] = half[1][[0, 2, 1]]
    level = Level(Settings(tile_size=32), volumes=[{"shape": "box", "area": 2, "min": [2, 8, 2], "max": [4, 9, 4]}])
    level.set_part("ground", points, half)
    level.set_part("crate", *scenes.box(30, 0, 3, 2, 2, 2))
    first = level.update().report.warnings
    assert [warning.code for warning in first] == ["FACES_DOWN", "VOLUME_UNUSED"]
    level.set_part("crate", *scenes.box(31, 0, 3, 2, 2, 2))
    assert level.update().report.warnings == first, "elsewhere nothing has changed"
