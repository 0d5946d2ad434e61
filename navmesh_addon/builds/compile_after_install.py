"""When Blender has kernels compiled, and how: navcore's processes do it. Nothing here may touch bpy."""

from __future__ import annotations

from pathlib import Path

from ...navcore.compile_ahead.starter import CompilerProcesses, Manner, begin

_UNFELT = Manner(nice=15)  # Blender's window is not to feel it
_FINISHED = Manner(to_the_end=True)  # a script's Blender waits for them before it ends: the next must not begin anew


def begin_in_window(folder: Path) -> CompilerProcesses | None:
    """Right after enabling: every kernel. Where all are there this does nothing."""
    return begin(folder, manner=_UNFELT)


def begin_for_script(folder: Path) -> CompilerProcesses | None:
    """Where nothing goes on but the build, which waits for what it needs."""
    return begin(folder, whole=False, manner=_FINISHED)
