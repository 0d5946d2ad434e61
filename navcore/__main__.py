"""`python -m navcore …`: build navmeshes and look at settings from the shell."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .commands.acceptance_gates import GateFailed, add_gate_flags
from .commands.settings_flags import add_setting_flags
from .errors import Cancelled, NavmeshError
from .formats import ENDINGS
from .settings import Settings, setting_info, settings_fields

DONE, FAILED, WRONG_USAGE, GATE_FAILED, CANCELLED = 0, 1, 2, 3, 130


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
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_build(commands)
    info = commands.add_parser("info", help="tell what a Detour navmesh file holds")
    info.add_argument("file", type=Path, metavar="FILE.bin", help="a set of tiles (MSET) or a single tile (DNAV)")
    info.add_argument("--json", action="store_true", help="as JSON")
    info.set_defaults(run=_info)
    listing = commands.add_parser("settings", help="list every setting with its default, range and meaning")
    listing.add_argument("--json", action="store_true", help="as JSON")
    listing.add_argument("--markdown", action="store_true", help="as the table of the README")
    listing.set_defaults(run=_list_settings)
    return parser


def _add_build(commands: Any) -> None:
    build = commands.add_parser("build", help="build a navmesh from a mesh file")
    build.add_argument(
        "input", type=Path, metavar="INPUT", help="mesh, y up: .obj, or .npz with verts, tris and optional areas"
    )
    build.add_argument(
        "-o",
        dest="outputs",
        type=Path,
        action="append",
        default=[],
        metavar="OUTPUT",
        help=f"{', '.join(ENDINGS)}, or NAME.TARGET.ENDING; may be given several times",
    )
    build.add_argument(
        "--target", metavar="NAME", help="what outputs are for whose ending several targets have: pathfinding for .glb"
    )
    build.add_argument("--settings", type=Path, metavar="FILE.json", help="settings by name; flags stand above it")
    build.add_argument("--scene", type=Path, metavar="FILE.json", help="bounds, area volumes, links and seeds")
    build.add_argument("--threads", type=int, metavar="N", help="threads to build with (default: all cores)")
    build.add_argument("--dask", metavar="ADDRESS", help="build the tiles on the Dask cluster with this scheduler")
    build.add_argument(
        "--repeat", type=int, metavar="N", help="build N times after a warm-up; the report holds best and median"
    )
    build.add_argument("--dump-stages", type=Path, metavar="FILE.npz", help="write the arrays after every stage")
    build.add_argument(
        "--report", type=Path, metavar="FILE.json", help="write what happened, also when the build fails"
    )
    build.add_argument(
        "--failures",
        type=Path,
        metavar="FOLDER",
        help="where a mesh that can't be mended leaves what shows it again (default: the user's cache)",
    )
    build.add_argument("--prune", action="store_true", help="leave out islands that no seed of the scene can reach")
    build.add_argument(
        "--skip-unchanged",
        action="store_true",
        help="do nothing where the outputs are still what would be built; stamps beside them tell",
    )
    add_gate_flags(build)
    add_setting_flags(build)
    build.set_defaults(run=_build)


def _build(arguments: argparse.Namespace) -> int:
    """Build, write the outputs, and say how it went: on standard error and in the report."""
    from .commands.build import Job  # here, so that `--help` and `settings` do not wait for Numba

    job = Job(arguments)
    error: NavmeshError | None = None
    try:
        job.run()
    except NavmeshError as refused:
        error = refused
    except KeyboardInterrupt:  # outside of the build, which makes the same of it
        error = Cancelled()
    if error is not None:
        print(f"navcore: {error.code}: {error}", file=sys.stderr)
    try:
        job.write_report(error)
    except NavmeshError as refused:
        print(f"navcore: {refused.code}: {refused}", file=sys.stderr)
        error = error or refused
    if job.skipped is not None and error is None:
        print("navcore: nothing has changed: the outputs are those of the last build.", file=sys.stderr)
    return exit_status(error)


def exit_status(error: NavmeshError | None) -> int:
    """What a command returns to the shell."""
    if error is None:
        return DONE
    if isinstance(error, GateFailed):
        return GATE_FAILED
    return CANCELLED if isinstance(error, Cancelled) else FAILED


def _info(arguments: argparse.Namespace) -> int:
    from .commands.info import info_text  # here, for the same reason

    try:
        sys.stdout.write(info_text(arguments.file, arguments.json))
    except NavmeshError as refused:
        print(f"navcore: {refused.code}: {refused}", file=sys.stderr)
        return FAILED
    return DONE


def _list_settings(arguments: argparse.Namespace) -> int:
    rows = [_setting_row(declared) for declared in settings_fields()]
    if arguments.json:
        text = json.dumps(rows, indent=2) + "\n"
    elif arguments.markdown:
        text = settings_table(rows)
    else:
        text = "".join(
            f"{row['name']:<34}{json.dumps(row['default'])} {row['unit']}\n    {row['help']}\n" for row in rows
        )
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader, `head` for one, has seen enough
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115 - what Python flushes at exit goes nowhere
    return DONE


def settings_table(rows: Sequence[dict[str, Any]]) -> str:
    """Every setting as a Markdown table."""
    lines = ["| setting | default | range | Recast | meaning |", "| --- | --- | --- | --- | --- |"]
    for row in rows:
        default = f"{json.dumps(row['default']).strip(chr(34))} {row['unit']}".strip()
        lines.append(f"| `{row['name']}` | {default} | {_range(row)} | {row['recast']} | {row['help']} |")
    return "\n".join(lines) + "\n"


def _range(row: dict[str, Any]) -> str:
    if row["choices"]:
        return ", ".join(row["choices"])
    if row["type"] == "bool":
        return "on, off"
    info = setting_info(row["name"])
    if info.gap:
        return f"{info.low:g} or {info.gap[1]:g} – {info.high:g}"
    if row["high"] is None:
        return f"{'above' if info.above_low else 'from'} {row['low']:g}"
    return f"{row['low']:g} – {row['high']:g}"


def _setting_row(declared: Any) -> dict[str, Any]:
    info = setting_info(declared.name)
    low, high = (None if abs(v) == float("inf") else v for v in (info.low, info.high))
    return {
        "name": declared.name,
        "type": declared.type,
        "default": getattr(Settings(), declared.name),
        "unit": info.unit,
        "low": low,
        "high": high,
        "choices": list(info.choices),
        "group": info.group,
        "help": info.help,
        "recast": info.recast,
    }


if __name__ == "__main__":
    sys.exit(main())
