"""Decide about found links: keep one as it is, reject it, take that back, or look at it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy
from bpy.props import EnumProperty, FloatVectorProperty, IntProperty

from ....navcore.errors import BadInput, NavmeshError
from ... import events
from ...blender_types import not_none, scene_of, select_alone, view_layer_of
from ...objects.navmesh_objects import metres_of, navmesh_of
from ...operator_types import Answer
from ...redraw import redraw_views
from ...stored.link_properties import NO_LINK
from ...stored.links_mesh import decisions_of, links_object
from ...stored.setups import scene_properties
from ..island_operators import OnNavmesh, frame_box
from ..questions.ground_handles import END, START

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

    from ...stored.link_rows import Decisions


ENDS = ((START, "Start", "Where the link begins"), (END, "End", "Where it leads"))


def links_of(scene: bpy.types.Scene, navmesh: str = "") -> tuple[bpy.types.Object, Decisions]:
    """The found links of a navmesh, and what was decided about them. Raises NavmeshError."""
    polygons = navmesh_of(scene, navmesh)
    object_ = links_object(polygons)
    if object_ is None:
        raise BadInput(f"“{polygons.name}” has no found links. Switch on Find Links and build.", "NO_FOUND_LINKS")
    return object_, decisions_of(polygons)


class OnLink(OnNavmesh):
    """An operator on one found link of a navmesh."""

    if TYPE_CHECKING:
        link: int
    __annotations__ = {
        "link": IntProperty(
            name="Link",
            description="Its place among the faces of the links' mesh; -1 for the active one",
            default=-1,
            min=-1,
            options={"SKIP_SAVE"},
        ),
    }

    def decide(self, context: bpy.types.Context, decisions: Decisions, row: int) -> Decisions:
        """What is decided then. Raises NavmeshError."""
        raise NotImplementedError

    def act(self, context: bpy.types.Context) -> None:
        scene = scene_of(context)
        object_, decisions = links_of(scene, self.navmesh)
        changed = self.decide(context, decisions, chosen_row(scene, decisions, self.link))
        if changed is not decisions:
            write(scene, object_, changed)


def chosen_row(scene: bpy.types.Scene, decisions: Decisions, link: int) -> int:
    """Which link is meant. Raises BadInput where there is none."""
    row, count = scene_properties(scene).active_link if link < 0 else link, len(decisions.shown.ids)
    if row >= count:
        asked = f"There is no found link {row}." if row != NO_LINK else "No found link is chosen."
        there = f"There are {count:,}, counted from 0." if count else "There is none to choose."
        raise BadInput(f"{asked} {there}", "NO_FOUND_LINKS")
    return row


def write(scene: bpy.types.Scene, object_: bpy.types.Object, decisions: Decisions) -> None:
    """What was decided, into the mesh."""
    from ...objects.write_links import write_decisions  # here: Blender's start does not wait for NumPy

    write_decisions(object_, decisions, metres_of(scene))
    redraw_views()


class NAVMESH_OT_pin_link(OnLink, bpy.types.Operator):
    """Accept this link: builds keep it as it is, and only check that agents can still take it.

    Once more, and builds find it anew"""

    bl_idname = "navmesh.pin_link"
    bl_label = "Pin Link"

    def decide(self, _context: bpy.types.Context, decisions: Decisions, row: int) -> Decisions:
        from ...objects.write_links import with_state
        from ...stored.link_rows import FOUND, MOVED, PINNED

        state = int(decisions.shown.states[row])
        if state == MOVED:
            self.report({"INFO"}, "It was moved by hand: builds keep it already.")
            return decisions
        return with_state(decisions, row, FOUND if state == PINNED else PINNED)


class NAVMESH_OT_reject_link(OnLink, bpy.types.Operator):
    """Reject this link: builds find none of its kind there again, until it is restored"""

    bl_idname = "navmesh.reject_link"
    bl_label = "Reject Link"

    def decide(self, _context: bpy.types.Context, decisions: Decisions, row: int) -> Decisions:
        from ...objects.write_links import without

        return without(decisions, _only(decisions, row))


def _only(decisions: Decisions, row: int) -> npt.NDArray[np.bool_]:
    import numpy as np

    return np.arange(len(decisions.shown.ids)) == row


class NAVMESH_OT_put_link_back(OnLink, bpy.types.Operator):
    """Put a moved link back where a build found it"""

    bl_idname = "navmesh.put_link_back"
    bl_label = "Put Link Back"

    def decide(self, _context: bpy.types.Context, decisions: Decisions, row: int) -> Decisions:
        from ...objects.write_links import put_back

        return put_back(decisions, _only(decisions, row))


class NAVMESH_OT_set_link_end(OnLink, bpy.types.Operator):
    """Move one end of a link: the middle of its edge goes to a place"""

    bl_idname = "navmesh.set_link_end"
    bl_label = "Set Link End"

    if TYPE_CHECKING:
        which: str
        place: Sequence[float]
    __annotations__ = {
        "which": EnumProperty(name="Which", items=ENDS),
        "place": FloatVectorProperty(name="Place", size=3, subtype="XYZ", unit="LENGTH"),
    }

    def decide(self, context: bpy.types.Context, decisions: Decisions, row: int) -> Decisions:
        return with_end_at(scene_of(context), decisions, row, self.which, tuple(self.place))


def with_end_at(
    scene: bpy.types.Scene, decisions: Decisions, row: int, which: str, place: Sequence[float]
) -> Decisions:
    """With the middle of an edge at a place of the scene; the edge keeps its width and its direction."""
    import numpy as np

    from ...axes import to_navcore_points
    from ...objects.write_links import with_corners

    corners = decisions.shown.corners[row].astype(np.float64)
    edge = slice(0, 2) if which == START else slice(2, 4)
    wanted = to_navcore_points([place], metres_of(scene))[0]
    corners[edge] += wanted - corners[edge].mean(axis=0)
    return with_corners(decisions, row, corners)


class NAVMESH_OT_restore_links(OnNavmesh, bpy.types.Operator):
    """Take back that links were rejected: the next build finds them again where they still are"""

    bl_idname = "navmesh.restore_links"
    bl_label = "Restore Links"

    if TYPE_CHECKING:
        rejected: int
    __annotations__ = {
        "rejected": IntProperty(
            name="Rejected", description="Its place among the rejected ones; -1 for all", default=-1, min=-1,
            options={"SKIP_SAVE"},
        ),
    }  # fmt: skip

    def act(self, context: bpy.types.Context) -> Answer | None:
        object_, decisions = links_of(scene_of(context), self.navmesh)
        import numpy as np

        from ...objects.write_links import with_restored

        rows = np.full(len(decisions.rejected.ids), self.rejected < 0)
        if 0 <= self.rejected < len(rows):
            rows[self.rejected] = True
        if not rows.any():
            self.report({"INFO"}, "No such link was rejected.")
            return {"CANCELLED"}
        write(scene_of(context), object_, with_restored(decisions, rows))
        return None


class NAVMESH_OT_edit_links(OnNavmesh, bpy.types.Operator):
    """Edit the found links as a mesh, a face for each: delete, move or copy faces, then leave Edit Mode and build"""

    bl_idname = "navmesh.edit_links"
    bl_label = "Edit as Mesh"
    bl_options = {"REGISTER", "UNDO"}

    def act(self, context: bpy.types.Context) -> None:
        layer = view_layer_of(context)
        object_, _ = links_of(scene_of(context), self.navmesh)
        if object_.name not in layer.objects:
            raise BadInput(f"“{object_.name}” is in no collection of this view layer. Show it.", "NO_FOUND_LINKS")
        object_.hide_viewport = object_.hide_select = False
        object_.hide_set(False, view_layer=layer)
        select_alone(context, object_)
        bpy.ops.object.mode_set(mode="EDIT")


class NAVMESH_OT_frame_link(OnLink, bpy.types.Operator):
    """Show this link in the viewport"""

    bl_idname = "navmesh.frame_link"
    bl_label = "Show Link"
    bl_options = {"REGISTER", "INTERNAL"}

    def decide(self, context: bpy.types.Context, decisions: Decisions, row: int) -> Decisions:
        if not frame_link(context, decisions, row):
            raise BadInput("There is no 3D viewport to show the link in. Open one.", "NO_VIEWPORT")
        return decisions


def frame_link(context: bpy.types.Context, decisions: Decisions, row: int) -> bool:
    """False where there is no viewport."""
    from ...axes import to_blender

    corners = to_blender(decisions.shown.corners[row], metres_of(scene_of(context)))
    low, high = corners.min(axis=0).tolist(), corners.max(axis=0).tolist()
    shown = frame_box(context, (low[0], low[1], low[2]), (high[0], high[1], high[2]))
    redraw_views()
    return shown


def _show_chosen() -> None:
    """Somebody clicked a link in the list."""
    context = bpy.context
    if bpy.app.background or context.window is None or context.scene is None:
        return
    try:
        _, decisions = links_of(not_none(context.scene))
    except NavmeshError:  # the panel says it
        return
    row = scene_properties(not_none(context.scene)).active_link
    if row < len(decisions.shown.ids):
        frame_link(context, decisions, row)


SUBSCRIBERS = ((events.link_chosen, _show_chosen),)
