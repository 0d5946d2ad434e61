"""`python -m navcore …`: build navmeshes and look at settings from the shell."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from .commands.build_flags import add_build_flags
from .commands.console import ready_console, write_error, write_out
from .commands.exit_status import CANCELLED, DONE, FAILED
from .commands.questions.flags import (
    add_compare_flags,
    add_path_flags,
    add_query_flags,
    add_walk_flags,
    add_why_flags,
    with_points,
)
from .commands.questions.picture_flags import add_comparison_flags, add_picture_flags
from .commands.settings_flags import add_setting_flags
from .errors import Cancelled, NavmeshError
from .version import __version__

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status (see the README)."""
    with ready_console():
        try:
            return _run(argv)
        except KeyboardInterrupt:  # while modules are loaded: nothing has begun
            write_error(f"navcore: {Cancelled.code}: {Cancelled()}")
            return CANCELLED


def _run(argv: Sequence[str] | None) -> int:
    try:
        arguments = _parser().parse_args(with_points(sys.argv[1:] if argv is None else argv))
    except SystemExit as leaving:  # argparse has printed help (0) or what is wrong (2)
        write_out()
        return int(leaving.code or 0)
    return int(arguments.run(arguments))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="navcore", description="Navigation meshes as Recast makes them.")
    parser.add_argument("--version", action="version", version=f"navcore {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    build = commands.add_parser("build", help="build a navmesh from a mesh file")
    add_build_flags(build)
    build.set_defaults(run=_build)
    info = commands.add_parser("info", help="tell what a navmesh file holds")
    info.add_argument(
        "file", type=Path, metavar="FILE", help="a .bin (a set of tiles or one), .json, .glb, .tres or .tscn"
    )
    info.add_argument("--clearance", action="store_true", help="also tell how wide agents may be (of a .bin)")
    info.add_argument("--islands", action="store_true", help="also list its islands, the largest first")
    info.add_argument("--joins", action="store_true", help="list them with what is missing to the nearest other one")
    info.add_argument("--json", action="store_true", help="as JSON")
    info.set_defaults(run=_info)
    listing = commands.add_parser("settings", help="list every setting with its default, range and meaning")
    listing.add_argument("--json", action="store_true", help="as JSON")
    listing.add_argument("--markdown", action="store_true", help="as the table of the README")
    listing.set_defaults(run=_list_settings)
    add_query_flags(
        commands.add_parser("query", help="answer a file of questions to a navmesh, as Detour does"), _query
    )
    add_path_flags(commands.add_parser("path", help="find the way from one point to another"), _path)
    add_walk_flags(commands.add_parser("walk", help="let agents walk, each to its end, around the others"), _walk)
    add_compare_flags(commands.add_parser("compare", help="tell what changed from one navmesh to another"), _compare)
    ways = commands.add_parser("compare-paths", help="refine the same paths in every way, and compare them")
    add_comparison_flags(ways, _compare_paths)
    add_picture_flags(commands.add_parser("picture", help="draw a navmesh as seen from above"), _picture)
    why = commands.add_parser("why", help="tell why there is no navmesh at a point, and what to change")
    add_why_flags(why, _why)
    add_setting_flags(why)
    explain = commands.add_parser("explain", help="tell what the code of an error or a warning means, and what to do")
    explain.add_argument("code", metavar="CODE", help="as it stands in messages and reports, such as NOT_FINITE")
    explain.set_defaults(run=_explain)
    prepare = commands.add_parser("prepare", help="compile kernels now, so that no build has to")
    prepare.add_argument(
        "--usual", action="store_true", help="only those of usual settings: three quarters of the time"
    )
    prepare.add_argument("--quiet", action="store_true", help="say nothing unless it fails")
    prepare.set_defaults(run=_prepare)
    return parser


def _build(arguments: argparse.Namespace) -> int:
    from .commands.build import run_build  # here, so that `--help` and `settings` do not wait for Numba

    return run_build(arguments)


def _info(arguments: argparse.Namespace) -> int:
    from .commands.info import info_text  # here, for the same reason

    try:
        write_out(info_text(arguments.file, arguments.json, arguments.clearance, arguments.islands, arguments.joins))
    except NavmeshError as refused:
        write_error(f"navcore: {refused.code}: {refused}")
        return FAILED
    return DONE


def _query(arguments: argparse.Namespace) -> int:
    from .commands.questions.query import run_query  # here, for the same reason

    return run_query(arguments)


def _path(arguments: argparse.Namespace) -> int:
    from .commands.questions.path import run_path  # here, for the same reason

    return run_path(arguments)


def _walk(arguments: argparse.Namespace) -> int:
    from .commands.questions.walk import run_walk  # here, for the same reason

    return run_walk(arguments)


def _compare(arguments: argparse.Namespace) -> int:
    from .commands.questions.compare import run_compare

    return run_compare(arguments)


def _compare_paths(arguments: argparse.Namespace) -> int:
    from .commands.questions.compare_paths import run_comparison  # here, for the same reason

    return run_comparison(arguments)


def _picture(arguments: argparse.Namespace) -> int:
    from .commands.questions.picture import run_picture  # here, for the same reason

    return run_picture(arguments)


def _why(arguments: argparse.Namespace) -> int:
    from .commands.questions.why import run_why  # here, for the same reason

    return run_why(arguments)


def _prepare(arguments: argparse.Namespace) -> int:
    from .commands.prepare import run_prepare  # here, for the same reason

    return run_prepare(arguments)


def _list_settings(arguments: argparse.Namespace) -> int:
    from .commands.settings_list import print_settings

    print_settings(arguments.json, arguments.markdown)
    return DONE


def _explain(arguments: argparse.Namespace) -> int:
    from .commands.explain import explanation

    try:
        write_out(explanation(arguments.code))
    except NavmeshError as refused:
        write_error(f"navcore: {refused.code}: {refused}")
        return FAILED
    return DONE


if __name__ == "__main__":
    sys.exit(main())
