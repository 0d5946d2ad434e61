"""`navcore page`: a navmesh as one page for a browser, with its level beneath and what changed since another."""

from __future__ import annotations

import argparse
from pathlib import Path

from ..detour.reader import NavmeshFile
from ..difference.compare import navmesh_difference
from ..errors import BadInput
from ..files.strict_json import load_json
from ..formats import READ, read_navmesh_file
from ..formats.cover_files import read_cover
from ..formats.file_axes import AS_READ
from ..formats.heat_files import read_heat
from ..formats.plain_faces import navmesh_of_plain
from ..formats.plain_from_detour import plain_of
from ..formats.plain_navmesh import PlainNavmesh
from ..formats.read_any import read_navmesh
from ..page.page_arrays import Beside
from ..page.write_page import PageContent, check_page, write_page
from ..progress import Progress
from ..result.navmesh import NavMesh
from .command_flags import given_scene, read_level
from .console import write_out
from .exit_status import DONE
from .settings_flags import given_axes


def run(arguments: argparse.Namespace) -> int:
    """Write the page in one step. Returns the exit status."""
    check_page(arguments.output)
    scene = given_scene(arguments)
    navmesh, ground = _read(arguments.file)
    before, difference = None, None
    if arguments.compare:
        before, ground_before = _read(arguments.compare)
        difference = navmesh_difference(ground_before, ground)
    level = None
    if arguments.level:
        mesh = read_level(arguments.level, scene, arguments, Progress())
        level = (mesh.vertices, mesh.triangles)
    elif given_axes(arguments) != AS_READ:
        raise BadInput("--up, --unit and --scale are for the level, which --level names.", "WRONG_QUESTION")
    beside = Beside(seeds=scene.seeds)
    if arguments.report:
        beside = Beside.of_report(load_json(arguments.report, "report"), scene.seeds)
    heat = None if arguments.heat is None else read_heat(arguments.heat)
    cover = None if arguments.cover is None else read_cover(arguments.cover)
    write_page(
        PageContent(arguments.file.name, navmesh, level, before, beside, heat, cover, difference), arguments.output
    )
    if not arguments.quiet:
        size = arguments.output.stat().st_size / 1e6
        write_out(f"{arguments.output.name}: {size:,.1f} MB, opens in any browser\n")
    return DONE


def _read(path: Path) -> tuple[NavMesh | NavmeshFile, PlainNavmesh]:
    """A navmesh; and what its file holds of the ground, and nothing that stands in for detail."""
    if path.suffix.lower() in READ and path.suffix.lower() != ".bin":
        plain = read_navmesh_file(path)
        return navmesh_of_plain(plain), plain
    navmesh = read_navmesh(path)
    return navmesh, plain_of(navmesh) if isinstance(navmesh, NavmeshFile) else plain_of(navmesh)._replace(detail=None)
