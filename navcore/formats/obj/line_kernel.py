"""Lines of an OBJ file that are as nearly all lines are: vertices and faces, straight into arrays.

Whatever is written in another way (a number that Python must round, an index out of range, a line that goes on in the
next, a mistake) is left to `LineReader`, which then is the only place that refuses lines.

Decimal numbers become float32 bit for bit as Python's `float` and then a cast to float32 would have
them.

Up to 2⁵³ and a power of ten up to 22 both are exact in float64, and one product or quotient of them is rounded once:
that is what `float` returns. Of anything longer the first 18 digits are taken. What they come to is off by less than
one part in 2⁵⁰. Rounding never changes the order of two numbers, so where both ends of that range round to the same
float32 every number between them does; where they don't (once in some millions), Python is asked.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...jit import kernel
from ...types import F32, F64, I32, U8, AnyBool, AnyInt, Records

NOT_HERE = -1  # in the place of where a line or a number ends: Python is to read it
# A face that needs a second look: its line, its first triangle, and its corners, negative where a vertex comes later.
FACE = np.dtype((np.record, [("line", np.int64), ("triangle", np.int64), ("corners", np.int64)]))
# A line that is neither vertex nor face nor comment: where in the text it begins, and how many triangles are before it.
NOTE = np.dtype((np.record, [("line", np.int64), ("begin", np.int64), ("triangles", np.int64)]))
_TAB, _NEWLINE, _RETURN, _SPACE, _HASH, _MINUS, _SLASH, _ZERO, _NINE, _BACKSLASH = 9, 10, 13, 32, 35, 45, 47, 48, 57, 92
_F, _N, _P, _T, _V = 102, 110, 112, 116, 118
_INDEX_DIGITS = 9  # of an index that surely fits an int32

POWERS = np.array([float(f"1e{exponent}") for exponent in range(81)])  # of ten; the first 23 are exact
_INT64_DIGITS = 18  # that surely fit an int64
_EXACT, _EXACT_POWER = 1 << 53, 22
_OFF = 2.0**-50  # 1.5 roundings of 2⁻⁵³ each in the number, one in its product, and digits beyond the 18th
_LARGEST = float(np.finfo(np.float32).max)
_PLUS, _POINT, _E, _SMALL_E = 43, 46, 69, 101


class Rows(NamedTuple):
    """What lines are read into."""

    vertices: F32  # (., 3)
    triangles: I32  # (., 3)
    faces: Records  # those that need a second look
    notes: Records


@kernel
def read_lines(
    text: U8, at: int, line: int, powers: F64, rows: Rows, vertex_count: int, triangle_count: int
) -> tuple[int, int, int, int, int, int]:
    """Read `text`, whole lines, from `at`, which is in line number `line`, until its end or a line for Python.

    Vertices and triangles are written behind those that are there, faces and notes from the beginning. Returns where it
    stopped, the number of that line, and how many rows each of the four arrays has then.
    """
    vertices, triangles, faces, notes = rows
    face_count, note_count = 0, 0
    while at < len(text) and face_count < len(faces) and note_count < len(notes):
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
                    face = faces[face_count]
                    face.line, face.triangle, face.corners = line, triangle_count, -corners if ahead else corners
                    face_count += 1
                triangle_count += corners - 2
        elif first != _BACKSLASH and not (first in (_V, _F) and second in (_NEWLINE, _BACKSLASH)):
            if first != _V or (second != _T and second != _N and second != _P) or not _is_blank(text[begin + 2]):
                note = notes[note_count]
                note.line, note.begin, note.triangles = line, begin, triangle_count
                note_count += 1
            after, lines = _skip_line(text, begin)
        if after == NOT_HERE:
            break
        at, line = after, line + lines
    return at, line, vertex_count, triangle_count, face_count, note_count


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
    if at == begin or at - begin > _INDEX_DIGITS or corner < 0 or (back and index == 0):
        return np.int64(0), NOT_HERE
    if text[at] == _SLASH:
        while not (_is_blank(text[at]) or text[at] == _NEWLINE):
            if text[at] == _BACKSLASH:
                return np.int64(0), NOT_HERE
            at += 1
    elif not (_is_blank(text[at]) or text[at] == _NEWLINE):
        return np.int64(0), NOT_HERE
    return corner, at


# --- decimal numbers


@kernel
def number_at(text: U8, at: int, powers: F64) -> tuple[np.float32, int]:
    """The number that begins at text[at], and where it ends; NOT_HERE instead of that where Python is to read it.

    The text must end with something that is no part of a number.
    """
    negative = text[at] == _MINUS
    if negative or text[at] == _PLUS:
        at += 1
    digits, exponent = np.int64(0), np.int64(0)
    kept, seen, whole, past_point = 0, 0, True, False
    while True:
        digit = int(text[at]) - _ZERO
        if 0 <= digit <= 9:
            seen += 1
            if kept < _INT64_DIGITS:
                digits = digits * 10 + digit
                if digits > 0:
                    kept += 1
                exponent -= past_point
            else:
                whole = whole and digit == 0
                exponent += not past_point
        elif text[at] == _POINT and not past_point:
            past_point = True
        else:
            break
        at += 1
    if seen == 0:
        return np.float32(0), NOT_HERE
    if text[at] == _E or text[at] == _SMALL_E:
        written, at = _exponent_at(text, at + 1)
        exponent += written
    if at < 0:
        return np.float32(0), NOT_HERE
    value, known = _scaled(digits, exponent, whole, powers)
    return (-value if negative else value), (at if known else NOT_HERE)


@kernel
def _exponent_at(text: U8, at: int) -> tuple[AnyInt, int]:
    """The whole number at text[at] and where it ends."""
    negative = text[at] == _MINUS
    if negative or text[at] == _PLUS:
        at += 1
    begin, exponent = at, np.int64(0)
    while _ZERO <= text[at] <= _NINE:
        if at - begin == 4:
            return 0, NOT_HERE
        exponent = exponent * 10 + (int(text[at]) - _ZERO)
        at += 1
    if at == begin:
        return 0, NOT_HERE
    return (-exponent if negative else exponent), at


@kernel
def _scaled(digits: np.int64, exponent: AnyInt, whole: bool, powers: F64) -> tuple[np.float32, bool]:
    """digits · 10^exponent, and whether it is known for sure; `whole`: no digits but zeros were left out."""
    if digits == 0:
        return np.float32(0), True
    if exponent <= -len(powers) or exponent >= len(powers):
        return np.float32(0), False
    value = float(digits)
    value = value / powers[-exponent] if exponent < 0 else value * powers[exponent]
    if value * (1 + _OFF) > _LARGEST:
        return np.float32(0), False
    if whole and digits <= _EXACT and -_EXACT_POWER <= exponent <= _EXACT_POWER:
        return np.float32(value), True
    low, high = np.float32(value * (1 - _OFF)), np.float32(value * (1 + _OFF))
    return low, low == high
