"""The list of found links: one line for each face of their mesh, sorted and filtered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy

from ....navcore.errors import NavmeshError
from ...blender_types import Icon, scene_of
from ...kept_value import KeptValue
from ...objects.navmesh_objects import navmesh_of_setup
from ...stored.link_properties import KIND_ITEMS, STATE_ITEMS
from ...stored.links_mesh import links_object, read_links
from ...stored.setups import NavmeshScene, scene_properties, shown_setup
from ...views.blocked_links import blocked_rows

if TYPE_CHECKING:
    import numpy.typing as npt

    from ...stored.link_rows import LinkRows

_SHOWN = 1 << 30  # what Blender takes for: this line is not filtered away
_read: KeptValue[Any] = KeptValue(None)  # rows and which are blocked, as the list that is drawn now has read them


class NAVMESH_UL_links(bpy.types.UIList):
    """Found links"""

    bl_idname = "NAVMESH_UL_links"

    def draw_filter(self, context: bpy.types.Context, layout: bpy.types.UILayout) -> None:
        draw_link_filter(layout, scene_properties(scene_of(context)))

    def filter_items(  # type: ignore[override] # the stubs know no answer
        self, context: bpy.types.Context, _data: Any, _property: str
    ) -> tuple[list[int], list[int]]:  # fmt: skip
        """Which faces of the mesh are shown, and where in the list each stands."""
        scene = scene_of(context)
        polygons = navmesh_of_setup(scene, shown_setup(scene))
        object_ = links_object(polygons)
        _read.forget()
        if object_ is None or polygons is None:
            return [], []
        try:
            rows = read_links(object_).shown
        except NavmeshError:  # the panel says it
            return [], []
        _read.value = rows, blocked_rows(polygons, rows)
        flags, order = flags_and_order(rows, scene_properties(scene))
        return flags, order

    def draw_item(  # type: ignore[override] # they know parameters of newer versions
        self, _context: bpy.types.Context, layout: bpy.types.UILayout, _data: Any, item: Any, _icon: int,
        _active: Any, _property: str,
    ) -> None:  # fmt: skip
        if _read.value is None or item is None:
            return
        rows, blocked = _read.value
        if item.index < len(rows.ids):
            draw_link(layout, rows, item.index, bool(blocked[item.index]))


def draw_link(layout: bpy.types.UILayout, rows: LinkRows, row: int, is_blocked: bool) -> None:
    """Kind, length and width; its state; and what can be done about it."""
    line = layout.row(align=True)
    kind, icon = KIND_ITEMS[rows.kinds[row]], kind_icon(int(rows.kinds[row]))
    line.label(text=f"{kind[1][:-1]} {rows.lengths[row]:.1f} m", icon="ERROR" if is_blocked else icon)
    width = line.row(align=True)
    width.alignment = "RIGHT"
    width.label(text=f"{rows.widths[row]:.1f} m wide")
    pin = line.operator("navmesh.pin_link", text="", icon=state_icon(int(rows.states[row])), emboss=False)
    pin.link = row
    line.operator("navmesh.reject_link", text="", icon="X", emboss=False).link = row


def draw_link_filter(layout: bpy.types.UILayout, stored: NavmeshScene) -> None:
    """Kinds and states that the list shows, and its order."""
    layout.row(align=True).prop(stored, "link_kinds")
    layout.row(align=True).prop(stored, "link_states")
    layout.prop(stored, "link_sort")


def kind_icon(kind: int) -> Icon:
    """In the color that the viewport gives it."""
    return KIND_ITEMS[kind][3]  # type: ignore[return-value] # one of Blender's


def state_icon(state: int) -> Icon:
    """Of a link that is there."""
    return STATE_ITEMS[state][3]  # type: ignore[return-value] # likewise


def flags_and_order(rows: LinkRows, stored: NavmeshScene) -> tuple[list[int], list[int]]:
    """For each link whether the list shows it, and the line that it has."""
    import numpy as np

    kinds = [k for k, item in enumerate(KIND_ITEMS) if item[0] in stored.link_kinds]
    states = [k for k, item in enumerate(STATE_ITEMS) if item[0] in stored.link_states]
    shown = np.isin(rows.kinds, kinds) & np.isin(rows.states, states)
    by: dict[str, npt.NDArray[Any]] = {
        "LENGTH": -rows.lengths,
        "WIDTH": -rows.widths,
        "KIND": rows.kinds,
        "STATE": -rows.states.astype(np.int64),
    }
    if stored.link_sort not in by:
        return np.where(shown, _SHOWN, 0).tolist(), []
    line = np.empty(len(rows.ids), np.int64)
    line[np.argsort(by[stored.link_sort], kind="stable")] = np.arange(len(rows.ids))
    return np.where(shown, _SHOWN, 0).tolist(), line.tolist()


CLASSES = (NAVMESH_UL_links,)
