"""Files of agent presets: where they lie, and what each sets. Read without being run; drawing asks, so they are kept.

Ours and those that we write say metres (`….navmesh.apply(agent_radius=0.5)`); older ones of a user say what Blender
keeps (`setup.agent_radius = 0.5`). Of a file that does more than that, nobody knows what it sets before it has run.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import bpy

from ..blender_types import not_none
from ..package_names import FOLDER
from .setting_properties import NAMES, SettingValue

SUBFOLDER = "navmesh"  # of Blender's preset folders
SHIPPED = FOLDER / "presets" / SUBFOLDER
_IN_METRES = ("apply", "set_metres")
_kept: dict[str, tuple[int, tuple[AgentPreset, ...]]] = {}  # by folder: when it changed last, what it holds


class SetValues(NamedTuple):
    """What one preset sets, by the names of settings."""

    metres: Mapping[str, SettingValue]  # said in metres and degrees
    kept: Mapping[str, SettingValue]  # said as Blender keeps them


class AgentPreset(NamedTuple):
    """One file of a preset."""

    name: str  # as Blender shows it
    path: Path
    values: SetValues | None  # None where only running it tells

    @property
    def own(self) -> bool:
        """Whether a user made it."""
        return self.path.parent != SHIPPED


def agent_presets() -> list[AgentPreset]:
    """All presets, ours and the user's. A folder is read again only when a file of it has come or gone."""
    found: list[AgentPreset] = []
    for folder in bpy.utils.preset_paths(SUBFOLDER):
        changed = Path(folder).stat().st_mtime_ns
        if folder not in _kept or _kept[folder][0] != changed:
            _kept[folder] = changed, tuple(map(_read, sorted(Path(folder).glob("*.py"))))
        found += _kept[folder][1]
    return found


def forget() -> None:
    """Read all folders again when somebody asks: a file may have been edited in its place."""
    _kept.clear()


def _read(path: Path) -> AgentPreset:
    try:
        values = set_values(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):  # gone meanwhile, or no text
        values = None
    return AgentPreset(bpy.path.display_name(path.name, title_case=False), path, values)


def set_values(source: str) -> SetValues | None:
    """What the source of a preset sets, None where that can't be said without running it."""
    values = SetValues({}, {})
    try:
        for statement in ast.parse(source).body:
            values = _with_statement(values, statement)
    except (SyntaxError, TypeError, ValueError):
        return None
    return values


@cache
def usual_agent() -> Mapping[str, SettingValue]:
    """A new scene's agent is a human. (navcore's own settings are Recast's, with its climb of 0.9 m.)"""
    return not_none(set_values((SHIPPED / "Human.py").read_text(encoding="utf-8"))).metres


def _with_statement(values: SetValues, statement: ast.stmt) -> SetValues:
    """Raises ValueError where only running it would tell."""
    match statement:
        case ast.Import() | ast.ImportFrom() | ast.Expr(ast.Constant()) | ast.Assign([ast.Name()]):
            return values
        case ast.Assign([ast.Attribute(attr=name)], value):
            return values if name not in NAMES else values._replace(kept={**values.kept, name: _literal(value)})
        case ast.Expr(ast.Call(ast.Attribute(attr=called), [], keywords)) if called in _IN_METRES:
            said = {keyword.arg or "": _literal(keyword.value) for keyword in keywords}
            return values._replace(metres={**values.metres, **said})
    raise ValueError


def _literal(value: ast.expr) -> SettingValue:
    literal = ast.literal_eval(value)
    if not isinstance(literal, (bool, int, float, str)):
        raise ValueError
    return literal
