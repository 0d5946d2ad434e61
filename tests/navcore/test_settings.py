"""Settings: declared once, refused by name, derived in float32."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from navcore.errors import BadSettings
from navcore.settings import Settings, setting_info, settings_fields


def test_defaults_in_voxels() -> None:
    v = Settings().in_voxels()
    assert (v.height_vx, v.climb_vx, v.radius_vx, v.edge_max_length_vx) == (10, 4, 2, 40)
    assert (v.region_min_area_vx, v.region_merge_area_vx) == (64, 400)
    assert v.detail_sample_distance == np.float32(1.80000007)
    assert v.detail_sample_max_error == np.float32(0.200000003)
    assert all(
        isinstance(x, np.float32) for x in (v.cell_size, v.cell_height, v.edge_max_error_vx, v.detail_sample_distance)
    )


@pytest.mark.parametrize(
    ("values", "name", "expected"),
    [
        ({"agent_height": 2.1, "cell_height": 0.15}, "height_vx", 14),  # 15 in float64
        ({"agent_max_climb": 0.9, "cell_height": 0.3}, "climb_vx", 2),  # 3 in exact arithmetic
        ({"agent_max_climb": 0.6, "cell_height": 0.2}, "climb_vx", 3),  # 2 in float64
        ({"agent_radius": 0.6, "cell_size": 0.3}, "radius_vx", 2),
        ({"agent_radius": 0.0}, "radius_vx", 0),
        ({"edge_max_length": 0.0}, "edge_max_length_vx", 0),
        ({"region_min_size": 8.5}, "region_min_area_vx", 72),
        ({"detail_sample_distance": 0.89}, "detail_sample_distance", 0),
        ({"detail_sample_distance": 0.9}, "detail_sample_distance", np.float32(0.3) * np.float32(0.9)),
    ],
)
def test_voxel_values_are_derived_in_float32(values: dict[str, float], name: str, expected: float) -> None:
    assert getattr(Settings(**values).in_voxels(), name) == expected


BAD = [
    ("cell_size", 0.0), ("cell_size", -0.3), ("cell_size", math.nan), ("cell_size", math.inf), ("cell_size", "0.3"),
    ("cell_size", None), ("cell_size", True), ("cell_height", 0), ("agent_height", 0), ("agent_radius", -0.1),
    ("agent_max_climb", -1), ("agent_max_slope", 90.1), ("agent_max_slope", -1), ("region_min_size", 1000.5),
    ("region_merge_size", -1), ("edge_max_length", -1), ("edge_max_error", 100.1), ("edge_max_error", math.nan),
    ("vertices_per_polygon", 2), ("vertices_per_polygon", 13), ("vertices_per_polygon", 4.5),
    ("detail_sample_distance", 1001),
    ("detail_sample_max_error", -1), ("partition", "voronoi"), ("tile_size", 1), ("tile_size", 15), ("tile_size", 4097),
    ("tile_size", -16), ("detail_mesh", 1), ("median_filter", "yes"), ("repair", None),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value"), BAD)
def test_out_of_range_is_refused_by_name(name: str, value: object) -> None:
    with pytest.raises(BadSettings, match=f"^{name} must be ") as caught:
        Settings(**{name: value})
    assert str(value) in str(caught.value)


ENDS = [
    ("agent_max_slope", 0), ("agent_max_slope", 90), ("tile_size", 16), ("tile_size", 4096),
    ("vertices_per_polygon", 3), ("vertices_per_polygon", 12), ("edge_max_error", 100),
]  # fmt: skip


@pytest.mark.parametrize("edge", ENDS)
def test_the_ends_of_a_range_belong_to_it(edge: tuple[str, int]) -> None:
    assert getattr(Settings(**dict([edge])), edge[0]) == edge[1]


def test_numbers_of_any_kind_are_stored_as_the_declared_type() -> None:
    settings = Settings(cell_size=np.float32(0.5), vertices_per_polygon=np.int64(5), region_min_size=4)
    assert [type(getattr(settings, n)) for n in ("cell_size", "vertices_per_polygon", "region_min_size")] == [
        float,
        int,
        float,
    ]


def test_an_unknown_name_is_refused_with_the_nearest() -> None:
    with pytest.raises(BadSettings, match=r"'cel_size'. Did you mean cell_size?"):
        Settings.from_mapping({"cel_size": 0.3})


def test_mapping_round_trip() -> None:
    settings = Settings(cell_size=0.15, partition="layers", median_filter=True)
    assert Settings.from_mapping(settings.to_mapping()) == settings


def test_an_agent_taller_than_255_voxels_is_refused_with_the_smallest_cell_height_that_works() -> None:
    with pytest.raises(BadSettings, match=r"agent_height 60 m is 300 voxels .* Raise cell_height to 0.236 m"):
        Settings(agent_height=60).in_voxels()
    assert Settings(agent_height=60, cell_height=0.236).in_voxels().height_vx <= 255


@pytest.mark.parametrize(
    "values", [{"cell_size": 1e-46}, {"cell_height": 1e-40}, {"agent_radius": 1e30}, {"edge_max_length": 1e300}]
)
def test_what_float32_cannot_hold_is_refused(values: dict[str, float]) -> None:
    with pytest.raises(BadSettings):
        Settings(**values).in_voxels()


def test_every_setting_says_what_it_is() -> None:
    for declared in settings_fields():
        info = setting_info(declared.name)
        assert info.help.endswith(".") and info.group
        assert declared.default is not dataclasses.MISSING
        if declared.type in ("int", "float"):
            assert info.low > -math.inf
