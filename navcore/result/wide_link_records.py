"""Wide links as the records that files keep of them, and wide links of such records of any origin."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..build_warning import Point
from ..errors import BadInput
from ..jit import kernel
from ..scene import Link
from ..types import F64, I64
from ..wide_links import KINDS, WideLink

_OF_WIDE_LINKS = frozenset({"kind", "corners", "bidirectional", "area", "flags", "id", "points"})


def wide_link_records(wide_links: Iterable[WideLink]) -> list[dict[str, Any]]:
    """Names and values, ready for JSON. `points` says how many of the links beside them are its own.

    The links of a file are those that were given, then the points of the first wide link, of the second, and so on.
    """
    return [wide.to_mapping() | {"points": len(wide.points)} for wide in wide_links]


def wide_links_of(records: object, links: Sequence[Link]) -> tuple[WideLink, ...]:
    """Wide links of records of any origin; the last of `links` are their points. Raises BadInput with the number."""
    if not isinstance(records, list):
        raise _refused(f"wide_links must be a list, not {records!r:.40}.")
    counts = [_count(f"wide link {number}", record) for number, record in enumerate(records, 1)]
    if sum(counts) > len(links):
        raise _refused(f"wide_links have {sum(counts)} points, and there are {len(links)} links.")
    found, at = [], len(links) - sum(counts)
    for number, (record, count) in enumerate(zip(records, counts, strict=True), 1):
        found.append(wide_link(f"wide link {number}", record, links[at : at + count]))
        at += count
    return tuple(found)


def wide_link(where: str, record: object, points: Sequence[Link]) -> WideLink:
    """One of them. Raises BadInput whose sentence begins with `where`."""
    values = _mapping(where, record)
    wrong = set(values) - _OF_WIDE_LINKS
    if wrong:
        raise _refused(f"{where}: {min(wrong)!r:.40} is not known; known are {', '.join(sorted(_OF_WIDE_LINKS))}.")
    kind, corners = values.get("kind"), values.get("corners")
    if kind not in KINDS:
        raise _refused(f"{where}: kind must be one of {', '.join(KINDS)}, not {kind!r:.40}.")
    if not isinstance(corners, (list, tuple)) or len(corners) != 4:
        raise _refused(f"{where}: corners must be 4 points [x, y, z], not {corners!r:.40}.")
    rest = {name: values[name] for name in ("bidirectional", "area", "flags", "id") if name in values}
    try:  # a link is checked by name, and has all that a wide one has but its width
        left, right = (Link.from_mapping({"start": corners[side], "end": corners[2 + side], **rest}) for side in (0, 1))
    except BadInput as error:
        raise _refused(f"{where}: {error}") from None
    quad: tuple[Point, Point, Point, Point] = (left.start, right.start, left.end, right.end)
    return WideLink(
        kind=kind, corners=quad, bidirectional=left.bidirectional, area=left.area, flags=left.flags, id=left.id,
        points=tuple(points),
    )  # fmt: skip


def _count(where: str, record: object) -> int:
    count = _mapping(where, record).get("points")
    if type(count) is not int or count < 0:
        raise _refused(f"{where}: points must be a whole number of at least 0, not {count!r:.40}.")
    return count


def _mapping(where: str, record: object) -> Mapping[str, Any]:
    if isinstance(record, Mapping):
        return record
    raise _refused(f"{where} must be an object with names and values, not {record!r:.40}.")


def _refused(why: str) -> BadInput:
    return BadInput(why, "BAD_SCENE")


# --- The points that stand for a wide link where a format has only points: Detour's files, scenes, queries and crowds.

MIN_RADIUS = 0.02  # metres; corners may lie a hair beside the ground, and no radius may be 0
MAX_POINTS = 1000  # of one link, however small the spacing

_POWERS, _LARGE = 10.0 ** np.arange(9), 2.0**23  # of decimals, and numbers that are found without str()

_FourCorners = Sequence[Sequence[float]]


class LinkValues(NamedTuple):
    """What a wide link hands on to its points."""

    bidirectional: bool
    area: int
    flags: int
    number: int


def wide_link_points(
    corners: _FourCorners, spacing: float, *, bidirectional: bool, area: int, flags: int, number: int
) -> tuple[Link, ...]:
    """One point for each `spacing` metres of its width, from left to right, and one at least. No Recast ancestor.

    `corners` and the rest are those of a `WideLink`, `number` its id. The points share the width evenly: each stands in
    the middle of its part, and its radius reaches to both sides of it. So radii never reach beyond the link, and leave
    nothing of its narrower end out.
    """
    values = LinkValues(bidirectional, area, flags, number)
    return many_wide_link_points(np.array([corners], np.float64), [values], spacing)[0]


def many_wide_link_points(
    corners: F64, links: Sequence[LinkValues], spacing: float, make: Callable[..., Link] = Link
) -> list[tuple[Link, ...]]:
    """The points of links with corners (., 4, 3), as `wide_link_points` has those of each. `make` takes all fields."""
    widths = [*map(width_of, corners.tolist())]
    counts = [max(1, math.floor(min(width / spacing, MAX_POINTS))) for width in widths]
    radii = [max(width / count / 2, MIN_RADIUS) for width, count in zip(widths, counts, strict=True)]
    numbers = iter(_singles(_points_kernel(corners, np.array(counts, np.int64), np.array(radii, np.float64))).tolist())
    return [
        tuple(_link(make, next(numbers), values) for _ in range(count))
        for count, values in zip(counts, links, strict=True)
    ]


def _link(make: Callable[..., Link], numbers: Sequence[float], values: LinkValues) -> Link:
    x, y, z, end_x, end_y, end_z, radius = numbers
    return make(
        start=(x, y, z), end=(end_x, end_y, end_z), radius=radius, bidirectional=values.bidirectional,
        area=values.area, flags=values.flags, id=values.number, name="",
    )  # fmt: skip


def width_of(corners: _FourCorners) -> float:
    """How wide a link is, in metres seen from above: the narrower of its two ends."""
    start_left, start_right, end_left, end_right = corners
    return min(_from_above(start_left, start_right), _from_above(end_left, end_right))


def _from_above(one: Sequence[float], other: Sequence[float]) -> float:
    return math.hypot(other[0] - one[0], other[2] - one[2])


@kernel
def _points_kernel(corners: F64, counts: I64, radii: F64) -> F64:
    """(., 7) start, end and radius of the points of links with so many each."""
    points, row = np.empty((counts.sum(), 7)), 0
    for link in range(len(counts)):
        for k in range(counts[link]):
            part = (k + 0.5) / counts[link]
            for side in range(2):
                for axis in range(3):
                    left, right = corners[link, 2 * side, axis], corners[link, 2 * side + 1, axis]
                    points[row, 3 * side + axis] = left + (right - left) * part
            points[row, 6] = radii[link]
            row += 1
    return points


def _singles(values: F64) -> F64:
    """The fewest digits that 32 bits tell apart: so they come back from every format, those of 32-bit numbers too.

    What str() says of 32-bit numbers, for many at once: of all numbers of decimals, the least with which the number
    comes back. Up to `_LARGE` that many decimals are exact in 64 bits.
    """
    shortest = values.ravel()
    for number in _shorten(shortest, _POWERS).tolist():
        shortest[number] = float(str(np.float32(shortest[number])))
    return shortest.reshape(values.shape)


@kernel
def _shorten(values: F64, powers: F64) -> I64:
    """Write the fewest digits; returns the numbers of the values whose digits are not found so."""
    others, count = np.empty(len(values), np.int64), 0
    for number in range(len(values)):
        single = np.float32(values[number])
        wide, is_found = np.float64(single), False
        for power in powers:
            rounded = np.rint(wide * power) / power
            if np.float32(rounded) == single and abs(wide) < _LARGE:
                values[number], is_found = rounded, True
                break
        if not is_found:
            others[count] = number
            count += 1
    return others[:count]
