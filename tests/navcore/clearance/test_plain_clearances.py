"""Clearances of polygons that are plain arrays: as NavQuery finds them on runtime data, to within what is said."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from navcore import Level, NavQuery, Settings, build_navmesh
from navcore.clearance import plain_clearances as plain_clearances_module
from navcore.clearance.plain_clearances import LastClearances, PlainGround, plain_clearances
from navcore.formats import read_navmesh_file, write_navmesh
from navcore.formats.mesh_measures import polygon_slopes, polygon_values
from navcore.formats.plain_navmesh import plain_navmesh
from navcore.navquery.batches import in_pieces
from tests.navcore.clearance.levels import pillars
from tests.scenes import Mesh, box, flat, join, terrain

SQUARE = np.array([[0, 0, 0], [0, 0, 8], [8, 0, 8], [8, 0, 0], [0, 0, 16], [8, 0, 16]], np.float32)


@pytest.mark.parametrize("settings", [Settings(), Settings(tile_size=32)], ids=["one piece", "tiles"])
def test_as_wide_as_runtime_data_says(settings: Settings) -> None:
    navmesh = build_navmesh(*pillars(3), settings)
    exact = NavQuery(navmesh).polygon_clearances().clearances
    rough = polygon_values(plain_navmesh(navmesh)).clearance
    assert rough is not None and len(rough) == len(exact) > 30
    close, part = 0.5 * settings.cell_size, 0.1
    assert (rough <= exact * 1.011 + 0.05 * settings.cell_size).all()
    assert (exact <= rough + close + part * (rough - settings.agent_radius) + 1e-3).all()


def two_squares(neighbors: list[int], turned: bool = False) -> list[float]:
    """Clearances of two squares of 8 m that share an edge, for an agent of 1 m."""
    corners = np.array([0, 1, 2, 3, 1, 4, 5, 2], np.int32)
    vertices, first = SQUARE.copy(), np.array([0, 4, 8], np.int32)
    if turned:
        vertices[:, 2] *= -1
    ground = PlainGround(vertices, first, corners, np.array(neighbors, np.int32))
    return plain_clearances(ground, 1.0, 0.1).tolist()


@pytest.mark.parametrize("turned", [False, True])
def test_an_edge_in_common_is_no_wall(turned: bool) -> None:
    joined = two_squares([-1, 1, -1, -1, -1, -1, -1, 0], turned)
    assert joined == pytest.approx([5, 5], abs=0.05 + 0.4)
    assert two_squares([-1] * 8, turned) == pytest.approx([5, 5], abs=0.45)
    strip = plain_clearances(
        PlainGround(
            np.array([[0, 0, 0], [0, 0, 1], [8, 0, 1], [8, 0, 0], [0, 0, 8], [8, 0, 8]], np.float32),
            np.array([0, 4, 8], np.int32), np.array([0, 1, 2, 3, 1, 4, 5, 2], np.int32),
            np.array([-1, 1, -1, -1, -1, -1, -1, 0], np.int32)),
        0.0, 0.1,
    )  # fmt: skip
    assert strip[0] == pytest.approx(1, abs=0.15), "the strip of a metre lies open on one side"
    assert strip[1] > 3.5


def test_what_does_not_lead_back_is_a_wall() -> None:
    one_way = plain_clearances(
        PlainGround(
            np.array([[0, 0, 0], [0, 0, 1], [8, 0, 1], [8, 0, 0], [0, 0, 8], [8, 0, 8]], np.float32),
            np.array([0, 4, 8], np.int32), np.array([0, 1, 2, 3, 1, 4, 5, 2], np.int32),
            np.array([-1, 1, -1, -1, -1, -1, -1, -1], np.int32)),
        0.0, 0.1,
    )  # fmt: skip
    assert one_way[0] == pytest.approx(0.5, abs=0.15)


def test_a_navmesh_without_polygons_has_no_values() -> None:
    nothing = PlainGround(np.zeros((0, 3), np.float32), *(np.zeros(n, np.int32) for n in (1, 0, 0)))
    assert len(plain_clearances(nothing, 1, 1)) == 0


def test_cost_and_slope() -> None:
    vertices, triangles = flat(12)
    ramp = vertices.copy()
    ramp[:, 1] = vertices[:, 0] * np.tan(np.radians(20))
    ramp[:, 0] += 40
    level = join([(vertices, triangles), (ramp, triangles)])
    volumes = [{"shape": "box", "area": 1, "min": [-5, -5, -5], "max": [20, 5, 20]}]
    plain = plain_navmesh(build_navmesh(*level, Settings(), volumes=volumes))
    values = polygon_values(plain)
    water = plain.area == 1
    assert water.any() and not water.all() and values.cost is not None
    assert set(values.cost[water].tolist()) == {plain.area_types[1].cost}
    assert values.slope[water] == pytest.approx(0, abs=0.5)
    assert values.slope[~water] == pytest.approx(20, abs=2.5)
    assert polygon_slopes(plain._replace(detail=None))[~water] == pytest.approx(20, abs=3)


def test_slopes_of_hills_are_those_of_their_triangles() -> None:
    plain = plain_navmesh(build_navmesh(*terrain(60, rise=0.2), Settings(detail_sample_distance=2)))
    slopes, detail = polygon_slopes(plain), plain.detail
    assert detail is not None and slopes.max() > 5
    for polygon in range(0, len(slopes), 7):
        own = detail.vertices[detail.triangles[detail.polygon == polygon]].astype(float)
        normal = np.cross(own[:, 1] - own[:, 0], own[:, 2] - own[:, 0])
        weights = np.abs(normal[:, 1])
        angles = np.degrees(np.arccos(np.abs(normal[:, 1]) / np.linalg.norm(normal, axis=1)))
        assert slopes[polygon] == pytest.approx((angles * weights).sum() / weights.sum(), abs=1e-3)


def test_a_file_of_detours_knows_its_agent_and_no_costs(tmp_path: Path) -> None:
    navmesh = build_navmesh(*box(0, -1, 0, 12, 1, 12), Settings())
    write_navmesh(navmesh, tmp_path / "level.bin")
    values = polygon_values(read_navmesh_file(tmp_path / "level.bin"))
    built = polygon_values(plain_navmesh(navmesh))
    assert values.cost is None and values.clearance is not None and built.clearance is not None
    assert sorted(values.clearance.tolist()) == pytest.approx(sorted(built.clearance.tolist()), abs=0.2)


def test_what_changed_elsewhere_is_found_as_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Crates that come, move, go and come back; floors above others; most of what is far away is kept."""

    def moved(mesh: Mesh, by: tuple[float, ...]) -> Mesh:
        return (mesh[0] + np.array(by)).astype(np.float32), mesh[1]

    level, random, last = Level(Settings(tile_size=32)), np.random.default_rng(5), LastClearances()
    level.set_part("ground", *flat(60, 20))
    level.set_part("floor", *moved(flat(20, 8), (30, 4, 30)))
    looked_at: list[int] = []

    def count(kernel: Callable[..., Any], rows: int, *more: Any) -> list[Any]:
        looked_at.append(rows)
        return in_pieces(kernel, rows, *more)

    monkeypatch.setattr(plain_clearances_module, "in_pieces", count)
    shares: list[float] = []
    for _edit in range(30):
        name = f"crate {random.integers(6)}"
        if name in level.parts and random.random() < 0.4:
            level.remove_part(name)
        else:
            level.set_part(name, *moved(box(0, 0, 0, 2, 2, 2), (*random.uniform(2, 56, 3).round(1) * (1, 0, 1),)))
        plain = plain_navmesh(level.update())
        anew = polygon_values(plain).clearance
        looked_at.clear()
        kept = polygon_values(plain, last=last).clearance
        assert kept is not None and anew is not None and kept.tobytes() == anew.tobytes()
        shares.append(looked_at[0] / len(kept))
    assert shares[0] == 1.0 and np.median(shares[1:]) < 0.7, shares
    again = polygon_values(plain, last=last).clearance
    assert again is not None and looked_at[-1] == 0 and again.tobytes() == kept.tobytes()


def test_another_cell_keeps_nothing() -> None:
    last = LastClearances()
    for cell in (0.3, 0.25, 0.3):
        plain = plain_navmesh(build_navmesh(*pillars(3), Settings(cell_size=cell)))
        kept, anew = polygon_values(plain, last=last).clearance, polygon_values(plain).clearance
        assert kept is not None and anew is not None and kept.tobytes() == anew.tobytes()
