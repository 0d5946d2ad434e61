"""The islands of a navmesh file, for `navcore info --islands`, and what joins them, for `--joins`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ..build_warning import counted
from ..formats import read_navmesh_file
from ..formats.mesh_measures import plain_islands
from ..formats.plain_navmesh import PlainNavmesh
from ..questions.island_joins import IslandJoin, island_join
from ..questions.nearest_pair import IslandGround
from ..settings import Settings

_MOST_LINES = 40  # of islands, for people
_MOST_JOINS = 200  # the largest islands; what joins smaller ones is not looked for


def island_facts(path: Path, joins: bool = False, size: str | None = None) -> list[dict[str, Any]]:
    """Every island of a navmesh file, or of those for a size of agents, the one with the most ground first.

    Raises NavmeshError.

    `join` is there where it is asked for: what is missing to the nearest other island, None where there is no other, or
    for more islands than 200.
    """
    plain = read_navmesh_file(path)
    plain = plain if size is None else plain.of_size(size)
    islands, square_metres = plain_islands(plain)
    polygons = np.bincount(islands, minlength=len(square_metres))
    rows: list[dict[str, Any]] = [
        {"island": k, "square_metres": round(float(size), 3), "polygons": int(polygons[k]), "bounds": bounds}
        for k, (size, bounds) in enumerate(zip(square_metres, _bounds(plain, islands), strict=True))
    ]
    if joins:
        ground = IslandGround(plain.vertices, plain.first, plain.corners, plain.neighbors, islands)
        settings = _settings(plain)
        for row in rows:
            join = island_join(ground, row["island"], settings) if row["island"] < _MOST_JOINS else None
            row["join"] = None if join is None else _join_facts(join)
    return rows


def _bounds(plain: PlainNavmesh, islands: Any) -> list[list[float]]:
    """Low and high corner of each island."""
    of_corner = np.repeat(islands, np.diff(plain.first))
    count = int(islands.max(initial=-1)) + 1
    low, high = np.full((count, 3), np.inf), np.full((count, 3), -np.inf)
    np.minimum.at(low, of_corner, plain.vertices[plain.corners])
    np.maximum.at(high, of_corner, plain.vertices[plain.corners])
    return [[round(value, 3) for value in row] for row in np.concatenate([low, high], axis=1).tolist()]


def _settings(plain: PlainNavmesh) -> Settings:
    """What is known of the agent: a Detour file has it in its header, and does not say how high cells are."""
    if plain.settings is not None:
        return plain.settings
    agent: dict[str, float] = {}
    if plain.lattice is not None:
        agent |= {"cell_size": plain.lattice, "cell_height": plain.lattice / 2}
    if plain.file is not None and plain.file.tiles:
        header = plain.file.tiles[0].sections.header[0]
        agent |= {f"agent_{name}": float(header[f"agent_{name}"]) for name in ("height", "radius", "max_climb")}
    return Settings.from_mapping({**Settings().to_mapping(), **agent})


def _join_facts(join: IslandJoin) -> dict[str, Any]:
    return {
        "other": join.other,
        "missing": join.missing.value,
        "from": [round(value, 3) for value in join.start],
        "to": [round(value, 3) for value in join.end],
        "gap": round(join.gap, 3),
        "rise": round(join.rise, 3),
        "setting": join.setting,
        "value": join.value,
        "sentence": join.sentence,
    }


def island_rows(rows: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """The same for people, a line each."""
    lines = []
    for row in rows[:_MOST_LINES]:
        text = f"{row['square_metres']:,.1f} m² in {counted(row['polygons'], 'polygon')}"
        if row.get("join"):
            text += f"; to island {row['join']['other']}: {row['join']['sentence']}"
        lines.append((f"  island {row['island']}", text))
    if len(rows) > _MOST_LINES:
        lines.append(("", f"… and {len(rows) - _MOST_LINES:,} smaller ones"))
    return lines
