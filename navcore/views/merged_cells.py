"""From cells to faces with colors: merged, and several cells at a time where there would be too many faces."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ..geometry.arrays import grown
from ..jit import kernel
from ..threads import Workers
from ..types import F32, I32, U8, U16, AnyInt
from .cell_frame import HIDDEN, LIFT_VX, LOOKS, CellFrame, Cells, edges_of, workers_for

# --- Tops and undersides of cells, merged: cells of one height and look become rectangles.
#
# Runs along x first, then runs of following rows that are equal. Faces are (x0, x1, z0, z1, y0, y1, look) in cells and
# voxels. Bands of rows are merged each by itself, and are the same ones for any number of threads.

X0, X1, Z0, Z1, Y0, Y1, LOOK = range(7)  # columns of a face
TOP, TOWARDS_X, TOWARDS_Z, UNDERSIDE, OTHER_SHADE = 0, 1, 2, 3, 4
_ROOM = 256  # faces that there is room for at first


@kernel
def flat_faces(cells: Cells, side: int, begin: int, end: int) -> I32:
    """The tops of the cells in rows begin:end, or their undersides but for the lowest in a column."""
    width, _, margin, first, low, high, paint = cells
    skipped, heights = 0, high
    if side == UNDERSIDE:
        skipped, heights = 1, low
    longest = 0
    for z in range(begin, end):
        longest = max(longest, first[(z + 1) * width] - first[z * width])
    faces, count = np.empty((_ROOM, 7), np.int32), 0
    runs, run_count = np.empty((longest + 1, 4), np.int32), 0  # first column, end, first span, of this row
    run_of = np.empty(longest + 1, np.int32)  # of each span of this row
    here, above = np.empty(longest + 1, np.int32), np.empty(longest + 1, np.int32)  # the face that begins at a span
    for z in range(begin, end):
        row, row_above = first[z * width], first[max(z - 1, begin) * width]
        columns = z * width, margin, width - margin
        run_count = _runs_of_row(first, heights, paint, columns, skipped, run_of, runs)
        here[: first[(z + 1) * width] - row] = -1
        for r in range(run_count):
            x0, x1, span = runs[r, 0], runs[r, 1], np.int64(runs[r, 2])
            face = np.int64(-1)
            if z > begin:
                column = (z - 1) * width + x0
                for other in range(first[column] + skipped, first[column + 1]):
                    if heights[other] == heights[span] and paint[other] == paint[span]:
                        face = np.int64(above[other - row_above])
            if face < 0 or faces[face, X1] != x1:
                if count == faces.shape[0]:
                    faces = grown(faces, count, count + 1)
                face = np.int64(count)
                count += 1
                faces[face, X0], faces[face, X1], faces[face, Z0] = x0, x1, z
                faces[face, Y0] = faces[face, Y1] = heights[span]
                shade = OTHER_SHADE if heights[span] & 1 else 0
                faces[face, LOOK] = np.int32(paint[span]) * LOOKS + side + shade
            faces[face, Z1] = z + 1
            here[span - row] = face
        here, above = above, here
    return faces[:count].copy()


@kernel
def _runs_of_row(
    first: I32, heights: U16, paint: U16, columns: tuple[int, int, int], skipped: int, run_of: I32, runs: I32
) -> int:
    """The longest runs of cells of one height and paint in a row; returns how many there are.

    `columns` are the row's first in the grid, and where it begins and ends, counted from there.
    """
    row, begin, end = columns
    count, origin = 0, first[row]
    for x in range(begin, end):
        column = row + x
        other = first[column - 1] + skipped if x > begin else 0
        other_end = first[column] if x > begin else 0
        for span in range(first[column] + skipped, first[column + 1]):
            if paint[span] == HIDDEN:
                run_of[span - origin] = -1
                continue
            while other < other_end and (paint[other] == HIDDEN or heights[other] < heights[span]):
                other += 1
            run = np.int32(-1)
            if other < other_end and heights[other] == heights[span] and paint[other] == paint[span]:
                run = run_of[other - origin]
            if run < 0:
                run = np.int32(count)
                runs[run, 0], runs[run, 2] = x, span
                count += 1
            runs[run, 1] = x + 1
            run_of[span - origin] = run
    return count


# --- Sides of boxes, as far as the boxes next door leave them visible, merged along the side.

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


# --- Cells drawn two by two as one, where there would be too many faces.

_JOINED_ROWS = 64  # of joined cells in one band


def join_cells(cells: Cells, boxes: bool, workers: Workers) -> Cells:
    """Each two by two columns as one. What overlaps in height is one cell, as high as the highest.

    It has the paint that most of them have, that of the highest among equals.
    """
    width, depth = (-(-(length - 2 * cells.margin) // 2) for length in (cells.width, cells.depth))
    bands = [(begin, min(begin + _JOINED_ROWS, depth)) for begin in range(0, depth, _JOINED_ROWS)]
    parts = workers.run(_joined, [(cells, boxes, width, *band) for band in bands])
    counts, low, high, paint = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    first = np.zeros(width * depth + 1, np.int32)
    np.cumsum(counts, out=first[1:])
    return Cells(width, depth, 0, first, low, high, paint)


@kernel
def _joined(cells: Cells, boxes: bool, joined_width: int, begin: int, end: int) -> tuple[I32, U16, U16, U16]:
    """How many cells each joined column of rows begin:end has, and these."""
    width, depth, margin, first, low, high, paint = cells
    last_x, last_z = width - margin, depth - margin
    top_row, end_row = margin + 2 * begin, min(margin + 2 * end, last_z)
    room = first[end_row * width] - first[top_row * width]
    new_low, new_high, new_paint = np.empty(room, np.uint16), np.empty(room, np.uint16), np.empty(room, np.uint16)
    counts, count = np.empty((end - begin) * joined_width, np.int32), 0
    spans = np.empty(64, np.int32)
    for z in range(begin, end):
        for x in range(joined_width):
            near_x, near_z = margin + 2 * x, margin + 2 * z
            gathered = 0
            for row in range(near_z, min(near_z + 2, last_z)):
                for column in range(row * width + near_x, row * width + min(near_x + 2, last_x)):
                    for span in range(first[column], first[column + 1]):
                        if paint[span] == HIDDEN:
                            continue
                        if gathered == spans.shape[0]:
                            spans = grown(spans, gathered, gathered + 1)
                        at = gathered
                        while at > 0 and high[spans[at - 1]] > high[span]:
                            spans[at] = spans[at - 1]
                            at -= 1
                        spans[at] = span
                        gathered += 1
            before = count
            while gathered > 0:  # from the highest down
                bottom, under = low[spans[gathered - 1]], gathered - 1
                while under > 0 and high[spans[under - 1]] >= bottom:
                    under -= 1
                    if boxes:
                        bottom = min(bottom, low[spans[under]])
                new_low[count], new_high[count] = bottom, high[spans[gathered - 1]]
                new_paint[count] = _most_frequent(paint, spans[under:gathered])
                count += 1
                gathered = under
            for i in range((count - before) // 2):  # and from the lowest up
                a, b = before + i, count - 1 - i
                new_low[a], new_low[b] = new_low[b], new_low[a]
                new_high[a], new_high[b] = new_high[b], new_high[a]
                new_paint[a], new_paint[b] = new_paint[b], new_paint[a]
            counts[(z - begin) * joined_width + x] = count - before
    return counts, new_low[:count].copy(), new_high[:count].copy(), new_paint[:count].copy()


@kernel
def _most_frequent(paint: U16, spans: I32) -> np.uint16:
    """The paint that most of the spans have, the last one's among equals."""
    chosen, most = paint[spans[spans.shape[0] - 1]], 0
    for i in range(spans.shape[0] - 1, -1, -1):
        count = 0
        for other in spans:
            count += paint[other] == paint[spans[i]]
        if count > most:
            chosen, most = paint[spans[i]], count
    return chosen


_ROWS = 128  # in one band, whose faces are merged
_FACES_AT_ONCE = 1 << 17


class Drawn(NamedTuple):
    """The faces of cells."""

    corners: F32  # (F, 4, 3) metres
    colors: U8  # (F, 4)
    notes: tuple[str, ...]


def draw_flat(frame: CellFrame, cells: Cells, looks: U8, most_faces: int) -> Drawn:
    """Faces above floors; `looks` are (paints × LOOKS, 4) colors."""
    return _drawn(frame, cells, looks, most_faces, False, False)


def draw_boxes(frame: CellFrame, cells: Cells, looks: U8, most_faces: int, layered: bool = False) -> Drawn:
    """Boxes with what is visible of their sides; an underside has only what lies above something else."""
    return _drawn(frame, cells, looks, most_faces, True, layered)


def _drawn(frame: CellFrame, cells: Cells, looks: U8, most_faces: int, boxes: bool, layered: bool) -> Drawn:
    with workers_for(len(cells.paint)) as workers:
        factor = 1
        notes: tuple[str, ...] = ()
        parts = _merged(cells, boxes, layered, workers)
        whole = total = sum(len(part) for part in parts)
        while total > max(most_faces, 1) and cells.width * cells.depth > 1:
            cells, factor = join_cells(cells, boxes, workers), 2 * factor
            parts = _merged(cells, boxes, layered, workers)
            total = sum(len(part) for part in parts)
        if factor > 1:
            notes = (f"Cells are drawn {factor} × {factor} at a time: {whole:,} faces would be too many.",)
        edges = edges_of(frame, cells.width, 0, factor), edges_of(frame, cells.depth, 2, factor)
        heights = float(frame.origin[1]), frame.cell_height, 0 if boxes else LIFT_VX
        corners, colors = np.empty((total, 4, 3), np.float32), np.empty((total, 4), np.uint8)
        ends = np.cumsum([0, *(len(part) for part in parts)]).tolist()
        jobs = [
            (part[i : i + _FACES_AT_ONCE], *edges, heights, looks, corners[begin + i :], colors[begin + i :])
            for part, begin in zip(parts, ends[:-1], strict=True)
            for i in range(0, len(part), _FACES_AT_ONCE)
        ]
        workers.run(_write_faces, jobs)
    return Drawn(corners, colors, notes)


def _merged(cells: Cells, boxes: bool, layered: bool, workers: Workers) -> list[I32]:
    """The faces of all cells, band by band."""
    begin, end = cells.margin, cells.depth - cells.margin
    bands = [(row, min(row + _ROWS, end)) for row in range(begin, end, _ROWS)]
    faces: list[I32] = workers.run(flat_faces, [(cells, TOP, *band) for band in bands])
    if boxes:
        faces += workers.run(flat_faces, [(cells, UNDERSIDE, *band) for band in bands])
        for towards in (TOWARDS_X, TOWARDS_Z):
            faces += workers.run(side_faces, [(cells, towards, layered, *band) for band in bands])
    return faces


@kernel
def _write_faces(
    faces: I32, edges_x: F32, edges_z: F32, heights: tuple[float, float, int], looks: U8, corners: F32, colors: U8
) -> None:
    """Corners in metres and colors; a face that lies flat goes around counter-clockwise as seen from above."""
    origin, cell_height, lift = heights
    for i in range(faces.shape[0]):
        x0, x1 = edges_x[faces[i, X0]], edges_x[faces[i, X1]]
        z0, z1 = edges_z[faces[i, Z0]], edges_z[faces[i, Z1]]
        low = np.float32(origin + (faces[i, Y0] + lift) * cell_height)
        high = np.float32(origin + (faces[i, Y1] + lift) * cell_height)
        corners[i, 0, 0], corners[i, 1, 0], corners[i, 2, 0], corners[i, 3, 0] = x0, x0, x1, x1
        corners[i, 0, 1], corners[i, 1, 1], corners[i, 2, 1], corners[i, 3, 1] = low, low, high, high
        corners[i, 0, 2], corners[i, 1, 2], corners[i, 2, 2], corners[i, 3, 2] = z0, z1, z1, z0
        if (
            faces[i, Y0] != faces[i, Y1] and faces[i, X0] != faces[i, X1]
        ):  # it stands along x: both lower corners lie at its ends
            corners[i, 1, 0], corners[i, 3, 0] = x1, x0
        look = faces[i, LOOK]
        for channel in range(4):
            colors[i, channel] = looks[look, channel]
