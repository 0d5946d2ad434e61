"""Lines of an OBJ file that are as nearly all lines are: vertices and faces, straight into arrays.

Whatever is written in another way (a number that Python must round, an index out of range, a line that goes on in the
next, a mistake) is left to `line_reader.py`, which then is the only place that refuses lines.
"""

from __future__ import annotations

import numpy as np

from ...jit import kernel
from ...types import F32, F64, I32, I64, U8, AnyBool, AnyInt
from .decimal_numbers import number_at

NOT_HERE = -1  # in the place of where a line ends: Python is to read it
LINE, FIRST, CORNERS = 0, 1, 2  # columns of `polygons`; CORNERS is negative where a vertex comes later in the file
BEGIN, BEFORE = (
    1,
    2,
)  # columns of `notes` beside LINE: where in the text it begins, and how many triangles are before it
_TAB, _NEWLINE, _RETURN, _SPACE, _HASH, _MINUS, _SLASH, _ZERO, _NINE, _BACKSLASH = 9, 10, 13, 32, 35, 45, 47, 48, 57, 92
_F, _N, _P, _T, _V = 102, 110, 112, 116, 118
_MOST_DIGITS = 9  # of an index that surely fits an int32


@kernel
def read_lines(
    text: U8, at: int, line: int, powers: F64,
    vertices: F32, vertex_count: int, triangles: I32, triangle_count: int, polygons: I64, notes: I64,
) -> tuple[int, int, int, int, int, int]:  # fmt: skip
    """Read `text`, whole lines, from `at`, which is in line number `line`, until its end or a line for Python.

    Vertices and triangles are written behind those that are there; `polygons` gets a row for each face that needs a
    second look, `notes` one for each line that is neither vertex nor face nor comment. Returns where it stopped, the
    number of that line, and how many rows each of the four arrays has then.
    """
    polygon_count, note_count = 0, 0
    while at < len(text) and polygon_count < len(polygons) and note_count < len(notes):
        begin = _skip_blanks(text, at)
        first, second = text[begin], text[begin + 1] if text[begin] != _NEWLINE else text[begin]
        after, lines = NOT_HERE, 1
        if first == _NEWLINE:
            after = begin + 1
        elif first == _HASH:
            after = _skip_comment(text, begin)
        elif first == _V and _is_blank(second):
            after = _read_vertex(text, begin + 1, powers, vertices, vertex_count)
            vertex_count += after != NOT_HERE
        elif first == _F and _is_blank(second):
            after, corners, ahead = _read_face(text, begin + 1, vertex_count, triangles, triangle_count)
            if after != NOT_HERE:
                if corners > 3 or ahead:
                    polygons[polygon_count, LINE], polygons[polygon_count, FIRST] = line, triangle_count
                    polygons[polygon_count, CORNERS] = -corners if ahead else corners
                    polygon_count += 1
                triangle_count += corners - 2
        elif first != _BACKSLASH and not (first in (_V, _F) and second in (_NEWLINE, _BACKSLASH)):
            if first != _V or (second != _T and second != _N and second != _P) or not _is_blank(text[begin + 2]):
                notes[note_count, LINE], notes[note_count, BEGIN], notes[note_count, BEFORE] = (
                    line,
                    begin,
                    triangle_count,
                )
                note_count += 1
            after, lines = _skip_line(text, begin)
        if after == NOT_HERE:
            break
        at, line = after, line + lines
    return at, line, vertex_count, triangle_count, polygon_count, note_count


@kernel
def _is_blank(character: AnyInt) -> AnyBool:
    """Space, tab, vertical tab, form feed."""
    return character == _SPACE or (_TAB <= character < _RETURN and character != _NEWLINE)


@kernel
def _skip_blanks(text: U8, at: int) -> int:
    while _is_blank(text[at]):
        at += 1
    return at


@kernel
def _skip_comment(text: U8, at: int) -> int:
    while text[at] != _NEWLINE:
        at += 1
    return at + 1


@kernel
def _skip_line(text: U8, at: int) -> tuple[int, int]:
    """Where the next line begins, and how many lines of the file this one is: a backslash at the end goes on."""
    lines = 1
    while at < len(text):
        if text[at] == _NEWLINE:
            if text[at - 1] != _BACKSLASH or at + 1 == len(text):
                break
            lines += 1
        at += 1
    return at + 1, lines


@kernel
def _read_vertex(text: U8, at: int, powers: F64, vertices: F32, count: int) -> int:
    """Three numbers; what else there is (a weight, a color) is passed over. Returns where the next line begins."""
    for axis in range(3):
        at = _skip_blanks(text, at)
        vertices[count, axis], at = number_at(text, at, powers)
        if at < 0 or not (_is_blank(text[at]) or text[at] == _NEWLINE):
            return NOT_HERE
    while text[at] != _NEWLINE:
        if text[at] == _BACKSLASH:
            return NOT_HERE
        at += 1
    return at + 1


@kernel
def _read_face(text: U8, at: int, vertex_count: int, triangles: I32, count: int) -> tuple[int, int, bool]:
    """A fan of triangles. Returns where the next line begins, the corners, and whether a vertex is yet to come."""
    corners, ahead, first, previous = 0, False, np.int64(0), np.int64(0)
    while True:
        at = _skip_blanks(text, at)
        if text[at] == _NEWLINE:
            break
        corner, at = _read_corner(text, at, vertex_count)
        if at == NOT_HERE:
            return NOT_HERE, 0, False
        ahead = ahead or bool(corner >= vertex_count)
        if corners == 0:
            first = corner
        elif corners > 1:
            row = count + corners - 2
            triangles[row, 0], triangles[row, 1], triangles[row, 2] = first, previous, corner
        previous = corner
        corners += 1
    return (at + 1 if corners > 2 else NOT_HERE), corners, ahead


@kernel
def _read_corner(text: U8, at: int, vertex_count: int) -> tuple[np.int64, int]:
    """The vertex of `v`, `v/vt` or `v/vt/vn`, counted from 0, and where the word ends."""
    back = text[at] == _MINUS
    at += back
    begin, index = at, np.int64(0)
    while _ZERO <= text[at] <= _NINE:
        index = index * 10 + (int(text[at]) - _ZERO)
        at += 1
    corner = vertex_count - index if back else index - 1
    if at == begin or at - begin > _MOST_DIGITS or corner < 0 or (back and index == 0):
        return np.int64(0), NOT_HERE
    if text[at] == _SLASH:
        while not (_is_blank(text[at]) or text[at] == _NEWLINE):
            if text[at] == _BACKSLASH:
                return np.int64(0), NOT_HERE
            at += 1
    elif not (_is_blank(text[at]) or text[at] == _NEWLINE):
        return np.int64(0), NOT_HERE
    return corner, at
