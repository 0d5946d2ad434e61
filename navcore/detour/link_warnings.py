"""What a person is told of links that are not attached to the ground: at which end, why, and what to do."""

from __future__ import annotations

import numpy as np

from ..build_warning import BuildWarning, Place
from .link_ends import END, REACH, START, LinkEnds

_MAX_WARNINGS = 100  # warnings; of more links only the number is told
_NAMES = {START: "start", END: "end"}


def link_warnings(ends: LinkEnds, max_climb: float, before: LinkEnds | None = None) -> list[BuildWarning]:
    """A warning for each link that no agent can take, because one of its ends meets no ground.

    `before`: the same before ground was left out that no seed reaches.
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
) -> tuple[str, list[str], Place]:  # fmt: skip
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
        return text, "Make the link shorter, or raise tile_size."
    return f"its tile has no room for another link at {its}", "Use fewer links here, or lower tile_size."


def _height(above: float) -> str:
    return f"{abs(above):.2f} m {'above' if above > 0 else 'below'}"
