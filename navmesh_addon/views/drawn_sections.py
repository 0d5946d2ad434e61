"""Outlines of the section at hand and of those around it, drawn over the viewport. In background nothing is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..gather.section_of_scene import named_world, section_at_hand
from .overlay import Overlay, Viewport, draw_again

if TYPE_CHECKING:
    from ..gather.section_of_scene import NamedWorld
    from .world_look import WorldLook

_WIDTH = 2.0  # pixels


def _draw(view: Viewport) -> None:
    named = named_world(view.scene) if view.properties.world_neighbors and view.shows_overlays else None
    if named is None:
        OVERLAY.keep_only()
        return
    from . import world_look  # here: Blender's start does not wait for NumPy

    seen = world_look.look(*named, at_once=False)
    section = None if seen is None or seen.world is None else section_at_hand(view.context, seen.world)
    if seen is not None and section is not None:
        picture = world_look.outlines(named.folder, section.file, files_around(seen, section.name), at_once=False)
        if picture is not None:
            upload = OVERLAY.upload("sections", picture, view.metres, _WIDTH)
            OVERLAY.show(view, upload, x_ray=view.properties.draw_x_ray)
    if world_look.is_coming():
        draw_again()


def files_around(seen: WorldLook, name: str) -> tuple[str, ...]:
    """Those of a section and its neighbors that are there."""
    names = (name, *seen.neighbors[name])
    return tuple(f"{one}.bin" for one in names if one in seen.facts and seen.facts[one].bytes is not None)


def latest_look(named: NamedWorld, at_once: bool) -> WorldLook | None:
    """What is known of a world; None where it is being read."""
    from . import world_look

    return world_look.look(*named, at_once=at_once)


def forget_look() -> None:
    """Something was built, or it is another file."""
    import sys

    if (module := sys.modules.get(f"{__package__}.world_look")) is not None:
        module.forget()


OVERLAY = Overlay(_draw, forget=forget_look)
