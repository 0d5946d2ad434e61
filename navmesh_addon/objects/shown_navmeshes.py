"""Which navmeshes the viewport shows, read from the objects: hiding one in the outliner is the same as with our eye."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import bpy

Objects = Mapping[tuple[str, str], bpy.types.Object]  # by setup and role


def shown_setups(objects: Objects, layer: bpy.types.ViewLayer) -> dict[str, bool]:
    """Whether something of its navmesh is shown, by the identity of every setup that has one."""
    shown: dict[str, bool] = {}
    for (uid, _), object_ in objects.items():
        shown[uid] = shown.get(uid, False) or object_.visible_get(view_layer=layer)
    return shown


def is_alone(shown: Mapping[str, bool], uid: str) -> bool:
    """Whether a setup's navmesh is shown and no other one is."""
    return len(shown) > 1 and [other for other, is_shown in shown.items() if is_shown] == [uid]


def show(objects: Iterable[bpy.types.Object], layer: bpy.types.ViewLayer, wanted: bool) -> list[str]:
    """Show objects or hide them; returns the names of those that stay hidden as a collection around them is."""
    hidden = []
    for object_ in objects:
        if object_.name in layer.objects:
            object_.hide_set(not wanted, view_layer=layer)
            if wanted:
                object_.hide_viewport = False
        if wanted and not object_.visible_get(view_layer=layer):
            hidden.append(object_.name)
    return hidden
