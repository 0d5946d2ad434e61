"""What the panels of our tab in the sidebar of the 3D view have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import bpy

from ...gather.before_build.hints_and_fixes import Hint
from ...redraw import TAB
from .wrapped_text import draw_text

MAX_LINES = 12
PAGE_BUTTON = 24.0  # points for the button that opens a page
# Parts of a line's width for names. Blender's own 0.4 cuts long ones off where the sidebar is as wide as usual.
LONG_NAMES, SHORT_NAMES = 0.55, 0.4

if TYPE_CHECKING:
    _Panel = bpy.types.Panel
else:
    _Panel = object  # Blender's own class comes last, in the classes that it registers


class SidebarPanel(_Panel):
    """Where every panel of ours stands."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = TAB


def draw_named(layout: bpy.types.UILayout, owner: bpy.types.bpy_struct, name: str, part: float = SHORT_NAMES) -> None:
    """A property behind its name."""
    named_line(layout, owner.bl_rna.properties[name].name, part).prop(owner, name, text="")


def named_line(layout: bpy.types.UILayout, name: str, part: float = SHORT_NAMES) -> bpy.types.UILayout:
    """A line that begins with a name; returns the place for what it names."""
    split = layout.split(factor=part, align=True)
    left = split.row()
    left.alignment = "RIGHT"
    left.label(text=name)
    return split.row(align=True)


def draw_hints(layout: bpy.types.UILayout, hints: Sequence[Hint], points: float) -> None:
    """Warnings; a click selects the object that one names, and the buttons below do what it advises."""
    column = layout.column()
    for hint in hints[:MAX_LINES]:
        box = column.column(align=True)
        if hint.name:
            row = box.row()
            row.alignment = "LEFT"
            button = row.operator("navmesh.select_object", text=hint.name, icon="RESTRICT_SELECT_OFF", emboss=False)
            button.name = hint.name
        row = box.row()
        draw_text(row, hint.message, points - PAGE_BUTTON, "ERROR")
        draw_page_button(row, hint.code)
        for fix in hint.fixes:
            button = box.operator(fix.operator, text=fix.label)
            for name, value in fix.arguments:
                setattr(button, name, value)
    if len(hints) > MAX_LINES:
        column.label(text=f"… and {len(hints) - MAX_LINES:,} more")


def draw_page_button(row: bpy.types.UILayout, code: str) -> None:
    """Opens the page of an error, a warning or a hint; nothing for a code of another version."""
    from ....navcore.codes import page_of  # here: Blender's start does not wait for it

    if (page := page_of(code)) is not None:
        button = row.operator("wm.url_open", text="", icon="URL", emboss=False)
        button.url = page
