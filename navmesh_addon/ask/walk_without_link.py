"""How far agents walk without any link, found on a thread: nothing here may touch bpy."""

from __future__ import annotations

from dataclasses import replace
from math import dist
from typing import TYPE_CHECKING, NamedTuple

from ..background import OneWorker
from ..kept_value import KeptValue

if TYPE_CHECKING:
    from concurrent.futures import Future

    from ...navcore.build_warning import Point
    from ...navcore.navquery.query_filter import QueryFilter
    from ...navcore.questions.nav_query import NavQuery
    from ...navcore.result.navmesh import NavMesh
    from .door_states import DoorStates

worker = OneWorker("navmesh-walk-without-link")
_last: KeptValue[tuple[NavMesh, NavQuery] | None] = KeptValue(None)  # a navmesh, and the same without its links


class AskedWalk(NamedTuple):
    """From where to where a link leads, and what is asked."""

    navmesh: NavMesh
    start: Point
    end: Point
    rule: QueryFilter
    reach: float  # how far aside of an end, in metres, its ground may lie
    doors: DoorStates  # in another state than the navmesh has


def ask(asked: AskedWalk) -> Future[str]:
    """A sentence on the way that a link between these places saves, soon."""
    return worker.ask(answer, asked)


def forget() -> None:
    """Another file, or the extension is disabled."""
    worker.forget()
    _last.forget()


def _without_links(navmesh: NavMesh, doors: DoorStates) -> NavQuery:
    """Ready for questions; the last one is kept."""
    from ...navcore.questions.nav_query import NavQuery

    if _last.value is None or _last.value[0] is not navmesh:
        alone = replace(navmesh, links=(), wide_links=(), failing_ends=())
        if _last.value is None:
            _last.value = navmesh, NavQuery(alone)
        else:  # Live: few tiles are others
            _last.value[1].update(alone)
            _last.value = navmesh, _last.value[1]
    query, now = _last.value[1], dict(doors)
    for door in navmesh.doors:  # those that are as they were built as well: it may have been another before
        query.set_door(door.name, now.get(door.name, door.is_closed))
    return query


def answer(asked: AskedWalk) -> str:
    """The same, now."""
    from ...navcore.navquery.status import PathStatus

    navmesh, start, end, rule, reach, doors = asked
    settings = navmesh.settings
    aside = max(reach, 2 * settings.cell_size)  # or an end that a cell rounds away would be nowhere
    above = settings.agent_max_climb + 2 * settings.cell_height
    paths = _without_links(navmesh, doors).find_paths(
        start, end, rule, extents=(aside, above, aside), partial="closest", max_nodes=None, max_path=None,
        max_points=None,
    )  # fmt: skip
    status, length = PathStatus(int(paths.status[0])), dist(start, end)
    if status in (PathStatus.NO_START, PathStatus.NO_END):
        which = "It begins" if status == PathStatus.NO_START else "It ends"
        return f"{which} where there is no navmesh nearby: snap its ends"
    if status != PathStatus.COMPLETE:
        return f"No other way: {length:.1f} m by the link, and walking does not lead there"
    walked = float(paths.length[0])
    if walked <= length:
        return f"It saves nothing: walking there is {walked:.1f} m"
    return f"It saves {walked - length:.1f} m: walking there is {walked:.1f} m, by the link {length:.1f} m"
