"""A Godot scene read back."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from ...build_warning import BuildWarning
from ...types import F64
from ...wide_links import WideLink
from ..mesh_checks import Unsound
from ..mesh_measures import fans
from ..plain_doors import told_doors
from ..plain_navmesh import PlainNavmesh
from .mesh_and_scene import MapCells, order_of_regions, welded
from .scene_reader import read_tscn

_CONNECTS = 1.0  # metres; Godot's default link connection radius
_NODE = re.compile(r'^\[node name="((?:[^"\\]|\\.)*)" type="(\w+)"( parent="\.")?\]$', re.M)
_POINT = re.compile(r"^(?:start|end)_position = Vector3\(([^()]*)\)$", re.M)


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
    points = [tuple(map(float, numbers.split(","))) for numbers in _POINT.findall(text)]
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
