"""Pure writers and readers, one file per format, and the table of output endings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import BadInput
from .atomic import check_folder, write_whole
from .json_mesh import json_bytes
from .obj import obj_bytes

if TYPE_CHECKING:
    from ..navmesh import NavMesh
    from ..settings import Settings


def _at_once(content: Callable[[NavMesh], bytes]) -> Callable[[NavMesh, Path], None]:
    """A writer of a format whose file is made in memory."""
    return lambda navmesh, path: write_whole(path, content(navmesh))


def _write_mset(navmesh: NavMesh, path: Path) -> None:
    from .mset import write_mset  # here, so that only those who write it wait for its kernels

    write_mset(navmesh, path)


WRITERS: Mapping[str, Callable[[NavMesh, Path], None]] = {
    ".bin": _write_mset,
    ".obj": _at_once(obj_bytes),
    ".json": _at_once(json_bytes),
}
"""Ending → the function that writes the file, completely or not at all."""


def holds_detour_data(path: Path) -> bool:
    """Whether a file of this name has the limits of Detour, which `build_navmesh(…, detour_data=True)` keeps."""
    return path.suffix.lower() == ".bin"


def check_output(path: Path, settings: Settings | None = None) -> None:
    """Refuse, before anything is built, an output that could not be written afterwards."""
    if path.suffix.lower() not in WRITERS:
        raise BadInput(f"{path.name}: unknown ending. Navmeshes are written as {', '.join(WRITERS)}.", "UNKNOWN_FORMAT")
    check_folder(path)
    if settings is not None and holds_detour_data(path):
        from ..detour.limits import check_settings

        check_settings(settings)


def write_navmesh(navmesh: NavMesh, path: Path) -> None:
    """Write the format of the path's ending, completely or not at all."""
    check_output(path)
    WRITERS[path.suffix.lower()](navmesh, path)
