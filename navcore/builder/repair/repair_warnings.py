"""Warnings and errors about broken invariants: what was mended, what was left so, what cannot be mended."""

from __future__ import annotations

from collections.abc import Sequence

from ...build_warning import BuildWarning
from ...errors import NavmeshError
from ...types import Grid
from ..validate import POLYGON_RULES, Violation
from ..validate.invariants import DETAIL, DETAIL_BOUNDS

_DETAIL = {rule.code for rule in POLYGON_RULES if rule.bit in (DETAIL, DETAIL_BOUNDS)}
_MOST = 8  # warnings of one piece; the last of them says how many more there are


class BrokenMesh(NavmeshError):
    """A mesh breaks an invariant and could not be mended."""

    code = "BROKEN_MESH"

    def __init__(self, message: str | Sequence[Violation], code: str | None = None) -> None:
        super().__init__(message if isinstance(message, str) else _unmendable(message), code)


def _unmendable(violations: Sequence[Violation]) -> str:
    first, more = violations[0], len(violations) - 1
    x, y, z = first.place
    also = f" ({more:,} more like this)" if more else ""
    return (
        f"The navmesh would be broken near ({x:g}, {y:g}, {z:g}): {_lower(first.message[:-1])}{also}, and no way of "
        "dividing the ground mends it. Change Cell Size a little, or turn Repair off to get it as Recast makes it."
    )


def was_mended(violations: Sequence[Violation]) -> list[BuildWarning]:
    """A warning for each place that Recast would have left broken."""
    outline = "Its outline was drawn anew, closer to the ground."
    detail = "Its detail was drawn anew, with fewer samples."
    about_detail = [violation for violation in violations if violation.code in _DETAIL]
    return _warnings_by_region(
        [v for v in violations if v not in about_detail], "REPAIRED", outline
    ) + _warnings_by_region(about_detail, "REPAIRED", detail)


def left_out(cells: int, grid: Grid) -> BuildWarning:
    """Ground that no polygon covers, as none would be sound there."""
    text = (
        f"{cells:,} cells ({cells * float(grid.cell_size) ** 2:.3g} m²) between floors that lie closer together than "
        "the agent climbs were left out. Raise Agent Height above Max Climb."
    )
    return BuildWarning("GROUND_LEFT_OUT", text)


def left_broken(violations: Sequence[Violation]) -> list[BuildWarning]:
    """The same where nothing is to be mended."""
    return _warnings_by_region(violations, "BROKEN", "Recast leaves it so; turn Repair on to mend it.")


def _warnings_by_region(violations: Sequence[Violation], code: str, what: str) -> list[BuildWarning]:
    """One warning for each region."""
    regions: dict[tuple[int, str], list[Violation]] = {}
    for violation in violations:
        regions.setdefault((violation.region, violation.code if violation.region == 0 else ""), []).append(violation)
    warnings = []
    for group in list(regions.values())[:_MOST]:
        codes = sorted({violation.code for violation in group})
        warnings.append(BuildWarning(code, f"{group[0].message} ({', '.join(codes)}) {what}", group[0].place))
    if len(regions) > _MOST:
        more = f"and {len(regions) - _MOST:,} more places like these."
        warnings[-1] = warnings[-1]._replace(message=f"{warnings[-1].message} {more.capitalize()}")
    return warnings


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]
