"""Progress in the status bar and in the panel. Both show what was seen of the build at the last tick, so they agree."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

import bpy

from ...navcore.compile_ahead import starter
from ..blender_types import layout_of
from ..builds import active_build
from ..builds.level_gathering import LevelGathering
from ..kept_value import KeptValue
from ..redraw import redraw

if TYPE_CHECKING:
    from ..builds.run_builds import BuildJob

FIRST_TIME = 4.0  # seconds in one stage after which we say why
_TELLS = 0.03  # of all kernels: from so many on the rest can be told
_MINUTES = 90  # seconds: longer times are told in minutes
PAUSE = 0.2  # seconds between two drawings while a level is gathered: drawing would take longer than gathering


class ShownProgress(NamedTuple):
    """What both bars show."""

    fraction: float = 0.0  # in whole hundredths: what the text says, and no redraw for less
    text: str = ""
    why: str = ""  # it takes long
    unit: str = ""  # of what the text counts, where there is room for it


_shown = KeptValue(ShownProgress())
_drawn = KeptValue(-PAUSE)  # when it was drawn last


def show(context: bpy.types.Context) -> None:
    """A build begins."""
    _shown.forget()
    _drawn.forget()
    update(context)


def update(context: bpy.types.Context) -> None:
    """A build goes on: draw it again where there is something new to see."""
    work = active_build.current()
    if work is None or (now := look(work)) == _shown.value:
        return
    if isinstance(work, LevelGathering) and time.monotonic() < _drawn.value + PAUSE:
        return
    _shown.value, _drawn.value = now, time.monotonic()
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
    return _shown.value


def look(work: LevelGathering | BuildJob) -> ShownProgress:
    """How far the build is."""
    fraction = round(work.fraction, 2)
    if isinstance(work, LevelGathering):
        done, total = work.counts
        return ShownProgress(fraction, f"Gathering {done:,} of {total:,}", unit="objects")
    if work.stage == "compiling":
        left = compiling_in_words().rpartition("once: ")[2]
        why = "Compiling the kernels for this computer, once" + (f": {left} left" if left.startswith("about") else "")
        return ShownProgress(fraction, f"Preparing {fraction:.0%}", why)
    if work.stage == "preparing" and work.seconds > FIRST_TIME:
        return ShownProgress(fraction, "Preparing", "The first build compiles the kernels: a minute or two")
    return ShownProgress(fraction, f"{work.stage.capitalize()} {fraction:.0%}")


def compiling_in_words() -> str:
    """How long it takes until all kernels are compiled, which a build may wait for; "" where they are there."""
    compiler = starter.current()
    if compiler is None or not compiler.compiles:
        return ""
    fraction, passed = compiler.fraction, time.monotonic() - compiler.began
    if fraction < _TELLS:
        return "after compiling, once"
    left = passed * (1 - fraction) / fraction
    return f"after compiling, once: about {f'{left / 60:.0f} min' if left >= _MINUTES else f'{left:.0f} s'}"


def _draw_status_bar(header: bpy.types.Header, _context: bpy.types.Context) -> None:
    if active_build.current() is not None:
        now = shown()
        layout = layout_of(header)
        row = layout.row()
        row.ui_units_x = 20
        row.progress(factor=now.fraction, text=f"Navmesh: {now.text} {now.unit}".rstrip(), type="BAR")
        layout.label(text="Cancel", icon="EVENT_ESC")
        if now.why:
            layout.label(text=now.why)
