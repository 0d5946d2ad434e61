"""What the panels of our tab in the sidebar of the 3D view have in common."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import blf
import bpy

from ...blender_types import Icon, not_none
from ...gather.before_build.hints_and_fixes import Fix, Hint
from ...kept_value import KeptValue
from ...operator_types import Acting, PanelPart
from ...redraw import TAB
from ...stored.setups import scene_properties
from ...stored.view_properties import BUILD

# --- Sentences in a panel: labels do not wrap, so every line is one of its own, as long as there is room for it.

_BESIDE = 56.0  # points for the tabs, and for the margins of panel and label
_ICON = 26.0  # points for an icon and the gaps around it
_MARGINS = 6.0  # points that Blender keeps free beside a label's text
_MIN_ROOM = 60.0  # points of room, in a sidebar dragged almost shut
_FONT = 0  # the interface's own
_BUTTON_PART = 0.11  # of a line's width, for a button with an icon
_SPARE = 12.0  # points that Blender leaves a text in a part of a line less than that part is wide
_UNIT, _POPOVER_MARGINS = 20.0, 34.0  # points: a unit of width, and what a popover keeps free


def room(context: bpy.types.Context) -> float:
    """Points that a line of text has in the panel being drawn, whatever the display's scale and the panel's zoom."""
    region = context.region
    if region is None or region.width < 2:  # nothing is seen of it
        return math.inf
    left, right = (region.view2d.region_to_view(x, 0)[0] for x in (0, region.width))
    return max(_MIN_ROOM, (right - left) / _pixels_per_point() - _BESIDE)


def wrapped(text: str, points: float) -> list[str]:
    """The lines of a sentence, none of which is longer than that; a word that is gets divided."""
    lines = [""]
    for word in text.split():
        for piece in _pieces(word, points):
            longer = f"{lines[-1]} {piece}".strip()
            if lines[-1] and _length(longer) > points:
                lines.append(piece)
            else:
                lines[-1] = longer
    return lines


def draw_text(layout: bpy.types.UILayout, text: str, points: float, icon: Icon = "NONE") -> None:
    """A sentence on as many lines as it needs."""
    column = layout.column(align=True)
    column.scale_y = 0.8
    for line in wrapped(text, points - (_ICON if icon != "NONE" else _MARGINS)):
        column.label(text=line, icon=icon)
        icon = "BLANK1" if icon != "NONE" else "NONE"


def beside(
    layout: bpy.types.UILayout, buttons: int, points: float
) -> tuple[bpy.types.UILayout, float, bpy.types.UILayout]:
    """A place for a text, the points that it has there, and a place for so many icons: they stay where they are,
    however long the text is."""
    row = layout.split(factor=1 - buttons * _BUTTON_PART, align=True)
    return row.column(align=True), points - buttons * PAGE_BUTTON - _SPARE, row.row(align=True)


def draw_lines(layout: bpy.types.UILayout, text: str, points: float, icon: Icon = "BLANK1", count: int = 2) -> None:
    """The beginning of a sentence on so many lines, also where it needs fewer: nothing below them moves."""
    column = layout.column(align=True)
    column.scale_y = 0.8 if count > 1 else 1.0
    lines = wrapped(text, points - _ICON)
    if len(lines) > count:
        lines = [*lines[: count - 1], _shortened(" ".join(lines[count - 1 :]), points - _ICON)]
    for line in [*lines, *[""] * (count - len(lines))]:
        column.label(text=line, icon=icon)
        icon = "BLANK1"


def whole_parts(text: str, points: float, last: re.Pattern[str]) -> str:
    """As many parts of a line, beside an icon, as there is room for; `last` finds the one to go first."""
    while len(wrapped(text, points - _ICON)) > 1 and (fewer := last.sub("", text)) != text:
        text = fewer
    return text


def with_name(forms: Sequence[tuple[str, str]], name: str, points: float) -> str:
    """The first of some texts around a name that there is room for, else the last with a part of the name: of long
    texts Blender would cut out the middle, whatever stands there."""
    whole = next((text for before, after in forms if _length(text := before + name + after) <= points), None)
    if whole is not None:
        return whole
    before, after = forms[-1]
    parts = (f"{before}{name[:end]}…{after}" for end in range(len(name) - 1, 0, -1))
    return next((text for text in parts if _length(text) <= points), f"{before}{name[:1]}…{after}")


def _shortened(text: str, points: float) -> str:
    """Its first words, and that there are more."""
    words = text.split()
    fits = next((n for n in range(len(words), 0, -1) if _length(" ".join([*words[:n], "…"])) <= points), 1)
    return " ".join([*words[:fits], "…"]) if fits < len(words) else text


def _pieces(word: str, points: float) -> list[str]:
    """A word, in pieces where it is too long for a line: names of objects may be."""
    pieces = [word]
    while _length(pieces[-1]) > points and len(pieces[-1]) > 1:
        last = pieces.pop()
        fits = max(1, next((n for n in range(len(last) - 1, 0, -1) if _length(last[:n]) <= points), 1))
        pieces += [last[:fits], last[fits:]]
    return pieces


def _length(text: str) -> float:
    """In points, as the interface draws it."""
    preferences = not_none(bpy.context.preferences)
    pixels = _pixels_per_point()
    blf.size(_FONT, preferences.ui_styles[0].widget.points * pixels)
    size: Any = blf.dimensions(_FONT, text)  # the stubs say that it returns nothing
    return float(size[0]) / pixels


def _pixels_per_point() -> float:
    preferences = not_none(bpy.context.preferences)
    return float(preferences.system.ui_scale) or 1.0  # 0 without a window


MAX_LINES = 12
FEW = 8  # lines of a list that can be made longer
PAGE_BUTTON = 24.0  # points for the button that opens a page
# Parts of a line's width for names. Blender's own 0.4 cuts long ones off where the sidebar is as wide as usual.
LONG_NAMES, SHORT_NAMES = 0.55, 0.4


class SidebarPanel(PanelPart):
    """Where every panel of ours stands: in our tab of the sidebar, and there in one of three."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = TAB
    tab = BUILD

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        scene = context.scene
        return scene is not None and scene_properties(scene).tab == cls.tab and cls.has_something(context)

    @classmethod
    def has_something(cls, _context: bpy.types.Context) -> bool:
        """Whether there is something to show."""
        return True


class PopoverPanel(PanelPart):
    """What opens over the sidebar, and closes when the mouse leaves it."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "HEADER"
    bl_ui_units_x = 16

    @classmethod
    def room(cls) -> float:
        """Points that a line of text has."""
        return cls.bl_ui_units_x * _UNIT - _POPOVER_MARGINS


class ListingMore(Acting):
    """The last line of a list in a panel."""

    bl_label = "More"
    bl_options = {"INTERNAL"}
    shown: KeptValue[int]  # how many lines the panel lists

    def act(self, _context: bpy.types.Context) -> None:
        self.shown.value *= 4

    @classmethod
    def draw_rest(cls, layout: bpy.types.UILayout, count: int) -> None:
        """Where there are more."""
        if count > cls.shown.value:
            layout.operator(cls.bl_idname, text=f"{count - cls.shown.value:,} more…")


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
            draw_fix(box, fix)
    if len(hints) > MAX_LINES:
        column.label(text=f"… and {len(hints) - MAX_LINES:,} more")


def draw_fix(layout: bpy.types.UILayout, fix: Fix) -> None:
    """The button that does what a hint advises."""
    button = layout.operator(fix.operator, text=fix.label)
    for name, value in fix.arguments:
        setattr(button, name, value)


def draw_page_button(row: bpy.types.UILayout, code: str) -> None:
    """Opens the page of an error, a warning or a hint; nothing for a code of another version."""
    from ....navcore.codes import page_of  # here: Blender's start does not wait for it

    if (page := page_of(code)) is not None:
        button = row.operator("wm.url_open", text="", icon="URL", emboss=False)
        button.url = page
