"""A level from an OBJ file: block by block into growing arrays, so that memory does not grow with the file's text."""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from ...build_warning import BuildWarning
from ...errors import BadInput, TooLarge
from ...geometry.arrays import numbers_in_ranges
from ...geometry.predicates import area2
from ...jit import kernel
from ...kernels.plain_python import standing_in
from ...progress import Progress
from ...types import F32, F64, I32, I64, U8, AnyBool, AnyInt, Records
from ..file_axes import AS_READ, FileAxes
from ..level_mesh import AreaMarker, LevelMesh
from .line_kernel import FACE, NOTE, POWERS, Rows, read_lines

# --- Faces that are fans of triangles already: which of those fans are right, and the others cut anew in their place.
#
# A fan is right where none of its triangles is turned over, as in every convex polygon, and stays as it is. A polygon
# is looked at along the axis that its normal is nearest to. A triangle no higher than a millionth of the polygon's
# size, or than float32 is fine where it lies, is not turned over: decimal places and rounding move corners on a
# straight edge that far, and a fold as narrow covers nothing.
#
# Ear clipping makes rings of corners into triangles that cover what the ring goes around, each place once.
#
# Every cut takes one corner off the ring: the triangle of it and its neighbors. However that is done, what the ring
# winds around is the sum of what the triangles wind around. So where no triangle is turned over the result is right,
# holes on a bridge and repeated corners included; and where the ring crosses itself so that some must be, it is said.

BITS = 29  # of a coordinate, so that predicates are exact
_BLOCKED, _EAR = 0, 1
_FLAT, _FINE = 2.0**-20, 2.0**-22  # how high a fold may be, of the polygon's size and of its largest coordinate
_FEW = 1 << 14  # pairs of corners and edges that plain Python looks at sooner than the kernel is compiled


def cut_polygons(vertices: F32, triangles: I32, polygons: Records, cancelled: U8) -> Records:
    """Cut anew, in `triangles`, those `polygons` (of FACE) whose fan is wrong.

    Returns the rows of those that cannot be cut without covering a place twice; they keep their fan.
    """
    wrong: list[_WrongFans] = []
    for count in np.unique(polygons["corners"]):
        if count > 3:
            same = polygons[polygons["corners"] == count]
            corners = _corners_of_fans(triangles, same)
            points = vertices[corners].astype(np.float64)
            right, axis, sign = _look_at_fans(points)
            bad = np.flatnonzero(~right)
            ring = _flattened(points[bad], axis[bad], sign[bad]).reshape(-1, 2)
            wrong.append(_WrongFans(same[bad], corners[bad].ravel(), ring))
    if not any(len(some.polygons) for some in wrong):
        return polygons[:0]
    return _cut(_WrongFans(*map(np.concatenate, zip(*wrong, strict=True))), triangles, cancelled)


class _WrongFans(NamedTuple):
    """Polygons whose fan is wrong, and their corners one polygon after the other."""

    polygons: Records  # (P,) of FACE
    corners: I32  # vertex numbers
    ring: I64  # (., 2) where they are seen


def _corners_of_fans(triangles: I32, polygons: Records) -> I32:
    """(P, N) vertex numbers of polygons with N corners each."""
    first, count = polygons["triangle"], int(polygons["corners"][0])
    rest = triangles[first[:, None] + np.arange(count - 2), 2]
    return np.concatenate([triangles[first, :2], rest], axis=1)


def _look_at_fans(points: F64) -> tuple[npt.NDArray[np.bool_], I64, F64]:
    """Of polygons (P, N, 3): whether the fan is right, the axis along which they are looked at, and from which side."""
    spokes = points[:, 1:] - points[:, :1]
    turns = _cross(spokes[:, :-1], spokes[:, 1:])
    normal = turns.sum(1)
    balanced = ~normal.any(1)  # as much is on one side as on the other
    axis = np.where(balanced[:, None], np.abs(turns).sum(1), np.abs(normal)).argmax(1)
    sign = np.where(np.take_along_axis(normal, axis[:, None], 1)[:, 0] < 0, -1.0, 1.0)
    long = np.sqrt((spokes * spokes).sum(2))
    fold = np.maximum(_FLAT * long.max(1), _FINE * np.abs(points).max((1, 2)))[:, None]
    areas = np.take_along_axis(turns, axis[:, None, None], 2)[:, :, 0] * sign[:, None]
    right = (areas >= -fold * np.maximum(long[:, :-1], long[:, 1:])).all(1)
    return right, axis, sign


def _cross(a: F64, b: F64) -> F64:
    """The cross products of vectors; NumPy's own takes several times as long."""
    (ax, ay, az), (bx, by, bz) = np.moveaxis(a, -1, 0), np.moveaxis(b, -1, 0)
    return np.stack([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx], axis=-1)


def _flattened(points: F64, axis: I64, sign: F64) -> I64:
    """Polygons (P, N, 3) as seen along an axis each: (P, N, 2) whole numbers, counter-clockwise.

    The larger side gets 2²⁹ steps: less than float32 can tell apart across a polygon.
    """
    seen = np.stack([np.take_along_axis(points, (axis + turn)[:, None, None] % 3, 2)[:, :, 0] for turn in (1, 2)], -1)
    seen -= seen.min(1, keepdims=True)
    _, exponent = np.frexp(seen.max((1, 2)))
    steps = np.rint(np.ldexp(seen, BITS - exponent[:, None, None])).astype(np.int64)
    steps[:, :, 0] *= sign.astype(np.int64)[:, None]
    return steps


def _cut(wrong: _WrongFans, triangles: I32, cancelled: U8) -> Records:
    """Write what the rings are cut into over their fans; returns the rows of those that can't be cut."""
    counts = wrong.polygons["corners"]
    first = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
    cut, done = np.empty((len(wrong.ring) - 2 * len(counts), 3), np.int32), np.zeros(len(counts), np.uint8)
    with standing_in() if int((counts * counts).sum()) <= _FEW else nullcontext():
        cut_rings(wrong.ring, first, cut, done, cancelled)
    kept = np.repeat(done == 1, counts - 2)
    made = wrong.corners[(cut + np.repeat(first[:-1], counts - 2)[:, None])[kept]]
    triangles[numbers_in_ranges(wrong.polygons["triangle"], counts - 2)[kept]] = made
    return wrong.polygons[done == 0]


# --- ear clipping


@kernel
def cut_rings(points: I64, first: I64, triangles: I32, done: U8, cancelled: U8) -> None:
    """Ring r is points[first[r]:first[r + 1]], (x, y) each, its inside where `area2` is positive.

    Its triangles, three corners of the ring each, are triangles[first[r] - 2 · r:]; done[r] is 1 where none of them is
    turned over. No Recast ancestor.
    """
    for ring in range(len(first) - 1):
        begin, end = first[ring], first[ring + 1]
        done[ring] = _cut_ring(points[begin:end], triangles[begin - 2 * ring : end - 2 * ring - 2], cancelled)


@kernel
def _cut_ring(points: I64, triangles: I32, cancelled: U8) -> int:
    """Cut the first ear, go on behind it, and so on around the ring."""
    left = len(points)
    before, after = np.empty(left, np.int64), np.empty(left, np.int64)
    for i in range(left):
        before[i], after[i] = (i - 1) % left, (i + 1) % left
    ears = np.empty(left, np.uint8)
    for i in range(left):
        ears[i] = _EAR if _is_ear(points, before, after, i) else _BLOCKED
    corner, passed = np.int64(0), 0
    while left > 2:
        if passed == left or cancelled[0]:
            return 0
        one, other = before[corner], after[corner]
        if ears[corner] == _BLOCKED:
            corner, passed = other, passed + 1
            continue
        row = len(points) - left
        triangles[row, 0], triangles[row, 1], triangles[row, 2] = one, corner, other
        after[one], before[other] = other, one
        left -= 1
        # A diagonal that lies inside what is left lay inside the whole: others cannot become ears by this cut.
        ears[one] = _EAR if _is_ear(points, before, after, one) else _BLOCKED
        ears[other] = _EAR if _is_ear(points, before, after, other) else _BLOCKED
        corner, passed = after[other], 0
    return 1


@kernel
def _is_ear(points: I64, before: I64, after: I64, corner: AnyInt) -> bool:
    """Can the corner be cut off? It must not turn inwards, and no edge of the ring may enter its triangle.

    Touching does not count. A corner that does not turn at all, or turns back, has a triangle without inside.
    """
    one, other = before[corner], after[corner]
    ax, ay, bx, by = points[one, 0], points[one, 1], points[corner, 0], points[corner, 1]
    cx, cy = points[other, 0], points[other, 1]
    turn = area2(ax, ay, bx, by, cx, cy)
    if turn <= 0:
        return bool(turn == 0)
    low_x, high_x, low_y, high_y = min(ax, bx, cx), max(ax, bx, cx), min(ay, by, cy), max(ay, by, cy)
    begin = other
    while begin != one:
        end = after[begin]
        px, py, qx, qy = points[begin, 0], points[begin, 1], points[end, 0], points[end, 1]
        beside = max(px, qx) <= low_x or min(px, qx) >= high_x or max(py, qy) <= low_y or min(py, qy) >= high_y
        if not beside and _enters(points, begin, end, one, corner, other):
            return False
        begin = end
    return True


@kernel
def _enters(points: I64, begin: AnyInt, end: AnyInt, one: AnyInt, corner: AnyInt, other: AnyInt) -> AnyBool:
    """Has an edge a point inside the triangle? Not if the line of one of the four edges is between them."""
    px, py, qx, qy = points[begin, 0], points[begin, 1], points[end, 0], points[end, 1]
    ax, ay, bx, by = points[one, 0], points[one, 1], points[corner, 0], points[corner, 1]
    cx, cy = points[other, 0], points[other, 1]
    if px == qx and py == qy:
        return False  # the edges before and after it say it
    if area2(ax, ay, bx, by, px, py) <= 0 and area2(ax, ay, bx, by, qx, qy) <= 0:
        return False
    if area2(bx, by, cx, cy, px, py) <= 0 and area2(bx, by, cx, cy, qx, qy) <= 0:
        return False
    if area2(cx, cy, ax, ay, px, py) <= 0 and area2(cx, cy, ax, ay, qx, qy) <= 0:
        return False
    a, b, c = area2(px, py, qx, qy, ax, ay), area2(px, py, qx, qy, bx, by), area2(px, py, qx, qy, cx, cy)
    return not ((a >= 0 and b >= 0 and c >= 0) or (a <= 0 and b <= 0 and c <= 0))


# --- One line of an OBJ file at a time, in plain Python: the one place that knows what all lines mean and refuses
# some.

_TOO_FAR = (2 - 2**-24) * 2.0**127  # from here on a coordinate is rounded to infinity
_INDICES = 1 << 31
_KNOWN = frozenset(
    b"vt vn vp p l o g s mg usemtl mtllib usemap maplib bevel c_interp d_interp lod shadow_obj trace_obj ctech stech "
    b"cstype deg bmat step curv curv2 parm trim hole scrv sp end con".split()
)
"""First words of lines that hold no surface, or belong to one that has a line of its own (`surf`)."""
_NO_TEXT = re.compile(rb"[^\x20-\x7e\x80-\xff\s]")


class LineReader:
    """Reads lines and keeps what they hold until it is taken."""

    def __init__(self, name: str, marker: AreaMarker | None) -> None:
        self.name = name
        self.left_out: dict[str, tuple[int, int]] = {}  # first words of lines that say nothing here: first line, lines
        self._marker = marker
        self._begin(0, 0)

    def _begin(self, vertex_count: int, triangle_count: int) -> None:
        self._vertices: list[tuple[float, float, float]] = []
        self._triangles: list[tuple[int, int, int]] = []
        self._polygons: list[tuple[int, int, int]] = []
        self._vertices_before, self._triangles_before = vertex_count, triangle_count

    def taken(self) -> tuple[F32, I32, Records]:
        """Vertices, triangles and polygons (of FACE) of the lines since the last call."""
        vertices = np.array(self._vertices, np.float64).astype(np.float32).reshape(-1, 3)
        triangles = np.array(self._triangles, np.int32).reshape(-1, 3)
        polygons = np.array(self._polygons, FACE)
        self.follow(self._vertices_before + len(vertices), self._triangles_before + len(triangles))
        return vertices, triangles, polygons

    def follow(self, vertex_count: int, triangle_count: int) -> None:
        """What is read next comes after so many vertices and triangles."""
        self._begin(vertex_count, triangle_count)

    def read(self, line: bytes, number: int) -> None:
        """Read one line, with all that it goes on in. Raises BadInput with its number and what to do."""
        if b"\\\n" in line and not line.lstrip().startswith(b"#"):
            line = line.replace(b"\\\n", b" ")
        words = line.split()
        if not words:
            return
        if words[0] == b"v":
            self._read_vertex(words, line, number)
        elif words[0] == b"f":
            self._read_face(words, line, number)
        elif not words[0].startswith(b"#"):
            self.note(line, number, self._triangles_before + len(self._triangles))

    def note(self, line: bytes, number: int, triangle_count: int) -> None:
        """A line that is neither vertex nor face nor comment, and comes after so many triangles."""
        line = line.replace(b"\\\n", b" ")
        word = line.split(None, 1)[0]
        if self._marker is not None and word in (b"usemtl", b"o", b"g"):
            self._marker.read(word.decode(), line, triangle_count)
        if word in _KNOWN:
            return
        if _NO_TEXT.search(line):
            self._refuse(number, "holds bytes that are no text: this seems to be no OBJ file. Export the level again")
        first, count = self.left_out.get(_shown(word), (number, 0))
        self.left_out[_shown(word)] = first, count + 1

    def _read_vertex(self, words: list[bytes], line: bytes, number: int) -> None:
        try:
            x, y, z = float(words[1]), float(words[2]), float(words[3])
        except IndexError:
            self._refuse_line(number, line, f"A vertex has 3 numbers, and this one {len(words) - 1}")
        except ValueError:
            self._refuse_line(number, line, "A vertex is `v` and 3 decimal numbers")
        if not (-_TOO_FAR < x < _TOO_FAR and -_TOO_FAR < y < _TOO_FAR and -_TOO_FAR < z < _TOO_FAR):
            self._refuse(
                number, f"has a coordinate that is not a finite number, or beyond 3.4e38: {_quoted(line)}. Remove the "
                "vertex (in Blender: Mesh > Clean Up) and export again", "NOT_FINITE",
            )  # fmt: skip
        if b"_" in line and b"_" in b"".join(words[1:4]):  # which Python takes as a part of numbers
            self._refuse_line(number, line, "A vertex is `v` and 3 decimal numbers")
        self._vertices.append((x, y, z))

    def _read_face(self, words: list[bytes], line: bytes, number: int) -> None:
        count = self._vertices_before + len(self._vertices)
        corners: list[int] = []
        for word in words[1:]:
            if word.startswith(b"#"):
                break  # a comment after the face
            digits = word.partition(b"/")[0]
            try:
                index = int(digits)
            except ValueError:
                index = _INDICES
            if not -_INDICES < index < _INDICES or b"_" in digits:
                self._refuse_line(number, line, "A face is `f` and the whole numbers of its vertices")
            corners.append(index - 1 if index > 0 else count + index)
            if index == 0 or corners[-1] < 0:
                why = "vertices are counted from 1" if index == 0 else f"only {count:,} vertices come before it"
                self.refuse_index(number, index, why)
        if len(corners) < 3:
            self._refuse(
                number, f"a face needs at least 3 corners, not {len(corners)}. Export the level again", sep=":"
            )
        ahead = max(corners) >= count
        if len(corners) > 3 or ahead:
            first = self._triangles_before + len(self._triangles)
            self._polygons.append((number, first, -len(corners) if ahead else len(corners)))
        self._triangles += [(corners[0], corners[i], corners[i + 1]) for i in range(1, len(corners) - 1)]

    def refuse_index(self, number: int, index: int, why: str) -> NoReturn:
        """A face names a vertex that does not exist."""
        text = f"has a face with the vertex {index}, and {why}. Check the exporter, or whether the file is whole"
        self._refuse(number, text, "INDEX_OUT_OF_RANGE")

    def _refuse_line(self, number: int, line: bytes, wanted: str) -> NoReturn:
        text = f"is not a proper OBJ line: {_quoted(line)}. {wanted}; correct the line or export the level again"
        self._refuse(number, text)

    def _refuse(self, number: int, why: str, code: str | None = None, sep: str = "") -> NoReturn:
        raise BadInput(f"{self.name}, line {number}{sep} {why}.", code) from None


def _shown(words: bytes) -> str:
    return words[:60].decode("utf-8", "replace")


def _quoted(line: bytes) -> str:
    return repr(_shown(line.strip()))


SMALL = 4 << 20  # bytes: Python has read such a file before the kernel would be compiled
_NOTES = 1 << 12  # lines beside vertices and faces that the kernel passes over in one call
_MAX_VERTICES = (1 << 31) - 1
_LISTED = 5  # line numbers in a message
BLOCK = 1 << 20  # bytes that are read at once
_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)  # UTF-32 in Intel's order begins like UTF-16
_GROWTH = 1.25  # times as long as before, so that a level's arrays never need much more than they hold


def read_obj(
    path: Path,
    materials: Mapping[str, int] | None = None,
    groups: Mapping[str, int] | None = None,
    progress: Progress | None = None,
    by_kernel: bool | None = None,
    axes: FileAxes = AS_READ,
) -> LevelMesh:
    """The faces of a file of any origin as triangles, with the areas of mapped materials and groups.

    `by_kernel` says how lines are read, by default as is faster for the size of the file; the result is the same bytes.
    Raises BadInput with the number of the line, TooLarge, OSError, and Cancelled through `progress`.
    """
    progress = progress or Progress()
    progress.report("reading", 0.0)
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        reader = _ObjReader(path.name, materials or {}, groups or {}, progress)
        try:
            for text in text_blocks(file, path.name):
                progress.check()
                reader.read(text, size > SMALL if by_kernel is None else by_kernel)
                progress.report("reading", file.tell() / size if size else 1.0)
            return reader.finished(axes)
        except MemoryError:
            raise TooLarge(
                f"There is not enough memory for {path.name} ({size / 2**20:,.0f} MB). Free some, or split the level.",
                "OUT_OF_MEMORY",
            ) from None


class _ObjReader:
    """What has been read of one file so far."""

    def __init__(self, name: str, materials: Mapping[str, int], groups: Mapping[str, int], progress: Progress) -> None:
        self._name, self._progress = name, progress
        self._marker = AreaMarker(materials, groups) if materials or groups else None
        self._lines = LineReader(name, self._marker)
        self._line = 1  # number of the next
        self._vertices, self._triangles = GrowingRows(np.float32, 3), GrowingRows(np.int32, 3)
        self._polygons = GrowingRows(FACE)  # to be looked at when the block is read
        self._waiting = GrowingRows(FACE)  # to be looked at when the file is read: they name vertices to come
        self._uncut: list[Records] = []

    def read(self, text: bytes, by_kernel: bool) -> None:
        """One block of whole lines."""
        if by_kernel:
            self._read_by_kernel(text)
        else:
            at = 0
            while at < len(text):
                at = self._read_line(text, at)
        self._take_lines()
        self._look_at_polygons()

    def _read_by_kernel(self, text: bytes) -> None:
        letters, at = np.frombuffer(bytearray(text), np.uint8), 0
        self._vertices.make_room(len(text) // 8 + 1)  # "v 0 0 0" and a newline
        self._triangles.make_room(len(text) // 2 + 1)
        polygons, notes = np.empty(len(text) // 8 + 1, FACE), np.empty(_NOTES, NOTE)
        while at < len(text):
            vertices, triangles = self._vertices, self._triangles
            rows = Rows(vertices.array, triangles.array, polygons, notes)
            at, self._line, vertices.count, triangles.count, polygon_count, note_count = read_lines(
                letters, at, self._line, POWERS, rows, vertices.count, triangles.count
            )
            self._polygons.append(polygons[:polygon_count])
            for line, begin, triangle_count in notes[:note_count].tolist():
                self._lines.note(text[begin : end_of_line(text, begin)], line, triangle_count)
            if at < len(text) and note_count < len(notes):
                self._lines.follow(vertices.count, triangles.count)
                at = self._read_line(text, at)
                self._take_lines()

    def _read_line(self, text: bytes, at: int) -> int:
        """Let Python read the line that begins there; returns where it ends."""
        end = end_of_line(text, at)
        line = text[at:end]
        self._lines.read(line, self._line)
        self._line += line.count(b"\n")
        return end

    def _take_lines(self) -> None:
        """What Python has read."""
        vertices, triangles, polygons = self._lines.taken()
        self._vertices.append(vertices)
        self._triangles.append(triangles)
        self._polygons.append(polygons)
        if self._vertices.count > _MAX_VERTICES:
            raise TooLarge(f"{self._name} has more than {_MAX_VERTICES:,} vertices. Split the level.")

    def _look_at_polygons(self) -> None:
        polygons = self._polygons.array[: self._polygons.count]
        ahead = polygons["corners"] < 0
        self._waiting.append(polygons[ahead])
        self._cut(polygons[~ahead])
        self._polygons.count = 0

    def _cut(self, polygons: Records) -> None:
        if len(polygons):
            cancelled = self._progress.cancelled
            self._uncut.append(cut_polygons(self._vertices.array, self._triangles.array, polygons, cancelled))
            self._progress.check()

    def finished(self, axes: FileAxes) -> LevelMesh:
        waiting = self._waiting.finished()
        waiting["corners"] *= -1
        self._check_indices(waiting)
        self._cut(waiting)
        vertices, triangles = axes.points(self._vertices.finished()), self._triangles.finished()
        areas = self._marker.areas(vertices, triangles) if self._marker else None
        return LevelMesh(vertices, triangles, areas, axes.warnings(self._warnings()))

    def _check_indices(self, polygons: Records) -> None:
        """Whether the vertices that were yet to come have come."""
        rows = numbers_in_ranges(polygons["triangle"], polygons["corners"] - 2)
        missing = np.flatnonzero((self._triangles.array[rows] >= self._vertices.count).any(1))
        if len(missing):
            face = polygons[np.searchsorted(polygons["triangle"], rows[missing[0]], "right") - 1]
            index = int(self._triangles.array[rows[missing[0]]].max()) + 1
            self._lines.refuse_index(int(face["line"]), index, f"the file has {self._vertices.count:,}")

    def _warnings(self) -> list[BuildWarning]:
        warnings = self._marker.warnings(self._name) if self._marker else []
        lines = sorted(int(line) for rows in self._uncut for line in rows["line"])
        if lines:
            listed = ", ".join(map(str, lines[:_LISTED])) + (" …" if len(lines) > _LISTED else "")
            text = (
                f"{self._name}: faces that cross themselves, or are bent too far to be cut into triangles: "
                f"{len(lines):,} (line {listed}). They are fans from their first corner and may fill a pit. "
                "Triangulate before export."
            )
            warnings.append(BuildWarning("FACES_NOT_CUT", text))
        for word, (first, count) in self._lines.left_out.items():
            text = (
                f"{self._name}: lines that begin with {word!r} are left out: {count:,}, the first of them line "
                f"{first}. Vertices and faces are read. Convert curves and surfaces to a mesh before export."
            )
            warnings.append(BuildWarning("LINES_LEFT_OUT", text))
        return warnings


# --- blocks of text


def text_blocks(file: BinaryIO, name: str) -> Iterator[bytes]:
    """Whole lines, each ending in a newline alone; a line that a backslash continues is never cut in two.

    `name` is the file's, for what is said. Raises BadInput.
    """
    first, rest = file.read(4), b""
    if first.startswith(_WIDE) or b"\0" in first:
        raise BadInput(
            f"{name} begins like text in UTF-16, and OBJ files are read as UTF-8 or ASCII. Save it as UTF-8, in a text "
            "editor or with `iconv -f UTF-16 -t UTF-8`.",
            "WRONG_ENCODING",
        )
    first = first.removeprefix(codecs.BOM_UTF8)
    # A line of any length is searched for its end only a few times, as ever more is read.
    while more := first + file.read(max(BLOCK, len(rest))):
        first = b""
        while more.endswith(b"\r") and (half := file.read(1)):
            more += half  # of the end of this line, as it may be
        text = rest + _with_newlines(more)
        end = _end_of_lines(text)
        rest = text[end:]
        if end:
            yield text[:end]
    if rest:
        yield rest + b"\n"


def _with_newlines(text: bytes) -> bytes:
    """Lines of Windows and of old Macs as they are everywhere else."""
    return text.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in text else text


def _end_of_lines(text: bytes) -> int:
    """Where the last line ends that does not go on in the next."""
    end = text.rfind(b"\n")
    while end > 0 and text[end - 1 : end] == b"\\":
        end = text.rfind(b"\n", 0, end)
    return end + 1


def end_of_line(text: bytes, begin: int) -> int:
    """Where the line that begins there ends, with all that it goes on in; the newline is the last byte before."""
    end = text.index(b"\n", begin) + 1
    if text[begin:end].lstrip().startswith(b"#"):
        return end  # comments end with folders of Windows, and what follows them is not to be lost
    while text[end - 2 : end - 1] == b"\\" and end < len(text):
        end = text.index(b"\n", end) + 1
    return end


# --- rows


class GrowingRows:
    """Rows of numbers; `array` has more of them than `count`, which are the ones in use."""

    def __init__(self, kind: npt.DTypeLike, *columns: int) -> None:
        self.array: npt.NDArray[Any] = np.empty((0, *columns), kind)
        self.count = 0

    def make_room(self, more: int) -> None:
        """Let so many rows be written behind those in use."""
        length = len(self.array)
        if self.count + more > length:
            # In place: the system moves pages of large arrays instead of copying them. Nobody holds a view meanwhile.
            longer = max(self.count + more, int(length * _GROWTH))
            self.array.resize((longer, *self.array.shape[1:]), refcheck=False)

    def append(self, rows: npt.NDArray[Any]) -> None:
        self.make_room(len(rows))
        self.array[self.count : self.count + len(rows)] = rows
        self.count += len(rows)

    def finished(self) -> npt.NDArray[Any]:
        """The rows in use alone."""
        self.array.resize((self.count, *self.array.shape[1:]), refcheck=False)
        return self.array
