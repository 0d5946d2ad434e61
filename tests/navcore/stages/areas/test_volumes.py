"""Stage 5: erosion, median filter, volumes and the polygon offset."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import numpy as np
import pytest

from navcore.errors import BadInput, Cancelled
from navcore.geometry import edge_distance as chamfer
from navcore.scene import BoxVolume, ConvexVolume, CylinderVolume, Volume
from navcore.stages.areas import erode_walkable_area, mark_volumes, median_filter_walkable_area, offset_polygon
from navcore.threads import Workers
from navcore.types import WALKABLE, CompactHeightfield, Grid

from ..geometry.compact_worlds import field, literal_chamfer, plain, random_field, step, with_area

F = np.float32


@pytest.fixture
def workers():
    with Workers(1) as pool:
        yield pool


def as_rows(compact: CompactHeightfield) -> list[list[int]]:
    return compact.area.reshape(compact.depth, compact.width).tolist()


def grid(compact: CompactHeightfield, low=(0, 0, 0), cell_size=1.0, cell_height=1.0) -> Grid:
    corner = np.array(low, F)
    return Grid(compact.width, compact.depth, 0, corner, corner + F(1000), F(cell_size), F(cell_height))


# --- erosion


def test_erosion_takes_rings(workers):  # T-7.1
    for radius in range(5):
        eroded = erode_walkable_area(plain(7, 7), radius, workers)
        ring = [[min(x, z, 6 - x, 6 - z) for x in range(7)] for z in range(7)]
        assert as_rows(eroded) == [[WALKABLE if r >= radius else 0 for r in row] for row in ring]


@pytest.mark.parametrize("radius", [0, 1, 127, 128, 129, 300])
def test_erosion_of_a_square_for_any_radius(radius, workers):
    side = 2 * radius + 7
    eroded = erode_walkable_area(plain(side, side), radius, workers)
    assert np.count_nonzero(eroded.area) == 7 * 7
    assert not erode_walkable_area(plain(side, 2 * radius or 1), radius, workers).area.any() or radius == 0


@pytest.mark.parametrize("radius", [33_000, 2**31 - 1])
def test_erosion_by_more_than_any_distance(radius, workers):
    assert not erode_walkable_area(plain(9, 9), radius, workers).area.any()


def literal_erosion(compact: CompactHeightfield, radius: int) -> list[int]:
    def edge(span: int) -> bool:
        around = [step(compact, span, direction) for direction in range(4)]
        return compact.area[span] == 0 or min(around) < 0 or not all(compact.area[a] for a in around)

    distance = literal_chamfer(compact, [edge(span) for span in range(len(compact.floor))], 255)
    return [0 if d < 2 * radius else int(a) for d, a in zip(distance, compact.area, strict=True)]


@pytest.mark.parametrize("seed", range(60))
def test_erosion_is_as_specified(seed, workers):
    compact = random_field(seed)
    for radius in (0, 1, 2, 3, 7):
        assert erode_walkable_area(compact, radius, workers).area.tolist() == literal_erosion(compact, radius)


@pytest.mark.parametrize("rows_at_once", [1, 3, 16])
def test_erosion_is_the_same_for_any_number_of_threads(rows_at_once, monkeypatch):
    monkeypatch.setattr(chamfer, "LEAST_SPANS", 1)
    monkeypatch.setattr(chamfer, "ROWS_AT_ONCE", rows_at_once)
    fields = [random_field(seed) for seed in range(40)] + [plain(40, 90), plain(3, 50), plain(50, 3)]
    for compact in fields:
        results = set()
        for threads in (1, 2, 3, 8):
            with Workers(threads) as pool:
                results.add(chamfer.edge_distance(compact, False, pool).tobytes())
                results.add(chamfer.edge_distance(compact, False, pool).tobytes())
        assert len(results) == 1


def test_erosion_leaves_its_input_alone(workers):
    compact = plain(7, 7)
    for radius in (0, 2):
        eroded = erode_walkable_area(compact, radius, workers)
        assert eroded.area is not compact.area
        assert eroded.area.dtype == np.uint8
        assert compact.area.all()


def test_a_negative_radius_is_refused(workers):
    with pytest.raises(BadInput, match="at least 0 voxels, not -1"):
        erode_walkable_area(plain(3, 3), -1, workers)


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


# --- cancelling


def test_sweeps_see_the_flag_between_rows():
    """The flag is a byte of the sweep's own output: the sweep itself raises it, and must read it anew to stop."""
    compact = plain(5, 9)
    sides, starts = chamfer.sides_of(compact), compact.first[::5].copy()
    distance = np.zeros((9, 5), np.uint16)
    cancelled = distance[3, 2:3].view(np.uint8)[:1]
    chamfer._sweep_forward(False, compact.area, starts, sides, distance.reshape(-1), cancelled, 0, 9, False)
    assert distance[1:4, 1:4].all()
    assert not distance[4:].any()

    distance[1:8, 1:4] = 9 << 8  # whose lower byte, the flag, is 0
    cancelled = distance[5, 2:3].view(np.uint8)[:1]
    chamfer._sweep_back(starts, sides, distance.reshape(-1), cancelled, 8, -1, False)
    assert (distance[5:8, 1:4] < 9).all()
    assert (distance[1:5, 1:4] == 9 << 8).all()


def _again_and_again(work: Callable[[], object]) -> None:
    for _ in range(1000):
        work()


def test_erosion_is_cancelled_in_good_time():
    compact = plain(1500, 1500)
    with Workers(1) as pool:
        erode_walkable_area(plain(3, 3), 1, pool)  # compiles
        stopped: list[float] = []

        def stop() -> None:
            stopped.append(time.perf_counter())
            pool.progress.cancel()

        timer = threading.Timer(0.002, stop)
        timer.start()
        with pytest.raises(Cancelled):
            _again_and_again(lambda: erode_walkable_area(compact, 2, pool))
        assert time.perf_counter() - stopped[0] < 0.2
        timer.join()


# --- median


def test_median_removes_specks(workers):  # T-7.3
    compact = with_area(plain(5, 5), {12: 5, 11: 5, 7: 5, 0: 0})
    filtered = median_filter_walkable_area(compact, workers)
    assert filtered.area.tolist() == [0] + [WALKABLE] * 24
    assert compact.area[12] == 5


def literal_median(compact: CompactHeightfield) -> list[int]:
    result = []
    for span, own in enumerate(compact.area.tolist()):
        nine = [own] * 9
        for direction in range(4):
            for slot, path in ((2 * direction, (direction,)), (2 * direction + 1, (direction, (direction + 1) % 4))):
                other = step(compact, span, *path)
                if other >= 0 and compact.area[other]:
                    nine[slot] = int(compact.area[other])
        result.append(sorted(nine)[4] if own else 0)
    return result


@pytest.mark.parametrize("seed", range(40))
def test_median_is_as_specified(seed, workers):
    compact = random_field(seed)
    random = np.random.default_rng(seed)
    mixed = compact._replace(area=random.choice([0, 1, 2, 3, 60, WALKABLE], len(compact.area)).astype(np.uint8))
    for given in (compact, mixed):
        assert median_filter_walkable_area(given, workers).area.tolist() == literal_median(given)


# --- volumes


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


def literal_marks(compact: CompactHeightfield, place: Grid, volume: Volume) -> list[int]:
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
            expected = literal_marks(compact, place, volume)
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


def test_median_is_the_same_for_any_number_of_threads():
    areas = np.random.default_rng(0).choice([1, 2, 63], 500 * 500).astype(np.uint8)
    compact = plain(500, 500)._replace(area=areas)
    with Workers(1) as one, Workers(3) as three:
        results = [median_filter_walkable_area(compact, pool).area for pool in (one, three)]
    assert np.array_equal(*results)


# --- polygon offset

SQUARE = np.array([[0, 5, 0], [4, 5, 0], [4, 5, 4], [0, 5, 4]], F)


def test_offset_grows_and_bevels():  # T-7.4
    grown = offset_polygon(SQUARE, 1)
    corners = [(-1, -0.5), (-0.5, -1), (4.5, -1), (5, -0.5), (5, 4.5), (4.5, 5), (-0.5, 5), (-1, 4.5)]
    assert grown.dtype == F
    assert grown.tolist() == [[x, 5, z] for x, z in corners]


def test_offset_shrinks_the_other_order():  # T-7.4
    assert offset_polygon(SQUARE[::-1], 1)[:, ::2].tolist() == [[1, 3], [3, 3], [3, 1], [1, 1]]


def test_offset_of_a_triangle_to_the_bit():  # T-7.4
    triangle = np.array([[0, 0, 0], [4, 0, 0], [0, 0, 1]], F)
    grown = offset_polygon(triangle, 0.5)
    assert len(grown) == 6
    assert grown[2, ::2].tolist() == [F(4.49253559), F(-0.5)]
    assert grown[3, ::2].tolist() == [F(4.59909773), F(0.365613818)]


@pytest.mark.parametrize(("capacity", "count"), [(4, 0), (5, 0), (6, 6), (7, 6), (None, 6)])
def test_offset_keeps_to_a_capacity(capacity, count):  # T-7.4
    triangle = np.array([[0, 0, 0], [4, 0, 0], [0, 0, 1]], F)
    assert offset_polygon(triangle, 0.5, capacity).shape == (count, 3)


def literal_offset(points: np.ndarray, offset: float) -> list[tuple[np.float32, ...]]:
    """R-7.13 with float32 scalars."""

    def direction(a: np.ndarray, b: np.ndarray) -> tuple[np.float32, np.float32]:
        x, z = b[0] - a[0], b[2] - a[2]
        q = x * x + z * z
        if q > F(1e-6):
            k = F(1) / np.sqrt(q)
            x, z = x * k, z * k
        return x, z

    offset, emitted = F(offset), []
    for i, b in enumerate(points):
        (ux, uz), (vx, vz) = direction(points[i - 1], b), direction(b, points[(i + 1) % len(points)])
        cross = vx * uz - ux * vz
        px, pz, cx, cz = -uz, ux, -vz, vx
        mx, mz = (px + cx) * F(0.5), (pz + cz) * F(0.5)
        m = mx * mx + mz * mz
        bevel = m * F(1.2) * F(1.2) < F(1)
        if m > F(1e-6):
            mx, mz = mx * (F(1) / m), mz * (F(1) / m)
        if bevel and cross < 0:
            d = (F(1) - (ux * vx + uz * vz)) * F(0.5)
            emitted.append((b[0] + (-px + ux * d) * offset, b[1], b[2] + (-pz + uz * d) * offset))
            emitted.append((b[0] + (-cx - vx * d) * offset, b[1], b[2] + (-cz - vz * d) * offset))
        else:
            emitted.append((b[0] - mx * offset, b[1], b[2] - mz * offset))
    return emitted


@pytest.mark.parametrize("seed", range(30))
def test_offset_is_as_specified(seed):
    random = np.random.default_rng(seed)
    points = random.uniform(-5, 5, (random.integers(1, 12), 3)).astype(F)
    if seed % 2:
        points = np.round(points)  # repeated corners and collinear edges
    for offset in (0.5, -0.7, 0):
        expected = np.array(literal_offset(points, offset), F).reshape(-1, 3)
        assert offset_polygon(points, offset).tobytes() == expected.tobytes()


def test_offset_of_nothing_and_of_nonsense():
    assert offset_polygon(np.zeros((0, 3), F), 1).shape == (0, 3)
    with pytest.raises(BadInput, match=r"\(N, 3\) corners, not \(4, 2\)"):
        offset_polygon(np.zeros((4, 2), F), 1)
