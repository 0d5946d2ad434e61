"""Stage 5: volumes, by worked examples, far away, and random ones against a twin; and fields without any span."""

from __future__ import annotations

import numpy as np
import pytest

from navcore.scene import BoxVolume, ConvexVolume, CylinderVolume, Volume
from navcore.stages.areas import erode_walkable_area, mark_volumes, median_filter_walkable_area
from navcore.threads import Workers
from navcore.types import WALKABLE, CompactHeightfield, Grid

from ...geometry.compact_worlds import field, plain, random_field, with_area
from .area_rows import F, as_rows, grid


def marked(compact: CompactHeightfield, *volumes: Volume, threads: int = 1, **where) -> list[list[int]]:
    with Workers(threads) as pool:
        return as_rows(mark_volumes(grid(compact, **where), compact, volumes, pool))


def where_marked(compact: CompactHeightfield, *volumes: Volume, **where) -> set[tuple[int, int]]:
    rows = marked(compact, *volumes, **where)
    return {(x, z) for z, row in enumerate(rows) for x, area in enumerate(row) if area != WALKABLE}


def test_box_cuts_off_fractions():  # T-7.2
    cells = {(x, z) for x in (0, 1) for z in (1, 2, 3)}
    assert where_marked(plain(5, 5), BoxVolume(area=5, min=(-0.5, -3, 1.2), max=(1.9, 2, 3))) == cells
    assert where_marked(plain(5, 5), BoxVolume(area=5, min=(-0.5, 2.9, 1.2), max=(1.9, 3, 3))) == cells
    assert where_marked(plain(5, 5), BoxVolume(area=5, min=(-0.5, 3, 1.2), max=(1.9, 4, 3))) == set()
    assert where_marked(plain(5, 5), BoxVolume(area=5, min=(-0.9, 0, -0.9), max=(-0.1, 9, -0.1))) == {(0, 0)}
    assert where_marked(plain(5, 5), BoxVolume(area=5, min=(-2, 0, -2), max=(-1, 9, 9))) == set()
    assert where_marked(plain(5, 5), BoxVolume(area=5, min=(5, 0, 0), max=(9, 9, 9))) == set()


def test_polygon_takes_cells_by_their_centers():  # T-7.2
    corner = ConvexVolume(area=5, min_height=0, max_height=3, points=((0.5, 0.5), (4.5, 0.5), (0.5, 4.5)))
    assert where_marked(plain(5, 5), corner) == {(x, z) for z, count in enumerate((4, 3, 2, 1)) for x in range(count)}


def test_cylinder_is_open_at_its_radius():  # T-7.2
    disc = CylinderVolume(area=5, base=(2.5, 0, 2.5), radius=2, height=9)
    assert where_marked(plain(5, 5), disc) == {(x, z) for x in (1, 2, 3) for z in (1, 2, 3)}
    assert where_marked(plain(5, 5), CylinderVolume(area=5, base=(2.5, 0, 2.5), radius=0, height=9)) == set()


def test_later_volumes_win_but_never_revive():
    compact = with_area(plain(3, 1), {0: 0})
    everything = {"min": (0, 0, 0), "max": (3, 9, 1)}
    two_columns = {"min": (0, 0, 0), "max": (1, 9, 1)}
    assert marked(compact, BoxVolume(area=5, **everything), BoxVolume(area=6, **two_columns)) == [[0, 6, 5]]
    assert marked(compact, BoxVolume(area=0, **two_columns), BoxVolume(area=6, **everything)) == [[0, 0, 6]]


def test_volumes_take_storeys_by_height():
    compact = field([[[(2, 20, WALKABLE), (40, 200, WALKABLE)]]])
    with Workers(1) as pool:
        upper = BoxVolume(area=7, min=(0, 30, 0), max=(1, 40, 1))
        assert mark_volumes(grid(compact), compact, [upper], pool).area.tolist() == [WALKABLE, 7]


@pytest.mark.parametrize("far", [1e9, 2.2e9, 1e15, 1e30, 3.4e38])
def test_far_away_coordinates_are_safe(far):
    everywhere = {(x, z) for x in range(4) for z in range(4)}
    compact = plain(4, 4)
    assert where_marked(compact, BoxVolume(area=1, min=(-far,) * 3, max=(far,) * 3), cell_size=0.1) == everywhere
    assert where_marked(compact, BoxVolume(area=1, min=(far, 0, 0), max=(far, 9, 9))) == set()
    assert where_marked(compact, BoxVolume(area=1, min=(-far, 0, 0), max=(-far, 9, 9))) == set()
    assert where_marked(compact, CylinderVolume(area=1, base=(far, 0, 0), radius=1, height=9)) == set()
    around = ((-far, -far), (far, -far), (far, far), (-far, far))
    outside = ConvexVolume(area=1, min_height=far, max_height=far, points=around)
    assert where_marked(compact, outside) == set()
    if far < 1e19:  # beyond it squares and products overflow, in Recast as here
        assert where_marked(compact, CylinderVolume(area=1, base=(0, 0, 0), radius=far, height=9)) == everywhere
        inside = ConvexVolume(area=1, min_height=-far, max_height=far, points=around)
        assert where_marked(compact, inside) == everywhere


def marks_twin(compact: CompactHeightfield, place: Grid, volume: Volume) -> list[int]:
    """R-7.7 to R-7.12, cell by cell with float32 scalars."""
    cs, ch, low = place.cell_size, place.cell_height, place.bounds_min
    if isinstance(volume, BoxVolume):
        box = [F(v) for v in (*volume.min, *volume.max)]
    elif isinstance(volume, CylinderVolume):
        (px, py, pz), r = (F(v) for v in volume.base), F(volume.radius)
        box = [px - r, py, pz - r, px + r, py + F(volume.height), pz + r]
    else:
        points = [(F(x), F(z)) for x, z in volume.points]
        xs, zs = zip(*points, strict=True)
        box = [min(xs), F(volume.min_height), min(zs), max(xs), F(volume.max_height), max(zs)]
    (x0, y0, z0), (x1, y1, z1) = (
        [int((box[k + axis] - low[axis]) / (ch if axis == 1 else cs)) for axis in range(3)] for k in (0, 3)
    )
    area = compact.area.tolist()
    for z in range(max(z0, 0), min(z1, compact.depth - 1) + 1):
        for x in range(max(x0, 0), min(x1, compact.width - 1) + 1):
            cx, cz = low[0] + (F(x) + F(0.5)) * cs, low[2] + (F(z) + F(0.5)) * cs
            inside = True
            if isinstance(volume, CylinderVolume):
                inside = not (cx - px) * (cx - px) + (cz - pz) * (cz - pz) >= r * r
            elif isinstance(volume, ConvexVolume):
                inside = False
                for (xi, zi), (xj, zj) in zip(points, [points[-1], *points[:-1]], strict=True):
                    if (zi > cz) != (zj > cz) and cx < (xj - xi) * (cz - zi) / (zj - zi) + xi:
                        inside = not inside
            for span in range(compact.first[x + z * compact.width], compact.first[x + z * compact.width + 1]):
                if inside and area[span] and y0 <= compact.floor[span] <= y1:
                    area[span] = volume.area
    return area


def random_volume(random: np.random.Generator, snap: float) -> Volume:
    def numbers(count: int, low: float = -4, high: float = 12) -> list[float]:
        return (np.round(random.uniform(low, high, count) / snap) * snap).tolist()

    area = int(random.integers(0, 64))
    low, high = np.sort([numbers(3), numbers(3)], 0).tolist()
    kind = random.integers(3)
    if kind == 0:
        return BoxVolume(area=area, min=tuple(low), max=tuple(high))
    if kind == 1:
        return CylinderVolume(area=area, base=tuple(low), radius=numbers(1, 0, 6)[0], height=numbers(1, 0, 9)[0])
    corners = tuple(zip(numbers(7), numbers(7), strict=True))[: random.integers(3, 8)]
    return ConvexVolume(area=area, min_height=low[1], max_height=high[1], points=corners)


@pytest.mark.parametrize("seed", range(40))
def test_volumes_are_as_specified(seed):
    random = np.random.default_rng(seed)
    compact = random_field(seed)
    low = [0, 0, 0] if seed % 2 else random.uniform(-2, 2, 3).tolist()
    cell_size = float(random.choice([0.3, 0.5, 1.0]))
    place = grid(compact, low, cell_size, 0.2)
    with Workers(1 + seed % 3) as pool:
        for _ in range(6):
            volume = random_volume(random, random.choice([1e-6, 0.25, cell_size]))
            expected = marks_twin(compact, place, volume)
            compact = mark_volumes(place, compact, [volume], pool)
            assert compact.area.tolist() == expected, volume


def test_large_volumes_are_the_same_for_any_number_of_threads():
    compact = plain(700, 500)
    star = ConvexVolume(
        area=3, min_height=0, max_height=9, points=((30, 20), (680, 30), (350, 200), (600, 490), (300, 280), (9, 470))
    )
    disc = CylinderVolume(area=4, base=(400.3, 0, 200.2), radius=199.9, height=9)
    box = BoxVolume(area=0, min=(100, 0, 100), max=(600, 9, 120))
    one, three = (marked(compact, star, disc, box, threads=threads) for threads in (1, 3))
    assert one == three
    assert {0, 3, 4, WALKABLE} == set(np.unique(one).tolist())


@pytest.fixture
def workers():
    with Workers(1) as pool:
        yield pool


@pytest.mark.parametrize("shape", [(0, 0), (3, 2), (0, 4), (4, 0)])
def test_nothing_open_is_fine_everywhere(shape, workers):
    columns = shape[0] * shape[1]
    empty = CompactHeightfield(
        *shape, np.zeros(columns + 1, np.int32), np.zeros(0, np.uint16), np.zeros(0, np.uint8),
        np.zeros((0, 4), np.int32), np.zeros(0, np.uint8),
    )  # fmt: skip
    assert len(erode_walkable_area(empty, 2, workers).area) == 0
    assert len(median_filter_walkable_area(empty, workers).area) == 0
    box = BoxVolume(area=1, min=(-9, -9, -9), max=(9, 9, 9))
    assert len(mark_volumes(grid(empty), empty, [box], workers).area) == 0
