"""What our classes for Blender have in common: what operators answer, how they refuse, and lines of lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy

from ..navcore.errors import NavmeshError
from .errors import report_error

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems

    Answer = set[OperatorReturnItems]
    GizmoPart = bpy.types.Gizmo
    GizmoGroupPart = bpy.types.GizmoGroup
    ListPart = bpy.types.UIList
    MenuPart = bpy.types.Menu
    OperatorPart = bpy.types.Operator
    PanelPart = bpy.types.Panel
else:
    Answer = set  # what operators return
    # Blender's own class comes last, in the classes that it registers.
    GizmoPart = GizmoGroupPart = MenuPart = OperatorPart = PanelPart = ListPart = object


class Saying(OperatorPart):
    """An operator that says what it did in the status bar."""

    def say(self, fine: bool, text: str) -> None:
        """What was done; a warning where not all of it is fine."""
        self.report({"INFO"} if fine else {"WARNING"}, text)

    def refuse(self, why: str) -> Answer:
        """There is nothing to do, which is no error."""
        self.say(False, why)
        return {"CANCELLED"}


class Acting(Saying):
    """An operator that does one thing at once, and says why where it can't be done."""

    def act(self, context: bpy.types.Context) -> Answer | None:
        """Do it. Returns None where it is done. Raises NavmeshError."""
        raise NotImplementedError

    def execute(self, context: bpy.types.Context) -> Answer:
        try:
            return self.act(context) or {"FINISHED"}
        except (NavmeshError, MemoryError) as error:
            return report_error(self, error)


class RowList(ListPart):
    """A list whose lines need no more than what they are of."""

    def draw_row(self, context: bpy.types.Context, layout: bpy.types.UILayout, item: Any) -> None:
        raise NotImplementedError

    def draw_item(  # type: ignore[override] # Blender counts the parameters
        self, context: bpy.types.Context, layout: bpy.types.UILayout, _data: Any, item: Any, _icon: int,
        _owner: Any, _name: str,
    ) -> None:  # fmt: skip
        self.draw_row(context, layout, item)
