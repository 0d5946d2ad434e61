"""The first minutes: everything can be set and built before anything is stored, and nothing is cut off."""

from __future__ import annotations

import math
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest

from tests.blender.scenes import add_cube, add_plane


def test_the_draft_is_what_gets_built_and_stored(bpy: Any, addon: Any) -> None:
    """What was set before the first build becomes the first setup."""
    add_plane(bpy)
    stored = bpy.context.scene.navmesh
    stored.draft.scope, stored.draft.agent_radius, stored.draft.name = "VISIBLE", 1.5, "Ogre"
    stored.draft.color_by, stored.draft.skip_names = "REGION", "*-nope"
    assert len(stored.setups) == 0
    assert bpy.ops.navmesh.build() == {"FINISHED"}
    (setup,) = stored.setups
    assert (setup.name, setup.scope, setup.color_by, setup.skip_names) == ("Ogre", "VISIBLE", "REGION", "*-nope")
    assert addon("stored.setups").setup_settings(setup).agent_radius == 1.5
    assert max(v.co.x for v in bpy.data.objects["Navmesh Ogre"].data.vertices) < 8.6


def test_a_refused_build_leaves_the_draft_alone(bpy: Any) -> None:
    add_plane(bpy)
    stored = bpy.context.scene.navmesh
    stored.draft.scope, stored.draft.cell_size = "VISIBLE", -1.0
    with pytest.raises(RuntimeError, match="cell_size"):
        bpy.ops.navmesh.build()
    assert len(stored.setups) == 0 and stored.draft.cell_size == -1.0


def test_adding_the_first_setup_keeps_what_was_set(bpy: Any, addon: Any) -> None:
    bpy.context.scene.navmesh.draft.agent_height = 3.0
    bpy.ops.navmesh.setup_add()
    bpy.ops.navmesh.setup_add()
    heights = [addon("stored.setups").setup_settings(s).agent_height for s in bpy.context.scene.navmesh.setups]
    assert heights == [3.0, 2.0]


@pytest.mark.parametrize("scale", [0.01, 1.0])
def test_the_draft_speaks_the_scenes_units(bpy: Any, addon: Any, scale: float) -> None:
    """In a scene that counts centimetres, 2 m are 200; also before anything filled the draft in."""
    setups, Settings = addon("stored.setups"), addon("settings", "navcore").Settings  # noqa: N806 - a class
    scene = bpy.context.scene
    scene.unit_settings.scale_length = scale
    assert setups.setup_settings(scene.navmesh.draft) == Settings()
    scene.navmesh.draft.agent_radius = 0.5 / scale
    setups.fill_draft(scene)
    assert scene.navmesh.draft.agent_height == pytest.approx(2 / scale)
    assert setups.setup_settings(scene.navmesh.draft) == Settings(agent_radius=0.5)


def test_nothing_selected_is_said_before_the_build(bpy: Any, addon: Any) -> None:
    add_plane(bpy)
    forecast_level, draft = addon("gather.level_forecast").forecast_level, bpy.context.scene.navmesh.draft
    assert [(h.code, h.message[:19]) for h in forecast_level(bpy.context, draft).hints] == [
        ("NO_TRIANGLES", "Nothing is selected")
    ]
    add_cube(bpy, "Rock-noimp").select_set(True)
    (hint,) = forecast_level(bpy.context, draft).hints
    assert "“Rock-noimp”" in hint.message and "*-noimp" in hint.message


# ----------------------------------------------------------------- room for text


def region(width: float, zoom: float = 1.0) -> Any:
    """What a sidebar of this many pixels looks like to a panel."""
    view = SimpleNamespace(region_to_view=lambda x, _y: (x / zoom, 0.0))
    return SimpleNamespace(region=SimpleNamespace(width=width, view2d=view))


def test_sentences_are_wrapped_to_the_room_there_is(addon: Any) -> None:
    sentences = addon("interface.panels.wrapped_text")
    text = "The grid would be 41,200 × 38,900 cells (limit 30 million). Raise Cell Size to 0.36 m, use tiles."
    for points in (60, 120, 200, 400):
        lines = sentences.wrapped(text, points)
        assert " ".join(lines) == text
        assert all(sentences._length(line) <= points for line in lines)
        assert all(sentences._length(f"{a} {b.split()[0]}") > points for a, b in pairwise(lines))
    assert sentences.wrapped(text, math.inf) == [text]


def test_a_name_longer_than_the_room_is_divided(addon: Any) -> None:
    sentences = addon("interface.panels.wrapped_text")
    name = "SM_" + "Environment" * 8
    lines = sentences.wrapped(f"“{name}”: left out", 100)
    assert "".join(lines).replace(" ", "") == f"“{name}”:leftout"
    assert all(sentences._length(line) <= 100 for line in lines)
    assert sentences.wrapped("", 100) == [""]


def test_room_follows_width_and_zoom(addon: Any) -> None:
    sentences = addon("interface.panels.wrapped_text")
    usual = sentences.room(region(280))
    assert usual == 280 - sentences._BESIDE
    assert sentences.room(region(560)) > 2 * usual
    assert sentences.room(region(560, zoom=2)) == usual
    assert sentences.room(region(30)) == sentences._LEAST
    assert sentences.room(SimpleNamespace(region=None)) == math.inf


def test_both_bars_show_the_same(addon: Any, monkeypatch: Any) -> None:
    """However far the thread has come since the last tick."""
    display = addon("interface.progress_display")
    thread = addon("build.build_thread").BuildThread([None], addon("build.request_and_result").Means())
    monkeypatch.setattr(addon("build.running_build"), "current", lambda: thread)
    texts: list[str] = []
    thread.show_progress(0, "rasterize", 0.254)
    context = SimpleNamespace(workspace=SimpleNamespace(status_text_set=texts.append))
    display.show(context)
    thread.show_progress(0, "regions", 0.9)
    header = SimpleNamespace(layout=Recorder(texts))
    display._draw_status_bar(header, None)
    assert texts[1:] == [f"Navmesh: {display.shown().text}", "Cancel"] and display.shown()[:2] == (
        0.25,
        "Rasterize 25%",
    )
    redraws: list[int] = []
    monkeypatch.setattr(display, "redraw", lambda: redraws.append(1))
    for fraction in (0.901, 0.902, 0.903, 0.95):
        thread.show_progress(0, "regions", fraction)
        display.update(context)
    assert len(redraws) == 2, "what shows the same is not drawn again"


class Recorder:
    """A layout of the status bar."""

    def __init__(self, texts: list[str]) -> None:
        self.texts, self.ui_units_x = texts, 0.0

    def row(self) -> Recorder:
        return self

    def progress(self, factor: float, text: str, **_: Any) -> None:
        assert 0 <= factor <= 1
        self.texts.append(text)

    def label(self, text: str, **_: Any) -> None:
        self.texts.append(text)


def test_only_our_tab_is_drawn_again(addon: Any, monkeypatch: Any) -> None:
    """A view of a large level is dear to draw."""
    redraw = addon("redraw")
    drawn: list[str] = []

    def fake(kind: str, tab: str = "UNSUPPORTED") -> Any:
        return SimpleNamespace(type=kind, active_panel_category=tab, tag_redraw=lambda: drawn.append(f"{kind} {tab}"))

    views = [SimpleNamespace(type="VIEW_3D", regions=[fake("WINDOW"), fake("HEADER"), fake("UI", "Navmesh")])]
    views += [SimpleNamespace(type="VIEW_3D", regions=[fake("UI", "Item")])]
    views += [SimpleNamespace(type="OUTLINER", regions=[fake("UI", "Navmesh")])]
    window = SimpleNamespace(screen=SimpleNamespace(areas=views))
    context = SimpleNamespace(window_manager=SimpleNamespace(windows=[window]))
    monkeypatch.setattr(redraw, "bpy", SimpleNamespace(context=context))
    redraw.redraw()
    assert drawn == ["UI Navmesh"]
