"""The panel of a navmesh's islands: how large they are, which seeds keep them, and what would join them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy

from ...blender_types import layout_of, not_none, scene_of
from ...kept_value import KeptValue
from ...objects.island_list import IslandRow, island_rows, seeds_by_island
from ...objects.navmesh_objects import metres_on, navmesh_of_setup
from ...stored.edit_objects import is_of_gone_setup
from ...stored.object_properties import marks_of, object_use
from ...stored.setups import scene_properties, shown_setup
from ...stored.view_properties import MARK
from ..island_operators import join_of, was_asked
from .sidebar_panel import FEW, ListingMore, SidebarPanel, draw_text, room

if TYPE_CHECKING:
    from ..island_operators import OnIsland


class NAVMESH_OT_more_islands(ListingMore, bpy.types.Operator):
    """List more of the islands"""

    bl_idname = "navmesh.more_islands"
    shown = KeptValue(FEW)


class NAVMESH_PT_islands(SidebarPanel, bpy.types.Panel):
    """Parts of the navmesh that no path joins"""

    bl_idname = "NAVMESH_PT_islands"
    bl_label = "Islands"
    bl_options = {"DEFAULT_CLOSED"}
    tab = MARK

    @classmethod
    def has_something(cls, context: bpy.types.Context) -> bool:
        return navmesh_of_setup(scene_of(context), shown_setup(scene_of(context))) is not None

    def draw(self, context: bpy.types.Context) -> None:
        layout, scene = layout_of(self), scene_of(context)
        object_ = not_none(navmesh_of_setup(scene, shown_setup(scene)))
        rows = island_rows(object_, metres_on(scene, object_))
        if not rows:
            draw_text(layout, "Leave Edit Mode, or build again to see its islands", room(context))
        elif len(rows) == 1:
            draw_text(layout, f"One island, {rows[0].square_metres:,.1f} m²: agents get everywhere", room(context))
        else:
            _draw_islands(layout, context, object_, rows)
        _draw_dropped(layout, scene)


def _draw_islands(
    layout: bpy.types.UILayout, context: bpy.types.Context, object_: bpy.types.Object, rows: list[IslandRow]
) -> None:
    scene = scene_of(context)
    seeds = seeds_by_island(scene, object_, metres_on(scene, object_))
    column = layout.column(align=True)
    for island in rows[: NAVMESH_OT_more_islands.shown.value]:
        is_alone = scene_properties(scene).isolated_island == island.number
        _draw_island(column, object_, island, len(seeds.get(island.number, ())), bool(seeds), is_alone)
        if was_asked(object_, island.number):
            _draw_join(column, context, object_, island.number)
    NAVMESH_OT_more_islands.draw_rest(layout, len(rows))


def _draw_dropped(layout: bpy.types.UILayout, scene: bpy.types.Scene) -> None:
    """Marks that the shown setup heeds or that none heeds any more, each with a button that deletes it."""
    uid = shown_setup(scene).uid
    for mark in scene.objects:
        if object_use(mark) != "DROP":
            continue
        is_of_gone = is_of_gone_setup(scene, mark)
        if is_of_gone or marks_of(mark).drop_setup in ("", uid):
            row = layout.row(align=True)
            gone = ", for a setup that is gone" if is_of_gone else ""
            row.label(text=f"Dropped: “{mark.name}”, {marks_of(mark).drop_m2:,.1f} m²{gone}")
            row.operator("navmesh.undrop_island", text="", icon="LOOP_BACK").mark = mark.name


def _draw_island(
    column: bpy.types.UILayout,
    object_: bpy.types.Object,
    island: IslandRow,
    seeds: int,
    others: bool,
    is_alone: bool,
) -> None:
    """A line: its number and size, which frames it; its seeds; what to do."""
    row = column.row(align=True)
    size = f"{island.number}: {island.square_metres:,.1f} m²"
    _mean(row.operator("navmesh.frame_island", text=size, icon="VIEWZOOM"), object_, island)
    _mean(
        row.operator(
            "navmesh.isolate_island", text="", icon="SOLO_ON" if is_alone else "SOLO_OFF", depress=is_alone
        ),
        object_, island,
    )  # fmt: skip
    counted = row.row(align=True)
    counted.ui_units_x = 2.5
    counted.alignment = "RIGHT"
    counted.label(text=f"{island.polygons:,}", icon="MESH_GRID")
    kept = row.row(align=True)
    kept.active = bool(seeds) or not others
    _mean(
        kept.operator("navmesh.keep_island", text="", icon="PINNED" if seeds else "UNPINNED", depress=bool(seeds)),
        object_, island,
    )  # fmt: skip
    _mean(row.operator("navmesh.drop_island", text="", icon="TRASH"), object_, island)
    _mean(row.operator("navmesh.join_island", text="", icon="LINKED"), object_, island)


def _mean(button: bpy.types.OperatorProperties, object_: bpy.types.Object, island: IslandRow) -> None:
    meant: OnIsland = button  # type: ignore[assignment] # its properties
    meant.navmesh, meant.island = object_.name, island.number


def _draw_join(column: bpy.types.UILayout, context: bpy.types.Context, object_: bpy.types.Object, island: int) -> None:
    """What was found, and the button that does it."""
    join, box = join_of(object_, island), column.box()
    if join is None:
        box.label(text="There is no other island")
        return
    draw_text(box, join.sentence, room(context))
    if join.changes:
        box.operator("navmesh.set_settings", text="Change the Setting").changes = join.changes
        return
    button = box.operator("navmesh.add_link", text="Add a Link")
    button.start, button.end, button.radius = join.start, join.end, join.radius
