"""The row of tabs above all of our panels. Undo takes back what was done, not which tab is looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import EnumProperty

from ...blender_types import layout_of, scene_of
from ...operator_types import Acting
from ...redraw import TAB, redraw
from ...stored.setups import scene_properties
from ...stored.view_properties import TABS

_looked_at: dict[int, str] = {}  # by session_uid of scenes, while Blender undoes


class NAVMESH_OT_show_tab(Acting, bpy.types.Operator):
    """Show another tab of the panel"""

    bl_idname = "navmesh.show_tab"
    bl_label = "Show Tab"
    bl_options = {"INTERNAL"}

    if TYPE_CHECKING:
        tab: str
    __annotations__ = {"tab": EnumProperty(name="Tab", items=TABS)}

    @classmethod
    def description(cls, _context: bpy.types.Context, properties: Any) -> str:
        return next(about for name, _, about in TABS if name == properties.tab)

    def act(self, context: bpy.types.Context) -> None:
        scene_properties(scene_of(context)).tab = self.tab
        redraw()


class NAVMESH_PT_tabs(bpy.types.Panel):
    """Build, Mark, Test"""

    bl_idname = "NAVMESH_PT_tabs"
    bl_label = "Tabs"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = TAB
    bl_options = {"HIDE_HEADER"}

    def draw(self, context: bpy.types.Context) -> None:
        shown, row = scene_properties(scene_of(context)).tab, layout_of(self).row(align=True)
        for name, label, _ in TABS:
            row.operator("navmesh.show_tab", text=label, depress=name == shown).tab = name


def _remember(*_: object) -> None:
    _looked_at.clear()
    _looked_at.update((scene.session_uid, scene_properties(scene).tab) for scene in bpy.data.scenes)


def _look_again(*_: object) -> None:
    for scene in bpy.data.scenes:
        tab = _looked_at.get(scene.session_uid)
        if tab is not None and scene.library is None and scene_properties(scene).tab != tab:
            scene_properties(scene).tab = tab


HANDLERS = (
    ("undo_pre", _remember), ("redo_pre", _remember), ("undo_post", _look_again), ("redo_post", _look_again),
)  # fmt: skip
unregister = _looked_at.clear
