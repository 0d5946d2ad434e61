"""Sections whose meshes are .blend files. navcore has no Blender: who has one reads them, and what they hold is kept
beside the navmeshes, from where sections are built as from any mesh."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..area_types import AREA_TYPES
from ..errors import BadInput
from ..files.atomic_write import write_together
from ..files.strict_json import json_object, json_text
from ..scene import Drop, Scene, load_scene
from ..types import Geometry
from .world_file import FORMAT, World, WorldSection, is_blend, of_section, with_sections

_MOST_BYTES = 256 << 20


class BlendMesh(NamedTuple):
    """A .blend file among the meshes of a section."""

    section: str
    number: int  # among the section's meshes, from 0
    path: Path

    def mesh_in(self, folder: Path) -> Path:
        """Where its triangles are kept."""
        return folder / f"{self.section}.{self.number}.level.npz"

    def scene_in(self, folder: Path) -> Path:
        """Where all else of it is kept."""
        return folder / f"{self.section}.{self.number}.level.json"


class KeptLevel(NamedTuple):
    """What is kept of a .blend file."""

    made_of: Mapping[str, str]  # whatever decides what it holds, as whoever read it says; {} where that is not known
    scene: Scene
    has_triangles: bool


def blend_meshes(world: World) -> list[BlendMesh]:
    """All .blend files of a world, section by section. No Recast ancestor."""
    return [
        BlendMesh(section.name, number, path)
        for section in world.sections
        for number, path in enumerate(section.meshes)
        if is_blend(path)
    ]


def keep_level(
    blend: BlendMesh, folder: Path, geometry: Geometry, scene: Mapping[str, Any], made_of: Mapping[str, str]
) -> None:
    """Keep what a .blend file holds: `scene` as scene files have it. Raises BadInput that names the section.

    The same level gives the same bytes, so that a section is built again only where its level is another.
    """
    with of_section(blend.section):
        load_scene(scene)
    buffer, areas = io.BytesIO(), {"areas": geometry.area} if len(geometry.area) else {}
    np.savez(buffer, verts=geometry.vertices, tris=geometry.triangles, **areas)
    content = {
        "format": FORMAT, "made_of": dict(made_of), "scene": dict(scene),
        "has_triangles": len(geometry.triangles) > 0,
    }  # fmt: skip
    write_together({blend.mesh_in(folder): buffer.getvalue(), blend.scene_in(folder): json_text(content)})


def kept_level(blend: BlendMesh, folder: Path) -> KeptLevel | None:
    """What is kept of a .blend file; None where nothing is, or what nobody can read."""
    content = json_object(blend.scene_in(folder), "level of a section", _MOST_BYTES)
    if content.get("format") != FORMAT or not blend.mesh_in(folder).is_file():
        return None
    try:
        made_of, has_triangles = content["made_of"], content["has_triangles"]
        if not isinstance(made_of, dict) or not isinstance(has_triangles, bool):
            return None
        return KeptLevel(made_of, load_scene(content["scene"]), has_triangles)
    except (BadInput, KeyError):
        return None


def with_levels(world: World, levels: Mapping[BlendMesh, Path]) -> World:
    """The same world with what is kept in the place of its .blend files, each in a folder; those without one hold
    nothing. Raises BadInput that names the section."""
    sections = []
    for section in world.sections:
        with of_section(section.name):
            sections.append(_with_levels(section, levels))
    return with_sections(world, tuple(sections))


def _with_levels(section: WorldSection, levels: Mapping[BlendMesh, Path]) -> WorldSection:
    meshes, scene = list[Path](), section.scene
    for number, path in enumerate(section.meshes):
        if not is_blend(path):
            meshes.append(path)
            continue
        blend = BlendMesh(section.name, number, path)
        kept = kept_level(blend, levels[blend]) if blend in levels else None
        if kept is None:
            continue
        if any(isinstance(edit, Drop) for edit in kept.scene.edits):
            raise BadInput(
                f"{path.name} drops islands, which only a navmesh that is in memory as a whole knows. Remove the "
                "drops there, and block the ground instead.",
                "NEEDS_THE_WHOLE",
            )
        if kept.has_triangles:
            meshes.append(blend.mesh_in(levels[blend]))
        scene = _joined(scene, kept.scene, path)
    return replace(section, meshes=tuple(meshes), scene=scene)


def _joined(scene: Scene, more: Scene, path: Path) -> Scene:
    """What a section's scene holds, and what its .blend file does."""
    types = {id(table): table for table in (scene.area_types, more.area_types) if table != AREA_TYPES}
    tables = list(types.values())
    if len(tables) == 2 and tables[0] != tables[1]:
        raise BadInput(
            f"{path.name} has other area types than the section's scene file. Give the same in both, or in one alone.",
            "SECTION_SETTINGS",
        )
    return replace(
        scene, volumes=(*scene.volumes, *more.volumes), links=(*scene.links, *more.links),
        edits=(*scene.edits, *more.edits), area_types=tables[0] if tables else AREA_TYPES,
    )  # fmt: skip
