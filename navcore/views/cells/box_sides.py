"""Sides of boxes, as far as the boxes next door leave them visible, merged along the side."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from ...geometry.arrays import grown
from ...jit import kernel
from ...types import I32, U16, AnyInt
from .flat_faces import LOOK, LOOKS, OTHER_SHADE, TOWARDS_X, X0, X1, Y0, Y1, Z0, Z1
from .frame import HIDDEN, Cells

_ROOM = 256  # faces that there is room for at first
_STEP_UNDERNEATH = 4  # vx: steps of the level's own underside, which only an eye below the level would see

_Boxes: TypeAlias = tuple[AnyInt, AnyInt]  # the spans of a column, and where they end


@kernel
def side_faces(cells: Cells, towards: int, layered: bool, begin: int, end: int) -> I32:
    """The visible sides that look along x or along z of the boxes in rows begin:end, as faces.

    Where they are `layered`, each voxel has a face of its own and every other layer another shade.
    """
    width, depth, margin, first, low, high, paint = cells
    faces, count = np.empty((_ROOM, 7), np.int32), 0
    visible = np.empty((16, 3), np.int32)  # from, to, look: of the cell that is looked at
    before, now = np.empty(16, np.int32), np.empty(16, np.int32)  # faces of the last cell, and of this one
    # Sides that look along x lie in lines along z, and the other way round.
    line_begin, line_end, place_begin, place_end = begin, end, margin, width - margin
    if towards == TOWARDS_X:
        line_begin, line_end, place_begin, place_end = margin, width - margin, begin, end
    for step in (-1, 1):
        for line in range(line_begin, line_end):
            before_count = 0
            for place in range(place_begin, place_end):
                x, z, beside_x, beside_z = place, line, place, line + step
                if towards == TOWARDS_X:
                    x, z, beside_x, beside_z = line, place, line + step, place
                a, b = _spans_of(first, width, depth, x, z)
                c, d = _spans_of(first, width, depth, beside_x, beside_z)
                if b - a == 1 and d - c == 1 and paint[c] != HIDDEN and low[c] <= low[a] and high[a] <= high[c]:
                    before_count = 0  # as almost everywhere: nothing is visible
                    continue
                room = _room_for(low, high, a, b, d - c, layered)
                if room > visible.shape[0]:
                    visible = grown(visible, 0, room)
                visible_count = _visible_sides(low, high, paint, (a, b), (c, d), towards, layered, visible)
                if visible_count > now.shape[0]:
                    now = grown(now, 0, visible_count)
                old = 0
                for i in range(visible_count):
                    y0, y1, look = visible[i, 0], visible[i, 1], visible[i, 2]
                    while old < before_count and faces[before[old], Y0] < y0:
                        old += 1
                    face = np.int64(-1)
                    if old < before_count:
                        face = np.int64(before[old])
                        if faces[face, Y0] != y0 or faces[face, Y1] != y1 or faces[face, LOOK] != look:
                            face = np.int64(-1)
                    if face < 0:
                        if count == faces.shape[0]:
                            faces = grown(faces, count, count + 1)
                        face = np.int64(count)
                        count += 1
                        faces[face, X0], faces[face, Z0] = x, z
                        faces[face, Y0], faces[face, Y1], faces[face, LOOK] = y0, y1, look
                    faces[face, X1], faces[face, Z1] = x + 1, z + 1
                    if towards == TOWARDS_X:
                        faces[face, X0] = faces[face, X1] = x + (step > 0)
                    else:
                        faces[face, Z0] = faces[face, Z1] = z + (step > 0)
                    now[i] = face
                before, now, before_count = now, before, visible_count
    return faces[:count].copy()


@kernel
def _spans_of(first: I32, width: int, depth: int, x: int, z: int) -> tuple[Any, Any]:
    """Where the spans of a column begin and end; nothing beyond the grid."""
    if x < 0 or x >= width or z < 0 or z >= depth:
        return np.int32(0), np.int32(0)
    return first[x + z * width], first[x + z * width + 1]


@kernel
def _room_for(low: U16, high: U16, a: AnyInt, b: AnyInt, beside: AnyInt, layered: bool) -> Any:
    """The most sides that the boxes a:b can have towards a column of so many others."""
    room: Any = b - a + beside
    if layered:
        for span in range(a, b):
            room += np.int32(high[span]) - np.int32(low[span])
    return room


@kernel
def _visible_sides(
    low: U16, high: U16, paint: U16, here: _Boxes, beside: _Boxes, towards: int, layered: bool, visible: I32
) -> int:
    """Write what of some boxes those beside them leave visible; returns how many parts there are.

    Small steps between the undersides of the lowest boxes are left out, as these undersides are: sloping ground would
    have as many of them as steps on top.
    """
    (a, b), (c, d) = here, beside
    count, lowest_beside = 0, c
    for span in range(a, b):
        if paint[span] == HIDDEN:
            continue
        look = np.int32(paint[span]) * LOOKS + towards
        y, top = np.int32(low[span]), np.int32(high[span])
        while y < top:
            # The lowest box beside that reaches above y: what lies under it is visible.
            while c < d and (paint[c] == HIDDEN or np.int32(high[c]) <= y):
                c += 1
            until, next_y = top, top
            if c < d and np.int32(low[c]) < top:
                until, next_y = max(np.int32(low[c]), y), np.int32(high[c])
                if span == a and c == lowest_beside and y == np.int32(low[a]) and until - y <= _STEP_UNDERNEATH:
                    until = y
            if layered:
                for layer in range(y, until):
                    visible[count, 0], visible[count, 1] = layer, layer + 1
                    visible[count, 2] = look + (OTHER_SHADE if layer & 1 else 0)
                    count += 1
            elif until > y:
                visible[count, 0], visible[count, 1], visible[count, 2] = y, until, look
                count += 1
            y = next_y
    return count
