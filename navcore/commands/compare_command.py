"""`navcore compare`: what changed from one navmesh file to another, and a gate on how much may."""

from __future__ import annotations

import argparse
import json

from ..build_warning import place_in_words
from ..difference.compare import Difference, navmesh_difference
from ..formats import read_navmesh_file
from .console import write_error, write_out
from .exit_status import DONE, GATE_FAILED

_SHOWN = 10  # places; --json has all of them


def run(arguments: argparse.Namespace) -> int:
    """Say what changed. Exit status 3 where more was added or removed than may be."""
    before, after = (read_navmesh_file(path) for path in (arguments.before, arguments.after))
    found = navmesh_difference(before, after, cell=arguments.cell, moved_by=arguments.moved_by)
    write_out(json.dumps(found.to_mapping()) + "\n" if arguments.json else _text(found))
    passed = [
        _holds("added", found.added, arguments.max_added),
        _holds("removed", found.removed, arguments.max_removed),
    ]
    return DONE if all(passed) else GATE_FAILED


def _text(found: Difference) -> str:
    if not found.places:
        return f"no difference, looked at in cells of {found.cell:g} m\n"
    lines = [f"added {found.added:,.1f} m², removed {found.removed:,.1f} m², moved {found.moved:,.1f} m²"]
    for place in found.places[:_SHOWN]:
        lines.append(f"  {place.kind} {place.square_metres:,.1f} m² at {place_in_words(place.point)}")
    if len(found.places) > _SHOWN:
        lines.append(f"  and {len(found.places) - _SHOWN:,} smaller places")
    return "\n".join(lines) + "\n"


def _holds(what: str, metres: float, most: float | None) -> bool:
    if most is None or metres <= most:
        return True
    write_error(f"navcore: GATE_FAILED: {metres:,.2f} m² of ground were {what}, and --max-{what} is {most:g}.")
    return False
