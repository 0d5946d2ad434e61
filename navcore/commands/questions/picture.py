"""`navcore picture`: a navmesh seen from above, as a file."""

from __future__ import annotations

import argparse
from pathlib import Path

from ...errors import BadInput, NavmeshError
from ...files.atomic_write import check_folder, write_whole
from ...formats import read_navmesh_file
from ...formats.plain_navmesh import PlainNavmesh
from ...pictures.drawing import Drawing
from ...pictures.plan_view import Plan, plan_view
from ...pictures.png import png_bytes
from ...pictures.svg import svg_bytes
from ..console import write_error
from ..exit_status import DONE, exit_status

_WRITERS = {".svg": svg_bytes, ".png": png_bytes}


def run_picture(arguments: argparse.Namespace) -> int:
    """Draw, and write the picture in one step. Returns the exit status."""
    try:
        check_picture(arguments.output)
        drawing = plan_view(arguments.file.name, plan_of(read_navmesh_file(arguments.file)))
        write_picture(drawing, arguments.output, arguments.width)
    except NavmeshError as refused:
        write_error(f"navcore: {refused.code}: {refused}")
        return exit_status(refused)
    return DONE


def check_picture(path: Path) -> None:
    """Refuse, before anything is computed, a picture that could not be written afterwards."""
    if path.suffix.lower() not in _WRITERS:
        raise BadInput(f"{path.name}: pictures are written as {', '.join(_WRITERS)}.", "UNKNOWN_FORMAT")
    check_folder(path)


def write_picture(drawing: Drawing, path: Path, width: int = 1000) -> None:
    """Write in the format of the ending."""
    write_whole(path, _WRITERS[path.suffix.lower()](drawing, width))


def plan_of(navmesh: PlainNavmesh) -> Plan:
    """What is drawn of a navmesh."""
    names = {number: kind.name for number, kind in navmesh.area_types.items()}
    links = [(link.start, link.end) for link in navmesh.links]
    return Plan(navmesh.vertices, navmesh.first, navmesh.corners, navmesh.neighbors, navmesh.area, links, names)
