"""Godot 4: a NavigationMesh as `.tres`, and as `.tscn` the scene around it: a region for each area, and the links."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ...area_types import type_of
from ...geometry.polygon_rings import first_of_each
from ...result.navmesh import Door
from ...types import F32, I32, I64, ArrayLike, Bools
from ..mesh_checks import CannotCarry, check_edges
from ..plain_doors import told_doors
from ..plain_navmesh import FINEST_CELL, PlainNavmesh

STEPS = (0.25, 0.2, 0.15, 0.1, 0.05, 0.025, 0.02, 0.01, 0.005, 0.002, 0.001)  # metres, Godot's own default first
_FIRST_OF_SIZES = 1 << 16  # the layer of the first size of agents
_AGENT = ("agent_height", "agent_radius", "agent_max_climb", "agent_max_slope")
OF_LINKS = ("radius", "area", "flags", "id")  # what Godot's links have no property for
_NOT_IN_NAMES = '.:@/"%'  # what Godot does not allow in the name of a node


class MapCells(NamedTuple):
    """The cells of the navigation map that the mesh goes to: vertices in one cell are one vertex to Godot."""

    size: float  # metres, Project Settings > Navigation > 3D > Default Cell Size
    height: float  # metres, Default Cell Height


def map_cells(mesh: PlainNavmesh, size: float | None = None, height: float | None = None) -> MapCells:
    """The cells to write: those asked for, else the largest of STEPS in which no two vertices share a cell."""
    widest = np.inf if mesh.lattice is None or mesh.lattice < FINEST_CELL else mesh.lattice * (1 + 1e-5)
    sizes = [size] if size is not None else [step for step in STEPS if step <= widest] or [STEPS[-1]]
    heights = STEPS if height is None else [height]
    for chosen in sizes:
        for high in heights:
            if len(_keys(mesh.vertices, MapCells(chosen, high))[1]) == len(mesh.vertices):
                return MapCells(chosen, high)
    if size is not None:
        return MapCells(size, STEPS[0] if height is None else height)
    raise CannotCarry(
        f"Two vertices of the navmesh are nearer than {STEPS[-1]} m, the smallest cell a Godot map is given here. "
        "Build with a larger cell_size.",
        "GODOT_CELLS",
    )


def welded(mesh: PlainNavmesh, cells: MapCells) -> PlainNavmesh:
    """The mesh with one vertex for those that Godot takes for one, and without polygons that have no extent then."""
    of_vertex, first_in_cell = _keys(mesh.vertices, cells)
    if len(first_in_cell) == len(mesh.vertices):
        return mesh
    rings = [_ring(of_vertex[corners].tolist()) for corners in np.split(mesh.corners, mesh.first[1:-1])]
    left = np.array([len(ring) >= 3 for ring in rings])
    if not left.any():
        raise CannotCarry(f"With cells of {cells.size:g} m no polygon is left. Choose smaller ones.", "GODOT_CELLS")
    rings = [ring for ring in rings if len(ring) >= 3]
    first, corners = _joined(rings)
    vertices, corners = _in_use(mesh.vertices[first_in_cell], corners)
    from ...result.stitch.stitched_mesh import connected

    return mesh._replace(
        vertices=vertices, first=first, corners=corners, neighbors=connected(first, corners, len(vertices)),
        area=mesh.area[left], flags=mesh.flags[left], region=mesh.region[left], detail=None,
        doors=None if mesh.doors is None else mesh.doors.of(left),
    )  # fmt: skip


def _keys(vertices: F32, cells: MapCells) -> tuple[I32, I64]:
    """For each vertex the number of its cell, and of each cell the first vertex, in order. Godot: get_point_key."""
    steps = np.array([cells.size, cells.height, cells.size], np.float32)
    first, number = first_of_each(np.floor(vertices / steps))
    return number, first


def _ring(ids: list[int]) -> list[int]:
    """A polygon's corners without repetitions."""
    ring = [v for v, before in zip(ids, [ids[-1], *ids[:-1]], strict=True) if v != before]
    return ring if len(set(ring)) == len(ring) else []


def _joined(rings: list[list[int]]) -> tuple[I32, I32]:
    first = np.cumsum([0] + [len(ring) for ring in rings]).astype(np.int32)
    return first, np.array([v for ring in rings for v in ring], np.int32)


def _in_use(vertices: F32, corners: I32) -> tuple[F32, I32]:
    used, ids = np.unique(corners, return_inverse=True)
    return vertices[used], ids.ravel().astype(np.int32)


# ------------------------------------------------------------------------- text


def tres_bytes(navmesh: PlainNavmesh, cells: MapCells) -> bytes:
    """A NavigationMesh: n-gons as they are. What Godot has no property for is kept under `metadata/navmesh`."""
    mesh = welded(navmesh, cells)
    check_edges(mesh, "Godot")
    metadata: dict[str, Any] = {"version": 1}
    if mesh.settings is not None:
        metadata["settings"] = mesh.settings.to_mapping()
    for name, values in (("areas", mesh.area), ("flags", mesh.flags), ("regions", mesh.region)):
        metadata[name] = values.tolist()
    metadata["area_types"] = mesh.told_types(links=False)
    rows = _assigned(_properties(mesh, cells))
    return _text(['[gd_resource type="NavigationMesh" format=3]', "", "[resource]", *rows, _metadata(metadata)])


def tscn_bytes(navmesh: PlainNavmesh, cells: MapCells, name: str) -> bytes:
    """A scene: for each area and each door a NavigationRegion3D with its ground, for each link a NavigationLink3D.

    A wide link has one for each of its points, which know its kind and its corners.

    Abilities become navigation layers, with the first one always set, so that agents with Godot's default layers walk
    everywhere they can; an area or link without any flag gets no layer, and nobody enters it. Sizes of agents have
    layers of their own, where they fit: 17 the first one, 18 the second. A closed door has the layers that it has when
    it is open, and is disabled. What an area costs is the travel cost of its region and of links. What Godot has no
    property for is kept under `metadata/navmesh`.
    """
    check_node_name(name)
    mesh = welded(navmesh, cells)
    check_edges(mesh, "Godot")
    kinds, which = np.unique(kinds_of(mesh), axis=0, return_inverse=True)
    parts = [part_of(mesh, which.ravel() == kind) for kind in range(len(kinds))]
    names = _unique(_region_name(part) for part in parts)
    lines = [f"[gd_scene load_steps={len(parts) + 1} format=3]"]
    for number, part in enumerate(parts):
        lines += ["", f'[sub_resource type="NavigationMesh" id="NavigationMesh_{number}"]']
        lines += _assigned(_properties(part, cells))
    lines += ["", f'[node name={quoted(name)} type="Node3D"]', _metadata(_of_scene(mesh, len(parts)))]
    for number, (part, region) in enumerate(zip(parts, names, strict=True)):
        area, flags = int(part.area[0]), int(part.flags[0])
        lines += ["", f'[node name={quoted(region)} type="NavigationRegion3D" parent="."]']
        door = _door_of(part)
        closed, told = door is not None and door.is_closed, {} if door is None else {"door": door.name}
        lines += [f'navigation_mesh = SubResource("NavigationMesh_{number}")', *(["enabled = false"] if closed else [])]
        lines += [_layers(mesh, door.open if door is not None and closed else flags), *_cost(mesh, area)]
        lines += [_metadata({"area": area, "flags": flags, "regions": part.region.tolist(), **told})]
    wide_of = _wide_link_of_each(mesh)
    for number, link in enumerate(mesh.links, 1):
        lines += ["", f'[node name="Link {number}" type="NavigationLink3D" parent="."]', _layers(mesh, link.flags)]
        lines += [f"bidirectional = {str(link.bidirectional).lower()}"]
        lines += [f"{end}_position = Vector3({_numbers(getattr(link, end))})" for end in ("start", "end")]
        lines += _cost(mesh, link.area)
        lines += [_metadata({name: getattr(link, name) for name in OF_LINKS} | wide_of.get(number, {}))]
    return _text(lines)


def _wide_link_of_each(mesh: PlainNavmesh) -> dict[int, dict[str, Any]]:
    """What the node of a point keeps of its wide link, by the number of the link."""
    owners = [(which, wide) for which, wide in enumerate(mesh.wide_links, 1) for _ in wide.points]
    before = len(mesh.links) - len(owners)
    return {
        before + place: {"wide_link": which, "kind": wide.kind, "corners": wide.to_mapping()["corners"]}
        for place, (which, wide) in enumerate(owners, 1)
    }


def _of_scene(mesh: PlainNavmesh, regions: int) -> dict[str, Any]:
    settings = {} if mesh.settings is None else {"settings": mesh.settings.to_mapping()}
    counts = {"regions": regions, "links": len(mesh.links)}  # so that a file that was cut off is seen to be
    doors = None if mesh.doors is None else mesh.doors.of(order_of_regions(mesh))
    return {
        "version": 1,
        **counts,
        **settings,
        "area_types": mesh.told_types(),
        **told_doors(doors),
        **mesh.told_sizes(),
    }


def kinds_of(mesh: PlainNavmesh) -> I64:
    """(P, 3) what polygons of one region have in common: area, flags and door."""
    door = np.full(len(mesh.area), -1) if mesh.doors is None else mesh.doors.of_polygon
    return np.stack([mesh.area, mesh.flags, door], axis=1).astype(np.int64)


def order_of_regions(mesh: PlainNavmesh) -> I64:
    """The polygons in the order of the file: region after region."""
    area, flags, door = kinds_of(mesh).T
    return np.lexsort((door, flags, area)).astype(np.int64)


def _door_of(part: PlainNavmesh) -> Door | None:
    """The door that a region is."""
    row = -1 if part.doors is None else int(part.doors.of_polygon[0])
    return None if part.doors is None or row < 0 else part.doors.rows[row]


def _region_name(part: PlainNavmesh) -> str:
    door = _door_of(part)
    if door is None:
        return area_name(part, int(part.area[0]))
    check_node_name(door.name)
    return door.name


def part_of(mesh: PlainNavmesh, chosen: Bools) -> PlainNavmesh:
    """Some of the polygons alone, with the vertices they use."""
    rings = [ring for ring, own in zip(mesh.rings(), chosen, strict=True) if own]
    first, corners = _joined(rings)
    vertices, corners = _in_use(mesh.vertices, corners)
    return mesh._replace(
        vertices=vertices, first=first, corners=corners, neighbors=np.full(len(corners), -1, np.int32),
        area=mesh.area[chosen], flags=mesh.flags[chosen], region=mesh.region[chosen], detail=None, links=(),
        wide_links=(), doors=None if mesh.doors is None else mesh.doors.of(chosen),
    )  # fmt: skip


def area_name(mesh: PlainNavmesh, area: int) -> str:
    name = type_of(area, mesh.area_types).name
    check_node_name(name)
    return name


def check_node_name(name: str) -> None:
    """Refuse what Godot would change in silence."""
    wrong = next((c for c in name if c in _NOT_IN_NAMES or not c.isprintable()), None)
    if wrong is not None or not name.strip():
        what = f"holds {wrong!r}, which Godot does not allow" if wrong else "is empty"
        raise CannotCarry(f"The name {name!r} {what} in the name of a node. Rename it.", "BAD_NODE_NAME")


def _unique(names: Iterable[str]) -> list[str]:
    unique: list[str] = []
    for name in names:
        unique.append(name if name not in unique else f"{name} {len(unique)}")
    return unique


def _cost(mesh: PlainNavmesh, area: int) -> list[str]:
    """What a metre costs there, where that is not Godot's own 1."""
    cost = type_of(area, mesh.area_types).cost
    return [] if cost == 1.0 else [f"travel_cost = {_number(cost)}"]


def _metadata(content: Mapping[str, Any]) -> str:
    return f"metadata/navmesh = {quoted(json.dumps(content, separators=(',', ':')))}"


def _layers(mesh: PlainNavmesh, flags: int) -> str:
    """Godot's agents ask for any of their layers and exclude none: so each size that fits has a layer, from 17 up."""
    keep_out = sum(size.exclude for size in mesh.sizes)
    fit = sum(_FIRST_OF_SIZES << number for number, size in enumerate(mesh.sizes) if not flags & size.exclude)
    return f"navigation_layers = {flags & ~keep_out | 1 | fit if flags else 0}"


def _properties(mesh: PlainNavmesh, cells: MapCells) -> list[tuple[str, str]]:
    # Godot's faces are clockwise seen from above; the first corner stays the first.
    turned = ([ring[0], *ring[:0:-1]] for ring in mesh.rings())
    polygons = ", ".join(f"PackedInt32Array({', '.join(map(str, ring))})" for ring in turned)
    rows = [("vertices", f"PackedVector3Array({_numbers(mesh.vertices)})"), ("polygons", f"[{polygons}]")]
    rows += [("cell_size", _number(cells.size)), ("cell_height", _number(cells.height))]
    return rows + [(name, _number(getattr(mesh.settings, name))) for name in _AGENT if mesh.settings is not None]


def _numbers(values: ArrayLike) -> str:
    """The shortest digits that give each float32 again."""
    return ", ".join(np.asarray(values, np.float32).ravel().astype("U").tolist())


def _number(value: float) -> str:
    return _numbers([value])


def quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _assigned(rows: Iterable[tuple[str, str]]) -> list[str]:
    return [f"{name} = {value}" for name, value in rows]


def _text(lines: list[str]) -> bytes:
    return ("\n".join(lines) + "\n").encode()
