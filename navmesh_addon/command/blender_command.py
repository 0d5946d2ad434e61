"""`blender --command navmesh build LEVEL … -o navmesh.bin …` and `… world build WORLD.json`: without a window.

The exit status is navcore's: 0 done, 1 refused or failed, 2 wrong usage, 3 a gate failed, 130 cancelled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import bpy

if TYPE_CHECKING:
    import argparse

_MISSING = "build also where a library, linked data or a file that a modifier reads is missing: it becomes a warning"
_handles: list[object] = []


def main(argv: Sequence[str]) -> int:
    """Run one command; returns the exit status."""
    from ...navcore.commands.console import run_command  # here, because Blender registers the command at every start
    from ...navcore.commands.settings_flags import with_axes

    return run_command("navmesh", lambda: _parser().parse_args(with_axes(argv)), _run)


def _run(arguments: argparse.Namespace) -> int:
    run: Callable[[argparse.Namespace], int] = arguments.run
    return run(arguments)


def _run_world(arguments: argparse.Namespace) -> int:
    from .world_sections import run

    return run(arguments)


def _run_build(arguments: argparse.Namespace) -> int:
    from ...navcore.commands.console import write_error
    from ...navcore.commands.exit_status import WRONG_USAGE, exit_status
    from ...navcore.commands.settings_flags import nothing_to_write

    if said := nothing_to_write(arguments):
        write_error(f"navmesh: NOTHING_TO_WRITE: {said}")
        return WRONG_USAGE
    from .batch import Batch

    batch = Batch(arguments)
    batch.run()
    return exit_status(*batch.errors)


def _parser() -> argparse.ArgumentParser:
    import argparse

    from ...navcore.commands.acceptance_gates import add_gate_flags
    from ...navcore.commands.settings_flags import (
        add_axes_flags,
        add_reference_flag,
        add_saying_flags,
        add_setting_flags,
    )

    parser = argparse.ArgumentParser(prog="blender --command navmesh", description="Navigation meshes of levels.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    build = commands.add_parser(
        "build",
        help="build the navmeshes of .blend files, and of levels that Blender imports",
        description="Build the navmeshes of .blend files, and of levels that Blender imports into an empty file "
        "(.glb, .gltf, .fbx, .usd, .usda, .usdc, .usdz, .obj, .ply, .stl, .abc). In the names of outputs and reports "
        "{file} stands for the name of the level's file and {setup} for that of the setup.",
    )
    build.add_argument("inputs", type=Path, nargs="+", metavar="LEVEL")
    several = "a navmesh, or a .blend with it; may be given several times"
    build.add_argument("-o", dest="outputs", type=Path, action="append", default=[], metavar="OUTPUT", help=several)
    target = "what outputs are for whose ending several targets have: pathfinding for .glb"
    build.add_argument("--target", metavar="NAME", help=target)
    build.add_argument("--settings", type=Path, metavar="FILE.json", help="settings by name; flags stand above it")
    build.add_argument("--report", type=Path, metavar="FILE.json", help="write what happened, also when it fails")
    build.add_argument("--threads", type=int, metavar="N", help="threads to build with (default: as in Preferences)")
    _add_choice(build)
    add_axes_flags(build)
    add_reference_flag(build)
    add_saying_flags(build)
    add_gate_flags(build)
    tests = "the scene's own path tests and places that must be walkable are gates, too (the tab Test holds them)"
    build.add_argument("--check-tests", action="store_true", help=tests)
    add_setting_flags(build, tell_defaults=False)  # a setup of the file may have others
    build.set_defaults(run=_run_build)
    _add_world(commands)
    return parser


def _add_world(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """As navcore's own, but sections may be .blend files."""
    from ...navcore.commands.command_flags import add_world_flags

    world = commands.add_parser(
        "world",
        help="build those sections of a world that have changed; sections may be .blend files",
        description="As navcore world, for worlds of which sections are .blend files: each is opened where it is "
        "another than when it was read last, and what its active setup is built from is its section's mesh.",
    )
    add_world_flags(world)
    world.add_argument("--allow-missing", action="store_true", help=_MISSING)
    world.set_defaults(run=_run_world)


def _add_choice(build: argparse.ArgumentParser) -> None:
    """What is built of a file."""
    import argparse

    which = build.add_mutually_exclusive_group()
    chosen = "one of the files' setups; may be given several times (default: the active one)"
    which.add_argument("--setup", dest="setups", action="append", default=[], metavar="NAME", help=chosen)
    which.add_argument("--all-setups", action="store_true", help="every setup of each file")
    collection = "build from a collection (default: as the setup says, or all that is visible)"
    build.add_argument("--collection", default="", metavar="NAME", help=collection)
    prune = "leave out islands that no empty marked as Seed can reach (default: as the setup says)"
    build.add_argument("--prune", action=argparse.BooleanOptionalAction, default=None, help=prune)
    build.add_argument("--allow-missing", action="store_true", help=_MISSING)
    edited = (
        "what becomes of a navmesh in the file whose mesh was edited by hand: edits that this build and all others "
        "heed, the navmesh itself from now on, or nothing (default: an error). An output that is a .blend holds it"
    )
    build.add_argument("--edited", choices=("ask", "keep", "take-over", "throw-away"), default="ask", help=edited)
    skip = "build nothing whose outputs are still what would be built; stamps beside them tell"
    build.add_argument("--skip-unchanged", action="store_true", help=skip)


def register() -> None:
    _handles.append(bpy.utils.register_cli_command("navmesh", main))


def unregister() -> None:
    while _handles:
        bpy.utils.unregister_cli_command(_handles.pop())
