"""One line of an OBJ file at a time, in plain Python: the one place that knows what all lines mean and refuses some."""

from __future__ import annotations

import re
from typing import NoReturn

import numpy as np

from ...errors import BadInput
from ...types import F32, I32, Records
from ..level_mesh import AreaMarker
from .line_kernel import FACE

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
