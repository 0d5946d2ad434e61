"""Warnings and errors about broken invariants: what was mended, what was left so, what cannot be mended."""

from __future__ import annotations

from collections.abc import Sequence

from ...build_warning import BuildWarning, Point, in_words, place_in_words
from ...errors import NavmeshError
from ...types import Grid
from ..validate import POLYGON_RULES, Violation
from ..validate.invariants import DETAIL, DETAIL_BOUNDS

_DETAIL = {rule.code for rule in POLYGON_RULES if rule.bit in (DETAIL, DETAIL_BOUNDS)}
_MAX = 8  # warnings of one piece; the last of them says how many more there are


class BrokenMesh(NavmeshError):
    """A mesh breaks an invariant and could not be mended."""

    code = "BROKEN_MESH"

    def __init__(self, message: str | Sequence[Violation], code: str | None = None) -> None:
        super().__init__(message if isinstance(message, str) else _unmendable(message), code)


def _unmendable(violations: Sequence[Violation]) -> str:
    first, more = violations[0], len(violations) - 1
    also = f" ({more:,} more like this)" if more else ""
    return (
        f"The navmesh would be broken near {place_in_words(first.place)}: {_lower(first.message[:-1])}{also}, "
        "and no way of dividing the ground mends it. Change Cell Size a little, or turn Repair off to get it as Recast "
        "makes it."
    )


def was_mended(violations: Sequence[Violation]) -> list[BuildWarning]:
    """A warning for each place that Recast would have left broken."""
    outline = "Its outline was drawn anew, closer to the ground. Look at it there, or change Cell Size a little."
    detail = "Its detail was drawn anew, with fewer samples. Look at the heights there, or change Cell Size a little."
    about_detail = [violation for violation in violations if violation.code in _DETAIL]
    return _warnings_by_region(
        [v for v in violations if v not in about_detail], "REPAIRED", outline
    ) + _warnings_by_region(about_detail, "REPAIRED", detail)


def left_out(cells: int, place: Point, grid: Grid) -> BuildWarning:
    """Ground that no polygon covers, as none would be sound there."""
    size = in_words(cells * float(grid.cell_size) ** 2)
    text = (
        f"{cells:,} cells ({size} m²) between floors that lie closer together than the agent climbs "
        "were left out. Raise Agent Height above Max Climb."
    )
    return BuildWarning("GROUND_LEFT_OUT", text, place)


def left_broken(violations: Sequence[Violation]) -> list[BuildWarning]:
    """The same where nothing is to be mended."""
    return _warnings_by_region(violations, "BROKEN", "Recast leaves it so. Turn Repair on to mend it.")


def _warnings_by_region(violations: Sequence[Violation], code: str, what: str) -> list[BuildWarning]:
    """One warning for each region."""
    regions: dict[tuple[int, str], list[Violation]] = {}
    for violation in violations:
        regions.setdefault((violation.region, violation.code if violation.region == 0 else ""), []).append(violation)
    warnings: list[BuildWarning] = []
    more = len(regions) - _MAX
    for group in list(regions.values())[:_MAX]:
        codes = sorted({violation.code for violation in group})
        also = f" There are {more:,} more places like these." if more > 0 and len(warnings) == _MAX - 1 else ""
        message = f"{group[0].message[:-1]} ({', '.join(codes)}).{also} {what}"
        warnings.append(BuildWarning(code, message, group[0].place))
    return warnings


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]
