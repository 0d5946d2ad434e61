"""How much room Blender's layout leaves for each text of our panels, and which texts would be cut off with “…”.

Blender tells nobody what it cuts. So panels are drawn into a layout that notes what it is asked for, the widths are
divided as Blender divides them, and texts are measured as the interface draws them.
"""

from __future__ import annotations

import importlib
import sys
from types import SimpleNamespace
from typing import Any, NamedTuple

import blf
import bpy

ADDON = "bl_ext.user_default.navmesh.navmesh_addon"
SPLIT = 0.4  # of a line for a property's name, where Blender divides lines by itself
# Points: an icon or an arrow, an icon beside a text, the margins of a button, a field and a text, with which pictures
# show texts whole.
ICON, BESIDE, BUTTON, FIELD, PLAIN = 20, 16, 2, 3, 6


class Text(NamedTuple):
    """A text, what it needs and what it gets, in points."""

    panel: str
    text: str
    needs: float
    gets: float


class Place:
    """Takes UILayout's calls and grows a tree of them."""

    def __init__(self, kind: str = "column", share: float = 0.0, parent: Place | None = None) -> None:
        self.kind, self.share, self.inner = kind, share, []
        self.leaf: tuple[str, float] | None = None
        self.height = 1  # rows
        self.fills = False  # a field without a text of ours: as wide as others
        self.use_property_split = parent is not None and parent.use_property_split
        self.alignment = "EXPAND"

    def _add(self, kind: str, share: float = 0.0) -> Place:
        self.inner.append(Place(kind, share, self))
        return self.inner[-1]

    def _leaf(self, text: str, margins: float) -> None:
        self._add("leaf").leaf = text, _length(text) + margins

    def row(self, *_: Any, **__: Any) -> Place:
        return self._add("row")

    def column(self, **_: Any) -> Place:
        return self._add("column")

    box = column

    def split(self, factor: float, **_: Any) -> Place:
        return self._add("split", factor)

    def grid_flow(self, columns: int = 1, **_: Any) -> Place:
        return self._add("grid", columns)

    def label(self, text: str = "", icon: str = "NONE", **_: Any) -> None:
        self._leaf(text, PLAIN + _icon(icon))

    def progress(self, text: str = "", **_: Any) -> None:
        self._leaf(text, BUTTON)

    def operator(self, idname: str, text: str | None = None, icon: str = "NONE", **_: Any) -> Any:
        group, name = idname.split(".")
        shown = getattr(bpy.types, f"{group.upper()}_OT_{name}").bl_label if text is None else text
        self._leaf(shown, (BUTTON if shown else 0) + _icon(icon))
        return SimpleNamespace()

    def menu(self, idname: str, text: str | None = None, icon: str = "NONE", **_: Any) -> None:
        shown = getattr(bpy.types, idname).bl_label if text is None else text
        self._leaf(shown, (FIELD if shown else 0) + (_icon(icon) or ICON))

    def prop_enum(self, owner: Any, name: str, value: str) -> None:
        self._leaf(owner.bl_rna.properties[name].enum_items[value].name, BUTTON)

    def prop(self, owner: Any, name: str, text: str | None = None, **_: Any) -> None:
        kind = owner.bl_rna.properties[name]
        shown, place = kind.name if text is None else text, self
        if self.use_property_split:
            line = self._add("split", SPLIT)
            line.label("" if kind.type == "BOOLEAN" else shown)
            place = line.row()
        if kind.type == "BOOLEAN":
            place._leaf(shown, ICON + PLAIN)
        elif kind.type == "ENUM" and kind.is_enum_flag:
            for item in kind.enum_items:
                place._leaf(item.name, FIELD)
        elif kind.type == "ENUM":
            place._leaf(max((item.name for item in kind.enum_items), key=_length, default=""), FIELD + ICON)
        else:
            place._leaf("" if self.use_property_split else shown, FIELD)
            place.inner[-1].fills = True

    def popover(self, panel: str, text: str | None = None, icon: str = "NONE", **_: Any) -> None:
        shown = getattr(bpy.types, panel).bl_label if text is None else text
        self._leaf(shown, (FIELD if shown else 0) + (_icon(icon) or ICON))

    def prop_menu_enum(self, owner: Any, name: str, text: str | None = None, **_: Any) -> None:
        self._leaf(owner.bl_rna.properties[name].name if text is None else text, FIELD + ICON)

    def template_list(self, *_: Any, rows: int = 5, **__: Any) -> None:
        self._leaf("", 0)
        self.inner[-1].fills, self.inner[-1].height = True, rows

    def separator(self) -> None: ...

    def rows(self) -> int:
        """How many rows are looked at here: what stands beside each other is one."""
        if self.leaf is not None:
            return self.height
        inner = [place.rows() for place in self.inner]
        if self.kind == "grid":
            return -(-len(inner) // int(self.share))
        return max(inner, default=0) if self.kind in ("row", "split") else sum(inner)

    # --- who gets what

    @property
    def is_small(self) -> bool:
        """Whether there are only icons in it, which are all as wide."""
        if self.fills:
            return False
        return not self.leaf[0] if self.leaf is not None else all(place.is_small for place in self.inner)

    @property
    def needs(self) -> float:
        """How wide it is where nothing bounds it."""
        if self.leaf is not None:
            return self.leaf[1]
        inner = [place.needs for place in self.inner]
        return sum(inner) if self.kind in ("row", "split", "grid") else max(inner, default=0.0)

    def texts(self, width: float) -> list[tuple[str, float, float]]:
        """Every text below here: what it says, needs and gets."""
        if self.leaf is not None:
            return [(*self.leaf, width)] if self.leaf[0] else []
        found = []
        for number, place in enumerate(self.inner):
            found += place.texts(self._width_of(number, place, width))
        return found

    def _width_of(self, number: int, place: Place, width: float) -> float:
        """In a row icons have their width, and others share what is left: Blender looks at their texts only where they
        are to the left or right."""
        if self.kind == "row" and self.alignment != "EXPAND":
            return place.needs
        if self.kind == "row":
            small = [inner for inner in self.inner if inner.is_small]
            return ICON if place.is_small else (width - ICON * len(small)) / (len(self.inner) - len(small))
        if self.kind == "split":
            return width * (self.share if number == 0 else (1 - self.share) / (len(self.inner) - 1))
        return width / self.share if self.kind == "grid" else width


def _icon(icon: str) -> float:
    return 0 if icon == "NONE" else BESIDE


def _length(text: str) -> float:
    """In points, as the interface draws it."""
    preferences = bpy.context.preferences
    scale = preferences.system.ui_scale
    blf.size(0, preferences.ui_styles[0].widget.points * scale)
    return blf.dimensions(0, text)[0] / scale


def panels() -> list[Any]:
    """Every panel of ours, in the order in which they are registered."""
    registration = sys.modules[f"{ADDON}.registration"]
    modules = [importlib.import_module(f"{ADDON}.{name}") for name in registration.MODULES]
    classes = [cls for module in modules for cls in registration.classes_of(module)]
    return [cls for cls in classes if issubclass(cls, bpy.types.Panel)]


def unfold(*names: str) -> None:
    """Let these panels (all, without names) be open when they are first drawn, as clicks on headers leave them."""
    for cls in reversed(panels()):
        bpy.utils.unregister_class(cls)
    for cls in panels():
        if not names or cls.bl_idname in names:
            cls.bl_options = set(getattr(cls, "bl_options", ())) - {"DEFAULT_CLOSED"}
        bpy.utils.register_class(cls)


def shown_panels() -> list[Any]:
    """Those that the sidebar shows on the tab that is chosen, in their order."""
    found = [cls for cls in panels() if cls.bl_space_type == "VIEW_3D" and cls.bl_region_type == "UI"]
    found = [cls for cls in found if not hasattr(cls, "poll") or cls.poll(bpy.context)]
    return sorted(found, key=lambda cls: getattr(cls, "bl_order", 0))


def drawn(cls: Any) -> Place:
    """What a panel asks for."""
    layout = Place()
    cls.draw(SimpleNamespace(layout=layout, group=getattr(cls, "group", "")), bpy.context)
    return layout


def rows_of_tab() -> int:
    """How many rows the tab has before anybody has unfolded anything. Call it with the sidebar's context."""
    count = 0
    for cls in shown_panels():
        options = getattr(cls, "bl_options", ())
        if not getattr(cls, "bl_parent_id", ""):  # what is within a panel comes with it: those are folded
            count += "HIDE_HEADER" not in options
            count += drawn(cls).rows() if "DEFAULT_CLOSED" not in options else 0
    return count


def texts_of_panels(room: float) -> list[Text]:
    """Every text on each tab of the sidebar, where a line has `room` points. Call it with the sidebar's context."""
    found, looked_at = [], bpy.context.scene.navmesh.tab
    for tab in ("BUILD", "MARK", "TEST"):
        bpy.context.scene.navmesh.tab = tab
        for cls in shown_panels():
            layout = drawn(cls)
            layout.label(cls.bl_label, icon="DOWNARROW_HLT")
            found += [Text(cls.bl_idname, *text) for text in layout.texts(room)]
    bpy.context.scene.navmesh.tab = looked_at
    return found


def cut(texts: list[Text]) -> list[Text]:
    """Those that would end with “…”."""
    return [text for text in texts if text.needs > text.gets + 0.5]
