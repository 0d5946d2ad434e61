"""Objects that ask for finer or coarser cells: added, chosen, built, followed by Live, undone."""

from __future__ import annotations

from typing import Any

import pytest

from tests.blender.drawn_panels import Drawn
from tests.blender.scenes import add_plane


@pytest.fixture
def level(bpy: Any) -> Any:
    """A plain of 24 m with a setup in tiles of 32 cells of 30 cm, and a volume near one corner."""
    add_plane(bpy, size=24)
    bpy.ops.navmesh.setup_add()
    setup = bpy.context.scene.navmesh.setups[0]
    setup.cell_size, setup.tile_size = 0.3, 32
    bpy.context.scene.cursor.location = (-9, -9.7, 0)
    assert bpy.ops.navmesh.add_helper(kind="RESOLUTION") == {"FINISHED"}
    bpy.context.object.scale = (2, 2, 1)
    bpy.context.view_layer.update()
    return bpy


def built(bpy: Any, addon: Any) -> Any:
    assert bpy.ops.navmesh.build(scope="VISIBLE") == {"FINISHED"}
    return addon("builds.finished_navmeshes").find(bpy.data.objects["Navmesh"]["navmesh_build"]).navmesh


def scales(navmesh: Any) -> list[float]:
    return [navmesh.tile_grid.scale_of(tile.key) for tile in navmesh.tiles]


@pytest.mark.parametrize(("choice", "scale"), [("QUARTER", 0.25), ("HALF", 0.5), ("DOUBLE", 2.0)])
def test_tiles_that_it_touches_have_such_cells(level: Any, addon: Any, choice: str, scale: float) -> None:
    level.data.objects["Resolution"].navmesh.resolution = choice
    found = scales(built(level, addon))
    assert found.count(scale) == 1 and set(found) == {1.0, scale}


def test_its_cells_make_a_navmesh_out_of_date(level: Any, addon: Any) -> None:
    built(level, addon)
    why, object_ = addon("watch.out_of_date").out_of_date, level.data.objects["Navmesh"]
    setup, volume = level.context.scene.navmesh.setups[0], level.data.objects["Resolution"]
    assert not why(object_, setup)
    volume.navmesh.resolution = "QUARTER"
    assert why(object_, setup)
    volume.navmesh.resolution = "HALF"
    assert not why(object_, setup)


def test_it_is_no_ground_and_marks_none(level: Any, addon: Any) -> None:
    navmesh = built(level, addon)
    assert {area for tile in navmesh.tiles for area in tile.polygon_mesh.area.tolist()} == {63}
    heights = [value for tile in navmesh.tiles for value in tile.polygon_mesh.vertices[:, 1].tolist()]
    assert max(heights) - min(heights) <= 1


def test_without_tiles_the_build_and_the_panel_say_so(level: Any, draw: Any) -> None:
    setup = level.context.scene.navmesh.setups[0]
    level.context.scene.navmesh.tab = "MARK"
    assert any(text == "Cells 15 cm wide, in whole tiles" for text in drawn(draw))
    setup.tile_size = 0
    assert any("tile_size is 0" in text for text in drawn(draw))
    with pytest.raises(RuntimeError, match="tile_size is 0"):
        level.ops.navmesh.build(scope="VISIBLE")


def test_the_forecast_counts_tiles_of_other_cells(level: Any, addon: Any) -> None:
    """One of nine: its ground, half a tile where the level ends, takes 16 or 4 times as long, or a quarter."""
    setup, volume = level.context.scene.navmesh.setups[0], level.data.objects["Resolution"]
    cells = addon("gather.before_build.other_cells")
    look, seen = addon("gather.before_build.level_forecast").forecast_level, addon("gather.before_build.object_boxes")
    setup.scope, setups = "VISIBLE", addon("stored.setups")
    sources, settings = setups.setup_sources(setup), setups.setup_settings(setup)
    for choice, said, scale in (("QUARTER", "1 finer", 0.25), ("HALF", "1 finer", 0.5), ("DOUBLE", "1 coarser", 2.0)):
        volume.navmesh.resolution = choice
        assert f"in tiles of 32 ({said}), about" in look(level.context, setup).size
        boxes = seen.seen_at_once(level.context, sources)
        whole = boxes.boxes[0]
        counts = cells.other_cells(settings, whole, boxes.boxes, boxes.resolutions)
        assert counts.more == pytest.approx(9.6 * 4.8 * (scale**-2 - 1), rel=1e-5)
    volume.hide_set(True)
    assert "in tiles of 32, about" in look(level.context, setup).size
    volume.hide_set(False)
    setup.tile_size = 33
    volume.navmesh.resolution = "DOUBLE"
    [hint] = [hint for hint in look(level.context, setup).hints if hint.code == "BAD_RESOLUTION"]
    assert hint.name == "Resolution" and "can be halved" in hint.message


def drawn(draw: Any) -> list[str]:
    found: Drawn = draw()
    return [str(text) for text in found.texts]


def test_it_is_added_in_one_step_that_is_undone(level: Any) -> None:
    level.ops.ed.undo_push(message="before")
    assert level.ops.navmesh.add_helper("EXEC_DEFAULT", True, kind="RESOLUTION") == {"FINISHED"}
    assert "Resolution.001" in level.data.objects
    level.ops.ed.undo()
    assert "Resolution.001" not in level.data.objects and "Resolution" in level.data.objects
