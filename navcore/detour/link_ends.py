"""Which links are attached at both ends, as finished tiles have them, and what a person is told of those that are not.

Detour attaches links while it adds tiles, and says nothing about those that it can't. Here each tile is looked at once
when it is there and read once when no later tile can change it, so that nothing but the links is held in memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..build_warning import BuildWarning, Point
from ..jit import kernel
from ..scene import Link
from ..types import F32, F64, I64, U8, U32, Bools
from .byte_layout import CONNECTION_RECORD, INSIDE, NO_LINK, header_of, sections, split_sections
from .nearest import ENDLESS, nearest_in_tile, nearest_within
from .off_mesh_links import LinkTable, link_table, sides_of

# --- What a person is told of links that are not attached to the ground: at which end, why, and what to do.

START, END = 0, 1
_MAX_WARNINGS = 100  # warnings; of more links only the number is told
_NAMES = {START: "start", END: "end"}


def link_warnings(ends: LinkEnds, max_climb: float, before: LinkEnds | None = None) -> list[BuildWarning]:
    """A warning for each link that no agent can take, because one of its ends meets no ground.

    `before`: the same before ground was left out that no seed reaches, or that somebody dropped.
    """
    rows = np.flatnonzero(~ends.attached.all(axis=1)).tolist()
    warnings = [_warning(ends, row, max_climb, before) for row in rows[:_MAX_WARNINGS]]
    if len(rows) > _MAX_WARNINGS:
        text = f"{len(rows) - _MAX_WARNINGS:,} more links are not attached to the ground. Look at the others first."
        warnings.append(BuildWarning("LINK_UNATTACHED", text))
    return warnings


def kept_warning(
    ends: LinkEnds, row: int, which: str, max_climb: float, before: LinkEnds | None = None
) -> BuildWarning:
    """The same of a wide link that somebody keeps, and none of whose points is attached: `row` is one of these."""
    text, advice, place = _reasons_and_advice(ends, row, which, max_climb, before)
    others = [one for one in advice if not one.startswith("Move it")]
    return BuildWarning("LINK_ENDS_NOWHERE", " ".join([text, *(others or ["Move it or delete it."])]), place)


def _warning(ends: LinkEnds, row: int, max_climb: float, before: LinkEnds | None) -> BuildWarning:
    text, advice, place = _reasons_and_advice(ends, row, _label(ends, row), max_climb, before)
    return BuildWarning("LINK_UNATTACHED", " ".join([text, *advice]), place, ends.links[row].name)


def _reasons_and_advice(
    ends: LinkEnds, row: int, which: str, max_climb: float, before: LinkEnds | None
) -> tuple[str, list[str], Point]:  # fmt: skip
    """At which end a link is not attached and why, what to do about it, and where that is."""
    link = ends.links[row]
    failing = [end for end, fails in enumerate(ends.fails(row)) if fails]
    reasons, advice = zip(*(_reason(ends, row, end, max_climb, before) for end in failing), strict=True)
    where = "at neither end" if len(failing) == 2 else f"at its {_NAMES[failing[0]]}"
    attached = "attached" if len(failing) == 2 else "not attached"
    text = f"{which} is {attached} {where}, so no agent takes it: {'; '.join(reasons)}."
    return text, [*dict.fromkeys(advice)], link.start if failing[0] == START else link.end


def _label(ends: LinkEnds, row: int) -> str:
    link = ends.links[row]
    number = f" (id {link.id})" if link.id else ""
    return f"Link “{link.name}”{number}" if link.name else f"Link {ends.numbers[row] + 1}{number}"


def _reason(ends: LinkEnds, row: int, which: int, climb: float, before: LinkEnds | None) -> tuple[str, str]:
    """Why an end is not attached, and what to do about it."""
    its, miss, radius = f"its {_NAMES[which]}", ends.miss(row, which), ends.links[row].radius
    if before is not None and before.lands[row, which] and not ends.lands[row, which]:
        if before.is_dropped:
            return f"the ground at {its} was left out, as its island is dropped", "Delete the mark there, or the link."
        return f"the ground at {its} was left out, as no seed reaches it", "Place a seed that reaches it."
    if miss is None:
        return f"there is no ground within {REACH:g} m of {its}, however high or low", "Move it to the ground."
    if miss.aside <= radius and abs(miss.above) > climb:
        return f"{its} is {_height(miss.above)} the ground, more than agent_max_climb ({climb:g} m)", "Move it there."
    if not ends.in_tile[row, which]:
        return f"{its} lies {miss.aside:.2f} m beyond the nearest ground, where there is no tile", "Move it there."
    if not ends.lands[row, which]:
        height = f", and {its} is {_height(miss.above)} it" if abs(miss.above) > climb else ""
        text = (
            f"no ground lies within the radius of {radius:g} m of {its}, the nearest {miss.aside:.2f} m aside{height}"
        )
        return text, "Move it there, or raise the radius."
    if which == START and not ends.stored[row]:
        text = f"{its} is {_height(miss.above)} the ground, out of the heights at which its tile takes starts"
        return text, "Move it there."
    if which == END and not ends.joins(row):
        (a, b), (c, d) = ends.tile[row].tolist()
        text = f"it leads from tile ({a}, {b}) to tile ({c}, {d}), and Detour joins neighboring tiles only"
        return text, "Make the link shorter." if ends.by_hand else "Make the link shorter, or raise tile_size."
    return f"its tile has no room for another link at {its}", "Use fewer links here, or lower tile_size."


def _height(above: float) -> str:
    return f"{abs(above):.2f} m {'above' if above > 0 else 'below'}"


REACH = 10.0  # metres to all sides in which the ground nearest to an end is looked for, however high or low
_ANYWHERE = np.float32(np.inf)
_RECORDED = ("points", "radius", "flags", "user_id")  # of a connection's record, by which a link is known
_KEY = np.dtype([(name, CONNECTION_RECORD[name]) for name in _RECORDED])


class Miss(NamedTuple):
    """Where the ground nearest to an end lies, in metres."""

    aside: float
    above: float  # the end; below 0: the ground lies above it


class _Sought(NamedTuple):
    """All starts, or all ends."""

    points: F32  # (N, 3)
    radius: F32  # (N,)
    inside: Bools  # (N,) the tile that is looked at


class _Landed(NamedTuple):
    """What is known of them."""

    lands: Bools  # (N,)
    nearest: F32  # (N, 3) ground
    distance: F64  # (N,) to it, squared


class LinkEnds:
    """The ends of all links of a level, and what its tiles say of them. Row by row as in `links`."""

    def __init__(
        self,
        links: Sequence[Link],
        numbers: I64 | None = None,
        asked: Bools | None = None,
        table: LinkTable | None = None,
    ) -> None:
        """`numbers`: those of the links, counted from 0, where they are some of many. `table`: theirs, if it is known.

        The ends of those that nobody has `asked` about are taken as attached, whatever tiles say.
        """
        count = len(links)
        self.links = tuple(links)
        self.numbers = range(count) if numbers is None else numbers.tolist()
        self.stored: Bools = np.zeros(count, bool)  # a tile that was read holds the link
        self.attached: Bools = np.zeros((count, 2), bool)  # start and end, likewise
        self.lands: Bools = np.zeros((count, 2), bool)  # the tile around an end has ground that it could be attached to
        self.in_tile: Bools = np.zeros((count, 2), bool)
        self.tile: I64 = np.zeros((count, 2, 2), np.int64)  # (x, y) of that tile
        self.by_hand = False  # whether tiles are those of a mesh by hand, whatever tile_size is
        self.is_dropped = False  # what is missing afterwards: somebody dropped it, else no seed reaches it
        self._table = table or link_table(links)
        self._nearest: F32 = np.zeros((count, 2, 3), np.float32)
        self._distance = np.full((count, 2), np.inf)  # to it, squared, as Detour counts it
        self._rows: dict[bytes, list[int]] = {}
        if asked is not None:
            self.attached[~asked], self.lands[~asked] = True, True
        table = self._table
        for row, key in enumerate(_keys(table.points, table.radius, table.both_ways, table.id)):
            self._rows.setdefault(key, []).append(row)

    @property
    def all_land(self) -> bool:
        """Whether each end has ground that it could be attached to, in the tiles that were looked at."""
        return bool(self.lands.all())

    def look(self, data: U8, around: bool = True) -> None:
        """Look for the ground of a tile near the ends; not `around`: only where they are within the tile.

        Most ends land, and how far the ground is from those that do is not asked. What is known to be attached lands.
        """
        self.lands |= self.attached
        header = header_of(data)[0]
        low, high = header["bounds_min"], header["bounds_max"]
        both = self._table.points.reshape(-1, 3)
        within = sides_of(both, low, high) == INSIDE
        near = within
        if around:
            x, z = both[:, 0], both[:, 2]
            near = (x > low[0] - REACH) & (z > low[2] - REACH) & (x < high[0] + REACH) & (z < high[2] + REACH)
        self.in_tile.reshape(-1)[within] = True
        self.tile.reshape(-1, 2)[within] = int(header["x"]), int(header["y"])
        wanted = near.reshape(-1, 2) & ~self.lands
        for which in (START, END):
            rows = np.flatnonzero(wanted[:, which])
            if len(rows):
                points = self._table.points[:, 3 * which : 3 * which + 3]
                sought = _Sought(points, self._table.radius, within[which::2])
                landed = _Landed(self.lands[:, which], self._nearest[:, which], self._distance[:, which])
                _look_kernel(data, rows, around, sought, landed)

    def read(self, data: U8) -> None:
        """Read from a tile, once its links are complete, which of the links that it stores are attached."""
        tile = sections(data)
        if not len(tile.connections):
            return
        keys, found = _keys(*(tile.connections[name] for name in _RECORDED)), _attached_kernel(data)
        had = self.attached.sum(axis=1).tolist()
        for key, (start, end) in zip(keys, found.tolist(), strict=True):
            for row in self._rows.get(key, ()):
                self.stored[row] = True
                if start + end > had[row]:  # a tile beside it may store it, too
                    self.attached[row], had[row] = (start, end), start + end

    def fails(self, row: int) -> tuple[bool, bool]:
        """Whether the start of a link fails, and its end: also where Detour does not try it, as the start fails."""
        start, end = self.failing(row).tolist()
        return start, end

    def failing(self, rows: int | slice = slice(None)) -> Bools:
        """(., 2) the same of many."""
        start, end = self.attached[rows][..., START], self.attached[rows][..., END]
        attached = np.where(start, end, self.lands[rows][..., END] & self.joins(rows))
        return ~np.stack([start, attached], axis=-1)

    def joins(self, rows: int | slice) -> Bools:
        """Whether Detour joins the tiles of both ends, as far as there are two."""
        tile = self.tile[rows]
        apart = np.abs(tile[..., START, :] - tile[..., END, :]).max(axis=-1)
        return np.asarray((apart <= 1) | ~self.in_tile[rows].all(axis=-1))

    def miss(self, row: int, which: int) -> Miss | None:
        """How far the nearest ground is from an end; None where there is none within REACH."""
        if np.isinf(self._distance[row, which]):
            return None
        x, y, z = (self._table.points[row, 3 * which : 3 * which + 3] - self._nearest[row, which]).tolist()
        return Miss(float(np.hypot(x, z)), y)


def _keys(points: F32, radius: F32, both_ways: U8, number: U32) -> list[bytes]:
    """By which links are known in tiles. Links that are alike are attached alike."""
    rows = np.empty(len(points), _KEY)
    for name, values in zip(_RECORDED, (points, radius, both_ways, number), strict=True):
        rows[name] = values
    whole, size = rows.tobytes(), _KEY.itemsize
    return [whole[at : at + size] for at in range(0, len(whole), size)]


@kernel
def lands_on(data: U8, point: F32, radius: np.float32, half_extents: F32, place: F32, work: I64) -> bool:
    """Whether a tile, around the point, has ground that Detour attaches an end to; where that is goes to `place`.

    `half_extents` and `work` are room for the search.
    """
    climb = split_sections(data).header[0]["agent_max_climb"]
    half_extents[0], half_extents[1], half_extents[2] = radius, climb, radius
    work[0] = ENDLESS
    if nearest_in_tile(data, point, half_extents, place, work) < 0:
        return False
    x, z = place[0] - point[0], place[2] - point[2]
    return x * x + z * z <= radius * radius


@kernel
def _look_kernel(data: U8, rows: I64, around: bool, sought: _Sought, landed: _Landed) -> None:
    """Look for the ground of a tile near these ends: where they land, or how far away it is if that is asked."""
    points, radii, inside = sought
    lands, nearest, distances = landed
    place, half_extents, work = np.empty(3, np.float32), np.empty(3, np.float32), np.empty(1, np.int64)
    for row in rows:
        point, radius = points[row], radii[row]
        if inside[row] and lands_on(data, point, radius, half_extents, place, work):
            lands[row], distances[row] = True, 0
            nearest[row] = place
        elif around:
            polygon, distance = nearest_within(data, point, max(np.float32(REACH), radius), _ANYWHERE, place)
            if polygon >= 0 and distance < distances[row]:
                distances[row] = distance
                nearest[row] = place


@kernel
def _attached_kernel(data: U8) -> Bools:
    """(., 2) whether connections have a link to the ground where they start, and one to where they end."""
    tile = split_sections(data)
    found = np.zeros((len(tile.connections), 2), np.bool_)
    for row in range(len(found)):
        k = tile.polygons["first_link"][np.int64(tile.connections["polygon"][row])]
        while k != NO_LINK:
            if tile.links["edge"][k] <= END:
                found[row, tile.links["edge"][k]] = True
            k = tile.links["next"][k]
    return found
