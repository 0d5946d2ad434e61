"""Links that were found along the edges of the ground: as wide as agents can take them side by side."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from .build_warning import BuildWarning, Point, place_in_words
from .scene import Link

LinkKind = Literal["drop", "jump", "climb"]
KINDS: tuple[LinkKind, ...] = ("drop", "jump", "climb")
_MOST_NAMED = 8


@dataclass(frozen=True, kw_only=True)
class WideLink:
    """One link that was found. No Recast ancestor.

    `corners`: the start's edge from its left to its right end, looking along the link, then the landing's edge from
    left to right: start left, start right, end left, end right. `points` stand for it where a format has only points:
    one every `link_spacing`, at the middle where it is narrower. `id` names the same link from build to build, as long
    as nothing near it changes. `tile` is the (x, y) of the tile that owns it; (0, 0) in one piece.
    """

    kind: LinkKind
    corners: tuple[Point, Point, Point, Point]
    bidirectional: bool
    area: int
    flags: int
    id: int
    points: tuple[Link, ...]
    tile: tuple[int, int] = (0, 0)

    @classmethod
    def unchecked(cls, **values: Any) -> WideLink:
        """One of all fields, without a look at their names: to make many takes a while."""
        made = object.__new__(cls)
        made.__dict__.update(values)
        return made

    def to_mapping(self) -> dict[str, Any]:
        """Names and values, ready for JSON; points follow from the rest."""
        return {
            "kind": self.kind,
            "corners": [list(corner) for corner in self.corners],
            "bidirectional": self.bidirectional,
            "area": self.area,
            "flags": self.flags,
            "id": self.id,
        }


def called(wide: WideLink) -> str:
    """How messages name a link at the beginning of a sentence: by what it is. Its place tells which."""
    start, end = (
        [sum(axis) / 2 for axis in zip(*wide.corners[first : first + 2], strict=True)] for first in (0, 2)
    )  # fmt: skip
    ahead, up = math.hypot(end[0] - start[0], end[2] - start[2]), end[1] - start[1]
    return f"The {wide.kind} of {ahead if wide.kind == 'jump' else abs(up):.1f} m"


def joins_nothing(wide_links: Iterable[WideLink], file: str) -> list[BuildWarning]:
    """What is said of links that are kept although nothing joins them, when they are written to a kind of file."""
    lost = [wide for wide in wide_links if not wide.points]
    if not lost:
        return []
    names = ", ".join(_called_with_place(wide) for wide in lost[:_MOST_NAMED])
    more = f" and {len(lost) - _MOST_NAMED:,} more" if len(lost) > _MOST_NAMED else ""
    several = len(lost) > 1
    text = (
        f"{names[0].upper()}{names[1:]}{more} {'join' if several else 'joins'} nothing, so a {file} has no point of "
        f"{'them' if several else 'it'}. Move {'them' if several else 'it'} or delete {'them' if several else 'it'}, "
        "and build again."
    )
    return [BuildWarning("LINKS_LEFT_OUT", text, lost[0].corners[0])]


def _called_with_place(wide: WideLink) -> str:
    return f"{called(wide).replace('The ', 'the ', 1)} at {place_in_words(wide.corners[0])}"


@dataclass(frozen=True, kw_only=True)
class LinkEdits:
    """What somebody decided about links that were found, for builds that find them again. No Recast ancestor.

    Where one was `rejected`, none of its kind is found again with both ends nearby. Those that are `kept` (pinned,
    moved or drawn by hand) take the place of what would be found there; builds only check that agents can still take
    them.
    """

    rejected: tuple[WideLink, ...] = ()
    kept: tuple[WideLink, ...] = ()
