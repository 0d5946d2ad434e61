"""What an error is for people: a sentence. No bpy: threads import this, too."""

from __future__ import annotations

import traceback
from pathlib import Path

from ..navcore.errors import Cancelled, NavmeshError


class BuilderMissing(NavmeshError):
    """Numba cannot be loaded here."""

    code = "NO_BUILDER"


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
