"""A dot in the color of an area, as an icon: menus and lists know areas by it and by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy
import bpy.utils.previews

from ..kept_value import KeptValue
from ..stored.area_types import area_color, area_rows
from ..stored.object_properties import UNSET

_SIDE = 32  # pixels of an icon
_RADIUS, _SOFT, _RIM = 11.0, 1.2, 2.0  # pixels: of the dot, of its edge, of the dark line around it
_RIM_COLOR = 0.12
_SRGB = 2.2  # colors are linear, and icons are not
_made: KeptValue[Any] = KeptValue(None)  # previews by color, as Blender keeps them


def icon_of_area(scene: bpy.types.Scene, area: int) -> int:
    """The number of an icon; 0 for none."""
    return 0 if area == UNSET else icon_of_color(_FORBIDDEN if area < 0 else area_color(area_rows(scene), area))


_FORBIDDEN = (0.6, 0.02, 0.02)


def icon_of_color(color: Sequence[float]) -> int:
    """Made once for each color."""
    if _made.value is None:
        _made.value = bpy.utils.previews.new()
    name = "".join(f"{round(255 * part):02x}" for part in color)
    if name not in _made.value:
        preview = _made.value.new(name)
        preview.icon_size = (_SIDE, _SIDE)
        preview.icon_pixels_float = _dot([part ** (1 / _SRGB) for part in color])
    return int(_made.value[name].icon_id)


def _dot(color: Sequence[float]) -> list[float]:
    """Rows of red, green, blue and opacity."""
    pixels: list[float] = []
    for y in range(_SIDE):
        for x in range(_SIDE):
            away = ((x - _SIDE / 2 + 0.5) ** 2 + (y - _SIDE / 2 + 0.5) ** 2) ** 0.5
            seen = min(1.0, max(0.0, (_RADIUS - away) / _SOFT))
            inside = min(1.0, max(0.0, (_RADIUS - _RIM - away) / _SOFT))
            pixels += [*(_RIM_COLOR + (part - _RIM_COLOR) * inside for part in color), seen]
    return pixels


def unregister() -> None:
    if _made.value is not None:
        bpy.utils.previews.remove(_made.value)
    _made.forget()
