"""`navcore picture`: a navmesh, or what a stage makes of a level, seen from above, as a file."""

from __future__ import annotations

import argparse
from pathlib import Path

from ...builder.build_level import build_navmesh
from ...compile_ahead.cold_start import watch_builds
from ...errors import BadInput, NavmeshError
from ...files.atomic_write import check_folder, write_whole
from ...formats import read_navmesh_file
from ...formats.mesh_files import read_mesh
from ...formats.plain_navmesh import PlainNavmesh
from ...pictures.drawing import Drawing
from ...pictures.plan_view import Plan, WideLinkFromAbove, plan_view
from ...pictures.png import png_bytes
from ...pictures.svg import svg_bytes
from ...progress import Progress
from ...scene import Scene
from ...settings import Settings
from ...views.catalog import VIEWS, stage_picture
from ...views.picture import Shown
from ..console import interruptible, write_error, write_out
from ..exit_status import DONE, exit_status
from ..settings_flags import given_settings
from .view_drawing import drawing_of

_WRITERS = {".svg": svg_bytes, ".png": png_bytes}


def run_picture(arguments: argparse.Namespace) -> int:
    """Draw, and write the picture in one step. Returns the exit status."""
    try:
        check_picture(arguments.output)
        drawing = _of_navmesh(arguments) if arguments.view is None else _of_level(arguments)
        write_picture(drawing, arguments.output, arguments.width)
    except NavmeshError as refused:
        write_error(f"navcore: {refused.code}: {refused}")
        return exit_status(refused)
    return DONE


def _of_navmesh(arguments: argparse.Namespace) -> Drawing:
    if given_settings(arguments) or arguments.scene or arguments.variant:
        raise BadInput(
            "Settings, a scene and a variant are for a view of the stages, which --view names. A navmesh is drawn as "
            "it is: leave them out.", "WRONG_QUESTION",
        )  # fmt: skip
    return plan_view(arguments.file.name, plan_of(read_navmesh_file(arguments.file)))


def _of_level(arguments: argparse.Namespace) -> Drawing:
    """Build the level, keep what the stages make, and draw one view of it."""
    settings = Settings.from_mapping(given_settings(arguments))
    scene = Scene.from_file(arguments.scene) if arguments.scene else Scene()
    shown = Shown(arguments.lowest, arguments.highest, arguments.level, variant=arguments.variant)
    progress = Progress()
    watch_builds()
    level = interruptible(lambda: read_mesh(arguments.file, scene, progress=progress), progress.cancel)
    navmesh = interruptible(
        lambda: build_navmesh(
            level.vertices, level.triangles, settings, areas=level.areas, volumes=scene.volumes, links=scene.links,
            area_types=scene.area_types, bounds=scene.bounds, progress=progress, keep_stages=True,
        ), progress.cancel,
    )  # fmt: skip
    picture = stage_picture(navmesh, arguments.view, shown, (level.vertices, level.triangles))
    for note in picture.notes:
        write_out(f"{note}\n")
    return drawing_of(f"{arguments.file.name}: {VIEWS[arguments.view].label}", picture)


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
    given = len(navmesh.links) - sum(len(wide.points) for wide in navmesh.wide_links)
    links = [(link.start, link.end) for link in navmesh.links[:given]]
    wide_links = [WideLinkFromAbove(wide.kind, wide.corners, wide.bidirectional) for wide in navmesh.wide_links]
    return Plan(
        navmesh.vertices, navmesh.first, navmesh.corners, navmesh.neighbors, navmesh.area, links, names, wide_links
    )
