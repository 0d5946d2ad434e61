"""Where a navmesh can go: for every target what makes its files and what checks them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from ..build_warning import BuildWarning
from ..errors import BadInput
from ..level_source import LevelSource
from .gltf.glb import glb_bytes
from .gltf.glb_reader import check_glb
from .gltf.pathfinding import check_pathfinding, pathfinding_bytes
from .godot.godot_mesh_reader import check_tres
from .godot.mesh_and_scene import MapCells, map_cells, tres_bytes, tscn_bytes
from .godot.scene_reader import check_tscn
from .json_mesh import check_json, json_bytes
from .mesh_checks import lost_costs
from .obj.obj_writer import check_obj, obj_bytes
from .plain_navmesh import PlainNavmesh
from .recastdemo import OWN_COSTS, check_gset, gset_bytes, gset_warnings, level_obj_bytes, links_that_fit
from .target_names import LEVEL_BESIDE, TARGET_NAMES


@dataclass(frozen=True, kw_only=True)
class ExportOptions:
    """What an export may know beside the navmesh."""

    name: str = "navmesh"  # what it is called inside the file, where the format has a place for that
    godot_cell_size: float | None = None  # metres, of the navigation map; None: the default one wherever it does
    godot_cell_height: float | None = None
    level: LevelSource | None = None  # what the navmesh was built from; only RecastDemo needs it


@dataclass
class Export:
    """Files by what is added to the stem of the path, the main one first; and what a person should know."""

    files: dict[str, bytes]
    warnings: list[BuildWarning] = field(default_factory=list)


class Target(NamedTuple):
    """One engine or tool, and what is written for it."""

    label: str  # in messages
    ending: str  # of the file that is named
    export: Callable[[PlainNavmesh, str, ExportOptions], Export] | None  # None: Detour's, written tile by tile

    @property
    def has_links(self) -> bool:
        """Whether files for it have a place for links."""
        return self.ending not in (".obj", ".tres")


def _gltf(navmesh: PlainNavmesh, _stem: str, options: ExportOptions) -> Export:
    content = glb_bytes(navmesh, options.name)
    check_glb(content, navmesh)
    return Export({".glb": content})


def _pathfinding(navmesh: PlainNavmesh, _stem: str, options: ExportOptions) -> Export:
    content = pathfinding_bytes(navmesh, options.name)
    warnings = check_pathfinding(content, navmesh)
    lost = _lost(navmesh._replace(links=()), "three-pathfinding and yuka have")
    return Export({".glb": content}, [*warnings, *lost, *_for_the_game(navmesh)])


def _godot(navmesh: PlainNavmesh, _stem: str, options: ExportOptions) -> Export:
    cells = map_cells(navmesh, options.godot_cell_size, options.godot_cell_height)
    content = tres_bytes(navmesh, cells)
    check_tres(content, navmesh, cells)
    return Export({".tres": content}, _cells(cells) + _lost(navmesh, "a NavigationMesh has"))


def _godot_scene(navmesh: PlainNavmesh, _stem: str, options: ExportOptions) -> Export:
    cells = map_cells(navmesh, options.godot_cell_size, options.godot_cell_height)
    content = tscn_bytes(navmesh, cells, options.name)
    return Export({".tscn": content}, _cells(cells) + check_tscn(content, navmesh, cells))


def _obj(navmesh: PlainNavmesh, _stem: str, _options: ExportOptions) -> Export:
    content = obj_bytes(navmesh)
    check_obj(content, navmesh)
    costs = lost_costs(navmesh.area.tolist(), navmesh.area_types, "An .obj holds")
    return Export({".obj": content}, costs + _left_out(_no_place_for(navmesh), "an .obj holds"))


def _json(navmesh: PlainNavmesh, _stem: str, _options: ExportOptions) -> Export:
    content = json_bytes(navmesh)
    check_json(content, navmesh)
    return Export({".json": content})


def _recastdemo(navmesh: PlainNavmesh, stem: str, options: ExportOptions) -> Export:
    level, settings = options.level, navmesh.settings
    if level is None or settings is None:
        raise BadInput(
            "RecastDemo builds from the level itself, and only the navmesh is at hand. Build it again.",
            "NEEDS_THE_LEVEL",
        )
    links = links_that_fit(navmesh.links, navmesh.wide_links)
    scene = gset_bytes(settings, links, level, stem + LEVEL_BESIDE)
    check_gset(scene, links, level)
    areas = [*navmesh.area.tolist(), *(link.area for link in links)]
    fit = set(map(id, links))
    warnings = gset_warnings(settings, level, [link for link in navmesh.links if id(link) not in fit])
    warnings += lost_costs(areas, navmesh.area_types, "RecastDemo has costs of its own, and a .gset holds", OWN_COSTS)
    return Export({".gset": scene, LEVEL_BESIDE: level_obj_bytes(level)}, warnings)


def _cells(cells: MapCells) -> list[BuildWarning]:
    if cells == MapCells(0.25, 0.25):
        return []
    text = f"Set Navigation > 3D > Default Cell Size to {cells.size:g} and Default Cell Height to {cells.height:g}"
    why = "The vertices lie nearer to each other than the cells of Godot's maps are wide."
    return [BuildWarning("GODOT_CELLS", f"{why} {text} in Godot's project settings.")]


def _lost(navmesh: PlainNavmesh, whose: str) -> list[BuildWarning]:
    """What is said where a file holds one kind of ground and nothing else; costs, where areas are not lost anyway."""
    areas = set(navmesh.area.tolist())
    lost = (["areas"] if len(areas) > 1 else []) + _no_place_for(navmesh)
    costs = lost_costs(areas, navmesh.area_types, whose) if "areas" not in lost else []
    return costs + _left_out(lost, whose)


def _no_place_for(navmesh: PlainNavmesh) -> list[str]:
    """What there is beside ground."""
    there = {"links": navmesh.links, "doors": navmesh.doors is not None, "sizes of agents": navmesh.sizes}
    return [name for name, some in there.items() if some]


def _left_out(lost: list[str], whose: str) -> list[BuildWarning]:
    if not lost:
        return []
    said = f"{whose[0].upper()}{whose[1:]} no {' and no '.join(lost)}: left out."
    ground = " A closed door is open ground there." if "doors" in lost else ""
    where = ".bin or .json" if {"areas", "links"}.issuperset(lost) else ".json"
    return [BuildWarning("LOST_IN_EXPORT", f"{said}{ground} Export to {where} where they are needed.")]


def _for_the_game(navmesh: PlainNavmesh) -> list[BuildWarning]:
    """What is said of links where only the extras of a file hold them."""
    if not navmesh.links:
        return []
    text = "Three-pathfinding and yuka follow no links. Make the game follow those in the extras of the file."
    return [BuildWarning("LOST_IN_EXPORT", text)]


_EXPORTS = {
    "detour": None,
    "gltf": _gltf,
    "pathfinding": _pathfinding,
    "godot": _godot,
    "godot-scene": _godot_scene,
    "obj": _obj,
    "json": _json,
    "recastdemo": _recastdemo,
}
TARGETS: Mapping[str, Target] = {
    target.name: Target(target.label, target.ending, _EXPORTS[target.name]) for target in TARGET_NAMES
}
"""Name → target. Of several with one ending, the first is meant where only the file is named."""
