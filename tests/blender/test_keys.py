"""Keys in the 3D view come with the extension and go with it. In background mode there are none: this stands in."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest


def test_keys_come_and_go(bpy: Any, addon: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    registration = addon("registration")
    undo: list[Callable[[], object]] = []
    window = SimpleNamespace(app=SimpleNamespace(background=False), context=bpy.context)
    monkeypatch.setattr(registration, "bpy", window)
    monkeypatch.setattr(registration, "_undo", undo)

    def items() -> list[Any]:
        return [item for keymap in bpy.context.window_manager.keyconfigs.addon.keymaps for item in keymap.keymap_items]

    before = len(items())
    for module in ("views.stage_scrubber", "interface.panels.view_panel"):
        registration._add_keys(addon(module).KEYS)
    added = items()[before:]
    assert [(i.idname, i.type, i.value, bool(i.ctrl), bool(i.shift), bool(i.alt)) for i in added] == [
        ("navmesh.view_step", "WHEELDOWNMOUSE", "PRESS", True, True, True),
        ("navmesh.view_step", "WHEELUPMOUSE", "PRESS", True, True, True),
        ("wm.context_toggle", "N", "PRESS", True, False, True),
    ]
    assert [added[0].properties.way, added[1].properties.way] == ["NEXT", "PREVIOUS"]
    assert added[2].properties.data_path == "scene.navmesh.show_navmesh"
    while undo:
        undo.pop()()
    assert len(items()) == before
