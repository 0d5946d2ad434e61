"""Edits of a level redo the links in reach, and all links are those of a full build."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from navcore import Level, LinkEdits, NavMesh, Settings, build_navmesh, prune_navmesh, rebuild_tiles
from navcore.link_finder import find_links
from tests import scenes
from tests.navcore.link_finder.test_tiles_and_threads import LINKS, level, same
from tests.soak import edits, link_edits

BOUNDS = (0, -1, 0, 64, 12, 64)


@pytest.fixture
def redone(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Of how many tiles links were found anew, each time."""
    counts: list[int] = []
    found_on = find_links._found_on

    def counted(navmesh: Any, field: Any, wanted: set[Any], *more: Any) -> Any:
        counts.append(len(wanted))
        return found_on(navmesh, field, wanted, *more)

    monkeypatch.setattr(find_links, "_found_on", counted)
    return counts


@pytest.mark.parametrize("seed", [1, 2])
def test_after_every_edit_links_are_those_of_a_full_build(seed: int) -> None:
    """`python -m tests.soak.link_edits` makes hundreds."""
    kinds, wrong = edits.run(13, 70 * seed, 13, link_edits.Linked)
    assert not wrong and len(kinds) > 4


def test_a_crate_that_moves_redoes_few_tiles(redone: list[int]) -> None:
    edited = Level(Settings(tile_size=32, **LINKS), bounds=BOUNDS)
    parts = {"ground": scenes.flat(64), "crate": scenes.box(30, 0, 30, 5, 2, 5), "far": scenes.box(4, 0, 4, 5, 2, 5)}
    for name, part in parts.items():
        edited.set_part(name, *part)
    edited.update()
    parts["crate"] = scenes.box(31, 0, 30, 5, 2.2, 5)
    edited.set_part("crate", *parts["crate"])
    moved = edited.update()
    edited.update()
    whole, anew, nothing = redone
    assert whole == 49 and 0 < anew <= 20 and nothing == 0
    assert same(moved, full_build(parts, edited.settings)) and len(moved.wide_links) >= 8


def full_build(parts: dict[str, scenes.Mesh], settings: Settings, bounds: tuple[float, ...] = BOUNDS) -> NavMesh:
    return build_navmesh(*scenes.join(list(parts.values())), settings, bounds=bounds)


def fingers() -> dict[str, scenes.Mesh]:
    """Two long floors side by side, and a bridge between them: near it walking is short enough."""
    floors = {f"floor {k}": scenes.box(2, 0, z, 20, 9, 2) for k, z in enumerate((4, 6.5))}
    return {**floors, "bridge": scenes.box(12, 0, 5, 1.5, 9, 2)}


@pytest.mark.parametrize("reach", [None, 0])
def test_ways_on_foot_count_as_far_as_they_are_looked_for(reach: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bridge goes: links that start some tiles away are worth something now. With less reach they are missed."""
    if reach is not None:
        monkeypatch.setattr(find_links, "reach_in_cells", lambda _rules: reach)
    settings = Settings(generate_links=True, tile_size=16, cell_size=0.1, agent_radius=0.2, link_detour=9.0)
    bounds = (0.0, -1.0, 0.0, 24.0, 12.0, 12.0)
    edited, parts = Level(settings, bounds=bounds), fingers()
    for name, part in parts.items():
        edited.set_part(name, *part)
    edited.update()
    edited.remove_part("bridge")
    del parts["bridge"]
    navmesh = edited.update()
    assert len(navmesh.wide_links) > 4
    assert same(navmesh, full_build(parts, settings, bounds)) == (reach is None)


def test_tiles_rebuilt_one_after_the_other_redo_few_links(redone: list[int]) -> None:
    settings, generator = Settings(tile_size=24, cell_size=0.4, region_min_size=1, **LINKS), np.random.default_rng(3)
    spots = generator.uniform(2, 56, (40, 2))
    parts = {f"crate {k}": scenes.box(x, 0, z, 5, 1 + k % 3, 4) for k, (x, z) in enumerate(spots)}
    parts["ground"] = scenes.flat(64)
    navmesh, found = full_build(parts, settings), 0
    for number in range(8):
        name, (x, z) = f"crate {number}", spots[number] + generator.uniform(-2, 2, 2)
        before, parts[name] = parts[name], scenes.box(x, 0, z, 5, 1 + number % 2, 4)
        both = np.concatenate([before[0], parts[name][0]])
        box = (*both.min(axis=0), *both.max(axis=0))
        edited = LinkEdits(rejected=navmesh.wide_links[:number])
        navmesh = rebuild_tiles(navmesh, box, *scenes.join(list(parts.values())), link_edits=edited)
        whole = build_navmesh(*scenes.join(list(parts.values())), settings, bounds=BOUNDS, link_edits=edited)
        assert same(navmesh, whole) and navmesh.report.warnings == whole.report.warnings
        found += len(navmesh.wide_links)
    assert found > 100
    assert sum(redone[1::2]) < 0.6 * sum(redone[2::2])


def test_what_was_pruned_is_looked_at_anew(redone: list[int]) -> None:
    """Its ground is another one than that on which links were found."""
    settings = Settings(tile_size=16, **LINKS)
    mesh = scenes.join([scenes.box(0, 0, 0, 8, 2, 24), scenes.box(8, 0, 0, 10, 0.2, 24)])
    below = prune_navmesh(build_navmesh(*mesh, settings), [(13, 0.2, 6)])
    again = rebuild_tiles(below, (0, 0, 0, 1, 1, 1), *mesh)
    assert redone[1] == len(again.tiles) > 9


def test_tiles_out_of_a_store_have_the_same_links(tmp_path: Path) -> None:
    settings, mesh = Settings(tile_size=24, **LINKS), level()
    first, stored, plain = (build_navmesh(*mesh, settings, store=place) for place in (tmp_path, tmp_path, None))
    assert stored.report.store["built"] == 0
    assert len(plain.wide_links) > 5 and same(first, plain) and same(stored, plain)
    edited = Level(settings, store=tmp_path)
    edited.set_part("all", *mesh)
    assert same(edited.update(), plain)
    edited.set_part("more", *scenes.box(9.2, 0, 4, 0.6, 9, 2))
    more = build_navmesh(*scenes.join([mesh, scenes.box(9.2, 0, 4, 0.6, 9, 2)]), settings)
    assert same(edited.update(), more) and not same(more, plain)


def test_tiles_of_an_executor_have_the_same_links() -> None:
    settings, mesh = Settings(tile_size=24, **LINKS), level()
    with ThreadPoolExecutor(2) as executor:
        assert same(build_navmesh(*mesh, settings, executor=executor), build_navmesh(*mesh, settings))
    watched = build_navmesh(*mesh, settings, keep_stages=True)  # each tile stage by stage
    assert same(watched, build_navmesh(*mesh, settings))


def test_links_that_are_switched_on_later_are_those_of_a_full_build() -> None:
    edited = Level(Settings(tile_size=24))
    edited.set_part("all", *level())
    assert edited.update().wide_links == ()
    for settings in (Settings(tile_size=24, **LINKS), Settings(tile_size=24, generate_links=True, link_drop_height=1)):
        edited.settings = settings
        assert same(edited.update(), build_navmesh(*level(), settings))
    edited.settings = Settings(tile_size=24)
    assert edited.update().wide_links == ()
