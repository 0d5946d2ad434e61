"""A level from an OBJ file: block by block into growing arrays, so that memory does not grow with the file's text."""

from __future__ import annotations

import codecs
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from ...build_warning import BuildWarning
from ...errors import BadInput, TooLarge
from ...geometry.arrays import numbers_in_ranges
from ...progress import Progress
from ...types import Records
from ..level_mesh import AreaMarker, LevelMesh
from .line_kernel import FACE, NOTE, POWERS, Rows, read_lines
from .line_reader import LineReader
from .obj_polygons import cut_polygons

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
            return reader.finished()
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

    def finished(self) -> LevelMesh:
        waiting = self._waiting.finished()
        waiting["corners"] *= -1
        self._check_indices(waiting)
        self._cut(waiting)
        vertices, triangles = self._vertices.finished(), self._triangles.finished()
        areas = self._marker.areas(vertices, triangles) if self._marker else None
        return LevelMesh(vertices, triangles, areas, tuple(self._warnings()))

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
