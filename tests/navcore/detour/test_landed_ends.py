"""Which ends of links fail, told from the ground alone: what tiles say that hold the links."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from navcore import Level, Link, NavMesh, Settings, build_navmesh
from navcore.detour.queries import checked_links, landed_ends
from navcore.detour.queries.checked_links import KnownEnds
from navcore.detour.queries.landed_ends import LinkedGround
from navcore.geometry.tile_grid import edges_of_tiles
from tests import scenes
from tests.soak import edits, link_edits

JUMPS = {"generate_links": True, "link_jump_distance": 2.5, "link_drop_height": 4.0, "link_climb_height": 1.0}


class Asked:
    """How often it was asked which ends fail, and how often the ground alone told it."""

    def __init__(self) -> None:
        self.times = 0
        self.told = 0
        self.left = 0  # how often links were taken away, and that was told without asking anew
        self.failing = 0


@pytest.fixture(scope="module", autouse=True)
def compiled() -> None:
    """The first build of a machine builds a little level more, to compile what it needs."""
    build_navmesh(*blocks(0, 12.0), Settings(tile_size=24, **JUMPS))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[Asked]:
    """Each answer is compared with that of tiles that hold the links."""
    count = Asked()
    ask, landed, left = checked_links.known_ends, checked_links._landed, checked_links.known_of_those_left

    def check(known: KnownEnds, navmesh: NavMesh) -> None:
        assert (known.failing == checked_links._ends_now(navmesh).failing()).all()
        count.failing += int(known.failing.any(axis=1).sum())

    def compared(navmesh: NavMesh, before: KnownEnds | None, ground: LinkedGround | None = None) -> KnownEnds:
        count.times += ground is not None
        known = ask(navmesh, before, ground)
        check(known, navmesh)
        return known

    def told(*arguments: Any) -> Any:
        failing = landed(*arguments)
        count.told += failing is not None
        return failing

    def those_left(known: KnownEnds, navmesh: NavMesh, is_left: Any) -> KnownEnds | None:
        answer = left(known, navmesh, is_left)
        if answer is not None:
            check(answer, navmesh)
            count.left += 1
        return answer

    monkeypatch.setattr(checked_links, "known_ends", compared)
    monkeypatch.setattr(checked_links, "_landed", told)
    monkeypatch.setattr(checked_links, "known_of_those_left", those_left)
    yield count
    assert count.times


def blocks(seed: int, size: float = 40.0) -> scenes.Mesh:
    """Ground with blocks on it, some of them small: their links lose points."""
    rng = np.random.default_rng(seed)
    some = [scenes.box(*rng.uniform((1, -1, 1), (size - 6, 0, size - 6)), *rng.uniform(0.8, 6, 3)) for _ in range(30)]
    return scenes.join([scenes.flat(size), *some])


def given_links(seed: int) -> list[Link]:
    """Links of somebody, most of them on the ground."""
    points = np.random.default_rng(seed).uniform((2, 0, 2, 2, 0, 2), (38, 1, 38, 38, 1, 38), (6, 6)).tolist()
    return [Link(start=tuple(p[:3]), end=tuple(p[3:]), radius=0.6, id=7 + k) for k, p in enumerate(points)]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("tile_size", [0, 24, 64])
def test_builds(asked: Asked, tile_size: int, seed: int) -> None:
    settings = Settings(tile_size=tile_size, **JUMPS)
    build_navmesh(*blocks(seed), settings)
    assert asked.told == asked.times == 1 and (asked.left == 1) == (asked.failing > 0)
    build_navmesh(*blocks(seed), settings, links=given_links(seed))
    assert asked.times >= 2


@pytest.mark.parametrize("seed", [4, 5])
def test_edits(asked: Asked, seed: int) -> None:
    kinds, wrong = edits.run(10, 90 * seed, 10, link_edits.Linked)
    assert not wrong and len(kinds) > 4
    assert asked.told > 10 and asked.failing > 0


def test_tiles_without_room_are_asked_themselves(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    """Points every tenth of a metre are more than walls leave room for."""
    settings = Settings(tile_size=16, link_spacing=0.1, **JUMPS)
    navmesh = build_navmesh(*blocks(1), settings)
    assert asked.told == 0 and len(navmesh.links) > 600
    monkeypatch.setattr(checked_links, "have_room", lambda *_: True)
    with pytest.raises(AssertionError):  # that ground is there is not enough
        build_navmesh(*blocks(1), settings)


def test_an_edit_asks_only_for_links_around_it(asked: Asked, monkeypatch: pytest.MonkeyPatch) -> None:
    rows: list[int] = []
    real = landed_ends.failing_by_landing

    def counted(settings: Any, tiles: Any, ends: Any, *more: Any) -> Any:
        rows.append(len(ends.where))
        return real(settings, tiles, ends, *more)

    monkeypatch.setattr(checked_links, "failing_by_landing", counted)
    level = Level(Settings(tile_size=32, **JUMPS), bounds=(0, -1, 0, 80, 12, 80))
    for name, mesh in {"ground": scenes.flat(80), **{f"{k}": scenes.box(2 + 9 * (k % 8), 0, 2 + 9 * (k // 8), 4, 2, 4)
                                                     for k in range(64)}}.items():  # fmt: skip
        level.set_part(name, *mesh)
    whole = level.update()
    level.set_part("27", *scenes.box(30, 0, 30, 4, 2.2, 4))
    level.update()
    assert rows[0] >= len(whole.links) > 200 and 0 < rows[1] < rows[0] / 4
    assert asked.told == asked.times == 2


def test_tiles_end_where_their_polygons_say() -> None:
    rng = np.random.default_rng(3)
    for _ in range(4):
        cell, corner = float(rng.uniform(0.1, 0.4)), rng.uniform(-50, 50, 3)
        vertices, triangles = scenes.flat(25.0)
        navmesh = build_navmesh(
            (vertices + corner).astype(np.float32),
            triangles,
            Settings(cell_size=cell, tile_size=int(rng.integers(16, 40))),
        )
        assert navmesh.tile_grid is not None
        (lows_x, highs_x), (lows_z, highs_z) = edges_of_tiles(navmesh.tile_grid)
        for tile in navmesh.tiles:
            grid = tile.polygon_mesh.grid
            assert grid.bounds_min[[0, 2]].tolist() == [lows_x[tile.x], lows_z[tile.y]]
            assert grid.bounds_max[[0, 2]].tolist() == [highs_x[tile.x], highs_z[tile.y]]


@pytest.mark.parametrize("detail", [True, False])
def test_ends_land_where_trees_say(detail: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Anywhere, with all radii: on edges, between floors, beside the ground, at the corner of a level."""
    given, real = list[Any](), landed_ends._lands

    def told(*arguments: Any) -> Any:
        given[:] = arguments
        return real(*arguments)

    monkeypatch.setattr(landed_ends, "_lands", told)
    build_navmesh(*blocks(3), Settings(detail_mesh=detail, **JUMPS), threads=1)
    ground, tiles, _, _ = given
    (tile,) = tiles.values()
    count, rng, grid, mesh = 4000, np.random.default_rng(2), tile.polygon_mesh.grid, tile.polygon_mesh
    corners = mesh.vertices * np.array([grid.cell_size, grid.cell_height, grid.cell_size]) + grid.bounds_min
    points = np.tile(corners[rng.integers(0, len(corners), count)], 2).astype(np.float32)
    points += (rng.uniform(-1, 1, points.shape) * rng.choice([0, 0.3, 2], (count, 1))).astype(np.float32)
    points[:100, :3] = grid.bounds_min + rng.uniform(0, 0.4, (100, 3))
    radii = rng.choice([0.02, 0.3, 0.6, 2], count).astype(np.float32)
    places = points.reshape(-1, 2, 3)[:, :, ::2]
    inside = ((places >= grid.bounds_min[::2]) & (places <= grid.bounds_max[::2])).all(axis=2)
    numbers, trees = np.where(inside, 0, landed_ends.NOWHERE), np.zeros((count, 2), bool)
    near, asked = np.zeros((count, 2), bool), numbers >= 0
    leaves = landed_ends.boxes_of(ground.data, mesh, tile.detail_mesh)
    landed_ends._lands_near_kernel(
        (ground.data, ground.first), ground.buckets, leaves, numbers, (points, radii), (near, asked)
    )
    landed_ends.write_tree(ground.data, mesh, tile.detail_mesh)
    landed_ends._lands_kernel(ground.data, ground.first, numbers, points, radii, trees)
    is_told = (numbers >= 0) & ~asked
    assert (near[is_told] == trees[is_told]).all()
    assert near.sum() > 1000 and (is_told & ~near).sum() > 300 and asked.sum() < 0.05 * near.sum()
