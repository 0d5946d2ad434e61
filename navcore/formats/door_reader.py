"""Doors, and sizes of agents, read from files of any origin."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..agent_sizes import AgentSize, as_sizes
from ..errors import BadInput
from ..result.navmesh import Door
from .mesh_checks import Unsound
from .plain_doors import PlainDoors

_MOST = {"polygons": (1 << 64) - 1, "numbers": 0x7FFFFFFF, "open": 0xFFFF, "closed": 0xFFFF}
_KEYS = {"name", "polygons", "open", "closed", "is_closed", "numbers"}


def read_doors(content: Mapping[str, Any], polygons: int) -> PlainDoors | None:
    """The doors of a file with so many polygons. Raises Unsound."""
    records = content.get("doors", [])
    if not isinstance(records, list):
        raise Unsound(f"doors must be a list, not {records!r:.40}.")
    of_polygon = np.full(polygons, -1, np.int32)
    rows = []
    for number, record in enumerate(records):
        if not isinstance(record, Mapping) or set(record) != _KEYS:
            raise Unsound(f"Door {number + 1} must have {', '.join(sorted(_KEYS))}, not {record!r:.60}.")
        named = isinstance(record["name"], str) and record["name"] and isinstance(record["is_closed"], bool)
        listed = all(isinstance(record[key], list) for key in ("polygons", "numbers"))
        values = [(key, v) for key in _MOST for v in (record[key] if isinstance(record[key], list) else [record[key]])]
        if not named or not listed or not all(type(v) is int and 0 <= v <= _MOST[key] for key, v in values):
            raise Unsound(f"Door {number + 1} holds what no door has: {record!r:.60}.")
        own = np.array(record["numbers"], np.int64)
        if (own >= polygons).any() or (of_polygon[own] >= 0).any() or len(np.unique(own)) < len(own):
            raise Unsound(f"Door {number + 1} has polygons that do not exist, or that another door has.")
        of_polygon[own] = number
        rows.append(
            Door(record["name"], tuple(record["polygons"]), record["open"], record["closed"], record["is_closed"])
        )
    return PlainDoors(tuple(rows), of_polygon) if rows else None


def read_sizes(content: Mapping[str, Any]) -> tuple[AgentSize, ...]:
    """The sizes of agents that a navmesh is for. Raises Unsound."""
    records = content.get("sizes", [])
    if not isinstance(records, list):
        raise Unsound(f"sizes must be a list, not {records!r:.40}.")
    try:
        sizes = as_sizes(records)
    except BadInput as wrong:
        raise Unsound(str(wrong), wrong.code) from None
    for size in sizes:
        if size.exclude == 0 or size.exclude & (size.exclude - 1):
            raise Unsound(f"The size “{size.name}” must exclude one flag, not {size.exclude}.")
    return sizes
