"""Settings as command-line flags, for every command that builds: one flag a setting, a file below them."""

from __future__ import annotations

import argparse
from typing import Any

from ..errors import BadSettings
from ..settings import setting_info, settings_fields


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
