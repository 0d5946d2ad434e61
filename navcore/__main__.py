"""`python -m navcore …`: build navmeshes and look at settings from the shell."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from .commands.build_flags import add_build_flags
from .commands.exit_status import CANCELLED, DONE, FAILED, exit_status
from .errors import Cancelled, NavmeshError
from .version import __version__

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status (see the README)."""
    try:
        arguments = _parser().parse_args(argv)
    except SystemExit as leaving:  # argparse has printed help (0) or what is wrong (2)
        return int(leaving.code or 0)
    try:
        return int(arguments.run(arguments))
    except KeyboardInterrupt:  # while modules are loaded: nothing has begun
        print(f"navcore: {Cancelled.code}: {Cancelled()}", file=sys.stderr)
        return CANCELLED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="navcore", description="Navigation meshes as Recast makes them.")
    parser.add_argument("--version", action="version", version=f"navcore {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    build = commands.add_parser("build", help="build a navmesh from a mesh file")
    add_build_flags(build)
    build.set_defaults(run=_build)
    info = commands.add_parser("info", help="tell what a Detour navmesh file holds")
    info.add_argument("file", type=Path, metavar="FILE.bin", help="a set of tiles (MSET) or a single tile (DNAV)")
    info.add_argument("--json", action="store_true", help="as JSON")
    info.set_defaults(run=_info)
    listing = commands.add_parser("settings", help="list every setting with its default, range and meaning")
    listing.add_argument("--json", action="store_true", help="as JSON")
    listing.add_argument("--markdown", action="store_true", help="as the table of the README")
    listing.set_defaults(run=_list_settings)
    return parser


def _build(arguments: argparse.Namespace) -> int:
    """Build, write the outputs, and say how it went: on standard error and in the report."""
    from .commands.build import BuildCommand  # here, so that `--help` and `settings` do not wait for Numba

    command = BuildCommand(arguments)
    error: NavmeshError | None = None
    try:
        command.run()
    except NavmeshError as refused:
        error = refused
    except KeyboardInterrupt:  # outside of the build, which makes the same of it
        error = Cancelled()
    if error is not None:
        print(f"navcore: {error.code}: {error}", file=sys.stderr)
    try:
        command.write_report(error)
    except NavmeshError as refused:
        print(f"navcore: {refused.code}: {refused}", file=sys.stderr)
        error = error or refused
    if command.skipped is not None and error is None:
        print("navcore: nothing has changed: the outputs are those of the last build.", file=sys.stderr)
    return exit_status(error)


def _info(arguments: argparse.Namespace) -> int:
    from .commands.info import info_text  # here, for the same reason

    try:
        sys.stdout.write(info_text(arguments.file, arguments.json))
    except NavmeshError as refused:
        print(f"navcore: {refused.code}: {refused}", file=sys.stderr)
        return FAILED
    return DONE


def _list_settings(arguments: argparse.Namespace) -> int:
    from .commands.settings_list import print_settings

    print_settings(arguments.json, arguments.markdown)
    return DONE


if __name__ == "__main__":
    sys.exit(main())
