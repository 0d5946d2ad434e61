"""Drawing found links over the viewport, from the mesh that holds them. In background mode nothing is drawn."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import bpy

from ...navcore.errors import NavmeshError
from ..blender_types import mesh_of, scene_of, view_layer_of
from ..objects.navmesh_objects import BUILD, REPORT, SETUP, metres_on
from ..redraw import redraw_views
from ..stored import links_mesh
from ..stored.links_mesh import LEFT_OUT, links_object, read_links
from ..stored.setups import scene_properties
from .overlay import WEAKER, Overlay, Viewport

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    import numpy.typing as npt

    from ..stored.link_rows import Decisions, LinkRows
    from .fresh_links import FreshLinks
    from .gpu_layers import Upload

_WIDTH, _ACTIVE_WIDTH = 2.5, 4.0  # pixels
_ABOVE = 2.5  # cell heights, so that the navmesh, which is shown above the ground, hides no end
_MAX_UPLOADS = 8


class _Instead:
    """What is drawn in the place of what meshes have."""

    def __init__(self) -> None:
        self.dragged: LinkRows | None = None  # one link: where a handle has brought it
        self.fresh: dict[str, FreshLinks] = {}  # by setup: what is not written yet

    def forget(self) -> None:
        self.dragged = None
        self.fresh.clear()


instead = _Instead()


def _draw(view: Viewport) -> None:
    shown = view.properties
    if not shown.show_navmesh or not shown.draw_links or shown.view != "NONE" or not view.shows_overlays:
        return
    from . import drawn_navmeshes  # here: Blender's start does not wait for NumPy

    for one in drawn_navmeshes.found(view.scene, view.space, view_layer_of(view.context)):
        object_ = links_object(one.polygons)
        if object_ is None or object_.get(BUILD) != one.polygons.get(BUILD) or object_.mode != "OBJECT":
            continue
        if one.shows_itself or shown.draw_hidden:
            _draw_links(view, one.polygons, object_, one.is_active)


def _draw_links(view: Viewport, polygons: bpy.types.Object, object_: bpy.types.Object, is_active: bool) -> None:
    shown = view.properties
    try:
        decisions = read_links(object_)
    except NavmeshError:  # the panel says it
        return
    for name in ["links", *(["rejected"] if shown.draw_rejected else []), *(["active"] if is_active else [])]:
        OVERLAY.show(
            view, _upload(view, polygons, object_, name, decisions), x_ray=shown.draw_x_ray or name == "active",
            fade=shown.draw_fade / view.metres, opacity=1.0 if is_active else WEAKER,
        )  # fmt: skip


def _upload(
    view: Viewport, polygons: bpy.types.Object, object_: bpy.types.Object, name: str, decisions: Decisions
) -> Upload:
    from .gpu_layers import Upload

    dragged = b"" if instead.dragged is None else instead.dragged.corners.tobytes()
    says = (view.properties.active_link, dragged) if name == "active" else str(polygons.get(REPORT, ""))
    width = _ACTIVE_WIDTH if name == "active" else _WIDTH
    metres = metres_on(view.scene, polygons)
    return OVERLAY.kept(
        (mesh_of(object_).session_uid, name), (decisions, _fresh_of(polygons)), (metres, says),
        lambda: Upload(_picture(polygons, name, decisions), metres, width),
    )  # fmt: skip


def _fresh_of(polygons: bpy.types.Object) -> FreshLinks | None:
    return instead.fresh.get(str(polygons.get(SETUP, "")))


def _picture(polygons: bpy.types.Object, name: str, decisions: Decisions) -> Any:
    import numpy as np

    from ..objects.built_from import remembered
    from ..objects.write_links import merged
    from .fresh_links import blocked_now
    from .link_ribbons import active_picture, links_picture, rejected_picture

    above = _ABOVE * remembered(polygons)[0].cell_height
    if name == "rejected":
        return rejected_picture(decisions.rejected, above)
    fresh = _fresh_of(polygons)
    rows = decisions.shown if fresh is None else merged(fresh.rows, decisions).shown
    if name == "links":
        blocked = blocked_rows(polygons, rows) if fresh is None else blocked_now(fresh, rows)
        return links_picture(rows, blocked, above)
    active = decisions.shown.ids[scene_properties(scene_of(bpy.context)).active_link :][:1]
    dragged = instead.dragged
    return active_picture(rows.of(np.isin(rows.ids, active)) if dragged is None else dragged, above)


def show_fresh(links: Mapping[str, FreshLinks]) -> None:
    """Draw these from now on, by setup, which are not written yet; of others, what their meshes have."""
    instead.fresh = dict(links)


def show_dragged(rows: LinkRows | None) -> None:
    """Draw the active link there, or where it is again."""
    instead.dragged = rows
    redraw_views()


# --- Which of them the last build says that agents cannot take.


def blocked_rows(polygons: bpy.types.Object, rows: LinkRows) -> npt.NDArray[np.bool_]:
    """Of each link, whether the last build kept it and yet left it out, or warns of it: warnings say places."""
    from .fresh_links import blocked_of  # here: Blender's start does not wait for NumPy

    object_ = links_object(polygons)
    left_out = [] if object_ is None else json.loads(str(object_.get(LEFT_OUT, "[]")))
    return blocked_of(rows, left_out, _places(str(polygons.get(REPORT, ""))))


def why_blocked(polygons: bpy.types.Object, rows: LinkRows, row: int) -> str:
    """What the last build says of a link, "" for nothing: warnings say places."""
    from .fresh_links import blocked_of

    told = _warnings(str(polygons.get(REPORT, "")))
    return next((text for text, place in told if place and blocked_of(rows, [], [place])[row]), "")


def _places(report: str) -> list[tuple[float, ...]]:
    return [place for _, place in _warnings(report) if place]


@lru_cache(8)  # drawings ask for it
def _warnings(report: str) -> tuple[tuple[str, tuple[float, ...]], ...]:
    """Sentences and places of all that is said of links that were kept."""
    from .fresh_links import CODES

    try:
        warnings = json.loads(report)["warnings"]
        return tuple(
            (str(one["message"]), tuple(map(float, one.get("place") or ()))) for one in warnings if one["code"] in CODES
        )
    except (KeyError, TypeError, ValueError):
        return ()


OVERLAY = Overlay(_draw, forget=instead.forget, max_uploads=_MAX_UPLOADS)


unregister = links_mesh.forget
