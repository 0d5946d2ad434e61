"""What our classes for Blender have in common: what operators answer, how they refuse, and lines of lists."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import bpy
from bpy.props import StringProperty

from ..navcore.errors import BadInput, NavmeshError
from .blender_types import RELATIVE_PATH, not_none
from .errors import sentence

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


class Reports(Protocol):
    """An operator of Blender's."""

    @property
    def report(self) -> Callable[..., object]: ...


def report_error(operator: Reports, error: BaseException) -> Answer:
    """Say what went wrong in the status bar. A script gets it as RuntimeError."""
    operator.report({"ERROR"}, sentence(error))
    return {"CANCELLED"}


def refuse_linked(context: bpy.types.Context) -> None:
    """Nothing that is linked from another file can be changed in this one. Raises BadInput."""
    scene = context.scene
    if scene is not None and scene.library is not None:
        raise BadInput(
            f"The scene “{scene.name}” is linked from {scene.library.filepath}. Open that file, or make it local "
            "(in the outliner: ID Data > Make Local).",
            "LINKED_SCENE",
        )


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

    bl_options = {"REGISTER", "UNDO"}  # type: ignore[misc,unused-ignore]

    def act(self, context: bpy.types.Context) -> Answer | None:
        """Do it. Returns None where it is done. Raises NavmeshError."""
        raise NotImplementedError

    def execute(self, context: bpy.types.Context) -> Answer:
        try:
            if "UNDO" in self.bl_options:
                refuse_linked(context)
            return self.act(context) or {"FINISHED"}
        except (NavmeshError, MemoryError) as error:
            return report_error(self, error)


class InObjectMode(Acting):
    """An operator of Object Mode."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return context.scene is not None and context.mode == "OBJECT"


class ForFile(Acting):
    """An operator on a file, whose name is asked for in a window."""

    if TYPE_CHECKING:
        filepath: str

    def suggested(self, home: Path) -> Path:
        """The name to begin with; `home` is what is named already, else the .blend file."""
        raise NotImplementedError

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> Answer:
        self.filepath = str(self.suggested(Path(self.filepath or bpy.data.filepath or "level.blend")))
        not_none(context.window_manager).fileselect_add(self)
        return {"RUNNING_MODAL"}


def file_property(name: str, about: str) -> Any:
    """Of the name of such a file."""
    return StringProperty(name=name, description=about, subtype="FILE_PATH", options=RELATIVE_PATH)


class OfPanel(Acting):
    """An operator of a button: no search lists it."""

    bl_options = {"REGISTER", "UNDO", "INTERNAL"}


class RowList(ListPart):
    """A list whose lines need no more than what they are of."""

    def draw_row(self, context: bpy.types.Context, layout: bpy.types.UILayout, item: Any) -> None:
        raise NotImplementedError

    def draw_item(  # type: ignore[override] # Blender counts the parameters
        self, context: bpy.types.Context, layout: bpy.types.UILayout, _data: Any, item: Any, _icon: int,
        _owner: Any, _name: str,
    ) -> None:  # fmt: skip
        self.draw_row(context, layout, item)


def absolute_path(filepath: str, code: str = "CANNOT_WRITE") -> Path:
    """Where a path from the file selector or a script leads. Raises BadInput where nobody can tell."""
    if not filepath or filepath.endswith(("/", "\\")):
        raise BadInput(f"{f'{filepath} is a folder' if filepath else 'There is no name'}. Name a file.", code)
    if filepath.startswith("//") and not bpy.data.filepath:
        raise BadInput(
            f"{filepath} is beside the .blend file, which was never saved. Save it, or give a whole path.", code
        )
    return Path(bpy.path.abspath(filepath)).resolve()
