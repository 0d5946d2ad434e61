"""`navcore settings`: every setting as text for people, as JSON, or as the table of the README."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import Any

from ..settings import Settings, setting_info, settings_fields
from .console import write_out
from .exit_status import DONE


def run(arguments: argparse.Namespace) -> int:
    """Write every setting with its default, range and meaning to standard output."""
    rows = [_setting_row(declared) for declared in settings_fields()]
    if arguments.json:
        text = json.dumps(rows, indent=2) + "\n"
    elif arguments.markdown:
        text = settings_table(rows)
    else:
        text = "".join(
            f"{row['name']:<34}{json.dumps(row['default'])} {row['unit']}\n    {row['help']}\n" for row in rows
        )
    write_out(text)
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
