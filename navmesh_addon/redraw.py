"""Drawing again: our tab of the sidebars, or the 3D views; and the timers that look whether there is something new."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import bpy

TAB = "Navmesh"  # of the sidebar of the 3D view


def redraw() -> None:
    """Draw our tab of the sidebars again, and nothing else: the view of a large level is dear to draw."""
    for region in _ours():
        region.tag_redraw()


def redraw_all() -> None:
    """Both."""
    redraw()
    redraw_views()


def redraw_views(*more: str) -> None:
    """Draw the 3D views again, and areas of these other types."""
    for window in bpy.context.window_manager.windows if bpy.context.window_manager else ():
        for area in window.screen.areas:
            if area.type == "VIEW_3D" or area.type in more:
                area.tag_redraw()


def is_shown() -> bool:
    """Whether somebody can see our tab in a window."""
    return any(region.width > 1 for region in _ours())


def _ours() -> Iterator[bpy.types.Region]:
    for window in bpy.context.window_manager.windows if bpy.context.window_manager else ():
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                for region in area.regions:
                    if region.type == "UI" and region.active_panel_category == TAB:
                        yield region


def start_timer(timer: Callable[[], float | None], seconds: float, persistent: bool = False) -> None:
    """Unless it runs already, or there is no window: then none would ever be called."""
    if not bpy.app.background and not bpy.app.timers.is_registered(timer):
        bpy.app.timers.register(timer, first_interval=seconds, persistent=persistent)


def stop_timer(timer: Callable[[], float | None]) -> None:
    """Where it runs."""
    if bpy.app.timers.is_registered(timer):
        bpy.app.timers.unregister(timer)
