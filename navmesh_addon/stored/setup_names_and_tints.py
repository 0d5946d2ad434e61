"""What a new setup is called, and its tint: the color by which its navmesh is told apart."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from .setup_properties import FIRST_NAME, NavmeshSetup

_NEXT_NAME = "Agent"  # of a setup that nobody named, where there is one already
Tint = tuple[float, float, float]
# Of setups beside the first, so that their navmeshes can be told apart. Where two lie over each other, both shine
# through: hence yellow first, which makes green with the blue of plain ground. (Orange would make gray.)
TINTS = ((0.9, 0.6, 0.0), (0.75, 0.03, 0.4), (0.15, 0.55, 0.04), (0.7, 0.04, 0.04), (0.35, 0.1, 0.8), (0.9, 0.25, 0.02))


def free_name(given: str, model: str, taken: Collection[str]) -> str:
    """What a new setup is called that was given a name, or is a copy of a model."""
    wanted = given or (_name_of_copy(model) if taken else model or FIRST_NAME)
    return next(n for n in (wanted, *(f"{wanted} {i}" for i in range(2, len(taken) + 3))) if n not in taken)


def _name_of_copy(name: str) -> str:
    """What to number: “Giant” for a copy of “Giant 2”; but of what nobody named, no copy is called Navmesh."""
    plain = re.sub(r" \d+$", "", name)
    return _NEXT_NAME if plain in ("", FIRST_NAME) else plain


def free_tint(setups: Iterable[NavmeshSetup]) -> Tint:
    """The first tint that none of these has; where all are taken, they begin again."""
    tints = [tint_of(setup) for setup in setups]
    taken = {tuple(round(part, 3) for part in tint) for tint in tints if tint}
    return next((tint for tint in TINTS if tint not in taken), TINTS[len(tints) % len(TINTS)])


def tint_of(setup: NavmeshSetup) -> Tint | None:
    """The setup's own color; None where its navmesh has the colors of the area types, as the first one's has."""
    return (setup.tint[0], setup.tint[1], setup.tint[2]) if setup.is_property_set("tint") else None
