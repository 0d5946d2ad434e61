"""The navmesh that questions go to: that of the active setup, made ready once, on a thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy

from ...navcore.errors import NavmeshError
from ..builds import finished_navmeshes
from ..objects.navmesh_objects import BUILD, polygon_mesh_of
from ..stored.area_types import area_rows
from ..stored.object_properties import PLAIN
from ..stored.setups import active_setup

if TYPE_CHECKING:
    from ...navcore.navquery.query_filter import QueryFilter
    from ...navcore.questions.nav_query import NavQuery
    from .question_thread import QuerySoon

_MOST = 2  # navmeshes that are kept ready
_ready: dict[tuple[str, int], QuerySoon] = {}  # by build, and number of what is newer than it


def build_of(scene: bpy.types.Scene) -> str:
    """The build that is asked; "" where there is none."""
    setup = active_setup(scene)
    object_ = None if setup is None else polygon_mesh_of(scene, setup.uid)
    return "" if object_ is None else str(object_.get(BUILD, ""))


def newer_than_build(scene: bpy.types.Scene) -> int:
    """The number of the navmesh that follows the level and is asked in the place of the build's; 0: there is none."""
    setup = active_setup(scene)
    fresh = None if setup is None else finished_navmeshes.fresh(setup.uid)
    return 0 if fresh is None else fresh.number


def asked_navmesh(scene: bpy.types.Scene) -> NavQuery:
    """The navmesh of the active setup, ready for questions. Raises NavmeshError with the way to get there."""
    return soon_ready(scene).result()


def soon_ready(scene: bpy.types.Scene) -> QuerySoon:
    """The same, without waiting for it."""
    setup = active_setup(scene)
    build = build_of(scene)
    if setup is None or not build:
        raise NavmeshError("There is no navmesh to ask yet. Press Build Navmesh first.", "NOTHING_TO_ASK")
    fresh = finished_navmeshes.fresh(setup.uid)
    key = build, 0 if fresh is None else fresh.number
    if key in _ready:
        return _ready[key]
    built = finished_navmeshes.find(build)
    if built is None:
        raise NavmeshError(
            f"The navmesh “{setup.name}” was built in another session. Build it again to ask it.", "NOTHING_TO_ASK"
        )
    from .question_thread import make_ready  # here: Blender's start does not wait for it

    while len(_ready) >= _MOST:
        del _ready[next(iter(_ready))]
    _ready[key] = make_ready(built.navmesh if fresh is None else fresh.navmesh)
    return _ready[key]


def all_ready() -> bool:
    """Whether nothing is being made ready."""
    return all(query.done() for query in _ready.values())


def usual_filter(scene: bpy.types.Scene) -> QueryFilter:
    """What the scene's area types cost."""
    from ...navcore.navquery.query_filter import QueryFilter

    return QueryFilter({0 if row.area == PLAIN else row.area: row.cost for row in area_rows(scene)})


def forget() -> None:
    """Another file, or the extension is disabled."""
    if _ready:
        from .question_thread import worker

        worker.forget()
    _ready.clear()
