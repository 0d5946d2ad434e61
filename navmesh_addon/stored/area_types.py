"""The list of area types on the scene: what a number means, its color, and what it asks of an agent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import bpy
from bpy.props import FloatProperty, FloatVectorProperty, IntProperty, StringProperty

from .. import events
from .object_properties import NOT_WALKABLE, PLAIN, UNSET, abilities_of
from .setting_properties import rounded

if TYPE_CHECKING:
    from ..blender_types import Rows


class AreaRow(NamedTuple):
    """One area type."""

    area: int  # 63 is plain ground, which is 0 in the finished navmesh
    name: str
    color: tuple[float, float, float]
    flags: int  # abilities: 1 walk, 2 swim, 4 doors, 8 jump, 16 disabled
    cost: float = 1.0


class RuntimeAreaType(NamedTuple):
    """The same as a navmesh is built with it: rounded to what people typed."""

    area: int  # plain ground is 0
    name: str
    flags: int
    cost: float
    color: tuple[float, float, float]


DEFAULT_ROWS = (
    AreaRow(PLAIN, "Walkable", (0.0, 0.45, 0.75), 1),
    AreaRow(1, "Water", (0.1, 0.05, 0.9), 2, 10.0),
    AreaRow(2, "Road", (0.3, 0.1, 0.12), 1),
    AreaRow(3, "Door", (0.35, 0.95, 0.95), 5),
    AreaRow(4, "Grass", (0.2, 0.35, 0.0), 1, 2.0),
    AreaRow(5, "Jump", (0.9, 0.75, 0.0), 8, 1.5),
    AreaRow(6, "Custom", (0.7, 0.3, 0.4), 1),
)
"""Their colors are told apart by people of every kind of color vision: a test simulates it."""
_OTHER_COLORS = ((0.8, 0.3, 0.1), (0.5, 0.7, 0.1), (0.3, 0.3, 0.6), (0.8, 0.5, 0.6))


def _rgb(color: Sequence[float]) -> tuple[float, float, float]:
    return color[0], color[1], color[2]


def _color_again(row: NavmeshAreaType, _context: bpy.types.Context) -> None:
    events.area_color_changed.happened(row.area, _rgb(row.color))


class NavmeshAreaType(bpy.types.PropertyGroup):
    """One row of `Scene.navmesh.area_types`"""

    if TYPE_CHECKING:
        area: int
        color: Sequence[float]
        flags: int
        abilities: set[str]
        cost: float
    __annotations__ = {
        "name": StringProperty(name="Name", default="Custom"),
        "area": IntProperty(
            name="Area Id", description="Number in the navmesh; 63 is plain ground", default=6, min=1, max=PLAIN
        ),
        "color": FloatVectorProperty(
            name="Color", subtype="COLOR", default=(0.6, 0.1, 0.5), min=0.0, max=1.0, update=_color_again
        ),
        "flags": IntProperty(
            name="Flags",
            description="Abilities that an agent needs, as bits: 1 walk, 2 swim, 4 doors, 8 jump, 16 disabled",
            default=1,
            min=0,
            max=0xFFFF,
        ),
        "abilities": abilities_of("flags"),
        "cost": FloatProperty(
            name="Cost",
            description="How dear a metre is: agents avoid what costs more. "
            "The navmesh, its report (navmesh_area_types) and files but .bin and .obj carry it; "
            "a game gives it to its path search",
            default=1.0,
            min=0.0,
        ),
    }


def area_type_list(scene: bpy.types.Scene) -> Rows[NavmeshAreaType]:
    """The scene's own list, empty in a new scene."""
    listed: Rows[NavmeshAreaType] = scene.navmesh.area_types  # type: ignore[attr-defined] # stubs know no properties of ours
    return listed


def area_rows(scene: bpy.types.Scene) -> tuple[AreaRow, ...]:
    """The scene's area types, or the usual ones where it has no list."""
    rows = tuple(AreaRow(t.area, t.name, _rgb(t.color), t.flags, t.cost) for t in area_type_list(scene))
    return rows or DEFAULT_ROWS


def runtime_area_types(scene: bpy.types.Scene) -> tuple[RuntimeAreaType, ...]:
    """The scene's area types as runtime data has them."""
    return tuple(
        RuntimeAreaType(
            0 if row.area == PLAIN else row.area, row.name, row.flags, rounded(row.cost),
            (rounded(row.color[0]), rounded(row.color[1]), rounded(row.color[2])),
        )
        for row in area_rows(scene)
    )  # fmt: skip


def area_table(types: tuple[RuntimeAreaType, ...]) -> list[dict[str, int | str | float]]:
    """The same as reports and navmesh objects give it to scripts and engines. Colors are none of their business."""
    return [{"area": row.area, "name": row.name, "flags": row.flags, "cost": row.cost} for row in types]


def fill(scene: bpy.types.Scene) -> None:
    """Give the scene a list of its own, to be edited."""
    for row in DEFAULT_ROWS:
        added = area_type_list(scene).add()
        for name, value in row._asdict().items():
            setattr(added, name, value)


def area_name(scene: bpy.types.Scene, area: int) -> str:
    """What people call an area."""
    if area in (UNSET, NOT_WALKABLE):
        return "Not Walkable" if area == NOT_WALKABLE else "Not Set"
    return next((row.name for row in area_rows(scene) if row.area == area), f"Area {area}")


def area_color(rows: tuple[AreaRow, ...], area: int) -> tuple[float, float, float]:
    """Color of an area id; ids without a row get one of a few others."""
    return next((row.color for row in rows if row.area == area), _OTHER_COLORS[area % len(_OTHER_COLORS)])


def free_area(scene: bpy.types.Scene) -> int:
    """The lowest id that no row has; the last custom one where all are taken."""
    taken = {row.area for row in area_rows(scene)}
    return next((area for area in range(1, PLAIN) if area not in taken), PLAIN - 1)
