"""Finished navmeshes that are still in memory, and which of those in the scene are known to be out of date.

Plain Python, no bpy. A navmesh is known by the build that made it, which its objects remember: undo brings an older one
back with them. Copies of a scene have objects of the same build, and levels of their own: what is known of a navmesh is
known in a scene, by its session_uid.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Set
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

from .request_and_result import BuiltNavmesh

if TYPE_CHECKING:
    from ...navcore.result.navmesh import NavMesh


class Fresh(NamedTuple):
    """A navmesh that follows its level and is not written yet."""

    number: int  # another one each time
    navmesh: NavMesh


MOST = 6  # navmeshes kept for export, views and comparisons; others are built again when needed
_in_memory: OrderedDict[str, BuiltNavmesh] = OrderedDict()
_before: dict[str, str] = {}  # build → the one whose place it took
_sources_of: dict[
    tuple[int, str], frozenset[int]
] = {}  # scene, build → session_uids of what it was built from: only of those whose state is known
_stale: set[tuple[int, str]] = set()
_fresh: dict[str, Fresh] = {}  # by setup
_numbers = count(1)  # another one for each


def keep(build: str, built: BuiltNavmesh, scene: int, before: str = "") -> None:
    """A navmesh was built just now, and took the place of another build's."""
    if before:
        _before[build] = before  # first: what goes when there is no room heeds it
    recall(build, built)
    watch(build, built.request.gathered.watched, scene)


def recall(build: str, built: BuiltNavmesh) -> None:
    """A navmesh is in memory again, as it was when it was built."""
    for older, one in _in_memory.items():  # whose stages can be built again
        if one.navmesh.stages and not one.request.keep_stages:
            _in_memory[older] = one._replace(navmesh=replace(one.navmesh, stages={}))
    _in_memory[build] = built
    while len(_in_memory) > MOST:
        forgotten = _least_wanted()
        del _in_memory[forgotten]
        _before.pop(forgotten, None)


def _least_wanted() -> str:
    """The oldest that is neither the last of its setup nor the one before, if any; else the oldest one before."""
    last = {built.request.setup: build for build, built in _in_memory.items()}.values()
    before = {_before.get(build) for build in last}
    others = (build for build in _in_memory if build not in last and build not in before)
    return next(others, None) or next((build for build in _in_memory if build not in last), next(iter(_in_memory)))


def find(build: str) -> BuiltNavmesh | None:
    """A navmesh by its build, None where it is no longer in memory."""
    return _in_memory.get(build)


def show_fresh(setup: str, navmesh: NavMesh | None) -> None:
    """A setup's navmesh is this one by now; None: what was written is."""
    if navmesh is None:
        _fresh.pop(setup, None)
    else:
        _fresh[setup] = Fresh(next(_numbers), navmesh)


def fresh(setup: str) -> Fresh | None:
    """What is newer than what was written for a setup, if anything."""
    return _fresh.get(setup)


def before(build: str) -> str:
    """The build whose place it took, "" where there was none or its navmesh is no longer in memory."""
    other = _before.get(build, "")
    return other if other in _in_memory else ""


def watch(build: str, uids: Iterable[int], scene: int, stale: bool = False) -> None:
    """The level was compared with what a navmesh was built from: its state is known from now on."""
    _forget((scene, build))
    _sources_of[scene, build] = frozenset(uids)
    if stale:
        _stale.add((scene, build))


def doubt(builds: Iterable[str]) -> None:
    """Something happened that may make these out of date, or up to date again: they have to be compared anew."""
    doubted = set(builds)
    for key in [key for key in _sources_of if key[1] in doubted]:
        _forget(key)


def _forget(key: tuple[int, str]) -> None:
    _stale.discard(key)
    _sources_of.pop(key, None)


def changed(uids: Set[int]) -> bool:
    """These objects changed. Returns whether a navmesh became out of date by it."""
    before = len(_stale)
    _stale.update(key for key, sources in _sources_of.items() if not sources.isdisjoint(uids))
    return len(_stale) > before


def is_any_known() -> bool:
    """Whether the state of any navmesh is known, in whatever scene."""
    return bool(_sources_of)


def known(scene: int) -> list[str]:
    """Builds whose state in a scene is known."""
    return [build for where, build in _sources_of if where == scene]


def stale(scene: int) -> list[str]:
    """Builds that something has changed since in a scene."""
    return [build for where, build in _stale if where == scene]


def is_made_of(build: str, uids: Iterable[int], scene: int) -> bool:
    """Whether a build that is known in a scene used one of these."""
    return not _sources_of.get((scene, build), frozenset()).isdisjoint(uids)


def watched() -> Set[int]:
    """The session_uids of what the known builds were made of."""
    return frozenset[int]().union(*_sources_of.values())


def clear() -> None:
    """Another file: nothing of the last one counts."""
    for everything in (_in_memory, _before, _sources_of, _stale, _fresh):
        everything.clear()
