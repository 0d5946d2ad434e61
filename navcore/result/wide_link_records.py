"""Wide links as the records that files keep of them, and wide links of such records of any origin."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..build_warning import Point
from ..errors import BadInput
from ..scene import Link
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
