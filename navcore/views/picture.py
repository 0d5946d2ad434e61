"""What a view is: faces, lines and labels with colors, in metres, y up, and what the colors mean."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..build_warning import Point
from ..resolution import settings_at_resolution
from ..types import F32, U8

if TYPE_CHECKING:
    from ..geometry.tile_key import TileKey
    from ..settings import Settings
from ..result.navmesh import NavMesh

Color = tuple[int, int, int, int]  # red, green, blue, opacity: 0 to 255
Stages = Mapping[str, Any]  # what each stage made of one piece, by its name, as `keep_stages` keeps it


class Label(NamedTuple):
    """A text at a place."""

    place: Point
    text: str


class LegendRow(NamedTuple):
    """What a color means, and how many have it."""

    label: str
    color: Color
    count: int  # type: ignore[assignment]  # hides tuple.count


class Picture(NamedTuple):
    """F faces of four corners each (a triangle has its last one twice) and L lines."""

    corners: F32  # (F, 4, 3)
    face_colors: U8  # (F, 4)
    lines: F32  # (L, 2, 3)
    line_colors: U8  # (L, 4)
    labels: tuple[Label, ...] = ()
    legend: tuple[LegendRow, ...] = ()
    notes: tuple[str, ...] = ()  # what whoever looks has to know, such as that cells are drawn four at a time


class Shown(NamedTuple):
    """What of a view is asked for."""

    lowest: float = -np.inf  # metres: what lies lower is cut away
    highest: float = np.inf
    level: float = 1.0  # of views that show a course of events (WATER, MEADOW): how far it is, 0 to 1
    most_faces: int = 4_000_000  # beyond that cells are drawn several at a time, and a note says so
    variant: str = ""  # one of the view's variants; "" for the first


class ViewedPiece(NamedTuple):
    """What a view is made of: a navmesh, and the stages of it or of one of its tiles."""

    navmesh: NavMesh
    stages: Stages
    triangles: F32  # (T, 3, 3) metres: the level's own, as far as they touch the piece
    tile: TileKey | None  # None where the level is one piece

    @property
    def settings(self) -> Settings:
        """What it was built by, in the cells of its tile."""
        settings, grid = self.navmesh.settings, self.navmesh.tile_grid
        if self.tile is None or grid is None:
            return settings
        return settings_at_resolution(settings, grid.scale_of(self.tile))


class View(NamedTuple):
    """One row of the catalog."""

    name: str  # as scripts name it
    label: str
    description: str
    needs: tuple[str, ...]  # stages; () for a view of the finished navmesh alone
    draw: Callable[[ViewedPiece, Shown], Picture]
    value_at: Callable[[ViewedPiece, Shown, Point], str]  # what it says of a place, in one line; "" for nothing
    variants: tuple[tuple[str, str], ...] = ()  # (name, label) of several forms of a view, such as raw and simplified


EMPTY = Picture(np.zeros((0, 4, 3), np.float32), np.zeros((0, 4), np.uint8), np.zeros((0, 2, 3), np.float32),
                np.zeros((0, 4), np.uint8))  # fmt: skip


def joined(pictures: Sequence[Picture]) -> Picture:
    """Pictures of several pieces as one: counts of the same legend row are added up, and a note is said once."""
    if len(pictures) == 1:
        return pictures[0]
    rows: dict[tuple[str, Color], int] = {}
    for row in (row for picture in pictures for row in picture.legend):
        rows[row.label, row.color] = rows.get((row.label, row.color), 0) + row.count
    return Picture(
        np.concatenate([EMPTY.corners, *(picture.corners for picture in pictures)]),
        np.concatenate([EMPTY.face_colors, *(picture.face_colors for picture in pictures)]),
        np.concatenate([EMPTY.lines, *(picture.lines for picture in pictures)]),
        np.concatenate([EMPTY.line_colors, *(picture.line_colors for picture in pictures)]),
        tuple(label for picture in pictures for label in picture.labels),
        tuple(LegendRow(label, color, count) for (label, color), count in rows.items()),
        tuple(dict.fromkeys(note for picture in pictures for note in picture.notes)),
    )  # fmt: skip
