"""The flags of every command that builds: one a setting, with a file below them, how a mesh file is read, and what is
written and said."""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

from ..errors import BadSettings
from ..formats.file_axes import UNITS, UPS, FileAxes
from ..settings import setting_info, settings_fields

AnyParser: TypeAlias = argparse.ArgumentParser | argparse._ArgumentGroup


def add_file(parser: AnyParser, name: str, metavar: str, text: str, **more: Any) -> None:
    """A flag or a word that is the path of a file or of a folder."""
    parser.add_argument(name, type=Path, metavar=metavar, help=text, **more)


def add_switch(parser: AnyParser, name: str, text: str) -> None:
    """A flag that is there or not."""
    parser.add_argument(name, action="store_true", help=text)


def add_setting_flags(parser: argparse.ArgumentParser, *, tell_defaults: bool = True) -> None:
    """`--cell-size N`, `--median-filter`, `--no-median-filter` and so on, with what each setting is for."""
    group = parser.add_argument_group("settings")
    for declared in settings_fields():
        flag, info = "--" + declared.name.replace("_", "-"), setting_info(declared.name)
        unit = f" [{info.unit}]" if info.unit else ""
        text = f"{info.help}{unit} (default {declared.default})" if tell_defaults else info.help
        common: dict[str, Any] = {"dest": f"setting_{declared.name}", "default": None, "help": text.replace("%", "%%")}
        if declared.type == "bool":
            group.add_argument(flag, action=argparse.BooleanOptionalAction, **common)
        else:
            kind = {"int": int, "float": float, "str": str}[str(declared.type)]
            group.add_argument(flag, type=kind, metavar="|".join(info.choices) or "N", **common)


def given_settings(arguments: argparse.Namespace) -> dict[str, Any]:
    """What the file of `--settings` holds, with the flags that were given above it."""
    from ..files.strict_json import load_json  # here, because Blender makes the flags when it starts, without NumPy

    values: dict[str, Any] = {}
    if arguments.settings:
        content = load_json(arguments.settings, "settings")
        if not isinstance(content, dict):
            raise BadSettings(f"{arguments.settings.name} must hold one JSON object of settings by name.")
        values |= content
    flags = {declared.name: getattr(arguments, f"setting_{declared.name}") for declared in settings_fields()}
    return values | {name: value for name, value in flags.items() if value is not None}


def add_axes_flags(parser: argparse.ArgumentParser) -> None:
    """The flags that every command has which reads mesh files."""
    group = parser.add_argument_group("the mesh file (scenes, points and all output are in metres, y up, all the same)")
    up = "the axis that points up in the file (default: y)"
    group.add_argument("--up", type=str.lower, choices=UPS, metavar="|".join(UPS), help=up)
    unit = "what its numbers count; one of Quake's is 1/32 m (default: m)"
    group.add_argument("--unit", type=str.lower, choices=UNITS, metavar="|".join(UNITS), help=unit)
    group.add_argument("--scale", type=_factor, metavar="NUMBER", help="multiply with this after the unit (default: 1)")


def given_axes(arguments: argparse.Namespace) -> FileAxes:
    """How the mesh file is to be read."""
    given = {name: getattr(arguments, name) for name in FileAxes._fields}
    return FileAxes(**{name: value for name, value in given.items() if value is not None})


def with_axes(words: Sequence[str]) -> list[str]:
    """A command's words, with `--up -z` as one: argparse takes an axis that begins with a minus for a flag."""
    bound: list[str] = []
    for word in words:
        if bound and bound[-1] == "--up" and word[:1] == "-" and word.lower() in UPS:
            bound[-1] += f"={word}"
        else:
            bound.append(word)
    return bound


def _factor(text: str) -> float:
    try:
        factor = float(text)
    except ValueError:
        factor = math.nan
    if not 0 < factor < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0")
    return factor


def add_saying_flags(parser: argparse.ArgumentParser) -> None:
    """The flags that every command has which builds."""
    add_switch(parser, "--dry-run", "build and check the gates, and write nothing: neither outputs nor reports")
    quiet = "no progress and no line about what was built; warnings and errors are told all the same"
    add_switch(parser, "--quiet", quiet)


def add_reference_flag(parser: argparse.ArgumentParser) -> None:
    """The flag that every command has which writes .bin files."""
    wide = "bits of references in a .bin: 64 for engines that were built for them alone, others see an empty navmesh"
    parser.add_argument("--references", type=int, choices=(32, 64), default=32, help=f"{wide} (default: 32)")


def nothing_to_write(arguments: argparse.Namespace) -> str:
    """A sentence where a build would leave nothing behind, and nobody said that this is meant."""
    # Not every command has all of them.
    kinds = ("outputs", "report", "page", "dump_stages", "store", "repeat", "dry_run")
    if any(getattr(arguments, kind, None) not in (None, False, []) for kind in kinds):
        return ""
    return (
        "This build would write nothing. Name a file with -o OUTPUT or --report FILE.json, or give --dry-run to build "
        "and check the gates alone."
    )
