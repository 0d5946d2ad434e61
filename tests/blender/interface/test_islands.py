"""Islands of a navmesh in the scene: the list, seeds that keep them, and what joins them."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.blender.drawn_panels import draw_panels
from tests.blender.scenes import add_cube, add_plane


@pytest.fixture
def level(bpy: Any) -> Any:
    """A large ground, a block beside it that is 0.6 m higher, and one far away."""
    add_plane(bpy)
    block = add_cube(bpy, "Step", at=(13, 0, -0.4))
    block.scale = (3, 6, 1)
    add_plane(bpy, "Away", size=6, at=(0, 40, 0))
    bpy.context.scene.navmesh.draft.scope = "VISIBLE"
    bpy.ops.navmesh.build()
    return bpy


def islands_of(bpy: Any, addon: Any) -> list[Any]:
    return addon("objects.island_list").island_rows(bpy.data.objects["Navmesh"], 1.0)


def seeds(bpy: Any) -> list[Any]:
    return [object_ for object_ in bpy.data.objects if object_.navmesh.use == "SEED"]


def test_the_list_says_what_there_is(level: Any, addon: Any) -> None:
    ground, step, away = islands_of(level, addon)
    assert [row.number for row in (ground, step, away)] == [0, 1, 2]
    assert ground.square_metres == pytest.approx(18.8**2, rel=0.06)
    assert step.square_metres == pytest.approx(4.8 * 10.8, rel=0.15)
    polygons = len(level.data.objects["Navmesh"].data.polygons)
    assert sum(row.polygons for row in (ground, step, away)) == polygons
    assert away.low[1] > 36 and away.high[1] < 44 and 10 < step.place[0] < 16
    for row in (ground, step, away):
        assert all(low - 1e-4 <= at <= high + 1e-4 for low, at, high in zip(row.low, row.place, row.high, strict=True))


def test_square_metres_in_a_scene_of_centimetres(bpy: Any, addon: Any) -> None:
    bpy.context.scene.unit_settings.scale_length = 0.01
    add_plane(bpy, size=2000)
    bpy.ops.navmesh.build(scope="VISIBLE")
    (row,) = addon("objects.island_list").island_rows(bpy.data.objects["Navmesh"], 0.01)
    assert row.square_metres == pytest.approx(18.8**2, rel=0.06)


def test_keeping_puts_a_seed_on_it_once(level: Any, addon: Any) -> None:
    level.ops.navmesh.keep_island(island=1)
    (seed,) = seeds(level)
    found = addon("objects.island_list").seeds_by_island(level.context.scene, level.data.objects["Navmesh"], 1.0)
    assert found == {1: [seed]}
    assert level.ops.navmesh.keep_island(island=1) == {"CANCELLED"}
    level.context.scene.navmesh.setups[0].prune = True
    level.ops.navmesh.rebuild()
    (left,) = islands_of(level, addon)
    assert left.low[0] > 9


def marks(bpy: Any) -> list[Any]:
    return [object_ for object_ in bpy.data.objects if object_.navmesh.use == "DROP"]


def test_a_drop_is_one_mark_for_one_island(level: Any, addon: Any) -> None:
    level.ops.navmesh.drop_island(island=1)
    (mark,) = marks(level)
    assert not seeds(level) and not level.context.scene.navmesh.setups[0].prune
    assert mark.navmesh.drop_m2 == pytest.approx(4.8 * 10.8, rel=0.15) and 10 < mark.location[0] < 16
    setup = level.context.scene.navmesh.setups[0]
    assert addon("watch.out_of_date").out_of_date(level.data.objects["Navmesh"], setup)
    assert level.ops.navmesh.drop_island(island=1) == {"CANCELLED"}, "once"
    level.ops.navmesh.rebuild()
    assert [round(row.low[1]) > 30 for row in islands_of(level, addon)] == [False, True]
    assert not addon("watch.out_of_date").out_of_date(level.data.objects["Navmesh"], setup)
    report = json.loads(level.data.objects["Navmesh"]["navmesh_report"])
    (row,) = report["left_out"]
    assert row["name"] == mark.name and row["where"].startswith("(1") and not report["warnings"]
    texts = draw_panels(level, addon).texts
    assert any(text.startswith("Left out: ") and "at (1" in text for text in texts)
    assert f"Dropped: “{mark.name}”, {mark.navmesh.drop_m2:,.1f} m²" in texts


def test_drops_of_a_removed_setup_are_listed_as_that(level: Any, addon: Any) -> None:
    level.ops.navmesh.drop_island(island=1)
    (mark,) = marks(level)
    level.ops.navmesh.setup_add(name="Giant")
    level.ops.navmesh.build(scope="VISIBLE")
    told = f"Dropped: “{mark.name}”, {mark.navmesh.drop_m2:,.1f} m²"
    assert not any(text.startswith(told) for text in draw_panels(level, addon).texts)
    level.context.scene.navmesh.active = 0
    level.ops.navmesh.setup_remove()
    assert f"{told}, for a setup that is gone" in draw_panels(level, addon).texts


def test_what_is_added_after_a_drop_is_built(level: Any, addon: Any) -> None:
    level.ops.navmesh.drop_island(island=1)
    add_plane(level, "Platform", size=6, at=(0, -40, 0))
    level.ops.navmesh.rebuild()
    assert any(row.high[1] < -30 for row in islands_of(level, addon))


def test_an_island_that_grew_is_built_and_the_build_says_so(level: Any, addon: Any) -> None:
    level.ops.navmesh.drop_island(island=2)
    level.data.objects["Away"].scale = (2.5, 1, 1)
    level.ops.navmesh.rebuild()
    assert len(islands_of(level, addon)) == 3
    (warning,) = json.loads(level.data.objects["Navmesh"]["navmesh_report"])["warnings"]
    assert warning["code"] == "EDIT_SHIFTED" and warning["object"] == "Drop"
    level.ops.navmesh.undrop_island(mark="Drop")
    level.ops.navmesh.rebuild()
    assert not marks(level) and not json.loads(level.data.objects["Navmesh"]["navmesh_report"])["warnings"]


def test_the_largest_island_is_not_dropped(level: Any) -> None:
    with pytest.raises(RuntimeError, match="It is the largest island"):
        level.ops.navmesh.drop_island(island=0)
    assert not marks(level)


def test_seeds_on_a_dropped_island_are_none_any_more(level: Any, addon: Any) -> None:
    level.ops.navmesh.keep_island(island=0)
    level.ops.navmesh.keep_island(island=1)
    level.context.scene.navmesh.setups[0].prune = True
    level.ops.navmesh.drop_island(island=1)
    assert len(seeds(level)) == 1
    level.ops.navmesh.rebuild()
    (left,) = islands_of(level, addon)
    rows = json.loads(level.data.objects["Navmesh"]["navmesh_report"])["left_out"]
    assert [row["by"] for row in rows] == ["drop", "seeds"] and left.high[0] < 12


def test_a_drop_is_for_the_setup_on_which_it_was_made(level: Any, addon: Any) -> None:
    level.ops.navmesh.setup_add()
    other = level.context.scene.navmesh.setups[1]
    level.context.scene.navmesh.active = 0
    level.ops.navmesh.drop_island(island=1)
    level.ops.navmesh.build(all_setups=True)
    counts = [
        len(addon("objects.island_list").island_rows(object_, 1.0))
        for object_ in level.data.objects
        if object_.get("navmesh_role") == "polygon_mesh"
    ]
    assert sorted(counts) == [2, 3]
    navmesh = addon("objects.navmesh_objects").navmesh_of_setup(level.context.scene, other)
    assert len(addon("objects.island_list").island_rows(navmesh, 1.0)) == 3
    marks(level)[0].location.x += 1
    level.context.view_layer.update()
    assert not addon("watch.out_of_date").out_of_date(navmesh, other)


def test_seeds_and_pruning_of_older_files_drop_as_they_did(level: Any, addon: Any) -> None:
    for island in (0, 2):
        level.ops.navmesh.keep_island(island=island)
    level.context.scene.navmesh.setups[0].prune = True
    level.ops.navmesh.rebuild()
    assert [round(row.low[1]) > 30 for row in islands_of(level, addon)] == [False, True]


def test_dropping_can_be_undone(level: Any) -> None:
    level.ops.ed.undo_push(message="before")
    level.ops.navmesh.drop_island(island=1)
    level.ops.ed.undo_push(message="dropped")
    level.ops.ed.undo()
    import bpy

    assert not marks(bpy) and not bpy.context.scene.navmesh.setups[0].prune


def test_what_is_missing_is_a_higher_climb(level: Any, addon: Any) -> None:
    scene = level.context.scene
    scene.navmesh.setups[0].set_metres(agent_max_climb=0.4)
    level.ops.navmesh.rebuild()
    joins = addon("interface.island_operators")
    object_ = level.data.objects["Navmesh"]
    assert level.ops.navmesh.join_island(island=1) == {"FINISHED"}
    join = joins.join_of(object_, 1)
    assert join.sentence.startswith("To island 0: a step of 0.") and "agent_max_climb" in join.changes
    assert join.start[0] > 10 > join.end[0] and join.start[2] > join.end[2], "in Blender's coordinates"
    texts = draw_panels(level, addon).texts
    assert join.sentence in " ".join(texts) and "Change the Setting" in texts
    level.ops.navmesh.set_settings(changes=join.changes)
    level.ops.navmesh.rebuild()
    assert len(islands_of(level, addon)) == 2
    assert not joins.was_asked(level.data.objects["Navmesh"], 1), "another build"


def test_what_is_missing_is_a_link(level: Any, addon: Any) -> None:
    level.ops.navmesh.join_island(island=2)
    join = addon("interface.island_operators").join_of(level.data.objects["Navmesh"], 2)
    assert "a link of 28." in join.sentence and join.changes == ""
    level.ops.navmesh.add_link(start=join.start, end=join.end)
    link = level.data.objects["Link"]
    assert link.navmesh.use == "LINK" and tuple(link.navmesh.link_end.location) == pytest.approx(join.end)
    level.ops.navmesh.rebuild()
    assert len(islands_of(level, addon)) == 2


def test_an_imported_navmesh_has_islands_too(level: Any, addon: Any, tmp_path: Any) -> None:
    level.ops.navmesh.export(filepath=str(tmp_path / "level.bin"))
    level.ops.navmesh.import_file(filepath=str(tmp_path / "level.bin"))
    name = level.data.objects["level"].name if "level" in level.data.objects else "Navmesh level"
    rows = addon("objects.island_list").island_rows(level.data.objects[name], 1.0)
    assert len(rows) == 3
    level.ops.navmesh.join_island(navmesh=name, island=2)
    assert addon("interface.island_operators").join_of(level.data.objects[name], 2) is not None
    with pytest.raises(RuntimeError, match="was imported"):
        level.ops.navmesh.drop_island(navmesh=name, island=2)


def test_an_island_that_is_not_there(level: Any) -> None:
    with pytest.raises(RuntimeError, match=r"has no island 7\. It has 3, counted from 0"):
        level.ops.navmesh.keep_island(island=7)


def test_the_panel_lists_the_largest_and_more_when_asked(level: Any, addon: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(addon("interface.panels.islands_panel").NAVMESH_OT_more_islands.shown, "value", 2)

    def listed() -> list[str]:
        return [text for text in draw_panels(level, addon).texts if re.match(r"\d+: .* m²$", text)]

    assert len(listed()) == 2 and "1 more…" in draw_panels(level, addon).texts
    level.ops.navmesh.more_islands()
    assert len(listed()) == 3 and "1 more…" not in draw_panels(level, addon).texts


def test_isolating_hides_the_mesh_objects_until_it_ends(level: Any) -> None:
    stored = level.context.scene.navmesh
    names = [name for name in ("Navmesh", "Navmesh Detail") if name in level.data.objects]
    hidden = names[-1]
    level.data.objects[hidden].hide_set(True)  # by somebody, before
    level.ops.navmesh.isolate_island(island=1)
    assert stored.isolated_island == 1 and all(level.data.objects[name].hide_get() for name in names)
    level.ops.navmesh.isolate_island(island=2)
    assert stored.isolated_island == 2
    level.ops.navmesh.isolate_island(island=2)
    assert stored.isolated_island == -1
    assert [level.data.objects[name].hide_get() for name in names] == [name == hidden for name in names]


def test_an_isolated_island_alone_is_drawn(level: Any, addon: Any) -> None:
    drawn, scene = addon("views.drawn_navmeshes"), level.context.scene
    one = drawn.DrawnNavmesh(scene.navmesh.setups[0].uid, True, level.data.objects["Navmesh"], None, True)
    assert drawn.isolated_island(scene, one) is None
    everything = drawn._arrays(scene, one, None)
    level.ops.navmesh.isolate_island(island=2)
    alone = drawn._arrays(scene, one, drawn.isolated_island(scene, one))
    corners = alone.vertices[alone.triangles]
    assert 0 < len(alone.triangles) < len(everything.triangles)
    assert corners[..., 2].max() < -36, "y of Blender is −z"
    scene.navmesh.isolated_island = 7
    assert drawn.isolated_island(scene, one) is None, "there is no such island: all are drawn"
