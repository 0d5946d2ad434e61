"""Tiles that were built and are not written yet, drawn over the viewport. In background mode nothing is drawn."""

from __future__ import annotations

from ..objects.navmesh_objects import lift_above
from ..views.overlay import Overlay, Viewport
from . import live_mode

_WIDTH = 2.0  # pixels
_MIN_LIFT = 0.15  # metres: above the mesh objects, which are older
_APART = 0.25  # of that: tiles of one setup above those of the one before


def _draw(view: Viewport) -> None:
    now, stored = live_mode.following(), view.properties
    if now is None or now.scene != view.scene.session_uid:
        OVERLAY.keep_only()
        return
    if not stored.show_navmesh or stored.view != "NONE" or not view.shows_overlays:
        return
    tiles = [(one.setup, tile, made.picture) for one in now for tile, made in one.pictures.items()]
    OVERLAY.keep_only([(setup, tile) for setup, tile, picture in tiles if picture is not None])
    lift = max(_MIN_LIFT / view.metres, lift_above(view.scene))
    metres = {one.setup: one.metres(view.scene) for one in now}
    lifts = {one.setup: lift * (1 + _APART * number) for number, one in enumerate(now)}
    for setup, tile, picture in tiles:
        if picture is not None:
            upload = OVERLAY.upload((setup, tile), picture, metres[setup], _WIDTH)
            OVERLAY.show(view, upload, x_ray=stored.draw_x_ray, lift=lifts[setup])


OVERLAY = Overlay(_draw)
