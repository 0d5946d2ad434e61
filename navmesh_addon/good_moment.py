"""Whether it is a good moment to look at the level or to write: not while Blender renders, plays or is in an operator.

All that waits asks here, so that what has to be waited for is said once.
"""

from __future__ import annotations

from enum import Enum

import bpy


class Hindrance(Enum):
    """What has to end first."""

    NO_SCENE = "no scene"
    RENDERING = "rendering"
    PLAYING = "an animation plays"


def hindrance(context: bpy.types.Context) -> Hindrance | None:
    """Why this is no good moment to look at the level; None where it is one."""
    if context.scene is None or context.view_layer is None:
        return Hindrance.NO_SCENE
    if is_rendering():
        return Hindrance.RENDERING
    if context.screen is not None and context.screen.is_animation_playing:
        return Hindrance.PLAYING
    return None


def is_rendering() -> bool:
    """Whether something renders: nothing may be written into the scene."""
    renders: object = bpy.app.is_job_running("RENDER")  # the stubs say that it returns nothing
    return bool(renders)


def is_dragging(context: bpy.types.Context) -> bool:
    """Whether somebody is in the middle of something: a modal operator runs, which moves objects, say."""
    manager = context.window_manager
    return manager is not None and any(len(window.modal_operators) for window in manager.windows)
