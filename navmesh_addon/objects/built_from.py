"""Building again what a navmesh's objects remember: settings and sources."""

from __future__ import annotations

import json
from typing import Any

from ...navcore.errors import BadInput, NavmeshError
from ...navcore.settings import Settings
from ..build.build_thread import Request
from ..gather.gathered import for_pruning
from ..stored.area_types import runtime_area_types
from ..stored.object_properties import POLYGON_MESH
from ..stored.setups import active_setup
from ..stored.sources import Sources
from .mesh_objects import FILE, PRUNED, SETTINGS, SETUP, SOURCES, navmesh_objects


def requests_again(context: Any, name: str = "") -> list[Request]:
    """A request for the navmesh of a setup, as it was built last. Raises NavmeshError."""
    from ..gather.gather_scene import gather

    thing = navmesh_of(context.scene, name)
    setup = next((s for s in context.scene.navmesh.setups if s.uid == thing[SETUP]), None)
    keep = bool(setup is not None and setup.keep_stages)
    settings, sources = remembered(thing)
    name, types = setup.name if setup else "Navmesh", runtime_area_types(context.scene)
    prune = bool(thing.get(PRUNED, False))
    given = gather(context, sources)
    given = for_pruning(given) if prune else given
    return [Request(str(thing[SETUP]), name, settings, given, types, keep, prune=prune)]


def navmesh_of(scene: Any, name: str = "") -> Any:
    """The polygon mesh of a setup (the active one without a name), or of the only navmesh; or one by its own name."""
    found = {uid: thing for (uid, role), thing in navmesh_objects(scene).items() if role == POLYGON_MESH}
    setup = next((s for s in scene.navmesh.setups if s.name == name), None) if name else active_setup(scene)
    if setup is not None and setup.uid in found:
        return found[setup.uid]
    named = next((thing for thing in found.values() if name and thing.name == name), None)
    if named is not None:
        return named
    if not name and len(found) == 1:
        return next(iter(found.values()))
    raise BadInput(f"There is no navmesh{f' of the setup “{name}”' if name else ''} yet. Build it first.", "NO_NAVMESH")


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
