"""What happened, for whoever wants to know: rooms below tell it, rooms above subscribe while the extension is enabled.

Plain Python, no bpy. So a room never imports those that follow from it: a mark does not know navmeshes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, ParamSpec

if TYPE_CHECKING:
    from .scene_update import SceneUpdate

_Facts = ParamSpec("_Facts")


class Event(Generic[_Facts]):
    """Something that happens again and again. Subscribers are called in the order in which they subscribed."""

    def __init__(self) -> None:
        self._subscribers: list[Callable[_Facts, None]] = []

    def subscribe(self, subscriber: Callable[_Facts, None]) -> None:
        """Call it from now on. Modules name theirs in `SUBSCRIBERS`, so that it is undone, too."""
        self._subscribers.append(subscriber)

    def unsubscribe(self, subscriber: Callable[_Facts, None]) -> None:
        """No longer call it, if it is called."""
        if subscriber in self._subscribers:
            self._subscribers.remove(subscriber)

    def happened(self, *facts: _Facts.args, **more: _Facts.kwargs) -> None:
        """Tell the subscribers."""
        for subscriber in tuple(self._subscribers):
            subscriber(*facts, **more)

    def __len__(self) -> int:
        """How many subscribe."""
        return len(self._subscribers)


level_changed: Event[[]] = Event()
"""Blender updated or undid something: whatever was said about the level has to be looked at again."""
scene_updated: Event[[SceneUpdate]] = Event()
"""Blender updated something, and this tells what, until the call returns. Happens after every click."""
objects_changed: Event[[frozenset[int], bool]] = Event()
"""Objects came, went, were moved or edited: session_uids of those that came or went, and whether something else was
edited of which nobody knows what it is. Told some time after it happened."""
mark_changed: Event[[]] = Event()
"""Somebody set what an object, a collection or a material is for, or its area."""
color_by_changed: Event[[int, str]] = Event()
"""A scene, by its session_uid, shows its navmeshes in other colors: by what."""
area_color_changed: Event[[int, tuple[float, float, float]]] = Event()
"""An area type, by its id, got another color."""
link_chosen: Event[[]] = Event()
"""Somebody clicked a found link in the list."""
setup_tint_changed: Event[[str]] = Event()
"""A setup, by its identity, got another tint."""
live_switched: Event[[int]] = Event()
"""A scene, by its session_uid, begins or ends to follow its level, or pauses."""
obstacles_switched: Event[[]] = Event()
"""A scene draws its navmesh with obstacles from now on, or without."""
navmesh_wanted: Event[[]] = Event()
"""Somebody is about to use finished navmeshes, for a file, say: what follows its level should be up to date."""
