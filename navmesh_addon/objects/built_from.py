"""What a navmesh's objects remember of the build that made them, and building it again from that."""

from __future__ import annotations

import json
from typing import Any

import bpy

from ...navcore.errors import NavmeshError
from ...navcore.settings import Settings
from ..build import finished_navmeshes as results
from ..build.builder import build_all
from ..build.means import means
from ..build.request_and_result import BuiltNavmesh, Request
from ..stored.area_types import area_table, runtime_area_types
from ..stored.object_properties import ROLE
from ..stored.sources import Sources
from .build_report import report_of
from .navmesh_objects import (
    AREA_TYPES,
    BUILD,
    FILE,
    FINGERPRINT,
    PRUNED,
    REPORT,
    SETTINGS,
    SETUP,
    SOURCES,
    navmesh_of,
)  # fmt: skip


def remember(thing: Any, role: str, built: BuiltNavmesh, build: str) -> None:
    """What the navmesh was built from, so that building it again is one click."""
    request = built.request
    thing[ROLE], thing[SETUP], thing[BUILD] = role, request.setup, build
    thing[SETTINGS] = json.dumps(request.settings.to_mapping())
    thing[PRUNED] = request.prune
    thing[SOURCES] = json.dumps(request.gathered.sources._asdict())
    thing[REPORT] = json.dumps(report_of(built))
    thing[AREA_TYPES], thing[FINGERPRINT] = json.dumps(area_table(request.area_types)), built.fingerprint


def remembered(thing: Any) -> tuple[Settings, Sources]:
    """Settings and sources that a navmesh's object was built from. Raises NavmeshError where they are damaged."""
    if FILE in thing:
        raise NavmeshError(
            f"“{thing.name}” was imported from {thing[FILE]}: it does not know the level that it was built from. "
            "Select the level and build.",
            "IMPORTED",
        )
    try:
        settings = json.loads(thing[SETTINGS])
        told = json.loads(thing[SOURCES])
        lists = {name: tuple(map(str, told[name])) for name in ("names", "kinds")}
        sources = Sources(**{name: lists.get(name, str(told[name])) for name in Sources._fields})  # type: ignore[arg-type]
    except (KeyError, TypeError, ValueError, AttributeError):
        raise NavmeshError(
            f"“{thing.name}” no longer knows what it was built from. Build it anew.", "FORGOTTEN"
        ) from None
    return Settings.from_mapping(settings), sources


def requests_again(context: bpy.types.Context, name: str = "") -> list[Request]:
    """A request for the navmesh of a setup, as it was built last. Raises NavmeshError."""
    from ..gather.gather_scene import gather

    thing = navmesh_of(context.scene, name)
    setup = next((s for s in context.scene.navmesh.setups if s.uid == thing[SETUP]), None)
    keep = bool(setup is not None and setup.keep_stages)
    settings, sources = remembered(thing)
    name, types = setup.name if setup else "Navmesh", runtime_area_types(context.scene)
    prune = bool(thing.get(PRUNED, False))
    gathered = gather(context, sources, prune=prune)
    return [Request(str(thing[SETUP]), name, settings, gathered, types, keep, prune=prune)]


def finished_navmesh(context: bpy.types.Context, setup: str = "", detour_data: bool = False) -> BuiltNavmesh:
    """The navmesh of a setup: from memory, else built again from what it remembers (for Detour files: within their
    limits). Raises NavmeshError."""
    thing = navmesh_of(context.scene, setup)
    built = results.find(str(thing.get(BUILD, "")))
    if built is not None:
        return built
    again = [request._replace(detour_data=detour_data) for request in requests_again(context, setup)]
    return build_all(again, means())[0]
