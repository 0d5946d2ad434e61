"""What this Blender builds with: the folder of compiled kernels, and the number of threads."""

from __future__ import annotations

from pathlib import Path

import bpy

from ..package_names import EXTENSION
from ..stored import preferences
from . import run_builds
from .request_and_result import Means


def usual_means() -> Means:
    """What this Blender builds with."""
    seen = 0 if bpy.app.background else preferences.stage_memory()  # without a window nobody looks at stages
    return Means(kernel_folder(), preferences.threads(), seen)


def load_builder() -> None:
    """To be called before anything of navcore that has kernels is loaded: files are read and written by some as well.

    Raises BuilderMissing.
    """
    run_builds.load(kernel_folder())


def kernel_folder() -> Path | None:
    """Where compiled kernels are kept; None leaves it to navcore (we do not run as an extension)."""
    try:
        return Path(bpy.utils.extension_path_user(EXTENSION, path="kernels"))  # made by navcore, for this user alone
    except (ValueError, OSError):
        return None
