"""All navmeshes that are followed: those of a scene's setups, that of the active one first.

Each is a FollowedNavmesh. One works at a time: the others go on once those before them are at rest, so that what
somebody looks at is never behind what nobody does.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..blender_types import scene_of
from ..objects.navmesh_objects import polygon_mesh_of
from ..stored.setups import active_setup, find_setup, scene_properties
from .followed_navmesh import FollowedNavmesh
from .live_delays import DELAY_OF_SETTINGS

if TYPE_CHECKING:
    import bpy


class FollowedSetups:
    """Of one scene."""

    def __init__(self, scene: bpy.types.Scene) -> None:
        self.scene = scene.session_uid
        self._each: list[FollowedNavmesh] = []
        self._settings: dict[str, object] = {}  # as they were when somebody looked, by setup
        self._due = 0.0  # when settings are looked at next

    def __iter__(self) -> Iterator[FollowedNavmesh]:
        return iter(self._each)

    def choose(self, scene: bpy.types.Scene) -> bool:
        """Follow all setups that have a navmesh, the active one first. Returns whether there is any."""
        active = active_setup(scene)
        uids = [setup.uid for setup in scene_properties(scene).setups if polygon_mesh_of(scene, setup.uid) is not None]
        uids.sort(key=lambda uid: active is None or uid != active.uid)
        known = {one.setup: one for one in self._each}
        for uid in known.keys() - set(uids):
            known[uid].end()
            self._settings.pop(uid, None)
        self._each = [known.get(uid) or FollowedNavmesh(scene, uid) for uid in uids]
        return bool(self._each)

    def of(self, setup: str) -> FollowedNavmesh | None:
        """What follows for a setup."""
        return next((one for one in self._each if one.setup == setup), None)

    # --- what others tell

    def look_at_settings(self, context: bpy.types.Context, now: float, at_once: bool = False) -> None:
        """Blender says nothing of fields of ours that change."""
        if now < self._due and not at_once:
            return
        self._due = now + DELAY_OF_SETTINGS
        for one in self._each:
            settings = one.asked_for(context)
            if self._settings.get(one.setup, settings) != settings:
                one.look_again(now)
            self._settings[one.setup] = settings

    def end(self) -> None:
        """Switched off."""
        while self._each:
            self._each.pop().end()

    # --- what is said

    @property
    def is_working(self) -> bool:
        """Whether a look or a thread of any goes on."""
        return any(one.is_working for one in self._each)

    @property
    def is_at_rest(self) -> bool:
        """Whether all are built and written; those that can't be followed further do not count."""
        return all(one.is_at_rest or one.problem for one in self._each)

    @property
    def pictures(self) -> tuple[tuple[str, int], ...]:
        """Others where there is something else to be drawn."""
        return tuple((one.setup, one.changed_pictures) for one in self._each)

    def status_line(self, scene: bpy.types.Scene, missing: str) -> str:
        """One line: of the active setup, or of the first one that is not at rest; `missing` where it has no navmesh."""
        active = active_setup(scene)
        first = None if active is None else self.of(active.uid)
        if first is None:
            return missing
        busy = next((one for one in self._each if not (one.is_at_rest or one.problem)), first)
        setup = find_setup(scene, busy.setup)
        if busy is first or setup is None or first.problem:
            return first.status_line()
        return f"{busy.status_line()} (“{setup.name}”)"

    # --- the work

    def step(self, context: bpy.types.Context, now: float, dragging: bool) -> None:
        """Do what is due, for some milliseconds at most."""
        for one in self._each:
            one.step(context, now, dragging)
            if one.is_working and not one.problem:
                break

    def settle(self, context: bpy.types.Context) -> None:
        """Follow and write at once."""
        for one in self._each:
            one.settle(context)


def begin(context: bpy.types.Context, before: FollowedSetups | None) -> FollowedSetups | None:
    """What is followed in the scene that is worked in, if any navmesh is there; another scene's is followed no more."""
    scene = scene_of(context)
    if before is not None and before.scene != scene.session_uid:
        before.end()
        before = None
    now = before or FollowedSetups(scene)
    return now if now.choose(scene) else None
