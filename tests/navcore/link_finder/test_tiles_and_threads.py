"""The same links for any number of threads, in one piece and in tiles, and wherever a level is edited."""

import numpy as np
import pytest

from navcore import Level, NavMesh, Settings, build_navmesh, prune_navmesh, rebuild_tiles
from tests import scenes
from tests.navcore.link_finder.link_scenes import built, floors, length_of

LINKS = {"generate_links": True, "link_climb_height": 1.0}


def level() -> scenes.Mesh:
    return scenes.join([scenes.city(2, 30), scenes.box(3, 0, 3, 6, 1.8, 6), scenes.box(10.5, 0, 3, 6, 1.6, 6)])


def same(one: NavMesh, other: NavMesh) -> bool:
    return one.wide_links == other.wide_links and one.links == other.links


@pytest.mark.parametrize("tile_size", [0, 32])
def test_threads_change_nothing(tile_size: int) -> None:
    one, three = (built(level(), threads, tile_size=tile_size, link_climb_height=1.0) for threads in (1, 3))
    assert len(one.wide_links) > 5 and same(one, three)
    assert [wide.tile for wide in one.wide_links] == sorted((w.tile for w in one.wide_links), key=lambda t: t[::-1])
    assert len({wide.id for wide in one.wide_links}) == len(one.wide_links)


def test_links_leave_all_else_as_it_is() -> None:
    for tile_size in (0, 32):
        plain, linked = build_navmesh(*level(), Settings(tile_size=tile_size)), built(level(), tile_size=tile_size)
        for one, other in zip(plain.tiles, linked.tiles, strict=True):
            for mine, theirs in zip(one.polygon_mesh[:5], other.polygon_mesh[:5], strict=True):
                np.testing.assert_array_equal(mine, theirs)
        counts = {name: count for name, count in linked.report.counts.items() if not name.startswith("links_")}
        assert counts == plain.report.counts


def test_tiles_jump_where_one_piece_does() -> None:
    """A gap along a border of tiles, and one across it."""
    whole = built(floors(1.5))
    for tile_size in (24, 32, 40):
        tiled = built(floors(1.5), tile_size=tile_size)
        assert length_of(tiled, "jump") == pytest.approx(length_of(whole, "jump"), abs=1.5)
        assert not any(map(any, tiled.failing_ends))


def test_a_jump_is_no_longer_than_a_tile() -> None:
    navmesh = built(floors(3.0), tile_size=16, link_jump_distance=30.0)
    (warning,) = (warning for warning in navmesh.report.warnings if warning.code == "LINK_DISTANCE_SHORTENED")
    assert "30 m" in warning.message and "4.8 m" in warning.message
    for wide in navmesh.wide_links:
        assert np.linalg.norm(np.subtract(wide.corners[2], wide.corners[0])) <= 16 * 0.3


def test_rebuilt_tiles_have_the_links_of_a_full_build() -> None:
    settings = Settings(tile_size=32, **LINKS)
    before, after = level(), scenes.join([level(), scenes.box(4, 1, 4, 4, 3, 4)])
    rebuilt = rebuild_tiles(build_navmesh(*before, settings), (4, 1, 4, 8, 4, 8), *after)
    full = build_navmesh(*after, settings)
    assert same(rebuilt, full) and not same(rebuilt, build_navmesh(*before, settings))


def test_a_level_that_is_edited_has_the_links_of_a_full_build() -> None:
    generator = np.random.default_rng(5)
    edited = Level(Settings(tile_size=24, **LINKS), bounds=(0, -1, 0, 24, 9, 24))
    parts = {"ground": scenes.flat(24)}
    edited.set_part("ground", *parts["ground"])
    for _ in range(25):
        name = f"crate {generator.integers(5)}"
        if name in parts and generator.random() < 0.3:
            del parts[name]
            edited.remove_part(name)
        else:
            x, z, width, depth = (*generator.uniform(0, 18, 2), *generator.uniform(2, 6, 2))
            parts.pop(name, None)
            if name in edited.parts:
                edited.remove_part(name)
            parts[name] = scenes.box(x, 0, z, width, generator.uniform(1, 3), depth)
            edited.set_part(name, *parts[name])
        full = build_navmesh(*scenes.join(list(parts.values())), edited.settings, bounds=edited.bounds)
        assert same(edited.update(), full)


def test_what_is_pruned_has_no_links() -> None:
    navmesh = built([scenes.box(0, 0, 0, 8, 2, 12), scenes.box(8, 0, 0, 10, 0.2, 12)])
    assert [wide.kind for wide in navmesh.wide_links] == ["drop"]
    assert prune_navmesh(navmesh, [(4, 2, 6)]).wide_links == navmesh.wide_links
    below = prune_navmesh(navmesh, [(13, 0.2, 6)])  # nobody comes up
    assert below.wide_links == () and below.links == () and below.report.counts["links_unattached"] > 0
    assert not [warning for warning in below.report.warnings if warning.code == "LINK_UNATTACHED"]
