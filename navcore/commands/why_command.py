"""`navcore why`: why there is no navmesh at a point, for people or as JSON."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator

from ..formats.mesh_files import read_mesh
from ..reasons.reason import Reason
from ..reasons.why import WhyHere
from ..settings import Settings, setting_info
from .command_flags import given_scene, source_of
from .console import write_out
from .exit_status import DONE, GATE_FAILED
from .settings_flags import given_axes, given_settings


def run(arguments: argparse.Namespace) -> int:
    """Say why. Exit status 0 where the place is walkable, 3 where it is not."""
    reason, of_sizes = reasons_for(arguments)
    if arguments.json:
        told = {"sizes": {name: own.to_mapping() for name, own in of_sizes.items()}} if of_sizes else {}
        write_out(json.dumps({**reason.to_mapping(), **told}) + "\n")
        return DONE if reason.walkable else GATE_FAILED
    lines = [line for name, own in of_sizes.items() for line in (f"{name}:", *_lines(own))] or [*_lines(reason)]
    write_out("\n".join(lines) + "\n")
    return DONE if reason.walkable else GATE_FAILED


def reasons_for(arguments: argparse.Namespace) -> tuple[Reason, dict[str, Reason]]:
    """The answer, and that of each size of agents where there are several. Raises NavmeshError."""
    settings = Settings.from_mapping(given_settings(arguments))
    scene = given_scene(arguments)
    level = read_mesh(arguments.level, scene, **given_axes(arguments)._asdict())
    source = source_of(arguments, level, scene)
    asked = WhyHere(source, settings=settings, threads=arguments.threads)
    return asked.ask(arguments.at), asked.ask_for_each_size(arguments.at)


def _lines(reason: Reason) -> Iterator[str]:
    yield f"{reason.code}: {reason.sentence}"
    if reason.triangle is not None:
        yield f"  triangle {reason.triangle}"
    if reason.setting is not None and reason.suggested is not None:
        yield f"  try {_option(reason.setting, reason.suggested)}"
    if reason.next is not None:
        yield f"  then {reason.next.code}: {reason.next.sentence}"
        if reason.walkable and reason.next.setting is not None and reason.next.suggested is not None:
            yield f"  try {_option(reason.next.setting, reason.next.suggested)}"


def _option(setting: str, suggested: float | bool) -> str:
    """As it is typed."""
    flag = setting.replace("_", "-")
    if isinstance(suggested, bool):
        return f"--{flag}" if suggested else f"--no-{flag}"
    return f"--{flag} {suggested:g} {setting_info(setting).unit}".rstrip()
