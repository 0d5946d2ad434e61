"""Levels that change: after every edit the navmesh is that of a full build, byte for byte."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from navcore import (
    BadInput,
    BoxVolume,
    Cancelled,
    Level,
    Link,
    NavMesh,
    NothingWalkable,
    Progress,
    Settings,
    TooLarge,
    build_navmesh,
)
from navcore.builder.parts import part
from tests import scenes
from tests.navcore.builder.test_tiles import arrays
from tests.scenes import Mesh

TILED = Settings(tile_size=32, cell_size=0.3)
FLOOR = scenes.flat(30.0, 12)
CRATE = scenes.box(0, 0, 0, 2, 1.5, 2)


def moved(mesh: Mesh, x: float, y: float, z: float) -> Mesh:
    return mesh[0] + np.array([x, y, z], np.float32), mesh[1]


def whole(parts: dict[str, Mesh], settings: Settings = TILED, **more: Any) -> NavMesh:
    return build_navmesh(*scenes.join(list(parts.values())), settings, **more)


def level_of(parts: dict[str, Mesh], settings: Settings = TILED, **more: Any) -> Level:
    level = Level(settings, **more)
    for name, mesh in parts.items():
        level.set_part(name, *mesh)
    return level


def same(one: NavMesh, other: NavMesh) -> None:
    assert arrays(one) == arrays(other)
    assert [np.asarray(value).tolist() for value in one.tile_grid or ()] == [
        np.asarray(value).tolist() for value in other.tile_grid or ()
    ]
    assert one.report.counts == other.report.counts
    assert one.report.warnings == other.report.warnings
    assert one.links == other.links and one.failing_ends == other.failing_ends


PARTS = {"floor": FLOOR, "crate": moved(CRATE, 14, 0, 14), "far": moved(CRATE, 3, 0, 25)}


def test_a_moved_part_costs_the_tiles_where_it_was_and_is() -> None:
    level = level_of(PARTS)
    same(level.update(), whole(PARTS))
    assert len(level.rebuilt) == 16
    parts = {**PARTS, "crate": moved(CRATE, 4, 0, 4)}
    level.set_part("crate", *parts["crate"])
    same(level.update(), whole(parts))
    assert 0 < len(level.rebuilt) < 10
    same(level.update(), whole(parts))
    assert level.rebuilt == ()


def test_parts_come_and_go() -> None:
    level = level_of(PARTS)
    level.update()
    level.remove_part("far")
    same(level.update(), whole({name: mesh for name, mesh in PARTS.items() if name != "far"}))
    level.set_part("far", *PARTS["far"])
    same(level.update(), whole(PARTS))
    assert level.parts == ("floor", "crate", "far")


def test_a_part_that_was_removed_comes_back_as_the_last_one() -> None:
    """What its tiles see is the same as before, but in another order: where spans meet, the later one may count."""
    settings = Settings(tile_size=32, cell_size=0.5, cell_height=0.1, agent_max_climb=0.2, agent_radius=0.0)
    ramp = np.array([[10, 0, 5], [10, 0, 25], [20, 8, 25], [20, 8, 5]], np.float32), np.array([[0, 1, 2], [0, 2, 3]])
    meshes = {"floor": FLOOR, "ramp": ramp}
    said = {"floor": np.full(len(FLOOR[1]), 5), "ramp": np.full(2, 2)}

    def of(*order: str) -> NavMesh:
        mesh = scenes.join([meshes[name] for name in order])
        return build_navmesh(*mesh, settings, areas=np.concatenate([said[name] for name in order]))

    level = Level(settings)
    for name, mesh in meshes.items():
        level.set_part(name, *mesh, areas=said[name])
    same(level.update(), of("floor", "ramp"))
    level.remove_part("floor")
    level.set_part("floor", *FLOOR, areas=said["floor"])
    same(level.update(), of("ramp", "floor"))
    assert level.parts == ("ramp", "floor") and len(level.rebuilt) == 4


def test_one_corner_of_a_large_part_costs_its_tiles() -> None:
    ground = scenes.terrain(140)
    level = level_of({"ground": ground})
    level.update()
    bent = ground[0].copy()
    bent[140 * 70 + 70, 1] += np.float32(0.5)
    level.set_part("ground", bent, ground[1])
    same(level.update(), whole({"ground": (bent, ground[1])}))
    assert 0 < len(level.rebuilt) <= 9
    level.set_part("ground", bent.copy(), ground[1].copy())
    level.update()
    assert level.rebuilt == ()


def test_a_level_that_grows_at_its_far_end_keeps_what_is_built() -> None:
    level = level_of(PARTS)
    level.update()
    parts = {
        **PARTS,
        "annex": moved(scenes.flat(12.0, 4), 30, 0, 5),
        "tower": moved(scenes.box(0, 0, 0, 1, 9, 1), 20, 0, 20),
    }
    for name in ("annex", "tower"):
        level.set_part(name, *parts[name])
    same(level.update(), whole(parts))
    assert len(level.rebuilt) < 20
    for name in ("annex", "tower"):
        level.remove_part(name)
    same(level.update(), whole(PARTS))


def test_a_higher_top_asks_no_other_part_for_its_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    crates = {f"crate {k}": moved(CRATE, 4 * (k % 6), 0, 4 * (k // 6)) for k in range(36)}
    level = level_of({"floor": FLOOR, **crates})
    level.update()
    asked: list[object] = []
    found = part.changed_tiles

    def counted(*given: Any) -> Any:
        asked.append(given)
        return found(*given)

    monkeypatch.setattr(part, "changed_tiles", counted)
    for height in (3.0, 0.5, 4.0, 0.0):  # the highest of all, and one of them again
        crates["crate 20"] = moved(CRATE, 8, height, 12)
        level.set_part("crate 20", *crates["crate 20"])
        same(level.update(), whole({"floor": FLOOR, **crates}))
    assert len(asked) == 4, "the tiles of the part that moved"


def test_another_origin_builds_all_again() -> None:
    level = level_of(PARTS)
    level.update()
    parts = {**PARTS, "before": moved(CRATE, -5, 0, 3)}
    level.set_part("before", *parts["before"])
    same(level.update(), whole(parts))
    low = {**parts, "below": moved(CRATE, 10, -4, 10)}
    level.set_part("below", *low["below"])
    same(level.update(), whole(low))


def test_given_bounds_keep_the_grid() -> None:
    bounds = [-10.0, -5.0, -10.0, 40.0, 12.0, 40.0]
    level = level_of(PARTS, bounds=bounds)
    same(level.update(), whole(PARTS, bounds=bounds))
    parts = {**PARTS, "before": moved(CRATE, -5, -2, 3)}
    level.set_part("before", *parts["before"])
    same(level.update(), whole(parts, bounds=bounds))
    assert len(level.rebuilt) < 10
    level.bounds = [-10.0, -5.0, -10.0, 40.0, 1.0, 40.0]
    same(level.update(), whole(parts, bounds=level.bounds))


def test_given_bounds_may_grow() -> None:
    level = level_of(PARTS)
    for far in (12.0, 16.0, 21.0, 40.0, 15.0):
        level.bounds = [-10.0, -5.0, -10.0, far, 12.0, far]
        same(level.update(), whole(PARTS, bounds=level.bounds))
    level.bounds = [-10.0, -5.0, -10.0, 40.0, 12.0, 40.0]
    level.set_part("crate", *moved(CRATE, 24, 0, 24))
    same(level.update(), whole({**PARTS, "crate": moved(CRATE, 24, 0, 24)}, bounds=level.bounds))


def test_volumes_links_and_settings_are_changes_like_others() -> None:
    level = level_of(PARTS)
    level.update()
    pond = BoxVolume(area=1, min=(5.0, -1.0, 5.0), max=(9.0, 1.0, 9.0))
    mud = BoxVolume(area=2, min=(7.0, -1.0, 7.0), max=(12.0, 1.0, 9.0))
    for volumes in ([pond], [pond, mud], [mud, pond], [mud], []):
        level.volumes = tuple(volumes)
        same(level.update(), whole(PARTS, volumes=volumes))
        assert len(level.rebuilt) < 16
    links = (
        Link(start=(2.0, 0.0, 2.0), end=(20.0, 0.0, 20.0), radius=0.6),
        Link(start=(2.0, 9.0, 2.0), end=(8.0, 0.0, 8.0), radius=0.6),
    )
    level.links = links
    same(level.update(), whole(PARTS, links=links))
    assert level.rebuilt == ()
    level.settings = Settings(tile_size=48, agent_radius=0.9)
    same(level.update(), whole(PARTS, level.settings, links=links))
    level.settings = Settings(agent_radius=0.9)
    same(level.update(), whole(PARTS, level.settings, links=links))
    level.settings = TILED
    same(level.update(), whole(PARTS, links=links))


def test_seeds_leave_out_what_they_do_not_reach() -> None:
    parts = {**PARTS, "roof": moved(scenes.flat(8.0, 3), 10, 6, 18)}
    level = level_of(parts, seeds=[(1.0, 0.0, 1.0)])
    assert float(level.update().polygon_mesh.vertices[:, 1].max()) < 20
    level.seeds = None
    same(level.update(), whole(parts))


def test_areas_of_one_part_count_in_all() -> None:
    """Triangles without a normal are walkable where any part says areas, and not where none does."""
    settings = Settings(tile_size=32, agent_radius=0.0, partition="monotone", region_min_size=0)
    lines = [moved((np.array([[3, 1, 0], [7, 1, 0], [5, 1, 0]], np.float32), np.array([[0, 1, 2]])), 0, 0, z)
             for z in np.arange(3, 6, 0.1)]  # fmt: skip
    parts = {"floor": FLOOR, "lines": scenes.join(lines), "crate": moved(CRATE, 14, 0, 24)}
    level = level_of(parts, settings)
    same(level.update(), whole(parts, settings))
    said = [len(mesh[1]) for mesh in parts.values()]
    areas = np.concatenate([np.full(said[0] + said[1], 63), np.full(said[2], 5)])
    level.set_part("crate", *parts["crate"], areas=areas[-said[2] :])
    same(level.update(), whole(parts, settings, areas=areas))
    painted = level.update().report.counts["polygons"]
    level.set_part("crate", *parts["crate"])
    same(level.update(), whole(parts, settings))
    assert level.update().report.counts["polygons"] != painted


def test_a_matrix_places_and_turns() -> None:
    level = Level(TILED)
    level.set_part("floor", *FLOOR)
    mirrored = np.diag([-1.0, 2.0, 1.0, 1.0])
    mirrored[:3, 3] = 14, 0, 9
    level.set_part("crate", *CRATE, matrix=mirrored)
    placed = (CRATE[0] * np.array([-1, 2, 1], np.float32) + np.array([14, 0, 9], np.float32)).astype(np.float32)
    same(level.update(), whole({"floor": FLOOR, "crate": (placed, CRATE[1][:, [0, 2, 1]])}))


def test_what_was_given_may_change_afterwards() -> None:
    vertices, triangles = FLOOR[0].copy(), FLOOR[1].copy()
    level = Level(TILED)
    level.set_part("floor", vertices, triangles)
    vertices[:] = np.nan
    triangles[:] = 99
    same(level.update(), whole({"floor": FLOOR}))


def test_a_cancelled_update_goes_on_where_it_was() -> None:
    level = level_of(PARTS)
    seen: list[tuple[int, int]] = []
    progress = Progress()

    def stop(place: tuple[int, int], _tile: object) -> None:
        seen.append(place)
        if len(seen) == 3:
            progress.cancel()

    with pytest.raises(Cancelled):
        level.update(progress=progress, on_tile=stop, threads=1)
    same(level.update(), whole(PARTS))
    assert not set(seen) & set(level.rebuilt) and len(level.rebuilt) == 16 - len(seen)


def test_the_nearest_tiles_come_first() -> None:
    level = level_of(PARTS)
    seen: list[tuple[int, int]] = []
    level.update(near=(29.0, 0.0, 29.0), on_tile=lambda place, _tile: seen.append(place))
    assert seen[0] == (3, 3) and seen[-1] == (0, 0) and len(seen) == 16
    assert level.rebuilt == tuple((x, y) for y in range(4) for x in range(4))


def test_a_store_outlives_the_level(tmp_path: Any) -> None:
    level_of(PARTS, store=tmp_path / "tiles").update()
    again = level_of(PARTS, store=tmp_path / "tiles")
    navmesh = again.update()
    same(navmesh, whole(PARTS))
    assert navmesh.report.store == {"reused": 16, "built": 0}


def test_nothing_left_is_said_and_mended() -> None:
    level = level_of({"crate": CRATE, "wall": scenes.box(0, 0, 0, 0.2, 3, 9)}, Settings(tile_size=16, agent_radius=2.0))
    with pytest.raises(NothingWalkable):
        level.update()
    level.set_part("crate", *FLOOR)
    parts = {"crate": FLOOR, "wall": scenes.box(0, 0, 0, 0.2, 3, 9)}
    same(level.update(), whole(parts, level.settings))


def test_bad_parts_are_refused_by_name_and_leave_the_level_as_it_was() -> None:
    level = level_of(PARTS)
    broken = CRATE[0].copy()
    broken[2, 1] = np.nan
    with pytest.raises(BadInput, match="Part “crate”: 1 of 8 vertices") as refused:
        level.set_part("crate", broken, CRATE[1])
    assert refused.value.code == "NOT_FINITE"
    with pytest.raises(BadInput, match=r"Part “crate”.*vertex that does not exist"):
        level.set_part("crate", CRATE[0][:3], CRATE[1])
    with pytest.raises(BadInput, match="4 × 4 finite numbers"):
        level.set_part("crate", *CRATE, matrix=np.eye(3))
    with pytest.raises(BadInput, match="no part “door”"):
        level.remove_part("door")
    same(level.update(), whole(PARTS))
    for name in list(PARTS):
        level.remove_part(name)
    with pytest.raises(BadInput, match="no triangles"):
        level.update()
    level.set_part("floor", *FLOOR)
    same(level.update(), whole({"floor": FLOOR}))


def test_what_is_too_large_is_refused_again_and_again() -> None:
    level = level_of({**PARTS, "lost": moved(CRATE, 5e7, 0, 0)})
    for _ in range(2):
        with pytest.raises((TooLarge, BadInput)):
            level.update()
    level.remove_part("lost")
    same(level.update(), whole(PARTS))


def test_a_part_without_triangles_still_has_a_place() -> None:
    """As in a build: all vertices count for the bounds."""
    level = level_of(PARTS)
    level.set_part("empty", np.zeros((0, 3), np.float32), np.zeros((0, 3), np.int32))
    same(level.update(), whole(PARTS))
    level.set_part("empty", np.array([[35.0, 0, 35]], np.float32), np.zeros((0, 3), np.int32))
    same(level.update(), whole({**PARTS, "empty": (np.array([[35.0, 0, 35]], np.float32), np.zeros((0, 3), np.int32))}))


def test_parts_in_another_order_cost_the_tiles_of_those_that_moved() -> None:
    parts = {**PARTS, "beside": moved(CRATE, 14.5, 0.3, 14), "other": moved(CRATE, 25, 0, 4)}
    level = level_of(parts)
    level.update()
    for names in (["floor", "beside", "crate", "far", "other"], ["other", "floor", "beside", "crate", "far"]):
        level.arrange(names)
        assert level.parts == tuple(names)
        same(level.update(), whole({name: parts[name] for name in names}))
        assert 0 < len(level.rebuilt) < 10
        level.arrange(names)
        level.update()
        assert level.rebuilt == ()


def test_a_part_between_others_costs_its_own_tiles() -> None:
    level = level_of(PARTS)
    level.update()
    parts = {"floor": FLOOR, "new": moved(CRATE, 14.5, 0.3, 14), "crate": PARTS["crate"], "far": PARTS["far"]}
    level.set_part("new", *parts["new"])
    level.arrange(parts)
    same(level.update(), whole(parts))
    assert 0 < len(level.rebuilt) < 10
    level.set_part("crate", *moved(CRATE, 15, 0.1, 14.2))
    parts["crate"] = moved(CRATE, 15, 0.1, 14.2)
    same(level.update(), whole(parts))
    level.arrange(["far"])
    assert level.parts == ("far", "floor", "new", "crate")


def test_who_is_not_there_cannot_be_arranged() -> None:
    level = level_of(PARTS)
    with pytest.raises(BadInput, match="no part “nobody”") as refused:
        level.arrange(["floor", "nobody"])
    assert refused.value.code == "NO_PART" and level.parts == tuple(PARTS)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda level: pickle.loads(pickle.dumps(level))])
@pytest.mark.parametrize("settings", [TILED, Settings(tile_size=32, cell_size=0.3, generate_links=True)])
def test_a_copy_is_a_level_of_its_own_with_the_tiles_that_are_built(
    copied: Callable[[Level], Level], settings: Settings
) -> None:
    level = level_of(PARTS, settings)
    before = level.update()
    other = copied(level)
    other.set_part("crate", *moved(CRATE, 20, 0, 14))
    same(other.update(), whole({**PARTS, "crate": moved(CRATE, 20, 0, 14)}, settings))
    assert 0 < len(other.rebuilt) < len(before.tiles)
    same(level.update(), before)
    assert level.rebuilt == ()


def test_what_is_set_as_an_iterator_stays_what_it_held() -> None:
    """Volumes that came out of a generator were gone with the second update, doors with them."""
    wall = BoxVolume(area=0, min=(10, -1, 0), max=(11, 3, 30))
    level = level_of(PARTS)
    level.volumes, level.links = iter([wall]), iter([Link(start=(3, 0, 3), end=(25, 0, 25))])
    level.seeds = iter([(3, 0, 3)])
    first = level.update()
    assert len(first.links) == 1
    same(level.update(), first)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("volumes", 5, "volumes must be a list, not 5"),
        ("links", None, "links must be a list, not None"),
        ("seeds", "spawn", "seeds must be a list, not 'spawn'"),
        ("area_types", 5, "area_types must be a mapping from area ids to AreaType, not int"),
        ("store", 5, "store must be the path of a folder, not int"),
    ],
)
def test_what_it_cannot_be_given_is_refused_by_name(name: str, value: Any, said: str) -> None:
    """When it is made, and when it is set: they ended with a TypeError of Python."""
    with pytest.raises(BadInput, match=said):
        Level(TILED, **{name: value})
    level = level_of(PARTS)
    setattr(level, name, value)
    with pytest.raises(BadInput, match=said):
        level.update()


@pytest.mark.parametrize("near", [(1, 2), "spawn", 1, (float("nan"), 0, 0)])
def test_a_place_that_is_none_is_refused(near: Any) -> None:
    with pytest.raises(BadInput, match="near must be"):
        level_of(PARTS).update(near=near)


def test_settings_and_area_types_of_none_are_the_usual_ones() -> None:
    level = level_of(PARTS)
    level.settings, level.area_types = None, None  # type: ignore[assignment]
    same(level.update(), whole(PARTS, Settings()))


@pytest.mark.parametrize("tile_size", [0, 32])
def test_edits_of_none_are_none(tile_size: int) -> None:
    """They were taken where a level is made, and ended an update with an AttributeError where links are found."""
    settings = Settings(tile_size=tile_size, cell_size=0.3, generate_links=True)
    level = level_of(PARTS, settings)
    level.edits = None  # type: ignore[assignment]
    assert level.link_edits is None
    same(level.update(), whole(PARTS, settings))


@pytest.mark.parametrize("said", [{"area": 1}, {"resolution": 0.5}])
def test_a_volume_beyond_all_tiles_is_told_until_it_is_gone(said: Any) -> None:
    """No tile is built again for it, so that its warning stayed for ever."""
    far = BoxVolume(min=(500, 0, 500), max=(501, 1, 501), **said)
    level = level_of(PARTS, volumes=[far])
    for volumes, codes in (([far], ["VOLUME_UNUSED"]), ([far], ["VOLUME_UNUSED"]), ([], [])):
        level.volumes = volumes
        assert [warning.code for warning in level.update().report.warnings] == codes
