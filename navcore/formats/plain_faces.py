"""Meshes whose faces are polygons, from files of any kind; and navmeshes made of them, or of plain ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from ..area_types import AREA_TYPES, AreaType, building_area
from ..build_warning import BuildWarning
from ..by_hand.from_polygons import navmesh_from_polygons
from ..result.navmesh import NavMesh
from ..settings import Settings
from ..types import WALKABLE
from .level_mesh import PlainFaces
from .plain_navmesh import PlainNavmesh


def named_materials(types: Mapping[int, AreaType] = AREA_TYPES) -> dict[str, int]:
    """Which area a material means that is called as one, as materials in files that are written here are."""
    rows = [(kind.name.strip().replace(" ", "_"), building_area(area)) for area, kind in types.items()]
    return {name: area for name, area in rows if name and area <= WALKABLE}


def navmesh_of_plain(plain: PlainNavmesh, settings: Settings | None = None) -> NavMesh:
    """A navmesh with the polygons, areas, flags and links of a plain one, as its settings have it.

    Polygons of more corners than `vertices_per_polygon` are cut. Heights are those of the polygons' corners.
    """
    areas = [building_area(area) for area in plain.area.tolist()]
    types, warnings = _types_with_flags(plain)
    navmesh = navmesh_from_polygons(
        plain.vertices, plain.rings(), settings or plain.settings or Settings(), areas, True, 0.0,
        area_types=types, links=plain.links, trusted=True,
    )  # fmt: skip
    navmesh.report.warnings += warnings
    return navmesh


def _types_with_flags(plain: PlainNavmesh) -> tuple[Mapping[int, AreaType], list[BuildWarning]]:
    """The area table with the flags that the polygons have; a warning where those of one area have different ones."""
    types = dict(plain.area_types)
    lost = 0
    for area in np.unique(plain.area).tolist():
        flags = Counter(plain.flags[plain.area == area].tolist())
        most = flags.most_common(1)[0][0]
        lost += sum(flags.values()) - flags[most]
        row = types.get(area, AreaType(f"area {area}", most))
        types[area] = row._replace(flags=most)
    if not lost:
        return types, []
    text = f"{lost:,} polygons have other flags than most of their area, and get those of their area."
    return types, [BuildWarning("LOST_IN_EXPORT", f"{text} Give them areas of their own to keep them apart.")]


def read_faces(path: Path, materials: Mapping[str, int], groups: Mapping[str, int]) -> PlainFaces:
    """A modelled mesh from a file of any kind that holds one; where it holds triangles, they are the faces."""
    if path.suffix.lower() == ".obj":
        from .obj.obj_faces import read_obj_faces

        return read_obj_faces(path, materials, groups)
    from ..scene import Scene
    from .mesh_files import read_mesh

    mesh = read_mesh(path, Scene(materials=dict(materials), groups=dict(groups)))
    triangles = np.asarray(mesh.triangles)
    areas = np.full(len(triangles), WALKABLE, np.uint8) if mesh.areas is None else mesh.areas
    return PlainFaces(np.asarray(mesh.vertices), triangles.tolist(), areas)
