"""Panels drawn into a layout that writes down what it is asked for."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any


class Layout:
    """Takes part of UILayout's calls and remembers the texts."""

    def __init__(self, texts: list[str], operators: list[tuple[str, Any]]) -> None:
        self.texts, self.operators = texts, operators

    def _inner(self, *_: Any, **__: Any) -> Layout:
        return Layout(self.texts, self.operators)

    row = column = split = box = grid_flow = _inner

    def label(self, text: str = "", **_: Any) -> None:
        self.texts.append(text)

    def prop(self, owner: Any, name: str, **_: Any) -> None:
        assert hasattr(owner, name), f"{owner} has no {name}"
        self.texts.append(name)

    def operator(self, idname: str, text: str = "", **_: Any) -> Any:
        properties = SimpleNamespace()
        self.operators.append((idname, properties))
        self.texts.append(text)
        return properties

    def prop_search(self, owner: Any, name: str, *_: Any, **__: Any) -> None:
        self.prop(owner, name)

    def prop_enum(self, owner: Any, name: str, value: str) -> None:
        self.texts.append(owner.bl_rna.properties[name].enum_items[value].name)

    def menu(self, idname: str, text: str = "", **__: Any) -> None:
        self.texts.append(text or idname)

    def progress(self, factor: float, text: str = "", **_: Any) -> None:
        assert 0 <= factor <= 1
        self.texts.append(text)

    def popover(self, panel: str, text: str = "", **__: Any) -> None:
        self.texts.append(text or panel)

    def prop_menu_enum(self, owner: Any, name: str, text: str = "", **__: Any) -> None:
        assert hasattr(owner, name), f"{owner} has no {name}"
        self.texts.append(text or name)

    def template_list(self, *_: Any, **__: Any) -> None: ...

    def separator(self) -> None: ...


class Drawn:
    def __init__(self) -> None:
        self.texts: list[str] = []
        self.operators: list[tuple[str, Any]] = []

    @property
    def text(self) -> str:
        return "\n".join(self.texts)

    def operator_names(self) -> list[str]:
        return [name for name, _ in self.operators]


TABS = ("BUILD", "MARK", "TEST")


def draw_panels(bpy: Any, addon: Any, *tabs: str) -> Drawn:
    """Every panel of ours that Blender would show on these tabs, or on any, and every popover."""
    drawn = Drawn()
    bpy.context.view_layer.update()
    modules = [name for name in addon("registration").MODULES if name.startswith("interface.panels.")]
    classes = [
        cls
        for name in modules
        for cls in addon("registration").classes_of(addon(name))
        if issubclass(cls, bpy.types.Panel)
    ]
    looked_at = bpy.context.scene.navmesh.tab
    for tab in tabs or TABS:
        bpy.context.scene.navmesh.tab = tab
        for cls in classes:
            if hasattr(cls, "tab") and is_shown(cls, bpy):
                _draw(cls, bpy, drawn)
    bpy.context.scene.navmesh.tab = looked_at
    for cls in () if tabs else classes:
        if not hasattr(cls, "tab") and (not hasattr(cls, "poll") or cls.poll(bpy.context)):
            _draw(cls, bpy, drawn)
    return drawn


def is_shown(cls: Any, bpy: Any) -> bool:
    """As Blender asks: where a panel is not shown, none in it is."""
    parent = getattr(bpy.types, getattr(cls, "bl_parent_id", ""), None)
    return (parent is None or is_shown(parent, bpy)) and (not hasattr(cls, "poll") or bool(cls.poll(bpy.context)))


def _draw(cls: Any, bpy: Any, drawn: Drawn) -> None:
    panel = SimpleNamespace(layout=Layout(drawn.texts, drawn.operators))
    panel.group = getattr(cls, "group", "")
    if hasattr(cls, "room"):
        panel.room = cls.room
    cls.draw(panel, bpy.context)
