"""`python -m navcore …`: build navmeshes and look at settings from the shell."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from importlib import import_module
from types import ModuleType
from typing import NamedTuple

from .commands import command_flags as flags
from .commands.console import run_command, write_error
from .errors import NavmeshError
from .kernels.loaded_to_stay import loaded_to_stay
from .kernels.needed_versions import check_versions
from .version import __version__

__all__ = ["main"]


class _Command(NamedTuple):
    """One command. `run` of its module is imported when it is called: neither help nor settings wait for Numba."""

    module: str  # in commands/
    add_flags: Callable[[argparse.ArgumentParser], None]
    help: str


_COMMANDS = {
    "build": _Command("build_command", flags.add_build_flags, "build a navmesh from a mesh file"),
    "convert": _Command(
        "navmesh_files.convert_command", flags.add_convert_flags, "make a navmesh of a mesh whose faces are polygons"
    ),
    "obstacles": _Command(
        "navmesh_files.obstacles_command", flags.add_obstacle_flags,
        "put obstacles into a tile cache, and write its navmesh",
    ),
    "info": _Command("navmesh_files.info_command", flags.add_info_flags, "tell what a navmesh file holds"),
    "settings": _Command(
        "settings_command", flags.add_settings_flags, "list every setting with its default, range and meaning"
    ),
    "query": _Command(
        "query_command", flags.add_query_flags, "answer a file of questions to a navmesh, as Detour does"
    ),
    "path": _Command("path_command", flags.add_path_flags, "find the way from one point to another"),
    "walk": _Command("walk_command", flags.add_walk_flags, "let agents walk, each to its end, around the others"),
    "compare": _Command("compare_command", flags.add_compare_flags, "tell what changed from one navmesh to another"),
    "compare-paths": _Command(
        "compare_paths_command", flags.add_comparison_flags, "refine the same paths in every way, and compare them"
    ),
    "picture": _Command("picture_command", flags.add_picture_flags, "draw a navmesh as seen from above"),
    "page": _Command("page_command", flags.add_page_flags, "make a page for a browser that shows a navmesh"),
    "cover": _Command(
        "navmesh_files.cover_command", flags.add_cover_flags, "find places of cover: low and high, and how exposed"
    ),
    "world": _Command(
        "navmesh_files.world_command", flags.add_world_flags, "build those sections of a world that have changed"
    ),
    "why": _Command(
        "why_command", flags.add_why_flags, "tell why there is no navmesh at a point, and what to change"
    ),
    "explain": _Command(
        "explain_command", flags.add_explain_flags,
        "tell what the code of an error or a warning means, and what to do",
    ),
    "prepare": _Command("prepare_command", flags.add_prepare_flags, "compile kernels now, so that no build has to"),
}  # fmt: skip


_LIGHT = ("settings_command", "explain_command")  # they need nothing beside Python
_ASKING = ("path_command", "walk_command", "query_command", "compare_paths_command")
_WITH_A_LINE = ("build_command", "prepare_command", "navmesh_files.world_command")  # which says it on a terminal


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status (see the README)."""
    words = flags.with_points(sys.argv[1:] if argv is None else argv)
    return run_command("navcore", lambda: _parser().parse_args(words), _run)


def _run(arguments: argparse.Namespace) -> int:
    if arguments.module not in _LIGHT:
        try:
            check_versions()
        except ImportError as reason:
            raise NavmeshError(str(reason), "WRONG_VERSION") from None
    return int(_loaded(arguments).run(arguments))


def _loaded(arguments: argparse.Namespace) -> ModuleType:
    """The module of a command."""
    name = f"{__package__}.commands.{arguments.module}"
    with nullcontext() if name in sys.modules else loaded_to_stay():
        if arguments.module not in _LIGHT:
            _say_meanwhile(arguments)
            if arguments.module in _ASKING:
                _share_compiling()
        return import_module(name)


def _say_meanwhile(arguments: argparse.Namespace) -> None:
    """Tell on standard error what is compiled, where no line on a terminal does."""
    from .compile_ahead.said_meanwhile import say_meanwhile  # not before Numba is known to be there

    on_terminal = sys.stderr is not None and sys.stderr.isatty() and arguments.module in _WITH_A_LINE
    silent = on_terminal or getattr(arguments, "quiet", False)
    say_meanwhile(None if silent else lambda text: write_error(f"navcore: {text}"))


def _share_compiling() -> None:
    """Other processes compile beside this one, where a first question finds a kernel missing."""
    from .kernels.kernel_store import STORE

    def begin(module: str) -> None:
        from .compile_ahead.cold_start import begin_for_questions  # here, so that only those wait for it who compile

        begin_for_questions(module)

    STORE.at_missing = begin


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="navcore", description="Navigation meshes as Recast makes them.")
    parser.add_argument("--version", action="version", version=f"navcore {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, command in _COMMANDS.items():
        parsed = commands.add_parser(name, help=command.help)
        command.add_flags(parsed)
        parsed.set_defaults(module=command.module)
    return parser


if __name__ == "__main__":
    sys.exit(main())
