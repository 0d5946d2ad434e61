"""Drawing found links over the viewport, from the mesh that holds them. In background mode nothing is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, cast

import bpy

from ....navcore.errors import NavmeshError
from ...blender_types import known, mesh_of, scene_of, view_layer_of
from ...objects.navmesh_objects import BUILD, REPORT, SETUP
from ...redraw import redraw_views
from ...stored.links_mesh import links_object, read_links
from ...stored.setups import scene_properties
from .. import said_once

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...stored.link_rows import Decisions
    from ..gpu_layers import Upload
    from .fresh_links import FreshLinks

_WIDTH, _ACTIVE_WIDTH = 2.5, 4.0  # pixels
_AT_ONCE = 0.01  # seconds of uploading in one drawing
_ABOVE = 2.5  # cell heights, so that the navmesh, which is shown above the ground, hides no end
_WEAKER = 0.45  # the opacity of links of other setups than the active one
_MOST = 8  # pictures that are kept


class _Kept(NamedTuple):
    decisions: Decisions  # what it shows: another one where anything changed
    beside: tuple[Any, ...]
    upload: Upload


_handles: list[object] = []
_kept: dict[tuple[int, str], _Kept] = {}  # by mesh, and what of it
dragged: list[Any] = []  # at most one row of links: where a handle has brought it
_fresh: dict[str, FreshLinks] = {}  # by setup, at most one: what is drawn in the place of what the mesh has


@said_once.said_once
def _draw() -> None:
    """Called by Blender for each 3D view."""
    context = bpy.context
    scene = scene_of(context)
    shown = scene_properties(scene)
    space = cast("bpy.types.SpaceView3D", context.space_data)
    if not shown.show_navmesh or not shown.draw_links or shown.view != "NONE" or not space.overlay.show_overlays:
        return
    from .. import drawn_navmeshes  # here: Blender's start does not wait for NumPy

    for one in drawn_navmeshes.found(scene, space, view_layer_of(context)):
        object_ = links_object(one.polygons)
        if object_ is None or object_.get(BUILD) != one.polygons.get(BUILD) or object_.mode != "OBJECT":
            continue
        if one.shows_itself or shown.draw_hidden:
            _draw_links(context, one.polygons, object_, one.is_active)


def _draw_links(
    context: bpy.types.Context, polygons: bpy.types.Object, object_: bpy.types.Object, is_active: bool
) -> None:
    scene = scene_of(context)
    shown, metres = scene_properties(scene), scene.unit_settings.scale_length
    try:
        decisions = read_links(object_)
    except NavmeshError:  # the panel says it
        return
    fresh = _fresh.get(str(polygons.get(SETUP, "")))
    names = ["links", *(["rejected"] if shown.draw_rejected else []), *(["active"] if is_active else [])]
    region, is_all_there = known(context.region), True
    for name in names:
        beside = metres, fresh, (shown.active_link, _moved()) if name == "active" else str(polygons.get(REPORT, ""))
        upload = _upload(polygons, mesh_of(object_), name, decisions, beside)
        is_all_there &= upload.step(_AT_ONCE)
        upload.draw(
            (region.width, region.height), x_ray=shown.draw_x_ray or name == "active", fade=shown.draw_fade / metres,
            opacity=1.0 if is_active else _WEAKER,
        )  # fmt: skip
    if not is_all_there:
        region.tag_redraw()


def _moved() -> bytes:
    return dragged[0].corners.tobytes() if dragged else b""


def _upload(
    polygons: bpy.types.Object, mesh: bpy.types.Mesh, name: str, decisions: Decisions, beside: tuple[Any, ...]
) -> Upload:
    from ..gpu_layers import Upload

    key = mesh.session_uid, name
    kept = _kept.pop(key, None)
    if kept is None or kept.decisions is not decisions or kept.beside != beside:
        picture = _picture(polygons, name, decisions)
        width = _ACTIVE_WIDTH if name == "active" else _WIDTH
        kept = _Kept(decisions, beside, Upload(picture, beside[0], width))
    while len(_kept) >= _MOST:
        del _kept[next(iter(_kept))]
    _kept[key] = kept
    return kept.upload


def _picture(polygons: bpy.types.Object, name: str, decisions: Decisions) -> Any:
    import numpy as np

    from ...objects.built_from import remembered
    from ...objects.links.write_links import merged
    from .blocked_links import blocked_rows
    from .fresh_links import blocked_now
    from .link_ribbons import active_picture, links_picture, rejected_picture

    above = _ABOVE * remembered(polygons)[0].cell_height
    if name == "rejected":
        return rejected_picture(decisions.rejected, above)
    fresh = _fresh.get(str(polygons.get(SETUP, "")))
    rows = decisions.shown if fresh is None else merged(fresh.rows, decisions).shown
    if name == "links":
        blocked = blocked_rows(polygons, rows) if fresh is None else blocked_now(fresh, rows)
        return links_picture(rows, blocked, above)
    active = decisions.shown.ids[scene_properties(scene_of(bpy.context)).active_link :][:1]
    return active_picture(dragged[0] if dragged else rows.of(np.isin(rows.ids, active)), above)


def show_fresh(links: Mapping[str, FreshLinks]) -> None:
    """Draw these from now on, by setup, which are not written yet; of others, what their meshes have."""
    _fresh.clear()
    _fresh.update(links)


def show_dragged(rows: Any | None) -> None:
    """Draw the active link there, or where it is again."""
    dragged[:] = [] if rows is None else [rows]
    redraw_views()


def register() -> None:
    if not bpy.app.background:
        _handles.append(bpy.types.SpaceView3D.draw_handler_add(_draw, (), "WINDOW", "POST_VIEW"))


def unregister() -> None:
    from ...stored import links_mesh

    while _handles:
        bpy.types.SpaceView3D.draw_handler_remove(_handles.pop(), "WINDOW")
    _kept.clear()
    dragged.clear()
    _fresh.clear()
    links_mesh.forget()
    said_once.forget()
