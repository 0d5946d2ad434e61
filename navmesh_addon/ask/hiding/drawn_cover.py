"""Places of cover drawn over the viewport. In background mode nothing is drawn."""

from __future__ import annotations

from ...views.overlay import Overlay, Viewport
from . import current_cover

_WIDTH = 2.5  # pixels


def _draw(view: Viewport) -> None:
    found = current_cover.shown_in(view.scene)
    if found is None or not view.properties.show_navmesh or not view.shows_overlays:
        OVERLAY.keep_only()
        return
    upload = OVERLAY.upload("cover", found.picture, view.metres, _WIDTH)
    OVERLAY.show(view, upload, x_ray=view.properties.draw_x_ray)


OVERLAY = Overlay(_draw)
