"""What an error is for people: a sentence, and a report in Blender's status bar. No bpy: threads import this, too."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from ..navcore.errors import Cancelled, NavmeshError

if TYPE_CHECKING:
    from .operator_types import Answer


class BuilderMissing(NavmeshError):
    """Numba cannot be loaded here."""

    code = "NO_BUILDER"


class Reports(Protocol):
    """An operator of Blender's."""

    @property
    def report(self) -> Callable[..., object]: ...


def sentence(error: BaseException) -> str:
    """What to show of an error: our own speak for themselves."""
    if isinstance(error, Cancelled):
        return "The build was cancelled. Nothing was changed."
    if isinstance(error, NavmeshError):
        return str(error)
    if isinstance(error, MemoryError):
        return "There is not enough memory. Raise Cell Size, use tiles, or select less."
    where = traceback.extract_tb(error.__traceback__)[-1:]
    place = f" ({Path(where[0].filename).name}, line {where[0].lineno})" if where else ""
    return f"Navmesh failed, which it should not: {type(error).__name__}: {error}{place}. Nothing was changed."


def report_error(operator: Reports, error: BaseException) -> Answer:
    """Say what went wrong in the status bar. A script gets it as RuntimeError."""
    operator.report({"ERROR"}, sentence(error))
    return {"CANCELLED"}
