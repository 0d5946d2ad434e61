"""What a mesh file holds."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy.typing as npt

from ..build_warning import BuildWarning
from ..types import U8


class LevelMesh(NamedTuple):
    """A level as a file has it: what `build_navmesh` takes, and what a person should know about the file."""

    vertices: npt.NDArray[Any]  # (V, 3) metres, y up
    triangles: npt.NDArray[Any]  # (T, 3) vertex numbers
    areas: U8 | None = None  # (T,) area ids; None where the file has none and nothing gives any
    warnings: tuple[BuildWarning, ...] = ()
