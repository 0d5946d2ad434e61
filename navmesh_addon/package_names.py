"""Names and folders of this extension: the one place that works them out from where the code lies.

Plain Python, no bpy: the thread that builds asks, too.
"""

from __future__ import annotations

import sys
from pathlib import Path

EXTENSION = __package__.rpartition(".navmesh_addon")[0]  # as Blender knows it, such as bl_ext.user_default.navmesh
FOLDER = Path(__file__).resolve().parent  # holds presets/navmesh


def builder_is_loaded() -> bool:
    """Whether navcore's builder was imported in this Blender: where kernels are kept is settled then."""
    return f"{EXTENSION}.navcore.builder.build_level" in sys.modules
