"""What is said of costs of areas that a format has no place for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..area_types import AreaType, type_of
from ..build_warning import BuildWarning


def lost_costs(
    areas: Iterable[int], types: Mapping[int, AreaType], whose: str, own: Mapping[int, float] | None = None
) -> list[BuildWarning]:
    """A warning where an area costs neither 1, which says nothing, nor what its reader takes by itself: `own`.

    `whose` begins the sentence: "A .bin holds".
    """
    taken = own or {}
    kinds = {area: type_of(area, types) for area in sorted(set(areas))}
    lost = [
        f"{kind.name} {kind.cost:g}" for area, kind in kinds.items() if kind.cost not in (1.0, taken.get(area, 1.0))
    ]
    if not lost:
        return []
    text = f"{whose[0].upper()}{whose[1:]} no costs of areas: {', '.join(lost[:8])}{', …' if len(lost) > 8 else ''}."
    return [BuildWarning("LOST_IN_EXPORT", f"{text} Give them to the game's path search, or export .json beside it.")]
