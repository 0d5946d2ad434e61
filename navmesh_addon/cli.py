"""`blender --command navmesh build LEVEL.blend -o navmesh.bin …`: the extension without a window.

The exit status is navcore's: 0 done, 1 refused or failed, 2 wrong usage, 130 cancelled.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import bpy

from ..navcore.errors import BadInput, Cancelled, NavmeshError
from ..navcore.settings_flags import add_setting_flags, given_settings
from . import session
from .gathered import COLLECTION, VISIBLE, Sources
from .job import Built, build_all, sentence
from .session import Wanted
from .write_back import report_of, write_back

DONE, FAILED, WRONG_USAGE, CANCELLED = 0, 1, 2, 130
_handles: list[Any] = []


def main(argv: Sequence[str]) -> int:
    """Run one command; returns the exit status."""
    try:
        arguments = _parser().parse_args(list(argv))
    except SystemExit as leaving:  # argparse has printed help (0) or what is wrong (2)
        return int(leaving.code or 0)
    error: NavmeshError | None = None
    built: list[Built] = []
    try:
        built = _build(arguments)
    except KeyboardInterrupt:
        error = Cancelled()
    except NavmeshError as refused:
        error = refused
    except MemoryError as refused:
        error = NavmeshError(sentence(refused), "OUT_OF_MEMORY")
    if error is not None:
        sys.stderr.write(f"navmesh: {error.code}: {error}\n")
    try:
        _write_report(arguments.report, built, error)
    except NavmeshError as refused:
        sys.stderr.write(f"navmesh: {refused.code}: {refused}\n")
        error = error or refused
    return DONE if error is None else CANCELLED if isinstance(error, Cancelled) else FAILED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="blender --command navmesh", description="Navigation meshes of .blend files.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    build = commands.add_parser("build", help="build the navmesh of a .blend file")
    build.add_argument("input", type=Path, metavar="LEVEL.blend")
    several = "a navmesh, or a .blend with it; may be given several times"
    build.add_argument("-o", dest="outputs", type=Path, action="append", default=[], metavar="OUTPUT", help=several)
    build.add_argument("--settings", type=Path, metavar="FILE.json", help="settings by name; flags stand above it")
    build.add_argument("--report", type=Path, metavar="FILE.json", help="write what happened, also when it fails")
    build.add_argument(
        "--setup", default="", metavar="NAME", help="which of the file's setups (default: the active one)"
    )
    chosen = "build from a collection (default: as the setup says, or all that is visible)"
    build.add_argument("--collection", default="", metavar="NAME", help=chosen)
    add_setting_flags(build, tell_defaults=False)  # a setup of the file may have others
    return parser


def _build(arguments: argparse.Namespace) -> list[Built]:
    from ..navcore.formats import check_output, holds_detour_data, write_navmesh

    for output in arguments.outputs:
        if output.suffix.lower() != ".blend":
            check_output(output)
    values = given_settings(arguments)
    if not arguments.input.is_file():
        raise BadInput(f"{arguments.input}: there is no such file.", "CANNOT_READ")
    try:
        bpy.ops.wm.open_mainfile(filepath=str(arguments.input.resolve()), load_ui=False)
    except RuntimeError as reason:
        raise BadInput(f"{arguments.input} could not be opened: {reason}".strip(), "CANNOT_READ") from None
    wanted = Wanted(arguments.setup, False, lambda stored: _sources(stored, arguments.collection), values)
    for_detour = any(map(holds_detour_data, arguments.outputs))
    requests = [r._replace(detour_data=for_detour) for r in session.make_requests(bpy.context, wanted)]
    built = build_all(requests, session.means())
    for output in arguments.outputs:
        if output.suffix.lower() == ".blend":
            write_back(bpy.context.scene, built)
            bpy.ops.wm.save_as_mainfile(filepath=str(output.resolve()), copy=True)
        else:
            write_navmesh(built[0].navmesh, output)
    return built


def _sources(stored: Sources, collection: str) -> Sources:
    """What is selected in a file is chance: all that is visible is built instead."""
    if collection:
        return stored._replace(scope=COLLECTION, collection=collection)
    return stored._replace(scope=VISIBLE) if stored.scope == "SELECTED" else stored


def _write_report(path: Path | None, built: list[Built], error: NavmeshError | None) -> None:
    if path is None:
        return
    from ..navcore.formats.atomic import write_whole
    from ..navcore.report import Report
    from ..navcore.settings import Settings

    content = report_of(built[0]) if built else Report(Settings()).to_mapping(error)
    if error is not None:
        content |= {"ok": False, "error": {"code": error.code, "message": str(error)}}
    write_whole(path, (json.dumps(content, indent=1, allow_nan=False) + "\n").encode())


def register() -> None:
    _handles.append(bpy.utils.register_cli_command("navmesh", main))


def unregister() -> None:
    while _handles:
        bpy.utils.unregister_cli_command(_handles.pop())
