"""Everything that navcore refuses, by name: a sentence with the number and the way out."""

from collections.abc import Mapping

from .build_warning import BuildWarning


class NavmeshError(Exception):
    """A build that was refused or failed; `code` is stable, `str(error)` is for people.

    `warnings` is what had to be said before that; where one of them is the cause, the sentence begins with it.
    """

    code = "NAVMESH_ERROR"
    warnings: tuple[BuildWarning, ...] = ()

    def __init__(self, message: str, code: str | None = None) -> None:
        super().__init__(message)
        if code is not None:
            self.code = code


class BadSettings(NavmeshError):
    """A setting is out of its range or cannot be represented in voxels."""

    code = "BAD_SETTINGS"


class BadInput(NavmeshError):
    """The geometry, volumes, links or files handed in are not what they should be."""

    code = "BAD_INPUT"


class NothingWalkable(NavmeshError):
    """The input is sound, but no agent of this size can stand anywhere on it.

    `ways_out` names settings and values, each of which may help by itself. `marked` says how many cells each edit has
    marked before, by its key.
    """

    code = "NOTHING_WALKABLE"
    marked: Mapping[str, int] = {}

    def __init__(self, message: str, code: str | None = None, ways_out: tuple[tuple[str, float], ...] = ()) -> None:
        super().__init__(message, code)
        self.ways_out = ways_out


class TooLarge(NavmeshError):
    """A size is beyond what one navmesh (or one tile) can hold."""

    code = "TOO_LARGE"


class Cancelled(NavmeshError):
    """The caller asked the build to stop."""

    code = "CANCELLED"

    def __init__(self, message: str = "The build was cancelled.", code: str | None = None) -> None:
        super().__init__(message, code)
