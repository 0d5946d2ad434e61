"""All that is odd about what a build was given, as warnings; and which of it is why a build came to nothing."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import cached_property

import numpy as np

from ...build_warning import BuildWarning, place_in_words
from ...errors import NavmeshError
from ...geometry.grid import bounds_of
from ...settings import Settings
from ...types import F32, F64, Geometry
from ..checked_input import CheckedLevel
from .far_triangles import Outlier, outlier_in, outlier_warning, spare_vertices
from .floors_upside_down import TurnedOver, is_suspicious, turned_over
from .odd_settings import odd_settings, without_flags
from .surface_columns import ColumnLattice, Looking, Standing, columns_of
from .survey import Survey, survey
from .units_and_axes import axis_warning, has_rooms, likely_axis, other_axis, sure_axis, too_small, turned, wrong_unit
from .unused_marks import counted_from_one

_CELLS = 4  # from one column to the next
_ACROSS = 48  # columns along the longer side of small levels
_MOST_COLUMNS = 65_536
_AT_FIRST = 400  # columns: enough to see whether it is worth looking at more
_FIRST = (0.37, 0.41)  # of a step: so that columns don't stand on edges
_ALIKE = 0.1  # cell heights
_ALIKE_AT_MOST = 0.001  # of the longest side of a level, however small that is
_OUTLIERS = 3  # that are told
_SENTENCES = re.compile(r"(?<=[.?]) (?=[A-Z])")
_ADVICE = re.compile(r": (?=(?:use|raise|lower)\b)")
_KIN = {
    "TOO_LARGE", "TOO_FAR", "EMPTY_BOUNDS", "NOTHING_WALKABLE", "NOT_ENOUGH_MEMORY", "TAKES_TOO_LONG", "TOO_MANY_SPANS",
    "OUT_OF_MEMORY",
}  # fmt: skip
_CAUSES = {"OUTLIER", "WRONG_UNIT", "WRONG_AXIS", "FACES_DOWN", "INDICES_FROM_ONE", "SLOPE_IN_RADIANS"}


class InputLook:
    """A look at what a build was given. What costs more than a pass over all triangles waits until it is asked for."""

    def __init__(self, level: CheckedLevel, settings: Settings) -> None:
        self._level, self._settings = level, settings
        self._least_normal_y = math.cos(math.radians(settings.agent_max_slope))

    @cached_property
    def warnings(self) -> list[BuildWarning]:
        """What is surely odd."""
        level, settings = self._level, self._settings
        told = [*odd_settings(settings), *without_flags(level.links, level.area_types, settings)]
        shifted = counted_from_one(level.geometry, self._whole)
        if shifted is not None:  # whatever else is odd comes of it
            return [*told, shifted]
        told += filter(None, [self._spare])
        told += [outlier_warning(outlier, found) for outlier, found in self._outliers]
        axis = self._axis(sure_axis)
        if axis is not None:
            return [*told, axis_warning(axis, self._survey)]
        unit = wrong_unit(self._geometry, self._survey, self._free, self._square, settings.agent_height)
        down = self._turned_over
        return [*told, *filter(None, [unit, None if down is None else _facing_down(down)])]

    def _likely(self) -> Iterator[BuildWarning]:
        """What may be odd, for builds that came to nothing."""
        axis = self._axis(likely_axis)
        if axis is not None:
            yield axis_warning(axis, self._survey)
        small = too_small(self._survey, self._free, self._settings.agent_height)
        if small is not None:
            yield small

    def explain(self, error: NavmeshError) -> None:
        """Let an error about size, or about nothing that is left, begin with its cause where the input shows one.

        What it recommends to set is left out then.
        """
        if error.code not in _KIN:
            return
        settings = {name for name, _ in getattr(error, "ways_out", ())}
        over_head = {"FACES_DOWN"} if "agent_height" in settings else set()  # a ceiling that is too low looks down, too
        causes = [warning for warning in self.warnings if warning.code in _CAUSES - over_head]
        said = f"{_ADVICE.split(_SENTENCES.split(str(error))[0].rstrip('.'))[0]}."
        if error.code == "NOTHING_WALKABLE":
            said = "Nothing is walkable."
        if not causes:
            causes, said = list(self._likely()), str(error)
            error.warnings = (*error.warnings, *causes)
        if causes:
            error.args = (" ".join([*(f"{cause.sentence} ({cause.code})" for cause in causes), said]),)

    # --- what is found, each at most once

    @cached_property
    def _agent(self) -> Standing:
        alike = min(_ALIKE * self._settings.cell_height, _ALIKE_AT_MOST * float(self._survey.size.max()))
        return Standing(self._least_normal_y, self._settings.agent_height, alike)

    @cached_property
    def _whole(self) -> Survey:
        return survey(self._level.geometry, self._box, self._least_normal_y)

    @cached_property
    def _box(self) -> tuple[F32, F32]:
        return bounds_of(self._level.geometry.vertices)

    @cached_property
    def _spare(self) -> BuildWarning | None:
        if self._level.bounds is not None:
            return None
        return spare_vertices(self._level.geometry, self._box, self._whole, self._settings.agent_height)

    @cached_property
    def _rest(self) -> tuple[Geometry, Survey, list[tuple[Outlier, Survey]]]:
        """The level without outliers. Where bounds are given they are left out anyway."""
        geometry, found = self._level.geometry, self._whole
        outliers: list[tuple[Outlier, Survey]] = []
        if self._spare is not None:
            found = self._anew(geometry, found)
        while self._level.bounds is None and len(outliers) < _OUTLIERS:
            outlier = outlier_in(geometry, found, self._settings.agent_height)
            if outlier is None:
                break
            outliers.append((outlier, found))
            kept = np.delete(geometry.triangles, outlier.triangles, axis=0)
            area = np.delete(geometry.area, outlier.triangles) if len(geometry.area) else geometry.area
            geometry = Geometry(geometry.vertices, kept, area)
            found = self._anew(geometry, self._anew(geometry, found))
        return geometry, found, outliers

    def _anew(self, geometry: Geometry, found: Survey) -> Survey:
        """A survey of the box that triangles fill."""
        return survey(geometry, (found.low.astype(np.float32), found.high.astype(np.float32)), self._least_normal_y)

    @property
    def _geometry(self) -> Geometry:
        return self._rest[0]

    @property
    def _survey(self) -> Survey:
        return self._rest[1]

    @property
    def _outliers(self) -> list[tuple[Outlier, Survey]]:
        return self._rest[2]

    @cached_property
    def _columns(self) -> tuple[ColumnLattice, Looking] | None:
        """A few columns; None where nothing flat looks down."""
        return None if self._survey.ground[1] == 0 else self._columns_in(_AT_FIRST)

    def _columns_in(self, most: int) -> tuple[ColumnLattice, Looking]:
        found, bounds = self._survey, self._level.bounds
        low, high = (found.low, found.high) if bounds is None else (np.asarray(side, np.float64) for side in bounds)
        lattice = self._lattice(np.maximum(low, found.low), np.minimum(high, found.high), most)
        return lattice, columns_of(self._geometry, lattice, self._agent)

    def _lattice(self, low: F64, high: F64, most: int) -> ColumnLattice:
        wide, deep = (max(float(high[axis] - low[axis]), 0.0) for axis in (0, 2))
        cell = self._settings.cell_size
        step = max(min(_CELLS * cell, max(cell, max(wide, deep) / _ACROSS)), math.sqrt(wide * deep / most))
        step = max(step, wide / most, deep / most)
        x, z = (float(low[axis]) + part * step for axis, part in zip((0, 2), _FIRST, strict=True))
        return ColumnLattice(x, z, step, max(1, int(wide / step)), max(1, int(deep / step)))

    @property
    def _free(self) -> F64:
        return np.zeros(0) if self._columns is None else self._columns[1].free

    @property
    def _square(self) -> float:
        return 0.0 if self._columns is None else self._columns[0].square

    @cached_property
    def _turned_over(self) -> TurnedOver | None:
        if self._columns is None or not is_suspicious(self._columns[1], self._geometry):
            return None
        lattice, looking = self._columns_in(_MOST_COLUMNS)
        return turned_over(self._geometry, looking, lattice, self._agent, float(self._survey.ground[0]))

    def _axis(self, share: float) -> str | None:
        """The axis that seems to be up, where less than this share of what lies across it looks up or down."""
        axis = other_axis(self._survey, share)
        if axis is not None or share >= likely_axis:
            return axis
        axis, height = other_axis(self._survey, likely_axis), self._settings.agent_height
        if axis is None or has_rooms(self._free, height):
            return None
        geometry = self._geometry._replace(vertices=turned(self._geometry.vertices, axis))
        found = survey(geometry, bounds_of(geometry.vertices), self._least_normal_y)
        rooms = columns_of(geometry, self._lattice(found.low, found.high, _AT_FIRST), self._agent).free
        return axis if has_rooms(rooms, height) else None


def _facing_down(down: TurnedOver) -> BuildWarning:
    """What is said of ground that looks down."""
    others = [place_in_words(place) for place in down.places[1:]]
    more = f", also at {' and '.join(others)}" if others else ""
    metres = max(round(down.square_metres), 1)
    return BuildWarning(
        "FACES_DOWN",
        f"About {metres:,} m² of ground ({100 * down.share:.0f} % of all) look down, so that nobody can walk "
        f"there{more}. Flip those faces (in Blender: Mesh > Normals > Recalculate Outside), or mirror the level back.",
        down.places[0],
    )
