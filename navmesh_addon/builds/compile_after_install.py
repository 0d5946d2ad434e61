"""Right after the extension is installed or enabled: navcore's processes compile kernels in the background."""

from __future__ import annotations

import bpy

from ...navcore.compile_ahead.starter import Manner, begin, current
from ..kept_value import KeptValue
from ..redraw import redraw

_FIRST_LOOK, _LOOKS = 0.5, 0.5  # seconds: Blender draws its window first
_UNFELT = Manner(nice=15)  # Blender's window is not to feel it


_has_begun = KeptValue(False)  # since the extension was enabled


def _compile() -> float | None:
    """Every kernel; where all are there this does nothing. Then the panel shows how far it is."""
    from .threads_and_kernel_folder import kernel_folder  # here: Blender's start does not wait for it

    compiler = current()
    if compiler is None and not _has_begun.value:
        _has_begun.value = True
        folder = kernel_folder()
        compiler = begin(folder, manner=_UNFELT) if folder is not None else None
    redraw()
    return _LOOKS if compiler is not None else None


def register() -> None:
    if not bpy.app.background:
        _has_begun.forget()
        bpy.app.timers.register(_compile, first_interval=_FIRST_LOOK, persistent=True)


def unregister() -> None:
    if bpy.app.timers.is_registered(_compile):
        bpy.app.timers.unregister(_compile)
