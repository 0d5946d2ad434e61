"""The answer to "why not here?"."""

from __future__ import annotations

from typing import Any, NamedTuple


class Reason(NamedTuple):
    """The first rule, in the order of the stages, that removed a place; or that it is walkable."""

    code: str
    stage: str  # after which the place was no longer walkable; "navmesh" for what is part of it
    sentence: str
    value: float | None = None  # what was found
    limit: float | None = None  # what the rule allows
    setting: str | None = None  # the setting that decides
    suggested: float | bool | None = None  # what to set it to, of the setting's own kind
    triangle: int | None = None  # the culprit, a row of `triangles`
    next: Reason | None = None  # the obstacle behind it, once the change is made
    walkable: bool = False

    def to_mapping(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "walkable": self.walkable,
            "code": self.code,
            "stage": self.stage,
            "value": self.value,
            "limit": self.limit,
            "setting": self.setting,
            "suggested": self.suggested,
            "sentence": self.sentence,
            "triangle": self.triangle,
            "next": None if self.next is None else self.next.to_mapping(),
        }
