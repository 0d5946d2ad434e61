"""Finished navmeshes that are still in memory, and which of those in the scene are out of date. Plain Python, no bpy.

A navmesh is known by the build that made it, which its objects remember: undo brings an older one back with them.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable

from .job import Built

MOST = 6  # navmeshes kept for export and overlay; older ones are built again when needed
_kept: OrderedDict[str, Built] = OrderedDict()
_watched: dict[str, set[str]] = {}  # what was built from → builds
_stale: set[str] = set()


def keep(build: str, built: Built) -> None:
    _kept[build] = built
    for name in built.request.gathered.watched:
        _watched.setdefault(name, set()).add(build)
    while len(_kept) > MOST:
        _forget(next(iter(_kept)))


def _forget(build: str) -> None:
    del _kept[build]
    for name in [name for name, builds in _watched.items() if build in builds]:
        _watched[name].discard(build)
        if not _watched[name]:
            del _watched[name]


def find(build: str) -> Built | None:
    """A navmesh by its build, None where it is no longer in memory."""
    return _kept.get(build)


def changed(names: Iterable[str]) -> bool:
    """These objects or meshes changed. Returns whether a navmesh became out of date by it."""
    before = len(_stale)
    for name in names:
        _stale.update(_watched.get(name, ()))
    return len(_stale) > before


def watched() -> Iterable[str]:
    return _watched


def is_stale(build: str) -> bool:
    """Whether something the build was made from has changed since."""
    return build in _stale


def clear() -> None:
    """Another file: nothing of the last one counts."""
    _kept.clear()
    _watched.clear()
    _stale.clear()
