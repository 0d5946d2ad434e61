"""The targets of an export by name, as messages and menus call them. Light: neither NumPy nor Numba is imported."""

from __future__ import annotations

from typing import NamedTuple

LEVEL_BESIDE = "-level.obj"
"""What RecastDemo's level is called after its .gset: not .obj alone, as that may be the level's own file."""


class TargetName(NamedTuple):
    """What is said of one engine or tool that a navmesh can be exported for."""

    name: str  # as `--target` takes it
    ending: str  # of the file that is named
    label: str  # in messages
    menu_label: str  # in Blender's menu
    for_whom: str  # there, below the label


TARGET_NAMES = (
    TargetName(
        "detour", ".bin", "Detour", "Recast, Detour",
        "RecastDemo, recast-navigation-js, Babylon, PlayCanvas, DotRecast, recast4j",
    ),
    TargetName("gltf", ".glb", "glTF", "glTF", "Polygons and detail with areas and settings, for any engine"),
    TargetName(
        "pathfinding", ".glb", "three-pathfinding, yuka", "three-pathfinding, yuka",
        "Welded triangles in a .glb, for three.js",
    ),
    TargetName("godot", ".tres", "Godot mesh", "Godot mesh", "A NavigationMesh"),
    TargetName("godot-scene", ".tscn", "Godot scene", "Godot scene", "A scene with regions by area, and links"),
    TargetName("obj", ".obj", "OBJ", "OBJ", "Polygons and detail as groups"),
    TargetName("json", ".json", "JSON", "JSON", "Everything, for programs of your own"),
    TargetName(
        "recastdemo", ".gset", "RecastDemo", "RecastDemo case", "The level and its settings, to build there and compare"
    ),
)  # fmt: skip
"""Every target, in the order of menus."""
