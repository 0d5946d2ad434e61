"""Throw away compiled kernels."""

from __future__ import annotations

import bpy

from ..operator_types import Answer


class NAVMESH_OT_forget_kernels(bpy.types.Operator):
    """Throw away compiled kernels. The next build after a restart compiles them again"""

    bl_idname = "navmesh.forget_kernels"
    bl_label = "Throw Away Compiled Kernels"
    bl_options = {"INTERNAL"}

    def execute(self, _context: bpy.types.Context) -> Answer:
        from ..builds.threads_and_kernel_folder import kernel_folder

        folder = kernel_folder()
        if folder is not None:
            import shutil

            shutil.rmtree(folder, ignore_errors=True)
        self.report({"INFO"}, "Compiled kernels were thrown away.")
        return {"FINISHED"}


CLASSES = (NAVMESH_OT_forget_kernels,)
