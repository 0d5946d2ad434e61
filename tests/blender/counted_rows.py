"""The sidebar as rows: what stands in which, with panels folded as they begin, but those that somebody unfolded."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from types import SimpleNamespace
from typing import Any, NamedTuple

SIDEBAR = ("VIEW_3D", "UI")


class Row(NamedTuple):
    """One row of the sidebar."""

    holds: tuple[str, ...]  # operators, properties, menus, popovers; "header NAVMESH_PT_…" of a panel


class Noted:
    """Takes UILayout's calls and grows a tree of rows."""

    def __init__(self, kind: str = "column", columns: int = 1) -> None:
        self.kind, self.columns = kind, columns
        self.inner: list[Noted] = []
        self.leaf: tuple[str, int] | None = None

    def _add(self, kind: str, columns: int = 1) -> Noted:
        self.inner.append(Noted(kind, columns))
        return self.inner[-1]

    def _leaf(self, what: str, height: int = 1) -> None:
        self._add("leaf").leaf = what, height

    def row(self, **_: Any) -> Noted:
        return self._add("row")

    def split(self, **_: Any) -> Noted:
        return self._add("row")

    def column(self, **_: Any) -> Noted:
        return self._add("column")

    def box(self) -> Noted:
        return self._add("column")

    def grid_flow(self, columns: int = 1, **_: Any) -> Noted:
        return self._add("grid", columns)

    def label(self, text: str = "", **_: Any) -> None:
        self._leaf(f"“{text}”")

    def prop(self, _owner: Any, name: str, **_: Any) -> None:
        self._leaf(name)

    def prop_enum(self, _owner: Any, name: str, value: str) -> None:
        self._leaf(f"{name}={value}")

    def prop_menu_enum(self, _owner: Any, name: str, **_: Any) -> None:
        self._leaf(name)

    def operator(self, idname: str, **_: Any) -> Any:
        self._leaf(idname)
        return SimpleNamespace()

    def menu(self, idname: str, **_: Any) -> None:
        self._leaf(idname)

    def popover(self, panel: str, **_: Any) -> None:
        self._leaf(panel)

    def progress(self, **_: Any) -> None:
        self._leaf("progress")

    def template_list(self, name: str, *_: Any, rows: int = 5, **__: Any) -> None:
        self._leaf(name, rows)

    def separator(self, **_: Any) -> None: ...

    def rows(self) -> list[Row]:
        """What is looked at from above to below; what stands beside each other is one."""
        if self.leaf is not None:
            return [Row((self.leaf[0],))] * self.leaf[1]
        inner = [place.rows() for place in self.inner]
        if self.kind == "grid":
            cells = [row for rows in inner for row in rows]
            return [joined(cells[k : k + self.columns]) for k in range(0, len(cells), self.columns)]
        if self.kind == "column":
            return [row for rows in inner for row in rows]
        height = max(map(len, inner), default=0)
        return [joined([rows[k] for rows in inner if k < len(rows)]) for k in range(height)]


def joined(rows: list[Row]) -> Row:
    return Row(tuple(what for row in rows for what in row.holds))


def rows_shown(bpy: Any, addon: Any, unfolded: Collection[str] = ()) -> list[Row]:
    """All rows of our tab in the sidebar, in their order."""
    modules = [addon(name) for name in addon("registration").MODULES]
    panels = [
        cls
        for module in modules
        for cls in addon("registration").classes_of(module)
        if issubclass(cls, bpy.types.Panel)
    ]
    shown = [cls for cls in panels if (cls.bl_space_type, cls.bl_region_type) == SIDEBAR]
    shown.sort(key=lambda cls: getattr(cls, "bl_order", 0))
    return list(_of_panels("", shown, bpy, unfolded))


def _of_panels(parent: str, panels: list[Any], bpy: Any, unfolded: Collection[str]) -> Iterator[Row]:
    for cls in panels:
        options = getattr(cls, "bl_options", ())
        if getattr(cls, "bl_parent_id", "") != parent or (hasattr(cls, "poll") and not cls.poll(bpy.context)):
            continue
        if "HIDE_HEADER" not in options:
            yield Row((f"header {cls.bl_idname}",))
        if "DEFAULT_CLOSED" in options and cls.bl_idname not in unfolded:
            continue
        layout = Noted()
        cls.draw(SimpleNamespace(layout=layout, group=getattr(cls, "group", "")), bpy.context)
        yield from layout.rows()
        yield from _of_panels(cls.bl_idname, panels, bpy, unfolded)


def place_of(rows: list[Row], what: str) -> int:
    """Which row holds it, from 1 on."""
    return next(number for number, row in enumerate(rows, 1) if what in row.holds)
