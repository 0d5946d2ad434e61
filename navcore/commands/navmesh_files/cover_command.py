"""`navcore cover`: where somebody can take cover, of a level or of a navmesh on its level, into files of places."""

from __future__ import annotations

import argparse
from typing import NamedTuple

from ...builder.build_level import build_navmesh
from ...compile_ahead.cold_start import watch_builds
from ...cover.find_cover import Cover, find_cover
from ...cover.sight import Sight
from ...detour.reader import NavmeshFile
from ...errors import BadInput
from ...files.atomic_write import check_apart
from ...formats.cover_files import check_cover_file, write_cover
from ...formats.level_mesh import LevelMesh
from ...formats.mesh_files import read_mesh
from ...formats.plain_from_detour import plain_of
from ...formats.read_any import is_navmesh_file, read_navmesh
from ...level_source import LevelSource
from ...pictures.cover_marks import cover_marks
from ...pictures.drawing import Drawing
from ...pictures.plan_view import plan_view
from ...progress import Progress
from ...result.navmesh import NavMesh
from ...settings import Settings
from ..command_flags import given_scene
from ..console import watched, write_error, write_out
from ..exit_status import DONE
from ..one_build import Said, warning_lines
from ..picture_command import PICTURES, level_patches, plan_of, write_picture
from ..progress_line import line_on_terminal
from ..settings_flags import given_axes, given_settings


def run(arguments: argparse.Namespace) -> int:
    """Find cover, write it, and say how much there is. Exit status 0, also where there is none."""
    for output in arguments.outputs:
        check_cover_file(output, tuple(PICTURES))
    check_apart(arguments.outputs, [arguments.file, arguments.level, arguments.scene, arguments.settings])
    progress = Progress(line_on_terminal(arguments.quiet))
    found = watched(lambda: _found(arguments, progress), progress)
    for output in arguments.outputs:
        if output.suffix.lower() in PICTURES:
            write_picture(_drawing(arguments.file.name, found), output)
        else:
            write_cover(found.cover, output)
    if not arguments.quiet:
        write_out(f"{arguments.file.name}: {_line(found.cover)}\n")
    return DONE


class _CoverOnLevel(NamedTuple):
    """Cover, and where it was found."""

    cover: Cover
    navmesh: NavMesh | NavmeshFile
    mesh: LevelMesh


def _found(arguments: argparse.Namespace, progress: Progress) -> _CoverOnLevel:
    scene, settings = given_scene(arguments), given_settings(arguments)
    navmesh: NavMesh | NavmeshFile | None = None
    if arguments.level is not None:
        if settings or arguments.scene is not None:
            asked = [*settings, *([] if arguments.scene is None else ["--scene"])]
            raise BadInput(
                f"What is given ({', '.join(asked)}) is for a navmesh that is built, and {arguments.file.name} is one "
                "already. Leave it out, or give the level alone.",
                "WRONG_QUESTION",
            )
        navmesh = read_navmesh(arguments.file)
    elif is_navmesh_file(arguments.file):
        raise BadInput(
            f"{arguments.file.name} is read as a navmesh, and none holds what stands around it. Give the level that it "
            "was built from with --level.",
            "NEEDS_THE_LEVEL",
        )
    path = arguments.file if arguments.level is None else arguments.level
    mesh = read_mesh(path, scene, progress=progress, **given_axes(arguments)._asdict())
    warnings = list(mesh.warnings)
    if navmesh is None:
        chosen = Settings.from_mapping(settings)
        watch_builds()
        navmesh = build_navmesh(
            LevelSource.of(mesh, scene), settings=chosen, threads=arguments.threads, progress=progress
        )
        warnings += navmesh.report.warnings
    for line in warning_lines([Said(warning.code, warning.sentence) for warning in warnings]):
        write_error(f"navcore: {line}")
    sight = Sight(mesh.vertices, mesh.triangles)
    cover = find_cover(navmesh, sight, arguments.spacing, threads=arguments.threads, progress=progress)
    return _CoverOnLevel(cover, navmesh, mesh)


def _drawing(name: str, found: _CoverOnLevel) -> Drawing:
    """The level from above, the navmesh on it, and all places."""
    drawing = plan_view(f"{name}: cover", plan_of(plain_of(found.navmesh))).over(*cover_marks(found.cover))
    return drawing.under(level_patches(found.mesh.vertices, found.mesh.triangles))


def _line(cover: Cover) -> str:
    """How much there is, on one line."""
    count = len(cover.at)
    if not count:
        return "no cover: nothing of 0.8 m and more stands along the walls of the navmesh"
    low = int((cover.kind == "low").sum())
    return (
        f"{count:,} {'place' if count == 1 else 'places'} of cover, {low:,} low and {count - low:,} high; "
        f"{int(cover.lean.any(axis=1).sum()):,} to lean from, exposure {float(cover.exposure.mean()):.2f} on average"
    )
