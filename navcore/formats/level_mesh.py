"""What a mesh file holds, and how its materials and groups by name become area ids of triangles."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

import numpy as np

from ..build_warning import BuildWarning
from ..types import F32, I32, NOT_WALKABLE, U8, WALKABLE, AnyArray, Bools

_UNMARKED = 255
_AT_ONCE = 1 << 16  # triangles whose normals are computed together
_SHOWN = 5  # names in a message


class LevelMesh(NamedTuple):
    """A level as a file has it: what `build_navmesh` takes, and what a person should know about the file."""

    vertices: AnyArray  # (V, 3) metres, y up
    triangles: AnyArray  # (T, 3) vertex numbers
    areas: U8 | None = None  # (T,) area ids; None where the file has none and nothing gives any
    warnings: tuple[BuildWarning, ...] = ()


class PlainFaces(NamedTuple):
    """A mesh as somebody has modelled it."""

    vertices: AnyArray  # (V, 3) metres, y up
    faces: list[list[int]]
    areas: U8  # (F,) as while building


class AreaMarker:
    """Follows the names that are in force while a file is read.

    The material decides, and where no material of that name is mapped the group, and then the object. A name that is
    mapped as it stands goes before patterns, and of those the first one that matches.
    """

    def __init__(self, materials: Mapping[str, int], groups: Mapping[str, int]) -> None:
        self._materials, self._groups = _Names("material", materials), _Names("group", groups)
        self._material: int | None = None
        self._group: int | None = None
        self._object: int | None = None
        self._stretches = [(0, _UNMARKED)]  # the first triangle of each, and its area

    def read(self, word: str, line: bytes, triangle_count: int) -> None:
        """A line `usemtl`, `g` or `o` after so many triangles."""
        name = line.decode("utf-8", "replace").strip()[len(word) :].strip()
        if word == "usemtl":
            self._material = self._materials.area_of([name])
        elif word == "g":
            self._group = self._groups.area_of([name, *name.split()])
        else:
            self._object, self._group = self._groups.area_of([name]), None
        self._mark(triangle_count)

    def begin_part(self, material: str, groups: Sequence[str], triangle_count: int) -> None:
        """A part of a level begins after so many triangles. Of its groups the first that is mapped decides."""
        self._material, self._group = self._materials.area_of([material]), self._groups.area_of(groups)
        self._mark(triangle_count)

    def _mark(self, triangle_count: int) -> None:
        """What follows has the area of the names that are in force now."""
        found = next((area for area in (self._material, self._group, self._object) if area is not None), _UNMARKED)
        if found != self._stretches[-1][1]:
            self._stretches.append((triangle_count, found))

    def areas(self, vertices: F32, triangles: I32) -> U8 | None:
        """The area of each triangle; None where no triangle has a mapped name.

        What has none is walkable ground where it is flat enough, exactly as without any areas. A build with areas
        keeps the area of a triangle that is no more than a line, and one without clears it: so it is cleared here.
        """
        first, values = np.array(self._stretches, np.int64).T
        areas = np.repeat(values.astype(np.uint8), np.diff(first, append=len(triangles)))
        unmarked = areas == _UNMARKED
        if unmarked.all():
            return None
        for begin in range(0, len(triangles), _AT_ONCE):
            part = slice(begin, begin + _AT_ONCE)
            plain = np.where(_is_only_a_line(vertices, triangles[part]), NOT_WALKABLE, WALKABLE)
            areas[part] = np.where(unmarked[part], plain, areas[part])
        return areas

    def warnings(self, file: str) -> list[BuildWarning]:
        """Names that are mapped and that the file does not have."""
        return [
            BuildWarning("NAME_NOT_FOUND", text)
            for text in (*self._materials.missing(file), *self._groups.missing(file))
        ]


class _Names:
    """Patterns of one kind of name, and the names of that kind which the file has."""

    def __init__(self, kind: str, areas: Mapping[str, int]) -> None:
        self._kind, self._areas = kind, areas
        self._known: dict[str, int | None] = {}
        self._unused = dict.fromkeys(areas)

    def area_of(self, names: Iterable[str]) -> int | None:
        """The area of the first of these names that is mapped."""
        found = [self._area_of(name) for name in names]
        return next((area for area in found if area is not None), None)

    def _area_of(self, name: str) -> int | None:
        if name and name not in self._known:
            matching = [pattern for pattern in self._areas if pattern == name or fnmatchcase(name, pattern)]
            for pattern in matching:
                self._unused.pop(pattern, None)
            best = name if name in self._areas else next(iter(matching), None)
            self._known[name] = None if best is None else self._areas[best]
        return self._known.get(name)

    def missing(self, file: str) -> list[str]:
        """A sentence for each pattern that no name has matched."""
        return [
            f"{file} has no {self._kind} {pattern!r}, which is mapped to an area: {self._near(pattern)} "
            "Change the name in the scene file."
            for pattern in self._unused
        ]

    def _near(self, pattern: str) -> str:
        near = difflib.get_close_matches(pattern, self._known, 1, 0.5)
        if near:
            return f"did you mean {near[0]!r}?"
        if not self._known:
            return f"it names no {self._kind}s at all."
        more = " …" if len(self._known) > _SHOWN else "."
        return f"it has {', '.join(repr(name) for name in list(self._known)[:_SHOWN])}{more}"


def _is_only_a_line(vertices: F32, triangles: I32) -> Bools:
    """Whether a triangle has no normal, to the last bit as where the build marks triangles (stages/walkable.py)."""
    a, b, c = (vertices[triangles[:, corner]] for corner in range(3))
    with np.errstate(all="ignore"):
        e, f = (b - a).T, (c - a).T
        x, y, z = e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2], e[0] * f[1] - e[1] * f[0]
        return np.isnan(y * (np.float32(1) / np.sqrt((x * x + y * y) + z * z)))
