"""What a navmesh file of any format holds, in one shape: counts, areas and what they cost, bounds, agent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..area_types import AREA_TYPES, type_of
from ..detour.file_contents import cell_sizes, contents_of
from ..detour.reader import MOST_BYTES, NavmeshFile, read_navmesh
from ..errors import BadInput
from ..wide_links import KINDS
from . import ENDINGS, READ
from .gltf.glb_reader import read_glb_navmesh
from .godot.godot_mesh_reader import read_tres
from .godot.scene_reader import read_tscn
from .json_mesh import read_json
from .mesh_checks import Unsound
from .mesh_measures import areas_from_above, plain_islands
from .plain_navmesh import PlainNavmesh


def file_facts(path: Path) -> dict[str, Any]:
    """What a file holds, as plain numbers by name; None for what its format has no place for. Raises NavmeshError.

    Files of unknown endings are taken for Detour's.
    """
    ending = path.suffix.lower()
    if ending in ENDINGS and ending not in READ:
        why = "`navcore convert` makes a navmesh of its faces" if ending == ".obj" else "this format is only written"
        raise BadInput(f"{path.name}: {why}. What a file holds is told of {', '.join(READ)}.", "UNKNOWN_FORMAT")
    content = _content(path)
    if ending == ".json":
        kind, facts = "JSON", _plain_facts(read_json(content))
    elif ending == ".tres":
        kind, facts = "Godot mesh", _plain_facts(read_tres(content)[0])
    elif ending == ".tscn":
        kind, facts = "Godot scene", _plain_facts(read_tscn(content))
    elif ending == ".glb":
        mesh, triangles = read_glb_navmesh(content)
        kind, facts = "glTF", _plain_facts(mesh, triangles)
    else:
        file = read_navmesh(content)
        kind = file.kind if file.wide is None else f"{file.kind} with 64-bit references"
        facts = {**_level(file), **_counts(file)}
    return {"file": str(path), "format": kind, "bytes": len(content), **facts}


def _content(path: Path) -> bytes:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise Unsound(f"{path} has {path.stat().st_size:,} bytes (limit {MOST_BYTES:,}).", "FILE_TOO_LARGE")
        return path.read_bytes()
    except OSError as reason:
        raise BadInput(f"Could not read {path}: {reason.strerror or reason}.", "CANNOT_READ") from None


# ----------------------------------------------------------------- Detour's own


def _level(file: NavmeshFile) -> dict[str, Any]:
    """The agent, which all tiles of a level share; the cells of most tiles and of others; the bounds of all tiles."""
    headers = [tile.sections.header[0] for tile in file.tiles]
    if not headers:
        nothing = dict.fromkeys(("grid", "agent", "cell_size", "cell_sizes", "settings", "bounds"))
        return {"tiles": 0, **nothing}
    agent = {name: _short(headers[0][f"agent_{name}"]) for name in ("height", "radius", "max_climb")}
    low = [_short(min(h["bounds_min"][axis] for h in headers)) for axis in range(3)]
    high = [_short(max(h["bounds_max"][axis] for h in headers)) for axis in range(3)]
    cells = cell_sizes(file)
    return {
        "tiles": len(headers), "grid": _grid(file), "agent": agent, "cell_size": cells[0].size,
        "cell_sizes": [{"cell_size": size, "tiles": tiles} for size, tiles in cells], "settings": None,
        "bounds": [*low, *high],
    }  # fmt: skip


def _grid(file: NavmeshFile) -> dict[str, Any] | None:
    """Where tiles lie, for a set of them."""
    if file.kind != "MSET":
        return None
    x, y = ([tile_number(tile) for tile in file.tiles] for tile_number in (lambda t: t.x, lambda t: t.y))
    size = [_short(file.parameters.tile_width), _short(file.parameters.tile_depth)]
    return {
        "origin": [_short(value) for value in file.parameters.origin], "tile": size,
        "columns": [min(x), max(x)], "rows": [min(y), max(y)],
    }  # fmt: skip


def _counts(file: NavmeshFile) -> dict[str, Any]:
    counts = contents_of(file)
    areas = [
        _share(share.area, type_of(share.area, AREA_TYPES).name, None, share.polygons, share.square_metres)
        for share in counts.areas
    ]
    return {
        "polygons": counts.polygons,
        "vertices": counts.vertices,
        "triangles": sum(int(tile.sections.header[0]["detail_triangles"]) for tile in file.tiles),
        "links": counts.connections,
        "links_by_kind": None,
        "islands": counts.islands,
        "square_metres": round(sum(share.square_metres for share in counts.areas), 3),
        "areas": areas,
        "area_types": None,
    }


# ------------------------------------------------------------------ plain arrays


def _plain_facts(mesh: PlainNavmesh, detail_triangles: int = 0) -> dict[str, Any]:
    """The same of what has no tiles. Islands are those of edges: where links lead, only a game finds out."""
    settings = mesh.settings
    agent = settings and {
        name: _short(getattr(settings, f"agent_{name}")) for name in ("height", "radius", "max_climb")
    }
    detail_triangles = detail_triangles if mesh.detail is None else len(mesh.detail.triangles)
    areas = list(_shares(mesh))
    return {
        "tiles": None, "grid": None, "agent": agent, "cell_size": None if mesh.lattice is None else mesh.lattice,
        "cell_sizes": None, "settings": None if settings is None or mesh.lattice is None else settings.to_mapping(),
        "bounds": [_short(v) for v in (*mesh.vertices.min(axis=0), *mesh.vertices.max(axis=0))],
        "polygons": len(mesh.first) - 1,
        "vertices": len(mesh.vertices),
        "triangles": detail_triangles or len(mesh.corners) - 2 * (len(mesh.first) - 1),
        "links": len(mesh.links),
        "links_by_kind": _links_by_kind(mesh),
        "islands": len(plain_islands(mesh)[1]),
        "square_metres": round(sum(area["square_metres"] for area in areas), 3),
        "areas": areas,
        "area_types": mesh.told_types(),
    }  # fmt: skip


def _links_by_kind(mesh: PlainNavmesh) -> dict[str, int] | None:
    """How many links were given, and how many of each kind were found; a wide one counts once, not by its points."""
    if not mesh.wide_links:
        return None
    found = Counter(wide.kind for wide in mesh.wide_links)
    given = len(mesh.links) - sum(len(wide.points) for wide in mesh.wide_links)
    return {"given": given, **{kind: found[kind] for kind in KINDS}}


def _shares(mesh: PlainNavmesh) -> Iterator[dict[str, Any]]:
    size = np.abs(areas_from_above(mesh))
    for area in np.unique(mesh.area).tolist():
        chosen, kind = mesh.area == area, type_of(area, mesh.area_types)
        yield _share(area, kind.name, kind.cost, int(chosen.sum()), float(size[chosen].sum()))


def _share(area: int, name: str, cost: float | None, polygons: int, square_metres: float) -> dict[str, Any]:
    return {
        "area": area, "name": name, "cost": cost, "polygons": polygons, "square_metres": round(square_metres, 3),
    }  # fmt: skip


def _short(value: Any, digits: int = 7) -> float:
    """A float32 as a person would write it."""
    return float(f"{float(value):.{digits}g}")
