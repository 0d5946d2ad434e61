"""Progress in the status bar and in the panel, and which parts of Blender are drawn again."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any


def test_both_bars_show_the_same(addon: Any, monkeypatch: Any) -> None:
    """However far the thread has come since the last tick."""
    display = addon("interface.progress_display")
    thread = addon("builds.run_builds").BuildJob([None], addon("builds.request_and_result").Means())
    monkeypatch.setattr(addon("builds.active_build"), "current", lambda: thread)
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


def test_how_long_compiling_takes_is_told(addon: Any, monkeypatch: Any) -> None:
    """“Less than a second” stood there while kernels were compiled for minutes."""
    from types import SimpleNamespace

    display = addon("interface.progress_display")
    compiler = SimpleNamespace(compiles=True, fraction=0.25, began=100.0)
    monkeypatch.setattr(display.starter, "current", lambda: compiler)
    monkeypatch.setattr(display.time, "monotonic", lambda: 160.0)
    assert display.compiling_in_words() == "after compiling, once: about 3 min"
    compiler.fraction = 0.6
    assert display.compiling_in_words() == "after compiling, once: about 40 s"
    compiler.fraction = 0.0
    assert display.compiling_in_words() == "after compiling, once"
    compiler.compiles = False
    assert display.compiling_in_words() == ""
