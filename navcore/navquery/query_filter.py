"""Which polygons an agent may enter, and what a metre costs it there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import NamedTuple

import numpy as np

from ..errors import BadInput
from ..types import F32

AREAS = 64
_MOST_FLAGS = 0xFFFF
_MOST_COST = float(np.finfo(np.float32).max)
_EQUAL = np.ones(AREAS, np.float32)  # costs of who names none, which nobody writes to


class Rule(NamedTuple):
    """A filter as kernels take it."""

    costs: F32  # (64,)
    include: int
    exclude: int


@dataclass(frozen=True)
class QueryFilter:
    """Who may go where, at what cost: a polygon passes that has a flag of `include` and none of `exclude`.

    `costs` maps area ids, 0 to 63, to the cost of a metre; what it does not name costs 1. Costs below 1 make Detour's
    paths longer than need be, unless `find_paths` is told `heuristic="least_cost"`. Recast: dtQueryFilter.
    """

    costs: Mapping[int, float] = field(default_factory=dict)
    include: int = _MOST_FLAGS
    exclude: int = 0

    def __post_init__(self) -> None:
        for name in ("include", "exclude"):
            if not (isinstance(value := getattr(self, name), int | np.integer) and 0 <= value <= _MOST_FLAGS):
                raise BadInput(f"{name} of a filter is {value!r}. Give flags from 0 to {_MOST_FLAGS}.", "BAD_FILTER")
        if not isinstance(self.costs, Mapping):
            raise BadInput(
                f"costs of a filter are a {type(self.costs).__name__}. Give what a metre costs by area: {{1: 10.0}}.",
                "BAD_FILTER",
            )
        for area, cost in self.costs.items():
            if not (isinstance(area, int | np.integer) and 0 <= area < AREAS):
                raise BadInput(f"A filter has a cost for the area {area!r}. Areas are 0 to {AREAS - 1}.", "BAD_FILTER")
            if not (isinstance(cost, Real) and 0 <= cost <= _MOST_COST):
                said = f"{cost:g}" if isinstance(cost, Real) else repr(cost)
                raise BadInput(
                    f"A filter gives area {area} the cost {said}. Give a finite cost of 0 or more, up to "
                    f"{_MOST_COST:.2g}, or keep agents out with exclude.",
                    "BAD_FILTER",
                )

    def rule(self) -> Rule:
        costs = np.ones(AREAS, np.float32) if self.costs else _EQUAL
        for area, cost in self.costs.items():
            costs[area] = cost
        return Rule(costs, int(self.include), int(self.exclude))


def rule_of(given: QueryFilter) -> Rule:
    """The rule of the one filter that a question has. Raises BadInput for what is none, as a list of several."""
    return checked_filter(given).rule()


def checked_filter(given: QueryFilter) -> QueryFilter:
    """The same; raises BadInput for what is no filter."""
    if not isinstance(given, QueryFilter):
        raise BadInput(
            f"filter is a {type(given).__name__}. Give one QueryFilter; nearest, find_paths, find_corridors and "
            "raycast also take several, with filter_of.",
            "WRONG_QUESTION",
        )
    return given
