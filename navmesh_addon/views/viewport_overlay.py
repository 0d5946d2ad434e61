"""Drawing over the viewport: the finished navmeshes of the scene. In background mode nothing is drawn."""

from __future__ import annotations

import bpy

from ..blender_types import view_layer_of
from ..kept_value import KeptValue
from ..objects.navmesh_objects import lift_of
from ..stored.setups import NavmeshScene
from .overlay import WEAKER, Overlay, Viewport, draw_again

PARTS = ("surface", "edges", "walls", "vertices", "links", "dead_ends", "helpers")
_GROUND = PARTS[:4]
replaced: KeptValue[str] = KeptValue("")  # the setup whose ground is drawn by something else: with its obstacles
_SWITCH = {"dead_ends": "links"}  # parts that another one's switch stands for


def _draw(view: Viewport) -> None:
    from . import drawn_navmeshes  # here: Blender's start does not wait for NumPy

    shown = view.properties
    drawn_navmeshes.forget_unused()
    if not shown.show_navmesh or not view.shows_overlays:
        return
    for one in drawn_navmeshes.found(view.scene, view.space, view_layer_of(view.context)):
        is_replaced = bool(replaced.value) and one.setup == replaced.value
        is_drawn = one.shows_itself or shown.draw_hidden or is_replaced
        if not is_drawn and drawn_navmeshes.isolated_island(view.scene, one) is None:
            continue
        uploads = drawn_navmeshes.uploads_of(view.scene, one)
        for name in PARTS:
            if is_replaced and name in _GROUND:
                continue
            if name in uploads and _is_wanted(shown, name, one.shows_itself):
                OVERLAY.show(
                    view, uploads[name], x_ray=shown.draw_x_ray or name == "dead_ends",
                    fade=shown.draw_fade / view.metres, opacity=1.0 if one.is_active else WEAKER,
                    lift=lift_of(one.polygons) if name == "surface" else 0.0,  # one over another would be striped
                )  # fmt: skip
    if drawn_navmeshes.is_coming():
        draw_again()


def _is_wanted(shown: NavmeshScene, name: str, shows_itself: bool) -> bool:
    """The mesh objects are the surface where they are seen: two of them would be darker than their colors."""
    if shown.view != "NONE" and name != "helpers":
        return False  # a stage is looked at
    if name == "surface" and shows_itself:
        return False
    return bool(getattr(shown, f"draw_{_SWITCH.get(name, name)}"))


def _forget() -> None:
    if not bpy.app.background:  # nothing was ever drawn there
        from . import drawn_navmeshes

        drawn_navmeshes.forget()


OVERLAY = Overlay(_draw, forget=_forget)


def unregister() -> None:
    if not bpy.app.background:
        from . import gpu_shaders

        gpu_shaders.forget()
