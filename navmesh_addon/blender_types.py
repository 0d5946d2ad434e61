"""What Blender's stubs leave open and is known wherever our code is called: that there is a scene, a layout, a mesh.

Nothing is checked when these run; they tell type checkers what Blender guarantees.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

import bpy

_Value = TypeVar("_Value")
# Blender 4.5 and newer ask whether a property understands //, a path beside the .blend file. The stubs of 4.2 do not
# know it.
RELATIVE_PATH: Any = {"PATH_SUPPORTS_BLEND_RELATIVE"} if bpy.app.version >= (4, 5, 0) else set()


class _Drawn(Protocol):
    @property
    def layout(self) -> bpy.types.UILayout | None: ...


if TYPE_CHECKING:
    Icon = bpy.stub_internal.rna_enums.IconItems

    class Rows(bpy.types.bpy_prop_collection[_Value]):
        """A list of property groups. The stubs know only lists of Blender's own."""

        def add(self) -> _Value: ...
        def remove(self, index: int) -> None: ...
        def move(self, index: int, to: int) -> None: ...
else:
    Icon, Rows = str, list


def not_none(value: _Value | None) -> _Value:
    """The same value, where it is never None."""
    return cast("_Value", value)


def scene_of(context: bpy.types.Context) -> bpy.types.Scene:
    """Of operators, panels and handlers: they run only where there is one."""
    return not_none(context.scene)


def view_layer_of(context: bpy.types.Context) -> bpy.types.ViewLayer:
    """Likewise."""
    return not_none(context.view_layer)


def layout_of(drawn: _Drawn) -> bpy.types.UILayout:
    """Where something draws itself."""
    return not_none(drawn.layout)


def select_alone(context: bpy.types.Context, *objects: bpy.types.Object) -> None:
    """And make the last of them the active one."""
    for other in context.selected_objects:
        other.select_set(False)
    for object_ in objects:
        object_.select_set(True)
    not_none(view_layer_of(context).objects).active = objects[-1]


def tool_of(context: bpy.types.Context) -> str:
    """What the mouse does in the 3D view; "" where nobody knows."""
    tool = context.workspace and context.workspace.tools.from_space_view3d_mode(context.mode, create=False)
    return tool.idname if tool else ""


def mesh_of(object_: bpy.types.Object) -> bpy.types.Mesh:
    """The data of an object of type MESH."""
    return cast("bpy.types.Mesh", object_.data)


def lines_of(object_: bpy.types.Object) -> list[Any]:
    """The points of each spline of a curve that has two or more."""
    splines = cast("bpy.types.Curve", object_.data).splines
    points: list[Any] = [one.bezier_points if one.type == "BEZIER" else one.points for one in splines]
    return [line for line in points if len(line) > 1]


def foldable_panel(layout: bpy.types.UILayout, name: str) -> tuple[bpy.types.UILayout, bpy.types.UILayout | None]:
    """A header and, where it is unfolded, a body. The stubs say that there is neither."""
    panel: Any = layout.panel(name, default_closed=False)
    return panel[0], panel[1]


def has_property(owner: bpy.types.bpy_struct, name: str) -> bool:
    """Whether something has a custom property."""
    return name in owner  # type: ignore[operator] # the stubs lack it


def values_of(attribute: bpy.types.Attribute | None) -> bpy.types.bpy_prop_collection[Any]:
    """The values of a mesh's attribute, which foreach_get and foreach_set want: the stubs lack them."""
    values: bpy.types.bpy_prop_collection[Any] = not_none(attribute).data  # type: ignore[attr-defined]
    return values
