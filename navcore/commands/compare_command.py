"""`navcore compare`: what changed from one navmesh file to another, and a gate on how much may."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from ..build_warning import place_in_words
from ..difference.compare import Difference, navmesh_difference
from ..errors import BadInput
from ..formats import read_navmesh_file
from ..formats.plain_navmesh import PlainNavmesh
from ..pictures.plan_view import plan_view
from .console import write_error, write_out
from .exit_status import DONE, GATE_FAILED

_SHOWN = 10  # places; --json has all of them


def run(arguments: argparse.Namespace) -> int:
    """Say what changed. Exit status 3 where more was added, removed or moved than may be."""
    if arguments.output is not None:
        _check_shown(arguments.output)
    before, after = (read_navmesh_file(path) for path in (arguments.before, arguments.after))
    found = navmesh_difference(before, after, cell=arguments.cell, moved_by=arguments.moved_by)
    if arguments.output is not None:
        _show(arguments, after, found)
    write_out(json.dumps(found.to_mapping()) + "\n" if arguments.json else _text(found))
    passed = [
        _holds("added", found.added, arguments.max_added),
        _holds("removed", found.removed, arguments.max_removed),
        _holds("moved", found.moved, arguments.max_moved),
    ]
    return DONE if all(passed) else GATE_FAILED


def _check_shown(path: Path) -> None:
    """Refuse, before anything is computed, what could not be written afterwards."""
    from .picture_command import PICTURES, check_picture

    if path.suffix.lower() == ".html":
        from ..page.write_page import check_page

        check_page(path)
    elif path.suffix.lower() in PICTURES:
        check_picture(path)
    else:
        raise BadInput(
            f"{path.name}: a comparison is shown as {', '.join(PICTURES)} or .html. Name it so.", "UNKNOWN_FORMAT"
        )


def _show(arguments: argparse.Namespace, after: PlainNavmesh, found: Difference) -> None:
    """Write a picture from above, or a page that has both."""
    title = f"{arguments.before.name} → {arguments.after.name}"
    if arguments.output.suffix.lower() == ".html":
        from ..formats.read_any import read_navmesh
        from ..page.write_page import PageContent, write_page

        old, new = (read_navmesh(path) for path in (arguments.before, arguments.after))
        write_page(PageContent(title, new, before=old, difference=found), arguments.output)
        return
    from ..difference.difference_picture import difference_picture
    from .picture_command import changes_over, plan_of, write_picture

    write_picture(changes_over(plan_view(title, plan_of(after)), difference_picture(found)), arguments.output)


def _text(found: Difference) -> str:
    how = "; one of both has no detail, so both are as corners of polygons have them" if found.by_corners else ""
    if not found.places:
        return f"no difference, looked at in cells of {found.cell:g} m{how}\n"
    lines = [f"added {found.added:,.1f} m², removed {found.removed:,.1f} m², moved {found.moved:,.1f} m²{how}"]
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
