"""What a page shows, as arrays that a browser reads as they are, and facts in JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..area_types import AREA_TYPES, AreaType
from ..build_warning import BuildWarning
from ..cover.find_cover import Cover
from ..crowd.heat.heat import Heat
from ..detour.byte_layout import CONNECTION
from ..detour.queries.islands import find_islands
from ..detour.reader import NavmeshFile
from ..difference.compare import Difference
from ..difference.difference_picture import difference_picture
from ..errors import BadInput
from ..formats.plain_from_detour import plain_of
from ..navquery.linked import ready_mesh
from ..navquery.query_mesh import QueryMesh
from ..pictures.colors import color_of_area, color_of_link
from ..result.navmesh import NavMesh
from ..result.wide_link_records import wide_link_records
from ..scene import Link, Seed
from ..types import F32, AnyArray
from ..views.cover_faces import cover_faces
from ..views.heat_faces import heat_faces
from ..views.picture import Picture
from ..wide_links import WideLink

MAX_LEVEL_TRIANGLES = 400_000  # of the level beneath: with more, the largest are shown
_STEPS = 0xFFFF  # of a coordinate of the level, between its lowest and its highest
_CLIMB = 0.9  # metres, where a navmesh has no tile that says it


class PageNavmesh(NamedTuple):
    """One navmesh of a page: arrays by name, and what is said of it."""

    arrays: dict[str, AnyArray]
    facts: dict[str, Any]


class Beside(NamedTuple):
    """What a page tells beside the navmesh itself: of its build, of its tests, of what is wanted of it."""

    warnings: Sequence[BuildWarning] = ()
    seeds: Sequence[Seed] = ()
    tests: Sequence[Mapping[str, Any]] = ()  # as a report has them
    must_reach: Sequence[Mapping[str, Any]] = ()

    @classmethod
    def of_report(cls, report: object, seeds: Sequence[Seed] = ()) -> Beside:
        """What the report of a build tells, as JSON has it. Raises BadInput for what is none."""
        if isinstance(report, Mapping) and isinstance(report.get("builds"), list):
            several = f"The report is on {len(report['builds'])} builds, and a page shows one."
            raise BadInput(f"{several} Build that level alone with a --report of its own.", "BAD_REPORT")
        if not isinstance(report, Mapping) or not isinstance(report.get("warnings"), list):
            raise _no_report("it has no list of warnings")
        warnings = [_warning(number, row) for number, row in enumerate(report["warnings"], 1)]
        tests, places = (_outcomes(report, key, at) for key, at in (("tests", "from"), ("must_reach", "point")))
        return cls(warnings, seeds, tests, places)


def _warning(number: int, row: object) -> BuildWarning:
    if not isinstance(row, Mapping) or not all(isinstance(row.get(key), str) for key in ("code", "message")):
        raise _no_report(f"warning {number} has no code and message")
    place = row.get("place")
    return BuildWarning(row["code"], row["message"], None if place is None else _place(f"warning {number}", place))


def _outcomes(report: Mapping[Any, Any], key: str, at: str) -> list[Mapping[str, Any]]:
    rows = report.get(key, [])
    if not isinstance(rows, list) or not all(_is_outcome(row, key == "tests") for row in rows):
        raise _no_report(f"the rows of {key} have no outcome")
    return [{**row, at: _place(f"row {number} of {key}", row.get(at))} for number, row in enumerate(rows, 1)]


def _is_outcome(row: object, of_a_path: bool) -> bool:
    """Whether a row says what a page tells of it: a name, and how long the path is or why something is not there."""
    if not isinstance(row, Mapping) or not isinstance(row.get("ok"), bool) or not isinstance(row.get("name"), str):
        return False
    if not row["ok"]:
        return isinstance(row.get("why"), str)
    return not of_a_path or (isinstance(row.get("length"), int | float) and not isinstance(row["length"], bool))


def _place(which: str, value: object) -> tuple[float, float, float]:
    numbers = value if isinstance(value, list | tuple) else ()
    if len(numbers) != 3 or not all(isinstance(n, int | float) and math.isfinite(n) for n in numbers):
        raise _no_report(f"{which} is at no place [x, y, z]")
    return float(numbers[0]), float(numbers[1]), float(numbers[2])


def _no_report(why: str) -> BadInput:
    return BadInput(f"The report is none of a build: {why}. Give the file that --report wrote.", "BAD_REPORT")


def page_navmesh(navmesh: NavMesh | NavmeshFile) -> PageNavmesh:
    """All that the page draws and asks of a navmesh."""
    mesh, _, _ = ready_mesh(navmesh)
    plain = plain_of(navmesh)
    ground = np.flatnonzero(mesh.polygons["kind"] != CONNECTION)
    islands = find_islands(navmesh)
    arrays = {**_polygons(mesh), **_links(mesh), **_detail(mesh), **_tiles(mesh)}
    arrays["region"], arrays["island"] = (np.zeros(len(mesh.polygons), np.uint32) for _ in range(2))
    arrays["region"][ground] = plain.region
    arrays["island"][ground] = islands.of_polygon[: len(ground)]
    facts = {
        "climb": float(mesh.tiles[0].agent_max_climb) if len(mesh.tiles) else _CLIMB,
        "radius": float(mesh.tiles[0].agent_radius) if len(mesh.tiles) else 0.0,
        "polygons": len(ground),
        "tiles": len(mesh.tiles),
        "areas": _areas(mesh, plain.area_types),
        "islands": [round(float(metres), 2) for metres in islands.square_metres],
        "hasRegions": bool(plain.region.any()),
        "links": _told_links(plain.links, plain.wide_links),
    }
    return PageNavmesh(arrays, facts)


def _polygons(mesh: QueryMesh) -> dict[str, AnyArray]:
    counts = mesh.polygons["corners"].astype(np.int64)
    taken = np.arange(mesh.outline.shape[1]) < counts[:, None]
    return {
        "firstCorner": _firsts(counts), "corners": mesh.outline[taken], "edges": _edges(mesh, taken),
        "area": mesh.polygons["area"].astype(np.uint8), "flags": mesh.polygons["flags"].astype(np.uint16),
        "kind": mesh.polygons["kind"].astype(np.uint8), "boxes": mesh.boxes, "order": _order(mesh),
    }  # fmt: skip


def _order(mesh: QueryMesh) -> AnyArray:
    """Ground polygons in the order in which Detour looks at them: of those that are as near the first one counts."""
    orders = []
    for tile in mesh.tiles:
        own = mesh.nodes["polygon"][tile.first_node : tile.end_node]
        orders.append(own[own >= 0] if len(own) else np.arange(tile.first_polygon, tile.first_connection))
    everything = np.concatenate([*orders, np.zeros(0, np.int32)])
    _, first = np.unique(everything, return_index=True)  # the last node of a tree is its first polygon again
    return everything[np.sort(first)].astype(np.uint32)


def _edges(mesh: QueryMesh, taken: AnyArray) -> AnyArray:
    """Of the edge from each corner to the next: 0 a wall, 1 ground beyond it, 2 ground of another tile."""
    across = np.zeros(mesh.outline.shape[:2], np.uint8)
    across[mesh.neighbors >= 0] = 1
    owner = np.repeat(np.arange(len(mesh.polygons)), mesh.polygons["end_link"] - mesh.polygons["first_link"])
    crossing = (mesh.links["side"] != 0xFF) & (mesh.polygons["kind"][mesh.links["target"]] != CONNECTION)
    crossing &= mesh.polygons["kind"][owner] != CONNECTION
    across[owner[crossing], mesh.links["edge"][crossing]] = 2
    return across[taken]


def _links(mesh: QueryMesh) -> dict[str, AnyArray]:
    names = {"target": np.uint32, "edge": np.uint8, "side": np.uint8, "low": np.uint8, "high": np.uint8}
    columns = {f"link{name.capitalize()}": mesh.links[name].astype(kind) for name, kind in names.items()}
    return {"firstLink": _firsts(mesh.polygons["end_link"] - mesh.polygons["first_link"]), **columns}


def _detail(mesh: QueryMesh) -> dict[str, AnyArray]:
    """Triangles by their corners; corners at one place are one."""
    points, corner = _at_one_place(mesh.triangles.reshape(-1, 3))
    count = mesh.polygons["end_triangle"] - mesh.polygons["first_triangle"]
    return {
        "firstTriangle": _firsts(count), "triangles": corner, "points": points,
        "triangleFlags": np.ascontiguousarray(mesh.marks[:, 3]),
    }  # fmt: skip


def _tiles(mesh: QueryMesh) -> dict[str, AnyArray]:
    """The box of each tile, and the tile of each polygon."""
    boxes = np.concatenate([mesh.tiles["low"], mesh.tiles["high"]], axis=1).astype(np.float32)
    return {"tileBoxes": boxes, "tile": mesh.polygons["tile"].astype(np.uint32)}


def _firsts(counts: AnyArray) -> AnyArray:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.uint32)


def _at_one_place(points: F32) -> tuple[F32, AnyArray]:
    """Points without those that lie where another does, and for each which one is left."""
    if not len(points):
        return points, np.zeros(0, np.uint32)
    rows = np.ascontiguousarray(points + np.float32(0)).view(np.dtype((np.void, 12))).ravel()
    kept, number = np.unique(rows, return_inverse=True)
    return kept.view(np.float32).reshape(-1, 3), number.ravel().astype(np.uint32)


def _areas(mesh: QueryMesh, types: Mapping[int, AreaType]) -> dict[str, dict[str, Any]]:
    """What is told of each area that is there: name, color, what a metre costs."""
    told = {}
    for area in np.unique(mesh.polygons["area"]).tolist():
        kind = types.get(area, AREA_TYPES.get(area))
        name = kind.name if kind is not None and kind.name else f"Area {area}"
        cost = 1.0 if kind is None else float(kind.cost)
        chosen = None if kind is None else kind.color
        color = color_of_area(area) if chosen is None else _on_screen(chosen)
        told[str(area)] = {"name": name, "color": color, "cost": cost}
    return told


def _on_screen(color: Sequence[float]) -> str:
    """A linear color as screens take it. IEC 61966-2-1."""
    parts = [12.92 * c if c <= 0.0031308 else 1.055 * c ** (1 / 2.4) - 0.055 for c in color]
    return "#" + "".join(f"{round(255 * min(max(part, 0.0), 1.0)):02x}" for part in parts)


def _told_links(links: Sequence[Link], wide_links: Sequence[WideLink]) -> dict[str, Any]:
    given = links[: len(links) - sum(len(wide.points) for wide in wide_links)]
    wide = [{**record, "color": color_of_link(record["kind"])} for record in wide_link_records(tuple(wide_links))]
    return {"points": [link.to_mapping() for link in given], "wide": wide}


# --- the level beneath, what changed, and what is told beside


def page_level(vertices: AnyArray, triangles: AnyArray) -> PageNavmesh:
    """The level beneath, in steps of a 65,535th of its size. Of a very large one its largest triangles."""
    corners = np.asarray(vertices, np.float64)[np.asarray(triangles, np.int64)].reshape(-1, 3, 3)
    corners = corners[np.isfinite(corners).all(axis=(1, 2))]
    count = len(corners)
    if count > MAX_LEVEL_TRIANGLES:
        sizes = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
        corners = corners[np.sort(np.argpartition(-sizes, MAX_LEVEL_TRIANGLES)[:MAX_LEVEL_TRIANGLES])]
    points = corners.reshape(-1, 3)
    low = points.min(axis=0) if count else np.zeros(3)
    step = np.maximum((points.max(axis=0) if count else np.ones(3)) - low, 1e-9) / _STEPS
    steps = np.round((points - low) / step).astype(np.uint16)
    packed = steps.astype(np.uint64) @ np.array([1 << 32, 1 << 16, 1], np.uint64)
    kept, number = np.unique(packed, return_inverse=True)
    places = np.stack([kept >> np.uint64(32), (kept >> np.uint64(16)) & np.uint64(_STEPS), kept & np.uint64(_STEPS)], 1)
    facts = {"low": low.tolist(), "step": step.tolist(), "triangles": count, "shown": len(corners)}
    return PageNavmesh({"places": places.astype(np.uint16), "corners": number.ravel().astype(np.uint32)}, facts)


def page_difference(found: Difference) -> PageNavmesh:
    """Faces over what was added, removed and moved, and the places."""
    picture = difference_picture(found)
    places = [
        {"kind": place.kind, "at": list(place.point), "m2": round(place.square_metres, 2)} for place in found.places
    ]
    facts = {
        "added": found.added, "removed": found.removed, "moved": found.moved, "places": places,
        "by_corners": found.by_corners,
    }  # fmt: skip
    arrays: dict[str, AnyArray] = {"faces": picture.corners, "colors": picture.face_colors}
    return PageNavmesh(arrays, facts)


def page_heat(heat: Heat) -> PageNavmesh:
    """Faces over the ground where agents lost time, rings around what held them up, and what these places are."""
    picture = heat_faces(heat)
    places = [
        {
            "at": list(place.at), "seconds": round(place.seconds, 1), "agents": place.agents,
            "width": round(place.width, 2) if math.isfinite(place.width) else None,
        }
        for place in heat.chokepoints
    ]  # fmt: skip
    return _page_picture(picture, {"places": places})


def page_cover(cover: Cover) -> PageNavmesh:
    """Arrows and plates for places of cover, and how many there are of each color."""
    picture = cover_faces(cover)
    legend = [{"color": list(row.color[:3]), "label": row.label, "count": row.count} for row in picture.legend]
    return _page_picture(picture, {"places": len(cover.at), "legend": legend})


def _page_picture(picture: Picture, facts: dict[str, Any]) -> PageNavmesh:
    arrays: dict[str, AnyArray] = {
        "faces": picture.corners, "colors": picture.face_colors, "lines": picture.lines,
    }  # fmt: skip
    return PageNavmesh(arrays, facts)


def told_beside(beside: Beside) -> dict[str, Any]:
    """Warnings, seeds, tests and places that must be there, ready for JSON."""
    return {
        "warnings": [
            {"code": w.code, "message": w.message, "at": None if w.place is None else list(w.place), "name": w.name}
            for w in beside.warnings
        ],
        "seeds": [{"at": list(seed.point), "name": seed.name} for seed in beside.seeds],
        "tests": [dict(test) for test in beside.tests],
        "mustReach": [dict(place) for place in beside.must_reach],
    }
