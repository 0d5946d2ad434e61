"""Navigation meshes as Recast makes them: arrays in, arrays out. Never sees Blender.

    from navcore import Settings, build_navmesh
    navmesh = build_navmesh(vertices, triangles, Settings(cell_size=0.3))

The names below are the whole public API. Numba is imported with the first one that needs it, not before.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if sys.version_info < (3, 11):  # noqa: UP036 - whoever runs a checkout with an older one gets a sentence
    _WRONG = f"navcore needs Python 3.11 or newer; this is {sys.version.split()[0]}."
    raise SystemExit(_WRONG) if sys.argv[:1] == ["-m"] else ImportError(_WRONG)  # python -m navcore

from .above import name_loader

if TYPE_CHECKING:
    from .agent_sizes import AgentSize
    from .area_types import AreaType
    from .builder.build_level import build_navmesh, build_uneroded, rebuild_tiles
    from .builder.parts.level import Level
    from .by_hand.from_polygons import navmesh_from_polygons
    from .clearance.clearance_answers import NarrowestAt
    from .compile_ahead.prepare import prepare
    from .cover.find_cover import Cover, find_cover
    from .cover.sight import Sight
    from .crowd.crowd import Crowd
    from .crowd.heat.heat import Heat
    from .crowd.heat.heat_recorder import HeatRecorder, walk_heat
    from .crowd.states import AgentState
    from .crowd.track import Track, walk
    from .detour.queries.islands import Islands, find_islands
    from .detour.queries.prune import prune_navmesh
    from .difference.compare import navmesh_difference
    from .errors import BadInput, BadSettings, Cancelled, NavmeshError, NothingWalkable, TooLarge
    from .formats import write_navmesh
    from .formats.cover_files import write_cover
    from .formats.heat_files import write_heat
    from .formats.mesh_files import read_mesh
    from .formats.read_any import read_navmesh
    from .level_source import LevelSource, NavmeshEdits
    from .navquery.query_filter import QueryFilter
    from .navquery.status import PathStatus
    from .progress import Progress
    from .questions.nav_query import NavQuery
    from .reasons.intent import Intent, MustReach, PathTest
    from .reasons.intent_outcome import BuiltFrom, IntentOutcome, check_intent
    from .reasons.reason import Reason
    from .reasons.why import WhyHere, why
    from .resolution import settings_at_resolution
    from .result.navmesh import NavMesh
    from .result.stitch import stitch_tiles, triangulated
    from .scene import BoxVolume, ConvexVolume, CylinderVolume, Drop, Link, Scene, Seed
    from .settings import Settings
    from .tile_cache.tile_cache import TileCache
    from .version import __version__ as __version__
    from .views.catalog import stage_picture
    from .views.picture import Shown
    from .wide_links import LinkEdits, WideLink
    from .world.build_world import build_world, plan_world
    from .world.check_world import check_world
    from .world.world_file import World, read_world

_HOME = {
    "build_navmesh": "builder.build_level", "rebuild_tiles": "builder.build_level", "NavMesh": "result.navmesh",
    "NavmeshError": "errors", "BadSettings": "errors", "BadInput": "errors", "NothingWalkable": "errors",
    "TooLarge": "errors", "Cancelled": "errors",
    "Progress": "progress", "prepare": "compile_ahead.prepare",
    "Scene": "scene", "ConvexVolume": "scene", "BoxVolume": "scene", "CylinderVolume": "scene", "Link": "scene",
    "Seed": "scene", "Drop": "scene", "prune_navmesh": "detour.queries.prune",
    "find_islands": "detour.queries.islands", "Islands": "detour.queries.islands",
    "AgentSize": "agent_sizes", "settings_at_resolution": "resolution",
    "AreaType": "area_types", "Settings": "settings", "LevelSource": "level_source", "NavmeshEdits": "level_source",
    "TileCache": "tile_cache.tile_cache",
    "__version__": "version",
    "write_navmesh": "formats", "read_navmesh": "formats.read_any", "read_mesh": "formats.mesh_files",
    "NavQuery": "questions.nav_query", "QueryFilter": "navquery.query_filter", "PathStatus": "navquery.status",
    "navmesh_difference": "difference.compare",
    "navmesh_from_polygons": "by_hand.from_polygons", "Level": "builder.parts.level",
    "Sight": "cover.sight", "Cover": "cover.find_cover", "find_cover": "cover.find_cover",
    "write_cover": "formats.cover_files",
    "Heat": "crowd.heat.heat", "HeatRecorder": "crowd.heat.heat_recorder", "walk_heat": "crowd.heat.heat_recorder",
    "write_heat": "formats.heat_files",
    "Crowd": "crowd.crowd", "AgentState": "crowd.states", "Track": "crowd.track", "walk": "crowd.track",
    "build_uneroded": "builder.build_level", "NarrowestAt": "clearance.clearance_answers",
    "why": "reasons.why", "WhyHere": "reasons.why", "Reason": "reasons.reason",
    "LinkEdits": "wide_links", "WideLink": "wide_links",
    "Intent": "reasons.intent", "PathTest": "reasons.intent", "MustReach": "reasons.intent",
    "check_intent": "reasons.intent_outcome", "BuiltFrom": "reasons.intent_outcome",
    "IntentOutcome": "reasons.intent_outcome",
    "stitch_tiles": "result.stitch", "triangulated": "result.stitch",
    "stage_picture": "views.catalog", "Shown": "views.picture",
    "World": "world.world_file", "read_world": "world.world_file", "build_world": "world.build_world",
    "plan_world": "world.build_world", "check_world": "world.check_world",
}  # fmt: skip
# What may need kernels that other processes had better compile.
_BUILD = ("Level", "TileCache", "build_navmesh", "build_uneroded", "rebuild_tiles")
_LIGHT = ("NavmeshError", "BadInput", "BadSettings", "Cancelled", "NothingWalkable", "TooLarge", "__version__")
__all__ = [
    "AgentSize", "AgentState", "AreaType", "BadInput", "BadSettings", "BoxVolume", "BuiltFrom", "Cancelled",
    "ConvexVolume", "Cover", "Crowd", "CylinderVolume", "Drop", "Heat", "HeatRecorder", "Intent", "IntentOutcome",
    "Islands", "Level", "LevelSource", "Link", "LinkEdits", "MustReach", "NarrowestAt", "NavMesh", "NavQuery",
    "NavmeshEdits", "NavmeshError", "NothingWalkable", "PathStatus", "PathTest", "Progress", "QueryFilter", "Reason",
    "Scene", "Seed", "Settings", "Shown", "Sight", "TileCache", "TooLarge", "Track", "WhyHere", "WideLink", "World",
    "build_navmesh", "build_uneroded", "build_world", "check_intent", "check_world", "find_cover", "find_islands",
    "navmesh_difference", "navmesh_from_polygons", "plan_world", "prepare", "prune_navmesh", "read_mesh",
    "read_navmesh", "read_world", "rebuild_tiles", "settings_at_resolution", "stage_picture", "stitch_tiles",
    "triangulated", "walk", "walk_heat", "why", "write_cover", "write_heat", "write_navmesh",
]  # fmt: skip


def _show() -> Any:
    from .page.write_page import show

    return show


def _doors_of_navmesh() -> Any:
    from .detour.doors import doors_of_navmesh

    return doors_of_navmesh


name_loader("show", _show)
name_loader("doors_of_navmesh", _doors_of_navmesh)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    if name not in _LIGHT:
        import_module(".kernels.needed_versions", __name__).check_versions()
    if name in _BUILD:
        import_module(".compile_ahead.cold_start", __name__).watch_builds()
    return getattr(import_module(f".{_HOME[name]}", __name__), name)


def __dir__() -> list[str]:
    """What completion shows: the public names, also before they are used, and nothing that happens to be loaded."""
    return sorted(__all__)
