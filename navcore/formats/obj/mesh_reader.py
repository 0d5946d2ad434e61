"""A level from an OBJ file: block by block into growing arrays."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from ...build_warning import BuildWarning
from ...errors import TooLarge
from ...geometry.arrays import numbers_in_ranges
from ...progress import Progress
from ...types import I64
from ..level_mesh import LevelMesh
from .decimal_numbers import POWERS
from .growing_rows import GrowingRows
from .line_kernel import BEFORE, BEGIN, CORNERS, FIRST, LINE, read_lines
from .line_reader import LineReader
from .named_areas import AreaMarker
from .polygons import cut_polygons
from .text_blocks import end_of_line, text_blocks

SMALL = 4 << 20  # bytes: Python has read such a file before the kernel would be compiled
_NOTES = 1 << 12  # lines beside vertices and faces that the kernel passes over in one call
_MOST_VERTICES = (1 << 31) - 1
_LISTED = 5  # line numbers in a message


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
        reader = _Reader(path.name, materials or {}, groups or {}, progress)
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


class _Reader:
    """What has been read of one file so far."""

    def __init__(self, name: str, materials: Mapping[str, int], groups: Mapping[str, int], progress: Progress) -> None:
        self._name, self._progress = name, progress
        self._marker = AreaMarker(materials, groups) if materials or groups else None
        self._lines = LineReader(name, self._marker)
        self._line = 1  # number of the next
        self._vertices, self._triangles = GrowingRows(3, np.float32), GrowingRows(3, np.int32)
        self._polygons = GrowingRows(3, np.int64)  # to be looked at when the block is read
        self._waiting = GrowingRows(3, np.int64)  # to be looked at when the file is read: they name vertices to come
        self._uncut: list[I64] = []

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
        polygons, notes = np.empty((len(text) // 8 + 1, 3), np.int64), np.empty((_NOTES, 3), np.int64)
        while at < len(text):
            vertices, triangles = self._vertices, self._triangles
            at, self._line, vertices.count, triangles.count, polygon_count, note_count = read_lines(
                letters, at, self._line, POWERS,
                vertices.array, vertices.count, triangles.array, triangles.count, polygons, notes,
            )  # fmt: skip
            self._polygons.append(polygons[:polygon_count])
            for note in notes[:note_count].tolist():
                self._lines.note(text[note[BEGIN] : end_of_line(text, note[BEGIN])], note[LINE], note[BEFORE])
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
        if self._vertices.count > _MOST_VERTICES:
            raise TooLarge(f"{self._name} has more than {_MOST_VERTICES:,} vertices. Split the level.")

    def _look_at_polygons(self) -> None:
        polygons = self._polygons.array[: self._polygons.count]
        ahead = polygons[:, CORNERS] < 0
        self._waiting.append(polygons[ahead])
        self._cut(polygons[~ahead])
        self._polygons.count = 0

    def _cut(self, polygons: I64) -> None:
        if len(polygons):
            cancelled = self._progress.cancelled
            self._uncut.append(cut_polygons(self._vertices.array, self._triangles.array, polygons, cancelled))
            self._progress.check()

    def finished(self) -> LevelMesh:
        waiting = self._waiting.finished()
        waiting[:, CORNERS] *= -1
        self._check_indices(waiting)
        self._cut(waiting)
        vertices, triangles = self._vertices.finished(), self._triangles.finished()
        areas = self._marker.areas(vertices, triangles) if self._marker else None
        return LevelMesh(vertices, triangles, areas, tuple(self._warnings()))

    def _check_indices(self, polygons: I64) -> None:
        """Whether the vertices that were yet to come have come."""
        rows = numbers_in_ranges(polygons[:, FIRST], polygons[:, CORNERS] - 2)
        missing = np.flatnonzero((self._triangles.array[rows] >= self._vertices.count).any(1))
        if len(missing):
            face = polygons[np.searchsorted(polygons[:, FIRST], rows[missing[0]], "right") - 1]
            index = int(self._triangles.array[rows[missing[0]]].max()) + 1
            self._lines.refuse_index(int(face[LINE]), index, f"the file has {self._vertices.count:,}")

    def _warnings(self) -> list[BuildWarning]:
        warnings = self._marker.warnings(self._name) if self._marker else []
        lines = sorted(int(line) for rows in self._uncut for line in rows[:, LINE])
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
