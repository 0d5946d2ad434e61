"""Right after the extension is installed or enabled: navcore's processes compile kernels in the background."""

from __future__ import annotations

import bpy

from ...navcore.compile_ahead.starter import Manner, begin, current
from ..kept_value import KeptValue
from ..operator_types import Acting
from ..redraw import redraw, start_timer, stop_timer

# --- Throw away compiled kernels.


class NAVMESH_OT_forget_kernels(Acting, bpy.types.Operator):
    """Throw away compiled kernels. The next build after a restart compiles them again"""

    bl_idname = "navmesh.forget_kernels"
    bl_label = "Throw Away Compiled Kernels"
    bl_options = {"INTERNAL"}

    def act(self, _context: bpy.types.Context) -> None:
        from .threads_and_kernel_folder import kernel_folder

        folder = kernel_folder()
        if folder is not None:
            import shutil

            shutil.rmtree(folder, ignore_errors=True)
        self.report({"INFO"}, "Compiled kernels were thrown away.")


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
        start_timer(_compile, _FIRST_LOOK, persistent=True)


def unregister() -> None:
    stop_timer(_compile)
