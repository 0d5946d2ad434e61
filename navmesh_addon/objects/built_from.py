"""What a navmesh's objects remember of the build that made them, and building it again from that."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import bpy

from ...navcore.errors import NavmeshError
from ...navcore.settings import Settings
from ..blender_types import has_property, scene_of
from ..builds import finished_navmeshes
from ..stored.area_types import area_table, runtime_area_types
from ..stored.object_properties import ROLE
from ..stored.setting_properties import read_values
from ..stored.setups import scene_properties
from ..stored.source_objects import Sources
from .navmesh_objects import (
    AREA_TYPES,
    BUILD,
    FILE,
    FINGERPRINT,
    INSTEAD_OF,
    PRUNED,
    REPORT,
    SETTINGS,
    SETUP,
    SOURCES,
    navmesh_of,
)

if TYPE_CHECKING:
    from ..builds.request_and_result import BuiltNavmesh, Request
    from ..stored.setting_properties import SettingValue
    from ..stored.setups import NavmeshSetup


def remember(object_: bpy.types.Object, role: str, built: BuiltNavmesh, build: str) -> None:
    """What the navmesh was built from, so that building it again is one click."""
    from .build_report import report_of

    request = built.request
    object_[ROLE], object_[SETUP], object_[BUILD] = role, request.setup, build
    object_[SETTINGS] = json.dumps(request.settings.to_mapping())
    object_[PRUNED], object_[INSTEAD_OF] = request.prune, json.dumps(dict(request.instead_of))
    object_[SOURCES] = json.dumps(request.gathered.sources._asdict())
    object_[REPORT] = json.dumps(report_of(built))
    object_[AREA_TYPES], object_[FINGERPRINT] = json.dumps(area_table(request.area_types)), built.fingerprint


def remembered(object_: bpy.types.Object) -> tuple[Settings, Sources]:
    """Settings and sources that a navmesh's object was built from. Raises NavmeshError where they are damaged."""
    if has_property(object_, FILE):
        raise NavmeshError(
            f"“{object_.name}” was imported from {object_[FILE]}: it does not know the level that it was built from. "
            "Select the level and build.",
            "IMPORTED",
        )
    try:
        settings = json.loads(object_[SETTINGS])
        stored = json.loads(object_[SOURCES])
        lists = {name: tuple(map(str, stored[name])) for name in ("names", "kinds")}
        sources = Sources(**{name: lists.get(name, str(stored[name])) for name in Sources._fields})  # type: ignore[arg-type]
    except (KeyError, TypeError, ValueError, AttributeError):
        raise NavmeshError(
            f"“{object_.name}” no longer knows what it was built from. Build it anew.", "FORGOTTEN"
        ) from None
    return Settings.from_mapping(settings), sources


def instead_of(object_: bpy.types.Object) -> dict[str, SettingValue]:
    """What the setup said where a navmesh was built with something else that a script or a command gave."""
    try:
        return dict(json.loads(str(object_.get(INSTEAD_OF, "{}"))))
    except (TypeError, ValueError):
        return {}


def values_beside_setup(object_: bpy.types.Object, setup: NavmeshSetup) -> dict[str, SettingValue]:
    """What a navmesh was built with where its setup, now as then, says something else; prune among it. Raises
    NavmeshError where the navmesh's memory is damaged."""
    said = instead_of(object_)
    if not said:
        return {}
    values = {**remembered(object_)[0].to_mapping(), "prune": bool(object_.get(PRUNED, False))}
    now = {**read_values(setup, setup.id_data.unit_settings.scale_length), "prune": bool(setup.prune)}
    return {n: values[n] for n in said if n in values and now.get(n) == said[n] != values[n]}


def requests_again(context: bpy.types.Context, name: str = "") -> list[Request]:
    """A request for the navmesh of a setup, as it was built last. Raises NavmeshError."""
    from ..builds.request_and_result import Request
    from ..gather.gather_scene import gather

    object_ = navmesh_of(scene_of(context), name)
    setup = next((s for s in scene_properties(scene_of(context)).setups if s.uid == object_[SETUP]), None)
    keep = bool(setup is not None and setup.keep_stages)
    settings, sources = remembered(object_)
    called, types = setup.name if setup else "Navmesh", runtime_area_types(scene_of(context))
    prune = bool(object_.get(PRUNED, False))
    gathered = gather(context, sources, prune=prune)
    said = instead_of(object_)
    return [Request(str(object_[SETUP]), called, settings, gathered, types, keep, prune=prune, instead_of=said)]


def finished_navmesh(context: bpy.types.Context, name: str = "", detour_data: bool = False) -> BuiltNavmesh:
    """The navmesh of a setup: from memory, else built again from what it remembers (for Detour files: within their
    limits). Raises NavmeshError."""
    object_ = navmesh_of(scene_of(context), name)
    built = finished_navmeshes.find(str(object_.get(BUILD, "")))
    if built is not None:
        return built
    from ..builds.builder import build_all  # here: Blender's start does not wait for it
    from ..builds.threads_and_kernel_folder import usual_means

    again = [request._replace(detour_data=detour_data) for request in requests_again(context, name)]
    return build_all(again, usual_means())[0]
