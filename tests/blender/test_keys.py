"""Keys in the 3D view come with the extension and go with it. In background mode there are none: this stands in."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from pathlib import Path
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
    for module in ("views.stage_scrubber", "interface.helpers.pie_menu"):
        registration._add_keys(addon(module).KEYS)
    added = items()[before:]
    assert [(i.idname, i.type, i.value, bool(i.ctrl), bool(i.shift), bool(i.alt)) for i in added] == [
        ("navmesh.view_step", "WHEELDOWNMOUSE", "PRESS", True, True, True),
        ("navmesh.view_step", "WHEELUPMOUSE", "PRESS", True, True, True),
        ("wm.call_menu_pie", "N", "PRESS", False, True, True),
        ("navmesh.toggle_overlay", "N", "PRESS", True, False, True),
    ]
    assert [added[0].properties.way, added[1].properties.way] == ["NEXT", "PREVIOUS"]
    assert added[2].properties.name == "NAVMESH_MT_pie"
    assert [bpy.types.NAVMESH_MT_pie.bl_label, added[3].name] == ["Navmesh Pie", "Show or Hide Navmesh Overlay"]
    while undo:
        undo.pop()()
    assert len(items()) == before


def keymaps_of(bpy: Any, name: str) -> list[Any]:
    """What one of Blender's own key configurations binds: keymaps with their items."""
    folder = next(Path(bpy.utils.system_resource("SCRIPTS")).glob("presets/keyconfig/keymap_data"))
    spec = importlib.util.spec_from_file_location(name, folder / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return list(
        module.generate_keymaps(module.Params(**({"select_mouse": "LEFT"} if name == "blender_default" else {})))
    )


def bound(keymaps: list[Any]) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Keys that are bound where the mouse is over a 3D view in Object Mode: by operator."""
    for keymap, _, content in keymaps:
        if keymap in (
            "Window",
            "Screen",
            "Screen Editing",
            "View2D",
            "Frames",
            "3D View",
            "3D View Generic",
            "Object Mode",
            "Object Non-modal",
        ):
            for operator, event, _ in content["items"]:
                held = tuple(bool(event.get(key) or event.get("any")) for key in ("ctrl", "shift", "alt"))
                yield operator, (event["type"], *held)


@pytest.mark.parametrize("name", ["blender_default", "industry_compatible_data"])
def test_no_key_of_ours_takes_one_of_blenders(bpy: Any, addon: Any, name: str) -> None:
    theirs = {event: operator for operator, event in bound(keymaps_of(bpy, name))}
    assert len(theirs) > 50, "the configuration was not read"
    ours = addon("interface.helpers.pie_menu").KEYS + addon("views.stage_scrubber").KEYS
    for operator, key, held, _ in ours:
        event = (key, *(held.get(one, False) for one in ("ctrl", "shift", "alt")))
        assert event not in theirs, f"{operator} takes {event} from {theirs[event]}"
