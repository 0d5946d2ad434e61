"""Found links as faces of one mesh: after a build, and after somebody decided about one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import bpy
import numpy as np
import numpy.typing as npt

from ..axes import to_blender
from ..blender_types import mesh_of
from ..mesh_attributes import replace_faces, write_attribute
from ..stored.link_properties import choose_none, follow_link
from ..stored.link_rows import FOUND, Decisions, LinkRows, decided, joined, no_rows, rows_of
from ..stored.links_mesh import (
    ATTRIBUTES,
    CORNER,
    LEFT_OUT,
    LINK_EDITS,
    LINKS,
    LINKS_MESH,
    ORDER,
    fingerprint,
    keep_ledger,
    links_object,
    placed_at,
    read_links,
    shown_ids,
)
from ..stored.object_properties import ROLE
from ..stored.setups import active_setup, scene_properties
from .blender_mesh import local_points
from .navmesh_objects import BUILD, SETUP, navmesh_of_setup

if TYPE_CHECKING:
    from ..builds.request_and_result import BuiltNavmesh


def write_built_links(
    home: bpy.types.Collection | None, polygons: bpy.types.Object, built: BuiltNavmesh, metres: float
) -> None:
    """Write what a build found beside its polygon mesh. What was decided meanwhile holds, too.

    Where links are not asked for, those of the builds before stay with their decisions, but belong to no navmesh.
    Without a `home` nothing is created: who has no mesh of links yet gets none.
    """
    if not built.request.settings.generate_links:
        return
    object_ = links_object(polygons)
    before = Decisions(no_rows(), no_rows(), no_rows()) if object_ is None else read_links(object_)
    decisions = merged(rows_of(built.navmesh.wide_links), before)
    if object_ is None:
        polygons[LINK_EDITS] = ""
        if not len(decisions.shown.ids) or home is None:
            return
        object_ = _new_object(home, polygons)
    as_asked = fingerprint(before.edits()) == fingerprint(built.request.level.link_edits)
    write_decisions(object_, decisions, metres)
    kept = decisions.shown.ids[decisions.shown.states != FOUND]
    attached = [wide.id for wide in built.navmesh.wide_links if wide.points]
    object_[LEFT_OUT] = json.dumps([number for number in kept.tolist() if number not in attached])
    object_[BUILD] = polygons[BUILD]
    polygons[LINK_EDITS] = fingerprint(read_links(object_).edits() if as_asked else built.request.level.link_edits)


def make_room_for_links(home: bpy.types.Collection, polygons: bpy.types.Object, metres: float) -> None:
    """An empty mesh of links where there is none, for those who write later and may create nothing."""
    if links_object(polygons) is None:
        write_decisions(_new_object(home, polygons), Decisions(no_rows(), no_rows(), no_rows()), metres)


def write_imported_links(
    home: bpy.types.Collection, polygons: bpy.types.Object, found: LinkRows, metres: float
) -> None:
    """Those of a file, as a build would write them, but shown: ribbons are drawn of builds alone."""
    if len(found.ids):
        object_ = _new_object(home, polygons)
        object_.hide_viewport = False
        write_decisions(object_, Decisions(found, found, no_rows()), metres)


def merged(found: LinkRows, before: Decisions) -> Decisions:
    """What a build found, with what was decided before: kept links in their places, rejected ones left out."""
    stays = before.shown.states != FOUND
    kept, kept_generated = before.shown.of(stays), before.generated.of(stays)
    new = found.of(~np.isin(found.ids, kept.ids) & ~np.isin(found.ids, before.rejected.ids))
    return Decisions(joined([new, kept]), joined([new, kept_generated]), before.rejected)


def write_decisions(object_: bpy.types.Object, decisions: Decisions, metres: float) -> None:
    """Rewrite the mesh in its place, and its ledger."""
    decisions = decided(decisions.shown, joined([decisions.generated, decisions.rejected]))  # states follow from places
    before = shown_ids(object_)
    _fill(object_, decisions.shown, metres)
    _follow_active(object_, before, decisions.shown.ids)
    keep_ledger(mesh_of(object_), decisions, placed_at(object_), metres)


def _follow_active(object_: bpy.types.Object, before: npt.NDArray[np.uint32], now: npt.NDArray[np.uint32]) -> None:
    """Whoever has chosen a link of this mesh goes on with that one, wherever it stands in the list now."""
    for scene in bpy.data.scenes:
        stored, setup = scene_properties(scene), active_setup(scene)
        row = stored.active_link
        if setup is None or links_object(navmesh_of_setup(scene, setup)) != object_:
            continue
        if row == 0 and not len(before):  # nobody has chosen yet
            continue
        found = np.flatnonzero(np.isin(now, before[row : row + 1]))
        if not len(found):
            choose_none(stored)
        elif found[0] != row:
            follow_link(stored, int(found[0]))


def _new_object(home: bpy.types.Collection, polygons: bpy.types.Object) -> bpy.types.Object:
    """Neither rendered nor shown: it is drawn over the viewport. Whoever wants to edit it shows it."""
    name = f"{polygons.name} Links"
    object_ = bpy.data.objects.new(name, bpy.data.meshes.new(name))
    object_[ROLE], object_[SETUP] = LINKS_MESH, polygons[SETUP]
    object_.hide_render = object_.hide_viewport = True
    object_.display_type = "WIRE"
    home.objects.link(object_)
    polygons[LINKS] = object_
    return object_


def _fill(object_: bpy.types.Object, rows: LinkRows, metres: float) -> None:
    mesh, count = mesh_of(object_), len(rows.ids)
    places = local_points(object_, to_blender(rows.corners.reshape(-1, 3), metres))
    starts = np.arange(0, 4 * count, 4, dtype=np.int32)
    replace_faces(object_, mesh, places, (starts[:, None] + np.array(ORDER, np.int32)).ravel(), starts)
    columns: dict[str, npt.NDArray[Any]] = {
        "link_id": np.ascontiguousarray(rows.ids).view(np.int32), "link_kind": rows.kinds, "link_two_way": rows.two_way,
        "link_area": rows.areas, "link_flags": rows.flags, "link_state": rows.states,
    }  # fmt: skip
    for name, kind in ATTRIBUTES.items():
        write_attribute(mesh, name, columns[name], kind)
    write_attribute(mesh, CORNER, np.tile(np.arange(4, dtype=np.int32), count), "INT", "POINT")
    mesh.update(calc_edges=True)


# --- what somebody decides about one of them, by its place in the list


def without(decisions: Decisions, rows: npt.NDArray[np.bool_]) -> Decisions:
    """Rejected: builds find none there again."""
    gone = decisions.generated.of(rows)
    return Decisions(
        decisions.shown.of(~rows), decisions.generated.of(~rows), joined([decisions.rejected, gone])
    )  # fmt: skip


def with_restored(decisions: Decisions, rows: npt.NDArray[np.bool_]) -> Decisions:
    """Rejected ones are there again, as they were found; the next build looks whether they still are."""
    back = decisions.rejected.of(rows)
    back = back._replace(states=np.full(len(back.ids), FOUND, np.uint8))
    shown, generated = joined([decisions.shown, back]), joined([decisions.generated, back])
    return Decisions(shown, generated, decisions.rejected.of(~rows))


def with_state(decisions: Decisions, row: int, state: int) -> Decisions:
    """Pinned, or found again as builds will have it."""
    states = decisions.shown.states.copy()
    states[row] = state
    return decisions._replace(shown=decisions.shown._replace(states=states))


def with_corners(decisions: Decisions, row: int, corners: npt.ArrayLike) -> Decisions:
    """(4, 3) moved there. What its state is follows from its entry."""
    places = decisions.shown.corners.copy()
    places[row] = corners
    return decisions._replace(shown=decisions.shown._replace(corners=places))


def put_back(decisions: Decisions, rows: npt.NDArray[np.bool_]) -> Decisions:
    """As builds found them."""
    now: list[npt.NDArray[Any]] = [*decisions.shown]
    written: list[npt.NDArray[Any]] = [*decisions.generated]
    columns: list[Any] = [np.where(_beside(rows, new), old, new) for new, old in zip(now, written, strict=True)]
    shown = LinkRows(*columns)
    states = np.where(rows, FOUND, decisions.shown.states).astype(np.uint8)
    return decisions._replace(shown=shown._replace(ids=decisions.shown.ids, states=states))


def _beside(rows: npt.NDArray[np.bool_], values: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """As many dimensions as the values have."""
    return rows.reshape(-1, *[1] * (values.ndim - 1))
