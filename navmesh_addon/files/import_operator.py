"""Navmeshes from files, to look at what was shipped: Detour sets and single tiles, JSON, glTF, Godot meshes and scenes.

An imported navmesh keeps the content of its file: exporting it again as .bin, .json or .tres gives the same bytes. It
belongs to no setup, and no build ever replaces it.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import bpy
from bpy.props import BoolProperty, CollectionProperty, StringProperty

from ...navcore.build_warning import counted
from ...navcore.errors import BadInput
from ...navcore.formats import READ
from ..blender_types import has_property, layout_of, not_none, scene_of
from ..objects.navmesh_objects import AREA_TYPES, CONTENT, ENDING, FACTS, FILE, METRES, SETTINGS, SETUP
from ..operator_types import Acting, Answer, absolute_path
from ..stored.area_types import area_name
from ..stored.object_properties import DETAIL_MESH, PLAIN, POLYGON_MESH
from ..stored.setups import new_uid

if TYPE_CHECKING:
    from ...navcore.formats.plain_navmesh import PlainNavmesh

_GLOB = ";".join(f"*{ending}" for ending in READ)


class NAVMESH_OT_import(Acting, bpy.types.Operator):
    """Look at a navmesh from a file: Detour (.bin), JSON, glTF as exported here, or a Godot mesh or scene"""

    bl_idname = "navmesh.import_file"
    bl_label = "Import Navmesh"

    if TYPE_CHECKING:
        filepath: str
        directory: str
        files: Sequence[bpy.types.OperatorFileListElement]
    __annotations__ = {
        "filepath": StringProperty(name="File", subtype="FILE_PATH", options={"SKIP_SAVE"}),
        "directory": StringProperty(subtype="DIR_PATH", options={"HIDDEN", "SKIP_SAVE"}),
        "files": CollectionProperty(type=bpy.types.OperatorFileListElement, options={"HIDDEN", "SKIP_SAVE"}),
        "filter_glob": StringProperty(default=_GLOB, options={"HIDDEN"}),
        "check_existing": BoolProperty(default=False, options={"HIDDEN"}),
    }

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Answer:
        not_none(context.window_manager).fileselect_add(self)
        return {"RUNNING_MODAL"}

    def act(self, context: bpy.types.Context) -> None:
        names = [element.name for element in self.files if element.name]
        paths = [str(Path(self.directory) / name) for name in names] or [self.filepath]
        objects = [import_navmesh(context, absolute_path(path, "CANNOT_READ")) for path in paths]
        self.report({"INFO"}, f"Imported {', '.join(object_.name for object_ in objects)}.")


def import_navmesh(context: bpy.types.Context, path: Path) -> bpy.types.Object:
    """Put the navmesh of a file into the scene; returns its polygon mesh's object. Raises NavmeshError."""
    from ...navcore.compile_ahead.waiting import read_or_write
    from ..builds.threads_and_kernel_folder import load_builder  # here: Blender's start does not wait for it

    load_builder()
    from ...navcore.formats import read_navmesh_file
    from ...navcore.formats.mesh_measures import plain_islands, polygon_values
    from ..objects.navmesh_to_arrays import link_edges, plain_surfaces
    from ..objects.write_navmeshes import write_imported
    from ..stored.link_rows import rows_of

    plain = read_or_write(lambda: read_navmesh_file(path))
    if len(plain.first) < 2:
        raise BadInput(f"{path.name} holds no polygons: there is nothing to look at.", "NO_POLYGONS")
    scene = scene_of(context)
    metres = scene.unit_settings.scale_length
    islands, square_metres = read_or_write(lambda: plain_islands(plain))
    values = read_or_write(lambda: polygon_values(plain))
    polygons, detail = plain_surfaces(plain, islands, values, metres)
    metadata = {
        SETUP: new_uid(),
        CONTENT: zlib.compress(path.read_bytes()),
        ENDING: path.suffix.lower(),
        FILE: path.name,
        METRES: metres,
        FACTS: json.dumps(_facts(plain, len(square_metres))),
        AREA_TYPES: json.dumps(_told_types(plain)),
        SETTINGS: json.dumps(None if plain.settings is None else plain.settings.to_mapping()),
    }
    given = plain.links[: len(plain.links) - sum(len(wide.points) for wide in plain.wide_links)]
    return write_imported(
        scene, path.stem, {POLYGON_MESH: polygons, DETAIL_MESH: detail}, metadata, link_edges(given, metres),
        rows_of(plain.wide_links),
    )  # fmt: skip


def is_imported(object_: bpy.types.Object) -> bool:
    return has_property(object_, CONTENT)


def imported_navmesh(object_: bpy.types.Object) -> PlainNavmesh:
    """The navmesh of an imported object, as its file has it. Raises NavmeshError."""
    from ...navcore.formats import read_navmesh_bytes

    return read_navmesh_bytes(zlib.decompress(object_[CONTENT]), str(object_[ENDING]))


def _told_types(plain: PlainNavmesh) -> list[dict[str, object]]:
    """The area table of a file that has one, as scripts know it of what was built; Detour's files have none."""
    told = {} if plain.file is not None else plain.told_types()
    return [{"area": int(area), **row} for area, row in told.items()]


def _facts(plain: PlainNavmesh, islands: int) -> dict[str, object]:
    """What the panel shows of an imported navmesh."""
    from ..objects.navmesh_to_arrays import ground_by_area

    tiles = 0 if plain.file is None else len(plain.file.tiles)
    agent = plain.settings and {
        name: getattr(plain.settings, name) for name in ("agent_height", "agent_radius", "agent_max_climb", "cell_size")
    }
    return {
        "polygons": len(plain.first) - 1,
        "tiles": tiles,
        "links": len(plain.links),
        "islands": islands,
        "agent": agent,
        "areas": list(ground_by_area(plain)),
    }


def fact_lines(scene: bpy.types.Scene, object_: bpy.types.Object) -> list[str]:
    """The same for people."""
    facts = json.loads(object_[FACTS])
    tiles = f" in {facts['tiles']:,} tiles" if facts["tiles"] > 1 else ""
    counts = (("polygon", facts["polygons"]), ("island", facts["islands"]), ("link", facts["links"]))
    texts = [f"{count:,} {name}{'' if count == 1 else 's'}" for name, count in counts]
    lines = [f"{texts[0]}{tiles}, {texts[1]}, {texts[2]}"]
    if agent := facts["agent"]:
        size = f"height {agent['agent_height']:g} m, radius {agent['agent_radius']:g} m"
        lines.append(f"Agent: {size}, climbs {agent['agent_max_climb']:g} m; cells of {agent['cell_size']:g} m")
    told = {row["area"]: row for row in json.loads(str(object_.get(AREA_TYPES, "[]")))}
    for area, polygons, metres in facts["areas"]:
        row = told.get(area, {"name": area_name(scene, PLAIN if area == 0 else area), "cost": 1.0})
        cost = "" if row["cost"] == 1.0 else f", cost {row['cost']:g}"
        lines.append(f"{row['name']} ({area}): {metres:,.1f} m², {counted(polygons, 'polygon')}{cost}")
    return lines


def _draw_in_import_menu(menu: bpy.types.Menu, _context: bpy.types.Context) -> None:
    layout_of(menu).operator("navmesh.import_file", text=f"Navmesh ({', '.join(READ)})")


DRAWN_IN = {"TOPBAR_MT_file_import": _draw_in_import_menu}
