"""The answer that the viewport shows, and what its change would do, computed on a thread. Plain Python, no bpy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ...navcore.errors import NavmeshError
from ..background import OneWorker
from ..kept_value import KeptValue

if TYPE_CHECKING:
    from concurrent.futures import Future

    from ...navcore.reasons.reason import Reason
    from ...navcore.reasons.why import WhyHere
    from ...navcore.views.picture import Picture

_LIFT = 0.05  # metres: previews lie above the navmesh
worker = OneWorker("navmesh-preview")


class AskedPlace(NamedTuple):
    """A place of a level, and what was answered. In metres, y up."""

    build: str
    level: WhyHere
    at: tuple[float, float, float]
    reason: Reason


class Preview(NamedTuple):
    """What a change would do around the place."""

    changes: Mapping[str, Any]
    sentence: str
    picture: Picture


class ShownReason:
    """One answer; all its fields are the main thread's."""

    def __init__(self, text: str, asked: AskedPlace) -> None:
        self.text, self.asked = text, asked  # what the scene stores of it, and what it is about
        self.picture = asked.level.picture(asked.at, asked.reason)
        self._coming: tuple[Mapping[str, Any], Future[Preview]] | None = None

    def begin_preview(self, changes: Mapping[str, Any]) -> None:
        """Work out what settings would do, on a thread; another preview of this answer is given up."""
        if self._coming is not None:
            self._coming[1].cancel()
        self._coming = changes, worker.ask(_previewed, self.asked, changes)

    def wait(self) -> None:
        """Until the preview is there or has failed."""
        if self._coming is not None:
            self._coming[1].exception()

    @property
    def is_coming(self) -> bool:
        return self._coming is not None and not self._coming[1].done()

    def preview(self) -> Preview | None:
        """Once it is there; None before. Where it could not be made, why, with an empty picture."""
        if self._coming is None or self.is_coming or self._coming[1].cancelled():
            return None
        changes, future = self._coming
        error = future.exception()
        if error is None:
            return future.result()
        if not isinstance(error, NavmeshError):
            raise error
        return Preview(changes, str(error), self.picture._replace(corners=self.picture.corners[:0]))


def prepare_soon(level: WhyHere) -> None:
    """Build on the thread what the first place that needs polygons would wait for.

    Where that fails, the question that needs it says why.
    """
    worker.ask(_prepared, level)


_shown: KeptValue[ShownReason | None] = KeptValue(None)


def show(text: str, asked: AskedPlace) -> ShownReason:
    """From now on."""
    _shown.value = one = ShownReason(text, asked)
    return one


def shown(text: str, build: str) -> ShownReason | None:
    """What is shown, if that is the answer which the scene stores, of the navmesh that is there."""
    one = _shown.value
    return one if one is not None and one.text == text and one.asked.build == build else None


def forget(*_: object) -> None:
    """The level is another one, or nobody wants it any more."""
    _shown.forget()


def stop() -> None:
    """Wait for what runs, and let the thread go."""
    forget()
    worker.forget()


def _prepared(level: WhyHere) -> None:
    from ...navcore.compile_ahead import waiting

    waiting.read_or_write(level.prepare)


def _previewed(asked: AskedPlace, changes: Mapping[str, Any]) -> Preview:
    from ...navcore.compile_ahead import waiting
    from ...navcore.difference.difference_picture import difference_picture

    found = waiting.read_or_write(lambda: asked.level.preview(asked.at, changes))
    picture = difference_picture(found)
    picture.corners[:, :, 1] += _LIFT
    more, less = round(found.added, 1), round(found.removed, 1)
    if not more and not less:
        return Preview(changes, "Nothing would change within some metres of this place", picture)
    parts = [f"{more:g} m² more" if more else "", f"{less:g} m² less" if less else ""]
    return Preview(changes, f"Around here: {' and '.join(filter(None, parts))} to walk on", picture)
