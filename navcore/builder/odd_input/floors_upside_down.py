"""Ground that looks down: floors whose faces were turned over, told from ceilings and the undersides of bodies.

`why` names the face under a point; here the whole level is looked at, before it is built, in columns a few cells apart.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from ...build_warning import Point
from ...types import I32, I64, Geometry
from .surface_columns import (
    BARE,
    BESIDE_SKY,
    CEILING,
    CONTINUED,
    SLAB,
    THIN,
    UNDER_AIR,
    UNDERSIDE,
    WHAT,
    ColumnLattice,
    Looking,
    Standing,
    leaves_matter,
    patches_of,
)

_MOST = 0.6  # from this share of all ground on nothing else tells it
_SIDE = 0.75  # times the side of a square of its size: so much of a patch's edge has to touch what tells about it
_UNDER_AIR = 0.25  # the share of a patch's columns
_LEAST = 0.03  # the share of all ground below which patches that lie for themselves are not worth a word
_LEAST_HOLE = 0.005  # … patches in ground that goes on around them
_FEWEST = 3  # columns of a patch
_FEW_TRIANGLES = 200  # in levels of a handful of planes what seems to be the underside of a body may be a floor
_SAMPLES = 5  # places of a patch where rays begin
_RAYS = ((0, 1.0), (0, -1.0), (2, 1.0), (2, -1.0))
_INSIDE = 0.6  # the share of them from which all rays leave matter
_ABOVE = 0.25  # agent heights


class TurnedOver(NamedTuple):
    """Ground that looks down."""

    square_metres: float
    share: float  # of all ground
    places: tuple[Point, ...]  # one in each patch, the largest first


class _Patch(NamedTuple):
    rows: I32  # of Looking
    kinds: dict[int, int]  # columns of each kind
    under_air: int
    beside_sky: int
    continued: int
    slab: int

    @property
    def size(self) -> int:
        return len(self.rows)

    @property
    def along_a_side(self) -> float:
        """So many columns along its edge tell what lies beside it."""
        return max(3.0, _SIDE * math.sqrt(self.size))

    @property
    def goes_on(self) -> bool:
        """Whether ground that looks up goes on beside it at its height."""
        return self.continued >= self.along_a_side


class _Patches(NamedTuple):
    """P patches, one after the other."""

    rows: I32  # of Looking
    starts: I64  # (P,) of each among them
    counts: I64  # (9, P) columns of each kind, then those under air, beside sky, continued and of a slab

    def surely_ground(self) -> int:
        """How many columns cannot well be anything else."""
        bare, thin = self.counts[BARE], self.counts[THIN]
        under_air, beside_sky, _, slab = self.counts[BARE + 1 :]
        return int(np.minimum(bare + np.maximum(slab, np.maximum(under_air, beside_sky)), bare + thin).sum())

    def at_least(self, columns: int) -> Iterator[_Patch]:
        """Those of so many columns."""
        ends = np.append(self.starts[1:], len(self.rows))
        for patch in np.flatnonzero(ends - self.starts >= columns).tolist():
            counts = self.counts[:, patch].tolist()
            kinds, beside = dict(enumerate(counts[: BARE + 1])), counts[BARE + 1 :]
            yield _Patch(self.rows[self.starts[patch] : ends[patch]], kinds, *beside)


def is_suspicious(looking: Looking, geometry: Geometry) -> bool:
    """Whether a few columns show anything that more of them may show to be ground."""
    return looking.odd > 0 or (len(geometry.triangles) <= _FEW_TRIANGLES and looking.undersides > 0)


def turned_over(
    geometry: Geometry, looking: Looking, lattice: ColumnLattice, agent: Standing, up: float
) -> TurnedOver | None:
    """What of the surfaces that look down is ground; None where nothing is. `up` is the m² of floors that look up."""
    if not len(looking.column):
        return None
    patches = _patches(looking, lattice)
    square = lattice.square
    proper = max(up - looking.without_room * square, 0.0)
    sure = patches.surely_ground() * square
    if sure > 0 and sure >= _MOST * (sure + proper):
        wrong = list(patches.at_least(2)) or list(patches.at_least(1))
    else:
        wrong = [patch for patch in patches.at_least(_FEWEST) if _is_ground(patch, geometry, looking, lattice, agent)]
        least = _LEAST_HOLE if any(patch.goes_on for patch in wrong) else _LEAST
        if _total(wrong) * square < least * (sure + proper):
            return None  # odd faces that any level has somewhere
    if not wrong:
        return None
    wrong.sort(key=lambda patch: -patch.size)
    area = _total(wrong) * square
    return TurnedOver(area, area / (area + proper), tuple(_middle(patch, looking, lattice) for patch in wrong[:3]))


def _patches(looking: Looking, lattice: ColumnLattice) -> _Patches:
    """All patches are counted at once: a level of rooms has hundreds of a few columns each."""
    label = patches_of(looking, lattice)
    order = np.argsort(label, kind="stable").astype(np.int32)
    starts = np.flatnonzero(np.diff(label[order], prepend=-1))
    what = looking.what[order]
    told = [what & WHAT == kind for kind in range(BARE + 1)]
    told += [what & flag != 0 for flag in (UNDER_AIR, BESIDE_SKY, CONTINUED, SLAB)]
    return _Patches(order, starts, np.add.reduceat(np.array(told), starts, axis=1, dtype=np.int64))


def _total(patches: Iterable[_Patch]) -> int:
    return sum(patch.size for patch in patches)


def _is_ground(patch: _Patch, geometry: Geometry, looking: Looking, lattice: ColumnLattice, agent: Standing) -> bool:
    """Whether a patch in a level most of which is sound is ground."""
    if patch.kinds[CEILING] * 2 > patch.size:
        suspicious = patch.goes_on
    elif patch.kinds[UNDERSIDE] * 2 > patch.size:
        few = len(geometry.triangles) <= _FEW_TRIANGLES
        return few and _leaving(patch, geometry, looking, lattice, agent).max() == 0
    elif patch.kinds[THIN] > patch.kinds[BARE]:
        if patch.goes_on:
            return True
        suspicious = _lies_like_ground(patch)
    else:
        suspicious = patch.goes_on or _lies_like_ground(patch)
    return suspicious and not _is_in_matter(patch, geometry, looking, lattice, agent)


def _lies_like_ground(patch: _Patch) -> bool:
    """Whether open ground lies beside it, or a ceiling over it: what was left of a level that was cut has neither."""
    return patch.beside_sky >= patch.along_a_side or patch.under_air >= _UNDER_AIR * patch.size


def _is_in_matter(patch: _Patch, geometry: Geometry, looking: Looking, lattice: ColumnLattice, agent: Standing) -> bool:
    """Whether most rays from over a patch to the four sides leave a body that they were in."""
    leaving = _leaving(patch, geometry, looking, lattice, agent)
    return bool(np.mean(leaving >= len(_RAYS) - 1) >= _INSIDE)


def _leaving(patch: _Patch, geometry: Geometry, looking: Looking, lattice: ColumnLattice, agent: Standing) -> I32:
    """How many of the rays from some places over a patch leave a body that they were in."""
    rows = patch.rows[np.linspace(0, patch.size - 1, min(_SAMPLES, patch.size)).astype(int)]
    counts = []
    for row in rows.tolist():
        x, z = lattice.place(int(looking.column[row]))
        y = float(looking.height[row]) + _ABOVE * agent.height
        counts.append(sum(bool(leaves_matter(geometry, x, y, z, axis, sign)) for axis, sign in _RAYS))
    return np.array(counts, np.int32)


def _middle(patch: _Patch, looking: Looking, lattice: ColumnLattice) -> Point:
    """The column of a patch that is nearest to the middle of all."""
    columns = looking.column[patch.rows]
    x, z = columns % lattice.width, columns // lattice.width
    nearest = int(np.argmin((x - x.mean()) ** 2 + (z - z.mean()) ** 2))
    east, south = lattice.place(int(columns[nearest]))
    return round(east, 3), round(float(looking.height[patch.rows[nearest]]), 3), round(south, 3)
