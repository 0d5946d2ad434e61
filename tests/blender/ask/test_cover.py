"""Cover in Blender: found of the navmesh that is there, kept as empties, written into files, gone with its navmesh."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.blender.drawn_panels import Drawn, Layout
from tests.blender.scenes import CUBE, CUBE_FACES, add_mesh, add_plane

GUIDE = Path(__file__).resolve().parents[3] / "docs/guide/cover.md"


@pytest.fixture
def level(bpy: Any) -> Any:
    """A floor of 20 m, a low wall along x and a high one along y."""
    add_plane(bpy)
    for (wide, deep, high), place in (((3, 0.2, 0.6), (-4, 0, 0.6)), ((0.2, 3, 1.2), (5, 0, 1.2))):
        wall = add_mesh(bpy, "Wall", [(x * wide, y * deep, z * high) for x, y, z in CUBE], CUBE_FACES)
        wall.location = place
    bpy.ops.navmesh.build(scope="VISIBLE", agent_max_climb=0.4)
    return bpy


def empties(bpy: Any) -> list[Any]:
    return [object_ for object_ in bpy.data.objects if object_.get("navmesh_role") == "cover"]


def found_of(level: Any, addon: Any) -> Any:
    return addon("ask.hiding.current_cover").shown_in(level.context.scene)


def test_it_is_what_navcore_finds_of_the_same_level(level: Any, addon: Any) -> None:
    assert level.ops.navmesh.find_cover(spacing=0.5) == {"FINISHED"}
    found = found_of(level, addon)
    built = addon("objects.built_from").finished_navmesh(level.context)
    navcore, sight = addon("cover.find_cover", "navcore"), addon("cover.sight", "navcore")
    wanted = navcore.find_cover(built.navmesh, sight.Sight(built.request.level.vertices, built.request.level.triangles))
    for name in wanted._fields:
        np.testing.assert_array_equal(getattr(found.cover, name), getattr(wanted, name), name)
    assert {"low", "high"} == set(wanted.kind.tolist())
    count, picture = len(wanted.at), found.picture
    assert len(picture.corners) == len(picture.face_colors) == 2 * count
    assert len(picture.lines) == len(picture.line_colors) == count + wanted.lean.sum()
    assert np.isfinite(picture.corners).all() and sum(row.count for row in picture.legend) == count
    wide = level.ops.navmesh.find_cover(spacing=2.0) and len(found_of(level, addon).cover.at)
    assert 0 < wide < count


def test_empties_look_at_what_hides_and_know_what_it_is(level: Any, addon: Any) -> None:
    level.context.scene.unit_settings.scale_length = 1.0
    assert level.ops.navmesh.cover_empties() == {"FINISHED"}
    cover, made = found_of(level, addon).cover, empties(level)
    assert len(made) == len(cover.at) and {o.users_collection[0].name for o in made} == {"Navmesh Cover"}
    by_number = sorted(made, key=lambda o: int(o.name.split()[-1]))
    for object_, at, towards, kind, lean in zip(
        by_number, cover.at, cover.towards, cover.kind, cover.lean, strict=True
    ):
        assert math.dist(object_.matrix_world.translation, (at[0], -at[2], at[1])) < 1e-4
        ahead = object_.matrix_world.to_3x3().col[1]
        assert math.dist(ahead, (towards[0], -towards[2], 0)) < 1e-4
        assert object_["kind"] == kind and (object_["lean_left"], object_["lean_right"]) == tuple(lean)
        assert 0 <= object_["exposure"] <= 1 and object_["height"] >= (0.8 if kind == "low" else 1.6)


def test_a_second_run_replaces_them_and_no_build_takes_them(level: Any, addon: Any) -> None:
    level.ops.navmesh.cover_empties()
    first = len(empties(level))
    level.ops.navmesh.find_cover(spacing=3.0)
    level.ops.navmesh.cover_empties()
    assert 0 < len(empties(level)) < first
    assert [c.name for c in level.data.collections if c.get("navmesh_role") == "cover"] == ["Navmesh Cover"]
    polygons = len(level.data.objects["Navmesh"].data.polygons)
    level.ops.navmesh.build(scope="VISIBLE", agent_max_climb=0.4)
    assert len(level.data.objects["Navmesh"].data.polygons) == polygons
    assert found_of(level, addon) is None  # it was of the navmesh before
    assert len(empties(level)) > 0


def test_undo_takes_empties_back(level: Any) -> None:
    level.ops.navmesh.find_cover()
    level.ops.ed.undo_push(message="Before")
    level.ops.navmesh.cover_empties()
    level.ops.ed.undo_push(message="After")
    assert empties(level)
    level.ops.ed.undo()
    assert not empties(level)


def test_files_say_the_same(level: Any, addon: Any, tmp_path: Path) -> None:
    for ending in ("json", "glb", "tscn"):
        assert level.ops.navmesh.export_cover(filepath=str(tmp_path / f"cover.{ending}")) == {"FINISHED"}
    written = json.loads((tmp_path / "cover.json").read_text())
    assert written == found_of(level, addon).cover.to_mapping()
    assert (tmp_path / "cover.tscn").read_text().count('type="Marker3D"') == len(written["points"])
    with pytest.raises(RuntimeError, match="cover is written to"):
        level.ops.navmesh.export_cover(filepath=str(tmp_path / "cover.obj"))


def test_the_guide_runs(level: Any, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    (example,) = re.findall(r"```python\n(bpy\..*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    exec(example.replace('"cover.tscn"', repr(str(tmp_path / "cover.tscn"))), {"bpy": level})
    assert (tmp_path / "cover.tscn").exists() and empties(level)


def test_units_of_the_scene(bpy: Any, addon: Any) -> None:
    bpy.context.scene.unit_settings.scale_length = 0.01
    add_plane(bpy, size=2000)
    wall = add_mesh(bpy, "Wall", [(x * 300, y * 20, z * 100) for x, y, z in CUBE], CUBE_FACES)
    wall.location = (0, 0, 100)
    bpy.ops.navmesh.build(scope="VISIBLE")
    bpy.ops.navmesh.cover_empties()
    cover, made = found_of(bpy, addon).cover, empties(bpy)
    assert len(made) == len(cover.at) > 10
    assert abs(max(o.location.x for o in made) / 100 - cover.at[:, 0].max()) < 1e-3
    assert made[0].empty_display_size == pytest.approx(30)


def test_the_panel_says_it_and_without_a_navmesh_it_says_what_to_do(level: Any, addon: Any) -> None:
    panel, drawn = addon("interface.panels.view_panel").NAVMESH_PT_drawn, Drawn()
    level.ops.navmesh.find_cover()
    from types import SimpleNamespace

    panel.draw(SimpleNamespace(layout=Layout(drawn.texts, drawn.operators), room=lambda: 300.0), level.context)
    said = addon("ask.hiding.current_cover").in_words(found_of(level, addon).cover)
    assert "places of cover: " in said and said.split(":")[0] in " ".join(drawn.texts)
    assert level.ops.navmesh.hide_cover() == {"FINISHED"} and found_of(level, addon) is None
    level.data.objects.remove(level.data.objects["Navmesh"])
    with pytest.raises(RuntimeError):
        level.ops.navmesh.find_cover()
