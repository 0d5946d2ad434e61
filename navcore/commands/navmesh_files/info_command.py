"""`navcore info`: what a navmesh file holds, for people or as JSON."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from ...build_warning import counted, place_in_words
from ...errors import BadInput
from ...formats.file_facts import file_facts
from ..console import write_out
from ..exit_status import DONE


def run(arguments: argparse.Namespace) -> int:
    """Say what the file holds."""
    asked = arguments.clearance, arguments.islands, arguments.joins, arguments.size
    write_out(info_text(arguments.file, arguments.json, *asked))
    return DONE


def info_text(
    path: Path, as_json: bool, clearance: bool = False, islands: bool = False, joins: bool = False,
    size: str | None = None,
) -> str:  # fmt: skip
    """What the file holds, as text; with how wide agents may be, its islands (those of a size), what joins them.

    Raises NavmeshError.
    """
    facts = file_facts(path)
    if clearance:
        from ..clearance_facts import clearance_facts  # here, so that only those who ask for it wait for its kernels

        if facts["tiles"] is None:
            raise BadInput(
                f"{path.name}: how wide agents may be is told of a .bin only. Export one, and ask that.",
                "UNKNOWN_FORMAT",
            )
        facts["clearance"] = clearance_facts(path)
    if islands or joins or size is not None:
        from ..island_facts import island_facts  # likewise

        facts["island_list"] = island_facts(path, joins, size)
    return json.dumps(facts, indent=2) + "\n" if as_json else _lines(facts)


def _lines(facts: dict[str, Any]) -> str:
    rows = [
        ("file", f"{facts['file']} ({facts['format']}, {facts['bytes']:,} bytes)"),
        *([] if facts["tiles"] is None else [("tiles", f"{facts['tiles']:,}")]),
        ("polygons", f"{facts['polygons']:,} ({facts['vertices']:,} vertices, {facts['triangles']:,} triangles)"),
        ("links", f"{facts['links']:,}{_kinds(facts['links_by_kind'])}"),
        ("islands", f"{facts['islands']:,}"),
        *_island_rows(facts),
        ("ground", f"{facts['square_metres']:,.1f} m² seen from above"),
    ]
    for share in facts["areas"]:
        cost = "" if share["cost"] is None else f", cost {share['cost']:g}"
        ground = f"{share['square_metres']:,.1f} m² in {counted(share['polygons'], 'polygon')}"
        rows.append((f"  {_one_line(share['name'])}", f"{ground}{cost}"))
    if facts["agent"]:
        agent = facts["agent"]
        rows.append(
            ("agent", f"{agent['height']:g} m tall, radius {agent['radius']:g} m, climbs {agent['max_climb']:g} m")
        )
    if facts["cell_size"]:
        rows.append(("cell size", _cells(facts)))
    if facts["bounds"]:
        low, high = facts["bounds"][:3], facts["bounds"][3:]
        rows.append(("bounds", " to ".join(map(place_in_words, (low, high)))))
    if "clearance" in facts:
        from ..clearance_facts import info_rows  # likewise

        rows += info_rows(facts["clearance"])
    return "".join(f"{name:<11} {text}\n" for name, text in rows)


def _cells(facts: dict[str, Any]) -> str:
    """How wide cells are; where tiles have finer or coarser ones, of how many tiles."""
    sizes = facts["cell_sizes"] or []
    if len(sizes) < 2:
        return f"{facts['cell_size']:g} m"
    return ", ".join(f"{row['cell_size']:g} m in {counted(row['tiles'], 'tile')}" for row in sizes)


def _kinds(counts: dict[str, int] | None) -> str:
    """How many of the links were given, and what those are that were found: wide ones, each with points of its own."""
    if counts is None:
        return ""
    found = [
        f"{count:,} {kind}{'' if count == 1 else 's'}" for kind, count in counts.items() if kind != "given" and count
    ]
    return f" ({counts['given']:,} given; points of {', '.join(found)} that were found)"


def _island_rows(facts: dict[str, Any]) -> list[tuple[str, str]]:
    if "island_list" not in facts:
        return []
    from ..island_facts import island_rows  # likewise

    return island_rows(facts["island_list"])


def _one_line(name: str) -> str:
    """A name as a file of any origin has it, as text that no terminal takes for more."""
    return "".join(c if c.isprintable() else "?" for c in name[:60])
