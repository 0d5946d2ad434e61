"""What the panel says below its button: always as high, so that nothing moves. The rest is in a popover."""

from __future__ import annotations

from typing import NamedTuple

import bpy

from ....navcore.compile_ahead import starter
from ....navcore.errors import NavmeshError
from ...blender_types import Icon, layout_of, scene_of
from ...gather.before_build.hints_and_fixes import Fix, Hint
from ...kept_value import KeptValue
from ...objects.built_from import values_beside_setup
from ...objects.navmesh_objects import navmesh_of_setup
from ...stored.setting_properties import title
from ...stored.setup_properties import NavmeshSetup
from ...stored.setups import shown_setup
from .. import checks_before_build, refused_build
from ..progress_display import compiling_in_words
from .sidebar_panel import PopoverPanel, beside, draw_fix, draw_hints, draw_lines, draw_page_button, draw_text

_MEANWHILE = "Meanwhile set the agent, and mark areas and links: Build waits for what it needs"
_furthest = KeptValue(0.0)  # how far compiling was shown to be: several processes report, and the bar never goes back


class Notice(NamedTuple):
    """What is said in the fixed place."""

    text: str = ""
    icon: Icon = "BLANK1"
    hint: Hint | None = None
    compiled: float | None = None  # a part of all kernels


def current_notice(scene: bpy.types.Scene) -> Notice:
    """The most important thing to say now: why nothing was built, what is waited for, what looks wrong."""
    refused, compiled = refused_build.shown(scene), _compiled()
    if refused is not None:
        return Notice(refused.message, "ERROR", refused)
    if compiled is not None:
        return Notice(_MEANWHILE, "INFO", None, compiled)
    hints = hints_now(scene)
    if hints:
        return Notice(hints[0].message, "ERROR", hints[0])
    return Notice()


def hints_now(scene: bpy.types.Scene) -> list[Hint]:
    """Everything that looks wrong, most important first."""
    refused, forecast = refused_build.shown(scene), checks_before_build.latest(scene)
    found = [] if refused is None else [refused]
    found += [hint for hint in (() if forecast is None else forecast.hints) if hint != refused]
    return [*found, *_beside_setup(scene, shown_setup(scene))]


def _beside_setup(scene: bpy.types.Scene, setup: NavmeshSetup) -> list[Hint]:
    """Values that a script or a command gave, and the offer to keep them."""
    object_ = navmesh_of_setup(scene, setup)
    try:
        beside = {} if object_ is None else values_beside_setup(object_, setup)
    except NavmeshError:  # what is damaged is told by who needs it
        return []
    if not beside:
        return []
    names = ", ".join("Only What Seeds Reach" if name == "prune" else title(name) for name in beside)
    keep = Fix("Keep Values in the Setup", "navmesh.setup_keep", (("setup", setup.uid),))
    return [Hint("", f"Built with values that the setup does not have: {names}", "", (keep,))]


def _compiled() -> float | None:
    compiler = starter.current()
    if compiler is None or not compiler.compiles:
        _furthest.forget()
        return None
    _furthest.value = max(_furthest.value, compiler.fraction)
    return _furthest.value


def draw_notice(layout: bpy.types.UILayout, scene: bpy.types.Scene, points: float) -> None:
    """Two lines and the rest in a popover; below them a button that does what they advise, a bar, or their place."""
    notice, hints = current_notice(scene), hints_now(scene)
    text, points, button = beside(layout, 1, points)
    draw_lines(text, notice.text, points, notice.icon)
    button.popover("NAVMESH_PT_checks", text="", icon="ERROR" if hints else "INFO")
    row = layout.row(align=True)
    if notice.compiled is not None:
        row.progress(factor=notice.compiled, text=f"Compiling, once: {notice.compiled:.0%}", type="BAR")
    elif notice.hint is not None and (notice.hint.fixes or notice.hint.name):
        _draw_way_out(row, notice.hint)
    else:
        row.label(text="")


def _draw_way_out(row: bpy.types.UILayout, hint: Hint) -> None:
    """The first fix; the object that it is about; its page."""
    for fix in hint.fixes[:1]:
        draw_fix(row, fix)
    if hint.name:
        text = "" if hint.fixes else hint.name
        row.operator("navmesh.select_object", text=text, icon="RESTRICT_SELECT_OFF").name = hint.name
    draw_page_button(row, hint.code)


class NAVMESH_PT_checks(PopoverPanel, bpy.types.Panel):
    """What can be said before a build, and what looks wrong"""

    bl_idname = "NAVMESH_PT_checks"
    bl_label = "Before the Build"

    def draw(self, context: bpy.types.Context) -> None:
        layout, scene = layout_of(self), scene_of(context)
        forecast = checks_before_build.latest(scene)
        if forecast is not None:
            column = layout.column(align=True)
            size = " ".join(filter(None, (forecast.size, compiling_in_words())))
            for line in (*forecast.effective, size, forecast.looked):
                if line:
                    draw_text(column, line, PopoverPanel.room())
        draw_hints(layout, hints_now(scene), PopoverPanel.room())
        layout.operator("navmesh.check", icon="VIEWZOOM")


unregister = _furthest.forget
