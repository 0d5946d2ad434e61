"""`navcore info`: what a Detour file holds, for people or as JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..area_types import AREA_TYPES
from ..build_warning import place_in_words
from ..detour.file_checks import BadFile
from ..detour.file_contents import Contents, contents_of
from ..detour.reader import MOST_BYTES, NavmeshFile, read_navmesh
from ..errors import BadInput


def info_text(path: Path, as_json: bool) -> str:
    """What the file holds, as text. Raises NavmeshError."""
    facts = file_info(path)
    return json.dumps(facts, indent=2) + "\n" if as_json else _lines(facts)


def file_info(path: Path) -> dict[str, Any]:
    """The same as plain numbers by name."""
    file = read_navmesh(_content(path))
    return {"file": str(path), "format": file.kind, "bytes": file.size, **_level(file), **_counts(contents_of(file))}


def _content(path: Path) -> bytes:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise BadFile(f"{path} has {path.stat().st_size:,} bytes (limit {MOST_BYTES:,}).", "FILE_TOO_LARGE")
        return path.read_bytes()
    except OSError as reason:
        raise BadInput(f"Could not read {path}: {reason.strerror or reason}.", "CANNOT_READ") from None


def _level(file: NavmeshFile) -> dict[str, Any]:
    """Agent and cells, which all tiles of a level share; the bounds of all tiles."""
    headers = [tile.sections.header[0] for tile in file.tiles]
    if not headers:
        return {"tiles": 0, "agent": None, "cell_size": None, "bounds": None}
    agent = {name: _short(headers[0][f"agent_{name}"]) for name in ("height", "radius", "max_climb")}
    low = [_short(min(h["bounds_min"][axis] for h in headers)) for axis in range(3)]
    high = [_short(max(h["bounds_max"][axis] for h in headers)) for axis in range(3)]
    cell_size = _short(1 / float(headers[0]["cells_per_metre"]), 6)
    return {"tiles": len(headers), "agent": agent, "cell_size": cell_size, "bounds": [*low, *high]}


def _counts(counts: Contents) -> dict[str, Any]:
    areas = [
        {
            "area": share.area,
            "name": AREA_TYPES[share.area].name if share.area in AREA_TYPES else f"area {share.area}",
            "polygons": share.polygons,
            "square_metres": round(share.square_metres, 3),
        }
        for share in counts.areas
    ]
    return {
        "polygons": counts.polygons,
        "vertices": counts.vertices,
        "links": counts.connections,
        "islands": counts.islands,
        "square_metres": round(sum(share.square_metres for share in counts.areas), 3),
        "areas": areas,
    }


def _short(value: Any, digits: int = 7) -> float:
    """A float32 as a person would write it."""
    return float(f"{float(value):.{digits}g}")


def _lines(facts: dict[str, Any]) -> str:
    rows = [
        ("file", f"{facts['file']} ({facts['format']}, {facts['bytes']:,} bytes)"),
        ("tiles", f"{facts['tiles']:,}"),
        ("polygons", f"{facts['polygons']:,} ({facts['vertices']:,} vertices)"),
        ("links", f"{facts['links']:,}"),
        ("islands", f"{facts['islands']:,}"),
        ("ground", f"{facts['square_metres']:,.1f} m² seen from above"),
    ]
    for share in facts["areas"]:
        rows.append((f"  {share['name']}", f"{share['square_metres']:,.1f} m² in {share['polygons']:,} polygons"))
    if facts["agent"]:
        agent = facts["agent"]
        rows.append(
            ("agent", f"{agent['height']:g} m tall, radius {agent['radius']:g} m, climbs {agent['max_climb']:g} m")
        )
        rows.append(("cell size", f"{facts['cell_size']:g} m"))
        low, high = facts["bounds"][:3], facts["bounds"][3:]
        rows.append(("bounds", " to ".join(map(place_in_words, (low, high)))))
    return "".join(f"{name:<12}{text}\n" for name, text in rows)
