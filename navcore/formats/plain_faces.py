"""Meshes whose faces are polygons, from files of any kind; and navmeshes made of them, or of plain ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np

from ..area_types import AREA_TYPES, AreaType, building_area, type_of, with_usual_flags
from ..build_warning import BuildWarning
from ..by_hand.from_polygons import navmesh_from_polygons
from ..result.navmesh import Door, NavMesh, Tile, TileDoor
from ..settings import Settings
from ..types import U16, WALKABLE
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
    stand_ins = _stand_ins(plain, areas)
    if (
        (plain.doors is not None or plain.sizes)
        and any(key[0] >= 0 or key[2] for key in _keys(plain, areas))
        and not stand_ins
    ):
        lost = "There is no area id left to keep doors and sizes of agents apart, so that none is."
        warnings.append(BuildWarning("LOST_IN_EXPORT", f"{lost} Use fewer areas."))
    areas = [stand_ins.get(key, key[1]) for key in _keys(plain, areas)]
    navmesh = navmesh_from_polygons(
        plain.vertices, plain.rings(), settings or plain.settings or Settings(), areas, True, 0.0,
        area_types=types, links=plain.links, trusted=True,
    )  # fmt: skip
    navmesh.report.warnings += warnings
    if plain.sizes and (stand_ins or not _keep_out(plain).any()):
        navmesh = replace(navmesh, sizes=plain.sizes)
    if not stand_ins:
        return navmesh
    doors = () if plain.doors is None else plain.doors.rows
    rows = {
        stand_in: _StoodFor(doors[key[0]] if key[0] >= 0 else None, *key[1:]) for key, stand_in in stand_ins.items()
    }  # fmt: skip
    made = replace(navmesh, tiles=tuple(_with_doors(tile, rows, types, bool(plain.sizes)) for tile in navmesh.tiles))
    made.report.warnings += _other_references(doors, made.doors)
    return made


def _other_references(before: Sequence[Door], after: Sequence[Door]) -> list[BuildWarning]:
    """What is said where polygons of doors are called otherwise than in their file: that was in tiles, say."""
    known, now = ({(row.name, reference) for row in rows for reference in row.polygons} for rows in (before, after))
    if known == now:
        return []
    text = "The polygons of doors have other references here than in the file: those of a .bin written of this navmesh."
    return [BuildWarning("DOORS_RENUMBERED", f"{text} Use those of the file with the .bin that was built with it.")]


# --- Polygons under doors, and those that are too small for a size of agents, are faces like all others, and have areas
# of their own until the navmesh is there.


class _StoodFor(NamedTuple):
    """What an area stands for."""

    door: Door | None
    area: int
    too_small: int  # flags


_Key: TypeAlias = tuple[int, int, int]
"""The row of a polygon's door, -1 for none, its area, and which sizes it keeps out."""


def _keep_out(plain: PlainNavmesh) -> U16:
    """The flags of each polygon that keep sizes of agents out."""
    return plain.flags & np.uint16(sum(size.exclude for size in plain.sizes))


def _keys(plain: PlainNavmesh, areas: list[int]) -> list[_Key]:
    rows = [-1] * len(areas) if plain.doors is None else plain.doors.of_polygon.tolist()
    return list(zip(rows, areas, _keep_out(plain).tolist(), strict=True))


def _stand_ins(plain: PlainNavmesh, areas: list[int]) -> dict[_Key, int]:
    """An area id that nothing else has for each of the keys that need one; none where there are not as many left."""
    wanted = sorted({key for key in _keys(plain, areas) if key[0] >= 0 or key[2]})
    left = [area for area in range(1, WALKABLE) if area not in set(areas)]
    return dict(zip(wanted, left, strict=False)) if len(wanted) <= len(left) else {}


def _with_doors(tile: Tile, rows: Mapping[int, _StoodFor], types: Mapping[int, AreaType], is_for_sizes: bool) -> Tile:
    """A tile with the areas of its ground again, its doors, and whom each polygon keeps out."""
    area = tile.polygon_mesh.area.copy()
    too_small = np.zeros(len(area), np.uint16)
    doors: dict[tuple[str, bool, int], list[int]] = {}
    for stand_in, (door, own, keep_out) in rows.items():
        under = np.flatnonzero(tile.polygon_mesh.area == stand_in)
        area[under] = own
        too_small[under] = keep_out
        if door is None:
            continue
        usual, ability = type_of(0 if own == WALKABLE else own, types).flags, door.open & ~keep_out
        key = door.name, door.is_closed, 0 if ability == usual else ability
        if len(under):
            doors.setdefault(key, []).extend(under.tolist())
    made = tuple(TileDoor(key[0], tuple(sorted(own)), *key[1:]) for key, own in doors.items())
    mesh = tile.polygon_mesh._replace(area=area)
    return tile._replace(polygon_mesh=mesh, doors=made, too_small=too_small if is_for_sizes else None)


def _types_with_flags(plain: PlainNavmesh) -> tuple[Mapping[int, AreaType], list[BuildWarning]]:
    """The area table with the flags that the polygons have; a warning where those of one area have different ones."""
    beside = np.ones(len(plain.area), bool) if plain.doors is None else plain.doors.of_polygon < 0
    flags = (plain.flags & ~_keep_out(plain))[beside]
    types, lost = with_usual_flags(plain.area_types, plain.area[beside], flags)
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
