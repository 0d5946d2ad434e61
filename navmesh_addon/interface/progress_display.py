"""Progress in the status bar and in the panel. Both show what was seen of the build at the last tick, so they agree."""

from __future__ import annotations

from typing import NamedTuple

import bpy

from ..blender_types import layout_of
from ..builds import active_build
from ..builds.build_thread import BuildThread
from ..redraw import redraw

FIRST_TIME = 4.0  # seconds in one stage after which we say why


class ShownProgress(NamedTuple):
    """What both bars show."""

    fraction: float = 0.0  # in whole hundredths: what the text says, and no redraw for less
    text: str = ""
    why: str = ""  # it takes long


_shown = [ShownProgress()]


def show(context: bpy.types.Context) -> None:
    """A build begins."""
    _shown[0] = ShownProgress()
    update(context)


def update(context: bpy.types.Context) -> None:
    """A build goes on: draw it again where there is something new to see."""
    thread = active_build.current()
    if thread is None or (now := look(thread)) == _shown[0]:
        return
    _shown[0] = now
    if context.workspace is not None:
        context.workspace.status_text_set(_draw_status_bar)
    redraw()


def hide(context: bpy.types.Context) -> None:
    """A build has ended, whatever way."""
    if context.workspace is not None:
        context.workspace.status_text_set(None)
    redraw()


def shown() -> ShownProgress:
    """What was seen of the build at the last tick."""
    return _shown[0]


def look(thread: BuildThread) -> ShownProgress:
    """How far the build is."""
    fraction = round(thread.fraction, 2)
    if thread.stage == "compiling":
        return ShownProgress(fraction, f"Preparing {fraction:.0%}", "Compiling the kernels for this computer, once")
    if thread.stage == "preparing" and thread.seconds > FIRST_TIME:
        return ShownProgress(fraction, "Preparing", "The first build compiles the kernels: a minute or two")
    return ShownProgress(fraction, f"{thread.stage.capitalize()} {fraction:.0%}")


def _draw_status_bar(header: bpy.types.Header, _context: bpy.types.Context) -> None:
    if active_build.current() is not None:
        now = shown()
        layout = layout_of(header)
        row = layout.row()
        row.ui_units_x = 20
        row.progress(factor=now.fraction, text=f"Navmesh: {now.text}", type="BAR")
        layout.label(text="Cancel", icon="EVENT_ESC")
        if now.why:
            layout.label(text=now.why)
