"""Godot scenes read: the regions and links of those that are written here, also after somebody saved them in Godot."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from ...area_types import AreaType, type_of
from ...build_warning import BuildWarning
from ...checked_fields import MAX_AREA, MAX_FLAGS
from ...result.wide_link_records import wide_link
from ...scene import Link, as_links
from ...settings import Settings
from ...types import F32, F64, I32
from ...wide_links import WideLink
from ..door_reader import read_doors, read_sizes
from ..mesh_checks import Unsound, check_sound
from ..mesh_measures import fans
from ..plain_doors import told_doors
from ..plain_navmesh import PlainNavmesh, lattice_of, one_at_each_place
from .godot_mesh_reader import assignments, column, metadata_of, neighbors_of, polygons_of, text_of, types_of
from .mesh_and_scene import OF_LINKS, MapCells, order_of_regions, welded

_HEADER = re.compile(r'\[(\w+)((?:[^\]"\n]|"(?:[^"\\\n]|\\.)*")*)\]')
_ATTRIBUTE = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')
_REFERENCE = re.compile(r'SubResource\("([^"]*)"\)')
_POINT = re.compile(r"Vector3\(([^()]*)\)")


class _Section(NamedTuple):
    """One part of the file: what its header says, and its values."""

    kind: str
    header: Mapping[str, str]
    values: Mapping[str, str]

    @property
    def name(self) -> str:
        return self.header.get("name", "")[:60]


def read_tscn(content: bytes) -> PlainNavmesh:
    """The ground of all regions of a scene, and its links. Raises NavmeshError that says what is wrong."""
    sections = list(_sections(text_of(content)))
    if not sections or sections[0].kind != "gd_scene":
        raise Unsound("The file is no Godot scene: it must begin with [gd_scene …].", "NOT_A_NAVMESH")
    nodes = [section for section in sections if section.kind == "node"]
    regions = [node for node in nodes if node.header.get("type") == "NavigationRegion3D"]
    if not regions:
        raise Unsound("The Godot scene has no NavigationRegion3D.", "NOT_A_NAVMESH")
    meshes = {section.header.get("id"): section.values for section in sections if section.kind == "sub_resource"}
    metadata = metadata_of(nodes[0].values)
    _check_counts(metadata, len(regions), sum(node.header.get("type") == "NavigationLink3D" for node in nodes))
    parts = [_region(node, meshes) for node in regions]  # takes each mesh out: no two regions have one
    links, wide_links = _links([node for node in nodes if node.header.get("type") == "NavigationLink3D"])
    vertices, first, corners = _joined(parts)
    settings = metadata.get("settings")
    values = Settings.from_mapping(settings) if isinstance(settings, Mapping) else None
    costs = [(link.area, cost) for link, cost in links] + [(part.area, part.cost) for part in parts]
    mesh = PlainNavmesh(
        vertices, first, corners, neighbors_of(first, corners, len(vertices)),
        np.concatenate([np.full(len(part.first) - 1, part.area, np.uint8) for part in parts]),
        np.concatenate([np.full(len(part.first) - 1, part.flags, np.uint16) for part in parts]),
        np.concatenate([part.region for part in parts]), None, tuple(link for link, _ in links),
        _types(metadata, costs), values, lattice_of(vertices, values), wide_links=wide_links,
        doors=read_doors(metadata, len(first) - 1), sizes=read_sizes(metadata),
    )  # fmt: skip
    check_sound(mesh)
    return mesh


def _check_counts(metadata: Mapping[str, Any], regions: int, links: int) -> None:
    """Refuse a scene with less than was written."""
    wanted: list[Any] = [metadata.get(name) for name in ("regions", "links")]
    if not all(type(count) is int for count in wanted) or (regions >= wanted[0] and links >= wanted[1]):
        return
    raise Unsound(
        f"The Godot scene has {regions} of its {wanted[0]} regions and {links} of its {wanted[1]} links: it was cut "
        "off, or somebody deleted nodes in Godot. Export it again.",
        "TRUNCATED",
    )


def _sections(text: str) -> Iterator[_Section]:
    at = len(text) - len(text.lstrip())
    while at < len(text):
        header = _HEADER.match(text, at)
        if header is None:
            raise Unsound(
                f"Line {text.count(chr(10), 0, at) + 1} of the file begins no section: {text[at : at + 40]!r}."
            )
        attributes = {name: re.sub(r"\\(.)", r"\1", value) for name, value in _ATTRIBUTE.findall(header[2])}
        values, at = assignments(text, header.end())
        yield _Section(header[1], attributes, values)


class _Region(NamedTuple):
    """The polygons of one region."""

    vertices: F32
    first: I32
    corners: I32
    area: int
    flags: int
    region: Any
    cost: float


def _region(node: _Section, meshes: dict[str | None, Mapping[str, str]]) -> _Region:
    metadata = _own(node)
    area = _whole(node, metadata, "area", MAX_AREA)
    flags = _whole(node, metadata, "flags", MAX_FLAGS)
    reference = _REFERENCE.fullmatch(node.values.get("navigation_mesh", ""))
    if reference is None or reference[1] not in meshes:
        raise Unsound(f"The region {node.name!r} names no NavigationMesh of the file, or that of another region.")
    vertices, first, corners = polygons_of(meshes.pop(reference[1]))
    return _Region(
        vertices, first, corners, area, flags, column(metadata, "regions", len(first) - 1, np.uint16), _cost(node)
    )


def _own(node: _Section) -> Mapping[str, Any]:
    """What was kept on a node that is written here and stands where it was put."""
    metadata = metadata_of(node.values)
    if not metadata:
        raise Unsound(f"The node {node.name!r} was not written here: it has no metadata/navmesh.", "NOT_A_NAVMESH")
    if "transform" in node.values:
        raise Unsound(f"The node {node.name!r} was moved in Godot. Reset its transform, and move the scene's root.")
    return metadata


def _whole(node: _Section, metadata: Mapping[str, Any], name: str, most: int) -> int:
    value = metadata.get(name)
    if type(value) is int and 0 <= value <= most:
        return value
    raise Unsound(f"{name} of the node {node.name!r} must be a whole number from 0 to {most}, not {value!r:.40}.")


def _cost(node: _Section) -> float:
    """What the node costs now, as somebody may have changed it in Godot."""
    text = node.values.get("travel_cost", "1.0")
    try:
        cost = float(text)
    except ValueError:
        cost = -1.0
    if 0 <= cost <= np.finfo(np.float32).max:
        return cost
    raise Unsound(f"travel_cost of the node {node.name!r} must be a number of at least 0, not {text!r:.40}.")


def _link(node: _Section) -> tuple[Link, float]:
    """A link, and what its node costs."""
    metadata = _own(node)
    ends = {end: _point(node, f"{end}_position") for end in ("start", "end")}
    direction = node.values.get("bidirectional", "true")
    if direction not in ("true", "false"):
        raise Unsound(f"bidirectional of the node {node.name!r} must be true or false, not {direction!r:.40}.")
    kept = {name: metadata[name] for name in OF_LINKS if name in metadata}
    return as_links([{**ends, "bidirectional": direction == "true", **kept}])[0], _cost(node)


_Kept = tuple[_Section, Link, float]  # a node, its link, and what it costs


def _links(nodes: list[_Section]) -> tuple[list[tuple[Link, float]], tuple[WideLink, ...]]:
    """All links with what they cost, points of wide ones last; and the wide ones, as their first points are now."""
    given: list[_Kept] = []
    points: dict[str, list[_Kept]] = {}
    for node in nodes:
        which = _own(node).get("wide_link")
        owner = given if which is None else points.setdefault(json.dumps(which), [])
        owner.append((node, *_link(node)))
    wide_links = tuple(_wide_link(own) for own in points.values())
    ordered = [*given, *(row for own in points.values() for row in own)]
    return [(link, cost) for _, link, cost in ordered], wide_links


def _wide_link(points: list[_Kept]) -> WideLink:
    node, first, _ = points[0]
    metadata = _own(node)
    record = {name: getattr(first, name) for name in ("bidirectional", "area", "flags", "id")}
    record |= {name: metadata[name] for name in ("kind", "corners") if name in metadata}
    return wide_link(f"The node {node.name!r}", record, [link for _, link, _ in points])


def _point(node: _Section, name: str) -> list[float]:
    text = node.values.get(name, "Vector3(0, 0, 0)")  # Godot leaves out what is its own default
    found = _POINT.fullmatch(text)
    try:
        numbers = [] if found is None else [float(word) for word in found[1].split(",")]
    except ValueError:
        numbers = []
    if len(numbers) != 3:
        raise Unsound(f"{name} of the node {node.name!r} must be a Vector3, not {text!r:.40}.")
    return numbers


def _joined(parts: list[_Region]) -> tuple[F32, I32, I32]:
    """All regions as one mesh, with one vertex at each place."""
    before = np.cumsum([0] + [len(part.vertices) for part in parts])
    corners = np.concatenate([part.corners + base for part, base in zip(parts, before, strict=False)])
    sizes = np.concatenate([np.diff(part.first) for part in parts])
    first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
    vertices, ids = one_at_each_place(np.concatenate([part.vertices for part in parts]))
    return vertices, first, ids[corners].astype(np.int32)


def _types(metadata: Mapping[str, Any], costs: Iterable[tuple[int, float]]) -> Mapping[int, AreaType]:
    """What areas mean; what regions and links cost in Godot is what counts."""
    types = dict(types_of(metadata))
    for area, cost in costs:
        kind = type_of(area, types)
        if np.float32(kind.cost) != np.float32(cost):
            types[area] = kind._replace(cost=cost)
    return types


# --- Checked before it is written.

_CONNECTS = 1.0  # metres; Godot's default link connection radius
_NODE = re.compile(r'^\[node name="((?:[^"\\]|\\.)*)" type="(\w+)"( parent="\.")?\]$', re.M)
_LINK_END = re.compile(r"^(?:start|end)_position = Vector3\(([^()]*)\)$", re.M)


def check_tscn(content: bytes, navmesh: PlainNavmesh, cells: MapCells) -> list[BuildWarning]:
    """Whether nodes and resources fit together, and the scene comes back as it was written.

    Returns a warning for links that Godot would not connect.
    """
    text = content.decode()
    nodes = [(m[1], m[2], m[3] is not None) for m in _NODE.finditer(text)]
    names = [name for name, _, _ in nodes]
    if len(set(names)) != len(names) or [below for _, _, below in nodes] != [False] + [True] * (len(nodes) - 1):
        raise Unsound("The .tscn has two nodes of one name, or not one root.")
    resources, used = (re.findall(pattern, text) for pattern in (r'\bid="(\w+)"', r'SubResource\("(\w+)"\)'))
    if resources != used or text.count('type="NavigationRegion3D"') != len(resources):
        raise Unsound("The .tscn has regions without their meshes.")
    points = [tuple(map(float, numbers.split(","))) for numbers in _LINK_END.findall(text)]
    if len(points) != 2 * len(navmesh.links) or text.count('type="NavigationLink3D"') != len(navmesh.links):
        raise Unsound("The .tscn does not hold every link.")
    _check_again(read_tscn(content), welded(navmesh, cells))
    far_points = _far_from(navmesh, np.array(points, np.float64).reshape(-1, 3))
    if not far_points:
        return []
    far = sorted({n // 2 + 1 for n in far_points})
    which = ", ".join(map(str, far[:5])) + (", …" if len(far) > 5 else "")
    text = f"Links that end more than {_CONNECTS:g} m from the ground, where Godot does not connect them: {which}."
    way_out = "Move their ends to the ground, or raise Navigation > 3D > Default Link Connection Radius in Godot."
    x, y, z = points[far_points[0]]
    return [BuildWarning("LINK_TOO_FAR", f"{text} {way_out}", (x, y, z))]


def _check_again(again: PlainNavmesh, mesh: PlainNavmesh) -> None:
    """Whether ground, areas with their costs, and links are those that were written."""
    order = order_of_regions(mesh)
    rings = mesh.rings()
    corners = np.array([corner for polygon in order for corner in rings[polygon]])
    ground = np.array_equal(again.vertices[again.corners], mesh.vertices[corners])
    kinds = np.array_equal(again.area, mesh.area[order]) and np.array_equal(again.flags, mesh.flags[order])
    if not ground or not kinds or [link.area for link in again.links] != [link.area for link in mesh.links]:
        raise Unsound("The ground or the links of the .tscn do not come back as they were written.")
    if [*map(_quad, again.wide_links)] != [_quad(wide) for wide in mesh.wide_links if wide.points]:
        raise Unsound("The wide links of the .tscn do not come back as they were written.")
    if told_doors(again.doors) != told_doors(None if mesh.doors is None else mesh.doors.of(order)):
        raise Unsound("The doors of the .tscn do not come back as they were written.")
    if again.sizes != mesh.sizes:
        raise Unsound("The sizes of agents of the .tscn do not come back as they were written.")
    if again.told_types() != mesh.told_types() or again.settings != mesh.settings:
        raise Unsound(
            "What areas mean and cost, or the settings, do not come back from the .tscn as they were written."
        )


def _quad(wide: WideLink) -> dict[str, Any]:
    return wide.to_mapping() | {"points": len(wide.points)}


def _far_from(navmesh: PlainNavmesh, points: F64) -> list[int]:
    """Which of the points lie too far from each polygon, taken as a fan of triangles, for Godot to connect them."""
    fan, _ = fans(navmesh.first, navmesh.corners)
    corners = navmesh.vertices[fan].astype(np.float64)
    low, high = corners.min(axis=1) - _CONNECTS, corners.max(axis=1) + _CONNECTS
    far = []
    for number, point in enumerate(points):
        near = corners[((low <= point) & (point <= high)).all(axis=1)]
        if len(near) == 0 or _apart(point, *near.transpose(1, 0, 2)) > _CONNECTS:
            far.append(number)
    return far


def _apart(p: F64, a: F64, b: F64, c: F64) -> float:
    """Metres between a point and the nearest of some triangles."""
    sides = [_to_segment(p, x, y) for x, y in ((a, b), (b, c), (c, a))]
    normal = np.cross(b - a, c - a)
    length = np.maximum(np.linalg.norm(normal, axis=1), 1e-12)
    above = np.abs(np.einsum("ij,ij->i", normal, p - a)) / length
    turns = [np.einsum("ij,ij->i", normal, np.cross(y - x, p - x)) for x, y in ((a, b), (b, c), (c, a))]
    inside = (np.stack(turns) >= 0).all(axis=0)
    return float(np.minimum(np.min(sides, axis=0), np.where(inside, above, np.inf)).min())


def _to_segment(p: F64, a: F64, b: F64) -> F64:
    along = b - a
    part = np.clip(np.einsum("ij,ij->i", p - a, along) / np.maximum((along**2).sum(axis=1), 1e-12), 0, 1)
    return np.asarray(np.linalg.norm(p - a - part[:, None] * along, axis=1))
