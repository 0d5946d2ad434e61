"""Tiles that are taken out and put in: run-time order, the order of a fresh build, salts, and what stays behind."""

from __future__ import annotations

import numpy as np
import pytest

from navcore import Link, NavMesh, Settings, build_navmesh
from navcore.detour.byte_layout import NO_LINK, sections
from navcore.detour.link_order import replace_in_order
from navcore.detour.off_mesh_links import link_table
from navcore.detour.polygon_references import SetParameters, Slots, tiled_parameters
from navcore.detour.tile_data import Agent, tile_data
from navcore.detour.tile_links import Linker
from navcore.geometry.tile_key import TileKey, row_by_row
from navcore.types import F32, I32, U8
from tests.navcore.detour.detour_examples import AGENT, JUMP, LEFT, RIGHT

SETTINGS = Settings(tile_size=16, cell_size=0.4)
LINKS = [
    Link(start=(2, 0, 2), end=(12, 0, 3), radius=1.5),
    Link(start=(10, 0, 10), end=(4, 0, 11), radius=1.0, bidirectional=False),
    Link(start=(5, 0, 14), end=(5.5, 0, 5), radius=1.0),
    Link(start=(9, 0, 9), end=(10, 0, 4), radius=1.0),
    Link(start=(14, 0, 7), end=(8, 0, 8), radius=2.0),
]


def box(x: float, z: float, half: float, height: float) -> tuple[list[list[float]], list[list[int]]]:
    """A block without a floor."""
    corners = [
        (x + dx * half, y, z + dz * half) for y in (-1.0, height) for dx, dz in ((-1, -1), (-1, 1), (1, 1), (1, -1))
    ]
    faces = [[4, 5, 6], [4, 6, 7], *([k, (k + 1) % 4, 4 + k] for k in range(4))]
    faces += [[(k + 1) % 4, 4 + (k + 1) % 4, 4 + k] for k in range(4)]
    return [list(c) for c in corners], faces


def level(seed: int, blocks: int = 14) -> tuple[F32, I32]:
    """A plain of 20 × 20 m with blocks on it."""
    random = np.random.default_rng(seed)
    vertices = [[-1.0, 0, -1], [-1, 0, 19], [19, 0, 19], [19, 0, -1]]
    triangles = [[0, 1, 2], [0, 2, 3]]
    for _ in range(blocks):
        x, z = random.uniform(0, 18, 2).tolist()
        more, faces = box(x, z, float(random.uniform(0.3, 2)), float(random.choice([0.5, 3])))
        triangles += [[a + len(vertices) for a in face] for face in faces]
        vertices += more
    return np.float32(vertices), np.int32(triangles)


def built(seed: int) -> NavMesh:
    return build_navmesh(*level(seed), SETTINGS, links=LINKS, bounds=(-1, -1, -1, 19, 3, 19), threads=1)


def datas(navmesh: NavMesh) -> dict[TileKey, U8]:
    agent, table = Agent.of(navmesh.settings), link_table(navmesh.links)
    return {t.key: tile_data(t.polygon_mesh, t.detail_mesh, agent, table, t.x, t.y) for t in navmesh.tiles}


def base(key: TileKey) -> int:
    return key.y * 8 + key.x + 1 << 16


def fresh(tiles: dict[TileKey, U8]) -> dict[TileKey, U8]:
    linker, linked = Linker(), {}
    for key in sorted(tiles, key=row_by_row):
        linked[key] = tiles[key].copy()
        linker.add(linked[key], base(key))
    return linked


def lists(data: U8) -> list[list[tuple[int, ...]]]:
    """The links of every polygon in order, without their numbers."""
    tile, found = sections(data), []
    for k in tile.polygons["first_link"].tolist():
        here = []
        while k != NO_LINK:
            target, k, *rest = tile.links[k].item()
            here.append((target, *rest))
        found.append(here)
    return found


@pytest.mark.parametrize("seed", range(4))
def test_any_replacements_leave_the_order_of_a_fresh_build(seed: int) -> None:
    random = np.random.default_rng(seed)
    levels = [datas(built(10 * seed + k)) for k in range(2)]
    now = {key: data.copy() for key, data in levels[0].items()}
    linker = Linker()
    live = {}
    for key in sorted(now, key=row_by_row):
        live[key] = linker.add(now[key].copy(), base(key)).data
    keys = sorted({*levels[0], *levels[1]})
    for _ in range(25):
        key = keys[int(random.integers(len(keys)))]
        data = None if random.random() < 0.2 else levels[int(random.integers(2))].get(key)
        linked = replace_in_order(linker, key, None if data is None else data.copy(), base(key))
        now.pop(key, None), live.pop(key, None)
        if data is not None and linked is not None:
            now[key], live[key] = data, linked.data
        wanted = fresh(now)
        for other in wanted:
            assert lists(live[other]) == lists(wanted[other]), other
            assert np.array_equal(sections(live[other]).vertices, sections(wanted[other]).vertices), other


def test_at_run_time_the_newest_links_come_first() -> None:
    tiles = datas(built(3))
    linker = Linker()
    linked = {key: linker.add(tiles[key].copy(), base(key)) for key in sorted(tiles, key=row_by_row)}
    before = {key: lists(tile.data) for key, tile in linked.items()}
    key = TileKey(1, 1)
    left = {other: tile.links_left for other, tile in linked.items()}
    linker.remove(linked[key])
    assert linker.at(key) is None
    for other, tile in linked.items():
        if other != key:
            kept = [[link for link in row if link[0] >> 16 << 16 != base(key)] for row in before[other]]
            assert lists(tile.data) == kept  # nothing leads to it, the rest is as it was
    again = linker.add(tiles[key].copy(), base(key))
    for other, tile in linked.items():
        if other != key:
            rows = lists(tile.data)
            assert [sorted(row) for row in rows] == [sorted(row) for row in before[other]]
            for row in rows:  # what leads there stands in front
                there = [link[0] >> 16 << 16 == base(key) for link in row]
                assert there == sorted(there, reverse=True)
            assert tile.links_left == left[other]
    assert [sorted(row) for row in lists(again.data)] == [sorted(row) for row in before[key]]


def test_a_tile_that_is_not_there_cannot_be_taken_out() -> None:
    linker = Linker()
    tile = linker.add(tile_data(LEFT, None, AGENT), 256)
    linker.remove(tile)
    with pytest.raises(ValueError, match="not among"):
        linker.remove(tile)


def test_an_end_without_ground_stays_or_is_put_back() -> None:
    table = link_table([JUMP])
    for put_back in (False, True):
        linker = Linker()
        left = linker.add(tile_data(LEFT, None, AGENT, table), 256)
        right = linker.add(tile_data(RIGHT, None, AGENT, table, 1), 320)
        landed = sections(left.data).vertices[7].tolist()
        assert landed != list(np.float32(JUMP.end))
        if put_back:
            replace_in_order(linker, TileKey(1, 0), None, 0)
        else:
            linker.remove(right)  # as Detour leaves it
        assert sections(left.data).vertices[7].tolist() == (list(np.float32(JUMP.end)) if put_back else landed)


def test_slots_are_taken_again_with_a_higher_salt() -> None:
    parameters = SetParameters(np.zeros(3, np.float32), np.float32(1), np.float32(1), 4, 64)
    slots = Slots(parameters)
    taken = [slots.take() for _ in range(5)]
    assert taken == [parameters.reference(k) for k in range(4)] + [None]
    slots.give_back(parameters.reference(2))
    slots.give_back(parameters.reference(0))
    assert [slots.take(), slots.take()] == [parameters.reference(0, 2), parameters.reference(2, 2)]


def test_salts_begin_again_after_the_last_and_are_never_zero() -> None:
    parameters = tiled_parameters(built(0).tile_grid)  # type: ignore[arg-type]
    slots = Slots(parameters)
    salts = []
    for _ in range(1030):
        reference = slots.take()
        assert reference is not None
        salts.append(reference >> parameters.tile_bits + parameters.polygon_bits)
        slots.give_back(reference)
    assert salts == [*range(1, 1024), *range(1, 8)]
