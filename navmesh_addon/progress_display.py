"""The progress bar in the status bar, and the redraw of the panel that has one too."""

from __future__ import annotations

from typing import Any

from . import session
from .job import Job

FIRST_TIME = 4.0  # seconds in one stage after which we say why


def show(context: Any) -> None:
    """A build begins."""
    if context.workspace is not None:
        context.workspace.status_text_set(_draw_status_bar)
    context.window_manager.progress_begin(0, 100)
    session.redraw()


def update(context: Any) -> None:
    """A build goes on."""
    job = session.current()
    if job is None:
        return
    context.window_manager.progress_update(100 * job.fraction)
    if context.workspace is not None:
        context.workspace.status_text_set(_draw_status_bar)
    session.redraw()


def hide(context: Any) -> None:
    """A build has ended, whatever way."""
    context.window_manager.progress_end()
    if context.workspace is not None:
        context.workspace.status_text_set(None)
    session.redraw()


def _draw_status_bar(header: Any, _context: Any) -> None:
    job = session.current()
    if job is not None:
        row = header.layout.row()
        row.ui_units_x = 20
        row.progress(factor=job.fraction, text=text(job), type="BAR")
        header.layout.label(text="Cancel", icon="EVENT_ESC")


def text(job: Job) -> str:
    """What the bar says."""
    if job.stage == "preparing" and job.seconds > FIRST_TIME:
        return "Navmesh: preparing; the first build takes a minute or two"
    return f"Navmesh: {job.stage} {job.fraction:.0%}"
